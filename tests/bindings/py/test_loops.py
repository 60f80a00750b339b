"""genkan.aio.Client outlives the event loop that it was used in."""
import asyncio
import contextlib
import gc
import os
import threading

import chain
import pytest
from genkan import aio, codes, errors

TABS = [{"tabId": 1}]


@pytest.fixture
def host(world):
    """The browser, which does not answer tab_focus by itself."""
    return chain.broker(world, ops={"tab_list": lambda a, f: TABS,
                                    "tab_focus": lambda a, f: None})[1]


@pytest.fixture
def client(host):
    with contextlib.closing(aio.Client(program_dir=chain.installed())) as c:
        yield c


async def soon(awaitable):
    return await asyncio.wait_for(awaitable, 60)


def run(awaitable):
    """In a loop of its own, which is closed afterwards."""
    async def main():
        return await soon(awaitable)
    return asyncio.run(main())


async def begin(client, host):
    """A call that waits: it, and what the browser has of it."""
    call = asyncio.ensure_future(client.call("tab_focus", tabId=1))
    frame = await asyncio.get_running_loop().run_in_executor(
        None, host.request, "tab_focus")
    return call, frame


def test_the_connection_goes_along_into_the_next_loop(client):
    run(client.attach())
    sock = client._sock
    for _ in range(3):
        assert run(client.call("tab_list")) == TABS
        assert client.attached and client._sock is sock


def test_its_timers_go_along(client):
    run(client.attach())
    with pytest.raises(codes.ResponseTimeout):
        run(client.call("tab_focus", tabId=1, timeout=0.2))


def test_what_happened_between_two_loops_is_heard_in_the_second(world, client):
    run(client.attach())
    world.made[0].kill()
    with pytest.raises((errors.GenkanError, codes.ToolError)):
        run(client.call("tab_list"))
    assert not client.attached and client.reason is not None
    chain.broker(world, ops={"tab_list": lambda a, f: TABS})
    run(client.attach())
    assert run(client.call("tab_list")) == TABS


def test_a_call_left_in_a_closed_loop_harms_nobody(client, host):
    """Not even where it is collected, or answered."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)	# destroyed but pending
    loop.run_until_complete(client.attach())
    call, frame = loop.run_until_complete(begin(client, host))
    loop.close()
    assert run(client.call("tab_list")) == TABS
    host.cancelled(frame["id"])
    assert client.outstanding == 0
    assert not call.done()
    del call
    gc.collect()
    assert run(client.call("tab_list")) == TABS and client.reason is None


def test_a_call_left_in_a_stopped_loop_ends_when_it_runs_again(client, host):
    loop = asyncio.new_event_loop()
    loop.run_until_complete(client.attach())
    call, _ = loop.run_until_complete(begin(client, host))
    assert run(client.call("tab_list")) == TABS
    with pytest.raises(errors.Closed, match="another event loop"):
        loop.run_until_complete(soon(call))
    assert loop.run_until_complete(soon(client.call("tab_list"))) == TABS
    loop.close()


@pytest.mark.parametrize("closed", [True, False])
def test_an_attach_left_in_a_loop_can_be_made_anew(client, closed):
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)

    async def half():
        attach = asyncio.ensure_future(client.attach())
        await asyncio.sleep(0)
        return attach

    attach = loop.run_until_complete(half())
    assert not attach.done()
    if closed:
        loop.close()

    # The thread of that loop may look the broker up for a moment more.
    run(client.attach())
    assert run(client.call("tab_list")) == TABS
    if not closed:
        with pytest.raises(errors.Closed):
            loop.run_until_complete(soon(attach))
        loop.close()
    assert run(client.call("tab_list")) == TABS


def test_close_after_the_loop_frees_all(client, host):
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    loop.run_until_complete(client.attach())
    call, _ = loop.run_until_complete(begin(client, host))
    loop.close()
    fd = client._sock.fileno()
    client.close()
    assert client.closed and not call.done()
    with pytest.raises(OSError):
        os.fstat(fd)


def test_a_loop_that_runs_in_another_thread_keeps_it(client):
    ready, go = threading.Event(), threading.Event()
    got = []

    async def first():
        async with client:
            ready.set()
            while not go.is_set():
                assert await client.call("tab_list") == TABS
                await asyncio.sleep(0.01)
            got.append(await client.call("tab_list"))

    async def second():
        async with client:
            pass

    t = threading.Thread(target=lambda: run(first()))
    t.start()
    try:
        assert ready.wait(60)
        for other in (client.attach(), client.call("tab_list"), second()):
            with pytest.raises(errors.WrongState, match="another thread"):
                run(other)
    finally:
        go.set()
        t.join(60)
    assert got == [TABS]
