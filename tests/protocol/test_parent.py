"""What started a host, and whether its clicks count: the parent as a browser
by image, looked at twice (once at start, once when the click is answered).

The browser here is a Python under the path and the owner of one, in a mount
namespace of its own; on signals it does what a browser does not.
"""
import os
import signal
import subprocess

import harness
from cli import audit, trust
from harness import check, equal, until

OTHER = "ab" * 32

UNSHARE = "unshare --mount" if os.geteuid() == 0 else \
    "unshare --mount --user --map-root-user"

# Runs the host on the very pipes that it got.
BROWSER = r"""
import os, shutil, signal, subprocess, sys

ME = sys.argv[1]

def become(path):
    def handler(*_):
        os.execv(path, [path, "-I", "-c", "import time; time.sleep(60)"])
    return handler

def update(*_):
    shutil.copy(ME, ME + ".new")
    os.rename(ME + ".new", ME)

signal.signal(signal.SIGUSR1, become(sys.argv[2]))
signal.signal(signal.SIGUSR2, become(sys.argv[3]))
signal.signal(signal.SIGHUP, update)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
subprocess.Popen(sys.argv[4:])
while True:
    signal.pause()
"""

START = """#!/bin/sh
exec {unshare} sh -c '
set -e
mount -t tmpfs -o mode=0755 tmpfs /opt
mkdir -p /opt/vivaldi /opt/brave.com/brave
cp "$0" /opt/vivaldi/vivaldi-bin
cp "$0" /opt/brave.com/brave/brave
chmod {mode} /opt/vivaldi/vivaldi-bin
PYTHONHOME=/usr; export PYTHONHOME
exec /opt/vivaldi/vivaldi-bin -c "$1" /opt/vivaldi/vivaldi-bin \
    /opt/brave.com/brave/brave /usr/bin/python3 {host} {args}
' "{python}" "$(cat {script})"
"""


def can_mount(w):
    """Whoever cannot mount has no such browser."""
    return subprocess.run(
        [*UNSHARE.split(), "mount", "-t", "tmpfs", "tmpfs", str(w.dir)],
        stderr=subprocess.DEVNULL).returncode == 0


def under_a_browser(w, *args, mode="0755"):
    """A host under vivaldi; .p is the browser."""
    folder = w.dir / f"start-{len(w.made)}"
    folder.mkdir()
    (folder / "script").write_text(BROWSER)
    (folder / "genkan-host").write_text(START.format(
        unshare=UNSHARE, mode=mode, host=w.bin / "genkan-host",
        args=" ".join(args), script=folder / "script",
        python=os.path.realpath("/usr/bin/python3")))
    (folder / "genkan-host").chmod(0o755)
    h = w.host(hello=False, bindir=folder)
    h.push("policy_current", 15)
    return h


def killed(w):
    w.trust(None, killed=True, epoch=3, kill=3)


def ask(h, frame):
    h.send(frame)
    return h.push("presence_request")["nonce"]


def click(h, nonce):
    h.send({"type": "presence_confirm", "nonce": nonce})
    return h.push("presence_result")


def refused(w, h, nonce, command):
    before = (w.state / "trust.json").read_bytes()
    got = click(h, nonce)
    equal(got["ok"], False)
    code, _, detail = got["reason"].partition(": ")
    equal(code, "software_confirmation_not_allowed")
    check(f"genkan {command}" in detail and "terminal" in detail, got)
    equal((w.state / "trust.json").read_bytes(), before)
    equal([audit(w)[-1].get(k) for k in ("kind", "outcome", "code")],
          ["presence_assert", "refused", "software_confirmation_not_allowed"])


def test_a_click_under_a_browser_counts(w):
    if not can_mount(w):
        return
    killed(w)
    h = under_a_browser(w)
    got = click(h, ask(h, {"type": "kill_release"}))
    equal(got, {"type": "presence_result", "ok": True})
    until(lambda: trust(w)["killed"] is False)
    got = click(h, ask(h, {"type": "client_pair", "name": "x", "anchor": {
        "kind": "hash", "value": OTHER}}))
    equal(got["ok"], True)
    equal(h.push("client_pair_result")["ok"], True)
    equal([c["name"] for c in trust(w)["clients"]], ["x"])
    equal([(r["kind"], r["outcome"]) for r in audit(w)],
          [("presence_assert", "ok"), ("kill_release", "ok"),
           ("presence_assert", "ok"), ("pair_client", "ok")])
    equal(audit(w)[1]["detail"], "auth=confirm_window")


def test_the_label_is_that_of_the_browser(w):
    if not can_mount(w):
        return
    s = w.server()
    s.discover()
    s.wait_log("-> broker")
    under_a_browser(w).attached()
    check('"vivaldi"' in s.tool_text("list_browsers"), "no vivaldi")


def test_a_parent_that_became_something_else_grants_nothing(w):
    if not can_mount(w):
        return
    killed(w)
    for sig in (signal.SIGUSR2,         # python3
                signal.SIGUSR1):        # another browser
        h = under_a_browser(w)
        nonce = ask(h, {"type": "kill_release"})
        h.kill(sig)
        until(lambda: "vivaldi" not in os.readlink(f"/proc/{h.pid}/exe"))
        refused(w, h, nonce, "unkill")
        # And not for anything that is asked for afterwards either.
        nonce = ask(h, {"type": "client_pair", "name": "x", "anchor": {
            "kind": "hash", "value": OTHER}})
        refused(w, h, nonce, "pair-client")
        h.close()


def test_a_parent_that_ended_grants_nothing(w):
    if not can_mount(w):
        return
    killed(w)
    h = under_a_browser(w)
    nonce = ask(h, {"type": "kill_release"})
    h.kill(signal.SIGTERM)
    h.p.wait(5)
    refused(w, h, nonce, "unkill")


def test_an_update_of_the_running_browser_changes_nothing(w):
    if not can_mount(w):
        return
    killed(w)
    h = under_a_browser(w)
    nonce = ask(h, {"type": "kill_release"})
    h.kill(signal.SIGHUP)
    until(lambda: os.readlink(f"/proc/{h.pid}/exe").endswith(" (deleted)"),
          what="the update")
    equal(click(h, nonce)["ok"], True)
    until(lambda: trust(w)["killed"] is False)


def test_a_browser_by_name_alone_grants_nothing(w):
    if not can_mount(w):
        return
    killed(w)
    h = under_a_browser(w, mode="0775")
    refused(w, h, ask(h, {"type": "kill_release"}), "unkill")


def test_no_label_makes_a_browser_of_a_terminal(w):
    killed(w)
    for label in ("chrome", "chromium", "brave", "edge", "vivaldi", "opera",
                  "default", None):
        h = w.host(label, hello=False)
        h.push("policy_current")
        refused(w, h, ask(h, {"type": "kill_release"}), "unkill")
        h.close_stdin()
        equal(h.wait(), 0)


if __name__ == "__main__":
    harness.main(globals())
