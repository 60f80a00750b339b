"""Directories, programs and commands of one soak."""
import contextlib
import hashlib
import os
import pathlib
import pty
import selectors
import shutil
import subprocess

import harness

SHELL = "/bin/sh"


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class World(harness.World):
    """Everybody who calls is paired: each client by a shell of its own, whose
    bytes are no other's, and this program itself."""

    def __init__(self, clients):
        super().__init__()
        self.logs = {}
        self.shells = []
        for n in range(clients):
            path = self.dir / f"shell-{n}"
            shutil.copy(os.path.realpath(SHELL), path)
            with open(path, "ab") as f:
                f.write(b"%d" % n)
            self.shells.append(path)
        self.trust([(f"client-{n}", digest(path))
                    for n, path in enumerate(self.shells)] +
                   [("soak", digest("/proc/self/exe"))])

    def env(self, **more):
        return super().env(**{"GENKAN_LOG": os.environ.get("GENKAN_LOG",
                                                           "warn"), **more})

    def log(self, name):
        """One file for all lives of a program."""
        if name not in self.logs:
            self.logs[name] = open(self.dir / f"{name}.log", "ab")
        return self.logs[name]

    def close(self):
        for f in self.logs.values():
            f.close()
        super().close()


class Usage:
    """Memory and descriptors of a living program."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status") as f:
            rows = dict(line.split(":", 1) for line in f)
        self.rss = int(rows["VmRSS"].split()[0])
        self.peak = int(rows["VmHWM"].split()[0])
        self.threads = int(rows["Threads"])
        # The trail stays open in whoever had something to write down.
        self.fds = sum("/audit.log" not in self.link(pid, fd)
                       for fd in os.listdir(f"/proc/{pid}/fd"))

    @staticmethod
    def link(pid, fd):
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/{pid}/fd/{fd}")
        return ""


class Command:
    """`genkan` with its arguments; one that asks gets its answer at a
    terminal.  done(status, output) is called at its end."""

    def __init__(self, loop, world, args, done, typed=None):
        self.loop, self.done, self.typed = loop, done, typed
        self.out = ""
        argv = [str(world.bin / "genkan"), *args]
        if typed is None:
            p = subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, env=world.env())
            self.fd, self.pid = os.dup(p.stdout.fileno()), p.pid
            p.stdout.close()
            p.returncode = 0	# the wait is ours
        else:
            self.pid, self.fd = pty.fork()
            if self.pid == 0:
                os.execve(argv[0], argv, world.env())
        os.set_blocking(self.fd, False)
        loop.watch(self.fd, selectors.EVENT_READ, self._read)

    def _read(self, _):
        try:
            data = os.read(self.fd, 4096)
        except BlockingIOError:
            return
        except OSError:		# a terminal that nobody holds any more
            data = b""
        self.out += data.decode(errors="replace")
        if data:
            if self.typed and self.out.endswith("go on: "):
                os.write(self.fd, self.typed.encode() + b"\n")
                self.typed = None
            return
        self.loop.watch(self.fd, 0, None)
        os.close(self.fd)
        self._wait()

    def _wait(self):
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            self.loop.at(0.01, self._wait)
        else:
            self.done(os.waitstatus_to_exitcode(status), self.out)
