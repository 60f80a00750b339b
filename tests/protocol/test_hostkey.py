"""The host key in the file store: pair, enclave-status, challenges, disposal;
control.md 2.4, 3.  The credential store has test_keystore.py."""
import base64
import fcntl
import hashlib
import json
import time

import harness
import p256
from cli import Terminal, answer, audit, run, trust
from harness import check, equal, until

LABEL = "com.vivswan.genkan.enclave.signing.v1"
FIXTURE = bytes(range(1, 33))
ONE = (1).to_bytes(32, "big")


def b64(data):
    return base64.b64encode(data).decode()


def key_file(w):
    return w.state / "host_key.json"


def put_key(w, scalar):
    w.record("host_key.json", {"version": 0, "scalar": b64(scalar)})


def scalar(w):
    return base64.b64decode(json.loads(key_file(w).read_text())["scalar"])


def fingerprint(pub):
    hexid = hashlib.sha256(pub).hexdigest()
    return " ".join(hexid[i:i + 4] for i in range(0, 64, 4))


def pair(w, *args, **kw):
    return answer(w, "pair", *args, **kw)


def status(w, env=None):
    got = run(w, "enclave-status", "--json", env=env)
    equal(got.status, 0, got)
    text = run(w, "enclave-status", env=env)
    equal(text.status, 0, text)
    rec = json.loads(got.out)
    equal(rec["v"], 1)
    lines = text.out.splitlines()
    check(lines[0].startswith(f"key: {rec['key']}"), lines, rec)
    equal(len(lines), 2 if rec["key"] == "present" else 1)
    return rec


def host(w, label="brave", **kw):
    h = w.host(label, hello=False, **kw)
    h.push("policy_current")
    return h


def asks(h, frame, *tags, seconds=5.0):
    """The next frame with one of these tags."""
    with h.mutex:
        seen = len(h.frames)
    h.send(frame)
    return next_of(h, *tags, seen=seen, seconds=seconds)


def next_of(h, *tags, seen=0, seconds=5.0):
    def found():
        with h.mutex:
            return next((f for f in h.frames[seen:]
                         if f.get("type") in tags), None)
    return until(found, seconds, what=" or ".join(tags))


def challenge(h, nonce="abc", seconds=5.0, **more):
    return asks(h, {"type": "enclave_challenge", "nonce": nonce, **more},
                "enclave_proof", "enclave_error", seconds=seconds)


def refusal(h, nonce="abc", **more):
    got = challenge(h, nonce, **more)
    equal(sorted(got), ["reason", "type"], got)
    return got["reason"]


def proved(h, pub, nonce, context=None):
    """A proof of this very key over this very challenge; its signature."""
    more = {} if context is None else {"context": context}
    got = challenge(h, nonce, **more)
    equal(got.get("type"), "enclave_proof", got)
    equal(sorted(got), ["key_id", "pubkey", "sig", "type"])
    equal(base64.b64decode(got["pubkey"]), pub)
    equal(got["key_id"], hashlib.sha256(pub).hexdigest())
    sig = base64.b64decode(got["sig"])
    message = b"\0".join([b"genkan-enclave-v1", nonce.encode(),
                          (context or "").encode()])
    check(p256.verifies(pub, message, sig), "the signature is none")
    return sig


# -------------------------------------------------------------------- pairing

def test_wrong_arguments_are_usage_errors(w):
    for args in (["pair", "x"], ["pair", "--reset", "--reset"],
                 ["pair", "--store"], ["enclave-status", "x"],
                 ["enclave-status", "--json", "--json"]):
        got = run(w, *args)
        equal([got.status, got.out], [2, ""], args)
    check(not w.state.exists(), "nothing was made")


def test_help_names_both_commands(w):
    text = run(w, "--help").out
    for line in ("genkan pair [--reset] [--file-store]",
                 "genkan enclave-status [--json]"):
        check(line in text, text)
    equal(run(w, "pair", "--help").status, 0)


def test_a_pipe_is_refused_before_any_prompt(w):
    for args in (["--file-store"], ["--reset", "--file-store"], []):
        got = run(w, "pair", *args, text="allow\nallow\n")
        equal([got.status, got.out], [1, ""], args)
        check("not a terminal" in got.err and "go on" not in got.err, got)
    check(not key_file(w).exists())
    equal([(r["kind"], r["surface"], r["outcome"], r["detail"])
           for r in audit(w)],
          [("host_key_pair", "cli", "refused",
            "presence: not_interactive")] * 3)


def test_another_phrase_makes_no_key(w):
    for text in ("ALLOW\n", "allow it\n", "\n", "\4"):
        got = pair(w, "--file-store", text=text)
        equal(got.status, 1, text)
    check(not key_file(w).exists())
    equal({(r["kind"], r["outcome"], r["detail"]) for r in audit(w)},
          {("host_key_pair", "refused", "presence: declined")})


def test_a_key_is_made_and_shown(w):
    got = pair(w, "--file-store")
    equal(got.status, 0, got)
    equal(key_file(w).stat().st_mode & 0o777, 0o600)
    equal(sorted(json.loads(key_file(w).read_text())), ["scalar", "version"])
    pub = p256.public(scalar(w))
    for text in ("presence: tty", f"store: file ({key_file(w)})",
                 f"public key: {b64(pub)}",
                 f"fingerprint: {fingerprint(pub)}", "options page"):
        check(text in got.out, text, got)
    equal(status(w), {"v": 1, "key": "present", "store": "file",
                      "key_label": LABEL, "public_key_b64": b64(pub),
                      "fingerprint": fingerprint(pub)})
    equal([(r["outcome"], r["detail"]) for r in audit(w)],
          [("ok", "store=file; reset=false; auth=tty")])
    check(trust(w)["host_key_epoch"] > 0, "the hosts are told")


def test_the_scalar_is_said_nowhere(w):
    got = pair(w, "--file-store")
    h = host(w)
    proved(h, p256.public(scalar(w)), "abc")
    secret = scalar(w)
    for text in (got.out, h.log(), run(w, "doctor", "--json").out,
                 *(p.read_text() for p in w.state.iterdir()
                   if p.name != "host_key.json")):
        check(b64(secret)[:-1] not in text and secret.hex() not in text,
              "the scalar is in it", text[:200])


def test_an_existing_key_is_never_overwritten(w):
    equal(pair(w, "--file-store").status, 0)
    before = key_file(w).read_bytes()
    got = Terminal(w, "pair", "--file-store").end()
    equal(got.status, 1)
    check("--reset" in got.out and "go on" not in got.out, got)
    equal(key_file(w).read_bytes(), before)
    # What is no key is in the way all the same.
    key_file(w).write_text("{")
    equal(Terminal(w, "pair", "--file-store").end().status, 1)
    equal(key_file(w).read_text(), "{")
    equal([r["outcome"] for r in audit(w)], ["ok", "refused", "refused"])


def test_reset_makes_another_key_and_keeps_clients(w):
    w.trust([("a", "ab" * 32)], epoch=7)
    equal(pair(w, "--file-store").status, 0)
    first, before = scalar(w), trust(w)
    got = pair(w, "--reset", "--file-store")
    equal(got.status, 0, got)
    check("replace" in got.out, got)
    check(scalar(w) != first, "the same key")
    after = trust(w)
    equal(after["clients"], before["clients"])
    equal([after["epoch"], after["host_key_epoch"], after["policy_epoch"]],
          [before["epoch"] + 1] * 3)
    equal(audit(w)[-1]["detail"], "store=file; reset=true; auth=tty")


def test_of_two_at_once_one_makes_the_key(w):
    both = [Terminal(w, "pair", "--file-store").until("go on: ")
            for _ in range(2)]
    for t in both:
        t.type("allow\n")
    done = [t.end() for t in both]
    equal(sorted(d.status for d in done), [0, 1], done)
    won = next(d for d in done if d.status == 0)
    check(fingerprint(p256.public(scalar(w))) in won.out, won)
    equal(sorted(r["outcome"] for r in audit(w)), ["error", "ok"])


def test_an_unreadable_trust_record_refuses_a_pair(w):
    w.record("trust.json", "{")
    got = Terminal(w, "pair", "--file-store").end()
    equal(got.status, 1)
    check("trust.json" in got.out, got)
    check(not key_file(w).exists())


def test_a_held_lock_keeps_pair_out_and_is_named(w):
    w.trust()
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        got = pair(w, "--file-store")
    equal(got.status, 1)
    check("records.mutex" in got.out, got)
    check(not key_file(w).exists())
    equal(audit(w)[-1]["outcome"], "error")


# --------------------------------------------------------------------- status

def test_what_is_no_key_is_invalid_and_what_cannot_be_read_an_error(w):
    for bad in (FIXTURE, bytes(32), p256.N.to_bytes(32, "big"),
                b"\xff" * 32, ONE[1:], ONE + b"\1", b""):
        put_key(w, bad)
        got = status(w)
        equal(got["key"], "invalid", bad)
        check(got["detail"], got)
    put_key(w, ONE)
    equal(status(w)["key"], "present")
    for text in ("", "{", "[]", '{"version":0}',
                 '{"version":0,"scalar":"AAAA","more":1}',
                 '{"version":1,"scalar":"AAAA"}',
                 '{"version":0,"scalar":"A"}',
                 '{"version":0,"scalar":"AAAA","scalar":"AAAA"}',
                 '{"version":0,"scalar":"%s"}' % ("A" * 4096)):
        key_file(w).write_text(text)
        got = status(w)
        equal(got["key"], "error", text)
        check("host_key.json" in got["detail"], got)
    key_file(w).unlink()
    key_file(w).symlink_to("/dev/null")
    equal(status(w)["key"], "error")


def test_the_report_to_the_extension_has_the_line(w):
    put_key(w, ONE)
    h = host(w)
    got = asks(h, {"type": "doctor_report"}, "doctor_report_result",
               seconds=15)
    equal(got["report"]["host_key"], "key: present (file)")
    equal(run(w, "enclave-status").out.splitlines()[0],
          "key: present (file)")


# ----------------------------------------------------------------- challenges

def test_challenges_are_signed_by_the_key(w):
    equal(pair(w, "--file-store").status, 0)
    pub = p256.public(scalar(w))
    h = host(w)
    first = proved(h, pub, "abc", "ctx")
    equal(proved(h, pub, "abc", "ctx"), first, "the nonce is deterministic")
    equal(proved(h, pub, "abc"), proved(h, pub, "abc", ""),
          "an absent context is an empty one")
    proved(h, pub, "9f" * 32, "ext:gijmanfkddbcbmkfmplnjcbmpnjmocpk:pair")
    proved(h, pub, "utf8-é-nonce", "ctx-中文-🔒")
    proved(h, pub, "n" * 256, "c" * 4096)
    equal([r["kind"] for r in audit(w)], ["host_key_pair"],
          "a signature is no event")


def test_challenges_out_of_bounds_are_refused(w):
    put_key(w, ONE)
    h = host(w)
    for frame in ({"nonce": ""}, {"nonce": "n" * 257}, {"nonce": "a\0"},
                  {"nonce": "é" * 129}, {"nonce": "a", "context": "c" * 4097},
                  {"nonce": "a", "context": "\0"}, {"nonce": 1}, {},
                  {"nonce": "a", "context": None},
                  {"nonce": "a", "more": 1}):
        got = asks(h, {"type": "enclave_challenge", **frame},
                   "enclave_error", "enclave_proof")
        equal(got, {"type": "enclave_error", "reason": "invalid_challenge"},
              frame)
    proved(h, p256.public(ONE), "é" * 128, "c")


def test_each_failure_has_its_code(w):
    h = host(w)
    for bad in (FIXTURE, bytes(32), p256.N.to_bytes(32, "big"), ONE[1:]):
        put_key(w, bad)
        equal(refusal(h), "key_invalid", bad)
    key_file(w).write_text("{")
    equal(refusal(h), "keychain_error")
    put_key(w, ONE)
    w.record("trust.json", "{")
    equal(refusal(h), "keychain_error", "nothing is signed blindly")
    equal(refusal(h, "n" * 257), "invalid_challenge")
    (w.state / "trust.json").unlink()
    proved(h, p256.public(ONE), "abc")


def test_many_challenges_are_answered_in_order(w):
    put_key(w, ONE)
    h = host(w)
    for i in range(40):
        h.send({"type": "enclave_challenge", "nonce": f"n{i}"})
    until(lambda: sum(f.get("type") == "enclave_proof" for f in h.frames)
          == 40, 20)
    sigs = [base64.b64decode(f["sig"]) for f in h.frames
            if f.get("type") == "enclave_proof"]
    for i in (0, 17, 39):
        check(p256.verifies(p256.public(ONE),
                            b"genkan-enclave-v1\0n%d\0" % i, sigs[i]), i)


# ------------------------------------------------------------------- disposal

DOCUMENT = {
    "v": 1, "revision": 3, "touched": [], "cdpMode": False,
    "fileUploadEnabled": False, "handleDialogEnabled": False,
    "pageEvalEnabled": False, "confirmHighRiskClick": True,
    "confirmPageEval": True, "presenceConfirm": True,
    "confirmTabClose": True, "warnPreciseSnapshot": True, "evalMask": True,
    "hostReverifyMs": 0, "confirmGraceMs": 60000,
    "clickToastTimeoutMs": 30000, "evalToastTimeoutMs": 45000,
    "disabledTools": ["page_upload"]}


def put_policy(w, disabled=("page_upload",), overlay=None):
    doc = json.dumps({**DOCUMENT, "disabledTools": list(disabled)},
                     separators=(",", ":")).encode()
    w.record("policy.json", {"version": 0, "baseline_b64": b64(doc),
                             **({"overlay": overlay} if overlay else {})})


def policy(w):
    path = w.state / "policy.json"
    return json.loads(path.read_text()) if path.exists() else None


def revoke(h):
    return asks(h, {"type": "enclave_revoke"}, "enclave_revoked",
                "enclave_error")


def test_the_extension_disposes_of_the_key(w):
    w.trust([("a", "ab" * 32)], epoch=4)
    put_key(w, ONE)
    put_policy(w, overlay={"disabledTools": ["page_upload", "cookie_get"]})
    h = host(w)
    equal(revoke(h), {"type": "enclave_revoked"})
    check(not key_file(w).exists())
    got = trust(w)
    equal([got["epoch"], got["host_key_epoch"], got["policy_epoch"],
           got["kill_epoch"], len(got["clients"])], [5, 5, 5, 0, 1])
    rec = policy(w)
    equal(sorted(rec), ["overlay", "version"])
    equal(sorted(rec["overlay"]), ["disabledTools"])
    equal(sorted(rec["overlay"]["disabledTools"]),
          ["cookie_get", "page_upload"], "what was disabled stays so")
    ring = json.loads((w.state / "policy-history.json").read_text())
    equal(len(ring["entries"]), 1)
    equal([(r["kind"], r["surface"], r["outcome"]) for r in audit(w)],
          [("host_key_revoke", "extension", "ok")])
    # The watch tells of the policy, before or after the answer; of the key,
    # the answer did.
    next_of(h, "policy_current", seconds=3)
    time.sleep(1.3)
    equal(sum(f.get("type") == "enclave_revoked" for f in h.frames), 1)


def test_without_disabled_tools_no_policy_is_left(w):
    put_key(w, ONE)
    put_policy(w, disabled=())
    equal(revoke(host(w)), {"type": "enclave_revoked"})
    equal(policy(w), None)


def test_reset_and_revoke_keep_what_was_disabled(w):
    for args in (["revoke", "--all"], ["pair", "--reset", "--file-store"]):
        put_key(w, ONE)
        put_policy(w)
        got = (run if args[0] == "revoke" else answer)(w, *args)
        equal(got.status, 0, got)
        equal(policy(w)["overlay"], {"disabledTools": ["page_upload"]}, args)
        check("baseline_b64" not in policy(w), args)


def test_pair_puts_away_the_policy_of_a_lost_key(w):
    put_policy(w)
    equal(pair(w, "--file-store").status, 0)
    equal(policy(w)["overlay"], {"disabledTools": ["page_upload"]})


def test_an_unreadable_policy_stays_and_is_reported(w):
    put_key(w, ONE)
    w.record("policy.json", "{")
    got = run(w, "revoke", "--all")
    equal(got.status, 0, got)
    check("policy.json" in got.err, got)
    equal((w.state / "policy.json").read_text(), "{")
    check(not key_file(w).exists())


def test_an_unreadable_trust_record_stops_a_disposal_at_once(w):
    put_key(w, ONE)
    put_policy(w)
    h = host(w)
    w.record("trust.json", "{")
    equal(revoke(h), {"type": "enclave_error", "reason": "keychain_error"})
    equal(run(w, "revoke", "--all").status, 1)
    check(key_file(w).exists())
    check("baseline_b64" in policy(w))
    equal(audit(w)[0]["outcome"], "error")


def test_a_key_that_cannot_be_deleted_stops_a_disposal(w):
    put_policy(w)
    w.trust(epoch=3)
    key_file(w).mkdir()
    got = run(w, "revoke", "--all")
    equal(got.status, 1, got)
    check("host_key.json" in got.err, got)
    check("baseline_b64" in policy(w))
    equal(trust(w)["host_key_epoch"], 0)


def test_revoke_all_drops_clients_first_and_reports_the_rest(w):
    w.trust([("a", "ab" * 32)], killed=True, epoch=3, kill=2)
    key_file(w).mkdir()
    got = run(w, "revoke", "--all")
    equal(got.status, 1)
    equal([trust(w)[k] for k in ("clients", "killed", "kill_epoch")],
          [[], True, 2], "the first part stands, and so does the latch")
    equal([(r["kind"], r["outcome"]) for r in audit(w)][-1],
          ("host_key_revoke", "error"))


def test_a_held_lock_is_an_error_and_the_key_stays(w):
    put_key(w, ONE)
    w.trust()
    h = host(w)
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        h.send({"type": "enclave_revoke"})
        began = time.monotonic()
        h.send({"type": "kill_status"})
        h.send({"type": "kill_engage"})
        next_of(h, "enclave_error", seconds=4)
    check(time.monotonic() - began < 3.5 * harness.SLOW)
    check(key_file(w).exists())
    next_of(h, "kill_status_result", seconds=5)


def test_pushes_wait_for_nobody_and_an_answer_comes_first_served(w):
    w.trust(host_key=3, epoch=3)
    put_key(w, ONE)
    h = host(w)
    proved(h, p256.public(ONE), "abc")
    check(not any(f.get("type") == "enclave_revoked" for f in h.frames),
          "the key is there, whatever the epoch says")


if __name__ == "__main__":
    harness.main(globals())
