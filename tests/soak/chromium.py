"""A real browser among the scripted ones: Chromium with the shipped extension,
and a site that tells where it was sent."""
import collections
import http.server
import os
import pathlib
import signal
import subprocess
import threading

import harness

LABEL = "chromium"
PAGE = b'<!doctype html><link rel=icon href="data:,"><title>soak</title>Soak.'


class Site:
    """Two pages that stay, and all those that somebody went to."""

    def __init__(self):
        self.visited = visited = collections.deque()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path not in ("/", "/other"):
                    visited.append(self.path[1:])
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(PAGE)))
                self.end_headers()
                self.wfile.write(PAGE)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        # A tab that goes elsewhere reads no further.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Chromium:
    """Its host is the browser's own child; what we start is the program that
    drives the browser."""

    label = LABEL

    def __init__(self, soak):
        self.soak, self.loop, self.rnd = soak, soak.loop, soak.rnd
        self.site = Site()
        self.said = collections.deque()
        self.buf = b""
        self.tabs = {}			# by what they are for
        e2e = harness.BUILD / "tests/e2e"
        self.process = subprocess.Popen(
            ["node", pathlib.Path(__file__).with_suffix(".mjs"),
             soak.world.dir, self.site.url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=soak.world.log("chromium"), start_new_session=True,
            env={**os.environ, "GENKAN_E2E": str(e2e),
                 "GENKAN_BINDIR": str(soak.world.bin),
                 "GENKAN_EXTENSION": str(
                     harness.BUILD / "extension/.output/chrome-mv3")})
        self.pipes = soak.adopt(self.process, self.data, self.ended)
        self.poll()

    def __str__(self):
        return LABEL

    def data(self, data):
        *lines, self.buf = (self.buf + data).split(b"\n")
        self.soak.report.event(f"Chromium says {lines}")
        self.said.extend(lines)

    def ended(self):
        self.process.wait()
        self.process = None
        if not self.soak.over:
            self.soak.ledger.problem("Chromium ended: " +
                                     self.soak.tail("chromium"))

    def say(self, word, answer, seconds=60):
        """Tells it, and waits for what it says then."""
        if word:
            self.pipes.write(word.encode() + b"\n")
        if not self.loop.until(lambda: self.said or not self.process,
                               seconds * harness.SLOW) or not self.said or \
                self.said.popleft() != answer.encode():
            raise harness.Failure("Chromium: no " + answer + ": " +
                                  self.soak.tail("chromium"))

    def poll(self):
        """Where it went, it was sent."""
        while self.site.visited:
            self.soak.ledger.reached(self.site.visited.popleft(), self)
            self.soak.ledger.count["real acts"] += 1
        if not self.soak.over:
            self.loop.at(0.02, self.poll)

    # ----------------------------------------------------------------- calls

    def allow(self, client):
        """The person lets the site in."""
        self.say(None, "ready")
        self.loop.until(lambda: self.find(client), 60 * harness.SLOW)
        call = self.call(client, "page_text")
        self.say("allow", "allowed")
        self.loop.until(lambda: call.ended, 30 * harness.SLOW)

    def find(self, client):
        """The two tabs, as tools know them."""
        call = client.prepare("tab_list", LABEL)
        self.send(client, call, {})
        self.loop.until(lambda: call.ended, 20 * harness.SLOW)
        ids = {row["url"]: row["id"] for row in call.value or []}
        self.tabs = {"page_text": ids.get(self.site.url),
                     "page_navigate": ids.get(self.site.url + "other")}
        return None not in self.tabs.values()

    def send(self, client, call, arguments):
        call.real = True
        client.calls[call.id] = call
        self.soak.ledger.sent(call)
        client.request(call.id, call.kind, {"browser": LABEL, **arguments},
                       None)

    def call(self, client, kind=None):
        """An act that the site sees, or a question that has no answer but an
        error with its own words in it."""
        kind = kind or self.rnd.choice(("page_navigate", "page_text"))
        call = client.prepare(kind, LABEL)
        call.fails = kind == "page_text"
        self.soak.ledger.count["real calls"] += 1
        self.send(client, call, {
            "tabId": self.tabs[kind],
            **({"selector": f'[name="{call.nonce}"]'} if call.fails else
               {"url": self.site.url + call.nonce})})
        return call

    @staticmethod
    def wrong(call, value):
        """Of a success: the question has none."""
        if call.fails:
            return "it found what is not there"
        if call.kind == "page_navigate" and \
                not value["url"].endswith("/" + call.nonce):
            return "crossed: it went elsewhere"
        return None

    # ----------------------------------------------------------------- chaos

    def stop_worker(self):
        self.soak.ledger.count["workers stopped"] += 1
        self.pipes.write(b"stop\n")

    def hosts(self):
        return [pid for pid, exe in self.soak.world.processes().items()
                if exe.endswith("/genkan-host") and
                self._label(pid) == LABEL]

    @staticmethod
    def _label(pid):
        try:
            with open(f"/proc/{pid}/cmdline") as f:
                words = f.read().split("\0")
            return words[words.index("--label") + 1]
        except (OSError, ValueError):
            return None

    def close(self):
        if self.process is not None:
            self.pipes.write(b"quit\n")
            self.loop.until(lambda: self.process is None, 20)
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.site.close()
