"""What strace saw programs read and write, as streams and documents."""
import gzip
import re

LINE = re.compile(rb"^(\d+)<([^>]*)> (?:<\.\.\. \w+ resumed>|"
                  rb"(\w+)\((\d+)<((?:\\x..)*)>, )(.*)$")
TEXT = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
VECTOR = re.compile(rb'iov_base="((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
RESULT = re.compile(rb"\) += (-?\d+)[^=]*$")


def raw(text):
    return bytes.fromhex(text.replace(b"\\x", b"").decode())


class Stream:
    """What one thread read from and wrote to one pipe or socket."""

    def __init__(self, program):
        self.program = program
        self.said = {"r": b"", "w": b""}
        self.torn = {"r": False, "w": False}    # strace cut something off

    def add(self, way, data, cut):
        if not self.torn[way]:
            self.said[way] += data
            self.torn[way] = cut


def calls(path):
    """(thread, program, call, what the descriptor is, bytes, cut) each."""
    begun = {}
    with gzip.open(path, "rb") as f:
        for line in f:
            m = LINE.match(line.rstrip(b"\n"))
            if not m:
                continue
            thread, program, call, _, link, rest = m.groups()
            if call:
                begun[thread] = call.decode(), raw(link).decode("latin-1"), b""
            elif thread not in begun:
                continue
            call, link, so_far = begun[thread]
            rest = so_far + rest
            if rest.endswith(b"<unfinished ...>"):
                begun[thread] = call, link, rest[:-16]
                continue
            del begun[thread]
            end = RESULT.search(rest)
            if not end or int(end.group(1)) <= 0:
                continue
            want = int(end.group(1))
            found = (VECTOR if "iov_base" in rest.decode("latin-1") else
                     TEXT).findall(rest)
            if call in ("read", "write", "sendto", "recvfrom"):
                found = found[:1]
            data = b"".join(raw(t) for t, _ in found)
            yield (thread, raw(program).decode(), call, link, data[:want],
                   len(data) < want)


def load(path):
    """Streams by (thread, link), and documents as (path, bytes)."""
    streams, files = {}, []
    for thread, program, call, link, data, cut in calls(path):
        if link.startswith("/") and not link.startswith("/dev/pts"):
            if call.startswith(("write", "send")) and not cut:
                files.append((link, data))
        elif "eventfd" not in link:
            s = streams.setdefault((thread, link), Stream(program))
            s.add("r" if call.startswith(("re",)) else "w", data, cut)
    return streams, files
