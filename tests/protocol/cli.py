"""The command line in a World of the harness: with pipes, and at a terminal of
one's own."""
import json
import os
import pty
import select
import subprocess
import time

import harness


class Done:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        harness.check(not harness.SANITIZER.search(err), err)

    def __repr__(self):
        return f"exit {self.status}, out {self.out!r}, err {self.err!r}"


def start(w, *args, **kw):
    return subprocess.Popen([str(w.bin / "genkan"), *args],
                            stdin=kw.pop("stdin", subprocess.DEVNULL),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=w.env(**kw.pop("env", {})), **kw)


def run(w, *args, text=None, env=None, seconds=20):
    """Runs it with a pipe, or nothing, on its stdin."""
    p = start(w, *args, env=env or {},
              stdin=subprocess.DEVNULL if text is None else subprocess.PIPE)
    out, err = p.communicate(None if text is None else text.encode(),
                             timeout=seconds * harness.SLOW)
    return Done(p.returncode, out.decode(), err.decode())


class Terminal:
    """A program at a terminal: .seen is all that it shows there."""

    def __init__(self, w, *args, env=None, program="genkan"):
        self.seen = ""
        argv = [str(w.bin / program), *args]
        environment = w.env(**(env or {}))
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv, environment)

    def read(self, seconds):
        """True: something came; None: nothing did; False: it has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        try:
            data = os.read(self.fd, 4096)
        except OSError:
            data = b""
        self.seen += data.decode().replace("\r\n", "\n")
        return data != b""

    def until(self, text, seconds=10):
        end = time.monotonic() + seconds * harness.SLOW
        while text not in self.seen:
            harness.check(time.monotonic() < end and
                          self.read(0.5) is not False or
                          text in self.seen, f"no {text!r} in {self.seen!r}")
        return self

    def type(self, text):
        os.write(self.fd, text.encode())
        return self

    def end(self, seconds=10):
        end = time.monotonic() + seconds * harness.SLOW
        while self.read(0.5) is not False:
            harness.check(time.monotonic() < end, "did not end", self.seen)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return Done(status, self.seen, self.seen)


def answer(w, *args, text="allow\n", env=None):
    """Waits for the question and answers it."""
    return Terminal(w, *args, env=env).until("go on: ").type(text).end()


def trust(w):
    return json.loads((w.state / "trust.json").read_text())


def audit(w, torn=False):
    """All records of the trail; torn: there may be lines that are none."""
    out = []
    for name in ("audit.log.1", "audit.log"):
        path = w.state / name
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                out.append(json.loads(line))
            except ValueError:
                harness.check(torn, f"no record: {line!r}")
    return out
