"""Processes as such: hygiene, shortage, upgrades, other people's code."""
import fcntl
import glob
import hashlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import time

import harness
from cli import Terminal
from harness import broker_of, check, equal, until

OTHER = 12345		# a user that is nobody here


def install(w):
    """Programs of the test's own, that may be replaced; a World on them."""
    w.bin = w.copy_programs()
    return w.bin


def put(path, data):
    """Replaces a program as an installer does: a new file, then a rename."""
    tmp = path.with_name(path.name + ".new")
    tmp.write_bytes(data)
    tmp.chmod(0o755)
    tmp.rename(path)


# ------------------------------------------------------------------- hygiene

def test_no_core_and_no_descriptor_for_children(w):
    s = broker_of(w, w.server())
    h = w.host("chrome").attached()
    for p in (s, h):
        with open(f"/proc/{p.pid}/limits") as f:
            core = [l.split()[4:6] for l in f if "core file size" in l]
        equal(core, [["0", "0"]], p.name)
        # The limit is none for a handler that is given the dump by a pipe.
        with open(f"/proc/{p.pid}/coredump_filter") as f:
            equal(int(f.read(), 16), 0, p.name)
        for fd in p.descriptors():
            if int(fd) < 3:
                continue
            with open(f"/proc/{p.pid}/fdinfo/{fd}") as f:
                flags = [int(l.split()[1], 8) for l in f
                         if l.startswith("flags")][0]
            link = os.readlink(f"/proc/{p.pid}/fd/{fd}")
            check(flags & os.O_CLOEXEC, f"{p.name}: {fd} -> {link}")
        # Peers must be able to look at the image.
        equal(os.stat(f"/proc/{p.pid}/exe").st_uid,
              os.stat(w.bin / p.name).st_uid)
        equal(os.stat(f"/proc/{p.pid}/mem").st_uid, os.geteuid())


def confinement(pid):
    """Of every thread: may it gain privileges, is there a filter?"""
    found = set()
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(path) as f:
            rows = dict(line.split(":", 1) for line in f)
        found.add((int(rows["NoNewPrivs"]), int(rows["Seccomp"])))
    return found


def test_what_is_set_up_is_confined(w):
    """Built without a filter it has that of who started it."""
    built = (harness.BUILD / "frontends/common/filter.inc").exists()
    ours = max(seccomp for _, seccomp in confinement(os.getpid()))
    want = {(1, 2 if built else ours)}
    alone = w.host("alone")
    alone.push("policy_current")	# without a broker
    equal(confinement(alone.pid), want, "host, control plane")
    s = broker_of(w, w.server())
    t = w.server()
    t.discover()
    h = w.host("a", ops={"tab_list": lambda a, f: []}).attached()
    t.tool("tab_list", browser="a")
    for p in (s, t, h):
        equal(confinement(p.pid), want, p.name)
        check("going on without" not in p.log(), p.log())
    alone.wait_end(10)


def test_stdout_carries_protocol_only(w):
    s = broker_of(w, w.server())
    out = os.readlink(f"/proc/{s.pid}/fd/1")
    equal(out, os.readlink(f"/proc/{s.pid}/fd/2"))
    check(any(os.readlink(f"/proc/{s.pid}/fd/{fd}").startswith("pipe:")
              for fd in s.descriptors() if int(fd) > 2), "no private copy")


def test_whoever_starts_them_by_hand_is_told(w):
    for program, args, who in (("genkan-server", [], "an MCP client starts"),
                               ("genkan-host", ["--help"], "a browser starts")):
        t = Terminal(w, *args, program=program)
        t.until(who).until(f"see {program}(1)").type("\x04").end()
    # Nobody is at the other end of a pipe, and a broker reads nothing.
    s = w.server()
    s.close_stdin()
    equal(s.wait(), 0)
    check("starts this program" not in s.log(), s.log())


def test_a_shared_pipe_stays_as_blocking_as_it_was(w):
    ends = os.pipe()
    s = w.server(stdout=ends[1])
    s.p.stdout = os.fdopen(ends[0], "rb", buffering=0)
    equal(s.discover()["result"]["resultType"], "complete")
    flags = fcntl.fcntl(ends[1], fcntl.F_GETFL)
    os.close(ends[1])
    equal(flags & os.O_NONBLOCK, 0)


def test_input_from_a_file_and_a_socket(w):
    line = (json.dumps({"jsonrpc": "2.0", "id": 1,
                        "method": "server/discover",
                        "params": {"_meta": harness.meta()}}) + "\n").encode()
    path = w.dir / "input"
    path.write_bytes(line)
    with open(path, "rb") as f:
        s = w.server(stdin=f)
    equal(s.recv()["id"], 1)
    equal(s.wait(), 0)
    ours, theirs = socket.socketpair()
    s = w.server(stdin=theirs, stdout=theirs)
    theirs.close()
    ours.sendall(line)
    ours.settimeout(5 * harness.SLOW)
    equal(json.loads(ours.recv(65536))["id"], 1)
    ours.shutdown(socket.SHUT_WR)
    equal(s.wait(), 0)
    equal(ours.recv(10), b"")
    ours.close()


def test_a_log_that_nobody_reads_stops_nothing(w):
    p = subprocess.Popen([str(w.bin / "genkan-server")],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=w.env())
    try:
        until(lambda: (w.lock() or {}).get("pid") == p.pid)
        for _ in range(1200):		# a line of warning each
            with socket.socket(socket.AF_UNIX) as c:
                c.connect(str(w.sock))
        for i in range(3):
            p.stdin.write(json.dumps(
                {"jsonrpc": "2.0", "id": i, "method": "ping"}).encode() +
                b"\n")
            p.stdin.flush()
            equal(json.loads(p.stdout.readline())["id"], i)
        p.stdin.close()
        equal(p.wait(5 * harness.SLOW), 0)
    finally:
        p.kill()
        p.wait()
        p.stdout.close()
        p.stderr.close()


def test_an_empty_variable_counts_as_unset(w):
    s = w.server(env={"XDG_RUNTIME_DIR": "", "GENKAN_LOG": "",
                      "GENKAN_CLIENT_NAME": ""})
    s.discover()
    until(lambda: "broker" in s.log())
    check("DEBUG" not in s.log(), "the level is not the default")
    check("GENKAN_CLIENT_NAME" not in s.log(), s.log())
    check(not (w.run / "genkan").exists(), "the empty variable was used")
    s.close_stdin()
    equal(s.wait(), 0)


def test_levels_of_the_log(w):
    for value, debug, info in (("debug", 1, 1), ("DEBUG", 1, 1),
                               ("info", 0, 1), ("Debug", 0, 1),
                               ("loud", 0, 1), ("warn", 0, 0),
                               ("ERROR", 0, 0)):
        h = w.host("chrome", env={"GENKAN_LOG": value})
        h.push("lang_current")
        h.close_stdin()
        equal(h.wait(), 0)
        equal("[DEBUG] [" in h.log(), bool(debug), value)
        equal("[INFO] [" in h.log(), bool(info), value)


# ------------------------------------------------------------------- shortage

def test_shortage_of_descriptors_pauses_and_recovers(w):
    def tight():
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
    s = broker_of(w, w.server(preexec_fn=tight))
    s.discover()
    held = []
    for _ in range(30):
        c = socket.socket(socket.AF_UNIX)
        c.connect(str(w.sock))
        held.append(c)

    def cpu():
        with open(f"/proc/{s.pid}/stat") as f:
            parts = f.read().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    before = cpu()
    time.sleep(1.5)
    check(cpu() - before < 0.5 * harness.SLOW, "it spins")
    # Who could not be looked at for want of descriptors is no impostor.
    check("short of descriptors" in s.log(), s.log()[-2000:])
    for line in s.log().splitlines():
        check("identity mismatch" not in line or
              "Too many open files" not in line, line)
    equal(s.request("ping", {"_meta": harness.meta()})["error"]["code"],
          -32601)
    for c in held:
        c.close()
    w.host("chrome", ops={"tab_list": lambda a, f: [1]})
    equal(json.loads(s.tool_text("tab_list")), [1])


# ---------------------------------------------------------------- directories

def fails_to_start(w, *words, env=None):
    # The lines wait in the pipe before the program starts.
    ends = os.pipe()
    for id, method, params in (
            (1, "server/discover", {"_meta": harness.meta()}),
            (2, "tools/call", {"name": "tab_list", "arguments": {},
                               "_meta": harness.meta()})):
        os.write(ends[1], json.dumps({
            "jsonrpc": "2.0", "id": id, "method": method,
            "params": params}).encode() + b"\n")
    s = w.server(stdin=ends[0], env=env)
    os.close(ends[0])
    equal(s.answer(1)["result"]["resultType"], "complete")
    equal(harness.code_of(s.answer(2)["result"]), "CONNECTION_LOST")
    os.close(ends[1])
    equal(s.wait(), 1)
    for word in words:
        check(word in s.log(), f"{word!r} is not in {s.log()}")


def test_a_runtime_directory_that_is_a_link_fails(w):
    (w.dir / "elsewhere").mkdir(0o700)
    w.runtime.symlink_to(w.dir / "elsewhere")
    fails_to_start(w, str(w.runtime))
    equal(list((w.dir / "elsewhere").iterdir()), [])


def test_a_path_too_long_is_named_with_its_limit(w):
    deep = w.run / ("x" * 100)
    deep.mkdir(0o700)
    path = str(deep / "genkan/run.sock")
    fails_to_start(w, path, str(len(path)), "107", "XDG_RUNTIME_DIR",
                   env={"XDG_RUNTIME_DIR": str(deep)})


def test_a_state_directory_that_is_a_link_ends_every_start(w):
    w.state.parent.mkdir(0o700, parents=True)
    (w.dir / "elsewhere").mkdir(0o700)
    w.state.symlink_to(w.dir / "elsewhere")
    s = w.server()
    equal(s.wait(), 1)
    equal(s.line(), None)
    check(str(w.state) in s.log(), s.log())
    h = w.host("chrome")
    equal(h.wait(), 1)
    equal(h.frames, [])


def test_without_any_home_nothing_starts(w):
    # An absolute home in the passwd entry stands in; here it does.
    s = w.server(env={"HOME": "relative"})
    s.discover()
    s.kill(signal.SIGTERM)
    equal(s.wait(), 0)
    check(not (w.dir / "relative").exists())


# ------------------------------------------------------------------- upgrades

def test_the_same_bytes_in_a_new_file_change_nothing(w):
    bin = install(w)
    s = broker_of(w, w.server())
    put(bin / "genkan-server", (bin / "genkan-server").read_bytes())
    time.sleep(2.5)
    equal(w.lock()["pid"], s.pid)
    s2 = w.server()
    s2.discover()
    s2.wait_log("attached")


def test_an_upgraded_broker_serves_on_and_gives_up_the_lock(w):
    bin = install(w)
    old = broker_of(w, w.server())
    old.discover()
    h = w.host("chrome", ops={"tab_list": lambda a, f: ["old"]}).attached()
    new = (bin / "genkan-server").read_bytes() + b"new"
    put(bin / "genkan-server", new)
    until(lambda: w.lock() is None, 4, what="giving up the lock")
    check(not w.sock.exists(), "the socket stays")
    equal(json.loads(old.tool_text("tab_list")), ["old"])
    s = broker_of(w, w.server())	# of the new installation
    s.discover()
    equal(h.wait(), 0)		# the browser follows the newcomer
    until(lambda: "outdated" in old.log(), what="being outdated")
    equal(old.tool_code("tab_list"), "PROTOCOL_MISMATCH")
    equal(old.request("tools/list",
                      {"_meta": harness.meta()})["result"]["resultType"],
          "complete")
    w.host("chrome", ops={"tab_list": lambda a, f: ["new"]}).attached()
    equal(json.loads(s.tool_text("tab_list")), ["new"])
    equal(old.tool_code("tab_list"), "PROTOCOL_MISMATCH")
    equal(w.lock()["pid"], s.pid)
    old.close_stdin()
    equal(old.wait(), 0)
    equal(w.lock()["pid"], s.pid, "the newcomer's lock was touched")


def test_a_removed_program_is_a_replaced_one(w):
    bin = install(w)
    s = broker_of(w, w.server())
    s.discover()
    (bin / "genkan-server").unlink()
    until(lambda: w.lock() is None, 4, what="giving up the lock")
    equal(s.tool_code("tab_list"), "PROTOCOL_MISMATCH")
    s.close_stdin()
    equal(s.wait(), 0)


def test_an_upgraded_relay_never_becomes_a_broker(w):
    bin = install(w)
    first = broker_of(w, w.server())
    relay = w.server()
    relay.discover()
    relay.wait_log("attached")
    put(bin / "genkan-server", (bin / "genkan-server").read_bytes() + b"new")
    first.kill()
    first.wait()
    until(lambda: "outdated" in relay.log(), what="being outdated")
    equal(relay.tool_code("tab_list"), "PROTOCOL_MISMATCH")
    check((w.lock() or {}).get("pid") != relay.pid, "it took over")


# --------------------------------------------------------------- foreign code

def planted_library(w):
    """The environment that puts a library of somebody else's into a program."""
    found = glob.glob("/usr/lib/*/libsodium.so.*")
    check(found, "no library to plant")
    lib = w.dir / "planted.so"
    shutil.copy(os.path.realpath(found[0]), lib)
    if os.geteuid() == 0:
        os.chown(lib, OTHER, OTHER)
    # A sanitizer wants to be first; here it need not.
    options = os.environ.get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": str(lib),
            "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0"}


def test_a_preloaded_host_sees_no_challenge(w):
    s = broker_of(w, w.server())
    h = w.host("chrome", env=planted_library(w))
    equal(h.wait(), 1)
    check("bridge handshake complete" not in h.log(), h.log())
    until(lambda: "planted.so" in s.log() or "attest" in s.log())
    w.host("chrome").attached()


def test_a_preloaded_server_is_no_server_to_a_host(w):
    s = w.server(env=planted_library(w))
    broker_of(w, s)
    h = w.host("chrome")
    equal(h.wait(), 1)
    check("server attestation failed" in h.log(), h.log())
    equal(h.frames, [])


def test_a_preloaded_broker_is_superseded(w):
    first = w.server(env=planted_library(w))
    broker_of(w, first)
    second = w.server()
    second.discover()
    broker_of(w, second)
    # The lock is written before the round that wrote it is logged.
    second.wait_log("peer executable identity mismatch")
    equal(first.p.poll(), None)		# never signalled


# Makes files until one has the number of argv[1]'s inode, puts argv[2] into it
# and lays it over argv[1]; then the rest is run.
OVERLAY = r"""
import os, subprocess, sys
name, code, top = sys.argv[1:4]
want = os.stat(name).st_ino
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", top], check=True)
at = top + "/file"
while True:
    fd = os.open(at, os.O_CREAT | os.O_WRONLY, 0o755)
    got = os.fstat(fd).st_ino
    if got >= want:
        break
    os.close(fd)
    os.unlink(at)
assert got == want, (got, want)
os.write(fd, open(code, "rb").read())
os.close(fd)
subprocess.run(["mount", "--bind", at, name], check=True)
os.environ["LD_PRELOAD"] = name
os.execv(sys.argv[4], sys.argv[4:])
"""

UNSHARE = ["unshare", "--mount"] if os.geteuid() == 0 else \
    ["unshare", "--mount", "--user", "--map-root-user"]


def can_mount(w):
    """Whoever cannot mount cannot do this to us either."""
    return subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "tmpfs",
                           str(w.dir)], stderr=subprocess.DEVNULL
                          ).returncode == 0


def low_file():
    """The file of root's with the lowest inode, so that it is soon reached."""
    found = []
    for d in ("/etc", "/usr/bin", "/usr/lib"):
        for e in os.scandir(d):
            st = e.stat(follow_symlinks=False)
            if e.is_file(follow_symlinks=False) and st.st_uid == 0 and \
                    st.st_mode & 0o022 == 0 and st.st_mode & 0o004:
                found.append((st.st_ino, e.path))
    return min(found)[1]


def in_namespace(w, *argv):
    # A sanitizer wants to be the first library; here it need not.
    options = os.environ.get("ASAN_OPTIONS", "")
    env = w.env(ASAN_OPTIONS=f"{options}:verify_asan_link_order=0")
    p = subprocess.Popen([*UNSHARE, *argv], env=env, text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    try:
        return p.wait(10 * harness.SLOW), p.stderr.read()
    except subprocess.TimeoutExpired:
        p.kill()
        return None, p.stderr.read()
    finally:
        p.stdin.close()
        p.stderr.close()


def test_a_library_laid_over_one_of_roots_is_no_library_of_roots(w):
    if not can_mount(w):
        return
    planted_library(w)
    top = w.dir / "top"
    top.mkdir()
    s = broker_of(w, w.server())
    status, log = in_namespace(
        w, "python3", "-c", OVERLAY, low_file(), str(w.dir / "planted.so"),
        str(top), str(w.bin / "genkan-host"), "--label", "chrome")
    equal(status, 1, log)
    check("connected to MCP server bridge socket" in log, log)
    check("bridge handshake complete" not in log, log)
    check("code of a file that is gone" in s.log(), s.log())


def test_a_namespace_of_its_own_is_no_offence(w):
    if not can_mount(w):
        return
    broker_of(w, w.server())
    status, log = in_namespace(
        w, "timeout", "--preserve-status", "1",
        str(w.bin / "genkan-host"), "--label", "chrome")
    equal(status, 0, log)			# the signal
    check("bridge handshake complete" in log, log)


# A file with holes costs its owner nothing, and whoever hashes it the time.
FLOOD = r"""
import socket, sys, time
s = []
for i in range(30):
    s.append(socket.socket(socket.AF_UNIX))
    s[-1].connect(sys.argv[1])
time.sleep(60)
"""


def test_a_huge_program_delays_nobody(w):
    huge = w.dir / "huge"
    shutil.copy(os.path.realpath("/usr/bin/python3"), huge)
    os.truncate(huge, 64 << 30)
    s = broker_of(w, w.server())
    s.discover()
    p = subprocess.Popen([huge, "-I", "-c", FLOOD, str(w.sock)],
                         stderr=subprocess.DEVNULL)
    try:
        until(lambda: s.log().count("larger than") == 30, 5, what="refusals")
        w.host("chrome").attached(10)
        equal(s.tool_text("tab_list"), "[]")
    finally:
        p.kill()
        p.wait()


# As fast as it can, for as long as it may.
STORM = r"""
import socket, sys, time
held = []
while True:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(sys.argv[1])
        held.append(s)
    except OSError:
        time.sleep(0.01)
    if len(held) > 40:
        held.pop(0).close()
    time.sleep(0.005)
"""


def test_a_storm_of_large_programs_leaves_room_for_others(w):
    """Just small enough to be hashed, and a second's work for each."""
    large = w.dir / "large"
    shutil.copy(os.path.realpath("/usr/bin/python3"), large)
    os.truncate(large, (1 << 30) - 4096)
    s = broker_of(w, w.server())
    s.discover()
    p = subprocess.Popen([large, "-I", "-c", STORM, str(w.sock)],
                         stderr=subprocess.DEVNULL)
    try:
        until(lambda: "its program is large" in s.log(), 20,
              what="dropping")
        # A host gives up after 10 s, and so it is not held up for as long.
        for _ in range(3):
            h = w.host("chrome").attached(10)
            equal(s.tool_text("tab_list"), "[]")
            h.close()
        relay = w.server()
        relay.discover()
        relay.wait_log("attached", 10)
        check("are being set up already" not in s.log(), s.log()[-2000:])
    finally:
        p.kill()
        p.wait()
    # And a large one is judged like any other when its turn comes.
    until(lambda: "peer executable identity mismatch" in s.log(), 20,
          what="a verdict")


def test_a_large_program_on_the_list_is_served(w):
    large = w.dir / "large"
    shutil.copy(os.path.realpath("/usr/bin/python3"), large)
    os.truncate(large, 40 << 20)
    hashed = hashlib.sha256(large.read_bytes()).hexdigest()
    me = hashlib.sha256(open("/proc/self/exe", "rb").read()).hexdigest()
    w.trust([("large", hashed), ("me", me)])
    s = broker_of(w, w.server())
    p = subprocess.run([large, "-I", "-c", """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(s.recv(100).decode())
""", str(w.sock)], capture_output=True, text=True, timeout=30)
    check('"challenge"' in p.stdout, p.stdout, p.stderr, s.log())


# ------------------------------------------------------------------- --broker

def test_a_broker_for_embedders_reads_no_stdin(w):
    s = broker_of(w, w.server("--broker"))
    s.ask("ping")
    s.quiet(0.3)
    s.close_stdin()
    time.sleep(0.3)
    equal(s.p.poll(), None)
    s.kill(signal.SIGTERM)
    equal(s.wait(), 0)
    equal(w.lock(), None)


if __name__ == "__main__":
    harness.main(globals())
