"""What the extension asks of a host and only the disk can answer: the health
report, the registration with browsers, and its repair; through the real
host, against the words of the real command line."""
import hashlib
import json
import os
import random
import re
import shutil
import stat
import time

import harness
from cli import run, trust
from harness import check, equal, until

KEYS = ["chrome", "chromium", "brave", "edge", "vivaldi", "opera"]
VENDOR = {"chrome": "google-chrome", "chromium": "chromium",
          "brave": "BraveSoftware/Brave-Browser", "edge": "microsoft-edge",
          "vivaldi": "vivaldi", "opera": "opera"}
ME = hashlib.sha256(open("/proc/self/exe", "rb").read()).hexdigest()
NAME = "com.vivswan.genkan.host.json"


def manifest(w, key):
    return w.home / ".config" / VENDOR[key] / "NativeMessagingHosts" / NAME


def detected(w, *keys):
    for key in keys:
        (w.home / ".config" / VENDOR[key]).mkdir(parents=True)


def host(w, **kw):
    """In control-plane mode: no broker is there."""
    h = w.host("brave", hello=False, **kw)
    h.push("policy_current")
    h.push("lang_current")
    return h


def asks(h, frame, tag, seconds=15):
    h.send(frame)
    return h.push(tag, seconds)


def status(h):
    got = asks(h, {"type": "registration_status"},
               "registration_status_result")
    equal(sorted(got), ["browsers", "ok", "type"])
    equal(got["ok"], True)
    equal([r["browser"] for r in got["browsers"]], KEYS)
    for r in got["browsers"]:
        equal(sorted(r), ["browser", "detected", "location", "state"])
        equal(sorted(r["state"]), ["kind"] if r["state"]["kind"] in
              ("missing", "ok") else ["detail", "kind"])
    return {r["browser"]: r for r in got["browsers"]}


def repair(h, *browsers):
    frame = {"type": "registration_repair"}
    if browsers:
        frame["browsers"] = list(browsers)
    return asks(h, frame, "registration_status_result")


def kinds(rows):
    return {k: r["state"]["kind"] for k, r in rows.items()}


# --------------------------------------------------------------- registration

def test_every_state_has_its_row(w):
    detected(w, *KEYS[:5])
    h = host(w)
    rows = status(h)
    equal(kinds(rows), dict.fromkeys(KEYS, "missing"))
    equal([rows[k]["detected"] for k in KEYS], [True] * 5 + [False])
    equal(rows["edge"]["location"], str(manifest(w, "edge")))
    equal(repair(h)["ok"], True)
    equal(kinds(status(h)), {**dict.fromkeys(KEYS[:5], "ok"),
                             "opera": "missing"})
    # One of each: another origin, somebody else's, no JSON, a dangling link.
    text = manifest(w, "chrome").read_text()
    manifest(w, "chrome").write_text(text.replace(
        "chrome-extension://", "chrome-extension://a"))
    other = json.loads(text)
    other["description"] = "Somebody else's"
    manifest(w, "chromium").write_text(json.dumps(other))
    manifest(w, "brave").write_text("{")
    manifest(w, "edge").unlink()
    manifest(w, "edge").symlink_to("nowhere")
    equal(kinds(status(h)), {
        "chrome": "stale", "chromium": "foreign", "brave": "unreadable",
        "edge": "unreadable", "vivaldi": "ok", "opera": "missing"})
    # The same as the terminal says.
    doctor = json.loads(run(w, "doctor", "--json").out)
    want = {m["browser"]: m for m in doctor["manifests"]
            if m["scope"] == "user"}
    for key, row in status(h).items():
        equal(row["state"], want[key]["state"], key)
        equal(row["location"], want[key]["location"])
        equal(row["detected"], want[key]["detected"])


def test_a_wrapper_of_another_program_is_stale(w):
    detected(w, "chrome")
    h = host(w)
    repair(h)
    wrapper = w.home / ".local/share/genkan/run-host-chrome.sh"
    good = wrapper.read_text()
    for bad in (good.replace("genkan-host'", "genkan-host-2'"),
                good + "rm -rf /\n",
                good.replace(str(w.bin), str(w.dir))):
        wrapper.write_text(bad)
        row = status(h)["chrome"]
        equal(row["state"]["kind"], "stale", bad)
    equal(repair(h)["ok"], True)
    equal(wrapper.read_text(), good)
    wrapper.chmod(0o644)
    equal(status(h)["chrome"]["state"]["kind"], "stale")


def test_what_a_wrapper_starts_may_be_anything(w):
    """Devices, pipes, loops, a gigabyte of nothing: each has its row, soon."""
    detected(w, *KEYS)
    h = host(w)
    repair(h)
    wrappers = w.home / ".local/share/genkan"
    for i, (key, make) in enumerate((
            ("chrome", lambda p: p.symlink_to("/dev/zero")),
            ("chromium", os.mkfifo), ("brave", lambda p: p.mkdir()),
            ("edge", lambda p: p.symlink_to(p)),
            ("vivaldi", lambda p: (p.touch(0o755),
                                   os.truncate(p, (1 << 30) - 1))),
            ("opera", lambda p: (p.touch(0o755),
                                 os.truncate(p, 1 << 40))))):
        (w.dir / f"x{i}").mkdir()
        make(w.dir / f"x{i}" / "genkan-host")
        wrapper = wrappers / f"run-host-{key}.sh"
        wrapper.write_text(wrapper.read_text().replace(
            str(w.bin), str(w.dir / f"x{i}")))
    began = time.monotonic()
    equal(kinds(status(h)), dict.fromkeys(KEYS, "stale"))
    check(time.monotonic() - began < 0.5 * harness.SLOW, "slow")


def test_a_repair_writes_what_the_command_writes(w):
    detected(w, "chrome", "vivaldi")
    h = host(w)
    got = repair(h)
    equal(got["ok"], True)
    equal([r["state"]["kind"] for r in got["browsers"]],
          ["ok", "missing", "missing", "missing", "ok", "missing"])
    mine = {k: (manifest(w, k).read_bytes(),
                (w.home / f".local/share/genkan/run-host-{k}.sh")
                .read_bytes()) for k in ("chrome", "vivaldi")}
    shutil.rmtree(w.home / ".local/share/genkan")
    for k in mine:
        manifest(w, k).unlink()
    equal(run(w, "doctor", "--fix").status, 0)
    for k in mine:
        equal((manifest(w, k).read_bytes(),
               (w.home / f".local/share/genkan/run-host-{k}.sh")
               .read_bytes()), mine[k])
    equal(stat.S_IMODE(manifest(w, "chrome").stat().st_mode), 0o644)


def test_named_browsers_are_written_detected_or_not(w):
    h = host(w)
    got = repair(h, "opera", "chrome", "opera", "opera")
    equal(got["ok"], True)
    equal([r["browser"] for r in got["browsers"]
           if r["state"]["kind"] == "ok"], ["chrome", "opera"])
    equal(sorted(p.name for p in
                 (w.home / ".local/share/genkan").iterdir()),
          ["run-host-chrome.sh", "run-host-opera.sh"])


def test_nothing_detected_writes_nothing(w):
    h = host(w)
    got = repair(h)
    equal(got["ok"], True)
    equal({r["state"]["kind"] for r in got["browsers"]}, {"missing"})
    check(not (w.home / ".local/share/genkan").exists(), "written")


def test_a_failed_target_fails_the_frame_and_keeps_the_others(w):
    detected(w, "chrome", "chromium", "edge")
    manifest(w, "chromium").parent.mkdir()
    foreign = '{"name":"com.vivswan.genkan.host","description":"mine"}'
    manifest(w, "chromium").write_text(foreign)
    h = host(w)
    got = repair(h)
    equal(sorted(got), ["error", "ok", "type"])
    equal(got["ok"], False)
    check("chromium: refused" in got["error"], got)
    check("chrome:" not in got["error"] and "edge" not in got["error"], got)
    equal(manifest(w, "chromium").read_text(), foreign)
    equal(kinds(status(h)), {
        "chrome": "ok", "chromium": "foreign", "edge": "ok",
        "brave": "missing", "vivaldi": "missing", "opera": "missing"})
    # Unreadable is refused as well, and a directory that cannot be made.
    manifest(w, "chromium").write_text("")
    (w.home / ".config/opera").write_text("in the way")
    got = repair(h, "opera", "chromium", "edge")
    equal(got["ok"], False)
    check("opera: failed" in got["error"] and
          "chromium: refused" in got["error"], got)
    check(got["error"].index("opera") < got["error"].index("chromium"), got)


def test_a_link_is_replaced_itself(w):
    detected(w, "chrome")
    h = host(w)
    repair(h)
    target = w.dir / "target"
    shutil.copy(manifest(w, "chrome"), target)
    before = target.read_bytes().replace(b"stdio", b"other")
    target.write_bytes(before)
    manifest(w, "chrome").unlink()
    manifest(w, "chrome").symlink_to(target)
    equal(status(h)["chrome"]["state"]["kind"], "stale")
    equal(repair(h)["ok"], True)
    equal(target.read_bytes(), before)
    check(not manifest(w, "chrome").is_symlink(), "still a link")


def test_a_home_of_somebody_else_is_left_alone(w):
    """control 10.6: root on behalf of a user writes nothing there."""
    if os.geteuid() != 0:
        return
    detected(w, "chrome")
    h = host(w, env={"SUDO_UID": "1000"})
    got = repair(h)
    equal(got["ok"], False)
    check("another user" in got["error"], got)
    check(not manifest(w, "chrome").exists(), "written")
    equal(status(h)["chrome"]["state"]["kind"], "missing")


def test_without_a_usable_host_nothing_is_registered(w):
    detected(w, "chrome")
    bindir = w.copy_programs()
    h = host(w, bindir=bindir)
    (bindir / "genkan-host").unlink()
    got = repair(h)
    equal(got["ok"], False)
    check("genkan-host" in got["error"], got)
    check(not manifest(w, "chrome").exists(), "written")


def test_malformed_questions(w):
    h = host(w)
    for frame in ({"type": "registration_status", "x": 1},
                  {"type": "registration_repair", "browsers": []},
                  {"type": "registration_repair", "browsers": ["Chrome"]},
                  {"type": "registration_repair", "browsers": ["chrome", 1]},
                  {"type": "registration_repair", "browsers": "chrome"},
                  {"type": "registration_repair", "browsers": None},
                  {"type": "registration_repair", "browser": ["chrome"]}):
        got = asks(h, frame, "registration_status_result")
        equal(sorted(got), ["error", "ok", "type"])
        equal(got["ok"], False)
        check(got["error"].startswith(frame["type"]) and
              "malformed" in got["error"], got)
    got = asks(h, {"type": "doctor_report", "v": 1}, "doctor_report_result")
    equal([got["ok"], "malformed" in got["error"]], [False, True])
    # What only a host sends is dropped, and not answered.
    for tag in ("doctor_report_result", "registration_status_result"):
        h.send({"type": tag, "ok": True})
    equal(asks(h, {"type": "kill_status"}, "kill_status_result")["ok"], True)
    equal(h.frames, [])
    check(not (w.home / ".config").exists(), "something was written")


# --------------------------------------------------------------------- report

ROWS = {"directories": "directories", "lock file": "lock_file",
        "mcp server": "mcp_server", "kill switch": "kill_switch",
        "policy baseline": "policy_baseline"}


def words(w, want_status):
    """The rows of the human output: name -> [value, details...]."""
    got = run(w, "doctor")
    equal(got.status, want_status, got)
    rows, name = {}, None
    for line in got.out.splitlines():
        if line.startswith("native manifests"):
            name = None
        elif line.startswith(" " * 18) and name:
            rows[name].append(line[18:])
        elif not line.startswith(" "):
            name = line[:18].strip()
            rows[name] = [line[18:]]
    return rows


def report(h):
    got = asks(h, {"type": "doctor_report"}, "doctor_report_result")
    equal(sorted(got), ["ok", "report", "type"])
    equal(got["ok"], True)
    r = got["report"]
    equal(sorted(r), ["directories", "healthy", "host_key", "kill_switch",
                      "lock_file", "mcp_server", "platform",
                      "policy_baseline", "summary", "version"])
    for key in ROWS.values():
        equal(sorted(r[key]), ["details", "value"])
    return r


def same_words(w, h, want_status):
    r, text = report(h), words(w, want_status)
    for name, key in ROWS.items():
        equal([r[key]["value"], *r[key]["details"]], text[name], name)
    equal(r["platform"], text["platform"][0])
    verdict = "healthy" if r["healthy"] else "not healthy"
    equal(f"{verdict}: {r['summary']}", text["verdict"][0])
    equal(r["healthy"], want_status == 0)
    check(f"genkan {r['version']}" in run(w, "--version").out, r["version"])
    return r


def test_the_report_has_the_words_of_the_terminal(w):
    h = host(w)
    r = same_words(w, h, 1)
    equal(r["lock_file"]["details"], ["absent"])
    equal(r["mcp_server"]["value"], "not probed")
    equal(r["kill_switch"], {"value": "off", "details": []})
    equal(r["host_key"], run(w, "enclave-status").out.splitlines()[0])
    w.record("trust.json", "{")
    w.record("policy.json", "{")
    r = same_words(w, h, 1)
    equal([r["kill_switch"]["value"], r["policy_baseline"]["value"]],
          ["UNREADABLE", "UNREADABLE"])
    check("trust.json" in r["kill_switch"]["details"][0], r)
    w.trust(None, killed=True, epoch=4, kill=4)
    r = same_words(w, h, 1)
    equal(r["kill_switch"]["value"], "engaged")
    check("unkill" in r["summary"], r)


def test_a_healthy_chain_is_healthy_from_inside(w):
    detected(w, "chrome")
    s = w.server()
    s.discover()
    s.wait_log("-> broker")
    h = w.host("chrome").attached()
    equal(repair(h)["ok"], True)
    r = same_words(w, h, 0)
    equal(r["mcp_server"], {"value": "reachable", "details": []})
    secret = json.loads((w.runtime / "run.lock").read_text())["secret"]
    check(secret not in json.dumps(r), "the secret")
    check("secret <redacted, 32 chars>" in r["lock_file"]["details"], r)
    check(not re.search("attach_refuse|attestation failed", s.log()),
          s.log())


def test_a_home_with_an_odd_name_is_spelled_once(w):
    odd = w.dir / "ho\nme\x1b[2J\\x"
    odd.mkdir()
    h = w.host("brave", hello=False, env={"HOME": str(odd)})
    h.push("policy_current")
    r = report(h)
    want = str(w.dir) + r"/ho\nme\x1b[2J\x/.local/state/genkan"
    equal(r["directories"]["details"], ["state " + want])
    got = run(w, "doctor", env={"HOME": str(odd)})
    check("state " + want + "\n" in got.out, got.out)
    check(r"ho\\nme" not in got.out, got.out)
    check(str(w.dir) + r"/ho\nme\x1b[2J\x/.config" in got.out, got.out)


# --------------------------------------------------------------------- order

def slow_host(w):
    """A host whose questions of the disk take a while: a broker of this
    installation listens and says nothing."""
    s = w.server()
    s.discover()
    s.wait_log("-> broker")
    h = w.host("chrome").attached()
    h.push("policy_current")
    s.kill(19)                                  # SIGSTOP
    return s, h


def test_control_frames_wait_in_order_and_a_kill_does_not(w):
    s, h = slow_host(w)
    try:
        h.send({"type": "doctor_report"})
        h.send({"type": "client_list"})
        h.send({"type": "registration_status"})
        began = time.monotonic()
        equal(asks(h, {"type": "kill_engage"}, "kill_status_result"),
              {"type": "kill_status_result", "ok": True, "killed": True})
        check(time.monotonic() - began < 0.8 * harness.SLOW,
              "the kill waited")
        equal(trust(w)["killed"], True)
        h.push("registration_status_result", 15)
        order = [f["type"] for f in h.frames]
        equal([t for t in order if t.endswith("_result") and "kill" not in t],
              ["doctor_report_result", "client_list_result"])
        equal([f for f in h.frames if f["type"] == "doctor_report_result"]
              [0]["report"]["mcp_server"]["value"], "not reachable")
    finally:
        s.kill(18)


def test_answers_come_in_the_order_of_the_questions(w):
    """Whatever each of them waits for: the disk, a lock, a key, nothing."""
    detected(w, "chrome", "opera")
    w.trust([("a", "ab" * 32)])
    h = host(w)
    questions = [
        ({"type": "client_list"}, "client_list_result"),
        ({"type": "kill_status"}, "kill_status_result"),
        ({"type": "audit_read", "limit": 1}, "audit_read_result"),
        ({"type": "registration_status"}, "registration_status_result"),
        ({"type": "registration_repair", "browsers": ["opera"]},
         "registration_status_result"),
        ({"type": "doctor_report"}, "doctor_report_result"),
        ({"type": "policy_get"}, "policy_current"),
        ({"type": "lang_get"}, "lang_current"),
        ({"type": "client_revoke", "name": "nobody"},
         "client_revoke_result"),
        ({"type": "enclave_challenge", "nonce": "n"}, "enclave_error"),
        ({"type": "browser_revoke"}, "browser_revoke_result"),
        ({"type": "doctor_report", "x": 1}, "doctor_report_result"),
        ({"type": "client_list", "x": 1}, "client_list_result"),
        ({"type": "presence_confirm", "nonce": "n"}, "presence_result"),
    ]
    dice = random.Random(7)
    asked = [dice.choice(questions) for _ in range(150)]
    for frame, _ in asked:
        h.send(frame)
    until(lambda: len(h.frames) >= len(asked), 60, what="all answers")
    equal([f["type"] for f in h.frames], [tag for _, tag in asked])


def test_an_end_in_the_middle_of_a_report_loses_no_revocation(w):
    w.trust([("py", ME), ("b", "cd" * 32)])
    s, h = slow_host(w)
    try:
        before = len(h.sockets())
        h.send({"type": "doctor_report"})
        h.send({"type": "client_revoke", "name": "b"})
        until(lambda: len(h.sockets()) > before, what="asking the broker")
        began = time.monotonic()
        h.close_stdin()
        equal(h.wait(), 0)
        check(time.monotonic() - began < 0.6 * harness.SLOW, "it waited")
        equal([c["name"] for c in trust(w)["clients"]], ["py"])
    finally:
        s.kill(18)


def test_bridge_traffic_goes_on_beside_a_report(w):
    detected(w, *KEYS)
    s = w.server()
    s.discover()
    s.wait_log("-> broker")
    h = w.host("chrome").attached()
    for _ in range(10):
        h.send({"type": "doctor_report"})
    for _ in range(20):
        equal(s.tool_text("tab_list"), "[]")
    for _ in range(10):
        equal(h.push("doctor_report_result", 15)["ok"], True)


def test_more_questions_than_may_wait_are_answered_all_the_same(w):
    h = host(w)
    for _ in range(60):
        h.send({"type": "registration_status"})
    for _ in range(60):
        equal(h.push("registration_status_result", 30)["ok"], True)
    h.close_stdin()
    equal(h.wait(), 0)


if __name__ == "__main__":
    harness.main(globals())
