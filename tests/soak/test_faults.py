"""Who watches the watcher?  Short soaks, each with one promise broken on
purpose: the report names it, and the exit status is not 0."""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "protocol")]

import harness				# noqa: E402
from faults import KINDS		# noqa: E402
from harness import check, equal	# noqa: E402

SMALL = ["--time", "0.3", "--seed", "5", "--clients", "2", "--browsers", "2",
         "--every", "1e9", "--rest", "1", "--calls", "0", "--kills", "0"]
ANSWERS = "no answer was lost, doubled, crossed or late"


def soak(*args):
    """Exit status, what failed and every problem of one soak."""
    p = subprocess.run([sys.executable, str(HERE / "soak.py"), *SMALL, *args],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, timeout=120 * harness.SLOW)
    lines = p.stdout.splitlines()
    report = [line for line in lines if line.startswith('{"soak"')]
    equal(len(report), 1, p.stdout[-3000:])
    return (p.returncode, json.loads(report[0])["failed"],
            [x for x in lines if x.startswith("# PROBLEM ")])


# They wait most of the time, so some run at once.
POOL = concurrent.futures.ThreadPoolExecutor(6)


def later(*args):
    return POOL.submit(soak, *args)


def test_without_a_fault_nothing_is_found(_, run=later()):
    equal(run.result(), (0, [], []))


def finds(kind):
    run, words = later("--fault", kind), KINDS[kind][1]

    def test(_):
        status, failed, problems = run.result()
        equal(status, 1)
        if failed != [ANSWERS]:
            equal((failed, problems), (words, []))
            return
        for problem in problems:
            check(any(word in problem for word in words), problem)
        check(any(words[0] in problem for problem in problems), problems)
    test.timeout = 120
    return test


for kind in KINDS:
    globals()["test_found_" + kind.replace("-", "_")] = finds(kind)


def test_found_few_calls(_, run=later("--calls", "1000000")):
    equal(run.result(), (1, ["at least 1000000 calls"], []))


def test_found_few_kills(_, run=later("--kills", "1")):
    equal(run.result(), (1, ["at least 1 kills"], []))


if __name__ == "__main__":
    harness.main(globals())
