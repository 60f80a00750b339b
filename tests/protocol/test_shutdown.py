"""A program ends when it is told to: at any moment, with calls in flight, with
connections half set up, with neighbours that read nothing or that are stopped.
No process stays, no file misleads the next one, no call is answered twice."""
import concurrent.futures
import contextlib
import json
import os
import random
import signal
import socket
import statistics
import threading
import time

import harness
from harness import Failure, check, equal, until

SEED = int(os.environ.get("GENKAN_SEED", "1"))
LARGE = "x" * 300_000
OPS = {"tab_list": lambda a, f: [],
       "page_text": lambda a, f: {"text": LARGE, "url": "", "truncated": False}
       if a.get("selector") == "large" else None}
SIGNALS = (signal.SIGTERM, signal.SIGINT)
# Whoever is told to end, must: within these seconds where the machine has time
# for it, which is half of the rounds of a test; a hang is one anywhere.
IN_TIME = {"signal": 0.5, "end of input": 2.0}
HANG = 20


class Deaf(harness.Host):
    """Its browser reads nothing, and keeps the pipe open."""

    def _read(self):
        pass


class Client:
    """On a server; what that says is read behind its back, or when it is told
    to listen."""

    def __init__(self, w, *args):
        self.s = w.server(*args)
        self.quick, self.out = [], b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        if not args:
            self.s.initialize()

    def listen(self):
        if self.thread.ident is None:
            self.thread.start()

    def _read(self):
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(self.s.p.stdout.fileno(), 1 << 20):
                self.out += data

    def ask(self, tool, **arguments):
        """The id; no matter whether anybody reads it any more."""
        with contextlib.suppress(BrokenPipeError):
            return self.s.ask_tool(tool, modern=False, **arguments)

    def answers(self):
        """Ids of whole lines, which are JSON."""
        return [json.loads(x)["id"] for x in self.out.split(b"\n")[:-1]]

    def served(self):
        return set(self.quick) <= set(self.answers())


class Round:
    """A broker, a relay and a browser; what(load) happens to one of them."""

    def __init__(self, load, target, way, seed):
        self.load, self.target, self.way = load, target, way
        self.rnd = random.Random(f"{seed} {load} {target} {way}")
        self.w = harness.World()
        self.raw, self.stopped = [], []

    def __str__(self):
        return f"{self.load}, {self.target}, {self.way}"

    def set_up(self):
        w = self.w
        self.broker = Client(w)
        harness.broker_of(w, self.broker.s)
        self.relay = Client(w)
        self.relay.s.wait_log("attached")
        self.host = w.host("a", ops=OPS).attached()
        self.clients = [self.broker, self.relay]
        self.all = [self.broker.s, self.relay.s, self.host]
        getattr(self, self.load)()

    # ------------------------------------------------------------------ load

    def calls(self):
        for _ in range(30):
            for c in self.clients:
                c.listen()
                c.quick.append(c.ask("tab_list", browser="a"))
                c.ask("page_text", browser="a")

    def setup(self):
        """Connections that do not go on, and programs in the middle of their
        start."""
        self.calls()
        for said in (b"", b'{"type":"resp', b"\n" * 100):
            s = socket.socket(socket.AF_UNIX)
            s.connect(str(self.w.sock))
            # It may have been refused already.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                s.sendall(said)
            self.raw.append(s)
        self.late = self.w.server()
        self.late_host = self.w.host("b", ops=OPS)
        self.all += [self.late, self.late_host]

    def unread(self):
        """More answers than pipes hold, and more questions."""
        self.all.append(Deaf(self.w, "b").attached())
        for _ in range(12):
            for c in self.clients:
                c.ask("page_text", browser="a", selector="large")
                c.ask("page_fill", browser="b", selector="x", value=LARGE)

    def hang(self):
        """Everybody else is stopped: nobody closes anything."""
        self.calls()
        free = {"broker": {self.broker.s, self.relay.s}} if self.way == \
            "end of input" else {}
        for p in self.all:
            if p not in free.get(self.target, {self.victim()}):
                p.kill(signal.SIGSTOP)
                self.stopped.append(p)

    # ------------------------------------------------------------------- end

    def victim(self):
        it = getattr(self, self.target)
        return it.s if isinstance(it, Client) else it

    def strike(self):
        """Tells the target to end and returns how long that took."""
        p = self.victim()
        # A broker without its own client serves on for the others.
        ends = [p] + [x for x in self.all[1:] if self.target == "broker" and
                      x.name == "genkan-server"]
        fine = {0, 1} if p.name == "genkan-host" else {0}
        time.sleep(self.rnd.uniform(0, 0.03))
        began = time.monotonic()
        if self.way == "end of input":
            for x in ends:
                x.close_stdin()
        else:
            ends, sig = [p], self.rnd.choice(SIGNALS)
            p.kill(sig)
            # One that has not come to its first line yet.
            fine |= {-sig} if self.target.startswith("late") else set()
        for x in ends:
            status = x.wait(HANG)
            check(status in fine, f"{x.name} ended with {status}")
        self.gone = ends
        return time.monotonic() - began

    def served(self):
        """Whoever was not told to end is answered; the browser comes back as
        often as its host ends."""
        if self.host.p.poll() is not None:
            self.host = self.w.host("a", ops=OPS)
            self.all.append(self.host)
        return all(c.served() for c in self.clients if c.s not in self.gone)

    def survive(self):
        """Whoever was not told to end works on, and ends when told to."""
        # And nobody else: a sanitizer that looks for leaks at the end of a
        # process waits for ever where this signal comes in between.
        for p in self.stopped:
            p.kill(signal.SIGCONT)
        for c in self.clients:
            c.listen()
        until(self.served, HANG, what="an answer to each call")
        for s in self.raw:
            s.close()
        for p in self.all:
            p.close_stdin()
        for p in self.all:
            status = p.wait(HANG)
            check(p in self.gone or status == 0 or
                  (p.name, status) == ("genkan-host", 1),
                  f"{p.name} ended with {status}")
        for c in self.clients:
            c.thread.join(HANG)
            ids = c.answers()
            equal(len(ids), len(set(ids)), "answered twice")

    def leave_nothing(self):
        until(lambda: not self.w.processes(), what="the end of every process")
        clean = sorted(os.listdir(self.w.runtime)) == ["run.mutex"]
        equal([f for f in os.listdir(self.w.state) if f not in (
            "audit.log", "audit.log.lock", "records.mutex")], [])
        s = harness.broker_of(self.w, self.w.server())
        s.initialize()
        self.w.host("a", ops={"tab_list": lambda a, f: ["next"]})
        equal(json.loads(s.tool_text("tab_list", modern=False)), ["next"])
        return clean

    def run(self):
        """Seconds, and whether no file was left either."""
        try:
            self.set_up()
            took = self.strike()
            self.survive()
            return took, self.leave_nothing()
        except Exception as e:
            logs = "".join(f"\n{p.name} {p.pid}, {p.p.poll()}:\n"
                           f"{p.log()[-1000:]}" for p in self.w.made)
            raise Failure(f"{self}: {e!r}{logs}") from e
        finally:
            for p in self.w.made:
                p.kill()
            self.w.close()


def rounds(load, targets=("broker", "relay", "host")):
    """At two moments for a signal; the other end takes its time."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        runs = {way: [pool.submit(Round(load, t, way, SEED + n).run)
                      for t in targets for n in range(1 + (way == "signal"))]
                for way in IN_TIME}
        for way, run in runs.items():
            ends = [r.result() for r in run]
            took = [x for x, _ in ends]
            check(statistics.median_low(took) < IN_TIME[way] * harness.SLOW,
                  way, took)
            # A broker without time leaves its files to the next one.
            check(sum(clean for _, clean in ends) * 2 >= len(ends), ends)


def test_with_calls_in_flight(_):
    rounds("calls")


def test_with_connections_half_set_up(_):
    rounds("setup", ("broker", "relay", "host", "late", "late_host"))


def test_with_neighbours_that_read_nothing(_):
    rounds("unread")


def test_with_neighbours_that_are_stopped(_):
    rounds("hang")


if __name__ == "__main__":
    harness.main(globals())
