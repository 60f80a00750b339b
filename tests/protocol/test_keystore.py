"""The host key in a real Secret Service: found, missing, locked, absent,
frozen; control.md 3.4 and platform facts.  Every call has to end: within 3 s
where the store hangs, at once where it answers."""
import base64
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import harness
import p256
from cli import Terminal, answer, audit, run, trust
from harness import SLOW, broker_of, check, equal, until
from service import Service
from test_hostkey import (FIXTURE, LABEL, ONE, asks, b64, challenge,
                          fingerprint, host, key_file, next_of, policy, proved,
                          put_key, put_policy, refusal, revoke, status)

LIMIT = 3.0


def account(w):
    digest = hashlib.sha256(str(w.state.resolve()).encode()).hexdigest()
    return f"{LABEL}.{digest[:32]}"


def pair(w, s, *args):
    return answer(w, "pair", *args, env=s.env)


def timed(fn, *args, at_least=0.0, **kw):
    """What fn returns, within the limit; at least: it did wait for it."""
    began = time.monotonic()
    got = fn(*args, **kw)
    took = time.monotonic() - began
    check(took < LIMIT * SLOW, f"took {took:.2f} s")
    check(took >= at_least, f"took only {took:.2f} s")
    return got


def one_status(w, s):
    got = run(w, "enclave-status", "--json", env=s.env)
    equal(got.status, 0, got)
    return json.loads(got.out)


# ------------------------------------------------------------------ it answers

def test_a_key_is_kept_in_the_store_and_nowhere_else(w):
    s = Service(w)
    equal(status(w, s.env), {"v": 1, "key": "none"})
    got = timed(pair, w, s)
    equal(got.status, 0, got)
    check("store: credential store" in got.out, got)
    value = s.lookup(account(w))
    check(value, "nothing under the account")
    scalar = base64.b64decode(value, validate=True)
    equal([len(scalar), b64(scalar)], [32, value])
    pub = p256.public(scalar)
    check(f"fingerprint: {fingerprint(pub)}" in got.out, got)
    check(not key_file(w).exists(), "a file was written as well")
    equal(status(w, s.env), {
        "v": 1, "key": "present", "store": "credential_store",
        "key_label": LABEL, "public_key_b64": b64(pub),
        "fingerprint": fingerprint(pub)})
    h = host(w, env=s.env)
    proved(h, pub, "abc", "ctx")
    equal(audit(w)[-1]["detail"],
          "store=credential_store; reset=false; auth=tty")
    for text in (got.out, h.log(), *(p.read_text() for p in
                                     w.state.iterdir())):
        check(value[:-1] not in text and scalar.hex() not in text, "said")


def test_a_missing_key_in_an_unlocked_store_is_verified_absence(w):
    s = Service(w)
    h = host(w, env=s.env)
    equal(timed(refusal, h), "not_enrolled")
    equal(revoke(h), {"type": "enclave_revoked"})


def test_a_state_directory_has_its_own_account_links_resolved(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    (w.dir / "link").symlink_to(w.home)
    linked = run(w, "enclave-status", "--json",
                 env={**s.env, "HOME": f"{w.dir}/link/"})
    equal(json.loads(linked.out), one_status(w, s))
    (w.dir / "other").mkdir(0o700)
    other = run(w, "enclave-status", "--json",
                env={**s.env, "HOME": str(w.dir / "other")})
    equal(json.loads(other.out), {"v": 1, "key": "none"})


def test_an_existing_key_is_never_overwritten(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    before = s.lookup(account(w))
    for args in ([], ["--file-store"]):
        got = Terminal(w, "pair", *args, env=s.env).end()
        equal(got.status, 1, args)
        check("--reset" in got.out and "go on" not in got.out, got)
    equal(s.lookup(account(w)), before)
    check(not key_file(w).exists())


def test_reset_moves_the_key_between_the_places(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    first = s.lookup(account(w))
    equal(pair(w, s, "--reset").status, 0)
    second = s.lookup(account(w))
    check(second and second != first, "the same key")
    got = pair(w, s, "--reset", "--file-store")
    equal(got.status, 0, got)
    check("may remain" not in got.out, got)
    equal([s.lookup(account(w)), status(w, s.env)["store"]], [None, "file"])
    equal(pair(w, s, "--reset").status, 0)
    check(not key_file(w).exists(), "the file would win")
    equal(status(w, s.env)["store"], "credential_store")


def test_the_file_wins_over_the_store(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    put_key(w, ONE)
    equal(status(w, s.env)["store"], "file")
    proved(host(w, env=s.env), p256.public(ONE), "abc")
    key_file(w).write_text("{")
    equal(status(w, s.env)["key"], "error", "no way back to the store")


def test_what_somebody_else_stored_there_is_no_key_of_ours(w):
    s = Service(w)
    h = host(w, env=s.env)
    for value in (b64(FIXTURE), b64(bytes(32)), b64(b"\xff" * 32),
                  b64(ONE[1:]), b64(ONE) + "AAAA", "hello",
                  "x" * 4000):
        s.plant(account(w), value)
        equal(refusal(h), "key_invalid", value[:50])
        equal(status(w, s.env)["key"], "invalid", value[:50])
        got = Terminal(w, "pair", env=s.env).end()
        equal(got.status, 1)
        equal(s.lookup(account(w)), value)
    s.plant(account(w), b64(ONE))
    proved(h, p256.public(ONE), "abc")
    s.plant(account(w), "hello")
    equal(pair(w, s, "--reset").status, 0)
    equal(status(w, s.env)["key"], "present")


def test_a_disposal_empties_the_store_and_is_pushed(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    put_policy(w)
    h = host(w, env=s.env)
    other = host(w, "chrome", env=s.env)
    time.sleep(0.3)
    check(not any(f["type"] == "enclave_revoked" for f in other.frames))
    equal(revoke(h), {"type": "enclave_revoked"})
    equal(s.lookup(account(w)), None)
    next_of(other, "enclave_revoked", seconds=3)
    equal(policy(w)["overlay"], {"disabledTools": ["page_upload"]})
    equal(refusal(h), "not_enrolled")
    # On a new connection it is said again.
    third = host(w, "edge", env=s.env)
    next_of(third, "enclave_revoked", seconds=3)
    time.sleep(1.2)
    equal(sum(f["type"] == "enclave_revoked" for f in h.frames), 1)


def test_revoke_all_at_the_terminal_is_pushed(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    w_hosts = [host(w, name, env=s.env) for name in ("chrome", "edge")]
    got = run(w, "revoke", "--all", env=s.env)
    equal(got.status, 0, got)
    for h in w_hosts:
        next_of(h, "enclave_revoked", seconds=3)
    equal(audit(w)[-1]["kind"], "host_key_revoke")
    equal(audit(w)[-1]["surface"], "cli")


# -------------------------------------------------------------------- it does not

def test_a_locked_store_is_said_to_be_locked(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    s.lock()
    got = timed(one_status, w, s)
    equal(got["key"], "error")
    check("locked" in got["detail"] and "--file-store" in got["detail"], got)
    h = host(w, env=s.env)
    equal(timed(refusal, h), "keychain_error")
    equal(timed(revoke, h)["reason"], "keychain_error")
    got = run(w, "revoke", "--all", env=s.env)
    equal(got.status, 1, got)
    check("locked" in got.err and "--file-store" not in got.err, got)
    s.restart()
    check(s.lookup(account(w)), "it was deleted all the same")
    equal(one_status(w, s)["key"], "present")


def test_nothing_found_in_a_locked_store_is_locked_or_missing(w):
    s = Service(w)
    s.plant("of another", "x")	# makes the keyring
    s.restart(unlock=False)
    got = timed(one_status, w, s)
    equal(got["key"], "error")
    check("locked or missing" in got["detail"], got)
    equal(timed(refusal, host(w, env=s.env)), "keychain_error")
    # Nobody can be asked here, so nothing waits.
    got = Terminal(w, "pair", env=s.env).until("locked").end()
    equal(got.status, 1)
    check("go on" not in got.out, got)
    got = pair(w, s, "--file-store")
    equal(got.status, 0, got)
    check("may remain" in got.out, got)
    equal(one_status(w, s)["store"], "file")


def test_a_store_without_a_keyring_holds_no_key(w):
    s = Service(w, service=False)
    s.start(unlock=False)
    equal(one_status(w, s), {"v": 1, "key": "none"})
    equal(refusal(host(w, env=s.env)), "not_enrolled")
    got = timed(Terminal(w, "pair", env=s.env).end)
    equal(got.status, 1, got)
    check("no keyring" in got.out and "go on" not in got.out, got)


def xdotool(env, *args):
    subprocess.run(["xdotool", *args], check=True, timeout=20,
                   env={"PATH": os.environ["PATH"],
                        "DISPLAY": env["DISPLAY"]})


def test_only_pair_waits_for_a_person_to_unlock(w):
    s = Service(w)
    s.plant("of another", "x")	# makes the keyring
    s.restart(unlock=False)
    env = s.screen()
    # Where a prompt could be shown, nobody else shows one.
    h = host(w, env=env)
    equal(timed(refusal, h), "keychain_error")
    equal(timed(revoke, h)["reason"], "keychain_error")
    equal(json.loads(timed(run, w, "enclave-status", "--json",
                           env=env).out)["key"], "error")
    t = Terminal(w, "pair", env=env)
    time.sleep(4)			# longer than any call may take
    equal(t.seen, "", "it waits")
    equal(run(w, "kill").status, 0)
    with open(w.state / "records.mutex") as f:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    for _ in range(10):
        xdotool(env, "type", "--delay", "30", "genkan-ci")
        xdotool(env, "key", "Return")
        if t.read(2) is not None:
            break
    got = t.until("go on: ").type("allow\n").end()
    equal(got.status, 0, got)
    equal(one_status(w, s)["store"], "credential_store")
    equal(challenge(h)["type"], "enclave_proof")


def absent(w, env):
    got = run(w, "enclave-status", "--json", env=env)
    equal(got.status, 0, got)
    got = json.loads(got.out)
    equal(got["key"], "error", got)
    check("--file-store" in got["detail"], got)
    h = host(w, env=env)
    equal(timed(refusal, h), "keychain_error")
    equal(timed(revoke, h)["reason"], "keychain_error")
    got = Terminal(w, "pair", env=env).end()
    equal(got.status, 1, got)
    check("go on" not in got.out, got)


# ---------------------------------------------------------------- its library

def mapped(p):
    """Files that the program may run code from, as (path, owner, mode)."""
    found = {}
    for line in pathlib.Path(f"/proc/{p.pid}/maps").read_text().splitlines():
        field = line.split(maxsplit=5)
        if "x" in field[1] and len(field) > 5 and field[5][0] == "/":
            st = os.stat(field[5])
            found[field[5]] = (st.st_uid, st.st_mode & 0o022)
    return found


def test_a_host_has_no_library_of_the_store_before_it_needs_one(w):
    s = Service(w)
    server = broker_of(w, w.server())
    h = host(w, env=s.env)
    h.wait_log("bridge handshake complete")
    for p in (server, h):
        equal([f for f in mapped(p) if "libsecret" in f or "libglib" in f],
              [], p.name)


def test_what_the_store_brings_into_a_host_is_roots(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    h = host(w, env=s.env)
    pub = base64.b64decode(one_status(w, s)["public_key_b64"])
    proved(h, pub, "abc")
    files = mapped(h)
    check([p for p in files if "libsecret-1.so" in p], files)
    image = os.readlink(f"/proc/{h.pid}/exe")
    bad = {p: f for p, f in files.items() if f != (0, 0) and p != image}
    equal(bad, {})


def test_a_library_of_somebody_else_is_not_let_in(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    h = host(w, env=s.env)
    challenge(h, "abc")
    for path in mapped(h):
        if "libsecret-1.so" in path:
            shutil.copy(path, w.dir / "libsecret-1.so.0")
    check((w.dir / "libsecret-1.so.0").exists())
    got = run(w, "enclave-status", "--json",
              env={**s.env, "LD_LIBRARY_PATH": str(w.dir)})
    equal(got.status, 0, got)
    got = json.loads(got.out)
    equal(got["key"], "error", got)
    check("LD_LIBRARY_PATH" in got["detail"], got)


def test_without_a_bus_there_is_an_answer_at_once(w):
    timed(absent, w, {})
    timed(absent, w, {"DBUS_SESSION_BUS_ADDRESS":
                      f"unix:path={w.dir}/nothing"})


def test_a_host_starts_no_bus_and_reaches_none_elsewhere(w):
    """What the bus's library would do with an X display, or an address in a
    network, is refused to a host, and is no end of it."""
    for env in ({"DISPLAY": ":77"},
                {"DBUS_SESSION_BUS_ADDRESS": "tcp:host=127.0.0.1,port=9"},
                {"DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/true"}):
        h = host(w, env=env)
        equal(timed(refusal, h), "keychain_error", env)
        equal(timed(refusal, h), "keychain_error", "and again")
        equal(h.p.poll(), None, env)
        h.close()


def test_without_a_service_there_is_an_answer_at_once(w):
    timed(absent, w, Service(w, service=False).env)


def test_a_frozen_service_is_given_up_after_two_seconds(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    h = host(w, env=s.env)
    pub = base64.b64decode(one_status(w, s)["public_key_b64"])
    s.freeze()
    got = timed(one_status, w, s, at_least=1.9)
    check("2 s" in got["detail"], got)
    equal(timed(refusal, h, at_least=1.9), "keychain_error")
    equal(timed(revoke, h, at_least=1.9)["reason"], "keychain_error")
    w.trust([("a", "ab" * 32)], epoch=9)
    got = timed(run, w, "revoke", "--all", env=s.env, at_least=1.9)
    equal(got.status, 1, got)
    equal(trust(w)["clients"], [], "the first part stands")
    equal(trust(w)["host_key_epoch"], 0)
    s.thaw()
    proved(h, pub, "abc")


def test_a_frozen_bus_is_given_up_too(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    s.bus.send_signal(signal.SIGSTOP)
    equal(timed(one_status, w, s, at_least=1.9)["key"], "error")
    h = host(w, env=s.env)
    equal(timed(refusal, h, at_least=1.9), "keychain_error")
    s.bus.send_signal(signal.SIGCONT)
    equal(one_status(w, s)["key"], "present")


def test_a_bus_that_dies_takes_no_host_with_it(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    h = host(w, env=s.env)
    equal(challenge(h)["type"], "enclave_proof")
    s.bus.kill()
    s.bus.wait()
    equal(timed(refusal, h), "keychain_error")
    time.sleep(0.3)
    equal(h.p.poll(), None)
    equal(asks(h, {"type": "kill_status"}, "kill_status_result")["ok"], True)


def test_a_frozen_store_holds_up_the_answers_and_nothing_else(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    server = broker_of(w, w.server())
    server.discover()
    h = w.host("chrome", env=s.env).attached()
    h.push("policy_current")
    s.freeze()
    seen = len(h.frames)
    began = time.monotonic()
    h.send({"type": "enclave_challenge", "nonce": "abc"})
    h.send({"type": "client_list"})
    # Bridge traffic goes on.
    got = server.tool("tab_list")
    check(time.monotonic() - began < 1.0 * SLOW, "a call had to wait", got)
    h.send({"type": "kill_engage"})
    got = next_of(h, "kill_status_result", seen=seen, seconds=1.5)
    equal(got["killed"], True, "taking power away overtakes")
    next_of(h, "enclave_error", seen=seen, seconds=LIMIT)
    next_of(h, "client_list_result", seen=seen, seconds=1)
    kinds = [f["type"] for f in h.frames[seen:]
             if f["type"] in ("enclave_error", "client_list_result")]
    equal(kinds, ["enclave_error", "client_list_result"])


def test_beyond_sixteen_waiting_frames_input_is_not_read(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    h = host(w, env=s.env)
    s.freeze()
    seen = len(h.frames)
    h.send({"type": "enclave_challenge", "nonce": "abc"})
    for _ in range(40):
        h.send({"type": "client_list"})
    next_of(h, "enclave_error", seen=seen, seconds=LIMIT)
    until(lambda: sum(f["type"] == "client_list_result"
                      for f in h.frames[seen:]) == 40, 5)


def test_a_file_key_beside_a_frozen_store_can_be_disposed_of(w):
    s = Service(w)
    put_key(w, ONE)
    s.freeze()
    got = timed(run, w, "revoke", "--all", env=s.env)
    equal(got.status, 0, got)
    check("may remain" in got.err, got)
    check(not key_file(w).exists())
    check(trust(w)["host_key_epoch"] > 0)
    put_key(w, ONE)
    h = host(w, env=s.env)
    equal(timed(revoke, h), {"type": "enclave_revoked"})
    # Asked once by an act: no second time-out behind the first.
    put_key(w, ONE)
    t = Terminal(w, "pair", "--reset", "--file-store",
                 env=s.env).until("go on: ").type("allow\n")
    began = time.monotonic()
    t.until("next: ", LIMIT).end()
    check(time.monotonic() - began < (LIMIT + 1) * SLOW)
    check("may remain" in t.seen, t.seen)


def test_pair_refuses_a_frozen_store_before_it_asks(w):
    s = Service(w)
    s.freeze()
    t = Terminal(w, "pair", env=s.env).until("2 s", LIMIT)
    equal(t.end().status, 1)
    check("go on" not in t.seen, t.seen)
    equal(audit(w)[-1]["outcome"], "refused")
    check(not (w.state / "trust.json").exists(), "nothing was written")


def test_a_host_ends_in_order_with_and_without_an_answer_owed(w):
    s = Service(w)
    equal(pair(w, s).status, 0)
    h = host(w, env=s.env)
    equal(challenge(h)["type"], "enclave_proof")
    h.close_stdin()
    equal(h.wait(), 0, h.log())
    # An answer that is owed is seen through, and has its bound.
    h = host(w, env=s.env)
    s.freeze()
    h.send({"type": "enclave_revoke"})
    h.send({"type": "enclave_challenge", "nonce": "abc"})
    time.sleep(0.3)
    h.close_stdin()
    equal(h.wait(6), 0, h.log())
    until(h.ended.is_set, what="the end of the output")
    equal([f["type"] for f in h.frames if f["type"].startswith("enclave")],
          ["enclave_error"] * 2)
    # A signal waits for nothing but the job that runs.
    h = host(w, env=s.env)
    h.send({"type": "enclave_challenge", "nonce": "abc"})
    time.sleep(0.3)
    began = time.monotonic()
    h.kill(signal.SIGTERM)
    equal(h.wait(), 0)
    check(time.monotonic() - began < LIMIT * SLOW)


def test_a_start_push_waits_for_the_store_and_nothing_waits_for_it(w):
    s = Service(w)
    w.trust(host_key=3, epoch=3)
    s.freeze()
    h = host(w, env=s.env)
    equal(asks(h, {"type": "kill_status"}, "kill_status_result",
               seconds=1)["ok"], True)
    time.sleep(2.5)
    check(not any(f["type"] == "enclave_revoked" for f in h.frames),
          "absence was not verified")
    s.thaw()
    h = host(w, "edge", env=s.env)
    next_of(h, "enclave_revoked", seconds=3)


if __name__ == "__main__":
    harness.main(globals())
