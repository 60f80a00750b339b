"""Scripted browsers, each on the stdio of a genkan-host of its own."""
import json
import struct
import subprocess

HELLO = {"type": "hello", "protocol": 1, "capabilities": [
    "tab_control", "page_read", "page_interact"]}
# How long a browser waits with its next host, seconds.
PAUSE = (0.02, 1.5)


class Browser:
    def __init__(self, soak, index):
        self.soak, self.index = soak, index
        self.rnd, self.loop = soak.rnd, soak.loop
        self.label = f"browser-{index}"
        self.life = 0
        self.process = None
        self.start()

    def __str__(self):
        return f"{self.label}.{self.life}"

    @property
    def pid(self):
        return self.process.pid

    @property
    def alive(self):
        return self.process is not None

    def start(self):
        if self.soak.over:
            return
        self.life += 1
        self.buf = bytearray()
        self.pending = {}		# requests that are not answered yet
        self.held = []
        self.last = {}			# last number seen of a client's life
        self.dying = None
        self.process = subprocess.Popen(
            [str(self.soak.world.bin / "genkan-host"), "--label", self.label],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.soak.world.log(self.label),
            env=self.soak.world.env())
        self.pipes = self.soak.adopt(self.process, self.data, self.ended)
        self.send(HELLO)

    def ended(self):
        self.pipes.close()
        process, self.process = self.process, None
        # It ends by itself whenever its broker does, and does not start
        # without one.  One whose input has ended may be killed before it has.
        self.soak.reap(process, str(self), self.dying or "by itself",
                       {0, 1, -9} if self.dying else {0, 1})
        self.loop.at(self.rnd.uniform(*PAUSE), self.start)

    def finish(self):
        self.dying = self.dying or "closed"
        self.pipes.end_input()

    def send(self, msg):
        data = json.dumps(msg, separators=(",", ":")).encode()
        self.pipes.write(struct.pack("<I", len(data)) + data)

    def data(self, data):
        self.buf += data
        at = 0
        while len(self.buf) - at >= 4:
            n = struct.unpack_from("<I", self.buf, at)[0]
            if len(self.buf) - at < 4 + n:
                break
            frame = json.loads(bytes(self.buf[at + 4:at + 4 + n]))
            for browser, it in self.soak.fault.frame(self, frame):
                browser.frame(it)
            at += 4 + n
        del self.buf[:at]

    def frame(self, frame):
        if frame.get("type") == "cancel":
            self.soak.ledger.count["cancel frames"] += 1
            self.pending.pop(frame["id"], None)
        elif "op" in frame:
            self.request(frame)

    def request(self, frame):
        id, args = frame["id"], frame["args"]
        if id in self.pending:
            self.soak.ledger.problem(f"{self}: id {id} twice")
        if frame["op"] == "tab_list":
            reply = {"ok": True, "data": [None] * (self.index + 1)}
        else:
            reply = self.echo(frame["op"], args)
        self.pending[id] = {"id": id, **reply}
        if self.soak.holding:
            self.held.append(id)
            return
        delay = self.rnd.random()
        if delay < 0.7:
            self.answer(id, self.life)
        else:
            self.loop.at(0.03 * delay if delay < 0.97 else 0.5 * delay,
                         lambda life=self.life: self.answer(id, life))

    def echo(self, op, args):
        nonce, size, fails = args["selector"].split(" ")
        self.soak.ledger.reached(nonce, self)
        self.in_order(nonce)
        if fails == "1":
            return {"ok": False, "error": f"{nonce}@{self.label}",
                    "code": "EXECUTION_FAILED"}
        if op == "page_text":
            text = self.soak.filler(nonce, int(size))
        else:
            text = self.soak.summary(args["value"])
        return {"ok": True, "data": {"nonce": f"{nonce}@{self.label}",
                                     "text": text}}

    def in_order(self, nonce):
        client, life, number, _ = nonce.split(".")
        key = client, life
        if self.last.get(key, 0) >= int(number):
            self.soak.ledger.problem(
                f"{self}: {nonce} behind {self.last[key]}",
                self.soak.ledger.find(nonce))
        self.last[key] = int(number)

    def answer(self, id, life):
        if life != self.life or self.process is None:
            return			# its connection is gone
        reply = self.pending.pop(id, None)
        if reply is None:
            return			# cancelled
        if self.rnd.random() < 0.01:
            self.send({"type": "waiting", "id": id})
        self.send(reply)

    def release(self):
        held, self.held = self.held, []
        self.rnd.shuffle(held)
        for id in held:
            self.answer(id, self.life)
