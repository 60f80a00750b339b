"""Enrolling authenticators and answering with them, through the real host: its
frames, its record and its audit trail, with a key in software."""
import fcntl
import os

import harness
from authenticator import ORIGIN, Key, b64u, challenge, unb64u
from cli import audit, run, trust
from harness import check, equal, until
from test_parent import can_mount, under_a_browser

EXTENSION_ID = ORIGIN.split("//")[1]
OK = {"type": "presence_result", "ok": True}


def asks(h, frame, tag):
    h.send(frame)
    return h.push(tag)


def enrolled(w, *entries, killed=False):
    """A record in which these keys stand under these labels."""
    w.trust(None, killed=killed, epoch=3, kill=3 if killed else 0)
    rec = trust(w)
    rec["enrollments"] = [key.enrollment(label) for key, label in entries]
    w.record("trust.json", rec)


def host(w, label="brave"):
    """Started by hand; in control-plane mode, since no broker is there."""
    h = w.host(label, hello=False)
    h.push("policy_current")
    h.frames = [f for f in h.frames if f["type"] != "kill_status_result"]
    return h


def release(h):
    return asks(h, {"type": "kill_release"}, "presence_request")


def refused(h, frame, tag, code):
    got = asks(h, frame, tag)
    equal([got["ok"], got["reason"].split(": ")[0]], [False, code])
    return got


def stored(w, label=None):
    return [e["credential"] for e in trust(w)["enrollments"]
            if label in (None, e["label"])]


# --------------------------------------------------------------- enrollment

def test_a_browser_enrolls_the_first_authenticator(w):
    if not can_mount(w):
        return
    h = under_a_browser(w)
    key = Key()
    options = asks(h, {"type": "enroll_begin"}, "enroll_options")
    equal(options["challenge"], challenge("genkan-webauthn-enroll-v1",
                                          "vivaldi", "enroll",
                                          options["nonce"]))
    equal([unb64u(options["user_id"]), options["user_name"],
           options["exclude_credential_ids"], len(options["nonce"])],
          [b"vivaldi", "vivaldi", [], 43])
    equal(asks(h, key.create(options), "enroll_result"),
          {"type": "enroll_result", "ok": True, "credential_id": b64u(key.id)})
    equal(trust(w)["enrollments"], [key.enrollment("vivaldi")])
    rec = audit(w)[-1]
    equal([rec["kind"], rec["surface"], rec["outcome"], rec["detail"]],
          ["enroll", "extension", "ok", f"browser=vivaldi; credential="
           f"{key.hash}; authorized_by=first_use"])
    # The next one, in the same browser, takes the first one's approval.
    second = Key(16)
    h.send({"type": "enroll_begin"})
    request = h.push("presence_request")
    equal(request["action"], "enroll another credential for vivaldi")
    equal(request["allowed_credential_ids"], [b64u(key.id)])
    equal(h.push("enroll_result")["reason"], "presence_required")
    equal(asks(h, key.get(request), "presence_result"), OK)
    options = asks(h, {"type": "enroll_begin"}, "enroll_options")
    equal(options["exclude_credential_ids"], [b64u(key.id)])
    equal(asks(h, second.create(options), "enroll_result")["ok"], True)
    equal(trust(w)["enrollments"],
          [key.enrollment("vivaldi"), second.enrollment("vivaldi")])
    equal(audit(w)[-1]["detail"], f"browser=vivaldi; credential="
          f"{second.hash}; authorized_by={key.hash}")


def test_a_second_browser_enrolls_behind_the_first(w):
    first, second = Key(), Key()
    enrolled(w, (first, "chrome"))
    h = host(w)
    h.send({"type": "enroll_begin"})
    request = h.push("presence_request")
    equal(h.push("enroll_result")["reason"], "presence_required")
    equal(request["challenge"], challenge(
        "genkan-webauthn-presence-v1", "brave",
        "enroll another credential for brave", request["nonce"]))
    # A click does not do.
    refused(h, {"type": "presence_confirm", "nonce": request["nonce"]},
            "presence_result", "software_confirmation_not_allowed")
    h.send({"type": "enroll_begin"})
    request = h.push("presence_request")
    h.push("enroll_result")
    equal(asks(h, first.get(request), "presence_result"), OK)
    options = asks(h, {"type": "enroll_begin"}, "enroll_options")
    equal(asks(h, second.create(options), "enroll_result")["ok"], True)
    equal([e["label"] for e in trust(w)["enrollments"]], ["chrome", "brave"])
    # The approval is spent.
    equal(asks(h, {"type": "enroll_begin"}, "enroll_result")["reason"],
          "presence_required")


def test_two_browsers_cannot_both_be_first(w):
    if not can_mount(w):
        return
    a = under_a_browser(w)
    b = under_a_browser(w)
    one = asks(a, {"type": "enroll_begin"}, "enroll_options")
    two = asks(b, {"type": "enroll_begin"}, "enroll_options")
    equal(asks(b, Key().create(two), "enroll_result")["ok"], True)
    refused(a, Key().create(one), "enroll_result", "machine_already_enrolled")
    equal(len(trust(w)["enrollments"]), 1)


def test_an_enrollment_from_elsewhere_is_refused(w):
    if not can_mount(w):
        return
    h = under_a_browser(w)
    for change, code in (
            ({"origin": "https://example.com"}, "origin_mismatch"),
            ({"rp": "example.com"}, "rp_id_mismatch"),
            ({"rp": EXTENSION_ID}, "rp_id_mismatch"),
            ({"more": ',"topOrigin":"https://example.com"'},
             "cross_origin")):
        options = asks(h, {"type": "enroll_begin"}, "enroll_options")
        refused(h, Key().create(options, **change), "enroll_result", code)
        refused(h, Key().create(options), "enroll_result",
                "no_enrollment_outstanding")
    check(not (w.state / "trust.json").exists(), "something was written")
    equal({r["outcome"] for r in audit(w)}, {"refused"})


def test_an_enrollment_that_cannot_be_written_is_said_to_be(w):
    if not can_mount(w):
        return
    h = under_a_browser(w)
    options = asks(h, {"type": "enroll_begin"}, "enroll_options")
    w.state.mkdir(0o700, parents=True, exist_ok=True)
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        h.send(Key().create(options))
        got = h.push("enroll_result", 10)
    check(got["reason"].startswith("store_error: ") and
          "records.mutex" in got["reason"], got)
    (w.state / "trust.json").write_text("{")
    got = refused(h, {"type": "enroll_begin"}, "enroll_result", "store_error")
    check("trust.json" in got["reason"], got)


# --------------------------------------------------------------------- taps

def test_a_tap_releases_the_switch_and_moves_the_counter(w):
    key, other = Key(count=7), Key()
    enrolled(w, (key, "brave"), (other, "chrome"), killed=True)
    h = host(w)
    request = release(h)
    equal(request["action"], "release the kill switch")
    equal(request["allowed_credential_ids"], [b64u(key.id)])
    frame = key.get(request)
    equal(asks(h, frame, "presence_result"), OK)
    equal(h.push("kill_status_result"), {"type": "kill_status_result",
                                         "ok": True, "killed": False})
    equal(trust(w)["killed"], False)
    equal(stored(w, "brave")[0]["sign_count"], 8)
    equal(stored(w, "chrome")[0]["sign_count"], 0)
    equal([(r["kind"], r["outcome"], r["detail"]) for r in audit(w)],
          [("presence_assert", "ok", f"act=kill_release; auth={key.hash}"),
           ("kill_release", "ok", f"auth={key.hash}")])
    # Once more, and for another request: nothing.
    refused(h, frame, "presence_result", "no_request_outstanding")


def test_a_tap_pairs_a_client_and_answers_for_pages(w):
    key = Key()
    enrolled(w, (key, "brave"))
    h = host(w)
    request = asks(h, {"type": "client_pair", "name": "x", "anchor": {
        "kind": "hash", "value": "ab" * 32}}, "presence_request")
    equal(asks(h, key.get(request), "presence_result"), OK)
    equal(h.push("client_pair_result")["ok"], True)
    equal([c["name"] for c in trust(w)["clients"]], ["x"])
    request = asks(h, {"type": "presence_begin", "action": "page_eval",
                       "origin": "https://example.com"}, "presence_request")
    equal(request["action"], "page_eval on https://example.com")
    equal(request["challenge"], challenge(
        "genkan-webauthn-presence-v1", "brave", request["action"],
        request["nonce"]))
    equal(asks(h, key.get(request), "presence_result"), OK)
    equal(audit(w)[-1]["detail"], "act=page_eval; "
          f"origin=https://example.com; auth={key.hash}")
    equal(stored(w)[0]["sign_count"], 2)


def test_an_answer_that_is_not_as_it_should_be(w):
    key, theirs = Key(count=5), Key()
    enrolled(w, (key, "brave"), (theirs, "chrome"), killed=True)
    h = host(w)

    def stale(request):
        key.count -= 1
        return key.get(request)

    def replayed(request):
        """Of an earlier request, its counter being as good as new."""
        return key.get({"challenge": challenge(
            "genkan-webauthn-presence-v1", "brave",
            "release the kill switch", "another")})

    def wrong_label(request):
        """Signed for what another browser would show."""
        return key.get({"challenge": challenge(
            "genkan-webauthn-presence-v1", "chrome", request["action"],
            request["nonce"])})

    def forged(request):
        return {**key.get(request), "signature": theirs.get(request)[
            "signature"]}

    def member(name, value):
        return lambda request: {**key.get(request), name: value}

    for made, code in (
            (theirs.get, "wrong_browser_label"),
            (Key().get, "credential_not_enrolled"),
            (stale, "sign_count_not_increased"),
            (replayed, "challenge_mismatch"),
            (wrong_label, "challenge_mismatch"),
            (forged, "signature_invalid"),
            (lambda r: key.get(r, origin="https://example.com"),
             "origin_mismatch"),
            (lambda r: key.get(r, origin=ORIGIN + "/"), "origin_mismatch"),
            (lambda r: key.get(r, rp="example.com"), "rp_id_mismatch"),
            (lambda r: key.get(r, rp=EXTENSION_ID), "rp_id_mismatch"),
            (lambda r: key.get(r, flags=0x04), "user_not_present"),
            (lambda r: key.get(r, flags=0x0d), "backup_eligibility_changed"),
            (lambda r: key.get(r, flags=0x15),
             "authdata_backup_state_without_eligibility"),
            (lambda r: key.get(r, flags=0x85), "authdata_extensions"),
            (lambda r: key.get(r, flags=0x07), "authdata_reserved_flags"),
            (lambda r: key.get(r, flags=0x45),
             "unexpected_attested_credential"),
            (lambda r: key.get(r, more=',"topOrigin":"x"'), "cross_origin"),
            (lambda r: key.get(r, more=',"type":"webauthn.get"'),
             "client_data_malformed"),
            (member("authenticator_data", b64u(bytes(36))),
             "authdata_too_short"),
            (member("client_data_json", ""), "client_data_malformed"),
            (member("signature", ""), "signature_malformed"),
            (member("signature", b64u(bytes(73))), "encoding"),
            (member("signature", "A"), "encoding"),
            (member("credential_id", "A" * 1365), "encoding"),
            (member("authenticator_data", "AA=="), "encoding"),
            (member("client_data_json", "+/"), "encoding")):
        request = release(h)
        got = refused(h, made(request), "presence_result", code)
        equal(trust(w)["killed"], True, code)
        equal(audit(w)[-1]["code"], code)
        if code == "encoding":
            check(": " in got["reason"], got)
    equal(stored(w, "brave")[0]["sign_count"], 5)
    # The key still works.
    equal(asks(h, key.get(release(h)), "presence_result"), OK)
    until(lambda: not trust(w)["killed"])


def test_the_counter_is_written_first_or_nothing_happens(w):
    key = Key()
    enrolled(w, (key, "brave"), killed=True)
    h = host(w)
    request = release(h)
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        h.send(key.get(request))
        got = h.push("presence_result", 10)
    equal([got["ok"], got["reason"].split(": ")[0]], [False, "store_error"])
    equal([trust(w)["killed"], stored(w)[0]["sign_count"]], [True, 0])
    request = release(h)
    (w.state / "trust.json").write_text("[]")
    refused(h, key.get(request), "presence_result", "store_error")


def test_two_hosts_do_not_take_one_answer_twice(w):
    """Same label, same key: the counter decides under the lock."""
    key = Key()
    enrolled(w, (key, "brave"), killed=True)
    a, b = host(w), host(w)
    one, two = release(a), release(b)
    first, second = key.get(one), key.get(two)
    equal(asks(b, second, "presence_result"), OK)
    refused(a, first, "presence_result", "sign_count_not_increased")


def test_an_answer_after_the_connection_died_does_nothing(w):
    key = Key()
    enrolled(w, (key, "brave"), killed=True)
    h = host(w)
    request = release(h)
    before = (w.state / "trust.json").read_bytes()
    h.close_stdin()
    h.wait()
    h = host(w)
    refused(h, key.get(request), "presence_result", "no_request_outstanding")
    refused(h, {"type": "presence_confirm", "nonce": request["nonce"]},
            "presence_result", "no_request_outstanding")
    equal((w.state / "trust.json").read_bytes(), before)
    # Nor does one that was still waiting for the lock when it died.
    request = release(h)
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        h.send(key.get(request))
        h.send({"type": "kill_status"})
        h.kill()
        h.p.wait(5)
    equal((w.state / "trust.json").read_bytes(), before)


def test_a_kill_takes_the_request_away(w):
    key = Key()
    enrolled(w, (key, "brave"), killed=True)
    h = host(w)
    request = release(h)
    equal(run(w, "kill").status, 0)
    h.push("kill_status_result")
    # Engaged again by somebody else meanwhile: the act says so.
    equal(asks(h, key.get(request), "presence_result"), OK)
    got = h.push("kill_status_result")
    equal(got["ok"], False)
    check("again" in got["error"], got)
    equal(trust(w)["killed"], True)
    request = release(h)
    asks(h, {"type": "kill_engage"}, "kill_status_result")
    refused(h, key.get(request), "presence_result", "no_request_outstanding")


# ------------------------------------------------------------ started by hand

def test_a_host_started_by_hand_grants_nothing_under_any_label(w):
    """Neither a click nor a frame becomes a grant."""
    labels = ["chrome", "chromium", "brave", "edge", "vivaldi", "opera",
              "default", "anything", None]
    w.trust(None, killed=True, epoch=3, kill=3)
    before = (w.state / "trust.json").read_bytes()
    for label in labels:
        h = host(w, label)
        refused(h, {"type": "enroll_begin"}, "enroll_result",
                "software_confirmation_not_allowed")
        refused(h, Key().create({"challenge": b64u(bytes(32))}),
                "enroll_result", "no_enrollment_outstanding")
        for frame in ({"type": "kill_release"},
                      {"type": "client_pair", "name": "x", "anchor": {
                          "kind": "hash", "value": "ab" * 32}},
                      {"type": "presence_begin", "action": "page_eval",
                       "origin": "https://example.com"},
                      {"type": "presence_begin", "action": "page_upload",
                       "origin": "https://example.com"}):
            request = asks(h, frame, "presence_request")
            refused(h, {"type": "presence_confirm",
                        "nonce": request["nonce"]}, "presence_result",
                    "software_confirmation_not_allowed")
            # Nor does a key that nobody enrolled.
            request = asks(h, frame, "presence_request")
            refused(h, Key().get(request), "presence_result",
                    "credential_not_enrolled")
        equal((w.state / "trust.json").read_bytes(), before)
        h.close_stdin()
        equal(h.wait(), 0)


def test_forgetting_a_browser_is_free_and_ends_what_it_could_do(w):
    key, other = Key(), Key()
    enrolled(w, (key, "brave"), (other, "chrome"), killed=True)
    h = host(w)
    request = release(h)
    equal(asks(h, {"type": "browser_revoke"}, "browser_revoke_result"),
          {"type": "browser_revoke_result", "ok": True})
    refused(h, key.get(request), "presence_result", "credential_not_enrolled")
    equal([e["label"] for e in trust(w)["enrollments"]], ["chrome"])
    refused(h, {"type": "browser_revoke"}, "browser_revoke_result",
            "not_enrolled")
    equal(run(w, "revoke", "chrome").status, 0)
    equal(trust(w)["enrollments"], [])


if __name__ == "__main__":
    harness.main(globals())
