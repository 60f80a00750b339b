"""What happened, as a table and as one line of JSON."""
import collections
import json
import time


class Report:
    def __init__(self):
        self.events = collections.deque(maxlen=400)
        self.rows = []			# (name, value)
        self.checks = []		# (name, problem or None)

    def event(self, what):
        self.events.append((time.monotonic(), what))

    def row(self, name, value):
        self.rows.append((name, value))

    def check(self, name, problem):
        self.checks.append((name, problem))

    @property
    def failed(self):
        return sum(problem is not None for _, problem in self.checks)

    def show(self):
        wide = max(len(name) for name, _ in self.rows) + 2
        print()
        for name, value in self.rows:
            print(f"  {name:{wide}}{value:>14,}" if isinstance(value, int)
                  else f"  {name:{wide}}{value!s:>14}")
        print()
        for name, problem in self.checks:
            print(f"{'not ok' if problem else 'ok'} - {name}")
            for line in (problem or "").splitlines():
                print(f"#   {line}")
        print(json.dumps({"soak": dict(self.rows),
                          "failed": [n for n, p in self.checks if p]}))
        print(f"# {len(self.checks) - self.failed} passed, "
              f"{self.failed} failed", flush=True)
