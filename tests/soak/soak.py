"""Clients, browsers and a killer, for a stated time.

    soak.py [--time S] [--seed N] [--clients N] [--browsers N] [--rate N]
            [--every S] [--calls N] [--kills N] [--chromium] [--keep]
            [--fault KIND]

Every call carries a nonce that a scripted browser echoes together with its own
name, so that the ledger knows of each one who asked, who saw it and who got
the answer.  The exit status is 0 only if no promise was broken and at least
--calls calls and --kills kills were made: of half an hour 200,000 and 500, and
of another time in proportion, where nothing else is said.  --fault breaks one
promise on purpose, to see that it is found.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import sys
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "protocol"))

import harness				# noqa: E402
from browsers import Browser		# noqa: E402
from chromium import Chromium		# noqa: E402
from clients import Client, WINDOWS	# noqa: E402
from faults import KINDS, Fault, NoFault	# noqa: E402
from killer import Killer		# noqa: E402
from ledger import Ledger		# noqa: E402
from loop import Loop, Pipes		# noqa: E402
from report import Report		# noqa: E402
from world import Usage, World		# noqa: E402

# What a role may hold at the end beyond what it held at the start; memory in
# KiB.
SLACK = {"fds": 0, "threads": 0,
         "rss": 1 << 20 if harness.sanitized() else 2048}
# Programs without traffic give memory back after two to four seconds.
REST = 4.5
# What a time owes, at the rates that are set: about half of what a machine
# with two processors does that has other work as well.  Below ten minutes
# chance has more to say about it, and half of that is enough.
GOALS = 1800, 200_000, 500
SHORT = 600


def goals(seconds, rate=300, every=1.5):
    """Calls and kills that this time has to bring."""
    of, calls, kills = GOALS
    share = seconds / of / (2 if seconds < SHORT else 1)
    return (int(calls * share * min(1, rate / 300)),
            int(kills * share * min(1, 1.5 / every)))


class Soak:
    def __init__(self, args):
        self.args = args
        self.rnd = random.Random(args.seed)
        self.loop = Loop()
        self.report = Report()
        self.ledger = Ledger(self.report)
        self.world = World(args.clients)
        self.fault = Fault(self, args.fault) if args.fault else NoFault()
        self.patience = 15 * harness.SLOW	# with memory to come back
        self.sizes = (16,) if args.fault else WINDOWS	# of a client's window
        self.over = self.holding = self.calling = False
        self.tokens = 0.0
        self.reaped = 0
        self.waiting = {}		# processes that are about to end
        self.deadline = float("inf")	# for those that serve others
        self.labels = [f"browser-{n}" for n in range(args.browsers)]
        self.clients = [Client(self, n, shell)
                        for n, shell in enumerate(self.world.shells)]
        self.browsers = [Browser(self, n) for n in range(args.browsers)]
        self.chromium = Chromium(self) if args.chromium else None
        self.killer = Killer(self, args.every)

    # -------------------------------------------------------------- children

    def adopt(self, process, on_data, on_end):
        """The pipes of a child, on the loop."""
        out, into = os.dup(process.stdin.fileno()), \
            os.dup(process.stdout.fileno())
        process.stdin.close()
        process.stdout.close()
        return Pipes(self.loop, out, into, on_data, on_end)

    def reap(self, process, who, why, expected, patient=False):
        """A child has said its last: it has to end, and as expected; patient:
        when all others have ended, at the latest."""
        self.waiting[process.pid] = who
        end = time.monotonic() + 15 * harness.SLOW

        def look():
            status = process.poll()
            if status is None and time.monotonic() < (
                    self.deadline if patient else end):
                self.loop.at(0.02, look)
                return
            del self.waiting[process.pid]
            self.reaped += 1
            if status not in expected:
                self.ledger.problem(f"{who} ended with {status}, {why}; log: "
                                    f"{self.tail(who)}")
        look()

    def tail(self, who):
        path = self.world.dir / f"{who.split('.')[0].split()[0]}.log"
        return path.read_text(errors="replace")[-1500:]

    # --------------------------------------------------------------- content

    def size(self, kind):
        dice = self.rnd.random()
        if kind == "list_browsers" or dice < 0.85:
            return self.rnd.randrange(200)
        if dice < 0.97:
            return self.rnd.randrange(1 << 14)
        return self.rnd.randrange(1 << 18 if dice < 0.998 else 900_000)

    @staticmethod
    def filler(nonce, size):
        return (nonce * (size // len(nonce) + 1))[:size]

    @staticmethod
    def summary(text):
        return f"{len(text)} {zlib.crc32(text.encode())}"

    def wrong(self, call, value):
        """What is wrong with this success, None if nothing is."""
        if call.real:
            return self.chromium.wrong(call, value)
        if call.kind == "list_browsers":
            for row in value["browsers"]:
                if self.chromium and row["label"] == self.chromium.label:
                    continue
                if row["label"] not in self.labels:
                    return f"a browser {row['label']}"
                index = self.labels.index(row["label"])
                if row["tabCount"] not in (None, index + 1):
                    return f"{row['label']} with {row['tabCount']} tabs"
            return None
        nonce, _, label = value["nonce"].partition("@")
        if nonce != call.nonce:
            return "crossed: the answer to another call"
        if call.label not in (None, label):
            return "crossed: the answer of another browser"
        text = self.filler(nonce, call.size)
        if value["text"] != (text if call.kind == "page_text"
                             else self.summary(text)):
            return "its text is not what was said"
        return None

    # ------------------------------------------------------------------ load

    def hold(self):
        self.holding = True
        for c in self.clients:
            c.window = c.burst = self.rnd.choice((128, 160))

    def release(self):
        self.holding = False
        for c in self.clients:
            c.burst = 0
        for b in self.browsers:
            b.release()

    def pump(self):
        """Lets clients call, as often as the rate allows."""
        if not self.calling:
            return
        self.loop.at(0.01, self.pump)
        self.tokens = min(self.tokens + self.args.rate * 0.01,
                          self.args.rate * 0.2)
        order = list(self.clients)
        self.rnd.shuffle(order)
        for c in order:
            while c.can_call() and (self.tokens >= 1 or c.burst):
                if c.burst:
                    c.burst -= 1
                else:
                    self.tokens -= 1
                c.call()

    def real(self):
        """A real browser is slower: ten calls a second."""
        if not self.calling:
            return
        self.loop.at(0.1, self.real)
        open = sum(call.real for call in self.ledger.open.values())
        c = self.rnd.choice(self.clients)
        if c.can_call() and open < 16:
            self.chromium.call(c)

    def windows(self):
        if not self.calling or self.args.fault:
            return
        self.loop.at(self.rnd.uniform(0.5, 3), self.windows)
        if not self.holding:
            self.rnd.choice(self.clients).window = self.rnd.choice(self.sizes)

    def watch(self):
        if self.over:
            return
        self.loop.at(5, self.watch)
        self.ledger.check_stuck()
        if self.args.verbose:
            c = self.ledger.count
            print(f"# {time.monotonic() - self.ledger.began:6.0f} s "
                  f"{c['calls']} calls {c['ok']} ok {c['failed']} failed "
                  f"{len(self.ledger.open)} open {c['kills']} kills "
                  f"{c['problems']} problems", flush=True)

    # ---------------------------------------------------------------- phases

    def ready(self):
        return all(c.can_call() for c in self.clients)

    def attached(self):
        """Does the broker list every browser, each with its tabs?"""
        call = self.clients[0].call("list_browsers", plain=True)
        self.loop.until(lambda: call.ended, 15 * harness.SLOW)
        rows = call.value["browsers"] if call.value else []
        return len(rows) == len(self.browsers) + bool(self.chromium) and all(
            row["tabCount"] for row in rows)

    def drained(self, seconds):
        open = self.ledger.open
        if not self.loop.until(lambda: all(map(
                self.fault.hopeless, open.values())), seconds) or open:
            for call in list(open.values()):
                self.ledger.problem("lost: never answered", call)
                self.ledger.forget(call, "lost")

    def exercise(self):
        """The same work at the start and at the end: every client at every
        browser, and then as much at once as there may be."""
        for c in self.clients:
            c.window = 1 << 30
        before = self.ledger.count["failed"]
        for _ in range(2):
            for c in self.clients:
                for label in self.labels:
                    c.call(label=label, plain=True)
            self.drained(60 * harness.SLOW)
        self.holding = True
        for c in self.clients:
            for _ in range(128):
                c.call("page_text", plain=True)
        full = 128 * len(self.clients)
        self.loop.until(lambda: sum(len(b.held) for b in self.browsers) ==
                        full, 60 * harness.SLOW)
        self.ledger.count["at once"] = max(
            self.ledger.count["at once"],
            sum(len(b.held) for b in self.browsers))
        self.release()
        self.drained(60 * harness.SLOW)
        if self.ledger.count["failed"] != before:
            self.ledger.problem("a call failed though nothing was broken")

    def calm(self):
        """Everybody is there, and everything works."""
        ok = False
        end = time.monotonic() + 60 * harness.SLOW
        while not ok and time.monotonic() < end:
            ok = self.ready() and self.attached()
            self.loop.rest(0.1)
        if ok:
            self.exercise()
        else:
            self.ledger.problem("not everybody came back")

    def usage(self):
        """What the programs of each role take, the largest of them."""
        roles = {"broker": [Usage(self.world.lock()["pid"])], "relay": [],
                 "host": [Usage(b.pid) for b in self.browsers if b.alive]}
        for c in self.clients:
            if c.alive and c.pid != self.world.lock()["pid"]:
                roles["relay"].append(Usage(c.pid))
        return {(role, what): max((getattr(u, what) for u in of), default=0)
                for role, of in roles.items()
                for what in ("fds", "threads", "rss")}

    def chaos(self):
        self.calling = True
        for c in self.clients:
            c.window = self.rnd.choice(self.sizes)
        self.pump()
        self.windows()
        if self.chromium:
            self.real()
        self.killer.start()
        self.fault.strike()
        self.loop.rest(self.args.time)
        if not self.loop.until(lambda: self.fault.done, 60 * harness.SLOW):
            raise harness.Failure("the fault found no occasion")
        self.killer.running = False
        if not self.loop.until(lambda: not self.killer.busy, 60):
            self.ledger.problem("not everything could be put right again")
        self.calling = False
        self.drained(60 * harness.SLOW)
        for c in self.clients:
            c.window = self.sizes[-1]

    def part(self):
        """All go, and nothing is left."""
        self.over = True
        if self.chromium:
            self.chromium.close()
        self.deadline = time.monotonic() + 20 * harness.SLOW
        for who in self.browsers[::2] + self.clients + self.browsers[1::2]:
            if who.process is not None:
                who.finish()
        self.loop.until(lambda: not self.waiting and not any(
            w.process for w in self.clients + self.browsers),
            30 * harness.SLOW)
        self.loop.until(lambda: all(map(self.fault.stays,
                                        self.world.processes())), 10)
        left = self.world.processes()
        self.report.check("no process is left over",
                          f"{left}" if left else None)
        files = sorted(os.listdir(self.world.runtime))
        self.report.check("no file is left over in the runtime directory",
                          None if files == ["run.mutex"] else f"{files}")
        odd = [f for f in os.listdir(self.world.state) if f not in (
            "trust.json", "records.mutex", "audit.log", "audit.log.1",
            "audit.log.lock")]
        self.report.check("nor in the state directory",
                          f"{odd}" if odd else None)

    def compare(self, before):
        """Memory and descriptors of each role come back to what they were,
        but for what a fault keeps, which may be late as well."""
        after = {}

        def back():
            after.update(self.usage())
            return all((after[k] > before[k] + SLACK[k[1]]) ==
                       self.fault.leaks(*k) for k in before)
        end = time.monotonic() + self.patience
        while not back() and time.monotonic() < end:
            self.loop.rest(0.5)
        for (role, what), was in before.items():
            unit = " KiB" if what == "rss" else ""
            now = after[role, what]
            self.report.row(f"{role}: {what}{unit}", f"{was} -> {now}")
            self.report.check(
                f"{role}: {what} at the baseline",
                None if now <= was + SLACK[what] else f"{was}, then {now}")

    def audit(self):
        """Every line that was written is a record."""
        bad = 0
        for name in ("audit.log", "audit.log.1"):
            path = self.world.state / name
            for line in path.read_bytes().splitlines() if path.exists() else []:
                try:
                    json.loads(line)
                except ValueError:
                    bad += 1
        self.report.check("every line of the audit trail is a record",
                          f"{bad} are not" if bad else None)

    def run(self):
        try:
            self.watch()
            if self.chromium:
                self.loop.until(self.ready, 60 * harness.SLOW)
                self.chromium.allow(self.clients[0])
            self.calm()
            self.loop.rest(self.args.rest)
            before = self.usage()
            self.chaos()
            self.calm()
            self.compare(before)
            self.fault.leave()
            self.part()
            self.audit()
        finally:
            self.fault.undo()
            if self.chromium and not self.over:
                self.over = True
                self.chromium.close()
            self.sum_up()
            if self.report.failed and self.args.keep:
                print(f"# kept: {self.world.dir}")
            else:
                self.world.close()
        return self.report.failed

    def sum_up(self):
        c, report, args = self.ledger.count, self.report, self.args
        took = time.monotonic() - self.ledger.began
        head = [("seed", str(args.seed)), ("seconds", round(took)),
                ("clients", args.clients), ("browsers", args.browsers)]
        names = ("calls", "ok", "failed", "orphans", "cancelled",
                 "crossed cancels", "progress", "at once", "peak", "kills",
                 "killed host", "killed relay", "killed broker", "stops",
                 "slow readers", "piles", "probes", "kill switch",
                 "damages", "revocations", "commands", "real calls",
                 "real acts", "workers stopped", "problems")
        report.rows = head + [(n, c[n]) for n in names] + [
            (f"  {code}", n) for code, n in sorted(self.ledger.code.items())
        ] + [("slowest, ms", round(self.ledger.slowest * 1000)),
             ("programs started", self.reaped)] + report.rows
        report.checks[:0] = [
            ("no answer was lost, doubled, crossed or late",
             "\n".join(self.ledger.problems) or None),
            (f"at least {args.calls} calls",
             None if c["calls"] >= args.calls else f"{c['calls']}"),
            (f"at least {args.kills} kills",
             None if c["kills"] >= args.kills else f"{c['kills']}")]
        complaints = self.world.complaints()
        report.check("no sanitizer complained",
                     "\n".join(complaints) or None)
        report.show()


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--time", type=float, default=60)
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--clients", type=int, default=8)
    p.add_argument("--browsers", type=int, default=16)
    p.add_argument("--rate", type=float, default=300, help="calls a second")
    p.add_argument("--every", type=float, default=1.5,
                   help="seconds between two blows, on average")
    p.add_argument("--calls", type=int,
                   help="fail with fewer; for half an hour 200,000")
    p.add_argument("--kills", type=int,
                   help="fail with fewer; for half an hour 500")
    p.add_argument("--rest", type=float, default=REST,
                   help="seconds before memory is looked at first")
    p.add_argument("--fault", choices=sorted(KINDS), metavar="KIND",
                   help="break this promise once: " + ", ".join(sorted(KINDS)))
    p.add_argument("--chromium", action="store_true",
                   help="a real browser in the place of a scripted one")
    p.add_argument("--keep", action="store_true")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    if args.seed is None:
        args.seed = random.SystemRandom().getrandbits(32)
    owed = goals(args.time, args.rate, args.every)
    args.calls = owed[0] if args.calls is None else args.calls
    args.kills = owed[1] if args.kills is None else args.kills
    if args.chromium:
        args.browsers = min(args.browsers, 15)
    print(f"# seed {args.seed}", flush=True)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.exit(1 if Soak(args).run() else 0)


if __name__ == "__main__":
    main()
