"""The clients, through the real broker and host to a scripted browser."""
import asyncio
import gc
import json
import sys
import time

import chain
import genkan
import harness
import pytest
from genkan import aio, codes, errors, machines, peer

TABS = [{"tabId": 1, "title": "Ünïcode \u2028", "url": "x:"}]


def client(**options):
    return genkan.Client(program_dir=chain.installed(), **options)


def both(fn):
    """Runs a test with the synchronous client and with that of asyncio."""
    async def of_asyncio(ops):
        async with aio.Client(program_dir=chain.installed()) as c:
            return await c.call(*ops)
    return pytest.mark.parametrize("ask", [
        lambda *a: client().call(*a),
        lambda *a: asyncio.run(of_asyncio(a))], ids=["sync", "asyncio"])(fn)


@both
def test_a_call_goes_all_the_way(world, ask):
    chain.broker(world, ops={"tab_list": lambda a, f: TABS})
    assert ask("tab_list") == TABS
    assert ask("list_browsers") == {
        "browsers": [{"label": "chrome", "tabCount": 1}], "count": 1}


@both
def test_arguments_and_values_by_kind(world, ask):
    _, host = chain.broker(world, ops={
        "page_snapshot": lambda a, f: {"ok": True, "data": {
            "text": '"quoted" [1]', "url": "u", "title": "t"}},
        "page_click": lambda a, f: {"ok": True, "data": {}}})
    ask("page_click", {"tabId": 7, "ref": "e3"})
    assert host.request("page_click")["args"] == {"tabId": 7, "ref": "e3"}


@both
def test_a_code_is_an_exception(world, ask):
    chain.broker(world, ops={"tab_close": lambda a, f: {
        "ok": False, "error": "no such tab: 7", "code": "TAB_NOT_FOUND"}})
    with pytest.raises(codes.TabNotFound, match="no such tab: 7") as e:
        ask("tab_close", {"tabId": 7})
    assert isinstance(e.value, genkan.ToolError) and not e.value.retryable
    with pytest.raises(codes.InvalidArgument):
        ask("tab_close", {"tabId": "seven"})
    with pytest.raises(codes.InvalidArgument):
        ask("no_such_tool")


@both
def test_who_is_not_paired_is_refused(world, ask):
    chain.broker(world, paired=False)
    with pytest.raises(errors.Refused, match="pair-client"):
        ask("tab_list")


@both
def test_without_a_broker_it_says_so(world, ask):
    with pytest.raises(errors.CannotConnect) as e:
        ask("tab_list")
    assert isinstance(e.value, errors.TransientError)


@both
def test_a_revocation_ends_the_connection(world, ask):
    chain.broker(world, ops={"tab_list": lambda a, f: TABS})
    with client() as c:
        assert c.call("tab_list") == TABS
        from genkan import trust
        assert trust.revoke("script").ok
        with pytest.raises((errors.Refused, errors.ConnectionOver,
                            codes.ConnectionLost)):
            while True:
                c.call("tab_list", timeout=10)
                time.sleep(0.05)
    with pytest.raises(errors.Refused):
        ask("tab_list")


def test_ten_thousand_calls_are_answered_in_order(world):
    seen = []

    def tab_focus(args, frame):
        seen.append(args["tabId"])
        return {"tabId": args["tabId"]}

    chain.broker(world, ops={"tab_focus": tab_focus})
    with client() as c:
        calls = [c.submit("tab_focus", tabId=i) for i in range(10000)]
        assert c.outstanding == 10000 - sum(x.done for x in calls)
        assert [x.value(60) for x in calls] == [
            {"tabId": i} for i in range(10000)]
        assert c.outstanding == 0
    assert seen == list(range(10000))


def test_what_is_too_much_for_the_broker_waits_here(world):
    held = []
    _, host = chain.broker(world, ops={
        "tab_focus": lambda args, frame: held.append(frame["id"])})
    with client() as c:
        calls = [c.submit("tab_focus", tabId=i) for i in range(300)]
        end = time.monotonic() + 10
        while len(held) < 120 and time.monotonic() < end:
            c.poll(0.05)
        for _ in range(10):
            c.poll(0.02)
        assert 120 <= len(held) <= 127
        assert c.outstanding == 300
        assert calls[299].cancel() and not calls[299].cancel()
        with pytest.raises(errors.Canceled):
            calls[299].result()
        assert c.outstanding == 299
        host.reply(held[0], {"tabId": 0})
        assert calls[0].value(10) == {"tabId": 0}
        end = time.monotonic() + 10
        while len(held) < 121 and time.monotonic() < end:
            c.poll(0.05)
    host.cancelled(held[1])		# with the connection
    assert calls[1].done
    with pytest.raises(errors.Closed):
        calls[1].result()


def test_a_broker_of_ones_own_in_the_same_program(world):
    """Both ends of the connection are here; the records are this user's."""
    secret, own = "5e" * 16, "ab" * 32
    world.trust([("script", own)])
    with machines.Broker(secret) as broker, \
            genkan.ClientMachine() as client:
        with client.join(secret) as here, \
                broker.accept(peer.Peer.of(own, same_user=True)) as there:
            def talk():
                moved = True
                while moved:
                    moved = False
                    for a, b in ((here, there), (there, here)):
                        data = a.output()
                        if data:
                            assert b.feed(data) == len(data)
                            a.wrote(len(data))
                            moved = True
            talk()
            assert client.next().kind == "state" and broker.clients == 1
            id = client.call("list_browsers", {}, 0)
            talk()
            event = client.next()
            assert (event.kind, event.id, event.code) == ("result", id, 0)
            assert event.text == '{"count":0,"browsers":[]}'
            ids = [client.call("list_browsers", {}, 0) for _ in range(3)]
            assert here.gather(10) == b""
            data = here.gather()
            assert [json.loads(line)["method"] for line in
                    data.splitlines()] == ["tools/call"] * 3
            here.wrote(len(data))
            assert here.gather() == here.output() == b""
            assert there.feed(data) == len(data)
            talk()
            assert [client.next().id for _ in ids] == ids
            with pytest.raises(errors.WrongState):
                client.join(secret)
        assert broker.next().kind == "exit" and broker.browsers == 0
        for facts in (peer.Peer.of("cd" * 32, same_user=True),
                      peer.Peer.of(own, same_user=False)):
            with broker.accept(facts) as stranger:
                assert stranger.wants == machines.WANT_CLOSE
            assert facts.same_user == (facts.hash != own)
    with pytest.raises(errors.InvalidArgument):
        machines.Broker("not a secret")
    with pytest.raises(errors.InvalidArgument):
        peer.Peer.of(None, same_user=True, roles=peer.ROLE_HOST)
    with pytest.raises(TypeError, match="same_user"):
        peer.Peer.of(own)
    for word in (None, 1, "yes"):
        with pytest.raises(TypeError, match="True or False"):
            peer.Peer.of(own, same_user=word)


def test_ten_thousand_at_once_in_asyncio(world):
    seen = []

    def tab_focus(args, frame):
        seen.append(args["tabId"])
        return {"tabId": args["tabId"]}

    chain.broker(world, ops={"tab_focus": tab_focus})

    async def main():
        async with aio.Client(program_dir=chain.installed()) as c:
            return await asyncio.gather(*[
                c.call("tab_focus", tabId=i) for i in range(10000)])

    assert asyncio.run(main()) == [{"tabId": i} for i in range(10000)]
    assert seen == list(range(10000))


def test_a_task_that_is_cancelled_cancels_its_call(world):
    _, host = chain.broker(world, ops={"tab_list": lambda a, f: None})

    async def main():
        async with aio.Client(program_dir=chain.installed()) as c:
            task = asyncio.ensure_future(c.call("tab_list"))
            frame = await asyncio.get_running_loop().run_in_executor(
                None, host.request, "tab_list")
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert c.outstanding == 0
            await asyncio.get_running_loop().run_in_executor(
                None, host.cancelled, frame["id"])
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(c.call("tab_list"), 0.1)
            assert c.outstanding == 0

    asyncio.run(main())


def test_a_timeout_ends_a_call(world):
    chain.broker(world, ops={"tab_list": lambda a, f: None})
    with client() as c:
        with pytest.raises(codes.ResponseTimeout):
            c.call("tab_list", timeout=0.1)
        waiting = c.submit("tab_list")
        with pytest.raises(errors.Timeout):
            waiting.result(0.05)
        assert not waiting.done and waiting.cancel()


def test_the_broker_dies_and_another_is_attached_to(world):
    server, _ = chain.broker(world, ops={"tab_list": lambda a, f: None})
    with client() as c:
        waiting = c.submit("tab_list")
        c.poll(0.2)
        server.kill()
        with pytest.raises((codes.ConnectionLost, genkan.GenkanError)):
            waiting.result(10)
        while c.attached:
            c.poll(0.05)
        assert c.reason is not None
        chain.broker(world, ops={"tab_list": lambda a, f: TABS})
        c.attach()
        assert c.reason is None and c.call("tab_list") == TABS


def progress(client, id):
    """Puts an event of a call that goes on before the real ones."""
    real = client._machine.next
    event = machines.Event("progress", -1, 1, 0, None, None, id, None, "w")
    ready = [event]
    client._machine.next = lambda: ready.pop() if ready else real()


def unraisable(monkeypatch):
    """What was raised where nobody could take it, and by what."""
    said = []
    monkeypatch.setattr(sys, "unraisablehook", lambda u: said.append(
        (u.exc_value, u.exc_traceback is not None, u.object)))
    return said


ERROR = RuntimeError("boom")


def boom(text):
    assert text == "w"
    raise ERROR


def test_progress_that_raises_hurts_no_other_call(world, monkeypatch):
    said = unraisable(monkeypatch)
    _, host = chain.broker(world, ops={
        "tab_list": lambda a, f: TABS, "tab_focus": lambda a, f: None})
    with client() as c:
        slow = c.submit("tab_focus", on_progress=boom, tabId=1)
        frame = host.request("tab_focus")
        progress(c, slow.id)
        assert c.call("tab_list") == TABS
        assert said == [(ERROR, True, boom)]
        assert not slow.done and c.outstanding == 1
        host.reply(frame["id"], {"tabId": 1})
        assert slow.value(10) == {"tabId": 1}


def test_progress_that_raises_hurts_no_other_call_in_asyncio(world,
                                                             monkeypatch):
    said = unraisable(monkeypatch)
    _, host = chain.broker(world, ops={
        "tab_list": lambda a, f: TABS, "tab_focus": lambda a, f: None})

    async def main():
        loop = asyncio.get_running_loop()
        async with aio.Client(program_dir=chain.installed()) as c:
            slow = asyncio.ensure_future(c.request(
                "tab_focus", {"tabId": 1}, on_progress=boom))
            frame = await loop.run_in_executor(None, host.request,
                                               "tab_focus")
            progress(c, *c._calls)
            assert await c.call("tab_list") == TABS
            assert said == [(ERROR, True, boom)]
            assert not slow.done() and c.outstanding == 1
            host.reply(frame["id"], {"tabId": 1})
            assert (await asyncio.wait_for(slow, 10)).value == {"tabId": 1}

    asyncio.run(main())


def test_the_tools_are_listed(world):
    chain.broker(world, browser=False)
    with client() as c:
        assert len(c.tools()) == 26

    async def main():
        async with aio.Client(program_dir=chain.installed()) as a:
            return [t["name"] for t in await a.tools()]

    assert "page_snapshot" in asyncio.run(main())


def test_closing_is_final_and_leaves_no_descriptor(world, descriptors):
    chain.broker(world, ops={"tab_list": lambda a, f: TABS})
    client().close()
    before = descriptors()
    for _ in range(3):
        c = client()
        c.call("tab_list")
        c.close()
        c.close()
        with pytest.raises(errors.Closed):
            c.call("tab_list")
    c = client()		# not closed at all
    del c
    gc.collect()
    assert descriptors() == before


def test_a_large_answer_arrives_whole(world):
    text = "".join(chr(0x20 + i % 0x5f) for i in range(1 << 20))
    chain.broker(world, ops={"page_text": lambda a, f: {
        "ok": True, "data": {"text": text, "url": "u", "title": "t"}}})
    with client() as c:
        assert c.call("page_text", tabId=1)["text"] == text


def test_a_program_folder_without_a_server(world):
    chain.broker(world)
    with pytest.raises(errors.NotFound):
        genkan.Client(program_dir=str(world.dir))
    assert harness.BUILD
