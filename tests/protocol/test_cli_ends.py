"""A command that is interrupted, or whose output goes nowhere: what it changes
it changes wholly or not at all, and its exit status says what became of it.
tests/fault/sweep.py sends signals at each step of the writing."""
import os
import pathlib
import signal
import subprocess
import sys
import time

import harness
from cli import Terminal
from harness import check, equal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fault"))
import commands				# noqa: E402

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ASKING = [n for n, c in commands.COMMANDS.items() if "tty" in c]
SILENT = [n for n, c in commands.COMMANDS.items() if "tty" not in c]


def another(w):
    """A home for each command, in that of the test."""
    n = harness.World()
    n.dir.rename(w.dir / n.dir.name)
    n.dir = w.dir / n.dir.name
    n.home, n.run = n.dir / "home", n.dir / "run"
    return n


def whole_state(w):
    left = {p.name for p in w.state.iterdir()} - commands.FILES
    equal([left, list(w.home.rglob("*.tmp"))], [set(), []], "left behind")
    return commands.State(w)


def test_who_is_asked_can_leave_and_nothing_has_changed(w):
    for i, name in enumerate(ASKING):
        args, prepare = commands.COMMANDS[name][:2]
        n = another(w)
        prepare(n)
        before = commands.State(n)
        t = Terminal(n, *args).until("go on: ")
        began = time.monotonic()
        if ENDS[i % 3] == signal.SIGINT:
            t.type("\x03")
        else:
            os.kill(t.pid, ENDS[i % 3])
        equal(t.end().status, -ENDS[i % 3], name)
        check(time.monotonic() - began < 5 * harness.SLOW, name)
        check(whole_state(n) == before, name)


def test_a_signal_that_was_ignored_stays_ignored(w):
    """As under nohup, or behind an & of a script."""
    commands.prepared(w)
    for sig in ENDS:
        signal.signal(sig, signal.SIG_IGN)
    try:
        t = Terminal(w, "pair-client", "--name", "new", "--hash", "2" * 64)
    finally:
        for sig in ENDS:
            signal.signal(sig, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    t.until("go on: ")
    for sig in ENDS:
        os.kill(t.pid, sig)
    time.sleep(0.6)		# longer than one that ends has
    equal(t.type("allow\n").end().status, 0)
    check("new" in whole_state(w).clients, "not done")


def to_nowhere(n, args, kind):
    """Exit status and stderr with such an output."""
    if kind == "closed":
        argv = ["sh", "-c", 'exec "$@" >&-', "sh"]
    else:
        argv = []
    if kind == "full":
        out = os.open("/dev/full", os.O_WRONLY)
    else:
        into, out = os.pipe()
        os.close(into)
    try:
        p = subprocess.run([*argv, str(n.bin / "genkan"), *args], stdout=out,
                           stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                           env=n.env(), timeout=20 * harness.SLOW)
    finally:
        os.close(out)
    return p.returncode, p.stderr.decode()


def test_an_output_that_goes_nowhere_stops_no_change(w):
    """Nobody reads it, the disk is full, or there is none: what was asked for
    is done, and the first two are said."""
    for name in SILENT:
        args, prepare, whole = commands.COMMANDS[name][:3]
        for kind in ("unread", "full", "closed"):
            n = another(w)
            prepare(n)
            before = commands.State(n)
            status, err = to_nowhere(n, args, kind)
            after = whole_state(n)
            check(after != before and whole(after, before, None), name, kind)
            equal([status, "cannot write the output" in err],
                  [0, False] if kind == "closed" else [1, True],
                  (name, kind, err))


if __name__ == "__main__":
    harness.main(globals())
