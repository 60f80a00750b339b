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


def main():
    if os.path.realpath(PYTHON) != os.path.realpath(sys.executable):
        os.execv(PYTHON, [PYTHON, *sys.argv])
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
    rc = pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal",
                      "--rootdir", HERE, HERE, *sys.argv[1:]], plugins=[tap])
    print(f"1..{tap.n}")
    sys.exit(int(rc))


if __name__ == "__main__":
    main()
