"""The soak's ledger finds what it is there to find."""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "protocol")]

import harness				# noqa: E402
from harness import check, equal	# noqa: E402
import ledger				# noqa: E402
from chromium import Chromium		# noqa: E402
from ledger import Call, Ledger		# noqa: E402
from report import Report		# noqa: E402
import soak				# noqa: E402
from soak import Soak, goals		# noqa: E402


class Client:
    number = 0
    revoked = None


class Browser:
    def __init__(self, label="a"):
        self.label = label


def one(book, nonce="n1", label="a", kind="page_text"):
    call = Call(nonce, Client(), 1, kind, label, 10)
    book.sent(call)
    return call


def book():
    return Ledger(Report())


def found(of, text):
    check(any(text in p for p in of.problems), of.problems)
    equal(of.count["problems"], len(of.problems))


def test_a_call_that_goes_well_is_no_problem(_):
    b = book()
    call = one(b)
    check(b.reached("n1", Browser()) is call, "not found")
    b.answered(call, None, "")
    equal((b.problems, b.open, b.count["ok"]), ([], {}, 1))


def test_an_act_that_is_done_twice_is_found(_):
    b = book()
    one(b)
    b.reached("n1", Browser())
    b.reached("n1", Browser())
    found(b, "doubled")


def test_an_act_at_another_browser_is_found(_):
    b = book()
    one(b)
    b.reached("n1", Browser("b"))
    found(b, "misrouted")


def test_an_act_that_nobody_asked_for_is_found(_):
    b = book()
    b.reached("n1", Browser())
    found(b, "invented")


def test_a_wrong_answer_is_found(_):
    b = book()
    b.answered(one(b), None, "", "crossed")
    found(b, "wrong answer: crossed")


def test_what_is_crossed(_):
    s = Soak.__new__(Soak)
    s.labels, s.chromium = ["a", "b"], Chromium
    call = one(book())
    right = {"nonce": "n1@a", "text": "n1n1n1n1n1"}
    equal(s.wrong(call, right), None)
    for change in ({"nonce": "n2@a"}, {"nonce": "n1@b"},
                   {"text": "n1n1n1n1n"}, {"text": "n1n1n1n1n2"}):
        check(s.wrong(call, {**right, **change}), change)
    filled = one(book(), kind="page_fill")
    text = s.summary("n1n1n1n1n1")
    equal(s.wrong(filled, {**right, "text": text}), None)
    check(s.wrong(filled, {**right, "text": "11 1"}), "another value")
    listed = one(book(), kind="list_browsers")
    rows = [{"label": "a", "tabCount": 1}, {"label": "b", "tabCount": None}]
    equal(s.wrong(listed, {"browsers": rows}), None)
    check(s.wrong(listed, {"browsers": [{"label": "c", "tabCount": 3}]}), "c")
    check(s.wrong(listed, {"browsers": [{"label": "b", "tabCount": 1}]}), "b")
    gone = one(book(), kind="page_navigate")
    gone.real = True
    equal(s.wrong(gone, {"url": "http://127.0.0.1:1/n1"}), None)
    check(s.wrong(gone, {"url": "http://127.0.0.1:1/n2"}), "another page")


def test_a_call_that_is_never_answered_is_found(_):
    b = book()
    call = one(b)
    b.check_stuck()
    equal(b.problems, [])
    call.sent -= ledger.STUCK + 1
    b.check_stuck()
    found(b, "lost")
    equal(b.open, {})


def test_nobody_is_served_while_the_kill_switch_is_engaged(_):
    for serve in (lambda b, c: b.reached("n1", Browser()),
                  lambda b, c: b.answered(c, None, "")):
        b = book()
        b.kill_begins()
        before = one(b, "n0")
        b.kill_is_engaged()
        serve(b, one(b))
        found(b, "the kill switch was engaged")
        b.answered(before, None, "")
        equal(b.count["problems"], 1, "one sent before may be answered")


def test_one_that_waited_for_the_release_may_be_served(_):
    b = book()
    b.kill_begins()
    b.kill_is_engaged()
    call = one(b)
    b.kill_is_going()
    b.reached("n1", Browser())
    b.answered(call, None, "")
    equal(b.problems, [])


def test_nobody_is_served_who_is_revoked(_):
    b = book()
    call = Call("n1", Client(), 1, "page_text", "a", 1)
    call.client.revoked = 1
    b.sent(call)
    b.reached("n1", Browser())
    found(b, "was revoked")
    b.answered(call, None, "")
    equal(b.count["problems"], 2)


def test_a_failure_needs_its_cause(_):
    def judged(code, **more):
        b = book()
        call = one(b, **more)
        b.blow -= 1000
        return b, call

    for code in ("CONNECTION_LOST", "NOT_CONNECTED", "BROWSER_NOT_FOUND",
                 "BRIDGE_KILLED", "BROWSER_AMBIGUOUS", "EXECUTION_FAILED",
                 "RESPONSE_TIMEOUT", "INTERNAL_ERROR"):
        b, call = judged(code)
        b.answered(call, code, "")
        equal(b.count["problems"], 1, code)
    b, call = judged("CONNECTION_LOST")
    b.hit()
    b.answered(call, "CONNECTION_LOST", "")
    equal(b.problems, [])
    b, call = judged("BRIDGE_KILLED")
    b.kill_begins()
    b.answered(call, "BRIDGE_KILLED", "")
    equal(b.problems, [])
    b, call = judged("BROWSER_AMBIGUOUS", label=None)
    b.answered(call, "BROWSER_AMBIGUOUS", "")
    equal(b.problems, [])


def test_a_mirror_of_the_kill_switch_may_lag_a_little(_):
    for ago, problems in ((1, 0), (ledger.MIRROR + 1, 1)):
        b = book()
        call = one(b)
        call.real = True
        b.kill_begins()
        b.kill_is_gone()
        b.kill_ended -= ago
        b.answered(call, "TOOL_DISABLED", "The kill switch is engaged.")
        equal(b.count["problems"], problems)
    b = book()
    b.kill_begins()
    b.answered(one(b), "TOOL_DISABLED", "The kill switch is engaged.")
    equal(b.count["problems"], 1, "nobody but an extension has one")


def test_a_problem_comes_with_the_history_of_its_call(_):
    b = book()
    b.report.event("kill host a")
    call = one(b)
    time.sleep(0.01)
    b.reached("n1", Browser())
    b.answered(call, "RESPONSE_TIMEOUT", "too late")
    for word in ("page_text n1", "seen by", "ended", "event", "kill host a"):
        check(word in b.problems[0], word, b.problems)


def test_a_lost_call_stays_lost_when_its_client_ends(_):
    b = book()
    call = one(b)
    call.sent -= ledger.STUCK + 1
    b.check_stuck()
    b.orphan(call, "its program ended")
    b.cancelled(call)
    equal(call.end, "lost")
    b.answered(call, None, "")
    equal(b.count["problems"], 2, "an answer after all")


def test_every_role_has_to_come_back_to_its_baseline(_):
    before = {(role, what): 1000 for role in ("broker", "relay", "host")
              for what in ("fds", "threads", "rss")}
    for role, what in before:
        for more, problems in ((soak.SLACK[what], 0),
                               (soak.SLACK[what] + 1, 1)):
            s = Soak.__new__(Soak)
            s.report, s.fault, s.patience = Report(), soak.NoFault(), 0
            s.usage = lambda: {**before, (role, what): 1000 + more}
            s.compare(before)
            equal([n for n, p in s.report.checks if p],
                  [f"{role}: {what} at the baseline"] * problems)


def test_a_time_owes_calls_and_kills(_):
    equal(goals(1800), (200_000, 500))
    equal(goals(3600), (400_000, 1000))
    equal(goals(600), (66_666, 166))
    equal(goals(120), (6666, 16))
    equal(goals(1800, rate=30), (20_000, 500))
    equal(goals(1800, every=15), (200_000, 50))
    equal(goals(1800, rate=3000, every=0.1), (200_000, 500))


if __name__ == "__main__":
    harness.main(globals())
