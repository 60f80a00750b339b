"""The MCP side of genkan-server, row by row: framing, validity, the opener,
the version gate, the methods of both eras, results, ids, progress."""
import json
import time

import harness
from harness import MODERN, OLDER, check, equal, meta

ALL = OLDER + [MODERN]
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {},
          "clientInfo": {"name": "t", "version": "1"}}
LATEST_OLDER = "2025-11-25"


def raw(s, line, seconds=5.0):
    s.write(line if isinstance(line, bytes) else line.encode())
    return s.recv(seconds)


def code(reply):
    return reply["error"]["code"]


def legacy(w, version=LATEST_OLDER):
    s = w.server()
    s.initialize(version)
    return s


def stateless(w):
    s = w.server()
    s.discover()
    return s


# ---------------------------------------------------------------- framing

def test_what_is_no_json_is_a_parse_error_and_the_connection_goes_on(w):
    for make in (lambda: w.server(), lambda: legacy(w), lambda: stateless(w)):
        s = make()
        opened = s.next_id > 1
        modern = opened and make.__code__.co_names[0] == "stateless"
        for bad in (b"{\n", b"nonsense\n", b"12\n", b'"x"\n',
                    b'{"a":1,"a":2}\n', b'{"id":"\xff"}\n'):
            reply = raw(s, bad)
            equal(code(reply), -32700, bad)
            check(reply["error"]["message"].startswith("parse error:"), reply)
            equal(reply.get("id", "absent"), "absent" if modern else None,
                  (bad, modern))
        s.request("ping", {"_meta": meta()} if modern else None)


def test_parse_errors_are_answered_ten_times_a_second(w):
    s = legacy(w)
    began = time.monotonic()
    s.write(b"{\n" * 500)
    s.ask("ping", id="end")
    errors = 0
    while True:
        msg = s.recv()
        if msg.get("id") == "end":
            break
        equal(code(msg), -32700)
        errors += 1
    check(1 <= errors <= 12 + 10 * (time.monotonic() - began), errors)


def test_a_batch_is_refused_whole(w):
    s = legacy(w)
    s.write(b'[{"jsonrpc":"2.0","id":1,"method":"ping"},'
            b'{"jsonrpc":"2.0","id":2,"method":"ping"}]\n')
    reply = s.recv()
    equal((code(reply), reply["id"]), (-32600, None))
    equal(s.request("ping")["result"], {})
    s.quiet()


def test_blank_lines_cost_nothing(w):
    s = legacy(w)
    for blank in (b"\n", b"  \t\r\n", b"\r\r\n"):
        s.write(blank * 70_000)
    began = time.monotonic()
    equal(s.request("ping")["result"], {})
    check(time.monotonic() - began < 3 * harness.SLOW, "slow")


def test_carriage_returns_at_the_end_are_stripped(w):
    s = legacy(w)
    s.write(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\r\r\n')
    equal(s.recv(), {"jsonrpc": "2.0", "id": 7, "result": {}})


def test_depth_128_passes_and_129_does_not(w):
    s = legacy(w)
    for levels, fine in ((128, True), (129, False), (10_000, False)):
        inner = "[" * (levels - 2) + "]" * (levels - 2)
        reply = raw(s, '{"jsonrpc":"2.0","id":1,"method":"ping","params":'
                       '{"x":%s}}\n' % inner if levels == 0 else
                       '{"jsonrpc":"2.0","id":1,"method":"ping","x":%s}\n' %
                       ("[" * (levels - 1) + "]" * (levels - 1)))
        if fine:
            equal(reply, {"jsonrpc": "2.0", "id": 1, "result": {}})
        else:
            equal(code(reply), -32700, levels)


def test_a_line_over_the_cap_is_one_error_and_then_life_goes_on(w):
    s = legacy(w)
    cap = 64 << 20
    chunk = b"x" * (1 << 20)
    s.write(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"')
    for _ in range(cap // len(chunk)):
        s.write(chunk)
    reply = s.recv(20)		# before the line has an end
    equal(code(reply), -32700)
    check(str(cap) in reply["error"]["message"], reply)
    s.write(b'more"}\n')
    equal(s.request("ping")["result"], {})
    s.quiet()


test_a_line_over_the_cap_is_one_error_and_then_life_goes_on.timeout = 120


def test_a_last_line_without_its_end_is_still_a_line(w):
    s = legacy(w)
    s.write(b'{"jsonrpc":"2.0","id":9,"method":"ping"}')
    s.close_stdin()
    equal(s.recv(), {"jsonrpc": "2.0", "id": 9, "result": {}})
    equal(s.recv(), None)
    equal(s.wait(), 0)


def test_unknown_members_of_the_envelope_are_ignored(w):
    s = legacy(w)
    equal(raw(s, '{"jsonrpc":"2.0","id":1,"method":"ping","x":{"y":[1]}}\n'),
          {"jsonrpc": "2.0", "id": 1, "result": {}})


# --------------------------------------------------------------- validity

def test_invalid_requests(w):
    rows = [
        ('{"id":1,"method":"ping"}', 1),
        ('{"jsonrpc":"1.0","id":1,"method":"ping"}', 1),
        ('{"jsonrpc":2.0,"id":1,"method":"ping"}', 1),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":1e3,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":[],"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":{},"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":"%s","method":"ping"}' % ("a" * 65537), None),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 1),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}', 1),
        ('{"jsonrpc":"2.0","id":1}', 1),
        ('{"jsonrpc":"2.0","id":1,"method":7}', 1),
    ]
    s = legacy(w)
    for line, id in rows:
        reply = raw(s, line + "\n")
        equal(code(reply), -32600, line[:80])
        check(reply["error"]["message"].startswith("invalid request:"), reply)
        equal(reply["id"], id, line[:80])
    # The same without an id is dropped without a word, and a null id is none.
    for line in ('{"method":"ping"}', '{"jsonrpc":"2.0","method":7}',
                 '{"jsonrpc":"2.0","result":{}}', '{"jsonrpc":"2.0"}',
                 '{"jsonrpc":"2.0","id":null,"method":7}'):
        s.write(line.encode() + b"\n")
    equal(s.request("ping")["result"], {})
    s.quiet()


def test_ids_come_back_byte_for_byte(w):
    s = legacy(w)
    for id in ('0', '-0', '9007199254740991', '-9007199254740991',
               '"a"', '""', '"\\u0000\\u00e9\\/"', '"%s"' % ("a" * 65536)):
        s.write(('{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % id).encode())
        line = s.line().decode()
        equal(line, '{"jsonrpc":"2.0","id":%s,"result":{}}' % id)


def test_an_id_in_flight_is_not_taken_twice(w):
    s = harness_broker(w)
    h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()
    s.ask_tool("tab_list", modern=False)
    s.ask("ping", id=s.next_id - 1)
    request = h.request("tab_list")
    reply = s.recv()
    equal((code(reply), reply["id"]), (-32600, s.next_id - 1))
    # A string with the same digits is another id.
    equal(s.request("ping", id=str(s.next_id - 1))["result"], {})
    h.reply(request["id"], [1])
    equal(s.answer(s.next_id - 1)["result"]["isError"], False)
    equal(s.request("ping", id=s.next_id - 1)["result"], {}, "free again")


def harness_broker(w):
    s = legacy(w)
    harness.until(lambda: w.lock(), what="a lock")
    return s


# ----------------------------------------------------------------- opener

def test_ping_and_notifications_leave_a_connection_unopened(w):
    s = w.server()
    for _ in range(3):
        equal(s.request("ping")["result"], {})
        s.notify("notifications/initialized")
        s.notify("anything/else")
    equal("result" in s.discover(), True)


def test_openers_that_close_the_connection(w):
    key = "io.modelcontextprotocol/"
    rows = [
        ("tools/list", {}, "protocolVersion, " + key + "clientCapabilities"),
        ("server/discover", None, "protocolVersion"),
        ("tools/list", {"_meta": {key + "protocolVersion": MODERN}},
         "clientCapabilities"),
        ("tools/list", {"_meta": {key + "protocolVersion": MODERN,
                                  key + "clientCapabilities": []}},
         "clientCapabilities"),
        ("tools/list", {"_meta": {key + "protocolVersion": 7,
                                  key + "clientCapabilities": {}}},
         "protocolVersion"),
        ("ping", {"_meta": {key + "protocolVersion": MODERN}},
         "clientCapabilities"),
        ("initialize", {}, "protocolVersion, capabilities, clientInfo"),
        ("initialize", {**CLIENT, "clientInfo": {"name": "x"}}, "clientInfo"),
        ("initialize", {**CLIENT, "capabilities": 1}, "capabilities"),
        ("initialize", None, "protocolVersion"),
    ]
    for method, params, words in rows:
        s = w.server()
        s.ask(method, params)
        reply = s.recv()
        equal(code(reply), -32602, (method, params))
        check("missing or" in reply["error"]["message"] and
              words in reply["error"]["message"], (method, params, reply))
        equal(s.recv(), None, (method, params))
        equal(s.wait(), 0, (method, params))


def test_an_unsupported_version_opens_and_is_refused(w):
    s = w.server()
    s.ask("tools/list", {"_meta": meta("2099-01-01")})
    reply = s.recv()
    equal(code(reply), -32022)
    equal(reply["error"]["message"], "Unsupported protocol version")
    equal(reply["error"]["data"],
          {"requested": "2099-01-01", "supported": ALL})
    equal("result" in s.discover(), True, "the connection stays")
    long = "v" * 300
    reply = s.request("ping", {"_meta": meta(long)})
    equal(reply["error"]["data"]["requested"], long[:64])


def test_invalid_frames_do_not_open(w):
    s = w.server()
    equal(code(raw(s, '{"jsonrpc":"2.0","id":1}\n')), -32600)
    equal(code(raw(s, '[]\n')), -32600)
    equal("result" in s.initialize(), True)


# ---------------------------------------------------------------- methods

def test_negotiation(w):
    for asked in ALL + ["2030-01-01", ""]:
        s = w.server()
        result = s.initialize(asked)["result"]
        equal(result["protocolVersion"],
              asked if asked in ALL else LATEST_OLDER)
        equal(list(result), ["protocolVersion", "capabilities", "serverInfo"])
        equal(result["capabilities"], {"tools": {}})
        equal(result["serverInfo"]["name"], "genkan")


MODERN_DISCOVER = ["resultType", "supportedVersions", "capabilities", "ttlMs",
                   "cacheScope", "_meta"]
LEGACY_DISCOVER = ["supportedVersions", "capabilities", "_meta"]
MODERN_LIST = ["resultType", "ttlMs", "cacheScope", "tools"]


def expect(reply, want, what):
    """want: an error code, or the members of the result in their order."""
    if isinstance(want, int):
        equal(reply.get("error", {}).get("code"), want, (what, str(reply)[:200]))
    else:
        check("result" in reply, (what, reply))
        equal(list(reply["result"]), want, what)


def test_every_cell_of_the_methods_table(w):
    bare = {}
    old = {"_meta": meta("2025-06-18")}
    new = {"_meta": meta()}
    init = {**CLIENT}
    rows = [
        # method, params, legacy bare, legacy older, modern, st. bare, st. older
        ("ping", bare, [], [], -32601, -32602, -32601),
        ("server/discover", bare, -32602, LEGACY_DISCOVER, MODERN_DISCOVER,
         -32602, LEGACY_DISCOVER),
        ("tools/list", bare, ["tools"], ["tools"], MODERN_LIST, -32602,
         ["tools"]),
        ("tools/call", {"name": "nope"}, -32602, -32602, -32602, -32602,
         -32602),
        ("tools/call", {}, -32602, -32602, -32602, -32602, -32602),
        ("tools/call", {"name": "tab_list", "arguments": []}, -32602, -32602,
         -32602, -32602, -32602),
        ("prompts/list", bare, -32601, -32601, -32601, -32602, -32601),
        ("resources/read", bare, -32601, -32601, -32601, -32602, -32601),
        ("logging/setLevel", bare, -32601, -32601, -32601, -32602, -32601),
        ("subscriptions/listen", bare, -32601, -32601, -32601, -32602, -32601),
        ("tasks/get", bare, -32601, -32601, -32601, -32602, -32601),
    ]
    one, two = legacy(w), stateless(w)
    for method, params, lb, lo, m, sb, so in rows:
        expect(one.request(method, dict(params)), lb, ("legacy bare", method))
        expect(one.request(method, {**params, **old}), lo,
               ("legacy older", method))
        expect(one.request(method, {**params, **new}), m,
               ("legacy modern", method))
        expect(two.request(method, dict(params)), sb,
               ("stateless bare", method))
        expect(two.request(method, {**params, **new}), m,
               ("stateless modern", method))
        expect(two.request(method, {**params, **old}), so,
               ("stateless older", method))
    # Without any params, too.
    expect(one.request("server/discover"), -32601, "discover without params")
    expect(one.request("ping", []), -32601, "params that are an array")
    expect(one.request("tools/list", 7), -32601, "params that are a number")
    expect(one.request("prompts/list"), -32601, "unknown method")
    equal(one.request("prompts/list")["error"]["message"], "prompts/list")
    negotiated = ["protocolVersion", "capabilities", "serverInfo"]
    for s in (one, two):
        expect(s.request("initialize", init), negotiated, "initialize again")
        expect(s.request("initialize", {**init, **new}), negotiated,
               "initialize, modern")


def test_bare_requests_after_negotiating_to_modern(w):
    s = w.server()
    equal(s.initialize(MODERN)["result"]["protocolVersion"], MODERN)
    expect(s.request("tools/list"), MODERN_LIST, "shape of a bare request")
    expect(s.request("ping"), -32601, "ping")
    s.request("initialize", CLIENT)
    expect(s.request("tools/list"), ["tools"], "negotiated anew")
    expect(s.request("ping"), [], "ping")


def test_version_that_is_no_string_is_bare_on_a_legacy_connection(w):
    s = legacy(w)
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": 7}}
    expect(s.request("tools/list", params), ["tools"], "")
    expect(s.request("tools/list", {"_meta": meta("1999-01-01")}), -32022, "")


def test_unfit_calls_name_what_is_wrong(w):
    s = legacy(w)
    for params, word in (({"name": "nope"}, "nope"), ({}, "name"),
                         ({"name": 3}, "name"),
                         ({"name": "tab_list", "arguments": 3}, "arguments")):
        message = s.request("tools/call", params)["error"]["message"]
        check(word in message, (params, message))


def test_the_list_is_the_catalogue(w):
    tools = json.loads((harness.BUILD / "contract.json").read_text())["tools"]
    s, t = legacy(w), stateless(w)
    one = s.request("tools/list", {"cursor": "x"})["result"]["tools"]
    two = t.request("tools/list", {"_meta": meta()})["result"]
    equal([x["name"] for x in one], [x["name"] for x in tools])
    equal(one, two["tools"])
    equal((two["resultType"], two["ttlMs"], two["cacheScope"]),
          ("complete", 3600000, "private"))
    for entry in one:
        equal(list(entry), ["name", "description", "inputSchema",
                            "annotations"])


def test_results_have_their_members_and_nothing_else(w):
    s, t = legacy(w), stateless(w)
    r = s.tool("list_browsers", modern=False)
    equal(list(r), ["content", "isError"])
    r = t.tool("list_browsers")
    equal(list(r), ["resultType", "content", "isError"])
    equal(list(r["content"][0]), ["type", "text"])
    d = t.request("server/discover", {"_meta": meta()})["result"]
    equal(d["supportedVersions"], ALL)
    equal(d["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "genkan")


# ------------------------------------------------------------------ calls

def test_arguments_are_refused_without_waiting_for_a_browser(w):
    s = legacy(w)
    rows = [
        ("list_browsers", {"browser": "x"}, "browser"),
        ("tab_list", {"browser": 7}, "browser"),
        ("tab_list", {"x": 1}, "x"),
        ("tab_focus", {}, "tabId"), ("tab_focus", {"tabId": None}, "tabId"),
        ("tab_focus", {"tabId": 7.0}, "tabId"),
        ("tab_focus", {"tabId": 9007199254740992}, "tabId"),
        ("tab_open", {"url": ""}, "url"),
        ("tab_open", {"url": "x" * 8193}, "url"),
        ("page_click", {"selector": "a", "button": "up"}, "button"),
        ("page_click", {"selector": "a", "modifiers": ["Shift"] * 5},
         "modifiers"),
        ("page_click", {"selector": "a", "modifiers": ["shift"]}, "modifiers"),
        ("page_fill", {"selector": "a"}, "value"),
        ("page_press", {"keys": "a" * 101}, "keys"),
    ]
    began = time.monotonic()
    for tool, args, word in rows:
        result = s.tool(tool, modern=False, **args)
        equal(harness.code_of(result), "INVALID_ARGUMENT", (tool, args))
        check(word in result["content"][0]["text"], result)
    check(time.monotonic() - began < 5 * harness.SLOW, "it waited")
    check(w.lock() is not None, "and the broker is fine")


def test_code_points_are_counted_not_bytes(w):
    s = harness_broker(w)
    w.host("a", ops={"page_text": lambda a, f: {"text": a["selector"],
                     "url": "", "truncated": False}}).attached()
    fits, over = "😀" * 2000, "😀" * 2001
    equal(json.loads(s.tool_text("page_text", modern=False,
                                 selector=fits))["text"], fits)
    equal(s.tool_code("page_text", modern=False, selector=over),
          "INVALID_ARGUMENT")


def test_calls_run_beside_each_other_and_pings_pass_them(w):
    s = harness_broker(w)
    h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()
    ids = [s.ask_tool("tab_list", modern=False) for _ in range(20)]
    equal(s.request("ping")["result"], {})
    requests = [h.request("tab_list") for _ in ids]
    equal([r["id"] for r in requests], sorted(r["id"] for r in requests),
          "in the order in which they came")
    for r in reversed(requests):
        h.reply(r["id"], [r["id"]])
    replies = [s.recv() for _ in ids]
    equal([r["id"] for r in replies], list(reversed(ids)),
          "in the order of completion")


def test_cancelling_is_told_to_the_browser_and_ends_without_reply(w):
    s = harness_broker(w)
    h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()
    id = s.ask_tool("tab_list", modern=False)
    request = h.request("tab_list")
    for params in ({}, {"requestId": str(id)}, {"requestId": 999}, None, 7):
        s.notify("notifications/cancelled", params)
    equal(s.request("ping")["result"], {})
    equal(h.cancels, [], "those name no call of ours")
    s.notify("notifications/cancelled", {"requestId": id})
    h.cancelled(request["id"])
    h.reply(request["id"], ["late"])
    equal(s.request("ping", id=id)["result"], {}, "the id is free at once")
    s.quiet()


def test_progress_while_a_person_is_asked(w):
    s = harness_broker(w)
    h = w.host("a", ops={"tab_list": lambda a, f: None}).attached()
    for token in ("tok", 7):
        s.ask_tool("tab_list", modern=False, progress=token)
        r = h.request("tab_list")
        for _ in range(5):
            h.send({"type": "waiting", "id": r["id"]})
        first = s.recv()
        equal(first["method"], "notifications/progress")
        equal(first["params"], {
            "progressToken": token, "progress": 1,
            "message": "waiting for the user to approve in the browser"})
        s.quiet(0.3)		# one a second, the others are dropped
        time.sleep(0.9)
        h.send({"type": "waiting", "id": r["id"]})
        equal(s.recv()["params"]["progress"], 2)
        h.reply(r["id"], [])
        equal(s.recv()["result"]["isError"], False)
    for token in (True, 1.5, [], {}, None):
        s.ask_tool("tab_list", modern=False, progress=token)
        r = h.request("tab_list")
        h.send({"type": "waiting", "id": r["id"]})
        h.reply(r["id"], [])
        check("result" in s.recv(), "no progress for such a token")


def test_a_result_over_the_line_cap_is_replaced(w):
    s = harness_broker(w)
    size = 10_420_224
    w.host("a", ops={"page_text": lambda a, f: {
        "text": "x" * int(a["selector"]), "url": "", "truncated": False}}
        ).attached()

    def length(n):
        id = s.ask_tool("page_text", modern=False, selector=str(n))
        line = s.line(30)
        return len(line) + 1, json.loads(line)

    overhead = length(1000)[0] - 1000
    # The number of digits of the id is the same for both.
    n, reply = length(size - overhead)
    equal((n, reply["result"]["isError"]), (size, False))
    n, reply = length(size - overhead + 1)
    equal(harness.code_of(reply["result"]), "PAYLOAD_TOO_LARGE")


if __name__ == "__main__":
    harness.main(globals())
