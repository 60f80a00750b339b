"""Contexts, handles, and who frees what when."""
import gc
import os
import subprocess
import sys
import threading

import genkan
import pytest
import test_webauthn
from genkan import (_client, _genkan, errors, local, machines, native, peer,
                    policy, trust, webauthn)


def relying_party(random):
    """One whose context has its own use of randomness behind it."""
    made = []

    def source(n):
        return random(n) if made else os.urandom(n)

    rp = webauthn.RelyingParty(context=genkan.Context(random=source))
    made.append(rp)
    return rp


def test_a_closed_handle_says_so_and_closes_twice():
    d = native.Decoder()
    d.close()
    d.close()
    with pytest.raises(errors.Closed, match="this Decoder is closed"):
        d.feed(b"\2")
    assert d.closed and "closed" in repr(d)


def test_a_child_keeps_its_context():
    ctx = genkan.Context()
    d = native.Decoder(context=ctx)
    ctx.close()
    ctx.close()
    assert d.feed(b"\2\0\0\0{}") == [b"{}"]
    with pytest.raises(errors.Closed):
        native.Decoder(context=ctx)
    d.close()


def test_all_at_once_are_freed_in_any_order():
    """A cycle, so that the collector finalises context and children."""
    freed = []

    class Log:
        def __call__(self, *_):
            pass

        def __del__(self):
            freed.append(1)

    for _ in range(20):
        ctx = genkan.Context(log=Log())
        ring = [native.Decoder(context=ctx) for _ in range(5)]
        ring.append(ring)
        ring.append(ctx)
        ctx.ring = ring
        del ctx, ring
    gc.collect()
    assert len(freed) == 20


def test_the_log_is_let_go_with_the_last_handle():
    freed = []

    class Log:
        def __call__(self, *_):
            pass

        def __del__(self):
            freed.append(1)

    ctx = genkan.Context(log=Log())
    d = native.Decoder(context=ctx)
    del ctx
    gc.collect()
    assert freed == []
    d.close()
    gc.collect()
    assert freed == [1]


def test_randomness_of_ones_own():
    asked = []

    def random(n):
        asked.append(n)
        return bytes(range(n))

    rp = relying_party(random)
    assert rp.challenge() == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    assert asked == [32]


@pytest.mark.parametrize("random, reports", [
    (lambda n: b"", 0), (lambda n: 1 // 0, 1),
    (lambda n: b"x" * (n + 1), 0), (lambda n: n, 1)])
def test_randomness_that_fails_closes(random, reports, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    rp = relying_party(random)
    with pytest.raises(errors.Random):
        rp.challenge()
    assert len(said) == reports
    with pytest.raises(errors.Random):
        genkan.Context(random=random)


def test_a_callback_may_not_use_its_context(monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook",
                        lambda u: said.append(u.exc_value))
    box = []

    def random(n):
        box[0].challenge()
        return bytes(n)

    box.append(relying_party(random))
    with pytest.raises(errors.Random):
        box[0].challenge()
    assert [isinstance(e, errors.WrongState) for e in said] == [True]


def test_a_handle_that_is_dropped_in_a_callback_is_freed_later():
    kept = []

    def random(n):
        kept.clear()		# closes a handle of the context that is in use
        gc.collect()
        return bytes(n)

    ctx = genkan.Context(random=random)
    kept.append(native.Decoder(context=ctx))
    rp = webauthn.RelyingParty(context=ctx)
    assert len(rp.challenge()) == 43
    assert ctx._core.live == 2		# the one that is put aside, and ctx
    assert len(rp.challenge()) == 43
    assert ctx._core.live == 1


def test_two_threads_at_once_are_told():
    entered, go = threading.Event(), threading.Event()

    def random(n):
        entered.set()
        assert go.wait(10)
        return bytes(n)

    rp = relying_party(random)
    out = []
    t = threading.Thread(target=lambda: out.append(rp.challenge()))
    t.start()
    assert entered.wait(10)
    with pytest.raises(errors.WrongState):
        rp.challenge()
    go.set()
    t.join(10)
    assert len(out) == 1
    assert len(rp.challenge()) == 43


def test_contexts_of_many_threads_share_nothing():
    bad = []

    def work():
        try:
            for _ in range(200):
                d = native.Decoder(max=100)
                assert d.feed(b"\3\0\0\0abc" * 3) == [b"abc"] * 3
                d.close()
        except BaseException as e:		# shown by the assert below
            bad.append(e)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert bad == []


def child(code):
    """Runs it in a process of its own, whose memory is watched."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path),
               PYTHONMALLOC="debug")
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], env=env,
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_what_is_open_at_the_end_of_the_program_is_no_crash():
    code = ("import genkan; from genkan import native\n"
            "ctx = genkan.Context(log=print)\n"
            "d = native.Decoder(context=ctx); d.ring = d; ctx.d = d\n")
    assert child(code) == (0, "", "")


def test_a_server_answers_its_client_and_logs(world):
    lines = []
    ctx = genkan.Context(log=lambda *a: lines.append(a), log_level=3)
    with machines.Server(ctx) as server:
        leg = server.stdio()
        assert server.stdio() is None
        ask = (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'
               b'"protocolVersion":"2025-11-25","capabilities":{},'
               b'"clientInfo":{"name":"t","version":"1"}}}\n')
        assert leg.feed(ask) == len(ask)
        assert leg.wants & machines.WANT_WRITE
        out = leg.output()
        assert b'"protocolVersion":"2025-11-25"' in out
        leg.wrote(len(out))
        assert leg.output() == b""
        event = server.next()
        assert event.kind == "job"
        event.job.run()
        event.job.done()
        with pytest.raises(errors.Closed):
            event.job.done()
        server.stop()
        kinds = []
        while True:
            event = server.next()
            if event is None or event.kind == "exit":
                break
            kinds.append(event.kind)
            if event.job is not None:
                event.job.run()
                event.job.done()
            if event.fd >= 0:
                os.close(event.fd)
        assert event.kind == "exit" and event.status == 0
        leg.close()
    assert lines and all(len(a) == 4 and isinstance(a[3], str) for a in lines)


def test_a_host_takes_its_arguments(world):
    with machines.Host(["--label", "work"]) as host:
        assert host.stdio() is not None
        assert isinstance(host.state, str)
    with pytest.raises(errors.InvalidArgument) as e:
        machines.Host(["--label", "not a label!"])
    assert e.value.detail
    with pytest.raises(TypeError):
        machines.Host([1])


def a_job(context=None):
    """A machine, and a job of it that was not run."""
    machine = _client.ClientMachine("/nonexistent", context)
    machine.tick()
    machine.attach()
    return machine, machine.next().job


@pytest.fixture
def slow(monkeypatch):
    """Jobs that take until they are let go on."""
    class Slow:
        entered, go = threading.Event(), threading.Event()
        real = staticmethod(_genkan.genkan_job_run)

        def __call__(self, ptr):
            self.entered.set()
            assert self.go.wait(10)
            self.real(ptr)

    run = Slow()
    monkeypatch.setattr(_genkan, "genkan_job_run", run)
    yield run
    run.go.set()


def test_a_job_that_its_own_log_closes_is_freed_once(world):
    code = ("import genkan\n"
            "from genkan import _client\n"
            "box = []\n"
            "ctx = genkan.Context(log=lambda *a: [j.close() for j in box],\n"
            "                     log_level=3)\n"
            "m = _client.ClientMachine('/nonexistent', ctx)\n"
            "m.tick()\n"
            "m.attach()\n"
            "box.append(m.next().job)\n"
            "box[0].done()\n"
            "assert box[0].closed and ctx._core.live == 2, ctx._core.live\n"
            "assert ctx._core._dead == []\n"
            "m.tick()\n"
            "m.close()\n"
            "ctx.close()\n"
            "print('well')\n")
    assert child(code) == (0, "well\n", "")


def test_a_job_is_handed_back_once_its_context_is_free(world):
    said, box = [], []

    def log(*_):
        for job in box:
            with pytest.raises(errors.WrongState):
                job.done()
            said.append(job.closed)

    ctx = genkan.Context(log=log, log_level=3)
    (one, first), (two, second) = a_job(ctx), a_job(ctx)
    box.append(second)
    first.done()		# was not run, which is logged
    assert said and not any(said)
    box.clear()
    second.done()
    assert second.closed
    with pytest.raises(errors.Closed):
        second.done()
    one.close()
    two.close()
    assert ctx._core.live == 1


def test_a_job_that_runs_is_left_alone(world, slow):
    ctx = genkan.Context()
    machine, job = a_job(ctx)
    t = threading.Thread(target=job.run)
    t.start()
    assert slow.entered.wait(10)
    for what in (job.close, job.done, job.run):
        with pytest.raises(errors.WrongState, match="Job is in use"):
            what()
    job.__del__()
    assert not job.closed
    slow.go.set()
    t.join(10)
    job.run()			# once more is harmless
    job.done()
    with pytest.raises(errors.Closed):
        job.run()
    machine.close()
    assert ctx._core.live == 1


def test_a_job_that_runs_and_is_dropped_is_freed_by_its_runner(world, slow):
    ctx = genkan.Context()
    machine, job = a_job(ctx)
    t = threading.Thread(target=job.run)
    t.start()
    assert slow.entered.wait(10)
    del job
    gc.collect()
    assert ctx._core.live == 3		# the context, the machine and the job
    slow.go.set()
    t.join(10)
    del t
    gc.collect()
    machine.close()
    assert ctx._core.live == 1


def public_key():
    """Of the ceremony that test_webauthn has: 04, X, Y."""
    data = test_webauthn.OBJECT
    x = data.index(bytes.fromhex("215820")) + 3
    y = data.index(bytes.fromhex("225820")) + 3
    return b"\4" + data[x:x + 32] + data[y:y + 32]


class Racing:
    """The lock of a core, with something that happens just before it."""

    def __init__(self, core, before):
        self.lock, self.before = core._busy, before
        core._busy = self

    def acquire(self, wait):
        before, self.before = self.before, None
        if before is not None:
            before()
        return self.lock.acquire(wait)

    def release(self):
        self.lock.release()


@pytest.mark.parametrize("use", [
    lambda d, cred, rp: d.feed(b"\2\0\0\0{}"), lambda d, cred, rp: d.eof(),
    lambda d, cred, rp: cred.id, lambda d, cred, rp: cred.counted(7),
    lambda d, cred, rp: rp.check("c", cred, b"", b"", b"")],
    ids=["feed", "eof", "id", "counted", "check"])
def test_a_handle_that_another_thread_closes_is_not_used(use):
    """In the moment between the question and the call."""
    ctx = genkan.Context()
    d = native.Decoder(context=ctx)
    cred = webauthn.Credential(bytes(32), public_key(), context=ctx)
    rp = webauthn.RelyingParty("a", "b", context=ctx)

    def close():
        t = threading.Thread(target=lambda: (d.close(), cred.close()))
        t.start()
        t.join(10)

    Racing(ctx._core, close)
    with pytest.raises(errors.Closed):
        use(d, cred, rp)
    assert ctx._core.live == 1


def ended(thread):
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("other", [False, True],
                         ids=["one context", "two contexts"])
def test_a_peer_that_another_thread_closes_lives_while_it_is_accepted(
        world, monkeypatch, other):
    """The C function runs without the GIL."""
    world.trust([("script", "ab" * 32)])
    ctx = genkan.Context()
    facts = peer.Peer.of("ab" * 32, same_user=True,
                         context=None if other else ctx)
    core, freed, real = facts._core, [], _genkan.genkan_broker_accept
    monkeypatch.setattr(peer.Peer, "_free", staticmethod(
        lambda ptr: (freed.append(ptr), _genkan.genkan_peer_free(ptr))))

    def accept(broker, ptr):
        ended(threading.Thread(target=facts.close))
        assert facts.closed and freed == [] and core.ptr is not None
        return real(broker, ptr)

    monkeypatch.setattr(_genkan, "genkan_broker_accept", accept)
    with machines.Broker("5e" * 16, context=ctx) as broker:
        with broker.accept(facts) as leg:
            assert leg.wants & machines.WANT_READ
        with pytest.raises(errors.Closed, match="this Peer is closed"):
            broker.accept(facts)
    del facts, core
    gc.collect()
    assert len(freed) == 1


def test_a_peer_whose_context_is_in_use_is_not_accepted(world):
    facts = peer.Peer.of("ab" * 32, same_user=True)
    with machines.Broker("5e" * 16) as broker:
        with facts._core, pytest.raises(errors.WrongState):
            broker.accept(facts)
        broker.accept(facts).close()
        with broker._core, pytest.raises(errors.WrongState):
            broker.accept(facts)
        assert facts.same_user		# its core was left again


@pytest.mark.parametrize("use", [
    lambda ctx: native.Decoder(context=ctx),
    lambda ctx: webauthn.RelyingParty(context=ctx).challenge(),
    lambda ctx: policy.fields() and policy.language(ctx),
    lambda ctx: ctx.last_error])
def test_a_context_that_another_thread_closes_is_not_used(use):
    ctx = genkan.Context()
    Racing(ctx._core, ctx.close)
    with pytest.raises(errors.Closed):
        use(ctx)


def test_a_context_that_is_closed_while_it_makes_something(monkeypatch):
    """The last name goes in the middle: what is made counts already."""
    ctx = genkan.Context()
    real = _genkan.genkan_native_new

    def made(*args):
        out = real(*args)
        ctx.close()
        return out

    monkeypatch.setattr(_genkan, "genkan_native_new", made)
    d = native.Decoder(context=ctx)
    core = d._core
    assert core.ptr is not None and core.live == 2	# one is put aside
    assert d.feed(b"\2\0\0\0{}") == [b"{}"] and core.live == 1
    d.close()
    assert core.ptr is None


def test_two_that_close_at_once_free_once():
    freed = []

    class Slowly(native.Decoder):
        _free = staticmethod(lambda ptr: (freed.append(ptr),
                                          native.Decoder._free(ptr)))

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for i in range(100):
            d = Slowly()
            gate = threading.Barrier(3)
            threads = [threading.Thread(
                target=lambda: (gate.wait(), d.close())) for _ in range(3)]
            for t in threads:
                t.start()
            for t in threads:
                t.join(10)
            assert len(freed) == i + 1 and d.closed
    finally:
        sys.setswitchinterval(switch)


def test_text_with_a_zero_is_not_cut(world):
    calls = [
        lambda: machine.call("page_eval\0x", {}, 1000),
        lambda: webauthn.statement_challenge("a\0b", "n"),
        lambda: webauthn.statement_challenge("a", "n\0"),
        lambda: webauthn.statement_challenge("a", "n", "\0"),
        lambda: webauthn.RelyingParty("id\0", "o").register("c", b"", b""),
        lambda: webauthn.RelyingParty("id", "o\0").register("c", b"", b""),
        lambda: webauthn.RelyingParty("id", "o").register("c\0", b"", b""),
        lambda: trust.revoke("x\0y"), lambda: trust.revoke_browser("x\0y"),
        lambda: trust.pair("x\0y", hash="ab" * 32),
        lambda: trust.pair("x", hash="ab" * 32 + "\0"),
        lambda: trust.pair("x", signer="s\0"),
        lambda: policy.set(cdpMode="on\0"),
        lambda: policy.restrict(disabledTools="tab_close\0,page_eval"),
        lambda: policy.rollback(1, "entry\0"),
        lambda: policy.set_language("en\0"),
        lambda: local.register(browsers=["chrome\0x"]),
        lambda: local.register(dir="/nonexistent\0x"),
        lambda: local.unregister(dir="/nonexistent\0x"),
        lambda: peer.Peer(0, "/nonexistent\0x"),
        lambda: machines.Server(client_name="a\0b"),
        lambda: machines.Host(["--label", "work\0x"]),
        lambda: _client.ClientMachine("/nonexistent\0x")]
    machine = _client.ClientMachine("/nonexistent")
    for call in calls:
        with pytest.raises(ValueError, match=r"U\+0000"):
            call()
    with pytest.raises(ValueError):		# no UTF-8
        trust.revoke("\ud800")
    for what in (7, b"x"):
        with pytest.raises(TypeError, match="expected str"):
            trust.revoke(what)
    assert machine.outstanding == 0
    assert not world.state.exists()


def test_an_error_does_not_tell_of_an_earlier_one():
    with genkan.Context() as ctx:
        with pytest.raises(errors.InvalidArgument, match="absolute path"):
            _client.ClientMachine("here", ctx)
        with pytest.raises(errors.EmptyFrame) as e:
            native.Decoder(context=ctx).feed(bytes(4))
        assert "absolute" not in str(e.value) and str(e.value) != ""
