#!/bin/sh
# Every test that tests/protocol/PROMISES names is there and is run.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec "${PYTHON3:-python3}" - "$srcdir" <<'PYTHON'
import pathlib
import re
import sys

src = pathlib.Path(sys.argv[1])
runs = "".join((src / p / "local.mk").read_text()
               for p in ("tests/protocol", "tests/e2e"))
bad, promise, tests, promises = [], None, 0, 0


def settled():
    if promise is not None and tests == 0:
        bad.append(f"no test: {promise}")


for line in (src / "tests/protocol/PROMISES").read_text().splitlines():
    if line.startswith("#") or not line:
        continue
    if not line.startswith("\t"):
        settled()
        promise, tests = line, 0
        promises += 1
        continue
    tests += 1
    _, name, test = line.split("\t")
    path = src / name
    if not path.exists():
        bad.append(f"no file {name}")
        continue
    want = rf"^def {re.escape(test)}\(" if name.endswith(".py") else \
        rf"\.part\('{re.escape(test)}'"
    if not re.search(want, path.read_text(), re.M):
        bad.append(f"{name}: no {test}")
    if name.endswith(".py") and name not in runs:
        bad.append(f"{name} is not in local.mk")
settled()
for line in bad:
    print("promises.sh:", line, file=sys.stderr)
if promises < 30:
    sys.exit("promises.sh: the table was not read")
sys.exit(1 if bad else 0)
PYTHON
