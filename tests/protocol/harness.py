"""Drives the real programs over their real pipes and sockets.

A World has a home and a runtime directory of its own; in it, Server is an MCP
client on the stdio of genkan-server, and Host is a browser on the stdio of
genkan-host.  Nothing here knows what an answer should be: that is the tests'.

A test file ends in

    if __name__ == "__main__":
        harness.main(globals())

which runs every function test_* in order, each in a World of its own, and
prints TAP.
"""
import contextlib
import fcntl
import inspect
import json
import os
import pathlib
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback

BUILD = pathlib.Path(os.environ.get("GENKAN_BUILDDIR", ".")).resolve()
SOURCE = pathlib.Path(os.environ.get(
    "GENKAN_SRCDIR", pathlib.Path(__file__).resolve().parents[2]))

MODERN = "2026-07-28"
OLDER = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

def busy():
    """How many programs want each processor now or did a while ago: 1 on a
    machine with time, and no more than 4."""
    with open("/proc/loadavg") as f:
        minute, _, _, running = f.read().split()[:4]
    most = max(float(minute), int(running.split("/")[0]))
    return min(4.0, max(1.0, most / len(os.sched_getaffinity(0))))


class Slow(float):
    """A sanitizer slows everything down, which the environment says; and so
    does a machine that others use, which is looked at whenever a time is
    multiplied by this."""

    def __mul__(self, other):
        return other * float(self) * busy()

    __rmul__ = __mul__

    def __rtruediv__(self, other):
        return other / (float(self) * busy())


SLOW = Slow(os.environ.get("GENKAN_SLOW", "1"))


# Of AddressSanitizer and its kin, and of the one for undefined behaviour.
SANITIZER = re.compile(r"^.*(?:Sanitizer|runtime error:)", re.MULTILINE)

# Who runs us in the background may ignore what the programs are to be sent, and
# they would inherit that.
for _sig in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(_sig) == signal.SIG_IGN:
        signal.signal(_sig, signal.SIG_DFL)


class Failure(Exception):
    """A test did not see what it should."""


def check(cond, *what):
    if not cond:
        raise Failure(" ".join(str(w) for w in what) or "check failed")


def equal(got, want, what=""):
    if got != want:
        raise Failure(f"{what}: " * bool(what) +
                      f"got {got!r}, want {want!r}")


def sanitized():
    """Whether the programs keep the memory that they freed.  The environment
    of a sanitizer does not tell: all the tests of a run may have it."""
    return b"__asan_init" in (BUILD / "genkan-server").read_bytes()


def until(fn, seconds=5.0, every=0.01, what="it"):
    """Waits until fn() is true and returns that."""
    end = time.monotonic() + seconds * SLOW
    while True:
        value = fn()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{what} did not happen within {seconds} s")
        time.sleep(every)


def broker_of(w, server):
    """The server, once a host can find it: its client is answered before."""
    until(lambda: (w.lock() or {}).get("pid") == server.pid,
          what="becoming the broker")
    return server


def meta(version=MODERN, **more):
    return {"io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {}, **more}


class World:
    """Directories and programs of one test."""

    def __init__(self, bindir=None):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="gk-"))
        self.home = self.dir / "home"
        self.run = self.dir / "run"
        self.home.mkdir(0o700)
        self.run.mkdir(0o700)
        self.bin = pathlib.Path(bindir) if bindir else BUILD
        self.made = []

    @property
    def runtime(self):
        return self.run / "genkan"

    @property
    def state(self):
        return self.home / ".local/state/genkan"

    @property
    def sock(self):
        return self.runtime / "run.sock"

    def lock(self):
        """The lock file as an object, None if there is none."""
        try:
            return json.loads((self.runtime / "run.lock").read_text())
        except FileNotFoundError:
            return None

    def record(self, name, value):
        """Writes a record as genkan would, in one piece."""
        self.state.mkdir(0o700, parents=True, exist_ok=True)
        tmp = self.state / (name + ".test")
        tmp.write_text(value if isinstance(value, str) else json.dumps(value))
        tmp.chmod(0o600)
        tmp.rename(self.state / name)

    def trust(self, clients=None, killed=False, epoch=1, **markers):
        """A trust record; clients as [(name, hash)] or None."""
        self.record("trust.json", {
            "version": 0, "epoch": epoch, "killed": killed,
            "kill_epoch": markers.get("kill", 0),
            "host_key_epoch": markers.get("host_key", 0),
            "policy_epoch": markers.get("policy", 0),
            "lang_epoch": markers.get("lang", 0),
            "clients": None if clients is None else [
                {"name": n, "anchor": {"kind": "hash", "value": h},
                 "added_unix": 0} for n, h in clients],
            "enrollments": []})

    def copy_programs(self, name="bin"):
        """A second installation with the same bytes; returns its folder."""
        to = self.dir / name
        to.mkdir(0o755)
        for program in ("genkan-server", "genkan-host", "genkan"):
            if (BUILD / program).exists():
                shutil.copy(BUILD / program, to / program)
                (to / program).chmod(0o755)
        return to

    def env(self, **more):
        env = {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.run),
               "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
               "GENKAN_LOG": "debug"}
        for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if key in os.environ:
                env[key] = os.environ[key]
        for key, value in more.items():
            if value is None:
                env.pop(key, None)
            else:
                env[key] = value
        return env

    def processes(self):
        """All of this world, by pid; a zombie has no environment."""
        found = {}
        mine = f"XDG_RUNTIME_DIR={self.run}".encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if mine in f.read().split(b"\0"):
                        found[int(pid)] = os.readlink(f"/proc/{pid}/exe")
        return found

    def server(self, *args, **kw):
        return Server(self, args, **kw)

    def host(self, label=None, **kw):
        return Host(self, label, **kw)

    def complaints(self):
        """What sanitizers said, of whatever has a log here."""
        found = []
        for path in sorted(self.dir.glob("*.log")):
            text = path.read_text(errors="backslashreplace")
            said = SANITIZER.search(text)
            if said:
                found.append(f"{path.name}: {text[said.start():][:3000]}")
        return found

    def stop(self):
        for p in reversed(self.made):
            p.close()

    def close(self):
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)


class Program:
    """A process with pipes; stderr goes to a file, so it never fills up."""

    def __init__(self, world, program, args, env=None, bindir=None,
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                 preexec_fn=None):
        self.world = world
        self.name = program
        self.log_path = world.dir / f"{program}-{len(world.made)}.log"
        path = pathlib.Path(bindir or world.bin) / program
        self.started = time.monotonic()
        with open(self.log_path, "wb") as err:
            self.p = subprocess.Popen(
                [str(path), *args], stdin=stdin, stdout=stdout, stderr=err,
                env=world.env(**(env or {})), preexec_fn=preexec_fn)
        world.made.append(self)
        self.buf = b""

    @property
    def pid(self):
        return self.p.pid

    def log(self):
        return self.log_path.read_text(errors="backslashreplace")

    def wait_log(self, text, seconds=5.0):
        until(lambda: text in self.log(), seconds, what=f"log of {text!r}")

    def write(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def unread(self):
        """Bytes on its stdin that it has not read yet."""
        return struct.unpack("i", fcntl.ioctl(
            self.p.stdin, termios.FIONREAD, bytes(4)))[0]

    def close_stdin(self):
        with contextlib.suppress(OSError):
            self.p.stdin.close()

    def close_stdout(self):
        self.p.stdout.close()

    def read_some(self, end):
        """More bytes into .buf; False at the end of the output."""
        left = end - time.monotonic()
        if left <= 0 or not select.select([self.p.stdout], [], [], left)[0]:
            raise Failure(f"{self.name}: no answer in time; log:\n" +
                          self.log()[-3000:])
        data = os.read(self.p.stdout.fileno(), 1 << 20)
        self.buf += data
        return data != b""

    def quiet(self, seconds=0.2):
        """Asserts that nothing more is said for a while."""
        time.sleep(seconds)
        if select.select([self.p.stdout], [], [], 0)[0]:
            data = os.read(self.p.stdout.fileno(), 1 << 16)
            check(data == b"", f"{self.name} said {data[:300]!r}")
        equal(self.buf, b"", f"{self.name}: left in the buffer")

    def wait(self, seconds=5.0):
        """The exit status."""
        try:
            return self.p.wait(seconds * SLOW)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} did not end; log:\n" +
                          self.log()[-3000:]) from None

    def kill(self, sig=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            self.p.send_signal(sig)

    def descriptors(self):
        return os.listdir(f"/proc/{self.pid}/fd")

    def sockets(self):
        """Inodes of its sockets."""
        found = set()
        for fd in self.descriptors():
            with contextlib.suppress(OSError):
                link = os.readlink(f"/proc/{self.pid}/fd/{fd}")
                if link.startswith("socket:["):
                    found.add(link[8:-1])
        return found

    def close(self):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        for f in (self.p.stdin, self.p.stdout):
            if f is not None:
                with contextlib.suppress(OSError):
                    f.close()


class Server(Program):
    """An MCP client on the stdio of genkan-server."""

    def __init__(self, world, args=(), **kw):
        super().__init__(world, "genkan-server", list(args), **kw)
        self.next_id = 1
        self.early = []		# read while something else was waited for

    def send(self, obj):
        self.write(json.dumps(obj, ensure_ascii=False,
                              separators=(",", ":")).encode() + b"\n")

    def notify(self, method, params=None):
        msg = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            msg["params"] = params
        self.send(msg)

    def ask(self, method, params=None, id=None):
        """Sends a request and returns its id."""
        if id is None:
            id = self.next_id
            self.next_id += 1
        msg = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            msg["params"] = params
        self.send(msg)
        return id

    def line(self, seconds=5.0):
        """The next line as bytes, None at the end."""
        end = time.monotonic() + seconds * SLOW
        while b"\n" not in self.buf:
            if not self.read_some(end):
                equal(self.buf, b"", "an unfinished line")
                return None
        line, _, self.buf = self.buf.partition(b"\n")
        return line

    def recv(self, seconds=5.0):
        if self.early:
            return self.early.pop(0)
        line = self.line(seconds)
        return None if line is None else json.loads(line)

    def answer(self, id, seconds=5.0):
        """The reply with this id; others are kept for later."""
        for i, msg in enumerate(self.early):
            if msg.get("id") == id and "method" not in msg:
                return self.early.pop(i)
        end = time.monotonic() + seconds * SLOW
        while True:
            line = self.line((end - time.monotonic()) / SLOW)
            check(line is not None, f"end of output before reply {id}")
            msg = json.loads(line)
            if msg.get("id") == id and "method" not in msg:
                return msg
            self.early.append(msg)

    def request(self, method, params=None, seconds=5.0, id=None):
        return self.answer(self.ask(method, params, id), seconds)

    def discover(self, seconds=5.0):
        """Opens the connection stateless."""
        return self.request("server/discover", {"_meta": meta()}, seconds)

    def initialize(self, version="2025-11-25"):
        """Opens the connection legacy."""
        reply = self.request("initialize", {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}})
        self.notify("notifications/initialized")
        return reply

    def ask_tool(self, tool, modern=True, progress=None, **arguments):
        params = {"name": tool, "arguments": arguments}
        if modern:
            params["_meta"] = meta()
        if progress is not None:
            params.setdefault("_meta", {})["progressToken"] = progress
        return self.ask("tools/call", params)

    def tool(self, tool, modern=True, seconds=20.0, **arguments):
        """The result of a call."""
        reply = self.answer(self.ask_tool(tool, modern, **arguments), seconds)
        check("result" in reply, f"{tool} gave {reply}")
        return reply["result"]

    def tool_text(self, tool, modern=True, seconds=20.0, **arguments):
        """The text of a call that succeeds."""
        result = self.tool(tool, modern, seconds, **arguments)
        equal(result["isError"], False, result["content"][0].get("text"))
        return result["content"][0]["text"]

    def tool_code(self, tool, modern=True, seconds=20.0, **arguments):
        """The code of a call that fails."""
        result = self.tool(tool, modern, seconds, **arguments)
        equal(result["isError"], True, str(result)[:300])
        return code_of(result)


def code_of(result):
    text = result["content"][0]["text"]
    check(text.startswith("Error [") and "]: " in text, f"no code in {text!r}")
    return text[len("Error ["):text.index("]: ")]


class Host(Program):
    """A browser on the stdio of genkan-host.

    A thread reads; requests are answered by the functions in .ops, called with
    args and frame: what they return is data, a dict with "ok" is the whole
    response, None says nothing.  Everything else lands in .frames.
    """

    ORIGIN = None

    def __init__(self, world, label=None, args=None, hello=True, ops=None,
                 **kw):
        argv = ["--label", label] if label else []
        super().__init__(world, "genkan-host",
                         argv if args is None else list(args), **kw)
        self.label = label
        self.frames = []
        self.requests = []
        self.cancels = []
        self.ended = threading.Event()
        self.mutex = threading.Condition()
        self.ops = {"tab_list": lambda args, frame: [],
                    **(ops or {})}
        self.out_mutex = threading.Lock()
        if hello:
            self.send({"type": "hello", "protocol": 1, "capabilities": [
                "tab_control", "page_read", "page_interact", "page_eval",
                "cookies", "downloads", "network"]} if hello is True
                else hello)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def send_bytes(self, data):
        with self.out_mutex:
            try:
                self.write(struct.pack("<I", len(data)) + data)
            except (OSError, ValueError):
                pass		# the host is gone: the test will see

    def send(self, obj):
        self.send_bytes(json.dumps(obj, ensure_ascii=False,
                                   separators=(",", ":")).encode())

    def reply(self, id, data):
        self.send({"id": id, "ok": True, "data": data})

    def fail(self, id, text, code=None):
        msg = {"id": id, "ok": False, "error": text}
        if code:
            msg["code"] = code
        self.send(msg)

    def _exactly(self, n):
        out = b""
        while len(out) < n:
            data = os.read(self.p.stdout.fileno(), min(n - len(out), 1 << 20))
            if not data:
                return None
            out += data
        return out

    def _read(self):
        try:
            while True:
                head = self._exactly(4)
                if head is None:
                    break
                body = self._exactly(struct.unpack("<I", head)[0])
                if body is None:
                    break
                self._take(json.loads(body))
        except (OSError, ValueError) as e:
            with self.mutex:
                self.frames.append({"broken": repr(e)})
        self.ended.set()
        with self.mutex:
            self.mutex.notify_all()

    def _take(self, frame):
        op = self.ops.get(frame.get("op"))
        with self.mutex:
            if "op" in frame:
                self.requests.append(frame)
            elif frame.get("type") == "cancel":
                self.cancels.append(frame["id"])
            else:
                self.frames.append(frame)
            self.mutex.notify_all()
        if op is None:
            return
        answer = op(frame["args"], frame)
        if isinstance(answer, dict) and "ok" in answer:
            self.send({"id": frame["id"], **answer})
        elif answer is not None:
            self.reply(frame["id"], answer)

    def _wait(self, look, seconds, what):
        end = time.monotonic() + seconds * SLOW
        with self.mutex:
            while True:
                found = look()
                if found is not None:
                    return found
                left = end - time.monotonic()
                if left <= 0 or (self.ended.is_set() and left < 0.05):
                    raise Failure(f"{self.name}: no {what}; frames "
                                  f"{self.frames}, log:\n{self.log()[-3000:]}")
                self.mutex.wait(min(left, 0.5))

    def push(self, tag, seconds=5.0):
        """Takes the first frame of this type."""
        def look():
            for i, f in enumerate(self.frames):
                if f.get("type") == tag:
                    return self.frames.pop(i)
            return None
        return self._wait(look, seconds, f"frame {tag}")

    def request(self, op=None, seconds=5.0):
        """Takes the first request, or the first for this op."""
        def look():
            for i, f in enumerate(self.requests):
                if op is None or f["op"] == op:
                    return self.requests.pop(i)
            return None
        return self._wait(look, seconds, f"request {op or ''}")

    def cancelled(self, id, seconds=5.0):
        return self._wait(lambda: True if id in self.cancels else None,
                          seconds, f"cancel of {id}")

    def attached(self, seconds=5.0):
        """Waits until the broker has taken it in."""
        self.wait_log("bridge handshake complete", seconds)
        return self

    def wait_end(self, seconds=5.0):
        check(self.ended.wait(seconds * SLOW), "the host said no end")

    def close(self):
        super().close()
        self.thread.join(5)


def tcp_inodes():
    """Inodes of all TCP and UDP sockets of this network namespace."""
    found = set()
    for name in ("tcp", "tcp6", "udp", "udp6"):
        with contextlib.suppress(OSError):
            with open(f"/proc/net/{name}") as f:
                next(f)
                found.update(line.split()[9] for line in f)
    return found


def main(names, timeout=60):
    """Runs the tests of a file and prints TAP."""
    tests = [(n, f) for n, f in names.items()
             if n.startswith("test_") and inspect.isfunction(f)]
    wanted = sys.argv[1:]
    if wanted:
        tests = [(n, f) for n, f in tests if any(w in n for w in wanted)]

    def alarm(*_):
        raise Failure("took too long")

    signal.signal(signal.SIGALRM, alarm)
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for i, (name, fn) in enumerate(tests, 1):
        world = World()
        began = time.monotonic()
        signal.alarm(int(getattr(fn, "timeout", timeout) * SLOW))
        try:
            fn(world)
            world.stop()
            complaints = world.complaints()
            check(not complaints, *complaints)
            print(f"ok {i} - {name} # {time.monotonic() - began:.2f} s",
                  flush=True)
        except Exception as e:
            failed += 1
            print(f"not ok {i} - {name}")
            text = str(e) if isinstance(e, Failure) else ""
            for line in (text or traceback.format_exc()).splitlines():
                print(f"#   {line}")
            if text:
                for line in traceback.format_tb(e.__traceback__)[-2:]:
                    print("#   " + line.strip().splitlines()[0])
            for p in world.made:
                print(f"# log of {p.name} {p.pid}, status {p.p.poll()}:")
                for line in p.log().splitlines()[-25:]:
                    print(f"#   {line}")
            for text in world.complaints():
                print("#   " + text.replace("\n", "\n#   "))
            sys.stdout.flush()
        finally:
            signal.alarm(0)
            world.close()
    print(f"# {len(tests) - failed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)
