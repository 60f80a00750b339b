#!/usr/bin/env python3
"""Makes inputs of the fuzz targets of what strace saw programs read and write.

    seeds.py SRCDIR BUILDDIR OUT TRAFFIC.gz...

Nothing leaves it that was secret or tells of the machine: digests, nonces, MACs
and keys become other ones, drawn here, the same for the same; paths, times and
names of the machine become made-up ones.  What is found in an input all the
same is an error.
"""
import base64
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import socket
import struct
import sys

import traffic

SIZE = 3900             # of an input; the targets are run with 4000
EACH = 400              # inputs of a target, before they are minimised

# ------------------------------------------------------------------ reading

OURS = re.compile(rb"genkan|run[.-]|com\.vivswan|[a-z-]+_?[a-z]*\.(json|log)")


def lines(data):
    return [s for s in data.split(b"\n")[:-1] if s]


def frames(data):
    """Native messages; None: these are none."""
    ret = []
    while len(data) >= 4:
        n, = struct.unpack("<I", data[:4])
        if n > 64 << 20:
            return ret or None
        if len(data) < 4 + n:
            break
        ret.append(data[4:4 + n])
        data = data[4 + n:]
    return ret if ret and ret[0][:1] in b"{[" else None


def shape_of(data):
    return re.sub(rb"\d+", b"0", data)


def tree(message):
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return None


# ----------------------------------------------------------------- cleaning

class Cleaner:
    """Takes out what is secret or tells of the machine."""

    def __init__(self, *places):
        self.seen = {}
        self.secrets = set()
        self.places = sorted({os.path.realpath(p).encode() for p in places} |
                             {str(p).encode() for p in places},
                             key=len, reverse=True)
        self.host = socket.gethostname().encode()

    def other(self, m):
        """Another value that looks like it, the same for the same one."""
        old = m.group(0)
        if old not in self.seen:
            if set(old) != {old[0]}:
                self.secrets.add(old)
            self.seen[old] = os.urandom(len(old) // 2).hex().encode()
        return self.seen[old]

    @staticmethod
    def elsewhere(m):
        """A made-up path; the name of a file of ours stays."""
        name = m.group(0).rsplit(b"/", 1)[1]
        return b"/home/u/" + (name if OURS.match(name) else b"x")

    def key(self, m):
        self.secrets.add(m.group(2))
        return m.group(1) + base64.b64encode(
            b"\1" + os.urandom(31)) + m.group(3)

    def clean(self, s):
        for place in self.places:
            s = s.replace(place, b"/opt/genkan")
        s = re.sub(rb"/tmp/(gk|genkan)[-_]?\w*(?=/)", b"/tmp/w", s)
        s = re.sub(rb"(?<![\w/])/(?:tmp|root|home|work|run/user|proc)"
                   rb"/(?!w\b)[^\"'\s\\;,)]*", self.elsewhere, s)
        if self.host:
            s = re.sub(rb"\b" + re.escape(self.host) + rb"\b", b"machine", s)
        s = re.sub(rb'("scalar":\s*")([A-Za-z0-9+/]{43}=)(")', self.key, s)
        s = re.sub(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|"
                   rb"[0-9a-f]{32})(?![0-9a-f])", self.other, s)
        s = re.sub(rb'("pid":\s*)\d+', rb"\g<1>4242", s)
        s = re.sub(rb"\b1[789]\d{11}\b", b"1700000000000", s)
        return re.sub(rb"\b1[789]\d{8}\b", b"1700000000", s)

    def check(self, s, where):
        bad = [p for p in self.places if p in s]
        bad += [self.host] if len(self.host) > 5 and self.host in s else []
        bad += [t for t in self.secrets if t in s]
        if bad:
            sys.exit(f"{where}: holds {bad[0]!r}")


# ------------------------------------------------------------------- inputs

class Seeds:
    """The inputs of each target."""

    def __init__(self, cleaner, src):
        self.of = collections.defaultdict(dict)
        self.clean = cleaner.clean
        self.tools = re.findall(r'^GK_TOOL\(\w+, "(\w+)"', (
            src / "libgenkan/contract/tools.def").read_text(), re.M)

    def add(self, reader, data):
        """One of those that differ in their numbers alone."""
        if 0 < len(data) <= SIZE:
            shape = hashlib.sha256(shape_of(data)).hexdigest()
            self.of[reader].setdefault(shape, data)

    def add_clean(self, reader, data):
        self.add(reader, self.clean(data))

    def windows(self, messages, each=16):
        """Runs of cleaned messages that fit an input together."""
        run, n, times = [], 0, collections.Counter()
        for m in messages:
            m = self.clean(m)
            times[shape_of(m)] += 1
            if len(m) > SIZE // 2 or times[shape_of(m)] > 4:
                continue
            if n + len(m) > SIZE // 2 or len(run) == each:
                yield run
                run, n = [], 0
            run.append(m)
            n += len(m) + 4
        if run:
            yield run

    def write(self, out, check):
        rng = random.Random(1)
        for reader, inputs in sorted(self.of.items()):
            to = out / reader
            to.mkdir(parents=True)
            names = sorted(inputs)
            if len(names) > EACH:
                names = rng.sample(names, EACH)
            for name in names:
                check(inputs[name], f"{reader}/{name}")
                (to / name[:16]).write_bytes(inputs[name])
            print(f"# {reader}: {len(names)} of {len(inputs)}")


def framed(messages):
    return b"".join(struct.pack("<I", len(m)) + m for m in messages)


def text_of(messages):
    return b"".join(m + b"\n" for m in messages)


def leaves(value):
    if isinstance(value, dict):
        for v in value.values():
            yield from leaves(v)
    elif isinstance(value, list):
        for v in value:
            yield from leaves(v)
    else:
        yield value


def b64(text):
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return b""


def of_message(seeds, m):
    """The readers of one object, of its strings, and of what is in them."""
    seeds.add_clean("scan", m)
    value = tree(m)
    if not isinstance(value, dict):
        return
    for text in leaves(value):
        if isinstance(text, str) and len(text) < 300:
            seeds.add_clean("jstr", text.encode(errors="replace"))
            if re.match(r"(https?|chrome-extension)://", text):
                seeds.add_clean("url", text.encode(errors="replace"))
            if re.fullmatch(r"[A-Za-z0-9+/_-]{8,}=*", text):
                seeds.add_clean("b64", text.encode())
    if "attestation_object" in value:
        seeds.add("attestation", b64(value["attestation_object"]))
        seeds.add("cbor", b64(value["attestation_object"]))
    if "signature" in value and isinstance(value["signature"], str):
        seeds.add("der", b64(value["signature"]))
    if "client_data_json" in value and isinstance(
            value["client_data_json"], str):
        data = b64(value.get("authenticator_data", ""))
        seeds.add("authdata", struct.pack(">H", len(data)) + data +
                  b64(value["client_data_json"]))


def renumbered(messages):
    """Responses as if the broker had asked for them: 1, 2, ..."""
    n = 0
    for m in messages:
        n += m.startswith(b'{"id":')
        yield re.sub(rb'^(\{"id":)\d+', rb"\g<1>%d" % (1 + (n - 1) % 8), m)


def of_broker_leg(seeds, s):
    """A leg as the broker has it: set-up, and what both sides said."""
    said, heard = lines(s.said["r"]), lines(s.said["w"])
    for m in said[:2] + heard[:2]:
        seeds.add_clean("attach", m)
    if len(said) < 2 or len(heard) < 2:
        return
    clean = [seeds.clean(m) for m in said[:3]]
    seeds.add("handshake", b"\0\7" + text_of(clean))
    seeds.add("handshake", (b"\3" if b'"label"' in said[0] else b"\1") +
              b"\0" + text_of(clean[1:]))
    if b'"browser"' in said[1]:
        for m in said[2:] + heard[2:]:
            if len(m) < SIZE:
                seeds.add_clean("envelope", m)
        for run in seeds.windows(list(renumbered(said[2:])), 8):
            seeds.add("response", b"\0" + text_of(run))
    else:
        for run in seeds.windows(heard[2:], 8):
            seeds.add("relay", b"\5" + text_of(run))
            seeds.add("embed", b"\5" + text_of(run))
        of_mcp(seeds, said[2:])


def of_call(seeds, value):
    """The arguments of a tools/call, behind the number of the tool."""
    params = value.get("params") if isinstance(value, dict) else None
    if isinstance(params, dict) and params.get("name") in seeds.tools and \
            isinstance(params.get("arguments"), dict):
        seeds.add_clean("catalog", bytes([seeds.tools.index(params["name"])]) +
                        json.dumps(params["arguments"], ensure_ascii=False,
                                   separators=(",", ":")).encode(
                                       errors="replace"))


def of_mcp(seeds, said):
    """What a client says; the line that opens the connection goes first."""
    opener = next((seeds.clean(m) for m in said
                   if b"initialize" in m or b"server/discover" in m), b"")
    for m in said:
        of_call(seeds, tree(m))
    for run in seeds.windows(said):
        first = [] if run[0] == opener else [opener]
        seeds.add("server", text_of(first + run[:3] + [b"@a", b"@w"] +
                                    run[3:] + [b"@r1", b"@r2", b"@l"]))
        seeds.add("mcp", b"\x0f" + text_of(first + run))
        seeds.add("line", b"\x83\xff" + text_of(run))
        seeds.add("line", b"\x03\x4f" + text_of(run))


def of_control(seeds, frames_):
    """Control frames; what answered a request there does so here."""
    command = {"presence_confirm": b"@c0", "presence_assert": b"@t0",
               "enroll_finish": b"@f0"}
    said = []
    for m in frames_:
        value = tree(m)
        tag = value.get("type") if isinstance(value, dict) else None
        if isinstance(tag, str) and tag != "hello":
            said.append(command.get(tag, m))
    for run in seeds.windows(said, 24):
        seeds.add("control", text_of(run))
        seeds.add("control", b"@r2\n@p1\n" + text_of(run))


def of_host(seeds, streams):
    """Both sides of a host: frames of its browser, lines of its broker."""
    browser, bridge = [], []
    for s in streams:
        for m in (frames(s.said["r"]) or []):
            browser.append(m)
            of_message(seeds, m)
        for m in (frames(s.said["w"]) or []):
            of_message(seeds, m)
        if s.said["r"].startswith(b'{"type":"challenge"'):
            bridge = lines(s.said["r"])[2:]
    of_control(seeds, browser)
    to_browser = list(seeds.windows(bridge, 8))
    for i, run in enumerate(seeds.windows(browser)):
        seeds.add("frame", b"\x0b" + framed(run))
        half = framed(run)
        seeds.add("host", struct.pack(">H", len(half)) + b"\x05" + half +
                  text_of(to_browser[i] if i < len(to_browser) else []))


def of_file(seeds, path, data):
    name = os.path.basename(path)
    for begin, reader in (("trust.json", "trustrec"), ("lang.json", "langrec"),
                          ("policy.json", "policyrec"),
                          ("policy-history.json", "historyrec"),
                          ("host_key.json", "keyrec"),
                          ("run.lock", "runlock"),
                          ("com.vivswan.genkan", "manifest"),
                          ("run-host", "wrapper")):
        if begin in name:
            seeds.add_clean(reader, data)
            if reader != "wrapper":
                seeds.add_clean("scan", data)
            if reader == "policyrec":
                value = tree(data)
                if isinstance(value, dict) and "baseline_b64" in value:
                    seeds.add("policyrec", b"d" + b64(value["baseline_b64"]))


def of_traffic(seeds, path):
    streams, files = traffic.load(path)
    hosts, trail = collections.defaultdict(list), []
    for (thread, link), s in streams.items():
        if link.startswith("/dev/pts"):
            seeds.add("typed", s.said["r"])
        elif s.program == "genkan-host":
            hosts[thread].append(s)
        elif s.said["w"].startswith(b'{"type":"challenge"'):
            of_broker_leg(seeds, s)
        elif not s.said["r"].startswith(b'{"type":"challenge"') and \
                b'"jsonrpc"' in s.said["r"]:
            of_mcp(seeds, lines(s.said["r"]))
            for m in lines(s.said["r"]):
                of_message(seeds, m)
    for group in hosts.values():
        of_host(seeds, group)
    for name, data in files:
        of_file(seeds, name, data)
        if os.path.basename(name) == "audit.log":
            trail.append(data.rstrip(b"\n"))
    for run in seeds.windows(trail, 12):
        seeds.add("auditrec", text_of(run))


def main():
    src, build, out = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
    cleaner = Cleaner(build, src, pathlib.Path.home(), sys.prefix)
    seeds = Seeds(cleaner, src)
    for path in sys.argv[4:]:
        of_traffic(seeds, path)
    seeds.write(out, cleaner.check)


if __name__ == "__main__":
    main()
