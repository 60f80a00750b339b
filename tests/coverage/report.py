#!/usr/bin/env python3
"""What the tests have run of the library: a table, and a verdict.

    report.py [--no-verdict] SRCDIR BUILDDIR

BUILDDIR was built with gcc's --coverage, and tests ran in it.  Prints a line a
floor, and fails for each parser that too little of was run; report.txt in
BUILDDIR has every file, missed.txt every line that nothing ran.  The last line is
`# N passed, N failed`, a check a threshold.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

LIBRARY = 90.0      # of the lines of libgenkan
PARSER = 97.0       # of the lines of its parsers, all together and each

# What reads foreign bytes: whatever somebody else wrote, or may have changed.
PARSERS = """
codec/b64 codec/cbor codec/cose codec/der codec/field codec/frame codec/hex
codec/json codec/jsonrpc codec/jstr codec/keyset codec/line codec/num
codec/scan codec/scan_member codec/url codec/walk
proto/attach proto/envelope proto/handshake proto/mcp proto/mcp_call
proto/mcp_ids proto/mcp_meta proto/mcp_method proto/mcpc
records/anchor records/auditrec records/historyrec records/keyrec
records/langrec records/manifest records/policydoc records/policyrec
records/policyval records/record records/runlock records/trustrec
records/wrapper
trust/presence trust/webauthn trust/webauthn_assert trust/webauthn_reg
""".split()

FLOORS = """contract base codec crypto records trust proto engine os local
api""".split()


class Tally:
    """Lines and branches: how many there are, how many were run."""

    def __init__(self):
        self.lines = self.run = self.branches = self.taken = 0

    def add(self, other):
        self.lines += other.lines
        self.run += other.run
        self.branches += other.branches
        self.taken += other.taken

    def percent(self):
        return 100.0 * self.run / self.lines if self.lines else 100.0

    def row(self, name):
        both = 100.0 * self.taken / self.branches if self.branches else 100.0
        return (f"{name:<28}{self.run:6}/{self.lines:<6}"
                f"{self.percent():6.1f} %   {self.taken:6}/{self.branches:<6}"
                f"{both:6.1f} %")


def objects(build):
    """The notes that gcc left beside each object of the library."""
    for floor in FLOORS:
        base = os.path.join(build, "libgenkan", floor)
        for top, _, files in os.walk(base):
            # Libtool's second objects, of a shared library, are the same code.
            if os.path.basename(top) == ".libs":
                continue
            for name in files:
                if name.endswith(".gcno"):
                    yield os.path.join(top, name)


def gcov(note):
    """What gcov says of one object; an object that never ran has zeroes."""
    data = note[:-4] + "gcda"
    out = subprocess.run(
        ["gcov", "--json-format", "--stdout", "--branch-probabilities",
         data if os.path.exists(data) else note],
        cwd=os.path.dirname(note), check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout
    said = json.loads(out.splitlines()[0])
    here = said["current_working_directory"]
    return [(os.path.realpath(os.path.join(here, f["file"])), f["lines"])
            for f in said["files"]]


def measure(src, build):
    """file -> line -> [runs, [runs of each branch]]"""
    library = os.path.realpath(os.path.join(src, "libgenkan")) + os.sep
    seen = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(gcov, sorted(objects(build))):
            for path, lines in files:
                if not path.startswith(library):
                    continue
                of_file = seen[path[len(library):]]
                for line in lines:
                    merge(of_file, line)
    return seen


def merge(of_file, line):
    number = line["line_number"]
    counts = [b["count"] for b in line["branches"] if not b["throw"]]
    if number not in of_file:
        of_file[number] = [line["count"], counts]
        return
    known = of_file[number]
    known[0] += line["count"]
    if len(known[1]) == len(counts):
        known[1] = [a + b for a, b in zip(known[1], counts)]
    else:
        known[1] += counts


def tally(lines):
    t = Tally()
    for runs, branches in lines.values():
        t.lines += 1
        t.run += runs > 0
        t.branches += len(branches)
        t.taken += sum(b > 0 for b in branches)
    return t


def missed(src, name, lines):
    """The lines of a file that nothing ran, with their text."""
    with open(os.path.join(src, "libgenkan", name), encoding="utf-8") as f:
        text = f.read().split("\n")
    return [f"{name}:{n}: {text[n - 1].strip()}"
            for n in sorted(lines) if lines[n][0] == 0]


def threshold(name, percent, wanted):
    good = percent >= wanted
    print(f"{'ok' if good else 'not ok'} {name}: {percent:.2f} % of the lines, "
          f"{wanted:.0f} % wanted")
    return good


def verdict(seen, every, parsers, weak):
    """The exit status; weak: parsers below the threshold by themselves."""
    absent = [p for p in PARSERS if p + ".c" not in seen]
    for p in absent:
        print(f"not ok no figures for {p}.c, which is in the list of parsers")
    good = [threshold("libgenkan", every.percent(), LIBRARY),
            threshold("its parsers", parsers.percent(), PARSER)]
    for name, percent in weak:
        good.append(threshold(name, percent, PARSER))
    if not weak:
        print(f"ok each of its {len(PARSERS)} parsers has {PARSER:.0f} % of "
              "the lines by itself")
        good.append(True)
    bad = good.count(False) + len(absent)
    print(f"# {good.count(True)} passed, {bad} failed")
    return 1 if bad else 0


def write(build, name, lines):
    with open(os.path.join(build, name), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def main(src, build, judged):
    seen = measure(src, build)
    every, parsers = Tally(), Tally()
    floors = {floor: Tally() for floor in FLOORS}
    rows, lost, weak = [], [], []
    for name in sorted(seen):
        t = tally(seen[name])
        every.add(t)
        floors[name.split("/")[0]].add(t)
        rows.append(t.row(name))
        lost += missed(src, name, seen[name])
        if name.endswith(".c") and name[:-2] in PARSERS:
            parsers.add(t)
            if t.percent() < PARSER:
                weak.append((name, t.percent()))
    head = f"{'':28}{'lines run':>13}{'':9}   {'branches taken':>13}"
    table = [head] + [floors[f].row(f + "/") for f in FLOORS]
    table += [every.row("libgenkan"), parsers.row("its parsers")]
    write(build, "report.txt", table + ["", head] + rows)
    write(build, "missed.txt", lost)
    print("\n".join(table))
    print(f"every file: {build}/report.txt, every line: {build}/missed.txt")
    return verdict(seen, every, parsers, weak) if judged else 0


if __name__ == "__main__":
    paths = [os.path.abspath(p) for p in sys.argv[1:] if p[0] != "-"]
    sys.exit(main(*paths, "--no-verdict" not in sys.argv))
