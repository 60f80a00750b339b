"""MCP clients, each under a program of its own, which can be paired and
revoked: a shell that starts genkan-server on its own pipes."""
import contextlib
import json
import subprocess

from harness import meta
from ledger import Call

# The server gets the shell's stdin and stdout, the shell keeps neither.  The
# server's pid is in a file, its exit status is the shell's.
SHELL = ('exec 4<&0; "$0" <&4 4<&- & exec 4<&- </dev/null >&-; '
         'echo $! >"$1"; wait $!')

WINDOWS = (1, 4, 16, 64, 128, 160)
# How long a client waits with its next start, seconds.
PAUSE = (0.02, 1.5)
# Exit statuses, by why it ends.  What is killed may have been about to end for
# another reason.
EXPECTED = {"killed": {137, 0, 1}, "terminated": {0, 1, 143},
            "closed": {0, 1, 137}, "revoked": {0, 1, 137}, None: set()}


class Client:
    def __init__(self, soak, number, shell):
        self.soak, self.number, self.shell = soak, number, shell
        self.rnd, self.loop = soak.rnd, soak.loop
        self.name = f"client-{number}"
        self.life = 0
        self.revoked = None		# number of the revocation in force
        self.outlawed = False		# about to be, or just been, revoked
        self.revocations = 0
        self.process = None
        self.window = 4
        self.burst = 0			# calls that no rate holds back
        self.start()

    def __str__(self):
        return f"{self.name}.{self.life}"

    # ----------------------------------------------------------- life, death

    def start(self):
        if self.soak.over:
            return
        self.life += 1
        self.modern = self.rnd.random() < 0.5
        self.calls = {}			# by id
        self.pings = {}			# id of a ping: the call it follows
        self.free = []			# ids that may be used again
        self.next_id = self.next_nonce = 0
        self.ready = self.paused = False
        self.dying = None		# why its end is expected
        self.buf = b""
        self.pid_file = self.soak.world.dir / f"{self}.pid"
        self._pid = None
        self.process = subprocess.Popen(
            [self.shell, "-c", SHELL,
             str(self.soak.world.bin / "genkan-server"), self.pid_file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.soak.world.log(self.name), env=self.soak.world.env())
        self.pipes = self.soak.adopt(self.process, self.data, self.ended)
        self.send(self.opener())

    @property
    def pid(self):
        """Of its genkan-server, None as long as the shell has not said it."""
        if self._pid is None:
            with contextlib.suppress(OSError, ValueError):
                self._pid = int(self.pid_file.read_text())
        return self._pid

    @property
    def alive(self):
        return self.process is not None and self.pid is not None

    def opener(self):
        if self.modern:
            return {"jsonrpc": "2.0", "id": "open",
                    "method": "server/discover", "params": {"_meta": meta()}}
        return {"jsonrpc": "2.0", "id": "open", "method": "initialize",
                "params": {"protocolVersion": "2025-11-25",
                           "capabilities": {},
                           "clientInfo": {"name": "soak", "version": "1"}}}

    def ended(self):
        """Its output is at its end; a broker without a client of its own may
        serve others for long."""
        self.pipes.close()
        process, self.process = self.process, None
        why = self.dying or ("revoked" if self.outlawed else None)
        for call in list(self.calls.values()):
            self.soak.ledger.orphan(call, why or "its program ended")
        self.calls.clear()
        self.pid_file.unlink(missing_ok=True)
        self.soak.reap(process, str(self), why or "by itself", EXPECTED[why],
                       patient=why in ("closed", "revoked"))
        self.loop.at(self.rnd.uniform(*PAUSE), self.start)

    def give_up(self, life):
        """A broker that lost its own client says nothing at all: nobody waits
        for it for ever."""
        if life == self.life and self.process is not None:
            self.ended()

    def finish(self):
        """A client that goes: its input ends, and it waits for the end."""
        if self.dying is None:
            self.dying = "closed"
        self.pipes.end_input()

    # ---------------------------------------------------------------- output

    def send(self, msg):
        self.pipes.write(json.dumps(msg, separators=(",", ":")).encode() +
                         b"\n")

    def request(self, id, tool, arguments, token):
        params = {"name": tool, "arguments": arguments}
        if self.modern:
            params["_meta"] = meta()
        if token:
            params.setdefault("_meta", {})["progressToken"] = token
        self.send({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                   "params": params})

    def fresh_id(self):
        """Numbers and strings; one that is free again comes first, half of
        the time, so that a late answer would meet it."""
        if self.free and self.rnd.random() < 0.5:
            return self.free.pop()
        self.next_id += 1
        return self.next_id if self.rnd.random() < 0.7 else f"s{self.next_id}"

    def can_call(self):
        return (self.ready and self.process is not None and
                self.dying is None and len(self.calls) < self.window and
                len(self.pipes.queue) < 8 << 20)

    def prepare(self, kind, label, size=0):
        """A call that was not sent yet."""
        self.next_nonce += 1
        # Letters: a long number in a page's text would be masked.
        letters = "".join(self.rnd.choices("abcdefghijklmnop", k=12))
        nonce = f"c{self.number}.{self.life}.{self.next_nonce}.{letters}"
        return Call(nonce, self, self.fresh_id(), kind, label, size)

    def call(self, kind=None, label=None, plain=False):
        """One call of a random kind; plain: one that has to succeed."""
        rnd, soak = self.rnd, self.soak
        kind = kind or rnd.choices(("page_text", "page_fill", "list_browsers"),
                                   (80, 17, 3))[0]
        # A real browser, alone for a moment, knows nothing of our selectors.
        named = plain or soak.chromium or rnd.random() > 0.02
        if label is None and named:
            label = rnd.choice(soak.labels)
        call = self.prepare(kind, label, soak.size(kind))
        nonce = call.nonce
        call.fails = not plain and kind != "list_browsers" and \
            rnd.random() < 0.02
        self.calls[call.id] = call
        soak.ledger.sent(call)
        arguments = {} if label is None or kind == "list_browsers" \
            else {"browser": label}
        if kind == "page_text":
            arguments["selector"] = f"{nonce} {call.size} {int(call.fails)}"
        elif kind == "page_fill":
            arguments["selector"] = f"{nonce} 0 {int(call.fails)}"
            arguments["value"] = soak.filler(nonce, call.size)
        self.request(call.id, kind, arguments,
                     nonce if rnd.random() < 0.3 else None)
        if not plain and rnd.random() < 0.02:
            self.loop.at(rnd.choice((0, 0.003, 0.05)),
                         lambda: self.cancel(call, self.life))
        return call

    def cancel(self, call, life):
        if life != self.life or self.process is None or self.dying or \
                self.calls.get(call.id) is not call:
            return
        call.cancelled = True
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": call.id}})
        # Everything but calls is answered in order: what follows this answer
        # was sent after the cancellation had been read.
        ping = f"ping {call.nonce}"
        self.pings[ping] = call
        self.send({"jsonrpc": "2.0", "id": ping, "method": "ping"})

    # ----------------------------------------------------------------- input

    def data(self, data):
        self.buf += data
        if b"\n" in data:
            *lines, self.buf = self.buf.split(b"\n")
            for line in lines:
                for client, said in self.soak.fault.answer(self, line):
                    client.line(said)

    def line(self, line):
        ledger = self.soak.ledger
        try:
            msg = json.loads(line)
        except ValueError:
            ledger.problem(f"{self}: no JSON: {line[:300]!r}")
            return
        id = msg.get("id")
        if msg.get("method") == "notifications/progress":
            self.progress(msg["params"]["progressToken"])
        elif id == "open":
            self.ready = "result" in msg
            if not self.ready:
                ledger.problem(f"{self}: not opened: {msg}")
            elif not self.modern:
                self.send({"jsonrpc": "2.0",
                           "method": "notifications/initialized"})
        elif id in self.pings:
            call = self.pings.pop(id)
            if self.calls.get(call.id) is call:
                # Its id stays unused: an answer to it would be a stranger's.
                del self.calls[call.id]
                ledger.cancelled(call)
        elif id in self.calls:
            call = self.calls.pop(id)
            self.free.append(id)
            ledger.answered(call, *self.judge(call, msg))
        else:
            ledger.problem(f"{self}: an answer to nothing in flight: "
                           f"{line[:300]!r}")

    def progress(self, token):
        """Of a call in flight; a relay passes on what its broker had said
        before it heard of a cancellation."""
        call = self.soak.ledger.find(token)
        self.soak.ledger.count["progress"] += 1
        if call is None or call.client is not self or \
                call.end not in (None, "cancelled"):
            self.soak.ledger.problem(f"{self}: progress of {token}", call)

    def judge(self, call, msg):
        """Code, text and what is wrong with this answer."""
        result = msg.get("result")
        if not isinstance(result, dict) or len(result["content"]) != 1:
            return "none", str(msg), "no result"
        text = result["content"][0]["text"]
        if result["isError"]:
            code, _, rest = text.removeprefix("Error [").partition("]: ")
            wrong = None
            if code == "EXECUTION_FAILED" and call.nonce not in rest:
                wrong = "another call's failure"
            return code, rest, wrong
        try:
            value = json.loads(text)
        except ValueError:
            return None, text, "no JSON in it"
        call.value = value
        try:
            wrong = self.soak.wrong(call, value)
        except (AttributeError, KeyError, TypeError):
            wrong = "crossed: the answer to another call, by its form"
        return None, text, wrong
