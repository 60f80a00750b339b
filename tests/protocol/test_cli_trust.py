"""Clients, kill switch and revocation at the command line, and what they do to
the programs that run."""
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import threading
import time

import cli
import harness
from cli import answer, audit, run, trust
from harness import check, equal, until

TABS = {"tab_list": lambda a, f: [f["browser"]]}
EXE = os.path.realpath("/proc/self/exe")
ME = hashlib.sha256(pathlib.Path(EXE).read_bytes()).hexdigest()
OTHER = "ab" * 32


def chain(w, ops=None):
    s = w.server()
    s.initialize()
    s.wait_log("-> broker")
    return s, w.host("a", ops=ops or TABS).attached()


# --------------------------------------------------------------- arguments

def test_wrong_arguments_are_usage_and_touch_nothing(w):
    for args in (["pair-client"], ["pair-client", "--name", "a"],
                 ["pair-client", "--hash", OTHER],
                 ["pair-client", "--name", "a", "--hash", OTHER,
                  "--this-parent"],
                 ["pair-client", "--name", "a", "--hash", OTHER,
                  "--signer", "x"],
                 ["pair-client", "--name", "-a", "--hash", OTHER],
                 ["pair-client", "--name", "a" * 33, "--hash", OTHER],
                 ["pair-client", "--name", "a", "--name", "b",
                  "--hash", OTHER],
                 ["pair-client", "--name", "a", "--hash", "xy" * 32],
                 ["pair-client", "--name", "a", "--hash", "ab" * 31],
                 ["pair-client", "--name", "a", "--hash", OTHER, "--yes"],
                 ["pair-client", "--name", "a", "--signer", ""],
                 ["pair-client", "--name", "a", "--signer", "x" * 513],
                 ["pair-client", "--name", "a", "--signer", "x\x01"],
                 ["revoke-client"], ["revoke-client", "a"],
                 ["revoke-client", "--name"], ["list-clients", "x"],
                 ["revoke"], ["revoke", "--most"], ["revoke", "a", "b"],
                 ["kill", "now"], ["unkill", "--force"],
                 ["audit", "--limit"], ["audit", "--limit", "x"],
                 ["audit", "--limit", "-1"], ["audit", "--limit", "1.0"],
                 ["audit", "--limit", "9007199254740992"],
                 ["audit", "--json", "--json"]):
        got = run(w, *args)
        equal(got.status, 2, args)
        equal(got.out, "", args)
        check("genkan: " in got.err, got)
    check(not w.state.exists(), "something was written")


def test_help_names_every_command(w):
    got = run(w, "--help")
    for name in ("pair-client", "revoke-client", "list-clients", "revoke",
                 "kill", "unkill", "audit", "doctor", "uninstall"):
        check(f"genkan {name}" in got.out, name)
        one = run(w, name, "--help")
        equal([one.status, one.err], [0, ""], name)
        check(f"genkan {name}" in one.out, one)


# ----------------------------------------------------------------- clients

def test_a_list_begins_and_ends(w):
    got = run(w, "list-clients")
    equal(got.status, 0)
    check("never paired" in got.out, got)
    check(not w.state.exists(), "looking made the directory")
    got = answer(w, "pair-client", "--name", "a", "--hash", OTHER.upper())
    equal(got.status, 0, got)
    check(f"a (hash {OTHER})" in got.out and "tty" in got.out and
          "enforced" in got.out, got)
    entry = trust(w)["clients"]
    equal([(c["name"], c["anchor"]) for c in entry],
          [("a", {"kind": "hash", "value": OTHER})])
    check(abs(entry[0]["added_unix"] - time.time()) < 60, entry)
    equal(run(w, "list-clients").out, f"1 client\na (hash {OTHER})\n")
    got = run(w, "revoke-client", "--name", "b")
    equal(got.status, 1)
    equal(trust(w)["epoch"], 1, "nothing was written")
    equal(run(w, "revoke-client", "--name", "a").status, 0)
    equal(trust(w)["clients"], [])
    equal(trust(w)["epoch"], 2)
    check("empty" in run(w, "list-clients").out)
    equal([(r["kind"], r["outcome"], r["name"]) for r in audit(w)],
          [("pair_client", "ok", "a"), ("revoke_client", "ok", "a")])
    equal(audit(w)[0]["detail"], f"hash:{OTHER}; auth=tty")
    equal(oct((w.state / "trust.json").stat().st_mode & 0o7777), oct(0o600))


def test_never_paired_has_nothing_to_revoke(w):
    got = run(w, "revoke-client", "--name", "a")
    equal(got.status, 1, got)
    check(not (w.state / "trust.json").exists(), "written")
    equal(audit(w), [])


def test_a_name_is_replaced_and_an_anchor_is_not_shared(w):
    w.trust([("a", OTHER), ("b", "cd" * 32)])
    got = answer(w, "pair-client", "--name", "a", "--hash", "ef" * 32)
    equal(got.status, 0, got)
    equal([c["name"] for c in trust(w)["clients"]], ["a", "b"])
    equal(trust(w)["clients"][0]["anchor"]["value"], "ef" * 32)
    before = trust(w)
    got = cli.Terminal(w, "pair-client", "--name", "c", "--hash",
                       "cd" * 32).end()
    equal(got.status, 1, got)
    check("name b" in got.err and "go on" not in got.err, got)
    equal(trust(w), before)


def test_a_signer_is_stored_with_a_warning(w):
    got = answer(w, "pair-client", "--name", "s", "--signer", "Team ä")
    equal(got.status, 0, got)
    check("measures no signers" in got.err, got)
    equal(trust(w)["clients"][0]["anchor"],
          {"kind": "signer", "value": "Team ä"})
    s = w.server()
    equal(s.wait(), 1, "nobody matches it")
    got = answer(w, "pair-client", "--name", "s", "--signer", "x" * 512)
    equal(got.status, 0, got)
    detail = [r["detail"] for r in audit(w) if r["kind"] == "pair_client"][-1]
    check(detail.startswith("signer:xxx") and
          detail.endswith("; auth=tty"), detail)


def test_the_parent_is_measured_shown_and_admitted(w):
    t = cli.Terminal(w, "pair-client", "--name", "py", "--this-parent")
    t.until("go on: ")
    check(EXE in t.seen and ME in t.seen, t.seen)
    check(t.seen.index("every program") < t.seen.index("go on: "), t.seen)
    check(not (w.state / "trust.json").exists(), "written before the phrase")
    equal(t.type("allow\n").end().status, 0)
    equal(trust(w)["clients"][0]["anchor"], {"kind": "hash", "value": ME})
    s, _ = chain(w)
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    equal(run(w, "revoke-client", "--name", "py").status, 0)
    s.ask("ping")
    equal(s.line(), None, "revoked in mid-session")
    equal(s.wait(), 1)


def test_a_full_list_of_credentials_is_not_lost_to_a_pairing(w):
    cred = {"id": "A" * 22, "public_key": "B" + "A" * 86,
            "sign_count": 7, "backup_eligible": True}
    w.trust(None, killed=True, epoch=9, kill=4)
    rec = trust(w)
    rec["enrollments"] = [{"label": "brave", "credential": cred}]
    w.record("trust.json", rec)
    equal(answer(w, "pair-client", "--name", "a",
                 "--hash", OTHER).status, 0)
    got = trust(w)
    equal([got["enrollments"], got["killed"], got["kill_epoch"],
           got["epoch"]], [rec["enrollments"], True, 4, 10])
    got = run(w, "revoke", "chrome")
    equal(got.status, 1)
    check("brave" in got.err, got)
    equal(run(w, "revoke", "brave").status, 0)
    equal(trust(w)["enrollments"], [])
    rec = trust(w)
    rec["enrollments"] = [{"label": "edge", "credential": cred}]
    w.record("trust.json", rec)
    w.record("host_key.json", {"version": 0, "scalar": "QUFB" * 10 + "QUE="})
    got = run(w, "revoke", "--all")
    equal(got.status, 0, got)
    check(not (w.state / "host_key.json").exists())
    equal([trust(w)[k] for k in ("enrollments", "clients", "killed")],
          [[], [], True])


# -------------------------------------------------------- the terminal gate

def test_a_pipe_is_refused_before_any_prompt(w):
    w.trust([("py", ME)], killed=True, epoch=2, kill=2)
    before = (w.state / "trust.json").read_bytes()
    for args, kind in ((["unkill"], "kill_release"),
                       (["pair-client", "--name", "a", "--hash", OTHER],
                        "pair_client")):
        got = run(w, *args, text="allow\n" * 5)
        equal(got.status, 1, args)
        check("not a terminal" in got.err, got)
        check("go on" not in got.err and "go on" not in got.out, got)
        last = audit(w)[-1]
        equal([last["kind"], last["outcome"], last["detail"]],
              [kind, "refused", "presence: not_interactive"])
    equal((w.state / "trust.json").read_bytes(), before)


def test_only_the_phrase_grants(w):
    w.trust(None, killed=True, epoch=2, kill=2)
    before = (w.state / "trust.json").read_bytes()
    for text in ("\n", "yes\n", "ALLOW\n", "allow it\n", "allo\n", "\x04"):
        got = answer(w, "unkill", text=text)
        equal(got.status, 1, repr(text))
        equal(audit(w)[-1]["detail"], "presence: declined")
    equal((w.state / "trust.json").read_bytes(), before)
    equal(answer(w, "unkill", text="  allow \n").status, 0)
    equal([trust(w)[k] for k in ("killed", "kill_epoch", "epoch")],
          [False, 3, 3])
    equal([audit(w)[-1][k] for k in ("kind", "outcome", "detail")],
          ["kill_release", "ok", "auth=tty"])


def test_a_phrase_with_a_rest_far_behind_it_is_none(w):
    w.trust(None, killed=True, epoch=2, kill=2)
    for n in (240, 249, 250, 251, 252, 300, 3000):
        got = answer(w, "unkill", text="allow" + " " * n + "x\n")
        equal(got.status, 1, n)
        equal(audit(w)[-1]["detail"], "presence: declined")
    equal(answer(w, "unkill", text="allow" + " " * 250 + "\n").status, 0)
    equal(trust(w)["killed"], False)


def refused_with(w, code):
    equal(trust(w)["killed"], True)
    equal([audit(w)[-1].get(k) for k in ("kind", "outcome", "detail")],
          ["kill_release", "refused", f"presence: {code}"])


def test_a_prompt_that_nobody_can_see_is_no_ceremony(w):
    w.trust(None, killed=True, epoch=2, kill=2)
    master, slave = pty.openpty()
    try:
        os.write(master, b"allow\n")
        with open("/dev/full", "wb") as full:
            p = subprocess.Popen([str(w.bin / "genkan"), "unkill"],
                                 stdin=slave, stdout=subprocess.DEVNULL,
                                 stderr=full, env=w.env())
        equal(p.wait(20), 1)
        refused_with(w, "io_error")
        # The answer was not even read.
        equal(os.read(slave, 100), b"allow\n")
    finally:
        os.close(master)
        os.close(slave)


# In the background, where a terminal cannot be read.
BEHIND = """
import os, signal, sys
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    os.execv(sys.argv[1], sys.argv[1:])
os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_an_answer_that_cannot_be_read_is_none(w):
    w.trust(None, killed=True, epoch=2, kill=2)
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(os.sys.executable, ["python3", "-c", BEHIND,
                                      str(w.bin / "genkan"), "unkill"],
                  w.env())
    os.write(fd, b"allow\n")
    seen = b""
    try:
        while True:
            seen += os.read(fd, 4096)
    except OSError:
        pass
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    equal(status, 1, seen)
    check(b"cannot read the answer" in seen, seen)
    refused_with(w, "io_error")


def test_a_terminal_that_hangs_up_behind_the_prompt_is_none(w):
    """Looked at again right before reading: the prompt waits for somebody to
    read it, and meanwhile the terminal goes."""
    w.trust(None, killed=True, epoch=2, kill=2)
    master, slave = pty.openpty()
    err, to = os.pipe()
    os.set_blocking(to, False)
    try:
        while True:
            os.write(to, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(to, True)
    p = subprocess.Popen([str(w.bin / "genkan"), "unkill"], stdin=slave,
                         stdout=subprocess.DEVNULL, stderr=to, env=w.env())
    os.close(slave)
    os.close(to)
    time.sleep(0.3)
    equal(p.poll(), None)
    os.close(master)
    seen = b""
    while more := os.read(err, 65536):
        seen += more
    os.close(err)
    equal(p.wait(20), 1)
    check(b"go on: " in seen and b"not a terminal" in seen,
          seen.replace(b"x", b""))
    refused_with(w, "not_interactive")


def test_nothing_to_release_needs_nobody(w):
    got = run(w, "unkill")
    equal(got.status, 0, got)
    check(not w.state.exists(), "written")


def test_a_release_does_not_undo_a_later_kill(w):
    run(w, "kill")
    t = cli.Terminal(w, "unkill").until("go on: ")
    equal(run(w, "kill").status, 0)
    got = t.type("allow\n").end()
    equal(got.status, 1, got)
    check("engaged again" in got.err, got)
    equal(trust(w)["killed"], True)
    equal([audit(w)[-1][k] for k in ("outcome", "detail")],
          ["error", "auth=tty; write refused"])


# ------------------------------------------------------------- kill switch

def test_a_kill_reaches_every_layer_in_time(w):
    s, h = chain(w, {"tab_list": lambda a, f: None})
    relay = w.server()
    relay.initialize()
    relay.wait_log("attached")
    id = relay.ask_tool("tab_list", modern=False)
    h.request("tab_list")
    began = time.monotonic()
    equal(run(w, "kill").status, 0)
    took = {"the command": time.monotonic() - began}
    equal(s.tool_code("tab_list", modern=False), "BRIDGE_KILLED")
    took["tool calls"] = time.monotonic() - began
    equal(harness.code_of(relay.answer(id)["result"]), "CONNECTION_LOST")
    took["calls in flight"] = time.monotonic() - began
    equal(h.push("kill_status_result")["killed"], True)
    took["the extension's mirror"] = time.monotonic() - began
    h.wait_end()
    took["the browser leg"] = time.monotonic() - began
    print("# " + ", ".join(f"{k} {v:.3f} s" for k, v in took.items()))
    for what, seconds in took.items():
        check(seconds < 1.2 * harness.SLOW, f"{what} after {seconds:.2f} s")
    equal(relay.tool_code("list_browsers", modern=False), "BRIDGE_KILLED")
    again = w.host("a")
    equal(again.push("kill_status_result")["killed"], True)
    again.send({"type": "client_list"})
    equal(again.push("client_list_result")["ok"], True)
    equal(s.p.poll(), None, "clients stay")


def test_a_release_brings_everything_back(w):
    s, h = chain(w)
    equal(run(w, "kill").status, 0)
    h.wait_end()
    waiting = w.host("a")
    equal(waiting.push("kill_status_result")["killed"], True)
    equal(answer(w, "unkill").status, 0)
    equal(waiting.push("kill_status_result")["killed"], False)
    equal(waiting.wait(5), 0)
    w.host("a", ops=TABS)
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])


def test_a_kill_outlives_everything(w):
    equal(run(w, "kill").status, 0)
    shutil.rmtree(w.runtime, ignore_errors=True)
    for _ in range(2):
        s = w.server()
        s.initialize()
        equal(s.tool_code("list_browsers", modern=False), "BRIDGE_KILLED")
        s.close_stdin()
        equal(s.wait(), 0)
    equal(trust(w)["killed"], True)


def test_a_second_kill_succeeds_and_stamps(w):
    equal(run(w, "kill").status, 0)
    got = run(w, "kill")
    equal(got.status, 0, got)
    check("engaged" in got.out and "epoch 2" in got.out, got)
    equal(trust(w)["kill_epoch"], 2)


def test_a_held_record_lock_does_not_keep_anybody_from_killing(w):
    w.trust([("py", ME)])
    with open(w.state / "records.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        began = time.monotonic()
        got = run(w, "kill")
        took = time.monotonic() - began
        equal(got.status, 0, got)
        check(1.9 < took < 4.5 * harness.SLOW, f"took {took:.2f} s")
        equal(trust(w)["killed"], True)
        got = run(w, "revoke-client", "--name", "py")
        equal(got.status, 1, got)
        check("records.mutex" in got.err, got)
    equal(len(trust(w)["clients"]), 1)


def test_an_unusable_record_lock_neither(w):
    w.state.mkdir(0o700, parents=True)
    (w.state / "records.mutex").mkdir()
    equal(run(w, "kill").status, 0)
    equal(trust(w)["killed"], True)


def test_an_unreadable_record_is_left_alone(w):
    for bad in ("{", '{"version":1}', '{"version":0,"version":0}', ""):
        w.record("trust.json", bad)
        for args in (["kill"], ["unkill"], ["list-clients"],
                     ["revoke-client", "--name", "a"], ["revoke", "--all"],
                     ["pair-client", "--name", "a", "--hash", OTHER]):
            got = cli.Terminal(w, *args).end()
            equal(got.status, 1, args)
            check("trust.json" in got.err and "delete" in got.err, got)
            check("go on" not in got.err, got)
            if args == ["unkill"]:
                check("fail open" in got.err, got)
        equal((w.state / "trust.json").read_text(), bad)


# ------------------------------------------------------ another directory

def test_another_state_directory_is_refused_and_killed_in(w):
    s, h = chain(w)
    home = w.dir / "elsewhere"
    home.mkdir(0o700)
    there = {"HOME": str(home)}
    for args in (["list-clients"], ["audit"], ["unkill"],
                 ["revoke", "--all"], ["revoke-client", "--name", "a"],
                 ["pair-client", "--name", "a", "--hash", OTHER],
                 ["pair", "--file-store"], ["enclave-status"]):
        got = run(w, *args, env=there)
        equal(got.status, 1, args)
        check("state directory mismatch" in got.err and
              str(w.state) in got.err and str(home) in got.err, got)
    check(not (home / ".local").exists(), "something was written")
    equal(run(w, "list-clients", "--x", env=there).status, 2)
    got = run(w, "kill", env=there)
    equal(got.status, 0, got)
    check(str(w.state) in got.out, got)
    equal(trust(w)["killed"], True)
    own = home / ".local/state/genkan/trust.json"
    equal(json.loads(own.read_text())["killed"], True)
    h.wait_end()
    equal(s.tool_code("list_browsers", modern=False), "BRIDGE_KILLED")


def test_a_directory_that_cannot_be_had_is_a_failure(w):
    chain(w)
    (w.state / "trust.json").unlink(missing_ok=True)
    w.record("trust.json", "{")
    home = w.dir / "elsewhere"
    home.mkdir(0o700)
    got = run(w, "kill", env={"HOME": str(home)})
    equal(got.status, 1, got)
    own = home / ".local/state/genkan/trust.json"
    equal(json.loads(own.read_text())["killed"], True)


def test_a_runtime_directory_that_cannot_be_had_hides_no_server(w):
    """Who cannot look which records the running server goes by acts on none;
    kill does what it can."""
    w.state.mkdir(0o700, parents=True)
    (w.dir / "elsewhere").mkdir(0o700)
    w.runtime.symlink_to(w.dir / "elsewhere")
    for args in (["list-clients"], ["audit"], ["unkill"], ["lang"],
                 ["policy", "show"], ["enclave-status"],
                 ["revoke-client", "--name", "a"]):
        got = run(w, *args)
        equal([got.status, got.out], [1, ""], args)
        check(str(w.runtime) in got.err, got)
    equal(list(w.state.iterdir()), [])
    got = run(w, "kill")
    equal(got.status, 1, got)	# maybe not all of it
    check(str(w.runtime) in got.err, got)
    equal(trust(w)["killed"], True)
    check("unreadable" in run(w, "doctor").out)


def test_a_directory_that_is_a_link_is_not_used(w):
    w.state.parent.mkdir(parents=True)
    real = w.dir / "real"
    real.mkdir(0o700)
    w.state.symlink_to(real)
    for args in (["kill"], ["list-clients"], ["audit"]):
        equal(run(w, *args).status, 1, args)
    equal(list(real.iterdir()), [])


# ------------------------------------------------------ writers, and deaths

def test_two_at_once_lose_no_update(w):
    names = [f"c{i}" for i in range(500)]
    w.trust([(n, f"{i:064x}") for i, n in enumerate(names)])
    bad = []

    def loop(args):
        for a in args:
            got = run(w, *a, env={"GENKAN_LOG": "error"})
            if got.status != 0:
                bad.append(got)

    threads = [threading.Thread(target=loop, args=(x,)) for x in (
        [["kill"]] * 500,
        [["revoke-client", "--name", n] for n in names])]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal(bad, [])
    got = trust(w)
    equal([got["epoch"], got["clients"], got["killed"]], [1001, [], True])
    equal(len(audit(w)), 1000)
    equal(sorted(p.name for p in w.state.iterdir()),
          ["audit.log", "records.mutex", "trust.json"])


test_two_at_once_lose_no_update.timeout = 180


def killed_at(w, n, args):
    """Runs genkan until its n-th stop at a system call, then kills it; True
    if it ended before."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] + [ctypes.c_void_p] * 3
    libc.ptrace.argtypes[1:2] = [ctypes.c_long]
    p = subprocess.Popen([str(w.bin / "genkan"), *args],
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, env=w.env(),
                         preexec_fn=lambda: libc.ptrace(0, 0, None, None))
    try:
        for _ in range(n + 1):
            _, status = os.waitpid(p.pid, 0)
            if not os.WIFSTOPPED(status):
                p.returncode = os.waitstatus_to_exitcode(status)
                return True
            equal(libc.ptrace(24, p.pid, None, None), 0)   # PTRACE_SYSCALL
    finally:
        if p.returncode is None:
            os.kill(p.pid, signal.SIGKILL)
            p.wait()
    return False


def test_a_death_at_any_system_call_leaves_the_old_or_the_new(w):
    """The record that a kill writes: at the beginning nobody has read it, at
    the end everybody has."""
    w.trust([("a", OTHER)], epoch=5)
    old = (w.state / "trust.json").read_bytes()
    new = {**json.loads(old), "epoch": 6, "kill_epoch": 6, "killed": True}
    seen = {"old": 0, "new": 0}
    for n in range(1, 2000):
        w.record("trust.json", old.decode())
        ended = killed_at(w, n, ["kill"])
        now = (w.state / "trust.json").read_bytes()
        if now == old:
            seen["old"] += 1
        else:
            equal(json.loads(now), new, f"after {n} stops")
            seen["new"] += 1
        if ended:
            break
    check(ended and seen["old"] > 50 and seen["new"] > 5, seen)
    print(f"# {n} deaths: {seen}")
    equal(run(w, "kill").status, 0, "what they left is in nobody's way")
    for line in (w.state / "audit.log").read_text().splitlines():
        json.loads(line)


test_a_death_at_any_system_call_leaves_the_old_or_the_new.timeout = 180


def on_tmpfs(w, size):
    """Mounts a small disk over the state directory, in a way that only this
    test's programs see if it has to be."""
    w.state.mkdir(0o700, parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o",
                    f"size={size},mode=0700,uid={os.geteuid()}", "tmpfs",
                    str(w.state)], check=True, capture_output=True)


def full_disk(w):
    w.trust([("a", OTHER), ("py", ME)])
    before = (w.state / "trust.json").read_bytes()
    s, _ = chain(w)
    with open(w.state / "filler", "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * 512)
        except OSError:
            pass
    got = run(w, "revoke-client", "--name", "a")
    equal(got.status, 1, got)
    check("cannot be written" in got.err and "space" in got.err, got)
    got = run(w, "kill")
    equal(got.status, 1, got)
    equal((w.state / "trust.json").read_bytes(), before)
    for _ in range(40):         # what the trail's last page has room for
        equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"],
              "a full disk stops no call")
    check("cannot be written" in s.log(), s.log()[-2000:])
    (w.state / "filler").unlink()
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    check(any(r.get("dropped", 0) >= 1 for r in audit(w, torn=True)),
          "the loss was counted")
    equal(run(w, "kill").status, 0)
    equal(trust(w)["killed"], True)
    left = sorted(p.name for p in w.state.iterdir())
    check(not [x for x in left if x.endswith(".tmp")], left)


def test_a_full_disk_changes_nothing(w):
    if os.geteuid() != 0:
        # As root of a namespace of our own, where mounting is allowed.
        again = subprocess.run(
            ["unshare", "-rm", os.sys.executable, __file__,
             "test_a_full_disk"], capture_output=True, text=True)
        check(again.returncode == 0, again.stdout + again.stderr)
        return
    on_tmpfs(w, "64k")
    try:
        full_disk(w)
    finally:
        for p in reversed(w.made):
            p.close()
        w.made.clear()
        subprocess.run(["umount", str(w.state)], check=True)


if __name__ == "__main__":
    harness.main(globals())
