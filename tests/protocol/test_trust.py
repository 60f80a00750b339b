"""Who may come in: the trust record at every door, embedders over the socket
itself, and files that somebody else has touched."""
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import socket
import threading
import time

import harness
from harness import check, equal, until

TABS = {"tab_list": lambda a, f: [f["browser"]]}
ME = hashlib.sha256(pathlib.Path("/proc/self/exe").read_bytes()).hexdigest()
OTHER = "ab" * 32


def broker(w, s=None):
    s = s or w.server()
    if s.next_id == 1:
        s.initialize()
    s.wait_log("-> broker")
    until(lambda: (w.lock() or {}).get("pid") == s.pid, what="its lock")
    return s


class Peer:
    """A program at the bridge socket: this very Python."""

    def __init__(self, w):
        self.secret = w.lock()["secret"]
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(5 * harness.SLOW)
        self.s.connect(str(w.sock))
        self.buf = b""

    def line(self):
        while b"\n" not in self.buf:
            try:
                data = self.s.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.buf += data
        line, _, self.buf = self.buf.partition(b"\n")
        return json.loads(line)

    def send(self, obj):
        data = obj if isinstance(obj, bytes) else json.dumps(obj).encode()
        try:
            self.s.sendall(data + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass

    def mac(self, nonce, label=None):
        message = nonce.encode() + (b"" if label is None
                                    else b"\0" + label.encode())
        return hmac.new(self.secret.encode(), message, "sha256").hexdigest()

    def shake(self, label=None):
        hello = self.line()
        if hello is not None:		# not turned away at the door
            self.send({"type": "response",
                       "mac": self.mac(hello["nonce"], label),
                       **({"label": label} if label else {})})
        return self

    def attach(self, **more):
        self.shake()
        self.send({"attach": "client", **more})
        return self.line()

    def close(self):
        self.s.close()


# ------------------------------------------------------------ the own door

def test_a_fresh_machine_admits_and_says_so(w):
    s = broker(w)
    check("[ERROR]" in s.log() and ME in s.log() and
          "pair-client" in s.log(), s.log())
    equal(s.tool("list_browsers", modern=False)["isError"], False)
    check(not (w.state / "trust.json").exists(), "nothing was written")


def test_a_listed_harness_is_admitted_without_a_word(w):
    w.trust([("py", ME)])
    s = broker(w)
    check("[ERROR]" not in s.log(), s.log())
    equal(s.tool("list_browsers", modern=False)["isError"], False)


def test_a_stranger_gets_no_lock_no_socket_and_no_byte(w):
    for clients in ([], [("other", OTHER)]):
        w.trust(clients)
        s = w.server(env={"GENKAN_CLIENT_NAME": "other"})
        equal(s.wait(), 1, clients)
        equal(s.p.stdout.read(), b"")
        check(ME in s.log() and "pair-client" in s.log(), s.log())
        check(w.lock() is None and not w.sock.exists(), "it left something")


def test_revoking_ends_the_server_at_its_next_line(w):
    w.trust([("py", ME)])
    s = broker(w)
    s.tool("list_browsers", modern=False)
    w.trust([("other", OTHER)], epoch=2)
    s.ask("ping")
    equal(s.line(), None, "no reply")
    equal(s.wait(), 1)


def test_a_record_that_vanishes_does_not_weaken_a_posture(w):
    w.trust([("py", ME)])
    s = broker(w)
    s.tool("list_browsers", modern=False)
    (w.state / "trust.json").unlink()
    s.ask("ping")
    equal(s.line(), None)
    equal(s.wait(), 1)


def test_a_list_that_appears_is_obeyed(w):
    s = broker(w)
    s.tool("list_browsers", modern=False)
    w.trust([("py", ME)])
    equal(s.request("ping")["result"], {})
    w.trust([])
    s.ask("ping")
    equal(s.line(), None)
    equal(s.wait(), 1)


BAD = {
    "not json": "{", "empty": "", "an array": "[]", "a string": '"x"',
    "newer": '{"version":1}', "mistyped version": '{"version":"0"}',
    "no version": "{}", "repeated": '{"version":0,"version":0}',
    "too large": '{"version":0,"x":"' + "x" * 262_144 + '"}',
    "bad utf-8": b'{"version":0,"x":"\xff"}',
}


def full(**over):
    return {"version": 0, "epoch": 1, "killed": False, "kill_epoch": 0,
            "host_key_epoch": 0, "policy_epoch": 0, "lang_epoch": 0,
            "clients": [], "enrollments": [], **over}


def entry(name, value, kind="hash"):
    return {"name": name, "anchor": {"kind": kind, "value": value},
            "added_unix": 0}


POISON = {
    "unknown member": full(x=1), "killed": full(killed=0),
    "clients missing": {k: v for k, v in full().items() if k != "clients"},
    "short hash": full(clients=[entry("a", "ab")]),
    "upper case": full(clients=[entry("a", "AB" * 32)]),
    "two of a name": full(clients=[entry("a", OTHER), entry("a", ME)]),
    "two of an anchor": full(clients=[entry("a", OTHER), entry("b", OTHER)]),
    "odd name": full(clients=[entry("-a", OTHER)]),
    "odd kind": full(clients=[entry("a", OTHER, "name")]),
    "negative": full(epoch=-1), "real": full(epoch=1.0),
}


def test_an_unreadable_record_serves_no_tool_and_drops_nobody(w):
    for name, bad in {**BAD, **POISON}.items():
        w.state.mkdir(0o700, parents=True, exist_ok=True)
        path = w.state / "trust.json"
        path.write_bytes(bad if isinstance(bad, bytes) else (
            bad if isinstance(bad, str) else json.dumps(bad)).encode())
        path.chmod(0o600)
        before = path.read_bytes()
        s = w.server()
        s.initialize()
        equal(len(s.request("tools/list")["result"]["tools"]), 26, name)
        result = s.tool("list_browsers", modern=False)
        equal(harness.code_of(result), "BRIDGE_KILLED", name)
        words = result["content"][0]["text"]
        check("trust.json" in words and "genkan doctor" in words, words)
        check(w.lock() is None, f"{name}: it ran for election")
        equal(path.read_bytes(), before, "never rebuilt")
        s.close_stdin()
        equal(s.wait(), 0)


test_an_unreadable_record_serves_no_tool_and_drops_nobody.timeout = 120


def test_games_with_the_file_itself(w):
    w.state.mkdir(0o700, parents=True)
    good = w.dir / "good.json"
    good.write_text(json.dumps(full(clients=None)))
    path = w.state / "trust.json"
    for make in (lambda: path.symlink_to(good), lambda: path.mkdir(),
                 lambda: os.mkfifo(path)):
        make()
        s = w.server()
        s.initialize()
        equal(s.tool_code("list_browsers", modern=False), "BRIDGE_KILLED")
        s.close_stdin()
        equal(s.wait(), 0)
        path.rmdir() if path.is_dir() and not path.is_symlink() \
            else path.unlink()


def test_damage_and_repair_in_mid_session(w):
    w.trust([("py", ME)])
    s = broker(w)
    relay = w.server()
    relay.initialize()
    relay.wait_log("attached")
    h = w.host("a", ops=TABS).attached()
    equal(json.loads(relay.tool_text("tab_list", modern=False)), ["a"])
    w.record("trust.json", "{")
    equal(s.tool_code("tab_list", modern=False), "BRIDGE_KILLED")
    h.wait_end(3)
    until(lambda: relay.tool_code("tab_list", modern=False) ==
          "BRIDGE_KILLED", 5, what="the relay says the same")
    equal(relay.p.poll(), None, "no client vanishes without a word")
    w.trust([("py", ME)], epoch=3)
    h = w.host("a", ops=TABS)
    until(lambda: h.p.poll() is None and "handshake complete" in h.log(),
          8, what="the browser is back")
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    equal(json.loads(relay.tool_text("tab_list", modern=False)), ["a"])


def test_the_kill_latch_stops_calls_browsers_and_new_ones(w):
    w.trust([("py", ME)])
    s = broker(w)
    h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()
    id = s.ask_tool("tab_list", modern=False)
    h.request("tab_list")
    began = time.monotonic()
    w.trust([("py", ME)], killed=True, kill=2, epoch=2)
    equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST")
    check(time.monotonic() - began < 1.5 * harness.SLOW, "late")
    equal(h.push("kill_status_result")["killed"], True)
    h.wait_end()
    equal(s.tool_code("tab_list", modern=False), "BRIDGE_KILLED")
    equal(s.tool_code("list_browsers", modern=False), "BRIDGE_KILLED")
    again = w.host("a")
    equal(again.push("kill_status_result"),
          {"type": "kill_status_result", "ok": True, "killed": True})
    check("handshake complete" not in again.log(), "it went to the broker")
    w.trust([("py", ME)], kill=3, epoch=3)
    equal(again.push("kill_status_result")["killed"], False)
    equal(again.wait(5), 0)
    w.host("a", ops=TABS)
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])


def test_a_policy_record_that_cannot_be_read_serves_no_tool(w):
    s = broker(w)
    w.host("a", ops=TABS).attached()
    w.record("policy.json", "{")
    result = s.tool("tab_list", modern=False)
    equal(harness.code_of(result), "TOOL_DISABLED")
    check("policy" in result["content"][0]["text"], result)
    w.record("policy.json", {"version": 0,
                             "overlay": {"disabledTools": ["tab_list"]}})
    equal(s.tool_code("tab_list", modern=False), "TOOL_DISABLED")
    (w.state / "policy.json").unlink()
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])


# ------------------------------------------------------------- the socket

def test_a_foreign_program_sees_no_byte(w):
    broker(w)
    for prepare in (None, [], [("other", OTHER)]):
        if prepare is not None:
            w.trust(prepare)
        p = Peer.__new__(Peer)
        p.s = socket.socket(socket.AF_UNIX)
        p.s.settimeout(5 * harness.SLOW)
        p.s.connect(str(w.sock))
        equal(p.s.recv(1), b"", prepare)
        p.close()


def test_an_embedder_on_the_list_is_served(w):
    w.trust([("py", ME)])
    broker(w)
    w.host("a", ops=TABS).attached()
    p = Peer(w)
    equal(p.attach(), {"attach_reply": "accepted"})
    p.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "e", "version": "1"}}})
    equal(p.line()["result"]["protocolVersion"], "2025-11-25")
    p.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "tab_list"}})
    equal(json.loads(p.line()["result"]["content"][0]["text"]), ["a"])
    w.trust([("other", OTHER)], epoch=2)
    equal(p.line(), None, "dropped by the sweep")


def test_wrong_answers_to_the_challenge(w):
    w.trust([("py", ME)])
    s = broker(w)

    def replies(make):
        p = Peer(w)
        nonce = p.line()["nonce"]
        p.send(make(p, nonce))
        p.send({"attach": "client"})
        got = p.line()
        p.close()
        return got

    fine = lambda p, n: {"type": "response", "mac": p.mac(n)}
    equal(replies(fine), {"attach_reply": "accepted"})
    equal(replies(lambda p, n: {"type": "response",
                                "mac": p.mac(n).upper()}),
          {"attach_reply": "accepted"})
    bad = [
        lambda p, n: {"type": "response", "mac": "0" * 64},
        lambda p, n: {"type": "response", "mac": p.mac(n)[:-2]},
        lambda p, n: {"type": "response", "mac": p.mac(n)[:-1]},
        lambda p, n: {"type": "response", "mac": p.mac(n) + "00"},
        lambda p, n: {"type": "response", "mac": "zz" * 32},
        lambda p, n: {"type": "response", "mac": ""},
        lambda p, n: {"type": "response"},
        lambda p, n: {"type": "response", "mac": p.mac(n), "x": 1},
        lambda p, n: {"type": "response", "mac": 7},
        lambda p, n: {"type": "challenge", "nonce": n},
        lambda p, n: {"type": "response", "mac": p.mac(n, "a")},
        lambda p, n: {"type": "response", "mac": p.mac(n), "label": "a"},
        lambda p, n: {"type": "response", "mac": p.mac(n, "-a"),
                      "label": "-a"},
        lambda p, n: {"type": "response", "mac": p.mac(n, "a" * 33),
                      "label": "a" * 33},
        lambda p, n: {"type": "response", "mac": p.mac("00" * 16)},
        lambda p, n: [], lambda p, n: b"nonsense", lambda p, n: b"",
        lambda p, n: b'{"type":"response","mac":"' + b"a" * 70_000 + b'"}',
        lambda p, n: {"attach": "client"},
    ]
    for i, make in enumerate(bad):
        equal(replies(make), None, i)
    equal(s.request("ping")["result"], {})


def test_a_nonce_is_fresh_and_an_answer_cannot_be_replayed(w):
    w.trust([("py", ME)])
    broker(w)
    one = Peer(w)
    nonce = one.line()["nonce"]
    answer = {"type": "response", "mac": one.mac(nonce)}
    two = Peer(w)
    other = two.line()["nonce"]
    check(nonce != other and len(nonce) == 32, (nonce, other))
    two.send(answer)
    two.send({"attach": "client"})
    equal(two.line(), None)


def test_roles_that_an_image_may_not_have(w):
    w.trust([("py", ME)])
    broker(w)
    p = Peer(w).shake()
    p.send({"attach": "browser"})
    equal(p.line()["attach_reply"], "refused", "an embedder is no browser")
    p = Peer(w)
    equal(p.attach(harness={"hash": ME})["attach_reply"], "refused",
          "nor may it vouch for a harness")
    p = Peer(w).shake("a")
    p.send({"attach": "client"})
    equal(p.line(), None, "a client has no label")
    for frame in ({"attach": "both"}, {"attach": "client", "x": 1}, {},
                  {"attach": "client", "harness": {}}, b"x", b"[]"):
        p = Peer(w).shake()
        p.send(frame)
        got = p.line()
        check(got is None or got["attach_reply"] == "refused", (frame, got))


def test_silence_and_slow_drip_hold_nobody_up(w):
    w.trust([("py", ME)])
    s = broker(w)
    silent = [Peer(w) for _ in range(31)]
    for p in silent:
        p.s.settimeout(20 * harness.SLOW)
    began = time.monotonic()
    h = w.host("a", ops=TABS).attached(10)
    check(time.monotonic() - began < 3 * harness.SLOW, "it was held up")
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    for p in silent:
        p.line()
    for p in silent[:3]:
        p.s.sendall(b'{"type":')
    began = time.monotonic()
    for p in silent:
        equal(p.line(), None, "ended after 10 s")
    check(time.monotonic() - began < 14 * harness.SLOW, "late")
    equal(h.p.poll(), None)


def test_more_than_32_at_the_door_are_turned_away(w):
    w.trust([("py", ME)])
    s = broker(w)
    waiting = [Peer(w) for _ in range(60)]

    def first(p):
        """The first byte of the challenge, none at the end, None so far."""
        with contextlib.suppress(BlockingIOError):
            return p.s.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)

    until(lambda: all(first(p) is not None for p in waiting), 10,
          what="a word to each of them")
    got = [first(p) for p in waiting]
    check(got.count(b"{") <= 32 and got.count(b"") >= 20, got)
    for p in waiting:
        p.close()
    until(lambda: Peer(w).attach() == {"attach_reply": "accepted"},
          what="room again")
    equal(s.request("ping")["result"], {})


def test_sixty_four_clients_and_no_more(w):
    w.trust([("py", ME)])
    s = broker(w)
    peers = []
    for _ in range(63):		# the own harness is the first
        p = Peer(w)
        equal(p.attach(), {"attach_reply": "accepted"})
        peers.append(p)
    p = Peer(w)
    equal(p.attach()["attach_reply"], "unavailable")
    peers[0].close()
    until(lambda: Peer(w).attach()["attach_reply"] == "accepted",
          what="room again")
    equal(s.request("ping")["result"], {})


test_sixty_four_clients_and_no_more.timeout = 120


def test_lines_faster_than_the_rate_are_held_back_not_dropped(w):
    w.trust([("py", ME)])
    broker(w)
    p = Peer(w)
    p.attach()
    p.send({"jsonrpc": "2.0", "id": 0, "method": "ping"})
    p.line()
    n = 12_000
    ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
    began = time.monotonic()
    t = threading.Thread(target=lambda: p.s.sendall(
        b"".join(ping % i for i in range(1, n + 1))))
    t.start()
    p.s.settimeout(20 * harness.SLOW)
    for i in range(1, n + 1):
        equal(p.line()["id"], i)
    t.join()
    took = time.monotonic() - began
    check(took > (n - 8192) / 8192 * 0.8, took)


# ----------------------------------------------------- files and programs

def test_another_installation_is_not_ours(w):
    s = broker(w)
    other = w.copy_programs("other")
    with open(other / "genkan-host", "ab") as f:
        f.write(b"\n")
    h = w.host("a", bindir=other)
    equal(h.wait(), 1, "a changed host")
    check("server attestation failed" in h.log() or
          "peer executable identity mismatch" in s.log(), h.log())
    same = w.copy_programs("same")
    h = w.host("a", bindir=same, ops=TABS).attached()
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"],
          "byte-identical copies are the same code")


def test_wide_and_foreign_directories(w):
    w.runtime.mkdir(0o777)
    os.chmod(w.runtime, 0o777)
    s = broker(w)
    equal(w.runtime.stat().st_mode & 0o777, 0o700, "tightened")
    equal(w.sock.stat().st_mode & 0o777, 0o600)
    equal((w.runtime / "run.lock").stat().st_mode & 0o777, 0o600)
    s.close_stdin()
    s.wait()
    shutil.rmtree(w.runtime)
    elsewhere = w.dir / "elsewhere"
    elsewhere.mkdir(0o700)
    w.runtime.symlink_to(elsewhere)
    s = w.server()
    s.ask("ping")
    equal(s.wait(10), 1, "a link in place of the directory")
    equal(list(elsewhere.iterdir()), [])
    w.runtime.unlink()
    if os.geteuid() == 0:
        w.runtime.mkdir(0o700)
        os.chown(w.runtime, 12345, 12345)
        s = w.server()
        s.ask("ping")
        equal(s.wait(10), 1, "somebody else's directory")


def test_state_directories_that_differ_do_not_meet(w):
    broker(w)
    other = w.dir / "other-home"
    other.mkdir(0o700)
    h = w.host("a", env={"HOME": str(other)})
    equal(h.wait(), 1)
    check("state directory mismatch" in h.log() and str(other) in h.log() and
          str(w.home) in h.log(), h.log())
    s = w.server(env={"HOME": str(other)})
    s.initialize()
    equal(s.wait(10), 1)
    check("state directory mismatch" in s.log(), s.log())


def test_no_secret_in_any_log(w):
    s = broker(w)
    secret = w.lock()["secret"]
    h = w.host("a", ops={"page_fill": lambda a, f: {"filled": "x"}}).attached()
    s.tool("page_fill", modern=False, selector="#pw", value="hunter2-hunter2")
    for p in (s, h):
        check(secret not in p.log() and "hunter2" not in p.log(), p.log())


if __name__ == "__main__":
    harness.main(globals())
