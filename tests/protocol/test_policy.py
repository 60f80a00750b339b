"""The policy: what a person sets, what anybody may tighten, what comes back,
and what a running server and a running host make of it.  The language too."""
import base64
import fcntl
import hashlib
import json
import os
import signal
import time

import authenticator
import cli
import harness
from authenticator import Key, b64u
from cli import answer, audit, run, trust
from harness import check, equal, until
from test_parent import can_mount, under_a_browser

FIELDS = ["cdpMode", "fileUploadEnabled", "handleDialogEnabled",
          "pageEvalEnabled", "confirmHighRiskClick", "confirmPageEval",
          "presenceConfirm", "confirmTabClose", "warnPreciseSnapshot",
          "evalMask", "hostReverifyMs", "confirmGraceMs",
          "clickToastTimeoutMs", "evalToastTimeoutMs", "disabledTools"]
DENY = dict(zip(FIELDS, [False] * 4 + [True] * 6 +
                [0, 60000, 30000, 45000, []]))
FLAGS = ["--cdp-mode", "--file-upload", "--handle-dialog", "--page-eval",
         "--confirm-high-risk-click", "--confirm-page-eval",
         "--presence-confirm", "--confirm-tab-close",
         "--warn-precise-snapshot", "--eval-mask", "--host-reverify-ms",
         "--confirm-grace-ms", "--click-toast-timeout-ms",
         "--eval-toast-timeout-ms", "--disabled-tools"]
SCALAR = 0x0b5c1d2e3f405162738495a6b7c8d9eaf00112233445566778899aabbccddeef
FIXTURE = int.from_bytes(bytes(range(1, 33)), "big")


def key(w, scalar=SCALAR):
    w.record("host_key.json", {"version": 0, "scalar": base64.b64encode(
        scalar.to_bytes(32, "big")).decode()})


def key_id(scalar=SCALAR):
    x, y = authenticator._mul(scalar, authenticator.G)
    return hashlib.sha256(b"\x04" + x.to_bytes(32, "big") +
                          y.to_bytes(32, "big")).hexdigest()


def verifies(document, sig, scalar=SCALAR):
    """ECDSA over the message of 3.2, in the integers of Python."""
    n = authenticator.N
    digest = hashlib.sha256(b"genkan-policy-v1\0" + document).digest()
    e = int.from_bytes(digest, "big")
    r, s = int.from_bytes(sig[:32], "big"), int.from_bytes(sig[32:], "big")
    w = pow(s, -1, n)
    point = authenticator._add(
        authenticator._mul(e * w % n, authenticator.G),
        authenticator._mul(r * w % n, authenticator._mul(
            scalar, authenticator.G)))
    return point[0] % n == r


def stored(w):
    """The record, its document, both checked by hand."""
    rec = json.loads((w.state / "policy.json").read_text())
    document = base64.b64decode(rec["baseline_b64"], validate=True)
    check(verifies(document, base64.b64decode(rec["sig_b64"])), rec)
    equal(rec["key_id"], key_id())
    doc = json.loads(document)
    equal(list(doc), ["v", "revision", "touched", *FIELDS])
    equal(document, json.dumps(doc, separators=(",", ":")).encode())
    return rec, doc


def show(w):
    got = run(w, "policy", "show", "--json")
    equal(got.status, 0, got)
    return json.loads(got.out)


def granted(w, *args):
    key(w)
    got = answer(w, "policy", "set", *args)
    equal(got.status, 0, got)
    return got


def host(w, label="brave"):
    h = w.host(label, hello=False)
    h.push("policy_current")
    return h


def works(s):
    s.tool_text("tab_list")


def refused(s, tool, part, **arguments):
    got = s.tool(tool, **arguments)
    text = got["content"][0]["text"]
    equal([got["isError"], harness.code_of(got)], [True, "TOOL_DISABLED"],
          text)
    check(part in text, text)


def asks(h, frame, tag):
    h.send(frame)
    return h.push(tag)


# --------------------------------------------------------------- arguments

def test_wrong_arguments_are_usage_and_touch_nothing(w):
    for args in (["set"], ["restrict"], ["set", "--json"], ["rollback"],
                 ["rollback", "--revision"], ["rollback", "--revision", "0"],
                 ["rollback", "--revision", "-1"],
                 ["rollback", "--revision", "1.0"],
                 ["rollback", "--revision", "9007199254740992"],
                 ["rollback", "--revision", "1", "--revision", "1"],
                 ["rollback", "--revision", "1", "--entry"],
                 ["rollback", "--entry", "x"], ["show", "x"],
                 ["show", "--json", "--json"], ["history", "--all"],
                 ["restrict", "--cdp-mode", "off", "--json"],
                 ["set", "--cdp-mode"], ["set", "--cdp-mode", "true"],
                 ["set", "--cdp-mode", ""], ["set", "--cdp-mode", "ON"],
                 ["set", "--cdp-mode", "on", "--cdp-mode", "on"],
                 ["set", "--confirm-grace-ms", "1s"],
                 ["set", "--confirm-grace-ms", "-1"],
                 ["set", "--confirm-grace-ms", ""],
                 ["set", "--confirm-grace-ms", "9007199254740992"],
                 ["set", "--disabled-tools"],
                 ["set", "--disabled-tools", " a"],
                 ["set", "--disabled-tools", "a\n"],
                 ["set", "--disabled-tools", "x" * 129],
                 ["set", "--disabled-tools",
                  ",".join(str(i) for i in range(257))],
                 ["set", "--unknown", "on"], ["set", "on"], ["frobnicate"],
                 []):
        got = run(w, "policy", *args)
        equal([got.status, got.out], [2, ""], args)
        check("genkan: " in got.err, got)
    for args in (["x"], ["set"], ["set", "de"], ["set", ""], ["show", "x"],
                 ["set", "en", "en"], ["--json"]):
        got = run(w, "lang", *args)
        equal([got.status, got.out], [2, ""], args)
    check(not w.state.exists(), "something was written")


def test_a_name_that_is_no_tool_is_kept_and_told(w):
    got = granted(w, "--disabled-tools", "page_eval")
    check("has no tool" not in got.out, got)
    got = run(w, "policy", "restrict", "--disabled-tools",
              "page_eval,page_evl")
    equal(got.status, 0, got)
    check('no tool "page_evl"; it stays' in got.err, got)
    equal(show(w)["effective"]["disabledTools"], ["page_eval", "page_evl"])
    # Nothing new was written, so nothing is said again.
    got = run(w, "policy", "restrict", "--cdp-mode", "off")
    check("has no tool" not in got.err, got)
    got = answer(w, "policy", "set", "--disabled-tools", "a,page_eval,b,c")
    equal(got.status, 0, got)
    check('no tool "a", and 2 more' in got.out, got)


def test_help_names_the_subcommands(w):
    got = run(w, "policy", "--help")
    equal([got.status, got.err], [0, ""])
    for part in ("show [--json]", "history [--json]", "set FIELD-FLAGS",
                 "restrict FIELD-FLAGS", "rollback --revision N"):
        check(part in got.out, part)


def test_help_says_what_each_field_means(w):
    got = run(w, "policy", "--help")
    lines = dict(line.split(None, 1) for line in got.out.splitlines()
                 if line.startswith("  --"))
    equal(list(lines)[-len(FLAGS):], FLAGS)
    for flag, default in zip(FLAGS, DENY.values()):
        loose = {"True": "[off]", "False": "[on]"}.get(str(default), "")
        check(lines[flag].endswith(loose), lines[flag])
        check(lines[flag].split()[0] not in FIELDS, lines[flag])


# -------------------------------------------------------------------- show

def test_before_the_first_set(w):
    equal(show(w), {"v": 1, "store": "none"})
    lines = run(w, "policy", "show").out.splitlines()
    equal(len(lines), 16)
    equal([x[:22].rstrip() for x in lines[1:]], FIELDS)
    equal(lines[1], "cdpMode                off")
    equal(json.loads(run(w, "policy", "history", "--json").out),
          {"v": 1, "entries": []})
    check(not w.state.exists(), "looking made the directory")
    for args in (["policy", "restrict", "--cdp-mode", "off"],
                 ["policy", "rollback", "--revision", "1"]):
        got = run(w, *args)
        equal([got.status, got.out], [1, ""], got)
    check("policy set" in run(w, "policy", "restrict", "--cdp-mode",
                              "off").err)


def test_a_disposal_left_disabled_tools(w):
    w.record("policy.json", '{"version":0,"overlay":{"disabledTools":'
             '["page_eval","b"]}}')
    equal(show(w), {"v": 1, "store": "none",
                    "kept_disabled_tools": ["page_eval", "b"]})
    key(w)
    got = answer(w, "policy", "set", "--page-eval", "on")
    equal(got.status, 0, got)
    rec, doc = stored(w)
    equal([doc["revision"], doc["touched"], doc["disabledTools"]],
          [1, ["pageEvalEnabled"], []])
    equal(rec["overlay"], {"disabledTools": ["page_eval", "b"]})
    equal(json.loads(run(w, "policy", "history", "--json").out)["entries"],
          [])


def test_a_damaged_record_is_an_error_everywhere(w):
    key(w)
    for text in ("{", '{"version":0}', '{"version":1,"baseline_b64":"e30="}',
                 '{"version":0,"baseline_b64":"e30="}'):
        w.record("policy.json", text)
        got = run(w, "policy", "show", "--json")
        equal(got.status, 1)
        out = json.loads(got.out)
        equal([out["v"], out["store"], sorted(out)],
              [1, "error", ["detail", "store", "v"]])
        check("policy.json" in out["detail"], out)
        equal(run(w, "policy", "show").status, 1)
        for args in (["set", "--cdp-mode", "on", "--json"],
                     ["rollback", "--revision", "1", "--json"]):
            got = cli.Terminal(w, "policy", *args).end()
            equal(got.status, 1, got)
            check('{"v":1,"error":"' in got.out and "go on" not in got.out,
                  got)
        equal(run(w, "policy", "restrict", "--cdp-mode", "off").status, 1)
        equal((w.state / "policy.json").read_text(), text)
    h = host(w)
    got = asks(h, {"type": "policy_get"}, "policy_current")
    equal([got["ok"], "baseline" in got], [False, False])
    check("policy.json" in got["error"], got)


# --------------------------------------------------------------------- set

def test_a_person_sets_it_at_a_terminal(w):
    key(w)
    t = cli.Terminal(w, "policy", "set", "--page-eval", "on",
                     "--disabled-tools", "b,,a,b,", "--json")
    t.until("go on: ")
    check("set policy: pageEvalEnabled=on,disabledTools=[b,a]" in t.seen,
          t.seen)
    check(not (w.state / "policy.json").exists(), "written before the answer")
    got = t.type("allow\n").end()
    equal(got.status, 0, got)
    rec, doc = stored(w)
    equal(doc, {"v": 1, "revision": 1, "touched": ["pageEvalEnabled",
                                                  "disabledTools"],
                **DENY, "pageEvalEnabled": True, "disabledTools": ["b", "a"]})
    check("overlay" not in rec, rec)
    effective = {**DENY, "pageEvalEnabled": True, "disabledTools": ["b", "a"]}
    equal(json.loads([x for x in got.out.splitlines()
                      if x.startswith("{")][-1]), show(w))
    equal(show(w), {"v": 1, "store": "present", "revision": 1,
                    "signed": True, "overlay_active": False,
                    "effective": effective})
    equal(list(show(w)["effective"]), FIELDS)
    equal([trust(w)[k] for k in ("epoch", "policy_epoch", "kill_epoch")],
          [1, 1, 0])
    last = audit(w)[-1]
    equal([last[k] for k in ("kind", "surface", "outcome", "detail")],
          ["policy_write", "cli", "ok",
           "auth=tty; touched=pageEvalEnabled,disabledTools"])
    equal(oct((w.state / "policy.json").stat().st_mode & 0o7777), oct(0o600))
    # The second one: what is not named stays, and the old one is kept.
    equal(answer(w, "policy", "set", "--confirm-grace-ms", "007").status, 0)
    rec, doc = stored(w)
    equal([doc["revision"], doc["touched"], doc["confirmGraceMs"],
           doc["pageEvalEnabled"]], [2, ["confirmGraceMs"], 7, True])
    equal(answer(w, "policy", "set", "--disabled-tools", "").status, 0)
    equal(stored(w)[1]["disabledTools"], [])
    entries = json.loads(run(w, "policy", "history", "--json").out)["entries"]
    equal([e["revision"] for e in entries], [1, 2])


def test_every_flag_reaches_its_field(w):
    args = []
    want = {}
    for i, (flag, field) in enumerate(zip(FLAGS, FIELDS)):
        value = "on" if i < 4 else "off" if i < 10 else str(1000 + i)
        if field == "disabledTools":
            value = "x"
        args += [flag, value]
        want[field] = {"on": True, "off": False, "x": ["x"]}.get(
            value, 1000 + i)
    granted(w, *args)
    equal(show(w)["effective"], want)
    equal(stored(w)[1]["touched"], FIELDS)


def test_nothing_but_a_person_grants(w):
    key(w)
    args = ["policy", "set", "--cdp-mode", "on"]
    for got in (run(w, *args), run(w, *args, text="allow\n")):
        equal(got.status, 1, got)
        check("not a terminal" in got.err, got)
    got = json.loads(run(w, *args, "--json").out)
    equal(sorted(got), ["error", "v"])
    check("not a terminal" in got["error"], got)
    for text in ("\n", "yes\n", "Allow\n", "allow it\n", "\x04"):
        got = answer(w, *args, text=text)
        equal(got.status, 1, got)
        check("declined" in got.err, got)
    check(not (w.state / "policy.json").exists(), "written")
    equal({(r["kind"], r["outcome"], r["detail"]) for r in audit(w)},
          {("policy_write", "refused", "presence: not_interactive"),
           ("policy_write", "refused", "presence: declined")})


def test_without_a_key_there_is_no_grant_lane(w):
    key(w)
    granted(w, "--cdp-mode", "on", "--disabled-tools", "a")
    before = (w.state / "policy.json").read_bytes()
    for prepare in (lambda: (w.state / "host_key.json").unlink(),
                    lambda: key(w, FIXTURE),
                    lambda: w.record("host_key.json", "{"),
                    lambda: w.record("host_key.json", {
                        "version": 0, "scalar": "A" * 43 + "="})):
        prepare()
        for args in (["set", "--page-eval", "on"],):
            got = cli.Terminal(w, "policy", *args).end(20)
            equal(got.status, 1, got)
            check("no usable host key" in got.err and
                  "go on" not in got.err, got)
    # A restriction needs none.
    equal(run(w, "policy", "restrict", "--cdp-mode", "off").status, 0)
    check((w.state / "policy.json").read_bytes() != before, "not restricted")
    # Undoing it does.
    got = cli.Terminal(w, "policy", "rollback", "--revision", "1").end(20)
    equal(got.status, 1, got)
    check("no usable host key" in got.err, got)


def test_what_moves_while_a_person_thinks_is_a_conflict(w):
    granted(w, "--cdp-mode", "on")
    moves = (
        lambda: run(w, "policy", "restrict", "--confirm-grace-ms", "1"),
        lambda: answer(w, "policy", "set", "--eval-mask", "off"),
        lambda: w.trust(None, epoch=90, host_key=90),
        lambda: (w.state / "policy.json").unlink())
    for move in moves:
        t = cli.Terminal(w, "policy", "set", "--page-eval", "on")
        t.until("go on: ")
        move()
        before = (w.state / "policy.json").read_bytes() if (
            w.state / "policy.json").exists() else None
        got = t.type("allow\n").end()
        equal(got.status, 1, got)
        check("conflict" in got.err, got)
        after = (w.state / "policy.json").read_bytes() if (
            w.state / "policy.json").exists() else None
        equal(after, before)
        last = audit(w)[-1]
        equal([last["kind"], last["outcome"]], ["policy_write", "error"])


def test_a_policy_written_is_whole_whatever_happens_to_the_writer(w):
    """Killed at some instant, over and over."""
    granted(w, "--cdp-mode", "on")
    for i in range(12):
        before = show(w)["revision"]
        t = cli.Terminal(w, "policy", "set", "--confirm-grace-ms", str(i))
        t.until("go on: ").type("allow\n")
        time.sleep(i * 0.0015)
        os.kill(t.pid, signal.SIGKILL)
        t.end()
        rec, doc = stored(w)
        check(doc["revision"] in (before, before + 1), doc)
        equal(run(w, "policy", "history").status, 0)
    granted(w, "--confirm-grace-ms", "77")
    equal(show(w)["effective"]["confirmGraceMs"], 77)


def test_the_record_lock_is_waited_for_and_named(w):
    granted(w, "--cdp-mode", "on")
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        began = time.monotonic()
        got = run(w, "policy", "restrict", "--cdp-mode", "off")
        equal(got.status, 1, got)
        check("records.mutex" in got.err, got)
        check(1.9 < time.monotonic() - began < 6 * harness.SLOW, "2 s")
        equal(run(w, "lang", "set", "zh_TW").status, 1)
    equal(show(w)["effective"]["cdpMode"], True)


def test_ten_writers_at_once_lose_nothing(w):
    granted(w, "--cdp-mode", "on")
    tools = [f"t{i}" for i in range(10)]
    procs = [cli.start(w, "policy", "restrict", "--confirm-grace-ms",
                       str(1000 - i)) for i in range(10)]
    done = []
    for i, p in enumerate(procs):
        p.communicate(timeout=60)
        if p.returncode == 0:
            done.append(1000 - i)
    check(done, tools)
    equal(show(w)["effective"]["confirmGraceMs"], min(done))
    entries = json.loads(run(w, "policy", "history", "--json").out)["entries"]
    equal(len(entries), len(done))
    equal(trust(w)["policy_epoch"], 1 + len(done))


# ---------------------------------------------------------------- restrict

def test_anybody_may_tighten_and_nobody_may_loosen(w):
    granted(w, "--cdp-mode", "on", "--page-eval", "on",
            "--host-reverify-ms", "5000", "--disabled-tools", "a")
    signed = stored(w)[0]["baseline_b64"]
    got = run(w, "policy", "restrict", "--page-eval", "off",
              "--disabled-tools", "b,a", "--host-reverify-ms", "4000")
    equal(got.status, 0, got)
    rec, doc = stored(w)
    equal(rec["baseline_b64"], signed)
    equal(rec["overlay"], {"pageEvalEnabled": False, "hostReverifyMs": 4000,
                           "disabledTools": ["b", "a"]})
    now = show(w)
    equal([now["revision"], now["overlay_active"],
           now["effective"]["pageEvalEnabled"], now["effective"]["cdpMode"]],
          [1, True, False, True])
    lines = run(w, "policy", "show").out.splitlines()
    equal([x.split()[0] for x in lines if "(restricted)" in x],
          ["pageEvalEnabled", "hostReverifyMs", "disabledTools"])
    last = audit(w)[-1]
    equal([last["outcome"], last["detail"]],
          ["ok", "auth=none; restricted=pageEvalEnabled,hostReverifyMs,"
           "disabledTools"])
    before = (w.state / "policy.json").read_bytes()
    epoch = trust(w)["epoch"]
    for args in (["--page-eval", "on"], ["--disabled-tools", "b"],
                 ["--disabled-tools", ""], ["--host-reverify-ms", "0"],
                 ["--host-reverify-ms", "4001"], ["--eval-mask", "off"],
                 ["--cdp-mode", "off", "--confirm-grace-ms", "60001"]):
        got = run(w, "policy", "restrict", *args)
        equal(got.status, 1, args)
        check("loosen" in got.err, got)
    # What stands already is success and writes nothing.
    equal(run(w, "policy", "restrict", "--disabled-tools", "a,b").status, 0)
    equal((w.state / "policy.json").read_bytes(), before)
    equal(trust(w)["epoch"], epoch)


# ------------------------------------------------------ history, rollback

def test_rolling_back(w):
    granted(w, "--cdp-mode", "on", "--disabled-tools", "a")
    granted(w, "--cdp-mode", "off", "--page-eval", "on")
    first = json.loads(run(w, "policy", "history", "--json").out)
    equal(first["v"], 1)
    entry, = first["entries"]
    equal([entry["revision"], entry["signed"], entry["overlay_active"],
           entry["held"]], [1, True, False, {**DENY, "cdpMode": True,
                                            "disabledTools": ["a"]}])
    check(abs(entry["superseded_unix"] - time.time()) < 60, entry)
    ring = json.loads((w.state / "policy-history.json").read_text())
    row = ring["entries"][0]
    equal(entry["id"], hashlib.sha256("\0".join([
        row["baseline_b64"], row["sig_b64"], row["key_id"], "",
        str(row["superseded_unix"])]).encode()).hexdigest())
    # Both directions at once: a person, a new revision, new bytes.
    t = cli.Terminal(w, "policy", "rollback", "--revision", "1", "--json")
    t.until("go on: ")
    check("roll policy back to revision 1: cdpMode=on,pageEvalEnabled=off"
          in t.seen, t.seen)
    got = t.type("allow\n").end()
    equal(got.status, 0, got)
    rec, doc = stored(w)
    equal([doc["revision"], doc["touched"]],
          [3, ["cdpMode", "pageEvalEnabled"]])
    check(rec["baseline_b64"] != row["baseline_b64"], "old bytes")
    equal(show(w)["effective"], entry["held"])
    # To what is in force: nothing.
    before = trust(w)["epoch"]
    got = run(w, "policy", "rollback", "--revision", "1", "--json")
    equal([got.status, json.loads(got.out)], [0, show(w)])
    equal(trust(w)["epoch"], before)
    # Only tighter: nobody is asked.
    equal(run(w, "policy", "restrict", "--confirm-grace-ms", "5").status, 0)
    granted(w, "--confirm-grace-ms", "9")
    entries = json.loads(run(w, "policy", "history", "--json").out)["entries"]
    tight = [e for e in entries if e["overlay_active"]][0]
    equal(tight["revision"], 3)
    got = run(w, "policy", "rollback", "--revision", "3")
    equal(got.status, 1, got)
    check("ambiguous" in got.err, got)
    got = run(w, "policy", "rollback", "--revision", "3", "--entry",
              tight["id"], "--json")
    equal(got.status, 0, got)
    equal(json.loads(got.out)["effective"]["confirmGraceMs"], 5)
    equal(stored(w)[0]["overlay"], {"confirmGraceMs": 5})
    equal(audit(w)[-1]["detail"], "auth=none; restricted=confirmGraceMs")
    for args, part in ((["--revision", "7"], "available revisions: 1, 2, 3"),
                       (["--revision", "1", "--entry", tight["id"]],
                        "another revision"),
                       (["--revision", "1", "--entry", "x"], "no such")):
        got = run(w, "policy", "rollback", *args)
        equal(got.status, 1, got)
        check(part in got.err, got)


def test_a_damaged_row_and_a_damaged_ring(w):
    granted(w, "--cdp-mode", "on")
    granted(w, "--cdp-mode", "off")
    path = w.state / "policy-history.json"
    ring = json.loads(path.read_text())
    ring["entries"].insert(0, {"baseline_b64": "e30=",
                               "superseded_unix": 2**53})
    w.record("policy-history.json", ring)
    out = json.loads(run(w, "policy", "history", "--json").out)["entries"]
    equal([[e["revision"], e["held"], e["signed"], e["superseded_unix"]]
           for e in out[:1]], [[None, None, False, None]])
    equal(out[1]["revision"], 1)
    equal(len(run(w, "policy", "history").out.splitlines()), 2)
    granted(w, "--cdp-mode", "on")
    equal(len(json.loads(path.read_text())["entries"]), 3)
    for text in ("{", '{"version":0,"entries":[1]}', "x" * 300000):
        w.record("policy-history.json", text)
        got = run(w, "policy", "history", "--json")
        equal(got.status, 1)
        check("policy-history.json" in json.loads(got.out)["error"], got)
        equal(run(w, "policy", "rollback", "--revision", "1").status, 1)
        # It blocks no write, and the next one begins anew.
        granted(w, "--cdp-mode", "on")
        equal(len(json.loads(path.read_text())["entries"]), 1)


def test_the_ring_is_bounded_by_bytes(w):
    names = ",".join(f"{i:03}" + "x" * 120 for i in range(256))
    granted(w, "--disabled-tools", names)
    for i in range(8):
        got = run(w, "policy", "restrict", "--confirm-grace-ms", str(99 - i))
        equal(got.status, 0, got)
    path = w.state / "policy-history.json"
    check(path.stat().st_size <= 262144, path.stat().st_size)
    entries = json.loads(run(w, "policy", "history", "--json").out)["entries"]
    check(2 <= len(entries) < 8, len(entries))
    equal(json.loads(path.read_text())["entries"][-1]["overlay"],
          {"confirmGraceMs": 93})


# ---------------------------------------------------- what others make of it

def test_a_running_server_obeys_with_the_next_call(w):
    s = w.server()
    s.initialize()
    s.wait_log("-> broker")
    h = w.host("a", ops={"tab_list": lambda a, f: ["x"],
                         "console_get": lambda a, f: {"messages": []}})
    h.attached()
    works(s)
    granted(w, "--page-eval", "on")
    h.push("policy_current")
    refused(s, "console_get", "cdpMode", tabId=1)
    works(s)
    equal(run(w, "policy", "restrict", "--disabled-tools",
              "tab_list").status, 0)
    refused(s, "tab_list", "disabled tools")
    granted(w, "--disabled-tools", "")
    works(s)
    # Damaged: nothing passes, whatever the defaults would say.
    good = (w.state / "policy.json").read_text()
    w.record("policy.json", good[:-10])
    refused(s, "tab_list", "policy.json")
    w.record("policy.json", '{"version":0,"overlay":{"disabledTools":'
             '["tab_list"]}}')
    refused(s, "tab_list", "disabled tools")
    (w.state / "policy.json").unlink()
    works(s)


def test_a_running_host_pushes_what_was_written(w):
    h = host(w)
    h.push("lang_current")
    granted(w, "--cdp-mode", "on")
    got = h.push("policy_current")
    equal([got["ok"], sorted(got)], [True, ["baseline", "ok", "sig", "type"]])
    rec, doc = stored(w)
    equal([got["baseline"], got["sig"]], [rec["baseline_b64"],
                                          rec["sig_b64"]])
    equal(run(w, "policy", "restrict", "--cdp-mode", "off").status, 0)
    equal(h.push("policy_current")["overlay"], {"cdpMode": False})
    equal(run(w, "lang", "set", "zh_CN").status, 0)
    equal(h.push("lang_current"),
          {"type": "lang_current", "value": "zh_CN", "seq": 1})


# ------------------------------------------------------------------- frames

def test_the_extension_restricts_and_reads_the_history(w):
    granted(w, "--page-eval", "on")
    h = host(w)
    h.send({"type": "policy_restrict", "overlay": {"pageEvalEnabled": False}})
    equal(h.push("policy_restrict_result"),
          {"type": "policy_restrict_result", "ok": True})
    got = h.push("policy_current")
    equal(got["overlay"], {"pageEvalEnabled": False})
    last = audit(w)[-1]
    equal([last[k] for k in ("kind", "surface", "outcome", "detail")],
          ["policy_write", "extension", "ok",
           "auth=none; restricted=pageEvalEnabled"])
    got = asks(h, {"type": "policy_restrict",
                   "overlay": {"pageEvalEnabled": True}},
               "policy_restrict_result")
    equal(got["ok"], False)
    equal(got["error"], run(w, "policy", "restrict", "--page-eval",
                            "on").err.removeprefix("genkan: ").strip())
    got = asks(h, {"type": "policy_history"}, "policy_history_result")
    row, = got["entries"]
    ours, = json.loads(run(w, "policy", "history", "--json").out)["entries"]
    equal(row, {"id": ours["id"], "signed": True, "overlay_active": False,
                "superseded_unix": ours["superseded_unix"],
                "held": {"revision": 1, "effective": ours["held"]}})
    for frame in ({"type": "policy_set"}, {"type": "policy_rollback"},
                  {"type": "policy_history", "x": 1},
                  {"type": "policy_set", "overlay": {"cdpMode": "on"}}):
        got = asks(h, frame, frame["type"] + "_result")
        check(got["ok"] is False and "malformed" in got["error"], got)


def test_a_host_started_by_hand_takes_no_click_for_a_policy(w):
    key(w)
    h = host(w)
    request = asks(h, {"type": "policy_set", "overlay": {"cdpMode": True}},
                   "presence_request")
    equal([request["action"], request["allowed_credential_ids"]],
          ["set policy: cdpMode=on", []])
    got = asks(h, {"type": "presence_confirm", "nonce": request["nonce"]},
               "presence_result")
    check(got["reason"].startswith("software_confirmation_not_allowed: ") and
          "genkan policy set" in got["reason"], got)
    check(not (w.state / "policy.json").exists(), "written")


def test_the_extension_sets_and_rolls_back_with_a_click(w):
    if not can_mount(w):
        return
    key(w)
    h = under_a_browser(w)

    seen = []
    take = h._take
    h._take = lambda f: (seen.append(f["type"]), take(f))

    def after(kind):
        return seen[seen.index(kind):] if kind in seen else []

    def confirm(frame, action):
        """What comes from the result on; the watch may push at any time."""
        request = asks(h, frame, "presence_request")
        equal(request["action"], action)
        del seen[:]
        h.send({"type": "presence_confirm", "nonce": request["nonce"]})
        until(lambda: "policy_current" in after("presence_result"), 10)
        return after("presence_result")[:3]

    equal(confirm({"type": "policy_set", "overlay": {
        "pageEvalEnabled": True, "disabledTools": ["a"]}},
        "set policy: pageEvalEnabled=on,disabledTools=[a]"),
        ["presence_result", "policy_set_result", "policy_current"])
    equal(stored(w)[1]["touched"], ["pageEvalEnabled", "disabledTools"])
    confirm({"type": "policy_set", "overlay": {"pageEvalEnabled": False}},
            "set policy: pageEvalEnabled=off")
    equal(confirm({"type": "policy_rollback", "revision": 1},
                  "roll policy back to revision 1: pageEvalEnabled=on"),
          ["presence_result", "policy_rollback_result", "policy_current"])
    equal(stored(w)[1]["revision"], 3)
    equal([r["detail"] for r in audit(w) if r["kind"] == "policy_write"],
          ["auth=confirm_window; touched=pageEvalEnabled,disabledTools",
           "auth=confirm_window; touched=pageEvalEnabled",
           "auth=confirm_window; touched=pageEvalEnabled"])


def test_a_tap_sets_a_policy_and_a_replay_does_not(w):
    key(w)
    tap = Key()
    w.trust(None)
    rec = trust(w)
    rec["enrollments"] = [tap.enrollment("brave")]
    w.record("trust.json", rec)
    h = host(w)
    request = asks(h, {"type": "policy_set", "overlay": {"cdpMode": True}},
                   "presence_request")
    equal(request["allowed_credential_ids"], [b64u(tap.id)])
    frame = tap.get(request)
    h.send(frame)
    equal(h.push("presence_result"), {"type": "presence_result", "ok": True})
    equal(h.push("policy_set_result")["ok"], True)
    equal(h.push("policy_current")["ok"], True)
    equal(stored(w)[1]["cdpMode"], True)
    equal(audit(w)[-1]["detail"], f"auth={tap.hash}; touched=cdpMode")
    # The proof paid for one write.
    equal(asks(h, frame, "presence_result")["reason"],
          "no_request_outstanding")
    request = asks(h, {"type": "policy_set", "overlay": {"evalMask": False}},
                   "presence_request")
    equal(asks(h, frame, "presence_result")["ok"], False)
    equal(show(w)["revision"], 1)


def test_a_text_beyond_its_bound_is_refused_before_any_request(w):
    key(w)
    h = host(w)
    fixed = len("set policy: disabledTools=[]")
    for extra, tag in ((0, "presence_request"), (1, "policy_set_result")):
        n = 1024 - fixed + extra
        names = []
        while n > 0:
            take = n if n <= 120 else 100
            names.append(chr(97 + len(names)) * take)
            n -= take + 1
        got = asks(h, {"type": "policy_set",
                       "overlay": {"disabledTools": names}}, tag)
        if extra:
            check("1024" in got["error"], got)
        else:
            equal(len(got["action"]), 1024)


# ----------------------------------------------------------------- language

def test_the_language(w):
    for args in ([], ["show"]):
        got = run(w, "lang", *args)
        equal([got.status, got.out], [0, "language: en\nseq: 0\n"])
    check(not w.state.exists(), "looking made the directory")
    equal(run(w, "lang", "set", "en").status, 0)
    check(not (w.state / "lang.json").exists(), "nothing was to be written")
    equal(run(w, "lang", "set", "auto").out, "language: auto\nseq: 1\n")
    equal(json.loads((w.state / "lang.json").read_text()),
          {"version": 0, "value": "auto", "seq": 1})
    equal(trust(w)["lang_epoch"], 1)
    equal(run(w, "lang", "set", "auto").out, "language: auto\nseq: 1\n")
    equal(trust(w)["epoch"], 1)
    h = host(w)
    h.push("lang_current")
    equal(asks(h, {"type": "lang_set", "value": "zh_TW"}, "lang_current"),
          {"type": "lang_current", "value": "zh_TW", "seq": 2})
    equal(run(w, "lang").out, "language: zh_TW\nseq: 2\n")
    equal(asks(h, {"type": "lang_set", "value": "xx"}, "lang_current")["seq"],
          2)
    w.record("lang.json", "{")
    for args in (["lang"], ["lang", "set", "en"]):
        got = run(w, *args)
        equal([got.status, got.out], [1, ""])
        check("lang.json" in got.err, got)
    equal((w.state / "lang.json").read_text(), "{")
    (w.state / "lang.json").unlink()
    w.record("trust.json", "{")
    equal(run(w, "lang", "set", "zh_CN").status, 1)
    check(not (w.state / "lang.json").exists(), "written without a stamp")
    equal(audit(w), [])


def test_another_state_directory_is_refused(w):
    s = w.server()
    s.initialize()
    s.wait_log("-> broker")
    home = w.dir / "other"
    home.mkdir()
    env = {"HOME": str(home)}
    for args in (["policy", "show", "--json"], ["policy", "history"],
                 ["policy", "restrict", "--cdp-mode", "off"], ["lang"],
                 ["lang", "set", "auto"]):
        got = run(w, *args, env=env)
        equal(got.status, 1, args)
        check(str(w.state) in got.err, got)
    equal(sorted(json.loads(run(w, "policy", "show", "--json",
                                env=env).out)), ["error", "v"])
    check(not list(home.iterdir()), "written")


def test_what_fails_before_anything_is_looked_at_says_so_in_json_too(w):
    env = {"HOME": "/" + 5000 * "x"}
    for args in (["show"], ["history"], ["set", "--cdp-mode", "on"],
                 ["rollback", "--revision", "1"]):
        got = run(w, "policy", *args, "--json", env=env)
        equal(got.status, 1, args)
        check("HOME" in got.err, got)
        out = json.loads(got.out)
        equal([out["v"], type(out["error"])], [1, str], args)
    equal(run(w, "policy", "show", env=env).out, "")


if __name__ == "__main__":
    harness.main(globals())
