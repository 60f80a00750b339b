"""Breaks one promise, once, in the place of the programs: what the soak is
there to find, it has to find.

Each fault of ANSWERS stands between a program and its client, each of FRAMES
between a program and its browser, each of DEEDS is done from outside.
"""
import hashlib
import hmac
import json
import os
import signal
import socket
import subprocess

from harness import meta
from ledger import Call
from world import Usage


class NoFault:
    """Everything comes through as it is."""

    done = True

    def answer(self, client, line):
        return [(client, line)]

    def frame(self, browser, frame):
        return [(browser, frame)]

    def strike(self):
        pass

    def leave(self):
        """What was looked at can go."""

    def undo(self):
        pass

    def hopeless(self, call):
        """Is it a call that nothing will answer any more?"""
        return False

    def leaks(self, role, what):
        return False

    def stays(self, pid):
        return False


class Fault(NoFault):
    def __init__(self, soak, kind):
        self.soak, self.kind = soak, kind
        self.armed = self.done = False
        self.victims = set()		# calls that get no answer
        self.held = None
        self.peer = self.process = None

    def strike(self):
        """From now on, at the first occasion."""
        self.armed = True
        if self.kind in DEEDS:
            DEEDS[self.kind][0](self)

    def answer(self, client, line):
        if not self.armed or self.done or self.kind not in ANSWERS:
            return [(client, line)]
        msg = json.loads(line)
        return [(c, m if isinstance(m, bytes) else json.dumps(m).encode())
                for c, m in ANSWERS[self.kind][0](self, client, msg)]

    def frame(self, browser, frame):
        if not self.armed or self.done or self.kind not in FRAMES or \
                not frame.get("op", "").startswith("page_"):
            return [(browser, frame)]
        return FRAMES[self.kind][0](self, browser, frame)

    def hopeless(self, call):
        return call in self.victims

    def leaks(self, role, what):
        return role == "broker" and self.peer is not None and what in (
            ("fds", "rss") if self.kind == "memory" else ("fds",))

    def stays(self, pid):
        return self.process is not None and pid == self.process.pid

    def leave(self):
        if self.peer is not None:
            self.peer.close()

    def undo(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    # --------------------------------------------------------------- answers

    @staticmethod
    def success(client, msg):
        """The call that this is the answer to, if it went well."""
        call = client.calls.get(msg.get("id"))
        good = call is not None and call.kind == "page_text" and \
            not call.cancelled and not msg["result"]["isError"]
        return call if good else None

    def lost(self, client, msg):
        call = self.success(client, msg)
        if call is None:
            return [(client, msg)]
        self.done = True
        self.victims.add(call)
        return []

    def doubled(self, client, msg):
        self.done = self.success(client, msg) is not None
        return [(client, msg)] * (1 + self.done)

    def doubled_late(self, client, msg):
        """Once its id is another call's."""
        self.held = self.held or {}
        for (c, id), (its, call) in self.held.items():
            now = client.calls.get(id)
            if c is client and now is not None and now is not call:
                self.done = True
                client.window = 0	# the id is in flight still
                return [(client, its), (client, msg)]
        call = self.success(client, msg)
        if call is not None:
            self.held[client, msg["id"]] = msg, call
        return [(client, msg)]

    def crossed(self, client, msg):
        """Two clients get each other's answers."""
        if not self.success(client, msg):
            return [(client, msg)]
        if self.held is None:
            self.held = client, msg
            return []
        if self.held[0] is client:
            return [(client, msg)]
        self.done = True
        other, its = self.held
        its["result"], msg["result"] = msg["result"], its["result"]
        return [(other, its), (client, msg)]

    def wrong_id(self, client, msg):
        """Two answers of one client under each other's ids."""
        if not self.success(client, msg):
            return [(client, msg)]
        if self.held is None:
            self.held = client, msg
            return []
        if self.held[0] is not client:
            return [(client, msg)]
        self.done = True
        its = self.held[1]
        its["id"], msg["id"] = msg["id"], its["id"]
        return [(client, its), (client, msg)]

    def foreign_id(self, client, msg):
        """Under an id that nobody asked with."""
        self.victims.update(filter(None, [self.success(client, msg)]))
        self.done = bool(self.victims)
        return [(client, {**msg, "id": "nobody"} if self.done else msg)]

    def other_browser(self, client, msg):
        call = self.success(client, msg)
        if call is not None and call.label is not None:
            self.done = True
            block = msg["result"]["content"][0]
            block["text"] = block["text"].replace(f"@{call.label}", "@nobody")
        return [(client, msg)]

    def changed(self, client, msg):
        call = self.success(client, msg)
        if call is not None and call.size > 0:
            self.done = True
            block = msg["result"]["content"][0]
            text = json.loads(block["text"])
            text["text"] = text["text"][:-1] + "?"
            block["text"] = json.dumps(text)
        return [(client, msg)]

    def cancelled(self, client, msg):
        """What was cancelled is answered all the same."""
        call = client.pings.get(msg.get("id"))
        if call is None or client.calls.get(call.id) is not call:
            return [(client, msg)]
        self.done = True
        return [(client, msg), (client, {
            "jsonrpc": "2.0", "id": call.id, "result": {}})]

    # ---------------------------------------------------------------- frames

    def acted_twice(self, browser, frame):
        self.done = True
        return [(browser, frame), (browser, {**frame, "id": 1 << 40})]

    def elsewhere(self, browser, frame):
        """At another browser as well; the caller is answered as it should."""
        if "browser" not in frame:
            return [(browser, frame)]
        self.done = True
        other = next(b for b in self.soak.browsers if b is not browser)
        return [(other, {**frame, "id": 1 << 40}), (browser, frame)]

    def behind(self, browser, frame):
        """Two calls of one client change places."""
        life = frame["args"]["selector"].split(".")[:2]
        if self.held is None:
            self.held = browser, frame, life
            return []
        if self.held[0] is not browser or self.held[2] != life:
            return [(browser, frame)]
        self.done = True
        return [(browser, frame), self.held[:2]]

    # ----------------------------------------------------------------- deeds

    def descriptors(self):
        """The broker keeps a connection that was not there before."""
        self.peer = Hoarder(self.soak)
        self.soak.loop.at(0.1, self.is_done)

    def memory(self):
        """And 36 MB of answers that nobody reads."""
        before = self.broker_rss()
        self.peer = Hoarder(self.soak)
        for n in range(40):
            self.peer.ask(n, self.soak.labels[0])

        def look():
            if self.broker_rss() > before + 8192:
                self.is_done()
            else:
                self.soak.loop.at(0.05, look)
        look()

    def broker_rss(self):
        return Usage(self.soak.world.lock()["pid"]).rss

    def is_done(self):
        self.done = True

    def process_left(self):
        self.process = subprocess.Popen(["sleep", "300"],
                                        env=self.soak.world.env())
        self.done = True

    def file_left(self):
        (self.soak.world.runtime / "odd").touch()
        (self.soak.world.state / "odd").touch()
        self.done = True

    def trail(self):
        with open(self.soak.world.state / "audit.log", "ab") as f:
            f.write(b'{"seq":\n')
        self.done = True

    def death(self):
        """A program ends, and nobody has killed it."""
        lock = self.soak.world.lock()
        c = next(c for c in self.soak.clients if c.pid != lock["pid"])
        os.kill(c.pid, signal.SIGKILL)
        self.soak.ledger.hit()
        self.done = True


class Hoarder:
    """A client that is admitted as this very program, and does not read."""

    number, revoked = 99, None

    def __init__(self, soak):
        self.soak = soak
        lock = soak.world.lock()
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(lock["endpoint"])
        lines = self.sock.makefile("rb")
        nonce = json.loads(lines.readline())["nonce"]
        self.send({"type": "response", "mac": hmac.new(
            lock["secret"].encode(), nonce.encode(),
            hashlib.sha256).hexdigest()})
        self.send({"attach": "client"})
        reply = json.loads(lines.readline())
        if reply != {"attach_reply": "accepted"}:
            raise RuntimeError(f"not admitted: {reply}")
        lines.close()

    def send(self, msg):
        self.sock.sendall(json.dumps(msg).encode() + b"\n")

    def ask(self, number, label):
        """One large page; nobody waits for it."""
        size = 900_000
        call = Call(f"c{self.number}.1.{number + 1}.hoard", self, number,
                    "page_text", label, size)
        self.soak.ledger.sent(call)
        self.soak.ledger.forget(call, "hoarded")
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                   "params": {"_meta": meta(), "name": "page_text",
                              "arguments": {
                                  "browser": label,
                                  "selector": f"{call.nonce} {size} 0"}}})
        return call

    def close(self):
        self.sock.close()


# By name: what does it, and what the report has to say: its problems begin
# with, or contain, one of these words and no others.
ANSWERS = {
    "lost": (Fault.lost, ["lost: never answered"]),
    "doubled": (Fault.doubled, ["an answer to nothing in flight"]),
    "doubled-late": (Fault.doubled_late, [
        "crossed: the answer to another call",
        "an answer to nothing in flight", " progress of "]),
    "crossed": (Fault.crossed, ["crossed: the answer to another call"]),
    "wrong-id": (Fault.wrong_id, ["crossed: the answer to another call"]),
    "foreign-id": (Fault.foreign_id, ["an answer to nothing in flight",
                                      "lost: never answered"]),
    "other-browser": (Fault.other_browser,
                      ["crossed: the answer of another browser"]),
    "changed": (Fault.changed, ["its text is not what was said"]),
    "cancelled": (Fault.cancelled, ["an answer to nothing in flight"]),
}
FRAMES = {
    "acted-twice": (Fault.acted_twice, ["doubled: ", " behind "]),
    "elsewhere": (Fault.elsewhere, ["misrouted to ", "doubled: ", " behind "]),
    "behind": (Fault.behind, [" behind "]),
}
# Of these the words are the names of the checks that fail.
DEEDS = {
    "descriptors": (Fault.descriptors, ["broker: fds at the baseline"]),
    "memory": (Fault.memory, ["broker: fds at the baseline",
                              "broker: rss at the baseline"]),
    "process": (Fault.process_left, ["no process is left over"]),
    "file": (Fault.file_left, ["no file is left over in the runtime directory",
                               "nor in the state directory"]),
    "trail": (Fault.trail, ["every line of the audit trail is a record"]),
    "death": (Fault.death, ["ended with 137, by itself"]),
}
KINDS = {**ANSWERS, **FRAMES, **DEEDS}
