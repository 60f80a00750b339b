"""What a call of the Python package costs over the C call, as a JSON line.

    bench.py FOLDER-OF-THE-PACKAGE

The C calls themselves take nanoseconds, so the time of the whole call, less
that of a Python function that does nothing, is the cost.
"""
import json
import sys
import time

sys.path.insert(0, sys.argv[1])

from genkan import _genkan, native  # noqa: E402

N = 20000


def best(fn):
    """Microseconds for one, of the best of a few rounds."""
    found = float("inf")
    for _ in range(7):
        began = time.perf_counter_ns()
        for _ in range(N):
            fn()
        found = min(found, (time.perf_counter_ns() - began) / N / 1000)
    return found


decoder = native.Decoder()
empty = best(lambda: None)
rows = {
    "error_name": lambda: _genkan.genkan_error_name(-17),
    "header": lambda: native.header(5),
    "handle": decoder.eof,
}
for name, fn in rows.items():
    print(json.dumps({"bench": "binding_call_us", "language": "python",
                      "call": name, "n": N,
                      "value": round(best(fn) - empty, 3), "limit": 5}))
