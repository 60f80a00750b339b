"""Breaks things: one blow after the other, at random."""
import contextlib
import json
import os
import signal
import subprocess

from harness import meta
from world import Command, digest


class Somebody:
    """A broker whose client has left, a host that is a browser's child."""

    def __init__(self, pid):
        self.pid, self.dying = pid, None

    def __str__(self):
        return f"pid {self.pid}"


class Killer:
    def __init__(self, soak, every):
        self.soak, self.every = soak, every
        self.rnd, self.loop = soak.rnd, soak.loop
        self.ledger, self.report = soak.ledger, soak.report
        self.running = False
        self.busy = 0			# what still has to be put right again
        self.shut = False		# nobody is served at the moment
        self.commands = 0		# that are running
        self.blows = (
            (40, self.kill_browser), (12, self.kill_relay),
            (10, self.kill_broker), (5, self.end_browser),
            (4, self.terminate), (3, self.leave), (3, self.probe),
            (2, self.massacre), (5, self.stop_host), (4, self.stop_server),
            (5, self.slow_client), (5, self.slow_browser), (5, self.pile),
            (2, self.switch), (2, self.damage), (4, self.revoke))
        if soak.chromium:
            self.blows += ((8, self.stop_worker), (8, self.kill_real_host))

    def start(self):
        self.running = True
        self.next()

    def next(self):
        self.loop.at(self.rnd.expovariate(1 / self.every), self.strike)

    def strike(self):
        if not self.running:
            return
        weights, blows = zip(*self.blows)
        self.ledger.hit()
        self.rnd.choices(blows, weights)[0]()
        self.next()

    def note(self, what):
        self.report.event(what)

    # ----------------------------------------------------------------- death

    def signal(self, pid, sig):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sig)

    def kill(self, who, role):
        who.dying = who.dying or "killed"
        self.signal(who.pid, signal.SIGKILL)
        self.ledger.count["kills"] += 1
        self.ledger.count[f"killed {role}"] += 1
        self.note(f"kill {role} {who}")

    def servers(self, broker):
        lock = self.soak.world.lock() or {}
        return [c for c in self.soak.clients if c.alive and
                (c.pid == lock.get("pid")) == broker]

    def hosts(self):
        return [b for b in self.soak.browsers if b.alive]

    def one(self, of):
        return [self.rnd.choice(of)] if of else []

    def kill_browser(self):
        for b in self.one(self.hosts()):
            self.kill(b, "host")

    def kill_relay(self):
        for c in self.one(self.servers(False)):
            self.kill(c, "relay")

    def kill_broker(self):
        """It may have no client of its own any more."""
        for c in self.servers(True):
            self.kill(c, "broker")
            return
        lock = self.soak.world.lock()
        if lock and lock["pid"] in self.soak.world.processes():
            self.kill(Somebody(lock["pid"]), "broker")

    def kill_real_host(self):
        for pid in self.soak.chromium.hosts():
            self.kill(Somebody(pid), "host")

    def stop_worker(self):
        self.note("stop the worker")
        self.soak.chromium.stop_worker()

    def massacre(self):
        """The broker and half of everybody, in the same instant."""
        self.kill_broker()
        for who, role in [(c, "relay") for c in self.servers(False)] + \
                [(b, "host") for b in self.hosts()]:
            if self.rnd.random() < 0.5:
                self.kill(who, role)

    def end_browser(self):
        for b in self.one(self.hosts()):
            self.note(f"end of input {b}")
            b.finish()

    def terminate(self):
        for c in self.one([c for c in self.soak.clients if c.alive]):
            c.dying = c.dying or "terminated"
            self.signal(c.pid, signal.SIGTERM)
            self.note(f"SIGTERM {c}")

    def leave(self):
        for c in self.one([c for c in self.soak.clients if c.alive]):
            self.note(f"end of input {c}")
            c.finish()

    def probe(self):
        """A copy for one answer, gone in the middle of its start."""
        p = subprocess.Popen([str(self.soak.world.bin / "genkan-server")],
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=self.soak.world.log("probe"),
                             env=self.soak.world.env())
        p.stdin.write(json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "server/discover",
            "params": {"_meta": meta()}}).encode() + b"\n")
        p.stdin.flush()
        sig = self.rnd.choice((signal.SIGTERM, signal.SIGKILL))
        self.note(f"probe {p.pid}, {sig.name}")
        self.busy += 1

        def end():
            p.send_signal(sig)
            p.stdin.close()
            self.ledger.count["probes"] += 1
            self.soak.reap(p, f"probe {p.pid}", "killed", {-9, -15, 0, 1})
            self.busy -= 1
        self.loop.at(self.rnd.choice((0, 0.005, 0.03, 0.1, 0.5)), end)

    # ----------------------------------------------------------------- delay

    def stop(self, who, longest):
        pid, seconds = who.pid, self.rnd.uniform(0.1, longest)
        self.signal(pid, signal.SIGSTOP)
        self.note(f"stop {who} for {seconds:.1f} s")
        self.ledger.count["stops"] += 1
        self.later(seconds, lambda: self.signal(pid, signal.SIGCONT))

    def later(self, seconds, fn):
        """Puts something right again."""
        self.busy += 1

        def done():
            self.busy -= 1
            self.ledger.hit()
            fn()
        self.loop.at(seconds, done)

    def stop_host(self):
        for b in self.one(self.hosts()):
            self.stop(b, 3)

    def stop_server(self):
        for c in self.one([c for c in self.soak.clients if c.alive]):
            self.stop(c, 1.5)

    def slow(self, who):
        pipes, seconds = who.pipes, self.rnd.uniform(0.5, 4)
        pipes.pause()
        self.note(f"{who} reads nothing for {seconds:.1f} s")
        self.ledger.count["slow readers"] += 1
        self.later(seconds, pipes.resume)

    def slow_client(self):
        for c in self.one([c for c in self.soak.clients if c.alive]):
            self.slow(c)

    def slow_browser(self):
        for b in self.one(self.hosts()):
            self.slow(b)

    def pile(self):
        """Nobody is answered for a while, and everybody asks."""
        if self.soak.holding:
            return
        self.note("pile")
        self.ledger.count["piles"] += 1
        self.soak.hold()
        self.later(self.rnd.uniform(0.3, 2), self.soak.release)

    # ------------------------------------------------------------- authority

    def command(self, args, done, typed=None):
        self.busy += 1
        self.commands += 1

        def ended(status, out):
            self.busy -= 1
            self.commands -= 1
            self.ledger.count["commands"] += 1
            if status != 0:
                self.ledger.problem(f"genkan {' '.join(args)}: exit {status}, "
                                    f"{out!r}")
            done()
        Command(self.loop, self.soak.world, args, ended, typed)

    def switch(self):
        if self.shut:
            return
        self.shut = True
        self.ledger.kill_begins()
        self.note("kill switch")
        self.ledger.count["kill switch"] += 1

        def engaged():
            self.ledger.kill_is_engaged()
            self.note("kill switch is engaged")
            self.later(self.rnd.uniform(0.5, 3), release)

        def release():
            self.ledger.kill_is_going()
            self.note("release")
            self.command(["unkill"], gone, typed="allow")

        def gone():
            self.ledger.kill_is_gone()
            self.note("released")
            self.shut = False
        self.command(["kill"], engaged)

    def damage(self):
        """A trust record that nobody can read serves nobody.  It comes back
        as it was, so nobody may write to it meanwhile."""
        if self.shut or self.commands or any(
                c.outlawed for c in self.soak.clients):
            return
        self.shut = True
        self.ledger.kill_begins()
        good = (self.soak.world.state / "trust.json").read_text()
        self.soak.world.record("trust.json", "{")
        self.ledger.kill_is_engaged()
        self.note("the trust record is damaged")
        self.ledger.count["damages"] += 1

        def repair():
            self.ledger.kill_is_going()
            self.soak.world.record("trust.json", good)
            self.ledger.kill_is_gone()
            self.note("and repaired")
            self.shut = False
        self.later(self.rnd.uniform(0.3, 3), repair)

    def revoke(self):
        if self.shut:
            return
        for c in self.one([c for c in self.soak.clients if not c.outlawed]):
            self.revoke_client(c)

    def revoke_client(self, client):
        client.outlawed = True
        self.note(f"revoke {client}")
        self.ledger.count["revocations"] += 1

        def revoked():
            client.revocations += 1
            client.revoked = client.revocations
            self.note(f"{client} is revoked")
            life = client.life
            self.loop.at(8, lambda: client.give_up(life))
            self.later(self.rnd.uniform(0.2, 4), pair)

        def pair():
            client.revoked = None
            self.command(["pair-client", "--name", client.name, "--hash",
                          digest(client.shell)], paired, typed="allow")

        def paired():
            self.note(f"{client} is paired")
            # What noticed the revocation may still be ending.
            self.loop.at(9, lambda: setattr(client, "outlawed", False))
        self.command(["revoke-client", "--name", client.name], revoked)
