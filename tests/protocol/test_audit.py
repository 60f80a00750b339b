"""The audit trail: what goes in, what it survives, how it is read."""
import contextlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import cli
import harness
from cli import audit, run
from harness import check, equal, until

SECRET = "https://example.org/path?token=swordfish"


def chain(w, ops=None, env=None):
    s = w.server(env=env)
    s.initialize()
    s.wait_log("-> broker")
    return s, w.host("a", ops=ops or {
        "tab_list": lambda a, f: [SECRET],
        "tab_open": lambda a, f: {"ok": False, "error": SECRET}}).attached()


def kinds(w):
    return [r["kind"] for r in audit(w)]


def test_calls_are_recorded_without_what_they_say(w):
    s, _ = chain(w)
    s.tool("tab_list", modern=False)
    s.tool("tab_open", modern=False, url=SECRET)
    until(lambda: kinds(w).count("tool_call") == 2, what="two records")
    rec = audit(w)
    equal(sorted(set(kinds(w))),
          ["browser_attach", "harness_admit", "tool_call"])
    for r in rec:
        equal([r["v"], r["surface"]], [1, "broker"], r)
        check(abs(r["ts_ms"] / 1000 - time.time()) < 60, r)
    admit = next(r for r in rec if r["kind"] == "harness_admit")
    equal(admit["outcome"], "unenrolled")
    check(admit["detail"].startswith("hash:"), admit)
    good, bad = [r for r in rec if r["kind"] == "tool_call"]
    equal([good["tool"], good["outcome"], good["name"]],
          ["tab_list", "ok", "a"])
    equal([bad["tool"], bad["outcome"]], ["tab_open", "error"])
    check(bad["code"] and bad["req"] > good["req"] and
          bad["conn"] == good["conn"] and good["dur_ms"] >= 0, rec)
    text = (w.state / "audit.log").read_text()
    check("swordfish" not in text and "example.org" not in text, text)
    equal(oct((w.state / "audit.log").stat().st_mode & 0o7777), oct(0o600))


def test_each_record_is_echoed(w):
    s, _ = chain(w)
    s.tool("tab_list", modern=False)
    s.wait_log("[AUDIT] ts=")
    line = next(x for x in s.log().splitlines() if "kind=tool_call" in x)
    check(line.startswith("[AUDIT] ts=") and " surface=broker " in line and
          " tool=tab_list" in line, line)


def test_the_echo_is_json_where_that_is_asked_for(w):
    s, _ = chain(w, env={"GENKAN_LOG_FORMAT": "json"})
    s.tool("tab_list", modern=False)
    s.wait_log('"kind":"tool_call"')
    lines = [json.loads(x) for x in s.log().splitlines()
             if x.startswith("{")]
    equal([x["kind"] for x in lines], kinds(w))
    for x, r in zip(lines, audit(w)):
        equal(x.pop("level"), "audit")
        equal(x, r)
    check("[INFO]" in s.log() and "[AUDIT]" not in s.log(),
          "it governs the echo only")


def test_a_quiet_log_has_no_echo(w):
    s, _ = chain(w)
    quiet = run(w, "kill", env={"GENKAN_LOG": "warn"})
    equal([quiet.status, quiet.err], [0, ""])
    check("kill_engage" in kinds(w), "but the record is there")


def test_a_directory_in_its_place_stops_nothing(w):
    w.state.mkdir(0o700, parents=True)
    (w.state / "audit.log").mkdir()
    s, _ = chain(w)
    for _ in range(3):
        equal(json.loads(s.tool_text("tab_list", modern=False)), [SECRET])
    got = run(w, "kill")
    equal(got.status, 0, got)
    got = run(w, "audit")
    equal(got.status, 1, got)
    check("audit.log" in got.err, got)
    (w.state / "audit.log").rmdir()
    equal(s.tool_code("tab_list", modern=False), "BRIDGE_KILLED")
    until(lambda: audit(w), what="a record")
    check(audit(w)[0]["dropped"] >= 4, audit(w))
    check(all("dropped" not in r for r in audit(w)[1:]), audit(w))


def test_links_pipes_and_foreign_bits(w):
    w.state.mkdir(0o700, parents=True)
    other = w.dir / "other"
    other.write_text("")
    log = w.state / "audit.log"
    for make in (lambda: log.symlink_to(other), lambda: os.mkfifo(log)):
        make()
        equal(run(w, "kill").status, 0)
        check(log.is_symlink() or stat.S_ISFIFO(log.lstat().st_mode), "gone")
        log.unlink()
    equal(other.read_text(), "")
    log.write_text("")
    log.chmod(0o666)
    equal(run(w, "kill").status, 0)
    equal(oct(log.stat().st_mode & 0o7777), oct(0o600))
    equal(kinds(w), ["kill_engage"])


def test_a_full_file_is_rotated_once(w):
    w.state.mkdir(0o700, parents=True)
    line = json.dumps({"v": 1, "ts_ms": 1, "kind": "kill_engage",
                       "surface": "cli", "detail": "x" * 400},
                      separators=(",", ":")) + "\n"
    n = 262_144 // len(line) - 1
    whole = line * n
    whole += "x" * (262_144 - len(whole) - 1) + "\n"
    (w.state / "audit.log").write_text(whole)
    equal(run(w, "kill").status, 0)
    equal((w.state / "audit.log.1").read_text(), whole)
    equal(len((w.state / "audit.log").read_text().splitlines()), 1)
    equal((w.state / "audit.log").stat().st_mode & 0o777, 0o600)
    got = run(w, "audit", "--limit", "9999")
    equal(len(got.out.splitlines()), n + 2)


# -------------------------------------------------------------- reading it

GOOD = {"v": 1, "ts_ms": 1700000000123, "kind": "tool_call",
        "surface": "broker", "outcome": "error", "tool": "page_text",
        "code": "TIMEOUT", "name": "a", "detail": "why\x1b[0m", "cid": "c",
        "req": 7, "conn": 2, "dur_ms": 12, "dropped": 3}
SHOWN = ("2023-11-14 22:13:20.123Z  tool_call       surface=broker "
         "tool=page_text name=a outcome=error code=TIMEOUT "
         "detail=why\\x1b[0m dur_ms=12 dropped=3")


AGAIN = """
import socket, sys
while True:
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[1])
        s.recv(1)
"""


def test_a_server_that_is_stopped_records_what_it_was_doing(w):
    """Also while it measures a stranger, which is not waited for."""
    s, h = chain(w)
    s.ask_tool("page_text", modern=False)
    h.request("page_text")
    large = w.dir / "large"
    shutil.copy(os.path.realpath(sys.executable), large)
    os.truncate(large, 1020 << 20)
    # It comes again as soon as it is turned away, so that there is no instant
    # at which it is not being measured.
    stranger = subprocess.Popen([str(large), "-c", AGAIN, str(w.sock)],
                                stderr=subprocess.DEVNULL)

    def measured():
        for fd in s.descriptors():
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{s.pid}/fd/{fd}") == str(large):
                    return True
        return False

    until(measured, 20, every=0.001, what="measuring")
    s.kill(signal.SIGTERM)
    equal(s.wait(), 0)
    stranger.wait()
    equal([r["tool"] for r in audit(w) if r["kind"] == "tool_call"],
          ["page_text"])


def test_nothing_to_read_is_a_notice(w):
    for args in (["audit"], ["audit", "--json"], ["audit", "--limit", "0"]):
        got = run(w, *args)
        equal([got.status, got.out], [0, ""], args)
        check("empty" in got.err, got)
    check(not w.state.exists(), "reading made the directory")


def test_records_are_shown_in_order_with_stand_ins(w):
    w.state.mkdir(0o700, parents=True)
    plain = json.dumps(GOOD, separators=(",", ":"))
    newer = plain.replace('"v":1', '"v":2')
    odd = '{"v":1,"ts_ms":1,"kind":"kill_engage","surface":"cli","x":1}'
    (w.state / "audit.log.1").write_text(plain + "\n" + newer + "\n")
    (w.state / "audit.log").write_text(odd + "\nno json \x1b[2J\n" + plain)
    got = run(w, "audit")
    lines = got.out.splitlines()
    equal(got.status, 0)
    equal(len(lines), 5)
    equal([lines[0], lines[4]], [SHOWN, SHOWN])
    for i in (1, 2, 3):
        check("unrecognized" in lines[i] and "\x1b" not in lines[i], lines)
    check("3 lines" in got.err, got)
    got = run(w, "audit", "--json")
    lines = got.out.splitlines()
    equal([lines[0], lines[4]], [plain, plain])
    equal([json.loads(x) for x in lines[1:4]],
          [{"v": 1, "unrecognized": x}
           for x in (newer, odd, "no json \x1b[2J")])
    got = run(w, "audit", "--limit", "2")
    equal(len(got.out.splitlines()), 2)
    equal(got.out.splitlines()[1], SHOWN)
    check("1 line " in got.err, got)
    equal(run(w, "audit", "--limit", "0").out, "")
    equal(len(run(w, "audit", "--limit", "9007199254740991")
              .out.splitlines()), 5)


def test_two_hundred_are_shown_by_default(w):
    w.state.mkdir(0o700, parents=True)
    line = json.dumps(GOOD, separators=(",", ":")) + "\n"
    (w.state / "audit.log").write_text(line * 203)
    equal(len(run(w, "audit").out.splitlines()), 200)


def test_a_full_output_is_a_failure(w):
    w.state.mkdir(0o700, parents=True)
    (w.state / "audit.log").write_text(json.dumps(GOOD) + "\n")
    with open("/dev/full", "wb") as full:
        p = subprocess.run([str(w.bin / "genkan"), "audit"], stdout=full,
                           stderr=subprocess.PIPE, env=w.env())
    equal(p.returncode, 1)


# ----------------------------------------------------------- the extension

def test_the_extension_reports_under_its_own_surface(w):
    _, h = chain(w)
    h.send({"type": "audit_event", "kind": "confirm_denied",
            "tool": "page_eval", "cid": "c1", "detail": "red button"})
    until(lambda: "confirm_denied" in kinds(w), what="the record")
    rec = audit(w)[-1]
    check(rec.pop("ts_ms") > 0)
    equal(rec, {"v": 1, "kind": "confirm_denied", "surface": "extension",
                "tool": "page_eval", "detail": "red button", "cid": "c1"})
    for kind in ("kill_release", "tool_call", "x"):
        h.send({"type": "audit_event", "kind": kind})
    h.send({"type": "audit_event", "kind": "confirm_shown",
            "outcome": "fine"})
    h.send({"type": "kill_status"})
    h.push("kill_status_result")
    equal(kinds(w)[-1], "confirm_denied", "nothing else came in")


if __name__ == "__main__":
    harness.main(globals())
