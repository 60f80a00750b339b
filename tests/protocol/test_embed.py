"""A program that embeds libgenkan: examples/loop_poll against the real
genkan-server.  Every line that it reads is a call, every result a line."""
import hashlib
import os
import pathlib
import queue
import signal
import subprocess
import threading
import time

import harness
from harness import BUILD, SLOW, Failure, check, equal, until


class Embedder:
    """examples/loop_poll, or another program with the same arguments."""

    def __init__(self, w, program="loop_poll", args=None, bindir=None):
        self.w = w
        self.name = program
        self.bin = bindir or w.bin
        self.p = subprocess.Popen(
            [str(BUILD / "examples" / program),
             *([str(self.bin)] if args is None else args)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=w.env())
        self.results, self.states = queue.Queue(), []
        self.threads = [
            threading.Thread(target=self._out, daemon=True),
            threading.Thread(target=self._err, daemon=True)]
        for t in self.threads:
            t.start()
        w.made.append(self)

    def _out(self):
        for line in self.p.stdout:
            self.results.put(line.rstrip("\n"))

    def _err(self):
        for line in self.p.stderr:
            self.states.append(line.rstrip("\n"))

    @property
    def pid(self):
        return self.p.pid

    def log(self):
        return "\n".join(self.states)

    @property
    def hash(self):
        """Of the image itself; what libtool started first is a script."""
        def image():
            exe = os.readlink(f"/proc/{self.p.pid}/exe")
            return exe if "/examples/" in exe else None
        until(image, what="its image")
        return hashlib.sha256(
            pathlib.Path(f"/proc/{self.p.pid}/exe").read_bytes()).hexdigest()

    def say(self, *lines):
        self.p.stdin.write("".join(line + "\n" for line in lines))
        self.p.stdin.flush()

    def line(self, seconds=5.0):
        try:
            return self.results.get(timeout=seconds * SLOW)
        except queue.Empty:
            raise Failure(f"no result; it said {self.states}") from None

    def result(self, seconds=5.0):
        """(number, code, text) of the next result."""
        id, code, text = self.line(seconds).split(" ", 2)
        return int(id), code, text

    def state(self, start, since=0, seconds=5.0):
        def found():
            return [s for s in self.states[since:] if s.startswith(start)]
        end = time.monotonic() + seconds * SLOW
        while not found():
            check(time.monotonic() < end, f"no {start}: {self.states}")
            time.sleep(0.01)
        return found()[0]

    def close(self):
        self.p.kill()
        self.p.wait()
        for t in self.threads:
            t.join(5)


def paired(w, e):
    w.trust(clients=[("embedder", e.hash)])
    e.state("ok: attached")
    return e


def broker(w):
    s = w.server("--broker")
    until(lambda: (w.lock() or {}).get("pid") == s.pid, what="its lock")
    return s


def echo(args, frame):
    return args.get("tabId")


def test_without_a_broker_it_is_told_so(w):
    e = Embedder(w)
    check("MCP server running?" in e.state("cannot-connect: "))


def test_a_program_is_refused_until_it_is_paired(w):
    s = broker(w)
    h = w.host("chrome", ops={"tab_list": lambda a, f: [f["browser"]]})
    e = Embedder(w)
    e.say("tab_list", "list_browsers {}", "no_such_tool {}", "tab_list []",
          "tools")
    check(f"genkan pair-client --name NAME --hash {e.hash}" in e.state("refused: "),
          e.states)
    equal(e.line(), "0 invalid-argument tab_list")
    h.attached()
    w.trust(clients=[])
    n = len(e.states)
    e.state("refused: ", since=n)
    w.trust(clients=[("embedder", e.hash)])
    check("genkan-server 0." in e.state("ok: attached"), e.states)
    got = {r[0]: r for r in (e.result() for _ in range(4))}
    equal(got[1], (1, "OK", '["chrome"]'))
    equal(got[2], (2, "OK", '{"count":1,"browsers":[{"label":"chrome",'
                            '"tabCount":1}]}'))
    equal(got[3][1], "INVALID_ARGUMENT")
    check("no_such_tool" in got[3][2], got[3])
    check(got[4][2].startswith('{"tools":[{"name":"list_browsers"'), got[4])
    check("harness_admit" in s.log() and "name=embedder" in s.log(), s.log())
    e.p.stdin.close()
    equal(e.p.wait(5 * SLOW), 0)
    equal(s.wait(), 0)		# its last client has left


def test_revoked_it_is_dropped(w):
    broker(w)
    h = w.host("chrome", ops={"tab_list": None}).attached()
    e = paired(w, Embedder(w))
    e.say("tab_list")
    h.request("tab_list")
    w.trust(clients=[])
    equal(e.result()[:2], (1, "CONNECTION_LOST"))
    e.state("end-of-input: ")
    broker(w)			# the first has left with its last client
    e.state("refused: ")


def test_a_broker_that_dies_is_found_again(w):
    s = broker(w)
    h = w.host("chrome", ops={"tab_list": None}).attached()
    e = paired(w, Embedder(w))
    e.say("tab_list", "tab_list")
    h.request("tab_list")
    h.request("tab_list")
    s.kill(signal.SIGKILL)
    equal([e.result()[:2] for _ in range(2)],
          [(1, "CONNECTION_LOST"), (2, "CONNECTION_LOST")])
    n = len(e.states)
    e.say("list_browsers {}")
    e.state("cannot-connect: ", since=n - 1)
    broker(w)
    e.state("ok: attached", since=n)
    equal(e.result(), (3, "OK", '{"count":0,"browsers":[]}'))


def test_ten_thousand_calls_in_order(w):
    broker(w)
    seen = []

    def focus(args, frame):
        seen.append(args["tabId"])
        return args["tabId"]
    w.host("chrome", ops={"tab_focus": focus}).attached()
    e = Embedder(w)
    # not admitted yet: all of them are outstanding
    e.say(*(f'tab_focus {{"tabId":{i}}}' for i in range(1, 10001)))
    e.say("tab_focus {\"tabId\":10001}")
    time.sleep(0.3)
    paired(w, e)
    for i in range(1, 10002):
        equal(e.result(20), (i, "OK", str(i)))
    equal(seen, list(range(1, 10002)))


def test_a_cancelled_call_says_nothing_more(w):
    broker(w)
    h = w.host("chrome", ops={"tab_list": None}).attached()
    e = paired(w, Embedder(w))
    e.say("tab_list")
    id = h.request("tab_list")["id"]
    e.say("cancel 1", "cancel 1")
    equal(e.line(), "1 cancel ok")
    equal(e.line(), "1 cancel not-found")
    h.cancelled(id)
    e.say("tools")
    equal(e.result()[0], 2)


def test_a_client_with_all_it_may_have_is_heard(w):
    """No call is answered, and more are made than the broker takes: each
    cancellation reaches the browser all the same, and makes room."""
    broker(w)
    h = w.host("chrome", ops={"tab_list": None}).attached()
    e = paired(w, Embedder(w))
    e.say(*["tab_list"] * 200)
    ids = [h.request("tab_list")["id"] for _ in range(127)]
    for n, id in enumerate(ids[:20], 1):
        e.say(f"cancel {n}")
        equal(e.line(), f"{n} cancel ok")
        h.cancelled(id)
        ids.append(h.request("tab_list")["id"])
    equal(ids, sorted(ids))


def test_only_genkan_server_of_its_directory_is_a_broker(w):
    """The very same broker, but the program looks in another directory."""
    broker(w)
    other = w.dir / "other"
    other.mkdir(0o755)
    e = Embedder(w, bindir=other)
    check(str(other) in e.state("not-found: "), e.states)
    (other / "genkan-server").write_bytes(b"#!/bin/sh\n")
    (other / "genkan-server").chmod(0o755)
    check("identity mismatch" in e.state("wrong-peer: "), e.states)


def test_the_readmes_program_says_why_it_was_refused(w):
    broker(w)
    e = Embedder(w, "embed_client", ["list_browsers", "{}"])
    # Built for where it will be installed, where nothing is yet.
    text = e.line()
    check("to be trusted in" in text or "identity mismatch" in text, text)
    equal(e.p.wait(5 * SLOW), 1)


if __name__ == "__main__":
    harness.main(globals())
