"""What was asked, who saw it, what came back, and what must never happen."""
import collections
import time

# Answers that chaos may bring about; each needs its cause.
LOST = {"CONNECTION_LOST", "NOT_CONNECTED", "BROWSER_NOT_FOUND"}
# From the last blow to the last answer that may be blamed on it: a call waits
# 12 s for a browser, and a machine may be busy.
BLAME = 25.0
# An extension hears of a release at the latest look of its host, and once more
# where that one ended meanwhile.
MIRROR = 10.0
# A call that takes longer than this is as good as lost.
STUCK = 90.0
# Ended calls whose history is kept for a report.
KEPT = 4096


class Call:
    """One request of one life of one client."""

    __slots__ = ("nonce", "client", "id", "kind", "label", "size", "sent",
                 "closed", "revoked", "fails", "cancelled", "seen", "end",
                 "ended", "value", "real")

    def __init__(self, nonce, client, id, kind, label, size):
        self.nonce, self.client, self.id = nonce, client, id
        self.kind, self.label, self.size = kind, label, size
        self.sent = time.monotonic()
        self.closed = self.revoked = None	# the epoch it was sent in
        self.fails = self.cancelled = False
        self.real = False		# for a browser that is none of ours
        self.seen = []
        self.end = self.ended = self.value = None


class Ledger:
    def __init__(self, report):
        self.report = report
        self.began = time.monotonic()
        self.open = {}			# by nonce
        self.kept = collections.OrderedDict()
        self.served = set()		# nonces that a browser has seen
        self.blow = self.began		# when something was last broken
        self.kill_closed = None		# number of the closure that is certain
        self.kill_number = 0
        self.kill_possible = False	# from the command to the release's end
        self.kill_ended = self.began - 1e6
        self.problems = []
        self.count = collections.Counter()
        self.code = collections.Counter()
        self.slowest = 0.0

    # ------------------------------------------------------------- problems

    def problem(self, text, call=None):
        if len(self.problems) < 50:
            self.problems.append(text + (self.history(call) if call else ""))
            print(f"# PROBLEM {self.problems[-1]}", flush=True)
        self.count["problems"] += 1

    def history(self, call):
        def at(t):
            return f"{t - self.began:.3f}"
        lines = [f"{call.kind} {call.nonce} id {call.id!r} of client "
                 f"{call.client.number} to {call.label}, {call.size} bytes"
                 f"{', to fail' if call.fails else ''}",
                 f"sent {at(call.sent)}, kill {call.closed}, "
                 f"revoked {call.revoked}, cancelled {call.cancelled}"]
        lines += [f"seen by {who} at {at(t)}" for who, t in call.seen]
        if call.ended:
            lines.append(f"ended {at(call.ended)}: {call.end}")
        lines += [f"event {at(t)}: {what}" for t, what in self.report.events
                  if call.sent - 15 < t < (call.ended or t) + 5]
        return "".join("\n#     " + line for line in lines)

    # --------------------------------------------------------------- events

    def hit(self):
        """Something was broken, stopped or taken away just now."""
        self.blow = time.monotonic()

    def kill_begins(self):
        self.hit()
        self.kill_possible = True

    def kill_is_engaged(self):
        self.kill_number += 1
        self.kill_closed = self.kill_number

    def kill_is_going(self):
        self.kill_closed = None

    def kill_is_gone(self):
        self.hit()
        self.kill_possible = False
        self.kill_ended = time.monotonic()

    # ---------------------------------------------------------------- calls

    def sent(self, call):
        call.closed = self.kill_closed
        call.revoked = call.client.revoked
        self.open[call.nonce] = call
        self.count["calls"] += 1
        self.count["peak"] = max(self.count["peak"], len(self.open))

    def find(self, nonce):
        return self.open.get(nonce) or self.kept.get(nonce)

    def forget(self, call, how):
        """No answer is waited for any more; one that was given up stays what it
        was, whatever becomes of its client."""
        if call.ended:
            return
        call.end, call.ended = how, time.monotonic()
        del self.open[call.nonce]
        self.kept[call.nonce] = call
        if len(self.kept) > KEPT:
            self.kept.popitem(last=False)

    def shut(self, call):
        """Is it one that nobody may serve at this instant?"""
        if call.closed is not None and call.closed == self.kill_closed:
            return "sent while the kill switch was engaged"
        if call.revoked and call.revoked == call.client.revoked:
            return "sent by a client that was revoked"
        return None

    def reached(self, nonce, browser):
        """A browser has it; returns the call where it is known."""
        call = self.find(nonce)
        if nonce in self.served:
            self.problem(f"doubled: {nonce} came to {browser.label} again",
                         call)
        self.served.add(nonce)
        if call is None:
            self.problem(f"invented: {nonce} came to {browser.label}")
            return None
        call.seen.append((str(browser), time.monotonic()))
        if call.label not in (None, browser.label):
            self.problem(f"misrouted to {browser.label}", call)
        why = self.shut(call)
        if why:
            self.problem(f"a browser was reached: {why}", call)
        return call

    def answered(self, call, code, text, wrong=None):
        """The one answer: code None for a success that wrong finds well."""
        if call.ended:
            self.problem(f"answered after all: {code}", call)
            return
        took = time.monotonic() - call.sent
        self.slowest = max(self.slowest, took)
        if call.cancelled:
            self.count["crossed cancels"] += 1
        self.forget(call, code or "ok")
        if wrong:
            self.problem(f"wrong answer: {wrong}; {text[:300]!r}", call)
            return
        if code is None:
            self.count["ok"] += 1
            why = self.shut(call)
            if why and call.kind != "list_browsers":
                self.problem(f"served: {why}", call)
            return
        self.count["failed"] += 1
        self.code[code] += 1
        self._judge(call, code, text)

    def _judge(self, call, code, text):
        now = time.monotonic()
        if code in LOST:
            if now - self.blow > BLAME and not self.kill_possible:
                self.problem(f"{code} without a cause", call)
        elif code == "BRIDGE_KILLED":
            if not self.kill_possible and self.kill_ended < call.sent:
                self.problem("BRIDGE_KILLED without a cause", call)
        elif code == "BROWSER_AMBIGUOUS":
            if call.label is not None:
                self.problem("BROWSER_AMBIGUOUS, though one was named", call)
        elif code == "TOOL_DISABLED" and call.real and "kill switch" in text:
            if not self.kill_possible and now - self.kill_ended > MIRROR:
                self.problem("a kill switch that was released long ago", call)
        elif code == "EXECUTION_FAILED":
            if not call.fails:
                self.problem("EXECUTION_FAILED that nobody caused", call)
        else:
            self.problem(f"{code}: {text[:300]!r}", call)

    def cancelled(self, call):
        self.count["cancelled"] += 1
        self.forget(call, "cancelled")

    def orphan(self, call, why):
        """Its own program ended: no answer can come."""
        self.count["orphans"] += 1
        self.forget(call, why)

    def check_stuck(self):
        now = time.monotonic()
        for call in list(self.open.values()):
            if now - call.sent > STUCK:
                self.problem(f"lost: no answer for {STUCK:.0f} s", call)
                self.forget(call, "lost")
