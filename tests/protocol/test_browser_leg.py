"""What a browser can send, and what the broker makes of it: frames of the
native-messaging pipe, envelopes, hello, routing by the host."""
import json
import struct
import time

import harness
from harness import check, equal, until

ALL_CAPS = ["tab_control", "page_snapshot", "page_interact", "page_read"]
HELLO = {"type": "hello", "protocol": 1, "capabilities": ALL_CAPS}


def start(w, **kw):
    s = w.server()
    s.initialize()
    until(lambda: w.lock(), what="a lock")
    kw.setdefault("ops", {"tab_list": lambda a, f: None})
    return s, w.host("a", **kw).attached()


def call(s, h, tool="tab_list", **args):
    id = s.ask_tool(tool, modern=False, **args)
    return id, h.request(tool)["id"]


def ended(h, seconds=5):
    h.wait_end(seconds)
    return h.wait(seconds)


# ---------------------------------------------------------------- framing

def test_ends_of_input(w):
    for tail, log in ((b"", None), (b"\x05", None), (b"\x05\0\0", None),
                      (b"\0\0\0\0", "stdin read error"),
                      (b"\x05\0\0\0{}", "stdin read error"),
                      (b"\x02\0\0\0{]", "stdin read error"),
                      (b"\x02\0\0\0[]", "stdin read error"),
                      (b"\x0d\0\0\0" + b'{"a":1,"a":2}', "stdin read error"),
                      (struct.pack("<I", (64 << 20) + 1), "frame too large"),
                      (b"\xff\xff\xff\xff", "frame too large")):
        s = w.server()
        s.initialize()
        until(lambda: w.lock(), what="a lock")
        h = w.host("a", hello=False).attached()
        h.write(tail)
        h.close_stdin()
        equal(ended(h), 0, tail)
        if log:
            check(log in h.log(), (tail, h.log()))
        s.close_stdin()
        equal(s.wait(), 0)


def test_a_promised_length_reserves_nothing(w):
    s, h = start(w)

    def rss():
        for line in open(f"/proc/{h.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    before = rss()
    h.write(struct.pack("<I", 64 << 20) + b'{"x":"')
    until(lambda: not h.unread(), what="reading it")
    time.sleep(0.3)
    check(rss() - before < 4096, (before, rss()))
    equal(h.p.poll(), None, "it waits for the rest")


def test_a_large_answer_leaves_no_memory_behind(w):
    """Not only once the next one comes."""
    s, h = start(w)
    slack = 200_000 if harness.sanitized() else 3000

    def rss(p):
        for line in open(f"/proc/{p.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    before = rss(s), rss(h)
    id, n = call(s, h)
    h.send_bytes(b'{"id":%d,"ok":true,"data":"%s"}' % (n, b"x" * (8 << 20)))
    equal(len(s.answer(id)["result"]["content"][0]["text"]), (8 << 20) + 2)
    until(lambda: rss(s) < before[0] + slack and rss(h) < before[1] + slack,
          what="giving it back", seconds=20)


def test_a_frame_in_single_bytes(w):
    s, h = start(w)
    id, n = call(s, h)
    body = json.dumps({"id": n, "ok": True, "data": ["é", 1]}).encode()
    for b in struct.pack("<I", len(body)) + body:
        h.write(bytes([b]))
    equal(json.loads(s.answer(id)["result"]["content"][0]["text"]), ["é", 1])


def test_depth_in_a_response(w):
    for levels, fine in ((126, True), (127, False), (10_000, False)):
        s, h = start(w)
        id, n = call(s, h)
        # The response is level 1, data is level 2 and down.
        deep = "[" * (levels + 1) + "]" * (levels + 1)
        h.send_bytes(b'{"id":%d,"ok":true,"data":%s}' % (n, deep.encode()))
        result = s.answer(id)["result"]
        if fine:
            equal(result["isError"], False)
        else:
            equal(harness.code_of(result), "CONNECTION_LOST", levels)
            ended(h)
        s.close_stdin()
        s.wait()


# -------------------------------------------------------------- envelopes

def test_verdicts_on_responses(w):
    fine = [
        ({"ok": True, "data": [1]}, "[1]"),
        ({"ok": True}, "null"),
        ({"ok": True, "data": None, "error": None, "code": None}, "null"),
        ({"ok": True, "data": "\u0000é\u2028"}, '"\\u0000é\u2028"'),
        ({"ok": False, "error": "why", "code": "USER_DENIED"},
         "Error [USER_DENIED]: why"),
        ({"ok": False, "error": "why"}, "Error [EXECUTION_FAILED]: why"),
        ({"ok": False, "error": "why", "code": None, "data": None},
         "Error [EXECUTION_FAILED]: why"),
        ({"ok": False, "error": ""}, "Error [EXECUTION_FAILED]: "),
    ]
    s, h = start(w)
    for more, text in fine:
        id, n = call(s, h)
        h.send({"id": n, **more})
        equal(s.answer(id)["result"]["content"], [
            {"type": "text", "text": text}], more)
    severed = [
        {"ok": True, "error": "x"}, {"ok": True, "code": "USER_DENIED"},
        {"ok": False, "data": 1, "error": "x"}, {"ok": False},
        {"ok": False, "error": None}, {"ok": False, "error": 7},
        {"ok": False, "error": "x", "code": "BRIDGE_KILLED"},
        {"ok": False, "error": "x", "code": "NOPE"},
        {"ok": False, "error": "x", "code": 7},
        {"ok": 1, "data": 1}, {"data": 1}, {"ok": True, "extra": 1},
        {"ok": True, "type": "x"},
    ]
    for more in severed:
        id, n = call(s, h)
        h.send({"id": n, **more})
        equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST", more)
        equal(ended(h), 0, more)
        h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()
    for frame in ({"type": "cancel", "id": 1}, {"type": "nope"}, {},
                  {"id": "1", "ok": True}, {"id": 1.0, "ok": True},
                  {"type": "waiting"}, {"type": "waiting", "id": "1"},
                  {"type": "waiting", "id": 1, "x": 1},
                  {"type": {"kill_status": None}}):
        id, n = call(s, h)
        h.send(frame)
        equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST", frame)
        ended(h)
        h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()


test_verdicts_on_responses.timeout = 120


def test_unknown_late_and_replayed_answers(w):
    s, h = start(w)
    id, n = call(s, h)
    h.reply(n + 1000, ["nobody asked"])
    h.send({"type": "waiting", "id": n + 1000})
    h.reply(n, ["first"])
    h.reply(n, ["again"])
    h.reply(n, ["and again"])
    equal(json.loads(s.answer(id)["result"]["content"][0]["text"]), ["first"])
    id, n = call(s, h)
    h.reply(n, ["next"])
    equal(json.loads(s.answer(id)["result"]["content"][0]["text"]), ["next"])
    s.quiet()
    equal(h.p.poll(), None)


def test_an_answer_to_another_browsers_call_severs_the_liar(w):
    s = w.server()
    s.initialize()
    until(lambda: w.lock(), what="a lock")
    a = w.host("a", ops={"tab_list": lambda x, f: None}).attached()
    b = w.host("b", ops={"tab_list": lambda x, f: None}).attached()
    id = s.ask_tool("tab_list", modern=False, browser="a")
    n = a.request("tab_list")["id"]
    b.reply(n, ["stolen"])
    ended(b)
    a.reply(n, ["mine"])
    equal(json.loads(s.answer(id)["result"]["content"][0]["text"]), ["mine"])


def test_a_label_that_comes_again_takes_over(w):
    s, one = start(w)
    id, n = call(s, one)
    two = w.host("a", ops={"tab_list": lambda x, f: ["two"]}).attached()
    equal(harness.code_of(s.answer(id)["result"]), "CONNECTION_LOST")
    equal(ended(one), 0)
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["two"])
    two.reply(n, ["an id of the old leg"])
    equal(json.loads(s.tool_text("tab_list", modern=False)), ["two"])


# ------------------------------------------------------------------ hello

def test_hello(w):
    s, h = start(w, hello={"type": "hello", "protocol": 1,
                           "capabilities": ["page_read", "page_read", "odd"]})
    equal(s.tool_code("tab_list", modern=False), "TOOL_DISABLED")
    equal(h.requests, [], "nothing was sent")
    h.close()
    h = w.host("b", hello={"type": "hello", "protocol": 2, "new": {}}
               ).attached()
    result = s.tool("tab_list", modern=False)
    equal(harness.code_of(result), "PROTOCOL_MISMATCH")
    h.close()
    for bad in ({"type": "hello"}, {"type": "hello", "protocol": 1},
                {**HELLO, "x": 1}, {**HELLO, "protocol": "1"},
                {**HELLO, "capabilities": ["x"] * 65},
                {**HELLO, "capabilities": [""]},
                {**HELLO, "capabilities": ["x" * 65]},
                {**HELLO, "capabilities": [7]}):
        h = w.host("c", hello=bad)
        ended(h)
    h = w.host("d", hello={**HELLO, "capabilities": ["x" * 64] * 64}
               ).attached()
    h.send(HELLO)
    ended(h)


test_hello.timeout = 120


def test_without_hello_all_is_served_after_three_seconds(w):
    s, h = start(w, hello=False, ops={"tab_list": lambda a, f: [1]})
    began = time.monotonic()
    equal(json.loads(s.tool_text("tab_list", modern=False)), [1])
    check(2 < time.monotonic() - began < 5 * harness.SLOW,
          time.monotonic() - began)
    began = time.monotonic()
    s.tool_text("tab_list", modern=False)
    check(time.monotonic() - began < 1 * harness.SLOW, "it waited again")


# ----------------------------------------------------------- host routing

def test_control_frames_never_reach_the_broker(w):
    s, h = start(w)
    h.push("policy_current")
    id, n = call(s, h)
    tags = [f["tag"] for f in json.loads(
        (harness.BUILD / "contract.json").read_text())["frames"]]
    equal(len(tags), 47)
    for tag in tags:
        if tag not in ("kill_engage", "enclave_revoke"):
            h.send({"type": tag})
            h.send({"type": tag, "zzz": [1]})
    h.reply(n, ["still here"])
    equal(json.loads(s.answer(id)["result"]["content"][0]["text"]),
          ["still here"])
    equal(h.p.poll(), None)


def test_the_first_questions_are_answered(w):
    s, h = start(w)
    policy = h.push("policy_current")
    equal((policy["ok"], "baseline" in policy), (False, False))
    equal(h.push("lang_current"), {"type": "lang_current", "value": "en",
                                   "seq": 0})
    h.send({"type": "kill_status"})
    equal(h.push("kill_status_result"), {
        "type": "kill_status_result", "ok": True, "killed": False})
    h.send({"type": "policy_get"})
    equal(h.push("policy_current"), policy)
    h.send({"type": "lang_get"})
    equal(h.push("lang_current")["value"], "en")
    h.send({"type": "kill_status", "x": 1})
    bad = h.push("kill_status_result")
    equal((bad["ok"], "killed" in bad), (False, False))
    check("kill_status" in bad["error"] and "malformed" in bad["error"], bad)


def test_a_request_over_the_native_cap_is_answered_by_the_host(w):
    s, h = start(w, ops={"page_fill": lambda a, f: {"filled": "x"}})
    cap = 1_048_576
    id = s.ask_tool("page_fill", modern=False, selector="x", value="v")
    s.answer(id)
    overhead = len(json.dumps(h.request("page_fill"), separators=(",", ":"))) - 1
    fits = "v" * (cap - overhead)
    result = s.tool("page_fill", modern=False, selector="x", value=fits)
    equal(result["isError"], False)
    result = s.tool("page_fill", modern=False, selector="x", value=fits + "v")
    equal(harness.code_of(result), "PAYLOAD_TOO_LARGE")
    text = result["content"][0]["text"]
    check(str(cap) in text and str(cap + 1) in text, text)
    equal(s.tool("page_fill", modern=False, selector="x",
                 value="v")["isError"], False)


def test_an_answer_over_the_bridge_cap_is_replaced_by_the_host(w):
    s, h = start(w)
    id, n = call(s, h)
    head = b'{"id":%d,"ok":true,"data":"' % n
    size = 64 << 20
    h.send_bytes(head + b"x" * (size - len(head) - 2) + b'"}')
    result = s.answer(id, 30)["result"]
    equal(harness.code_of(result), "PAYLOAD_TOO_LARGE")
    id, n = call(s, h)
    h.reply(n, [])
    equal(s.answer(id)["result"]["isError"], False)


test_an_answer_over_the_bridge_cap_is_replaced_by_the_host.timeout = 120


def test_arguments_of_the_host(w):
    own = json.loads((harness.BUILD / "contract.json").read_text())
    id = own["identity"]["extensionId"] if "extensionId" in own["identity"] \
        else own["identity"]["EXTENSION_ID"]
    good = f"chrome-extension://{id}/"
    rows = [
        (["--label"], 1), (["--label", "a", "--label", "b"], 1),
        (["--label", ""], 1), (["--label", "-x"], 1), (["--label", "a b"], 1),
        (["--label", "a" * 33], 1), (["--label=a"], 1),
        ([good[:-1]], 1), ([good + "x"], 1),
        (["chrome-extension://" + "a" * 32 + "/"], 1),
        (["--label", "a" * 32, good], 0), ([good], 0),
        (["--native-host", "--whatever", good, "--parent-window=3"], 0),
    ]
    for args, status in rows:
        h = w.host(args=args, hello=False)
        h.close_stdin()
        equal(h.wait(), status, args)
        equal(h.p.stdout.read() if status else b"", b"", args)


def test_a_host_without_a_label_is_default(w):
    s = w.server()
    s.initialize()
    until(lambda: w.lock(), what="a lock")
    w.host(args=[]).attached()
    listed = json.loads(s.tool_text("list_browsers", modern=False))
    equal([b["label"] for b in listed["browsers"]], ["default"])


# ----------------------------------------------------------------- limits

def test_sixteen_browsers_and_no_seventeenth(w):
    s = w.server()
    s.initialize()
    until(lambda: w.lock(), what="a lock")
    for i in range(16):
        w.host(f"b{i:02}").attached()
    h = w.host("b16")
    ended(h)
    listed = json.loads(s.tool_text("list_browsers", modern=False))
    equal(len(listed["browsers"]), 16)
    again = w.host("b03", ops={"tab_list": lambda a, f: ["again"]}).attached()
    until(lambda: s.tool("tab_list", modern=False, browser="b03")["content"][0]
          ["text"] == '["again"]', what="a label that is live comes again")
    equal(again.p.poll(), None)


test_sixteen_browsers_and_no_seventeenth.timeout = 120


def test_calls_of_one_browser_never_reach_another(w):
    s = w.server()
    s.initialize()
    until(lambda: w.lock(), what="a lock")
    for label in "abcd":
        w.host(label, ops={"tab_list": lambda a, f: [f["browser"]]}).attached()
    ids = {s.ask_tool("tab_list", modern=False, browser="abcd"[i % 4]):
           "abcd"[i % 4] for i in range(120)}
    for id, label in ids.items():
        equal(json.loads(s.answer(id)["result"]["content"][0]["text"]), [label])


if __name__ == "__main__":
    harness.main(globals())
