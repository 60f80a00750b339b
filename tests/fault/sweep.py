"""Every system call of the programs fails, one at a time.

For each flow, each call and each way to fail: the first call of that name
fails, then the second, and so on, until a run ends without reaching the one
that was to fail.  Whatever happens, no program crashes or hangs, what comes out
of it is what its protocol says, a question has its answer or a clean error, and
the records on disk are the old ones or the new ones.

    sweep.py [FLOW[:CALL[:HOW[:N]]]]...
"""
import concurrent.futures
import json
import os
import pathlib
import random
import select
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] /
                       "protocol"))
import cli						# noqa: E402
import commands						# noqa: E402
import harness						# noqa: E402
from harness import Failure, check, equal		# noqa: E402

# Commands end; the two that go on call some things all the time, and what comes
# later repeats what came before.  GENKAN_FAULTS=1000 goes to the end of all.
MOST = os.environ.get("GENKAN_FAULTS")
AT_ONCE = 4

FILES = {
    "open": ["EMFILE", "EACCES"],
    "openat": ["EMFILE", "EACCES", "EIO"],
    "read": ["EINTR", "EIO", "short"],
    "pread": ["EINTR", "EIO", "short"],
    "write": ["EINTR", "ENOSPC", "short"],
    "writev": ["EINTR", "ENOSPC", "short"],
    "fstat": ["EIO"],
    "fstatat": ["EIO", "EACCES"],
    "fchmod": ["EIO"],
    "mkdirat": ["ENOSPC", "EROFS"],
    "unlinkat": ["EIO"],
    "renameat": ["EIO", "ENOSPC"],
    "fsync": ["EIO", "ENOSPC"],
    "flock": ["EINTR", "ENOLCK"],
}
SOCKETS = {
    "read": ["EAGAIN", "ECONNRESET"],
    "write": ["EAGAIN", "EPIPE"],
    "socket": ["EMFILE"],
    "bind": ["EACCES"],
    "listen": ["EACCES"],
    "connect": ["ECONNREFUSED", "EINTR", "EAGAIN"],
    "accept4": ["EMFILE", "ECONNABORTED", "EINTR"],
    "recv": ["ECONNRESET", "EINTR", "short"],
    "sendmsg": ["EPIPE", "EAGAIN"],
}


# More than a few hundred are not needed to get to the end.  How many fail in
# the usual run, out of so many; the same ones each time.
MEMORY = {"malloc": ["ENOMEM"], "crypto": ["ENOMEM"]}
SAMPLE = {"malloc": (8, 300), "crypto": (2, 6000)}


def both():
    names = {**FILES}
    for call, hows in SOCKETS.items():
        names[call] = names.get(call, []) + hows
    return {**names, **MEMORY}


CLIENTS = [("py", "0" * 64)]


def records(w, before, may_be=()):
    """What is on disk is whole, and no other than it may be."""
    after = json.loads((w.state / "trust.json").read_text())
    if after == before:
        return
    left = {k: v for k, v in after.items() if k not in may_be}
    equal(left, {k: v for k, v in before.items() if k not in may_be},
          "the trust record")


def trail(w, torn):
    """At most the one record that failed is no whole line."""
    path = w.state / "audit.log"
    bad = 0
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            json.loads(line)
        except ValueError:
            bad += 1
    check(bad <= (1 if torn else 0), f"{bad} torn records in the trail")


def ended(p, seconds=6):
    """It ends by itself, not by a signal, with a status that it has."""
    status = p.wait(seconds)
    check(status in (0, 1, 2, 3), f"{p.name} ended with {status}:",
          p.log()[-2000:])
    check("Sanitizer" not in p.log() and "runtime error" not in p.log(),
          p.log()[-3000:])


def lines(s, ids, seconds):
    """Reads until these are answered or the output ends.  Returns them."""
    got, end = {}, time.monotonic() + seconds * harness.SLOW
    while set(got) < set(ids):
        left = end - time.monotonic()
        check(left > 0, f"no answer to {set(ids) - set(got)}, no end either:",
              s.log()[-2000:])
        if not select.select([s.p.stdout], [], [], left)[0]:
            continue
        data = os.read(s.p.stdout.fileno(), 1 << 20)
        if not data:
            break
        s.buf += data
        while b"\n" in s.buf:
            line, _, s.buf = s.buf.partition(b"\n")
            msg = json.loads(line)
            if "method" in msg:
                continue
            check(msg.get("id") in ids and msg["id"] not in got,
                  f"an answer to nothing: {line[:200]!r}")
            got[msg["id"]] = msg
    return got


def told(s, *messages):
    """Says them; a program that has ended does not hear them."""
    try:
        for m in messages:
            s.send(m)
    except OSError:
        pass


def tool(id, name):
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": {}}}


OPENING = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "sweep", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    tool(3, "list_browsers"),
]


def whole(msg):
    """A result, or an error that says what it is."""
    if "error" in msg:
        check(isinstance(msg["error"].get("message"), str), msg)
        return
    result = msg["result"]
    if result.get("isError"):
        check(harness.code_of(result), msg)


def calls(w, s, h):
    """The whole way, as far as it goes; .attached() may never come."""
    got = lines(s, [1, 2, 3], 10)
    end = time.monotonic() + 1.5
    while time.monotonic() < end and s.p.poll() is None and \
            h.p.poll() is None and \
            "bridge handshake complete" not in h.log():
        time.sleep(0.01)
    if h.p.poll() is not None:
        return got		# nobody to ask, and it takes its time
    told(s, tool(4, "tab_list"))
    if s.p.poll() is None:
        got.update(lines(s, [4], 40))
    return got


def chain(w, server=None, host=None, relay=None):
    w.trust()
    before = json.loads((w.state / "trust.json").read_text())
    broker = None
    if relay is not None:
        broker, server = w.server(), relay
        broker.wait_log("-> broker")
    s = w.server(env=server)
    told(s, *OPENING)
    if server is None:
        s.wait_log("-> broker")
    else:
        harness.until(lambda: s.p.poll() is not None or w.sock.exists() or
                      "[ERROR]" in s.log() or
                      time.monotonic() > s.started + 1.5, 10)
    h = w.host("chrome", env=host)
    got = calls(w, s, h)
    for msg in got.values():
        whole(msg)
    if server is None:
        equal(sorted(got)[:3], [1, 2, 3], "a server without a fault")
    s.close_stdin()
    ended(s)
    h.close_stdin()
    ended(h)
    how = ((server or host)["GENKAN_FAULT"]).split(",")[1]
    # What cannot be measured is no broker of ours, and is taken over from.
    if broker is not None and not (how in ("EACCES", "EIO", "ECONNRESET") and
                                   "taking over" in s.log()):
        unharmed(w, broker)
    check(s.buf == b"" or how in ("ENOSPC", "EPIPE", "EIO", "ECONNRESET"),
          f"half a line: {s.buf[:200]!r}")
    records(w, before)
    trail(w, how in ("ENOSPC", "short"))


def flow_server(w, fault):
    chain(w, server=fault)


def unharmed(w, broker):
    """It is the broker still, whatever became of who attached to it."""
    equal((w.lock() or {}).get("pid"), broker.pid, "who is the broker")
    told(broker, *OPENING)
    for msg in lines(broker, [1, 2, 3], 10).values():
        check("result" in msg, msg)
    broker.close_stdin()
    equal(broker.wait(6), 0)


def flow_relay(w, fault):
    chain(w, relay=fault)


def flow_host(w, fault):
    chain(w, host=fault)


def command(w, fault, *args, may_be=(), usual=0):
    w.trust(CLIENTS)
    before = json.loads((w.state / "trust.json").read_text())
    got = cli.run(w, *args, env=fault)
    check(got.status in (0, 1, 2, 3), got)
    check("Sanitizer" not in got.err and "runtime error" not in got.err, got)
    how = fault["GENKAN_FAULT"].split(",")[1]
    if got.status == 1 and not fault["GENKAN_FAULT"].startswith("open,"):
        # But for the descriptors that words would go to.
        check(got.err or got.out, "it failed without a word")
    if how in ("EINTR", "short"):
        equal(got.status, usual, f"no failure at all, for a program: {got}")
    records(w, before, may_be)
    trail(w, how in ("ENOSPC", "EIO", "short"))
    return got


def flow_kill(w, fault):
    got = command(w, fault, "kill",
                  may_be=("killed", "kill_epoch", "epoch"))
    if got.status == 0:
        equal(cli.trust(w)["killed"], True, "what was said to be done")


def flow_status(w, fault):
    command(w, fault, "status", usual=1)	# no server runs


def flow_list(w, fault):
    got = command(w, fault, "list-clients")
    if got.status == 0 and got.out:
        check("py" in got.out or fault["GENKAN_FAULT"].startswith("write,"),
              got)


COMMAND = {**FILES, **MEMORY}


def flow_of(name):
    calls = commands.QUICK
    if MOST:
        calls = FILES if name in commands.KEYSTORE else COMMAND
    return lambda w, fault: commands.run(w, fault, name), calls


FLOWS = {"kill": (flow_kill, COMMAND), "status": (flow_status, COMMAND),
         "list": (flow_list, COMMAND), "server": (flow_server, both()),
         "host": (flow_host, both()), "relay": (flow_relay, both()),
         **{name: flow_of(name) for name in commands.COMMANDS}}


def one(flow, call, how, n):
    """Runs it once, or again where a signal came to a machine without time:
    True if the call was reached."""
    for _ in range(4):
        reached, cut = attempt(flow, call, how, n)
        if not cut:
            return reached
    raise Failure(f"{flow}:{call}:{how}:{n}: cut in the middle, each time")


def attempt(flow, call, how, n):
    """Was the call reached, and the program ended by its signal?"""
    w = harness.World()
    hit = w.dir / "hit"
    try:
        cut = FLOWS[flow][0](w, {"GENKAN_FAULT": f"{call},{how},{n}",
                                 "GENKAN_FAULT_HIT": str(hit)})
        return hit.exists(), cut is True
    except Exception as e:
        text = str(e) if isinstance(e, Failure) else traceback.format_exc()
        logs = "".join(f"\n{p.name} {p.p.poll()}:\n{p.log()[-1500:]}"
                       for p in w.made)
        raise Failure(f"{flow}:{call}:{how}:{n}: {text}{logs}") from None
    finally:
        w.close()


def numbers(flow, call):
    """Which of the calls fail, and whether the first that is not reached is
    the end."""
    if MOST:
        return range(1, int(MOST) + 1), True
    if call in SAMPLE:
        n, of = SAMPLE[call]
        return sorted(random.Random(flow).sample(range(1, of), n)), False
    return range(1, {"server": 8, "host": 8, "relay": 3}.get(flow, 40) + 1), \
        True


def sweep(flow, call, how):
    """How many were reached, and what went wrong."""
    bad, reached = [], 0
    wanted, ends = numbers(flow, call)
    for n in wanted:
        try:
            if one(flow, call, how, n):
                reached += 1
            elif ends:
                break
        except Failure as e:
            reached += 1
            bad.append(str(e))
            if len(bad) == 3:
                break
    return reached, bad


def main(wanted):
    jobs = [(f, c, h) for f, (_, calls) in FLOWS.items()
            for c, hows in calls.items() for h in hows]
    if wanted:
        single = [w.split(":") for w in wanted]
        for f, c, h, n in (s for s in single if len(s) == 4):
            print(one(f, c, h, int(n)))
        jobs = [j for j in jobs if any(list(j[:len(s)]) == s
                                       for s in single)]
    failed = passed = faults = 0
    with concurrent.futures.ProcessPoolExecutor(AT_ONCE) as pool:
        for job, (n, bad) in zip(jobs, pool.map(sweep, *zip(*jobs))):
            faults += n
            name = ":".join(job)
            passed += not bad
            failed += bool(bad)
            print(f"{'not ' * bool(bad)}ok {passed + failed} - {name}, "
                  f"{n} faults", flush=True)
            for text in bad:
                print("#   " + text[-4000:].replace("\n", "\n#   "),
                      flush=True)
    print(f"# {faults} faults")
    if not wanted and faults < 400:
        print("not ok - so few: the faults do not arrive")
        failed += 1
    print(f"# {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
