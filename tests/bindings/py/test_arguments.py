"""An argument that is none is refused by name, and nothing has happened."""
import array
import asyncio
import gc
import os
import socket

import chain
import genkan
import pytest
from genkan import (aio, errors, local, machines, native, peer, policy, trust,
                    webauthn)
from genkan._client import ClientMachine, arguments, milliseconds, seconds
from test_context import public_key

NAN, INF, HUGE = float("nan"), float("inf"), 1 << 70
SECRET, OWN = "5e" * 16, "ab" * 32

# What is given in the place of a value of each kind.  None is left out where
# it stands for "none given".
TEXT = [5, b"x", 1.5, [], object()]
NAME = TEXT + ["a\0b", "\ud800"]
BYTES = ["text", 5, None, ["x"], object()]
FUNCTION = ["text", 5, [], object()]
FLOAT = ["5", [], NAN, INF, HUGE, True, object()]
NOT_INT = ["5", b"5", 1.5, NAN, INF, [], None, object()]
INT = NOT_INT + [HUGE, -HUGE]
COUNT = INT + [-1]
WORD = COUNT + [1 << 32]
CONTEXT = ["text", 5, b"", [], object(), native.Decoder()]


def credential():
    return webauthn.Credential(bytes(32), public_key())


def machine():
    return ClientMachine("/nonexistent")


def leg():
    return machines.Broker(SECRET).accept(peer.Peer.of(OWN, same_user=True))


def party():
    return webauthn.RelyingParty()


# What is called, the argument that is wrong, and its wrong values.
TABLE = [
    (lambda v: genkan.Context(log=v), "log", FUNCTION),
    (lambda v: genkan.Context(random=v), "random", FUNCTION),
    (lambda v: genkan.Context(log_level=v), "log_level", WORD[:-2]),
    (lambda v: genkan.Context(program_dir=v), "program_dir", NAME),
    (lambda v: genkan.Context().set_time(v), "now_ms",
     [v for v in INT if v is not None]),
    (lambda v: native.header(v), "length", COUNT),
    (lambda v: native.header(5, v), "max", WORD),
    (lambda v: native.encode(v), "data", BYTES),
    (lambda v: native.encode(b"{}", v), "max", WORD),
    (lambda v: native.Decoder(v), "max", WORD),
    (lambda v: native.Decoder(context=v), "context", CONTEXT),
    (lambda v: native.Decoder().feed(v), "data", BYTES),
    (lambda v: native.NativeHost(v, v), "source", [5, "x", object()]),
    (lambda v: native.NativeHost(open(os.devnull, "rb"), v), "sink",
     [5, "x", object()]),
    (lambda v: peer.Peer(v, "/nonexistent"), "sock", ["x", None, object()]),
    (lambda v: peer.Peer(v, "/nonexistent"), "fd", [HUGE, 1 << 31]),
    (lambda v: peer.Peer(0, v), "dir", NAME),
    (lambda v: peer.Peer.of(OWN, same_user=v), "same_user", [1, "yes", None]),
    (lambda v: peer.Peer.of(OWN, same_user=True, roles=v), "roles", INT),
    (lambda v: peer.Peer.of(OWN, same_user=True, pid=v), "pid", INT),
    (lambda v: peer.Peer.of(v, same_user=True), "hash", NAME),
    (lambda v: peer.Peer.of(OWN, same_user=True, path=v), "path", NAME),
    (lambda v: machines.Broker(v), "secret", NAME),
    (lambda v: machines.Broker(SECRET, store=v), "store", FUNCTION),
    (lambda v: machines.Broker(SECRET, context=v), "context", CONTEXT),
    (lambda v: machines.Broker(SECRET).accept(v), "peer",
     [None, 5, "x", native.Decoder()]),
    (lambda v: machines.Server(client_name=v), "client_name", NAME),
    (lambda v: machines.Host(v), "argv", ["--label", 5, None, [5], ["a\0"]]),
    (lambda v: leg().feed(v), "data", BYTES),
    (lambda v: leg().output(v), "most", COUNT),
    (lambda v: leg().gather(v), "most", COUNT),
    (lambda v: leg().wrote(v), "n", COUNT),
    (lambda v: leg().tick(v), "now_ms", [v for v in INT if v is not None]),
    (lambda v: machine().tick(v), "now_ms", [v for v in INT if v is not None]),
    (lambda v: ClientMachine(v), "program_dir", NAME),
    (lambda v: machine().join(v), "secret", NAME),
    (lambda v: machine().call(v, {}, 0), "tool", NAME),
    (lambda v: machine().call("t", v, 0), "args",
     [None, 5, "x", [], {"n": NAN}, {"s": {1}}, {"s": "\ud800"}]),
    (lambda v: machine().call("t", {}, v), "timeout_ms", INT),
    (lambda v: machine().cancel(v), "id", COUNT),
    (lambda v: arguments(v, {}), "args", [5, "x", [("a", 1)]]),
    (milliseconds, "timeout", FLOAT),
    (seconds, "timeout", FLOAT),
    (lambda v: trust.audit(limit=v), "limit", COUNT),
    (lambda v: trust.pair(v, hash=OWN), "name", NAME),
    (lambda v: trust.pair("x", hash=v), "hash", NAME),
    (lambda v: trust.pair("x", signer=v), "signer", NAME),
    (lambda v: trust.revoke(v), "name", NAME),
    (lambda v: trust.revoke("x", v), "context", CONTEXT),
    (lambda v: trust.revoke_browser(v), "label", NAME),
    (lambda v: policy.set(cdpMode=v), "cdpMode", NAME),
    (lambda v: policy.restrict(cdpMode=v), "cdpMode", NAME),
    (lambda v: policy.rollback(v), "revision", COUNT),
    (lambda v: policy.rollback(1, v), "entry", NAME),
    (lambda v: policy.set_language(v), "value", NAME),
    (lambda v: local.register(browsers=v), "browsers",
     ["chrome", 5, [5], {"chrome": 1}, ["a\0"]]),
    (lambda v: local.register(dir=v), "dir", NAME),
    (lambda v: local.register(program_dir=v), "program_dir", NAME),
    (lambda v: local.unregister(dir=v), "dir", NAME),
    (lambda v: webauthn.Credential(v, public_key()), "id", BYTES),
    (lambda v: webauthn.Credential(bytes(32), v), "public_key", BYTES),
    (lambda v: webauthn.Credential(bytes(32), public_key(), v), "sign_count",
     WORD),
    (lambda v: credential().counted(v), "sign_count", WORD),
    (lambda v: webauthn.RelyingParty(context=v), "context", CONTEXT),
    (lambda v: webauthn.RelyingParty(v).register("c", b"", b""), "id", NAME),
    (lambda v: webauthn.RelyingParty("i", v).register("c", b"", b""),
     "origin", NAME),
    (lambda v: party().register(v, b"", b""), "challenge", NAME),
    (lambda v: party().register("c", v, b""), "attestation_object", BYTES),
    (lambda v: party().register("c", b"", v), "client_data", BYTES),
    (lambda v: party().check(v, credential(), b"", b"", b""), "challenge",
     NAME),
    (lambda v: party().check("c", v, b"", b"", b""), "credential",
     [None, 5, "x", native.Decoder()]),
    (lambda v: party().check("c", credential(), v, b"", b""),
     "authenticator_data", BYTES),
    (lambda v: party().check("c", credential(), b"", v, b""), "client_data",
     BYTES),
    (lambda v: party().check("c", credential(), b"", b"", v), "signature",
     BYTES),
    (webauthn.parse_authenticator_data, "data", BYTES),
    (webauthn.parse_attestation_object, "data", BYTES),
    (lambda v: webauthn.statement_challenge(v, "n"), "action", NAME),
    (lambda v: webauthn.statement_challenge("a", v), "nonce", NAME),
    (lambda v: webauthn.statement_challenge("a", "n", v), "label", NAME),
]


@pytest.mark.parametrize("call, name, values", TABLE, ids=[
    f"{i}-{name}" for i, (_, name, _) in enumerate(TABLE)])
def test_a_wrong_argument_is_named(world, call, name, values):
    for value in values:
        with pytest.raises((TypeError, errors.InvalidArgument)) as e:
            call(value)
        assert str(e.value).startswith(name + ": "), (value, str(e.value))
    for record in ("trust.json", "policy.json"):
        assert not (world.state / record).exists()


def test_what_looks_like_an_integer_is_one():
    class One:
        def __index__(self):
            return 1

    assert native.header(One()) == native.header(True) == native.header(1)
    with pytest.raises(ZeroDivisionError):
        native.header(type("Bad", (), {"__index__": lambda s: 1 // 0})())


def test_the_last_numbers_of_a_range_are_taken():
    credential().counted((1 << 32) - 1)
    native.Decoder(1), native.Decoder(native.IN_MAX)
    leg().wrote((1 << 64) - 1)
    assert leg().gather((1 << 64) - 1) == b""
    assert machine().cancel((1 << 64) - 1) is False


def test_bytes_that_are_not_octets_are_taken_as_their_octets():
    wire = array.array("H", b"\4\0\0\0{12}\4\0\0\0{34}")
    assert native.Decoder().feed(wire) == [b"{12}", b"{34}"]


def test_a_timeout_that_has_passed_is_none_that_is_wrong():
    assert (milliseconds(None), milliseconds(0), milliseconds(-5),
            milliseconds(1.5)) == (0, 1, 1, 1500)
    assert seconds(-1) == -1


def test_an_attempt_that_is_refused_leaves_nothing_behind(descriptors):
    before = descriptors()
    for _ in range(300):
        for call, value in ((native.Decoder, -1), (genkan.Context, 5),
                            (lambda v: trust.audit(limit=v), "x")):
            with pytest.raises((TypeError, ValueError)):
                call(value)
    gc.collect()
    assert descriptors() == before


def test_a_client_checks_before_it_asks_anybody(world):
    seen = []
    chain.broker(world, ops={"tab_list": lambda a, f: seen.append(a) or []})
    wrong = [(("tab_list", 5), {}), ((5,), {}), (("tab_list",), {"timeout": NAN}),
             (("tab_list",), {"timeout": "5"}),
             (("tab_list", {"x": NAN}), {})]
    with genkan.Client(program_dir=chain.installed()) as c:
        for args, kw in wrong:
            with pytest.raises((TypeError, errors.InvalidArgument), match=": "):
                c.call(*args, **kw)
        with pytest.raises(TypeError, match="on_progress: "):
            c.submit("tab_list", on_progress=5)
        for bad in ("5", NAN, INF):
            with pytest.raises((TypeError, errors.InvalidArgument),
                               match="timeout: "):
                c.poll(bad)
        call = c.submit("tab_list")
        with pytest.raises((TypeError, errors.InvalidArgument),
                           match="timeout: "):
            call.result("5")
        assert call.value(1e9) == [] and c.outstanding == 0

    async def main():
        async with aio.Client(program_dir=chain.installed()) as c:
            for args, kw in wrong:
                with pytest.raises((TypeError, errors.InvalidArgument),
                                   match=": "):
                    await c.call(*args, **kw)
            with pytest.raises(TypeError, match="on_progress: "):
                await c.request("tab_list", on_progress=5)
            assert await c.call("tab_list") == [] and c.outstanding == 0

    asyncio.run(main())
    assert len(seen) == 2


def test_a_closed_socket_is_no_socket(world):
    a, b = socket.socketpair()
    a.close()
    b.close()
    with pytest.raises(errors.GenkanError):
        peer.Peer(a, "/nonexistent")
