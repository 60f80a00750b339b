#!/bin/sh
# Every test that a table of promises names is there and is run.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec "${PYTHON3:-python3}" - "$srcdir" <<'PYTHON'
import pathlib
import re
import sys

src = pathlib.Path(sys.argv[1])
runs = "".join((src / p / "local.mk").read_text()
               for p in ("tests/protocol", "tests/e2e"))
# How a test is named in a file of that kind.
forms = {".py": r"^def {}\(", ".mjs": r"\.part\('{}'", ".ts": r"\bit\('{}'",
         ".tsx": r"\bit\('{}'"}
bad = []


def check(name, test):
    path = src / name
    if not path.exists():
        bad.append(f"no file {name}")
        return
    want = forms[path.suffix].format(re.escape(test))
    if not re.search(want, path.read_text(), re.M):
        bad.append(f"{name}: no {test}")
    if path.suffix == ".py" and name not in runs:
        bad.append(f"{name} is not in local.mk")


def read(table):
    """The number of promises in it."""
    promises = []
    for line in (src / table).read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith("\t"):
            promises[-1][1] += 1
            check(*line.split("\t")[1:])
        else:
            promises.append([line, 0])
    bad.extend(f"no test: {p}" for p, tests in promises if tests == 0)
    return len(promises)


for table, least in ("tests/protocol/PROMISES", 30), ("tests/e2e/PROMISES", 20):
    if read(table) < least:
        bad.append(f"{table} was not read")
for line in bad:
    print("promises.sh:", line, file=sys.stderr)
sys.exit(1 if bad else 0)
PYTHON
