"""Processes die, pipes close, copies come and go: the caller gets a typed
error in time, the next call works, and nothing is left over."""
import json
import os
import random
import signal
import subprocess
import threading
import time

import harness
from harness import check, equal, meta, until

TABS = {"tab_list": lambda a, f: [f["browser"]]}
SILENT = {"tab_list": lambda a, f: None}


def broker(w, s=None):
    s = s or w.server()
    if s.next_id == 1:
        s.initialize()
    s.wait_log("-> broker")
    until(lambda: (w.lock() or {}).get("pid") == s.pid, what="its lock")
    return s


def text(reply):
    return reply["result"]["content"][0]["text"]


def test_a_host_that_is_killed_ends_its_calls_at_once(w):
    s = broker(w)
    h = w.host("a", ops=SILENT).attached()
    id = s.ask_tool("tab_list", modern=False)
    h.request("tab_list")
    began = time.monotonic()
    h.kill()
    equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST")
    check(time.monotonic() - began < 0.5 * harness.SLOW, "late")
    w.host("a", ops=TABS)
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])


def test_a_browser_that_dies_takes_its_host_along(w):
    s = broker(w)
    h = w.host("a", ops=SILENT).attached()
    id = s.ask_tool("tab_list", modern=False)
    h.request("tab_list")
    h.close_stdin()
    equal(h.wait(2), 0)
    equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST")


def test_a_browser_that_reads_nothing_ends_in_a_time_out_not_in_a_hang(w):
    """A stopped host neither reads nor answers; other browsers go on."""
    s = broker(w)
    h = w.host("a", ops=SILENT).attached()
    w.host("b", ops=TABS).attached()
    h.kill(signal.SIGSTOP)
    id = s.ask_tool("tab_list", modern=False, browser="a")
    for _ in range(20):
        equal(json.loads(s.tool_text("tab_list", modern=False, browser="b")),
              ["b"])
    s.notify("notifications/cancelled", {"requestId": id})
    h.kill(signal.SIGCONT)
    h.request("tab_list")
    equal(s.request("ping")["result"], {})
    s.quiet()


def test_a_client_whose_output_is_gone_leaves_the_others_alone(w):
    one = broker(w)
    two = w.server()
    two.discover()
    two.wait_log("attached")
    h = w.host("a", ops=SILENT).attached()
    two.ask_tool("tab_list")
    n = h.request("tab_list")["id"]
    two.close_stdout()
    h.cancelled(n, 5)
    equal(two.wait(), 0)
    id = one.ask_tool("tab_list", modern=False)
    h.reply(h.request("tab_list")["id"], ["ok"])
    equal(json.loads(text(one.answer(id))), ["ok"])


def test_the_end_of_input_drains_for_a_second_and_a_half(w):
    s = broker(w)
    h = w.host("a", ops=SILENT).attached()
    first, second = (s.ask_tool("tab_list", modern=False) for _ in "ab")
    one, two = h.request("tab_list"), h.request("tab_list")
    s.close_stdin()
    time.sleep(0.4)
    h.reply(two["id"], ["second"])
    equal(json.loads(text(s.answer(second))), ["second"])
    began = time.monotonic()
    equal(s.line(), None)
    equal(s.wait(), 0)
    check(time.monotonic() - began < 2.5 * harness.SLOW, "it stayed")
    h.cancelled(one["id"]) if h.p.poll() is None else None


def served(w, client):
    """A host, and the answer to a call.  A host that found no broker yet has
    ended and is started again by its browser."""
    h = w.host("a", ops=TABS)
    end = time.monotonic() + 8 * harness.SLOW
    id = client.ask_tool("tab_list")
    while True:
        try:
            return h, client.answer(id, 0.4)
        except harness.Failure:
            check(time.monotonic() < end, "no answer")
            if h.p.poll() is not None:
                h = w.host("a", ops=TABS)


def test_a_probe_copy_disturbs_nobody(w):
    """One discover, then SIGTERM or SIGKILL, while the real one starts."""
    for sig in (signal.SIGTERM, signal.SIGKILL, None):
        for gap in (0, 0.003, 0.02, 0.1):
            probe = w.server()
            probe.discover()
            time.sleep(gap)
            real = w.server()
            real.discover()
            if sig is None:
                probe.close_stdin()
            else:
                probe.kill(sig)
            h, reply = served(w, real)
            if reply["result"]["isError"]:
                # The call was under way through the probe when that died.
                equal(harness.code_of(reply["result"]), "CONNECTION_LOST")
                h, reply = served(w, real)
            equal(json.loads(text(reply)), ["a"], (sig, gap))
            real.close_stdin()
            equal(real.wait(), 0)
            probe.wait()
            h.wait()


test_a_probe_copy_disturbs_nobody.timeout = 180


def test_eight_servers_at_once_and_one_is_the_broker(w):
    servers = [w.server() for _ in range(8)]
    for s in servers:
        s.discover()
    until(lambda: w.lock(), what="a lock")
    w.host("a", ops=TABS).attached()
    for s in servers:
        equal(json.loads(s.tool_text("tab_list")), ["a"])
    pid = w.lock()["pid"]
    equal(sum(s.pid == pid for s in servers), 1)
    for s in servers:
        s.close_stdin()
    for s in servers:
        equal(s.wait(), 0)
    until(lambda: not w.sock.exists(), what="the socket goes")


def test_the_broker_is_killed_again_and_again(w):
    servers = [w.server() for _ in range(5)]
    for s in servers:
        s.discover()
    while len(servers) > 1:
        until(lambda: (w.lock() or {}).get("pid") in
              [s.pid for s in servers], what="a living broker")
        for s in servers:
            until(lambda s=s: "broker" in s.log() or "attached" in s.log(),
                  what="a role")
        h = w.host("a", ops=SILENT).attached()
        waiting = {s: s.ask_tool("tab_list") for s in servers}
        for _ in servers:
            h.request("tab_list")
        dead = next(s for s in servers if s.pid == w.lock()["pid"])
        began = time.monotonic()
        dead.kill()
        servers.remove(dead)
        for s in servers:
            equal(harness.code_of(s.answer(waiting[s])["result"]),
                  "CONNECTION_LOST")
        check(time.monotonic() - began < 1 * harness.SLOW, "late")
        ids = {s: s.ask_tool("tab_list") for s in servers}
        h.wait_end()
        until(lambda: (w.lock() or {}).get("pid") in [s.pid for s in servers],
              3, what="a new broker")
        h = w.host("a", ops=TABS).attached()
        for s in servers:
            equal(json.loads(text(s.answer(ids[s], 10))), ["a"])
        h.close()


test_the_broker_is_killed_again_and_again.timeout = 120


def test_two_hundred_reconnects_leave_nothing_behind(w):
    s = broker(w)
    h = w.host("a", ops=TABS).attached()
    s.tool_text("tab_list", modern=False)
    before = len(s.descriptors())
    for i in range(200):
        h.kill(random.choice((signal.SIGKILL, signal.SIGTERM)))
        h.p.wait()
        h.thread.join(2)
        h.p.stdin.close(), h.p.stdout.close()
        h = w.host("a", ops=TABS)
        h.attached()
        if i % 10 == 0:
            equal(json.loads(s.tool_text("tab_list", modern=False)), ["a"])
    until(lambda: len(s.descriptors()) == before, what="flat descriptors")
    listed = json.loads(s.tool_text("list_browsers", modern=False))
    equal(len(listed["browsers"]), 1)
    alive = subprocess.run(["pgrep", "-f", f"{w.bin}/genkan-host"],
                           capture_output=True, text=True).stdout.split()
    mine = [p for p in alive if str(w.dir) in
            open(f"/proc/{p}/environ", "rb").read().decode(errors="replace")]
    equal(mine, [str(h.pid)], "one host is left")


test_two_hundred_reconnects_leave_nothing_behind.timeout = 200


def test_a_stolen_socket_and_a_stale_lock_are_mended(w):
    s = broker(w)
    s.kill()
    s.wait()
    check(w.sock.exists() and w.lock(), "SIGKILL leaves both")
    t = broker(w)
    w.host("a", ops=TABS).attached()
    equal(json.loads(t.tool_text("tab_list", modern=False)), ["a"])


def test_a_lock_of_a_reused_pid_is_superseded(w):
    w.runtime.mkdir(0o700)
    victim = subprocess.Popen(["sleep", "60"])
    try:
        (w.runtime / "run.lock").write_text(json.dumps({
            "endpoint": str(w.runtime / "run.sock"), "secret": "0" * 32,
            "pid": victim.pid, "state_dir": str(w.state)}))
        (w.runtime / "run.lock").chmod(0o600)
        s = broker(w)
        equal(victim.poll(), None, "the process is never signalled")
        s.close_stdin()
        equal(s.wait(), 0)
    finally:
        victim.kill()
        victim.wait()


def test_locks_that_cannot_be_read_are_replaced(w):
    outside = w.dir / "outside"
    outside.write_text("precious")
    for make in (lambda p: p.write_text("{"), lambda p: p.write_text(""),
                 lambda p: p.write_text("x" * 70_000),
                 lambda p: p.symlink_to(outside),
                 lambda p: p.write_text(json.dumps({
                     "endpoint": str(outside), "secret": "0" * 32,
                     "pid": 2**31, "state_dir": "/x"}))):
        w.runtime.mkdir(0o700, exist_ok=True)
        path = w.runtime / "run.lock"
        if path.is_symlink() or path.exists():
            path.unlink()
        make(path)
        s = broker(w)
        equal(outside.read_text(), "precious")
        s.close_stdin()
        equal(s.wait(), 0)


def test_nobody_spins_on_a_closed_pipe(w):
    s = broker(w)
    t = w.server()
    t.discover()
    h = w.host("a", ops=TABS).attached()
    t.tool_text("tab_list")
    s.close_stdin()		# the broker serves on for its relay
    time.sleep(1)

    def ticks(pid):
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
    before = {p: ticks(p.pid) for p in (s, t, h)}
    time.sleep(2)
    for p in before:
        check(ticks(p.pid) - before[p] < 20, p.name,
              ticks(p.pid) - before[p])
    equal(json.loads(t.tool_text("tab_list")), ["a"])
    t.close_stdin()
    equal(t.wait(), 0)
    equal(s.wait(), 0)
    equal(h.wait(5), 0)


def test_random_murder_never_loses_or_crosses_an_answer(w):
    """Two clients call on while browsers and brokers are killed."""
    stop = time.monotonic() + 12
    rnd = random.Random(7)
    problems, counts = [], {"ok": 0, "error": 0, "kills": 0}
    hosts = {}
    servers = [w.server(), w.server(), w.server()]
    for s in servers:
        s.discover()

    def browser(label):
        while time.monotonic() < stop + 15:
            h = w.host(label, ops={"page_text": lambda a, f: {
                "text": a["selector"] + "@" + f["browser"], "url": "",
                "truncated": False}})
            hosts[label] = h
            while h.p.poll() is None and time.monotonic() < stop + 15:
                time.sleep(0.05)
            time.sleep(0.2)

    def client(s, number):
        i = 0
        while time.monotonic() < stop and s.p.poll() is None:
            i += 1
            label = rnd.choice("ab")
            want = f"{number}-{i}"
            try:
                r = s.tool("page_text", seconds=20, browser=label,
                           selector=want)
            except (harness.Failure, OSError) as e:
                if s.p.poll() is None and s not in dead:
                    problems.append(f"{number}: {e}")
                return
            if r["isError"]:
                counts["error"] += 1
                if harness.code_of(r) not in ("CONNECTION_LOST",
                                              "NOT_CONNECTED",
                                              "BROWSER_NOT_FOUND"):
                    problems.append(str(r))
            elif json.loads(text({"result": r}))["text"] != f"{want}@{label}":
                problems.append(f"crossed: {want}@{label}: {r}")
            else:
                counts["ok"] += 1

    dead = set()
    threads = [threading.Thread(target=browser, args=(x,), daemon=True)
               for x in "ab"]
    threads += [threading.Thread(target=client, args=(s, n), daemon=True)
                for n, s in enumerate(servers)]
    for t in threads:
        t.start()
    while time.monotonic() < stop - 3:
        time.sleep(rnd.uniform(0.1, 0.6))
        if rnd.random() < 0.85 or len(dead) == len(servers) - 1:
            h = hosts.get(rnd.choice("ab"))
            if h:
                h.kill()
        else:
            lock = w.lock()
            for s in servers:
                if lock and s.pid == lock["pid"]:
                    dead.add(s)
                    s.kill()
        counts["kills"] += 1
    for t in threads[2:]:
        t.join(40)
        check(not t.is_alive(), "a client hangs")
    equal(problems, [])
    check(counts["ok"] > 50 and counts["kills"] > 10, counts)
    print(f"# {counts}")


test_random_murder_never_loses_or_crosses_an_answer.timeout = 120


if __name__ == "__main__":
    harness.main(globals())
