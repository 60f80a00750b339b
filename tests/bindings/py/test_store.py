"""Records that a program keeps: what its functions may do, and what comes of
it where they do something else."""
import gc
import json
import os
import sys
import time
import weakref

import genkan
import pytest
from genkan import errors, machines, peer, store

SECRET, OWN = "5e" * 16, "ab" * 32


def trust(*hashes):
    return json.dumps({
        "version": 0, "epoch": 1, "killed": False, "kill_epoch": 0,
        "host_key_epoch": 0, "policy_epoch": 0, "lang_epoch": 0,
        "enrollments": [], "clients": [
            {"name": f"c{i}", "anchor": {"kind": "hash", "value": value},
             "added_unix": 0} for i, value in enumerate(hashes)]}).encode()


class Memory(store.Store):
    """Records in a dictionary."""

    def __init__(self, **records):
        self.records, self.asked, self.lines = records, [], []

    def load(self, record):
        self.asked.append(record)
        return self.records.get(record)

    def audit(self, line):
        self.lines.append(json.loads(line))


class Counted(Memory):
    number = 1

    def version(self, record):
        return self.number if record in self.records else None


def admitted(broker, hash=OWN):
    """May a program with this image attach?"""
    with broker.accept(peer.Peer.of(hash, same_user=True)) as leg:
        return leg.wants != machines.WANT_CLOSE


def test_a_broker_over_records_of_ones_own(world):
    own = Memory(trust=trust(OWN))
    with machines.Broker(SECRET, store=own) as broker:
        assert admitted(broker) and not admitted(broker, "cd" * 32)
        own.records["trust"] = trust("cd" * 32)
        assert admitted(broker, "cd" * 32) and not admitted(broker)
        del own.records["trust"]
        assert not admitted(broker)
    assert set(own.asked) <= {"trust", "policy"} and "trust" in own.asked
    assert "attach_refuse" in {line["kind"] for line in own.lines}
    assert abs(own.lines[-1]["ts_ms"] / 1000 - time.time()) < 600
    assert not world.state.exists()


def test_a_server_over_records_of_ones_own(world):
    own = Memory(trust=trust(OWN))
    with machines.Server(store=own) as server:
        server.tick()
        assert server.next().kind == "job"
    assert "trust" in own.asked


@pytest.mark.parametrize("data", [bytearray, memoryview, bytes])
def test_a_version_saves_the_loading(world, data):
    own = Counted(trust=data(trust(OWN)))
    with machines.Broker(SECRET, store=own) as broker:
        assert admitted(broker)
        before = own.asked.count("trust")
        assert admitted(broker) and own.asked.count("trust") == before
        own.records["trust"] = data(trust("cd" * 32))
        assert admitted(broker)		# the number still says that it is so
        own.number = (1 << 64) - 1
        assert not admitted(broker) and admitted(broker, "cd" * 32)
        assert own.asked.count("trust") > before


def failing(name, does):
    """A store one function of which does this once it .fails."""
    good = getattr(Counted, name)

    def function(self, *args):
        return does(self) if self.fails else good(self, *args)

    return type("Failing", (Counted,), {name: function, "fails": False})(
        trust=trust(OWN))


def boom(_):
    raise KeyError("boom")


def interrupted(_):
    raise KeyboardInterrupt


WRONG = [("load", boom, KeyError), ("load", lambda s: "text", TypeError),
         ("load", lambda s: 7, TypeError),
         ("load", interrupted, KeyboardInterrupt),
         ("version", boom, KeyError), ("version", lambda s: "1", TypeError),
         ("version", lambda s: True, TypeError),
         ("version", lambda s: -1, ValueError),
         ("version", lambda s: 1 << 64, ValueError)]


@pytest.mark.parametrize("verb", ["next", "tick"])
@pytest.mark.parametrize("name, does, kind", WRONG)
def test_what_goes_wrong_admits_nobody_and_is_raised_afterwards(
        world, name, does, kind, verb):
    own = failing(name, does)
    with machines.Broker(SECRET, store=own) as broker:
        assert admitted(broker)
        own.fails = True
        own.number = 2
        assert not admitted(broker)
        with pytest.raises(kind):
            getattr(broker, verb)()
        own.fails = False
        own.number = 3
        if verb == "tick":
            assert broker.next() is None	# raised once
        assert admitted(broker)


@pytest.mark.parametrize("name", ["audit", "unix_ms"])
@pytest.mark.parametrize("does, kind", [
    (boom, KeyError), (interrupted, KeyboardInterrupt)])
def test_a_trail_that_fails_is_raised_too(world, name, does, kind):
    own = type("Failing", (Counted,), {
        name: lambda self, *args: does(self)})(trust=trust(OWN))
    with machines.Broker(SECRET, store=own) as broker:
        assert not admitted(broker, "cd" * 32)	# which is written down
        with pytest.raises(kind):
            broker.next()
        assert admitted(broker)


def test_a_time_of_another_type_is_the_systems(world):
    own = type("Failing", (Counted,), {
        "unix_ms": lambda self: 1.5})(trust=trust(OWN))
    with machines.Broker(SECRET, store=own) as broker:
        assert not admitted(broker, "cd" * 32)
        with pytest.raises(TypeError, match="unix_ms"):
            broker.next()
    assert abs(own.lines[-1]["ts_ms"] / 1000 - time.time()) < 600


def test_a_store_may_not_use_its_context(world):
    class Again(Counted):
        def load(self, record):
            for use in (lambda: self.broker.clients, self.broker.next,
                        self.broker.tick, lambda: self.context.last_error,
                        lambda: admitted(self.broker)):
                with pytest.raises(errors.WrongState):
                    use()
            self.broker.tick()

    own = Again(trust=trust(OWN))
    own.context = genkan.Context()
    own.broker = machines.Broker(SECRET, context=own.context, store=own)
    assert not admitted(own.broker)
    with pytest.raises(errors.WrongState):
        own.broker.next()
    own.broker.close()


def test_a_store_that_closes_its_broker_is_freed_later(world):
    class Closing(Memory):
        def load(self, record):
            self.broker.close()
            return super().load(record)

    own = Closing(trust=trust(OWN))
    ctx = genkan.Context()
    own.broker = broker = machines.Broker(SECRET, context=ctx, store=own)
    with broker.accept(peer.Peer.of(OWN, same_user=True)) as leg:
        assert broker.closed and leg.wants == machines.WANT_CLOSE
        with pytest.raises(errors.Closed):
            broker.next()
    ctx.set_time()
    assert ctx._core.live == 1


def test_what_nobody_asked_for_is_unraisable(world, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook",
                        lambda u: said.append((u.exc_type, u.object)))
    own = failing("load", boom)
    broker = machines.Broker(SECRET, store=own)
    own.fails, own.number = True, 2
    assert not admitted(broker)
    broker.close()
    assert said == [(KeyError, broker)]


def test_a_store_is_let_go_with_its_machine(world):
    for close in (True, False):
        own = Memory(trust=trust(OWN))
        gone = weakref.ref(own)
        broker = machines.Broker(SECRET, store=own)
        assert admitted(broker)
        del own
        gc.collect()
        assert gone() is not None
        if close:
            broker.close()
        del broker
        gc.collect()
        assert gone() is None


def test_a_machine_that_could_not_be_made_lets_go_of_its_store(world):
    own = Memory()
    gone = weakref.ref(own)
    with pytest.raises(errors.InvalidArgument):
        machines.Broker("no secret", store=own)
    del own
    gc.collect()
    assert gone() is None
    for wrong in (object(), {}, Memory):
        with pytest.raises(TypeError, match="Store"):
            machines.Broker(SECRET, store=wrong)
    with machines.Broker(SECRET, store=store.Store()) as broker:
        assert not admitted(broker)
        with pytest.raises(NotImplementedError):
            broker.next()
    assert os.listdir(world.home) == []
