"""Runs the tests of the Python package under pytest and prints TAP.

The package is that of the build folder, or the installed one that PYTHONPATH
names.  The interpreter is the one that it was built for.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.environ.get("PYTHON", sys.executable)


class Tap:
    """One line a test, and why it failed as comments."""

    def __init__(self):
        self.n = 0

    def pytest_addoption(self, parser):
        """What others ask for, of the plugin that is switched off."""
        parser.addoption("--verbose", type=int, default=0)

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        if report.when == "teardown" and not report.failed:
            return
        self.n += 1
        name = report.nodeid.split("/")[-1].replace("::", ": ", 1)
        skip = " # SKIP" if report.skipped else ""
        print(f"{'not ok' if report.failed else 'ok'} {self.n} - "
              f"{name.replace('_', ' ')}{skip}", flush=True)
        if report.failed:
            for line in str(report.longrepr).splitlines():
                print(f"# {line}", flush=True)


def become():
    """The interpreter that the package was built for, and of a package with
    the sanitizer for addresses: with its runtime, and memory that it sees."""
    asan, env = os.environ.get("ASAN_RUNTIME"), dict(os.environ)
    if asan:
        env.update(LD_PRELOAD=asan, PYTHONMALLOC="malloc", ASAN_OPTIONS=env.get(
            "ASAN_OPTIONS", "") + ":detect_leaks=0")
    if env != os.environ or os.path.realpath(PYTHON) != os.path.realpath(
            sys.executable):
        env.pop("ASAN_RUNTIME", None)
        os.execve(PYTHON, [PYTHON, *sys.argv], env)


def main():
    become()
    try:
        import pytest
    except ImportError:
        print(f"1..0 # SKIP {PYTHON} has no pytest")
        sys.exit(0)
    build = os.environ.get("GENKAN_BUILDDIR")
    if build and "GENKAN_INSTALLED" not in os.environ:
        sys.path.insert(0, os.path.join(build, "bindings/python/stage"))
    sys.dont_write_bytecode = True
    tap = Tap()
    # With the sanitizer, what it says goes to the log and not into a capture
    # that ends with the process; and types alone run nothing of ours.
    more = ["--capture=sys", f"--ignore={HERE}/test_types.py"] * (
        "libasan" in os.environ.get("LD_PRELOAD", ""))
    rc = pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", "--rootdir",
                      HERE, *more, HERE, *sys.argv[1:]], plugins=[tap])
    print(f"1..{tap.n}")
    sys.exit(int(rc))


if __name__ == "__main__":
    main()
