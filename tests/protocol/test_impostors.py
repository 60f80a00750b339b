"""Somebody else under a name that is trusted, copies, programs that are
replaced or run another one while they are connected, and authority that goes
away in mid-session: the real programs, and programs made for the purpose."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import harness
from cli import audit, run, trust
from harness import check, equal, until

TABS = {"tab_list": lambda a, f: [f["browser"]]}
PYTHON = os.path.realpath("/usr/bin/python3")
ME = hashlib.sha256(pathlib.Path("/proc/self/exe").read_bytes()).hexdigest()


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def program(w, name, tail=b""):
    """A Python of one's own: these bytes, and some more behind them."""
    path = w.dir / name
    shutil.copy(PYTHON, path)
    if tail:
        with open(path, "ab") as f:
            f.write(tail)
    return path


# Starts genkan-server on its own pipes, again and again for the same client:
# whoever wants a second one sends SIGUSR1 and finds it on descriptors 3 and 4.
HARNESS = r"""
import os, signal, subprocess, sys
server = sys.argv[1]
def second(*_):
    subprocess.Popen([server], stdin=open(sys.argv[2]), stdout=open(sys.argv[3], "w"))
signal.signal(signal.SIGUSR1, second)
p = subprocess.Popen([server])
sys.stdin.close()
os.close(0)
os.close(1)
while True:
    try:
        os._exit(p.wait() & 255)
    except InterruptedError:
        pass
"""


def started_by(w, exe, **kw):
    """A server whose harness is this program."""
    folder = w.dir / f"under-{len(w.made)}"
    folder.mkdir()
    (folder / "script").write_text(HARNESS)
    os.mkfifo(folder / "in")
    os.mkfifo(folder / "out")
    (folder / "genkan-server").write_text(
        f'#!/bin/sh\nexec "{exe}" -I "{folder}/script" '
        f'"{w.bin}/genkan-server" "{folder}/in" "{folder}/out"\n')
    (folder / "genkan-server").chmod(0o755)
    s = w.server(bindir=folder, **kw)
    s.folder = folder
    return s


def served(s):
    s.initialize()
    equal(s.tool("list_browsers", modern=False)["isError"], False)
    return s


def turned_away(w, s):
    equal(s.wait(), 1)
    equal(s.p.stdout.read(), b"")
    check("pair-client" in s.log(), s.log())


# ------------------------------------------------------------------ the names

def test_a_paired_name_is_worth_nothing_without_its_program(w):
    right, wrong = program(w, "right"), program(w, "wrong", b"x")
    w.trust([("agent", digest(right))])
    served(started_by(w, right)).close()
    # The same file name, in another folder, under the paired name.
    (w.dir / "elsewhere").mkdir()
    same_name = w.dir / "elsewhere/right"
    wrong.rename(same_name)
    s = started_by(w, same_name, env={"GENKAN_CLIENT_NAME": "agent"})
    turned_away(w, s)
    check(w.lock() is None and not w.sock.exists(), "it left something")
    refusal = [r for r in audit(w) if r["kind"] == "harness_refuse"][-1]
    check(digest(same_name) in refusal["detail"], refusal)


def test_a_spoofed_client_name_changes_no_verdict(w):
    right, wrong = program(w, "right"), program(w, "wrong", b"x")
    w.trust([("agent", digest(right)), ("me", ME)])
    # Admitted, whatever it calls itself; and recorded as what it is.
    for name in ("me", "agent", "nobody", "../../x", "a\nb", "\x1b[2J", ""):
        s = served(started_by(w, right, env={"GENKAN_CLIENT_NAME": name}))
        admitted = [r for r in audit(w) if r["kind"] == "harness_admit"][-1]
        equal([admitted["outcome"], admitted["detail"]],
              ["ok", "hash:" + digest(right)])
        check("\x1b" not in s.log(), "raw control characters")
        s.close()
        until(lambda: w.lock() is None, what="leaving")
    # Turned away, whatever it calls itself, alone and beside a broker.
    broker = served(w.server())
    for name in ("agent", "me", ""):
        turned_away(w, started_by(w, wrong, env={"GENKAN_CLIENT_NAME": name}))
    equal(broker.request("ping")["result"], {})
    # And so it is at the broker's own door, where a relay vouches for it.
    w.trust([("agent", digest(right)), ("me", ME), ("wrong", digest(wrong))],
            epoch=2)
    relay = started_by(w, wrong, env={"GENKAN_CLIENT_NAME": "agent"})
    relay.initialize()
    relay.wait_log("attached")
    w.trust([("agent", digest(right)), ("me", ME)], epoch=3)
    equal(relay.line(), None)
    equal(relay.wait(), 1)


# ----------------------------------------------------------------- the images

def test_a_byte_identical_copy_is_the_same_code(w):
    right = program(w, "right")
    w.trust([("agent", digest(right))])
    copy = program(w, "copy")
    served(started_by(w, copy)).close()
    link = w.dir / "link"
    link.symlink_to(right)
    served(started_by(w, link)).close()
    with open(copy, "ab") as f:
        f.write(b"\0")
    turned_away(w, started_by(w, copy))


def test_a_replaced_image_is_judged_by_what_runs(w):
    """The running program is what counts: the file may change under it."""
    right = program(w, "right")
    good = digest(right)
    w.trust([("agent", good)])
    s = served(started_by(w, right))
    program(w, "new", b"evil").rename(right)
    equal(s.request("ping")["result"], {})
    equal(s.tool("list_browsers", modern=False)["isError"], False)
    # A second server of the same process is a server of the same code...
    s.kill(signal.SIGUSR1)
    with open(s.folder / "in", "w") as to, open(s.folder / "out") as out:
        to.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        to.flush()
        equal(json.loads(out.readline())["result"], {})
    # ...while what lies there now is somebody else's.
    turned_away(w, started_by(w, right))


def test_a_replaced_host_is_no_host_of_ours(w):
    w.bin = w.copy_programs()
    old = w.host("a", hello=False)              # waits in control-plane mode
    old.push("policy_current")
    new = w.bin / "genkan-host.new"
    new.write_bytes((w.bin / "genkan-host").read_bytes() + b"x")
    new.chmod(0o755)
    new.rename(w.bin / "genkan-host")
    s = served(w.server())
    equal(old.wait(10), 0, "asked to come again by the return of a broker")
    h = w.host("a", ops=TABS).attached()
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    # Replaced under a live connection: the inode runs on.
    again = w.bin / "genkan-host.new"
    again.write_bytes(b"#!/bin/sh\nexit 0\n")
    again.chmod(0o755)
    again.rename(w.bin / "genkan-host")
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    equal(h.p.poll(), None)
    # The bytes that the server knows are welcome, no others.
    h.close()
    for tail, status in ((b"y", 1), (b"z", 1)):
        (w.dir / "imp").mkdir(exist_ok=True)
        imp = w.dir / "imp/genkan-host"
        imp.write_bytes((harness.BUILD / "genkan-host").read_bytes() + tail)
        imp.chmod(0o755)
        for name in ("genkan-server", "genkan"):
            shutil.copy(w.bin / name, w.dir / "imp" / name)
        h = w.host("a", bindir=w.dir / "imp")
        equal(h.wait(), status)
        equal(h.frames, [])


# Connects, waits for a byte on stdin, runs another program with the socket on
# descriptor 0.
EXEC = r"""
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print("connected", flush=True)
sys.stdin.read(1)
os.dup2(s.fileno(), 0)
os.execv(sys.argv[2], sys.argv[2:])
"""

# Says what it sees on descriptor 0.
SEES = r"""
import socket
s = socket.socket(fileno=0)
s.settimeout(20)
try:
    print(repr(s.recv(100)), flush=True)
except OSError as e:
    print(repr(e), flush=True)
"""


def test_an_exec_before_the_look_is_seen(w):
    """Who is looked at is who runs then: a paired program that connects and
    makes room for another one brings it nothing."""
    right, wrong = program(w, "right"), program(w, "wrong", b"x")
    w.trust([("me", ME), ("agent", digest(right))])
    s = served(w.server())
    for then, sees in ((wrong, "b''"), (right, "challenge")):
        s.kill(signal.SIGSTOP)
        try:
            p = subprocess.Popen(
                [right, "-I", "-c", EXEC, str(w.sock), then, "-I", "-c",
                 SEES], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True)
            equal(p.stdout.readline(), "connected\n")
            p.stdin.write("x")
            p.stdin.flush()
            until(lambda: os.readlink(f"/proc/{p.pid}/exe") == str(then),
                  what="the exec")
        finally:
            s.kill(signal.SIGCONT)
        out, _ = p.communicate(timeout=30 * harness.SLOW)
        check(sees in out, then, out, s.log()[-1500:])
    refused = [r for r in audit(w) if r["kind"] == "attach_refuse"]
    equal([r["detail"] for r in refused], ["peer attestation failed"])


def test_an_exec_of_our_own_program_lends_no_voice_to_a_stranger(w):
    """A foreign program whose socket outlives it in a genkan-host: the host
    neither reads nor writes a socket that is not its own."""
    stranger = program(w, "stranger", b"x")
    s = served(w.server())
    s.kill(signal.SIGSTOP)
    try:
        with open(w.dir / "out", "wb") as out:
            p = subprocess.Popen(
                [stranger, "-I", "-c", EXEC, str(w.sock),
                 w.bin / "genkan-host", "--label", "thief"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=out, env=w.env())
            p.stdout.readline()
            p.stdin.write(b"x")
            p.stdin.flush()
            until(lambda: os.readlink(f"/proc/{p.pid}/exe") ==
                  str((w.bin / "genkan-host").resolve()), what="the exec")
    finally:
        s.kill(signal.SIGCONT)
    p.communicate(timeout=30 * harness.SLOW)
    # It attached by itself, under its own label, or not at all; what came
    # over the foreign socket attached nobody.
    check(s.log().count("browser thief attached") <= 1, s.log())
    equal(s.request("ping")["result"], {})


# ------------------------------------------------------- authority that goes

def test_one_revocation_ends_every_connection_of_its_program(w):
    """From the command line, in mid-session: the own harness at its next
    line, a relay and an embedder within a sweep; others stay."""
    right = program(w, "right")
    w.trust([("me", ME), ("agent", digest(right))])
    broker = served(w.server())
    relay = started_by(w, right)
    relay.initialize()
    relay.wait_log("attached")
    equal(relay.tool("list_browsers", modern=False)["isError"], False)
    embedder = subprocess.Popen([right, "-I", "-c", EMBED, str(w.sock),
                                 w.lock()["secret"]],
                                stdout=subprocess.PIPE, text=True)
    equal(embedder.stdout.readline(), "accepted\n")
    began = time.monotonic()
    equal(run(w, "revoke-client", "--name", "agent").status, 0)
    equal(embedder.stdout.readline(), "end\n")
    check(time.monotonic() - began < 1.5 * harness.SLOW, "late")
    equal(embedder.wait(5), 0)
    embedder.stdout.close()
    equal(relay.line(), None)
    equal(relay.wait(), 1)
    check(time.monotonic() - began < 2.5 * harness.SLOW, "late")
    equal(broker.request("ping")["result"], {}, "somebody else's")
    # And the last one out leaves an empty list, which admits nobody.
    equal(run(w, "revoke-client", "--name", "me").status, 0)
    broker.ask("ping")
    equal(broker.line(), None)
    equal(broker.wait(), 1)
    equal(trust(w)["clients"], [])
    turned_away(w, w.server())


# An embedder by hand; says when it was accepted and when it ended.
EMBED = r"""
import hmac, json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
f = s.makefile("rw")
def send(o):
    f.write(json.dumps(o) + "\n")
    f.flush()
nonce = json.loads(f.readline())["nonce"]
send({"type": "response", "mac": hmac.new(
    sys.argv[2].encode(), nonce.encode(), "sha256").hexdigest()})
send({"attach": "client"})
print(json.loads(f.readline())["attach_reply"], flush=True)
print("end" if f.readline() == "" else "more", flush=True)
"""


def test_a_state_directory_of_somebody_else_ends_every_start(w):
    if os.geteuid() != 0:
        return
    w.trust(None)
    os.chown(w.state, 12345, 12345)
    s = w.server()
    equal(s.wait(), 1)
    equal(s.p.stdout.read(), b"")
    h = w.host("a")
    equal(h.wait(), 1)
    equal(h.frames, [])
    for args in (["kill"], ["list-clients"], ["unkill"], ["audit"]):
        equal(run(w, *args).status, 1, args)
    check(w.lock() is None, "a lock")
    os.chown(w.state, 0, 0)


if __name__ == "__main__":
    harness.main(globals())
