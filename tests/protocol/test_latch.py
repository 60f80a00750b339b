"""The kill latch: engaged from every surface, on every layer, for as long as
nobody releases it."""
import hashlib
import json
import pathlib
import shutil
import signal
import threading
import time

import cli
import harness
from cli import answer, audit, run, trust
from harness import check, equal

TABS = {"tab_list": lambda a, f: [f["browser"]]}
ME = hashlib.sha256(pathlib.Path("/proc/self/exe").read_bytes()).hexdigest()
OTHER = "ab" * 32
BOUND = 1.2                     # seconds until every layer knows


def chain(w, ops=None):
    s = w.server()
    s.initialize()
    s.wait_log("-> broker")
    h = w.host("a", ops=ops or TABS).attached()
    h.push("policy_current")
    return s, h


def late(began):
    return time.monotonic() - began > BOUND * harness.SLOW


def dead(s):
    """No tool is served, whatever it is and whoever asks."""
    for tool in ("list_browsers", "tab_list"):
        equal(s.tool_code(tool, modern=False), "BRIDGE_KILLED")


# ---------------------------------------------------------------- every surface

def by_command(w, h):
    equal(run(w, "kill").status, 0)


def by_extension(w, h):
    h.send({"type": "kill_engage"})
    equal(h.push("kill_status_result")["killed"], True)


def by_extension_without_broker(w, h):
    """A host in control-plane mode, of another browser."""
    run_dir = w.dir / "elsewhere"
    run_dir.mkdir(0o700)
    lone = w.host("b", hello=False, env={"XDG_RUNTIME_DIR": str(run_dir)})
    lone.push("policy_current")
    by_extension(w, lone)


def by_hand(w, h):
    """What another program of the user's writes counts like our own."""
    w.trust(None, killed=True, epoch=2, kill=2)


def test_each_surface_stops_what_runs_and_what_comes(w):
    for n, engage in enumerate((by_command, by_extension,
                                by_extension_without_broker, by_hand)):
        silent = {"tab_list": lambda a, f: None}
        s, h = chain(w, silent)
        relay = w.server()
        relay.initialize()
        relay.wait_log("attached")
        flying = [(c, c.ask_tool("tab_list", modern=False))
                  for c in (s, relay, s)]
        for _ in flying:
            h.request("tab_list")
        began = time.monotonic()
        engage(w, h)
        for client, id in flying:
            equal(harness.code_of(client.answer(id)["result"]),
                  "CONNECTION_LOST", engage.__name__)
        check(not late(began), engage.__name__, "calls in flight")
        h.wait_end()
        check(not late(began), engage.__name__, "the browser leg")
        equal(trust(w)["killed"], True)
        check(any(f.get("type") == "kill_status_result" and f["killed"]
                  for f in h.frames) or engage is by_extension,
              "the mirror was told", h.frames)
        dead(s)
        dead(relay)
        again = w.host("a")
        equal(again.push("kill_status_result")["killed"], True)
        for p in (again, h, relay, s):
            p.close()
        (w.state / "trust.json").unlink()
    kinds = [(r["kind"], r["surface"]) for r in audit(w)
             if r["kind"] == "kill_engage"]
    equal(kinds, [("kill_engage", "cli"), ("kill_engage", "extension"),
                  ("kill_engage", "extension")])


def test_a_hundred_calls_in_flight_end_within_the_bound(w):
    s, h = chain(w, {"tab_list": lambda a, f: None})
    ids = [s.ask_tool("tab_list", modern=False) for _ in range(100)]
    for _ in ids:
        h.request("tab_list")
    began = time.monotonic()
    equal(run(w, "kill").status, 0)
    for id in ids:
        equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST")
    check(not late(began), "calls in flight")
    # An answer that comes too late is nobody's.
    equal(h.cancels, [], "a severed leg gets no cancel")
    ended = [r for r in audit(w) if r["kind"] == "tool_call"]
    equal(len(ended), 100)
    equal({r["code"] for r in ended}, {"CONNECTION_LOST"})


def test_calls_that_wait_for_a_browser_end_too(w):
    s = w.server()
    s.initialize()
    s.wait_log("-> broker")
    id = s.ask_tool("tab_list", modern=False)
    s.request("ping")		# it waits: this was read behind it
    began = time.monotonic()
    equal(run(w, "kill").status, 0)
    # The browser that would have served it is refused, so it is told now.
    equal(harness.code_of(s.answer(id)["result"]), "BRIDGE_KILLED")
    check(not late(began), "calls that wait")
    dead(s)


def test_a_kill_and_a_call_at_once_never_serve_afterwards(w):
    """Whatever the order, nothing reaches the browser once the command that
    killed has returned and a sweep has passed."""
    s, _ = chain(w)
    t = threading.Thread(target=lambda: run(w, "kill"))
    t.start()
    codes = []
    end = time.monotonic() + 15 * harness.SLOW
    while time.monotonic() < end:
        result = s.tool("tab_list", modern=False)
        codes.append(harness.code_of(result) if result["isError"] else "ok")
        if codes[-1] == "BRIDGE_KILLED":
            break
    t.join()
    dead(s)
    first = codes.index("BRIDGE_KILLED")
    check("ok" not in codes[first:], codes)


# -------------------------------------------------- nothing but a release

def everything_else(w):
    """What a person or a program may do besides releasing."""
    for args in (["list-clients"], ["audit"], ["doctor"], ["doctor", "--fix",
                 "--all"], ["uninstall"], ["revoke", "--all"], ["kill"],
                 ["status"], ["doctor", "--list"]):
        run(w, *args)
    run(w, "unkill", text="allow\n")
    equal(answer(w, "unkill", text="no\n").status, 1)
    equal(answer(w, "pair-client", "--name", "me", "--hash", ME).status, 0)
    run(w, "revoke-client", "--name", "me")


def knocks(h):
    """The same from the extension; none of it is a proof."""
    for frame in ({"type": "kill_release"}, {"type": "client_list"},
                  {"type": "presence_confirm", "nonce": "x"},
                  {"type": "presence_assert", "credential_id": "AAAA",
                   "authenticator_data": "AAAA", "client_data_json": "AAAA",
                   "signature": "AAAA"},
                  {"type": "kill_release", "x": 1},
                  {"type": "kill_status_result", "ok": True, "killed": False},
                  {"type": "policy_get"}, {"type": "browser_revoke"},
                  {"type": "registration_repair"}, {"type": "doctor_report"},
                  {"type": "presence_begin", "action": "page_eval",
                   "origin": "https://example.com"},
                  {"type": "enroll_begin"}, {"type": "kill_status"}):
        h.send(frame)
    got = h.push("kill_status_result")
    while not got["ok"] or any(f["type"] == "kill_status_result"
                               for f in h.frames):
        check(got.get("killed") is not False, got)
        got = h.push("kill_status_result")
    equal(got["killed"], True)


def test_nothing_but_a_release_clears_it(w):
    s, h = chain(w)
    equal(run(w, "kill").status, 0)
    h.wait_end()
    everything_else(w)
    equal(trust(w)["killed"], True)
    s2 = w.server()             # the list is empty now, so nobody is admitted
    equal(s2.wait(), 1)
    rec = trust(w)
    w.record("trust.json", {**rec, "clients": None})
    # Reconnects: of browsers, relays, new servers.
    for _ in range(3):
        h = w.host("a")
        equal(h.push("kill_status_result")["killed"], True)
        knocks(h)
        h.close_stdin()
        equal(h.wait(), 0)
    # Restarts, gentle and not, of every program at once; a lost runtime
    # directory is a reboot.
    for sig in (signal.SIGTERM, signal.SIGKILL):
        s.kill(sig)
        s.wait()
        shutil.rmtree(w.runtime, ignore_errors=True)
        s = w.server()
        s.initialize()
        dead(s)
        h = w.host("a")
        equal(h.push("kill_status_result")["killed"], True)
        h.kill(sig)
    equal(trust(w)["killed"], True)
    # Time.
    before = (w.state / "trust.json").read_bytes()
    h = w.host("a")
    h.push("kill_status_result")
    time.sleep(5)
    dead(s)
    equal(h.p.poll(), None, "it waits")
    equal((w.state / "trust.json").read_bytes(), before)
    # The one thing that does.
    equal(answer(w, "unkill").status, 0)
    equal(h.push("kill_status_result")["killed"], False)
    equal(h.wait(), 0)
    w.host("a", ops=TABS)
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])


test_nothing_but_a_release_clears_it.timeout = 120


def test_a_death_in_the_middle_of_a_kill_is_no_release(w):
    """Engaged once, it is engaged at every instant of engaging it again."""
    equal(run(w, "kill").status, 0)
    stop = threading.Event()
    seen = []

    def watch():
        while not stop.is_set():
            seen.append(trust(w)["killed"])
    t = threading.Thread(target=watch)
    t.start()
    for i in range(40):
        p = cli.start(w, "kill")
        time.sleep(i * 0.0002)
        p.kill()
        p.communicate()
    stop.set()
    t.join()
    check(len(seen) > 40 and all(seen), len(seen), seen.count(False))
    equal(run(w, "kill").status, 0)


def test_a_damaged_latch_is_an_engaged_one(w):
    """A record that cannot be read serves nothing, and damage to a killed
    one releases nothing."""
    s, h = chain(w)
    equal(run(w, "kill").status, 0)
    h.wait_end()
    good = (w.state / "trust.json").read_text()
    for bad in (good.replace("true", "0"), good.replace('"killed":true,', ""),
                good[:-3], "", good.replace('"killed":true',
                                            '"killed":true,"killed":false')):
        w.record("trust.json", bad)
        dead(s)
        h = w.host("a")
        equal(h.push("kill_status_result")["ok"], False)
        h.send({"type": "kill_release"})
        got = h.push("kill_status_result")
        equal(got["ok"], False)
        h.close_stdin()
        equal(h.wait(), 0)
        got = run(w, "unkill")
        equal(got.status, 1)
        equal((w.state / "trust.json").read_text(), bad, "left alone")
    w.record("trust.json", good)
    dead(s)


if __name__ == "__main__":
    harness.main(globals())
