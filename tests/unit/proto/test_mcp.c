/* Framing, validity and the opener: wire 10.2 to 10.4, row by row. */
#include "test_mcp.h"

struct row {
	char		 how;	/* open_as() */
	const char	*in;
	const char	*out;
};

#define BATCH	"invalid request: a batch is not supported"
#define NOID(code, text) "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" #code \
	",\"message\":\"" text "\"}}\n"

static const struct row framing[] = {
	{ 'u', "[]", ERR("null", -32600, BATCH) },
	{ 'l', "[" INIT("1", MODERN) "]", ERR("null", -32600, BATCH) },
	{ 's', "[" DISCOVER("1") "]", NOID(-32600, BATCH) },
	{ 's', " [1] ", NOID(-32600, BATCH) },
	/* top-level members that nobody knows */
	{ 'l', "{\"jsonrpc\":\"2.0\",\"id\":1,\"x\":[1],\"method\":\"ping\","
	    "\"y\":null}", RES("1", "{}") },
	{ 'u', "{\"a\":{\"b\":[]},\"method\":\"ping\",\"jsonrpc\":\"2.0\","
	    "\"id\":\"\\u0061\"}", RES("\"\\u0061\"", "{}") },
};

START_TEST(test_framing_row)
{
	const struct row *r = &framing[_i];

	open_as(r->how);
	ck_assert_str_eq(say(r->in), r->out);
	ck_assert_int_eq(A.kind, GK_MCP_NONE);
	ck_assert_int_eq(gk_mcp_era(M), r->how == 'u' ? GK_MCP_UNOPENED :
	    r->how == 's' ? GK_MCP_STATELESS : GK_MCP_LEGACY);
}
END_TEST

static const char *const no_json[] = {
	"{", "}", "nope", "\"x\"", "1", "null", "true", "{\"a\":1}x",
	"{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"b\":1}}", "{\"a\":\"\\ud800\"}",
	"{\"a\":01}", "{\"a\":1e999}", "{\"a\xff\":1}", "{\"\\u0000\":1}",
	"[1", "[{\"a\":1,\"a\":1}]",
};

START_TEST(test_no_json_is_a_parse_error)
{
	static const char how[] = "uls";
	size_t h;

	for (h = 0; h < 3; h++) {
		open_as(how[h]);
		say(no_json[_i]);
		ck_assert_ptr_nonnull(strstr(said,
		    "{\"code\":-32700,\"message\":\"parse error: "));
		ck_assert_int_eq(strstr(said, "\"id\":null") != NULL,
		    how[h] != 's');
		ck_assert_int_eq(strstr(said, "\"id\"") != NULL,
		    how[h] != 's');
		ck_assert_ptr_eq(strchr(said, '\n'),
		    said + strlen(said) - 1);
		/* the connection goes on, opened or not */
		ck_assert_int_eq(gk_mcp_era(M), how[h] == 'u' ?
		    GK_MCP_UNOPENED : how[h] == 's' ? GK_MCP_STATELESS :
		    GK_MCP_LEGACY);
		gk_mcp_free(M);
		M = gk_mcp_new(T.ctx, &Q);
	}
}
END_TEST

START_TEST(test_depth_128_is_json_and_129_is_not)
{
	char line[1024];
	size_t n, levels;

	for (levels = 128; levels <= 129; levels++) {
		n = (size_t)sprintf(line, "{\"jsonrpc\":\"2.0\",\"id\":1,"
		    "\"method\":\"ping\",\"params\":{\"a\":");
		memset(line + n, '[', levels - 2);
		memset(line + n + levels - 2, ']', levels - 2);
		strcpy(line + n + 2 * (levels - 2), "}}");
		if (levels == 128)
			ck_assert_str_eq(say(line), RES("1", "{}"));
		else
			ck_assert_ptr_nonnull(strstr(say(line), "-32700"));
	}
}
END_TEST

START_TEST(test_ten_parse_errors_are_answered_in_any_second)
{
	int i, n;

	for (i = 0; i < 50; i++) {
		say("nope");
		ck_assert_int_eq(said[0] != '\0', i < 10);
	}
	/* other errors are not limited, nor is anything else */
	ck_assert_str_eq(say("[]"), ERR("null", -32600, BATCH));
	ck_assert_str_eq(say(REQ("1", "ping", "{}")), RES("1", "{}"));
	gk_test_time(&T, 1999);
	ck_assert_str_eq(say("nope"), "");
	gk_test_time(&T, 2000);
	for (i = n = 0; i < 50; i++)
		n += say("nope")[0] != '\0';
	ck_assert_int_eq(n, 10);
	/* spread out: five now, five later, and the window moves with them */
	gk_test_time(&T, 3000);
	for (i = 0; i < 5; i++)
		ck_assert_str_ne(say("nope"), "");
	gk_test_time(&T, 3600);
	for (i = n = 0; i < 50; i++)
		n += say("nope")[0] != '\0';
	ck_assert_int_eq(n, 5);
	gk_test_time(&T, 4000);
	for (i = n = 0; i < 50; i++)
		n += say("nope")[0] != '\0';
	ck_assert_int_eq(n, 5);
}
END_TEST

START_TEST(test_overlong_line_names_the_cap)
{
	ck_assert_int_eq(gk_mcp_overlong(M), 0);
	ck_assert_str_eq(take(), ERR("null", -32700,
	    "parse error: line longer than 67108864 bytes"));
	open_as('s');
	ck_assert_int_eq(gk_mcp_overlong(M), 0);
	ck_assert_str_eq(take(), NOID(-32700,
	    "parse error: line longer than 67108864 bytes"));
}
END_TEST

/* ---------------------------------------------------------------- 10.3 */

#define BAD(text)	"invalid request: " text
#define RPC		"\"jsonrpc\":\"2.0\","

static const struct row validity[] = {
	/* jsonrpc */
	{ 'l', "{\"id\":1,\"method\":\"ping\"}",
	    ERR("1", -32600, BAD("jsonrpc is not \\\"2.0\\\"")) },
	{ 'l', "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
	    ERR("1", -32600, BAD("jsonrpc is not \\\"2.0\\\"")) },
	{ 'l', "{\"jsonrpc\":2.0,\"id\":\"x\",\"method\":\"ping\"}",
	    ERR("\"x\"", -32600, BAD("jsonrpc is not \\\"2.0\\\"")) },
	{ 'l', "{\"method\":\"ping\"}", "" },
	{ 'l', "{\"jsonrpc\":null,\"method\":\"ping\"}", "" },
	/* the id */
	{ 'l', "{" RPC "\"id\":true,\"method\":\"ping\"}", ERR("null", -32600,
	    BAD("id is neither a string nor an integer")) },
	{ 'l', "{" RPC "\"id\":1.0,\"method\":\"ping\"}", ERR("null", -32600,
	    BAD("id is neither a string nor an integer")) },
	{ 'l', "{" RPC "\"id\":1e0,\"method\":\"ping\"}", ERR("null", -32600,
	    BAD("id is neither a string nor an integer")) },
	{ 'l', "{" RPC "\"id\":[],\"method\":\"ping\"}", ERR("null", -32600,
	    BAD("id is neither a string nor an integer")) },
	{ 's', "{" RPC "\"id\":{},\"method\":\"ping\"}", NOID(-32600,
	    BAD("id is neither a string nor an integer")) },
	{ 'l', "{" RPC "\"id\":9007199254740991,\"method\":\"ping\"}",
	    RES("9007199254740991", "{}") },
	{ 'l', "{" RPC "\"id\":-9007199254740991,\"method\":\"ping\"}",
	    RES("-9007199254740991", "{}") },
	{ 'l', "{" RPC "\"id\":9007199254740992,\"method\":\"ping\"}",
	    ERR("null", -32600, BAD("id is out of range")) },
	{ 'l', "{" RPC "\"id\":-9007199254740992,\"method\":\"ping\"}",
	    ERR("null", -32600, BAD("id is out of range")) },
	{ 'l', "{" RPC "\"id\":9223372036854775808,\"method\":\"ping\"}",
	    ERR("null", -32600,
	    BAD("id is neither a string nor an integer")) },
	{ 'l', "{" RPC "\"id\":-0,\"method\":\"ping\"}", RES("-0", "{}") },
	{ 'l', "{" RPC "\"id\":\"\",\"method\":\"ping\"}",
	    RES("\"\"", "{}") },
	{ 'l', "{" RPC "\"id\":\"a\\/\\u00e9\\u0000b\",\"method\":\"ping\"}",
	    RES("\"a\\/\\u00e9\\u0000b\"", "{}") },
	/* a bad id and a bad rest: no id to echo */
	{ 'l', "{\"id\":true,\"method\":5}", ERR("null", -32600,
	    BAD("id is neither a string nor an integer")) },
	/* null is no id, and then this is a notification */
	{ 'l', "{" RPC "\"id\":null,\"method\":\"ping\"}", "" },
	/* responses */
	{ 'l', "{" RPC "\"id\":1,\"result\":{}}", ERR("1", -32600,
	    BAD("a response is not expected here")) },
	{ 'l', "{" RPC "\"id\":1,\"method\":\"ping\",\"error\":null}",
	    ERR("1", -32600, BAD("a response is not expected here")) },
	{ 'l', "{" RPC "\"method\":\"ping\",\"result\":1}", "" },
	{ 'l', "{" RPC "\"error\":{\"code\":1,\"message\":\"\"}}", "" },
	/* the method */
	{ 'l', "{" RPC "\"id\":1}", ERR("1", -32600,
	    BAD("method is missing or no string")) },
	{ 'l', "{" RPC "\"id\":1,\"method\":null}", ERR("1", -32600,
	    BAD("method is missing or no string")) },
	{ 's', "{" RPC "\"id\":1,\"method\":7}", ERR("1", -32600,
	    BAD("method is missing or no string")) },
	{ 'l', "{" RPC "\"method\":[]}", "" },
	{ 'l', "{}", "" },
	/* neither opens nor closes */
	{ 'u', "{\"id\":1,\"method\":\"tools/call\"}",
	    ERR("1", -32600, BAD("jsonrpc is not \\\"2.0\\\"")) },
	{ 'u', "{" RPC "\"id\":1,\"method\":\"initialize\",\"result\":1,"
	    "\"params\":{}}", ERR("1", -32600,
	    BAD("a response is not expected here")) },
};

START_TEST(test_validity_row)
{
	const struct row *r = &validity[_i];

	open_as(r->how);
	ck_assert_str_eq(say(r->in), r->out);
	ck_assert_int_eq(A.kind, GK_MCP_NONE);
	ck_assert(!A.opened);
	/* and is still there: */
	ck_assert_str_eq(say(REQ("\"z\"", "ping", "{}")), r->how == 's' ?
	    ERR("\"z\"", -32602, META_MISSING KEY_V ", " KEY_C) :
	    RES("\"z\"", "{}"));
}
END_TEST

START_TEST(test_string_id_of_65536_bytes_is_echoed_and_of_one_more_is_not)
{
	size_t n, len;
	char *line;

	for (n = 65535; n <= 65537; n++) {
		line = malloc(n * 6 + 200);
		ck_assert_ptr_nonnull(line);
		/* bytes of the decoded text count, not those of the token */
		len = (size_t)sprintf(line, "{\"jsonrpc\":\"2.0\","
		    "\"method\":\"ping\",\"id\":\"");
		memset(line + len, 'x', n - 1);
		strcpy(line + len + n - 1, "\\u0061\"}");
		say(line);
		ck_assert_int_eq(strstr(said, "\"result\":{}") != NULL,
		    n <= 65536);
		ck_assert_int_eq(strstr(said, "\"id\":null") != NULL,
		    n > 65536);
		if (n <= 65536)
			ck_assert_ptr_nonnull(strstr(said, "x\\u0061\""));
		free(line);
	}
}
END_TEST

/* ---------------------------------------------------------------- 10.4 */

struct opener {
	const char	*in;
	const char	*out;
	int		 era;
	int		 kind;
	bool		 opened;
};

#define BARE(id)	ERR(id, -32602, META_MISSING KEY_V ", " KEY_C)
#define INIT_MISSING	"initialize params are missing or have malformed " \
	"required fields: "
#define INIT_RESULT(v)	"{\"protocolVersion\":\"" v "\",\"capabilities\":" \
	"{\"tools\":{}},\"serverInfo\":" INFO "}"

static const struct opener openers[] = {
	{ REQ("1", "ping", "{}"), RES("1", "{}"), GK_MCP_UNOPENED,
	    GK_MCP_NONE, false },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
	    RES("1", "{}"), GK_MCP_UNOPENED, GK_MCP_NONE, false },
	{ REQ("1", "ping", "{\"_meta\":5}"), RES("1", "{}"), GK_MCP_UNOPENED,
	    GK_MCP_NONE, false },
	{ REQ("1", "ping", "{\"_meta\":{\"x\":1}}"), RES("1", "{}"),
	    GK_MCP_UNOPENED, GK_MCP_NONE, false },
	/* half its metadata, or params that are none: no bare ping */
	{ REQ("1", "ping", "{\"_meta\":{\"" KEY_V "\":\"2025-06-18\"}}"),
	    ERR("1", -32602, META_MISSING KEY_C), GK_MCP_UNOPENED, GK_MCP_END,
	    false },
	{ REQ("1", "ping", "{\"_meta\":{\"" KEY_V "\":5,\"" KEY_C "\":{}}}"),
	    ERR("1", -32602, META_MISSING KEY_V), GK_MCP_UNOPENED, GK_MCP_END,
	    false },
	{ REQ("1", "ping", "[]"), BARE("1"), GK_MCP_UNOPENED, GK_MCP_END,
	    false },
	/* notifications */
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "",
	    GK_MCP_UNOPENED, GK_MCP_NONE, false },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"initialize\",\"params\":{}}", "",
	    GK_MCP_UNOPENED, GK_MCP_NONE, false },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
	    META(MODERN) "}}", "", GK_MCP_UNOPENED, GK_MCP_NONE, false },
	/* legacy */
	{ INIT("1", "2024-11-05"), RES("1", INIT_RESULT("2024-11-05")),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	{ INIT("1", "2025-03-26"), RES("1", INIT_RESULT("2025-03-26")),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	{ INIT("1", "2025-06-18"), RES("1", INIT_RESULT("2025-06-18")),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	{ INIT("1", "2025-11-25"), RES("1", INIT_RESULT("2025-11-25")),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	{ INIT("1", MODERN), RES("1", INIT_RESULT(MODERN)),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	{ INIT("1", "1999-01-01"), RES("1", INIT_RESULT("2025-11-25")),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	{ REQ("1", "initialize", "{\"protocolVersion\":\"2025-06-18\","
	    "\"capabilities\":{\"x\":1},\"clientInfo\":{\"name\":\"t\","
	    "\"version\":\"1\",\"title\":\"T\"},\"_meta\":{\"" KEY_V
	    "\":\"nonsense\"}}"), RES("1", INIT_RESULT("2025-06-18")),
	    GK_MCP_LEGACY, GK_MCP_NONE, true },
	/* malformed initialize, complete metadata or not */
	{ REQ("1", "initialize", "{}"), ERR("1", -32602, INIT_MISSING
	    "protocolVersion, capabilities, clientInfo"), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}",
	    ERR("1", -32602, INIT_MISSING
	    "protocolVersion, capabilities, clientInfo"), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	{ REQ("1", "initialize", "{\"protocolVersion\":1,\"capabilities\":{},"
	    "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}"),
	    ERR("1", -32602, INIT_MISSING "protocolVersion"), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	{ REQ("1", "initialize", "{\"protocolVersion\":\"2025-06-18\","
	    "\"capabilities\":[],\"clientInfo\":{\"name\":\"t\"}}"),
	    ERR("1", -32602, INIT_MISSING "capabilities, clientInfo"),
	    GK_MCP_UNOPENED, GK_MCP_END, false },
	{ REQ("1", "initialize", "{\"protocolVersion\":\"2025-06-18\","
	    "\"capabilities\":{},\"clientInfo\":{\"name\":5,"
	    "\"version\":\"1\"}," META(MODERN) "}"),
	    ERR("1", -32602, INIT_MISSING "clientInfo"), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	/* stateless */
	{ REQ("1", "ping", "{" META(MODERN) "}"), ERR("1", -32601, "ping"),
	    GK_MCP_STATELESS, GK_MCP_NONE, true },
	{ REQ("1", "ping", "{" META("2025-06-18") "}"),
	    ERR("1", -32601, "ping"), GK_MCP_STATELESS, GK_MCP_NONE, true },
	{ REQ("1", "prompts/list", "{" META(MODERN) "}"),
	    ERR("1", -32601, "prompts/list"), GK_MCP_STATELESS, GK_MCP_NONE,
	    true },
	{ REQ("1", "server/discover", "{" META("1999-01-01") "}"),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,"
	    "\"message\":\"Unsupported protocol version\",\"data\":{"
	    "\"requested\":\"1999-01-01\",\"supported\":[\"2024-11-05\","
	    "\"2025-03-26\",\"2025-06-18\",\"2025-11-25\",\"2026-07-28\"]}}}\n",
	    GK_MCP_STATELESS, GK_MCP_NONE, true },
	{ REQ("1", "tools/call", "{" META(MODERN) "}"), "", GK_MCP_STATELESS,
	    GK_MCP_CALL, true },
	{ REQ("1", "tools/call", "{" META("1999-01-01") "}"), "",
	    GK_MCP_STATELESS, GK_MCP_CALL, true },
	/* any other request */
	{ REQ("1", "tools/list", "{}"), BARE("1"), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	{ REQ("\"c\"", "tools/call", "{\"name\":\"tab_list\"}"),
	    BARE("\"c\""), GK_MCP_UNOPENED, GK_MCP_END, false },
	{ REQ("1", "server/discover", "{\"_meta\":{\"" KEY_V "\":\"" MODERN
	    "\"}}"), ERR("1", -32602, META_MISSING KEY_C), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	{ REQ("1", "server/discover", "{\"_meta\":{\"" KEY_V "\":\"" MODERN
	    "\",\"" KEY_C "\":[]}}"), ERR("1", -32602, META_MISSING KEY_C),
	    GK_MCP_UNOPENED, GK_MCP_END, false },
	{ REQ("1", "server/discover", "{\"_meta\":{\"" KEY_C "\":{}}}"),
	    ERR("1", -32602, META_MISSING KEY_V), GK_MCP_UNOPENED, GK_MCP_END,
	    false },
	{ REQ("1", "server/discover", "[]"), BARE("1"), GK_MCP_UNOPENED,
	    GK_MCP_END, false },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nonsense\"}", BARE("1"),
	    GK_MCP_UNOPENED, GK_MCP_END, false },
};

START_TEST(test_opener_row)
{
	const struct opener *r = &openers[_i];

	ck_assert_str_eq(say(r->in), r->out);
	ck_assert_int_eq(A.kind, r->kind);
	ck_assert_int_eq(A.opened, r->opened);
	ck_assert_int_eq(gk_mcp_era(M), r->era);
	ck_assert_int_eq(gk_mcp_version(M) != NULL, r->era == GK_MCP_LEGACY);
	if (r->kind != GK_MCP_END)
		return;
	/* closed: nothing more is served */
	ck_assert_str_eq(say(INIT("2", MODERN)), "");
	ck_assert_int_eq(gk_mcp_overlong(M), 0);
	ck_assert_str_eq(take(), "");
	ck_assert_int_eq(gk_mcp_era(M), GK_MCP_UNOPENED);
}
END_TEST

START_TEST(test_pings_do_not_open_any_number_of_times)
{
	int i;

	for (i = 0; i < 100; i++)
		ck_assert_str_eq(say(REQ("1", "ping", "{}")), RES("1", "{}"));
	ck_assert_int_eq(gk_mcp_era(M), GK_MCP_UNOPENED);
	open_as('l');
}
END_TEST

/* A relay opens its own leg with a line that opens a connection alike. */
START_TEST(test_opener_opens_alike)
{
	static const char how[] = "lms";
	struct gk_buf b;
	struct gk_mcp *other;

	open_as(how[_i]);
	gk_buf_init(&b, T.ctx, 4096);
	ck_assert_int_eq(gk_mcp_opener(M, &b), 0);
	ck_assert_int_eq(b.ptr[b.len - 1], '\n');
	other = gk_mcp_new(T.ctx, &Q);
	ck_assert_int_eq(gk_mcp_line(other, b.ptr, b.len - 1, &A), 0);
	ck_assert_int_eq(gk_mcp_era(other), gk_mcp_era(M));
	if (how[_i] != 's')
		ck_assert_str_eq(gk_mcp_version(other), gk_mcp_version(M));
	ck_assert_ptr_nonnull(strstr(take(),
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{"));
	gk_mcp_free(other);
	gk_buf_done(&b);
}
END_TEST

START_TEST(test_no_opener_before_the_connection_is_open)
{
	struct gk_buf b;

	gk_buf_init(&b, T.ctx, 4096);
	ck_assert_int_eq(gk_mcp_opener(M, &b), GENKAN_E_STATE);
	ck_assert_uint_eq(b.len, 0);
	gk_buf_done(&b);
}
END_TEST

/* Out of memory ends in an error, never in a lost or a wrong reply. */
static int
whole_life(struct gk_test *t, void *arg)
{
	struct gk_outq q;
	struct gk_mcp *m;
	struct gk_mcp_act act;
	int r;

	(void)arg;
	gk_outq_init(&q, t->ctx, SIZE_MAX);
	m = gk_mcp_new(t->ctx, &q);
	if (m == NULL)
		return GENKAN_E_NOMEM;
	r = gk_mcp_line(m, "nope", 4, &act);
	if (r == 0)
		r = gk_mcp_line(m, INIT("1", MODERN),
		    strlen(INIT("1", MODERN)), &act);
	if (r == 0)
		r = gk_mcp_line(m, REQ("\"x\"", "tools/list", "{}"),
		    strlen(REQ("\"x\"", "tools/list", "{}")), &act);
	ck_assert_int_eq(gk_mcp_error(m), r);
	gk_mcp_free(m);
	gk_outq_clear(&q);
	return r;
}

START_TEST(test_lack_of_memory_is_sticky)
{
	ck_assert_uint_gt(gk_test_sweep(&T, whole_life, NULL), 5);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mcp");
	TCase *tc = tcase_create("mcp");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_framing_row, 0, GK_ARRAY_LEN(framing));
	tcase_add_loop_test(tc, test_no_json_is_a_parse_error, 0,
	    GK_ARRAY_LEN(no_json));
	tcase_add_test(tc, test_depth_128_is_json_and_129_is_not);
	tcase_add_test(tc, test_ten_parse_errors_are_answered_in_any_second);
	tcase_add_test(tc, test_overlong_line_names_the_cap);
	tcase_add_loop_test(tc, test_validity_row, 0, GK_ARRAY_LEN(validity));
	tcase_add_test(tc,
	    test_string_id_of_65536_bytes_is_echoed_and_of_one_more_is_not);
	tcase_add_loop_test(tc, test_opener_row, 0, GK_ARRAY_LEN(openers));
	tcase_add_test(tc, test_pings_do_not_open_any_number_of_times);
	tcase_add_loop_test(tc, test_opener_opens_alike, 0, 3);
	tcase_add_test(tc, test_no_opener_before_the_connection_is_open);
	tcase_add_test(tc, test_lack_of_memory_is_sticky);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
