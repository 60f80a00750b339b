"""What is freed, closed, dropped or left at the wrong moment has an outcome."""
import asyncio
import gc
import itertools
import os
import random
import subprocess
import sys
import threading
import traceback

import chain
import genkan
import pytest
from genkan import aio, errors, machines, native, peer, webauthn
from test_context import child, public_key

SECRET, OWN = "5e" * 16, "ab" * 32


def client(**options):
    return genkan.Client(program_dir=chain.installed(), **options)


# ------------------------------------------------------------- any order

def joined(world):
    """One of everything that hangs together, by name."""
    world.trust([("script", OWN)])
    ctx = genkan.Context()
    broker = machines.Broker(SECRET, context=ctx)
    caller = genkan.ClientMachine(context=ctx)
    facts = peer.Peer.of(OWN, same_user=True, context=ctx)
    here, there = caller.join(SECRET), broker.accept(facts)
    for a, b in ((there, here), (here, there), (there, here), (here, there)):
        data = a.output()
        b.feed(data)
        a.wrote(len(data))
    assert broker.clients == 1
    caller.call("list_browsers", {}, 1000)
    server = machines.Server(ctx)
    return {"context": ctx, "broker": broker, "caller": caller,
            "facts": facts, "here": here, "there": there, "server": server,
            "stdio": server.stdio(), "job": server.next().job}


def use(handle):
    """Every verb and property that it has."""
    verbs = {
        machines.Leg: [lambda h: h.feed(b"x"), lambda h: h.output(),
                       lambda h: h.gather(), lambda h: h.wants,
                       lambda h: h.deadline, lambda h: h.tick(),
                       lambda h: h.wrote(0), lambda h: h.broken(),
                       lambda h: h.eof()],
        machines.Job: [lambda h: h.run(), lambda h: h.done()],
        machines.Broker: [lambda h: h.clients, lambda h: h.browsers],
        machines.Server: [lambda h: h.role, lambda h: h.stdio()],
        genkan.ClientMachine: [lambda h: h.state, lambda h: h.outstanding,
                               lambda h: h.cancel(1)],
        peer.Peer: [lambda h: h.hash, lambda h: h.roles],
        genkan.Context: [lambda h: h.set_time(), lambda h: h.last_error],
    }[type(handle)]
    if isinstance(handle, machines._Machine):
        verbs = verbs + [lambda h: h.next(), lambda h: h.deadline,
                         lambda h: h.tick(), lambda h: h.stop()]
    return verbs


@pytest.mark.parametrize("seed", range(30))
def test_handles_are_closed_in_any_order_and_the_others_go_on(world, seed):
    all = joined(world)
    core = all["context"]._core
    names = list(all)
    random.Random(seed).shuffle(names)
    for i, name in enumerate(names):
        handle = all[name]
        handle.close()
        for verb in use(handle):
            with pytest.raises(errors.Closed):
                verb(handle)
        for other in names[i + 1:]:
            if other == "job" or other == "context":
                continue
            for verb in use(all[other]):
                try:
                    verb(all[other])
                except genkan.GenkanError as e:
                    assert not isinstance(e, errors.Closed), (other, e)
    assert core.ptr is None


@pytest.mark.parametrize("names", itertools.permutations(
    ["broker", "caller", "here", "there"]), ids=lambda names: "-".join(names))
def test_ends_that_are_joined_are_dropped_in_any_order(world, names):
    all = joined(world)
    core = all["context"]._core
    for name in names:
        del all[name]
        gc.collect()
    all.clear()
    gc.collect()
    assert core.ptr is None


def test_every_handle_refuses_what_comes_after_its_end():
    d = native.Decoder()
    cred = webauthn.Credential(bytes(32), public_key())
    for h, verbs in ((d, [lambda: d.feed(b"x"), d.eof]),
                     (cred, [lambda: cred.id, lambda: cred.public_key,
                             lambda: cred.sign_count,
                             lambda: cred.backup_eligible,
                             lambda: cred.counted(9)])):
        h.close()
        for verb in verbs:
            with pytest.raises(errors.Closed):
                verb()


# ---------------------------------------------------------- clients that end

def test_ten_thousand_outstanding_and_then_closed(world):
    _, host = chain.broker(world, ops={"tab_focus": lambda a, f: None})
    c = client()
    calls = [c.submit("tab_focus", tabId=i) for i in range(10000)]
    host.request("tab_focus")
    assert c.outstanding == 10000
    with pytest.raises(errors.Limit):
        c.submit("tab_focus", tabId=10000)
    c.close()
    assert c.outstanding == 0 and c.closed
    for call in calls:
        assert call.done and not call.cancel()
        with pytest.raises(errors.Closed):
            call.result()


def test_ten_thousand_outstanding_and_then_closed_in_asyncio(world):
    _, host = chain.broker(world, ops={"tab_focus": lambda a, f: None})

    async def main():
        c = aio.Client(program_dir=chain.installed())
        await c.attach()
        tasks = [asyncio.ensure_future(c.call("tab_focus", tabId=i))
                 for i in range(10000)]
        while c.outstanding < 10000:
            await asyncio.sleep(0)
        c.close()
        got = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(e) for e in got} == {errors.Closed}
        with pytest.raises(errors.Closed):
            await c.call("tab_list")

    asyncio.run(main())


def test_a_client_that_is_dropped_with_calls_out_is_let_go(world, descriptors):
    _, host = chain.broker(world, ops={"tab_focus": lambda a, f: None})
    client().close()
    before = descriptors()
    c = client()
    call = c.submit("tab_focus", tabId=1)
    frame = host.request("tab_focus")
    del c, call
    gc.collect()
    host.cancelled(frame["id"])
    assert descriptors() == before


def test_a_client_in_use_by_another_thread_says_so(world):
    """While one waits; and the one that waits is not disturbed by it."""
    _, host = chain.broker(world, ops={"tab_focus": lambda a, f: None})
    with client() as c:
        call, got = c.submit("tab_focus", tabId=1), []
        frame = host.request("tab_focus")
        entered, go, real = threading.Event(), threading.Event(), c._wait

        def wait(ms):
            entered.set()
            assert go.wait(60)
            real(ms)

        c._wait = wait
        t = threading.Thread(target=lambda: got.append(call.value()))
        t.start()
        assert entered.wait(60)
        for ask in (lambda: c.outstanding, lambda: c.attached, c.poll,
                    c.close, c.attach, call.cancel, call.result,
                    lambda: c.call("tab_list")):
            with pytest.raises(errors.WrongState, match="another thread"):
                ask()
        go.set()
        host.reply(frame["id"], {"tabId": 1})
        t.join(20)
        assert got == [{"tabId": 1}]
        assert c.call("list_browsers")["count"] == 1


class Inside:
    """A context, and another thread that is in it meanwhile."""

    def __init__(self):
        self.entered, self.go = threading.Event(), threading.Event()
        self.thread = None
        self.context = genkan.Context(random=self._random)
        self.rp = webauthn.RelyingParty(context=self.context)

    def _random(self, n):
        if threading.current_thread() is self.thread:
            self.entered.set()
            assert self.go.wait(60)
        return os.urandom(n)

    def __enter__(self):
        self.thread = threading.Thread(target=self.rp.challenge)
        self.thread.start()
        assert self.entered.wait(20)

    def __exit__(self, *_):
        self.go.set()
        self.thread.join(20)


def test_a_thread_inside_the_context_costs_no_connection(world):
    tabs = [{"tabId": 1}]
    _, host = chain.broker(world, ops={
        "tab_list": lambda a, f: tabs, "tab_focus": lambda a, f: None})
    other = Inside()
    with client(context=other.context) as c:
        slow = c.submit("tab_focus", tabId=1)
        frame = host.request("tab_focus")
        with other:
            for ask in (c.poll, c.attach, slow.result, c.tools,
                        lambda: c.attached, lambda: c.outstanding,
                        lambda: c.call("tab_list"),
                        lambda: c.submit("tab_list")):
                with pytest.raises(errors.WrongState, match="in use"):
                    ask()
            host.reply(frame["id"], {"tabId": 1})
        assert c.attached and c.reason is None and c.outstanding == 1
        assert slow.value(20) == {"tabId": 1}
        assert c.call("tab_list") == tabs


class Nth:
    """The client's context is in use when it is entered for the nth time."""

    def __init__(self, monkeypatch, core):
        self.core, self.left = core, 0
        real = type(core).__enter__

        def enter(this):
            if this is not self.core:
                return real(this)
            self.left -= 1
            if self.left != 0:
                return real(this)
            this._busy.acquire()
            try:
                return real(this)
            finally:
                this._busy.release()

        monkeypatch.setattr(type(core), "__enter__", enter)

    @property
    def came(self):
        return self.left <= 0


def again(fn):
    """Asks until the context is free."""
    while True:
        try:
            return fn()
        except errors.WrongState as e:
            assert "the context is in use" in str(e)


def test_wherever_the_context_is_in_use_no_call_is_lost_or_made_twice(
        world, monkeypatch):
    seen = []

    def tab_focus(args, frame):
        seen.append(args["tabId"])
        return {"tabId": args["tabId"]}

    chain.broker(world, ops={"tab_focus": tab_focus})
    with client() as c:
        nth, n = Nth(monkeypatch, c._machine._core), 0
        while nth.came:
            n += 1
            nth.left = n
            call = again(lambda: c.submit("tab_focus", tabId=n))
            assert again(lambda: call.value(20)) == {"tabId": n}
            nth.left = nth.left if nth.left > 0 else 0
            assert c.reason is None and n < 200
        nth.left = 0
        assert n > 10 and c.attached and c.outstanding == 0
        assert seen == list(range(1, n + 1))


def test_wherever_the_context_is_in_use_a_call_is_given_up(world, monkeypatch):
    _, host = chain.broker(world, ops={"tab_focus": lambda a, f: None})
    with client() as c:
        nth, n = Nth(monkeypatch, c._machine._core), 0
        while nth.came:
            call = c.submit("tab_focus", tabId=n)
            frame = host.request("tab_focus")
            n += 1
            nth.left = n
            assert call.cancel() and not call.cancel()
            came, nth.left = nth.came, 0
            c.poll()
            host.cancelled(frame["id"])
            assert c.outstanding == 0 and c.attached and n < 50
            if not came:
                break
        assert n > 3


def heard(said):
    """The loop's exception handler adds what it is told of."""
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: said.append(context["exception"]))


async def soon(future):
    return await asyncio.wait_for(future, 20)


def test_wherever_the_context_is_in_use_asyncio_goes_on(world, monkeypatch):
    seen, said = [], []

    def tab_focus(args, frame):
        seen.append(args["tabId"])
        return {"tabId": args["tabId"]}

    async def eventually(ask):
        while True:
            try:
                return await soon(ask())
            except errors.WrongState as e:
                assert "the context is in use" in str(e)

    async def main():
        heard(said)
        context, n = genkan.Context(), 0
        nth = Nth(monkeypatch, context._core)
        while nth.came:
            n += 1
            c = aio.Client(program_dir=chain.installed(), context=context)
            nth.left = n
            await eventually(c.attach)
            got = await eventually(lambda: c.call("tab_focus", tabId=n))
            assert got == {"tabId": n} and c.reason is None and n < 300
            c.close()
        nth.left = 0
        return n

    chain.broker(world, ops={"tab_focus": tab_focus})
    n = asyncio.run(main())
    assert n > 20 and seen == list(range(1, n + 1))
    assert {type(e).__base__ for e in said} == {errors.WrongState}
    assert len(said) <= n


@pytest.mark.parametrize("what", ["answer", "loss"])
def test_asyncio_waits_for_a_thread_inside_the_context(world, what):
    """For its end, and not in a busy loop; what arrived meanwhile is there."""
    tabs, said, turns = [{"tabId": 1}], [], []
    server, host = chain.broker(world, ops={
        "tab_list": lambda a, f: tabs, "tab_focus": lambda a, f: None})
    other = Inside()

    async def main():
        heard(said)
        async with aio.Client(program_dir=chain.installed(),
                              context=other.context) as c:
            slow = asyncio.ensure_future(c.call("tab_focus", tabId=1))
            frame = await asyncio.get_running_loop().run_in_executor(
                None, host.request, "tab_focus")
            real = c._pump
            c._pump = lambda: (turns.append(1), real())
            with other:
                if what == "answer":
                    host.reply(frame["id"], {"tabId": 1})
                else:
                    server.kill()
                await asyncio.sleep(0.5)
                assert not slow.done()
                with pytest.raises(errors.WrongState):
                    await c.call("tab_list")
                assert len(turns) < 30
            assert [isinstance(e, errors.WrongState) for e in said] == [True]
            if what == "answer":
                assert await soon(slow) == {"tabId": 1}
                assert c.attached and c.reason is None
                assert await soon(c.call("tab_list")) == tabs
            else:
                with pytest.raises((genkan.GenkanError, genkan.ToolError)):
                    await soon(slow)
                assert not c.attached

    asyncio.run(main())


class Torn:
    """A socket whose calls are made, and then interrupted."""

    def __init__(self, real, what, kind=KeyboardInterrupt):
        self.real, self.what, self.kind = real, what, kind

    def __getattr__(self, name):
        real = getattr(self.real, name)
        if name != self.what:
            return real

        def interrupted(*args):
            real(*args)
            raise self.kind
        return interrupted


@pytest.mark.parametrize("what", ["send", "recv", "next"])
def test_an_interrupt_in_the_middle_costs_the_connection_alone(world, what):
    """What was sent or taken is unknown then: nothing is sent twice, nobody
    waits for what is lost, and the client attaches anew."""
    tabs = [{"tabId": 1}]
    _, host = chain.broker(world, ops={
        "tab_list": lambda a, f: tabs, "tab_focus": lambda a, f: None})
    with client() as c:
        waiting = c.submit("tab_focus", tabId=1)
        host.request("tab_focus")
        if what == "next":
            machine, c._machine = c._machine, Torn(c._machine, "next")
        else:
            c._sock = Torn(c._sock, what)
        with pytest.raises(KeyboardInterrupt):
            c.call("tab_list")
        if what == "next":
            c._machine = machine
        with pytest.raises((genkan.GenkanError, genkan.ToolError)) as e:
            waiting.result(20)
        assert not isinstance(e.value, errors.Timeout)
        assert not c.attached and c.reason is not None
        assert c.outstanding == 0
        c.attach()
        assert c.call("tab_list") == tabs


@pytest.mark.parametrize("often", ["once", "always"])
@pytest.mark.parametrize("what", ["send", "recv", "next"])
def test_what_fails_in_the_middle_leaves_nobody_waiting_in_asyncio(
        world, what, often):
    """Told to the loop a few times at most, and then it is left at that."""
    tabs, said = [{"tabId": 1}], []
    _, host = chain.broker(world, ops={
        "tab_list": lambda a, f: tabs, "tab_focus": lambda a, f: None})

    async def main():
        loop = asyncio.get_running_loop()
        heard(said)
        async with aio.Client(program_dir=chain.installed()) as c:
            waiting = asyncio.ensure_future(c.call("tab_focus", tabId=1))
            frame = await loop.run_in_executor(None, host.request,
                                               "tab_focus")
            machine = c._machine
            if what == "next":
                c._machine = Torn(machine, "next", MemoryError)
                if often == "once":
                    real = c._hurt
                    c._hurt = lambda e: (
                        setattr(c, "_machine", machine), real(e))
            else:
                c._sock = Torn(c._sock, what, MemoryError)
            if what == "recv":
                host.reply(frame["id"], {"tabId": 1})
                calls = [waiting]
            else:
                calls = [waiting, asyncio.ensure_future(c.call("tab_list"))]
            for call in calls:
                with pytest.raises((genkan.GenkanError,
                                    genkan.ToolError)) as e:
                    await soon(call)
                assert not isinstance(e.value, errors.WrongState)
            await asyncio.sleep(0.2)
            assert {type(e) for e in said} == {MemoryError}
            assert len(said) <= 2 and c.reason is not None
            c._machine = machine
            c._turn()
            assert c.outstanding == 0
            await soon(c.attach())
            assert await soon(c.call("tab_list")) == tabs

    asyncio.run(main())


OPEN = """
import asyncio, os, sys, threading, genkan
from genkan import aio
program_dir = sys.argv[1]
how = sys.argv[2]
if how == "asyncio":
    kept = []
    async def main():
        c = aio.Client(program_dir=program_dir)
        kept.append(c)
        await c.attach()
        kept.append(asyncio.ensure_future(c.call("tab_list")))
        await asyncio.sleep(0)
    asyncio.run(main())
else:
    c = genkan.Client(program_dir=program_dir)
    calls = [c.submit("tab_list") for _ in range(100)]
    c.poll(0.05)
    ring = [c, calls]
    ring.append(ring)
    if how == "thread":
        threading.Thread(target=lambda: calls[0].result(), daemon=True).start()
print("left", flush=True)
if how == "exit":
    sys.exit(0)
"""


@pytest.mark.parametrize("how", ["end", "exit", "thread", "asyncio"])
def test_a_program_that_ends_with_open_clients_just_ends(world, how):
    chain.broker(world, ops={"tab_list": lambda a, f: None})
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", OPEN, chain.installed(), how],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "left\n"), done.stderr
    assert "Fatal" not in done.stderr


# -------------------------------------------------------------------- fork

def in_child(fn):
    """Runs it in the child of a fork; True if it came back in good order."""
    pid = os.fork()
    if pid == 0:
        try:
            fn()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_the_child_of_a_fork_has_no_client_and_the_parent_has(world):
    tabs = [{"tabId": 1}]
    _, host = chain.broker(world, ops={
        "tab_list": lambda a, f: tabs, "tab_focus": lambda a, f: None})
    with client() as c:
        assert not os.get_inheritable(c._sock.fileno())
        slow = c.submit("tab_focus", tabId=1)
        frame = host.request("tab_focus")

        def there():
            assert c.closed and not c.attached and c.outstanding == 0
            for ask in (lambda: c.call("tab_list"), slow.result):
                with pytest.raises(errors.Closed):
                    ask()
            c.close()
            gc.collect()
            # A library and a client of its own work as ever.
            assert native.Decoder().feed(b"\2\0\0\0{}") == [b"{}"]
            with client() as another:
                assert another.call("tab_list") == tabs

        assert in_child(there)
        assert in_child(lambda: None)
        assert c.call("tab_list") == tabs
        host.reply(frame["id"], {"tabId": 1})
        assert slow.value(10) == {"tabId": 1}


def test_a_loop_of_asyncio_hears_on_after_a_fork(world):
    tabs = [{"tabId": 1}]
    chain.broker(world, ops={"tab_list": lambda a, f: tabs})

    async def main():
        async with aio.Client(program_dir=chain.installed()) as c:
            waiting = asyncio.ensure_future(c.call("tab_list"))
            await asyncio.sleep(0)

            def there():
                assert c.closed
                c.close()
                gc.collect()

            assert in_child(there)
            assert await asyncio.wait_for(waiting, 20) == tabs
            assert await asyncio.wait_for(c.call("tab_list"), 20) == tabs

    asyncio.run(main())


def test_what_another_thread_was_at_stays_in_use_in_the_child():
    """The state of the library may be half done there: never touched again."""
    entered, go = threading.Event(), threading.Event()

    def source(n):
        if made:
            entered.set()
            assert go.wait(20)
        return os.urandom(n)

    made = []
    rp = webauthn.RelyingParty(context=genkan.Context(random=source))
    made.append(rp)
    t = threading.Thread(target=rp.challenge)
    t.start()
    assert entered.wait(10)

    def there():
        with pytest.raises(errors.WrongState):
            rp.challenge()
        assert len(webauthn.RelyingParty().challenge()) == 43

    assert in_child(there)
    go.set()
    t.join(10)
    assert len(rp.challenge()) == 43


# ----------------------------------------------------------- event handlers

def test_a_log_that_raises_hurts_nobody(world, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook",
                        lambda u: said.append(u.exc_type))
    ctx = genkan.Context(log=lambda *a: 1 // 0, log_level=3)
    chain.broker(world, ops={"tab_list": lambda a, f: [{"tabId": 1}]})
    with client(context=ctx) as c:
        assert c.call("tab_list") == [{"tabId": 1}]
    assert set(said) == {ZeroDivisionError}


def test_progress_may_close_the_client(world):
    """In the middle of an event: the calls end, and nothing is touched."""
    _, host = chain.broker(world, ops={"tab_focus": lambda a, f: None})
    c = client()
    call = c.submit("tab_focus", tabId=1,
                    on_progress=lambda text: c.close())
    host.request("tab_focus")
    real = c._machine.next
    ready = [machines.Event("progress", -1, 1, 0, None, None, call.id, None,
                            "w")]
    c._machine.next = lambda: ready.pop() if ready else real()
    with pytest.raises(errors.Closed):
        call.result(10)
    assert c.closed


def test_memory_is_watched_from_one_end_to_the_other(world):
    """Under Python's own checks of its allocator."""
    code = ("import gc, genkan\n"
            "from genkan import machines, native, peer, store\n"
            "class S(store.Store):\n"
            "    def load(self, record): return None\n"
            "for i in range(50):\n"
            "    ctx = genkan.Context(log=lambda *a: None, log_level=3)\n"
            "    b = machines.Broker('5e' * 16, context=ctx, store=S())\n"
            "    leg = b.accept(peer.Peer.of('ab' * 32, same_user=True,\n"
            "                                context=ctx))\n"
            "    leg.feed(b'{}' * 9)\n"
            "    [b, leg, ctx][i % 3].close()\n"
            "    del b, leg, ctx\n"
            "gc.collect()\n"
            "print('well')\n")
    assert child(code) == (0, "well\n", "")
