"""The whole chain: client, server, bridge, host, browser, and back."""
import fcntl
import json
import os
import signal
import time

import harness
from harness import broker_of, check, equal, meta, until


def test_the_first_reply_comes_before_any_lock(w):
    s = w.server()
    reply = s.discover()
    took = time.monotonic() - s.started
    equal(reply["result"]["resultType"], "complete")
    equal(reply["result"]["supportedVersions"],
          harness.OLDER + [harness.MODERN])
    check(took < 0.5 * harness.SLOW, f"first reply after {took:.3f} s")


def test_a_lock_that_is_held_delays_no_reply(w):
    import fcntl
    w.runtime.mkdir(0o700)
    with open(w.runtime / "run.mutex", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        s = w.server()
        equal(s.discover()["result"]["resultType"], "complete")
        reply = s.request("tools/list", {"_meta": harness.meta()})
        equal(len(reply["result"]["tools"]), 26)
        check(not w.sock.exists(), "bound without the lock")
    broker_of(w, s)


def test_a_lone_server_leaves_nothing_behind(w):
    s = w.server()
    s.discover()
    broker_of(w, s)
    equal(oct(w.runtime.stat().st_mode & 0o7777), oct(0o700))
    equal(sorted(p.name for p in w.runtime.iterdir()),
          ["run.lock", "run.mutex", "run.sock"])
    for p in w.runtime.iterdir():
        equal(oct(p.stat().st_mode & 0o7777), oct(0o600), p.name)
    lock = w.lock()
    equal(lock["endpoint"], str(w.sock))
    equal(lock["state_dir"], str(w.state))
    equal(len(lock["secret"]), 32)
    check(lock["secret"] not in s.log(), "the secret was logged")
    s.close_stdin()
    equal(s.wait(), 0)
    equal([p.name for p in w.runtime.iterdir()], ["run.mutex"])
    equal(s.line(), None)


def test_a_call_goes_all_the_way_in_both_eras(w):
    tabs = [{"tabId": 1, "title": "Ünïcode \u2028 title", "url": "x:"}]
    s = broker_of(w, w.server())
    h = w.host("chrome", ops={"tab_list": lambda a, f: tabs}).attached()
    s.discover()
    equal(json.loads(s.tool_text("tab_list")), tabs)
    r = h.request("tab_list")
    equal(r["browser"], "chrome")
    equal(r["args"], {})
    s2 = w.server()
    s2.initialize("2025-06-18")
    equal(json.loads(s2.tool_text("tab_list", modern=False)), tabs)
    listed = json.loads(s2.tool_text("list_browsers", modern=False))
    equal(listed, {"browsers": [{"label": "chrome", "tabCount": 1}],
                   "count": 1})


def test_a_failure_of_the_browser_keeps_its_code(w):
    s = broker_of(w, w.server())
    w.host("chrome", ops={"tab_close": lambda a, f: {
        "ok": False, "error": "no such tab: 7",
        "code": "TAB_NOT_FOUND"}}).attached()
    s.discover()
    result = s.tool("tab_close", tabId=7)
    equal(result["isError"], True)
    equal(result["content"][0]["text"],
          "Error [TAB_NOT_FOUND]: no such tab: 7")


def test_a_call_waits_for_the_browser_to_come(w):
    s = w.server()
    s.discover()
    broker_of(w, s)
    id = s.ask_tool("tab_list")
    s.request("tools/list", {"_meta": meta()})	# read behind it
    w.host("chrome", ops={"tab_list": lambda a, f: [1]})
    equal(json.loads(s.answer(id)["result"]["content"][0]["text"]), [1])


def test_a_large_answer_arrives_whole(w):
    text = "".join(chr(0x20 + i % 0x5f) for i in range(1 << 20))
    s = broker_of(w, w.server())
    w.host("chrome", ops={"page_text": lambda a, f: {
        "ok": True, "data": {"text": text, "url": "u", "title": "t"}}}
    ).attached()
    s.discover()
    got = json.loads(s.tool_text("page_text", tabId=1))
    check(got["text"] == text, "the text is damaged")


def width(pipe):
    return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)


def test_pipes_are_wide_while_there_is_something_large_to_pass(w):
    s = broker_of(w, w.server())
    h = w.host("chrome", ops={"page_text": lambda a, f: {
        "ok": True, "data": {"text": "x" * (1 << 20), "url": "u",
                             "title": "t"}}}).attached()
    usual = width(s.p.stdout)
    s.discover()
    s.tool_text("tab_list")
    equal(width(s.p.stdout), usual)
    # As long as it lies there it needs the room, however long that is.
    id = s.ask_tool("page_text", tabId=1)
    until(lambda: width(s.p.stdout) == 1 << 20, what="a wide pipe")
    until(lambda: width(h.p.stdin) == usual, 20, what="rest")
    equal(width(s.p.stdout), 1 << 20)
    equal(s.answer(id)["result"]["isError"], False)
    until(lambda: width(s.p.stdout) == usual, 20, what="the usual width")


def test_a_pipe_that_was_widened_for_little_is_narrow_again(w):
    """For less than what a program otherwise cleans up after."""
    s = broker_of(w, w.server())
    h = w.host("chrome", ops={"page_text": lambda a, f: {
        "ok": True, "data": {"text": "x" * 300_000, "url": "u",
                             "title": "t"}}}).attached()
    usual = width(s.p.stdout)
    s.discover()
    id = s.ask_tool("page_text", tabId=1)
    until(lambda: width(s.p.stdout) == 1 << 20, what="a wide pipe")
    s.answer(id)
    until(lambda: width(s.p.stdout) == width(h.p.stdin) == usual, 20,
          what="the usual width")


def test_a_relay_survives_its_broker(w):
    tabs = {"tab_list": lambda a, f: [f["browser"]]}
    first = broker_of(w, w.server())
    second = w.server()
    second.discover()
    second.wait_log("attached")
    h = w.host("chrome", ops=tabs).attached()
    equal(json.loads(second.tool_text("tab_list")), ["chrome"])
    first.kill()
    first.wait()
    broker_of(w, second)
    h.wait_end()
    equal(h.wait(), 0)
    w.host("chrome", ops=tabs)
    equal(json.loads(second.tool_text("tab_list")), ["chrome"])
    second.close_stdin()
    equal(second.wait(), 0)


def test_calls_in_flight_are_answered_when_the_broker_dies(w):
    first = broker_of(w, w.server())
    second = w.server()
    second.discover()
    second.wait_log("attached")
    h = w.host("chrome", ops={"tab_list": lambda a, f: None}).attached()
    id = second.ask_tool("tab_list")
    h.request("tab_list")
    first.kill()
    result = second.answer(id, 2)["result"]
    equal(harness.code_of(result), "CONNECTION_LOST")


def test_a_signal_ends_every_program_in_time(w):
    s = broker_of(w, w.server())
    relay = w.server()
    relay.discover()
    relay.wait_log("attached")
    h = w.host("chrome").attached()
    for p in (h, relay, s):
        began = time.monotonic()
        p.kill(signal.SIGTERM)
        equal(p.wait(), 0, p.name)
        took = time.monotonic() - began
        check(took < 0.5 * harness.SLOW, f"{p.name} took {took:.3f} s")
    equal([p.name for p in w.runtime.iterdir()], ["run.mutex"])


def test_a_held_lock_does_not_keep_a_broker_from_leaving(w):
    import fcntl
    s = broker_of(w, w.server())
    with open(w.runtime / "run.mutex", "r+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        began = time.monotonic()
        s.kill(signal.SIGINT)
        equal(s.wait(), 0)
        took = time.monotonic() - began
        check(0.2 < took < 0.5 * harness.SLOW, f"took {took:.3f} s")
    check(w.lock()["pid"] == s.pid, "the lock was removed without the mutex")
    s2 = w.server()
    s2.discover()
    broker_of(w, s2)


def test_a_host_without_a_broker_waits_in_control_mode(w):
    h = w.host("chrome", hello=False)
    policy = h.push("policy_current")
    equal(policy["ok"], False)		# nobody has set one yet
    check("baseline" not in policy and policy["error"], policy)
    lang = h.push("lang_current")
    equal(lang["value"], "en")
    h.send({"type": "kill_status"})
    equal(h.push("kill_status_result"),
          {"type": "kill_status_result", "ok": True, "killed": False})
    w.server()
    equal(h.wait(), 0)


def test_pushes_come_ahead_of_requests(w):
    s = broker_of(w, w.server())
    h = w.host("chrome", ops={"tab_list": lambda a, f: []})
    s.discover()
    s.tool("tab_list")
    equal([f["type"] for f in h.frames], ["policy_current", "lang_current"])


def test_two_browsers_are_told_apart(w):
    s = broker_of(w, w.server())
    ops = {"tab_list": lambda a, f: [f["browser"]]}
    w.host("chrome", ops=ops).attached()
    w.host("work", ops=ops).attached()
    s.discover()
    equal(s.tool_code("tab_list"), "BROWSER_AMBIGUOUS")
    equal(json.loads(s.tool_text("tab_list", browser="work")), ["work"])
    equal(s.tool_code("tab_list", browser="none"), "BROWSER_NOT_FOUND")


def test_a_program_that_is_not_ours_sees_no_byte(w):
    import socket
    broker_of(w, w.server())
    c = socket.socket(socket.AF_UNIX)
    c.connect(str(w.sock))
    c.settimeout(5 * harness.SLOW)
    equal(c.recv(100), b"")
    c.close()


def test_usage_and_version(w):
    s = w.server("--version")
    equal(s.line(), b"genkan-server 0.1.0")
    equal(s.wait(), 0)
    s = w.server("--help")
    check(b"usage" in s.line())
    equal(s.wait(), 0)
    for args in (["x"], ["--broker", "x"], ["--Version"], [""]):
        s = w.server(*args)
        equal(s.wait(), 2)
        equal(s.line(), None)
        check("usage" in s.log())


def test_a_second_broker_says_so(w):
    s = w.server("--broker")
    broker_of(w, s)
    again = w.server("--broker")
    equal(again.wait(), 0)
    check(str(s.pid) in again.log(), again.log())
    client = w.server()
    client.discover()
    client.wait_log("attached")
    client.close_stdin()
    equal(client.wait(), 0)
    equal(s.wait(), 0)		# its last client is gone


def test_missing_descriptors_do_no_harm(w):
    def close_all():
        for fd in (0, 1, 2):
            os.close(fd)
    s = w.server(preexec_fn=close_all)
    equal(s.wait(), 0)
    s = w.server(stdin=open(os.devnull))
    equal(s.wait(), 0)


def test_nothing_opens_a_network_socket(w):
    s = broker_of(w, w.server())
    relay = w.server()
    relay.discover()
    h = w.host("chrome").attached()
    inodes = harness.tcp_inodes()
    for p in (s, relay, h):
        check(p.sockets(), f"{p.name} has no socket at all")
        equal(p.sockets() & inodes, set(), p.name)


def test_an_idle_chain_sleeps(w):
    def wakeups(p):
        # Of the loop's thread: the others are asleep or gone.
        with open(f"/proc/{p.pid}/status") as f:
            for line in f:
                if line.startswith("voluntary_ctxt_switches"):
                    return int(line.split()[1])
    s = broker_of(w, w.server())
    s.discover()
    relay = w.server()
    relay.discover()
    relay.wait_log("attached")
    h = w.host("chrome").attached()
    # Threads that had work go.
    time.sleep(6)
    until(lambda: all(len(os.listdir(f"/proc/{p.pid}/task")) <= 3
                      for p in (s, relay, h)), what="the end of the threads")
    before = {p: wakeups(p) for p in (s, relay, h)}
    time.sleep(4)
    for p, n in before.items():
        rate = (wakeups(p) - n) / 4
        check(rate <= 1.5, f"{p.name} woke {rate:.1f} times a second")


if __name__ == "__main__":
    harness.main(globals())
