"""What the extension may do about trust, through the real host."""
import base64
import fcntl
import hashlib
import os
import socket
import time

import cli
import harness
from cli import audit, run, trust
from harness import check, equal, until

OTHER = "ab" * 32
THIRD = "cd" * 32


def asks(h, frame, tag):
    h.send(frame)
    return h.push(tag)


def host(w):
    """In control-plane mode: no broker is there."""
    h = w.host("brave", hello=False)
    h.push("policy_current")
    return h


def request(h, frame):
    """The presence request that a frame leads to, checked by 7.1."""
    got = asks(h, frame, "presence_request")
    equal(got["allowed_credential_ids"], [])
    equal(len(base64.urlsafe_b64decode(got["nonce"] + "=")), 32)
    statement = b"\0".join(x.encode() for x in (
        "genkan-webauthn-presence-v1", "brave", got["action"], got["nonce"]))
    want = base64.urlsafe_b64encode(hashlib.sha256(statement).digest())
    equal(got["challenge"], want.decode().rstrip("="))
    return got


def test_clients_are_listed_and_revoked(w):
    w.trust([("a", OTHER), ("b", THIRD)])
    h = host(w)
    got = asks(h, {"type": "client_list"}, "client_list_result")
    equal([c["name"] for c in got["clients"]], ["a", "b"])
    equal(asks(h, {"type": "client_revoke", "name": "a"},
               "client_revoke_result"),
          {"type": "client_revoke_result", "ok": True})
    equal([c["name"] for c in trust(w)["clients"]], ["b"])
    equal(asks(h, {"type": "client_revoke", "name": "a"},
               "client_revoke_result")["ok"], False)
    rec = audit(w)
    equal([(r["kind"], r["surface"], r["outcome"], r["name"]) for r in rec],
          [("revoke_client", "extension", "ok", "a")])


def test_a_revoked_client_is_gone_in_mid_session(w):
    me = hashlib.sha256(open("/proc/self/exe", "rb").read()).hexdigest()
    w.trust([("py", me), ("b", THIRD)])
    s = w.server()
    s.initialize()
    s.wait_log("-> broker")
    relay = w.server()
    relay.initialize()
    relay.wait_log("attached")
    h = w.host("brave").attached()
    h.push("policy_current")
    equal(asks(h, {"type": "client_revoke", "name": "py"},
               "client_revoke_result")["ok"], True)
    s.ask("ping")
    equal(s.line(), None)
    equal(relay.line(), None, "severed within a second, asked or not")
    equal(relay.wait(), 1)


def test_the_lock_of_another_holds_up_the_answer_and_nothing_else(w):
    w.trust([("a", OTHER)])
    h = host(w)
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        h.send({"type": "client_revoke", "name": "a"})
        h.send({"type": "kill_status"})
        until(lambda: not h.unread(), what="reading both")
        time.sleep(0.3)
        equal(h.frames and [x["type"] for x in h.frames
                            if x["type"] != "lang_current"], [])
    equal(h.push("client_revoke_result")["ok"], True)
    equal(h.push("kill_status_result")["killed"], False)


def test_a_kill_from_the_extension_reaches_the_terminal_and_back(w):
    h = host(w)
    equal(asks(h, {"type": "kill_engage"}, "kill_status_result"),
          {"type": "kill_status_result", "ok": True, "killed": True})
    equal(trust(w)["killed"], True)
    equal([audit(w)[-1][k] for k in ("kind", "surface", "outcome")],
          ["kill_engage", "extension", "ok"])
    equal(cli.answer(w, "unkill").status, 0)
    until(lambda: any(f.get("killed") is False for f in h.frames),
          what="the push")


def planted(path):
    """What may lie in the place of a lock file, one after the other."""
    def sock():
        socket.socket(socket.AF_UNIX).bind(str(path))

    def foreign():
        path.touch()
        os.chown(path, 12345, 12345)
    makes = [path.mkdir, lambda: path.symlink_to("elsewhere"),
             lambda: os.mkfifo(path), sock]
    if os.geteuid() == 0:
        makes.append(foreign)
    for make in makes:
        path.unlink(missing_ok=True)
        make()
        yield
        if path.is_dir() and not path.is_symlink():
            path.rmdir()


def test_no_lock_keeps_the_extension_from_killing(w):
    h = host(w)
    w.state.mkdir(0o700, parents=True, exist_ok=True)
    for _ in planted(w.state / "records.mutex"):
        w.trust([("a", OTHER)])
        h.frames.clear()
        began = time.monotonic()
        h.send({"type": "kill_engage"})
        until(lambda: any(f.get("killed") for f in list(h.frames)),
              what="the answer, whatever is pushed before it")
        check(time.monotonic() - began < 1 * harness.SLOW, "it waited")
        equal(trust(w)["killed"], True)
        got = asks(h, {"type": "client_revoke", "name": "a"},
                   "client_revoke_result")
        equal(got["ok"], False)
        check("records.mutex" in got["error"], got)
        equal(len(trust(w)["clients"]), 1)
    check(not (w.state / "elsewhere").exists(), "a link was followed")


def test_a_held_lock_keeps_it_for_two_seconds(w):
    h = host(w)
    w.state.mkdir(0o700, parents=True, exist_ok=True)
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        began = time.monotonic()
        h.send({"type": "kill_engage"})
        equal(h.push("kill_status_result", 10)["killed"], True)
        took = time.monotonic() - began
        check(1.9 < took < 4.2 * harness.SLOW, f"{took:.2f} s")
        equal(trust(w)["killed"], True)
        # Others are told the lock's name.
        h.send({"type": "client_revoke", "name": "a"})
        got = h.push("client_revoke_result", 10)
        check("records.mutex" in got["error"], got)


def test_a_host_started_by_hand_turns_no_click_into_a_grant(w):
    w.trust([("b", THIRD)], killed=True, epoch=3, kill=3)
    before = (w.state / "trust.json").read_bytes()
    h = w.host("brave", hello=False)
    h.push("policy_current")
    h.push("kill_status_result")
    for frame, action, command in (
            ({"type": "kill_release"}, "release the kill switch", "unkill"),
            ({"type": "client_pair", "name": "x",
              "anchor": {"kind": "hash", "value": OTHER}},
             f"trust client x (hash {OTHER})", "pair-client")):
        req = request(h, frame)
        equal(req["action"], action)
        got = asks(h, {"type": "presence_confirm", "nonce": req["nonce"]},
                   "presence_result")
        check(got["ok"] is False and got["reason"].startswith(
            "software_confirmation_not_allowed: ") and
            command in got["reason"], got)
        got = asks(h, {"type": "presence_confirm", "nonce": req["nonce"]},
                   "presence_result")
        equal(got["reason"], "no_request_outstanding")
    equal((w.state / "trust.json").read_bytes(), before)
    equal([(r["kind"], r["outcome"], r["code"]) for r in audit(w)],
          [("presence_assert", "refused",
            "software_confirmation_not_allowed")] * 2)


def test_the_trail_is_read_newest_first(w):
    h = host(w)
    for i in range(3):
        run(w, "kill")
    got = asks(h, {"type": "audit_read", "limit": 2}, "audit_read_result")
    equal([got["ok"], len(got["entries"]), got["older"], got["path"]],
          [True, 2, 1, str(w.state / "audit.log")])
    first, second = got["entries"]
    check(first["ts_ms"] >= second["ts_ms"], got)
    equal([first["entry"], first["kind"], first["fields"]],
          ["record", "kill_engage", {"surface": "cli", "outcome": "ok"}])
    (w.state / "audit.log").unlink()
    (w.state / "audit.log").mkdir()
    got = asks(h, {"type": "audit_read"}, "audit_read_result")
    equal(got["ok"], False)
    check("audit.log" in got["error"], got)


def test_a_large_trail_is_trimmed_to_the_frame(w):
    w.state.mkdir(0o700, parents=True)
    line = "\x01" * 1300
    (w.state / "audit.log").write_text((line + "\n") * 400)
    h = host(w)
    got = asks(h, {"type": "audit_read", "limit": 1000}, "audit_read_result")
    equal(got["ok"], True)
    n = len(got["entries"])
    check(100 < n < 140, n)
    equal(n + got["older"], 400)
    equal(got["entries"][0], {"entry": "unrecognized", "text": line})


def test_one_long_line_hides_no_record(w):
    run(w, "kill")
    with open(w.state / "audit.log", "ab") as f:
        f.write(b"\0" * 300000 + b"\n")
    got = asks(host(w), {"type": "audit_read"}, "audit_read_result")
    equal([e["entry"] for e in got["entries"]], ["unrecognized", "record"])
    equal([got["entries"][1]["kind"], got["older"]], ["kill_engage", 0])
    equal(got["entries"][0]["text"].strip("\0"), "")


def test_a_revoked_browser_has_no_credential_left(w):
    w.trust(None)
    rec = trust(w)
    cred = {"id": "A" * 22, "public_key": "B" + "A" * 86,
            "sign_count": 7, "backup_eligible": True}
    rec["enrollments"] = [{"label": "brave", "credential": cred}]
    w.record("trust.json", rec)
    h = host(w)
    equal(asks(h, {"type": "browser_revoke"}, "browser_revoke_result"),
          {"type": "browser_revoke_result", "ok": True})
    equal(trust(w)["enrollments"], [])
    equal(asks(h, {"type": "browser_revoke"},
               "browser_revoke_result")["reason"], "not_enrolled")


if __name__ == "__main__":
    harness.main(globals())
