/* Calls: fit, ids in flight, results, progress; wire 10.3, 10.6 to 10.9. */
#include "test_mcp.h"

static struct gk_mcp_fit F;

/* A call that is in flight. */
static struct gk_mcp_call *
begin(const char *line)
{
	feed(line);
	ck_assert_int_eq(A.kind, GK_MCP_CALL);
	ck_assert_ptr_nonnull(A.call);
	ck_assert_str_eq(take(), "");
	return A.call;
}

static struct gk_mcp_call *
begin_fit(const char *line)
{
	struct gk_mcp_call *c = begin(line);

	ck_assert_int_eq(gk_mcp_check(c, &F), 1);
	return c;
}

/* ------------------------------------------------------------ 10.5, 10.6 */

static const struct {
	const char	*how;
	const char	*params;
	const char	*error;		/* NULL: it fits */
	const char	*arguments;	/* NULL: none */
} fits[] = {
	{ "lm", "{\"name\":\"tab_list\"}", NULL, NULL },
	{ "lm", "{\"name\":\"tab_list\",\"arguments\":null}", NULL, NULL },
	{ "lm", "{\"name\":\"tab_list\",\"arguments\":{}}", NULL, "{}" },
	{ "lm", "{\"arguments\":{\"a\":[1]},\"name\":\"tab\\u005flist\"}",
	    NULL, "{\"a\":[1]}" },
	{ "lm", "{\"name\":\"tab_list\",\"inputResponses\":[],"
	    "\"requestState\":1}", NULL, NULL },
	{ "lms", "{\"name\":\"tab_list\"," META(MODERN) "}", NULL, NULL },
	{ "lms", "{\"name\":\"tab_list\"," META("2025-06-18") "}", NULL, NULL },
	{ "lm", "{\"name\":\"tab_list\",\"_meta\":{\"" KEY_V
	    "\":\"2024-11-05\"}}", NULL, NULL },
	/* unfit */
	{ "lm", "{}", ERR("1", -32602, "tools/call: name is missing"), NULL },
	{ "lm", "{\"name\":5}", ERR("1", -32602,
	    "tools/call: name is not a string"), NULL },
	{ "lm", "{\"name\":null}", ERR("1", -32602,
	    "tools/call: name is not a string"), NULL },
	{ "lm", "[]", ERR("1", -32602, "tools/call: params is not an object"),
	    NULL },
	{ "lm", "null", ERR("1", -32602,
	    "tools/call: params are missing, and with them name"), NULL },
	{ "lm", "{\"name\":\"tab_lisp\"}", ERR("1", -32602,
	    "unknown tool: tab_lisp"), NULL },
	{ "lm", "{\"name\":\"\"}", ERR("1", -32602, "unknown tool: "), NULL },
	{ "lm", "{\"name\":\"tab_list\",\"arguments\":[]}", ERR("1", -32602,
	    "tools/call: arguments is not an object"), NULL },
	{ "lm", "{\"name\":\"tab_list\",\"arguments\":\"{}\"}", ERR("1",
	    -32602, "tools/call: arguments is not an object"), NULL },
	{ "s", "{\"name\":\"nope\"," META(MODERN) "}", ERR("1", -32602,
	    "unknown tool: nope"), NULL },
	{ "s", "{\"name\":\"nope\"," META("2025-06-18") "}", ERR("1", -32602,
	    "unknown tool: nope"), NULL },
	/* the gate is before the fit */
	{ "s", "{\"name\":\"nope\"}", ERR("1", -32602,
	    META_MISSING KEY_V ", " KEY_C), NULL },
	{ "s", "null", ERR("1", -32602, META_MISSING KEY_V ", " KEY_C), NULL },
	{ "lm", "{\"name\":\"nope\",\"_meta\":{\"" KEY_V "\":\"" MODERN "\"}}",
	    ERR("1", -32602, META_MISSING KEY_C), NULL },
	{ "lms", "{\"name\":\"nope\"," META("1.0") "}",
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,"
	    "\"message\":\"Unsupported protocol version\",\"data\":{"
	    "\"requested\":\"1.0\",\"supported\":[\"2024-11-05\","
	    "\"2025-03-26\",\"2025-06-18\",\"2025-11-25\",\"2026-07-28\"]}}}\n",
	    NULL },
};

START_TEST(test_fit_row)
{
	struct gk_mcp_call *c;
	char line[1024];
	const char *h;

	for (h = fits[_i].how; *h != '\0'; h++) {
		open_as(*h);
		snprintf(line, sizeof(line), REQ("1", "tools/call", "%s"),
		    fits[_i].params);
		c = begin(line);
		ck_assert_int_eq(gk_mcp_check(c, &F), fits[_i].error == NULL);
		ck_assert_str_eq(take(), fits[_i].error == NULL ? "" :
		    fits[_i].error);
		ck_assert_uint_eq(gk_mcp_inflight(M), fits[_i].error == NULL);
		if (fits[_i].error == NULL) {
			ck_assert_str_eq(F.tool->name, "tab_list");
			ck_assert_int_eq(F.arguments.ptr == NULL,
			    fits[_i].arguments == NULL);
			if (F.arguments.ptr != NULL)
				ck_assert(gk_span_is(F.arguments,
				    fits[_i].arguments));
		}
		gk_mcp_free(M);
		M = gk_mcp_new(T.ctx, &Q);
	}
}
END_TEST

START_TEST(test_unknown_tool_is_quoted_up_to_256_bytes)
{
	char name[300], line[512], want[512];

	open_as('l');
	memset(name, 'n', sizeof(name));
	name[257] = '\0';
	snprintf(line, sizeof(line), REQ("1", "tools/call",
	    "{\"name\":\"%s\"}"), name);
	ck_assert_int_eq(gk_mcp_check(begin(line), &F), 0);
	name[256] = '\0';
	snprintf(want, sizeof(want), ERR("1", -32602, "unknown tool: %s"),
	    name);
	ck_assert_str_eq(take(), want);
}
END_TEST

START_TEST(test_all_26_tools_fit)
{
	size_t n, i;
	const struct gk_tool *tools = gk_schema_tools(&n);
	char line[256];

	ck_assert_uint_eq(n, 26);
	open_as('l');
	for (i = 0; i < n; i++) {
		snprintf(line, sizeof(line), REQ("%zu", "tools/call",
		    "{\"name\":\"%s\"}"), i, tools[i].name);
		begin_fit(line);
		ck_assert_ptr_eq(F.tool, &tools[i]);
	}
	ck_assert_uint_eq(gk_mcp_inflight(M), 26);
}
END_TEST

/* ------------------------------------------------------------- in flight */

#define TAKEN(id) ERR(id, -32600, \
	"invalid request: a call with this id is in flight")

START_TEST(test_id_in_flight_is_taken_by_type_and_value)
{
	struct gk_mcp_call *a, *b;

	open_as('l');
	a = begin_fit(CALL("1", "{}"));
	b = begin_fit(CALL("\"1\"", "{}"));
	ck_assert_ptr_ne(a, b);
	ck_assert_str_eq(say(REQ("1", "ping", "{}")), TAKEN("1"));
	ck_assert_str_eq(say(CALL("1", "{}")), TAKEN("1"));
	ck_assert_int_eq(A.kind, GK_MCP_NONE);
	ck_assert_str_eq(say(REQ("\"\\u0031\"", "ping", "{}")),
	    TAKEN("\"\\u0031\""));
	ck_assert_str_eq(say(REQ("2", "ping", "{}")), RES("2", "{}"));
	ck_assert_str_eq(say(REQ("\"2\"", "ping", "{}")), RES("\"2\"", "{}"));
	/* the calls were not touched */
	ck_assert_int_eq(gk_mcp_success(a, gk_span_str("1"), true), 0);
	ck_assert_str_eq(take(), RES("1", "{\"content\":[{\"type\":\"text\","
	    "\"text\":\"1\"}],\"isError\":false}"));
	gk_mcp_forget(b);
}
END_TEST

START_TEST(test_zero_and_minus_zero_are_one_id)
{
	open_as('l');
	begin_fit(CALL("0", "{}"));
	ck_assert_str_eq(say(REQ("-0", "ping", "{}")), TAKEN("-0"));
}
END_TEST

/* The id is free once the last byte of the reply is with the system. */
START_TEST(test_id_is_taken_until_the_reply_is_out)
{
	struct gk_mcp_call *c;
	const void *p;
	size_t len;

	open_as('l');
	c = begin_fit(CALL("1", "{}"));
	ck_assert_int_eq(gk_mcp_success(c, gk_span_str("1"), true), 0);
	ck_assert_uint_eq(gk_mcp_inflight(M), 1);
	ck_assert_ptr_null(gk_mcp_next(M, NULL));
	ck_assert_int_eq(gk_outq_output(&Q, &p, &len), 1);
	gk_outq_wrote(&Q, len - 1);
	ck_assert_uint_eq(gk_mcp_inflight(M), 1);
	feed(REQ("1", "ping", "{}"));
	gk_outq_wrote(&Q, 1);
	ck_assert_str_eq(take(), TAKEN("1"));
	ck_assert_uint_eq(gk_mcp_inflight(M), 0);
	ck_assert_str_eq(say(REQ("1", "ping", "{}")), RES("1", "{}"));
}
END_TEST

START_TEST(test_calls_in_arrival_order)
{
	struct gk_mcp_call *c[4], *n = NULL;
	int i;

	open_as('l');
	c[0] = begin(CALL("10", "{}"));
	c[1] = begin(CALL("11", "{}"));
	c[2] = begin(CALL("12", "{}"));
	c[3] = begin(CALL("13", "{}"));
	gk_mcp_forget(c[1]);
	ck_assert_int_eq(gk_mcp_lost(c[2], GK_CODE_CONNECTION_LOST,
	    gk_span_str("x")), 0);
	for (i = 0; i < 4; i += 3) {
		n = gk_mcp_next(M, n);
		ck_assert_ptr_eq(n, c[i]);
	}
	ck_assert_ptr_null(gk_mcp_next(M, n));
	ck_assert_uint_eq(gk_mcp_inflight(M), 3);
}
END_TEST

#define CANCEL(params) "{\"jsonrpc\":\"2.0\",\"method\":" \
	"\"notifications/cancelled\",\"params\":" params "}"

static const struct {
	const char *id, *params;
	bool hits;
} cancels[] = {
	{ "5", "{\"requestId\":5}", true },
	{ "5", "{\"reason\":\"x\",\"requestId\":5,\"_meta\":1}", true },
	{ "\"a\"", "{\"requestId\":\"\\u0061\"}", true },
	{ "5", "{\"requestId\":\"5\"}", false },
	{ "\"5\"", "{\"requestId\":5}", false },
	{ "5", "{\"requestId\":5.0}", false },
	{ "5", "{\"requestId\":6}", false },
	{ "5", "{\"requestId\":null}", false },
	{ "5", "{\"requestId\":[5]}", false },
	{ "5", "{\"id\":5}", false },
	{ "5", "[5]", false },
	{ "5", "null", false },
};

START_TEST(test_cancel_row)
{
	struct gk_mcp_call *c;
	char line[256];

	open_as('l');
	snprintf(line, sizeof(line), CALL("%s", "{}"), cancels[_i].id);
	c = begin(line);
	snprintf(line, sizeof(line), CANCEL("%s"), cancels[_i].params);
	ck_assert_str_eq(say(line), "");
	ck_assert_int_eq(A.kind, cancels[_i].hits ? GK_MCP_CANCEL :
	    GK_MCP_NONE);
	if (!cancels[_i].hits)
		return;
	ck_assert_ptr_eq(A.call, c);
	gk_mcp_forget(c);
	/* the id is free at once */
	ck_assert_uint_eq(gk_mcp_inflight(M), 0);
	snprintf(line, sizeof(line), CALL("%s", "{}"), cancels[_i].id);
	begin(line);
}
END_TEST

START_TEST(test_cancel_of_an_answered_call_is_ignored)
{
	struct gk_mcp_call *c;

	open_as('l');
	c = begin_fit(CALL("5", "{}"));
	ck_assert_int_eq(gk_mcp_success(c, gk_span_str("1"), true), 0);
	feed(CANCEL("{\"requestId\":5}"));
	ck_assert_int_eq(A.kind, GK_MCP_NONE);
	ck_assert_ptr_nonnull(strstr(take(), "\"id\":5"));
}
END_TEST

/* 200 calls at once, ended from the middle: every id meets its own reply. */
START_TEST(test_many_calls_do_not_get_crossed)
{
	struct gk_mcp_call *c[200];
	char line[128], want[64], data[16];
	size_t i, k;

	open_as('l');
	for (i = 0; i < 200; i++) {
		snprintf(line, sizeof(line), i % 2 ? CALL("%zu", "{}") :
		    CALL("\"%zu\"", "{}"), i / 2);
		c[i] = begin_fit(line);
	}
	ck_assert_uint_eq(gk_mcp_inflight(M), 200);
	for (i = 0; i < 200; i++) {
		k = i * 71 % 200;
		snprintf(data, sizeof(data), "%zu", k);
		ck_assert_int_eq(gk_mcp_success(c[k], gk_span_str(data),
		    true), 0);
		snprintf(want, sizeof(want), k % 2 ? "\"id\":%zu,\"result\"" :
		    "\"id\":\"%zu\",\"result\"", k / 2);
		ck_assert_ptr_nonnull(strstr(take(), want));
		snprintf(want, sizeof(want), "\"text\":\"%zu\"}", k);
		ck_assert_ptr_nonnull(strstr(said, want));
	}
	ck_assert_uint_eq(gk_mcp_inflight(M), 0);
}
END_TEST

START_TEST(test_kept_call_outlives_its_line)
{
	char *line = strdup(CALL("\"k\"", "{\"browser\":\"b\"}"));
	struct gk_mcp_call *c;

	open_as('l');
	gk_test_time(&T, 5000);
	feed(line);
	c = A.call;
	ck_assert_int_eq(c->read_at, 5000);
	ck_assert_int_eq(gk_mcp_keep(c), 0);
	ck_assert_int_eq(gk_mcp_keep(c), 0);
	memset(line, '!', strlen(line));
	ck_assert(gk_span_is(c->line, CALL("\"k\"", "{\"browser\":\"b\"}")));
	ck_assert(gk_span_is(c->id, "\"k\""));
	ck_assert(c->id.ptr >= c->line.ptr);
	ck_assert_int_eq(gk_mcp_check(c, &F), 1);
	ck_assert(gk_span_is(F.arguments, "{\"browser\":\"b\"}"));
	gk_mcp_shed(c);
	ck_assert_ptr_null(c->line.ptr);
	ck_assert_int_eq(gk_mcp_success(c, gk_span_str("null"), true), 0);
	ck_assert_ptr_nonnull(strstr(take(), "\"id\":\"k\",\"result\""));
	free(line);
}
END_TEST

/* --------------------------------------------------------------- results */

#define LEGACY_TEXT(t)	RES("1", "{\"content\":[{\"type\":\"text\"," \
	"\"text\":\"" t "\"}],\"isError\":false}")
#define MODERN_TEXT(t)	RES("1", "{\"resultType\":\"complete\"," \
	"\"content\":[{\"type\":\"text\",\"text\":\"" t "\"}]," \
	"\"isError\":false}")
#define LEGACY_FAIL(t)	RES("1", "{\"content\":[{\"type\":\"text\"," \
	"\"text\":\"Error [" t "\"}],\"isError\":true}")
#define MODERN_FAIL(t)	RES("1", "{\"resultType\":\"complete\"," \
	"\"content\":[{\"type\":\"text\",\"text\":\"Error [" t "\"}]," \
	"\"isError\":true}")

static const struct {
	const char	*tool;
	const char	*data;
	bool		 canonical;
	const char	*block;
} renders[] = {
	{ "tab_list", "null", true, "{\"type\":\"text\",\"text\":\"null\"}" },
	{ "tab_list", "[{\"id\":1,\"title\":\"a\\\"b\\\\c\\n\"}]", true,
	    "{\"type\":\"text\",\"text\":\"[{\\\"id\\\":1,\\\"title\\\":"
	    "\\\"a\\\\\\\"b\\\\\\\\c\\\\n\\\"}]\"}" },
	{ "tab_list", "{ \"b\" : [ 1 , 2.50 ] ,\t\"a\":\"\\u00e9\\/\" }",
	    false, "{\"type\":\"text\",\"text\":\"{\\\"b\\\":[1,2.50],"
	    "\\\"a\\\":\\\"\u00e9/\\\"}\"}" },
	{ "page_text", "{\"text\":\"x\",\"url\":\"u\"}", true,
	    "{\"type\":\"text\",\"text\":\"{\\\"text\\\":\\\"x\\\","
	    "\\\"url\\\":\\\"u\\\"}\"}" },
	/* text */
	{ "page_snapshot", "{\"refCount\":1,\"text\":\"a\\\"\\n\u00e9\"}",
	    true, "{\"type\":\"text\",\"text\":\"a\\\"\\n\u00e9\"}" },
	{ "page_snapshot", "{\"te\\u0078t\":\"\\u00e9\\u000A\\/\"}", false,
	    "{\"type\":\"text\",\"text\":\"\u00e9\\n/\"}" },
	{ "page_snapshot", "{\"text\":\"\"}", true,
	    "{\"type\":\"text\",\"text\":\"\"}" },
	{ "page_snapshot", "{\"text\":5}", true,
	    "{\"type\":\"text\",\"text\":\"{\\\"text\\\":5}\"}" },
	{ "page_snapshot", "\"text\"", true,
	    "{\"type\":\"text\",\"text\":\"\\\"text\\\"\"}" },
	{ "page_snapshot", "[\"text\"]", true,
	    "{\"type\":\"text\",\"text\":\"[\\\"text\\\"]\"}" },
	/* image */
	{ "page_screenshot", "{\"image\":\"QUJD\",\"mimeType\":\"image/png\"}",
	    true, "{\"type\":\"image\",\"data\":\"QUJD\",\"mimeType\":"
	    "\"image/png\"}" },
	{ "page_screenshot", "{\"mimeType\":\"image\\/png\",\"image\":"
	    "\"QU\\/D\"}", false, "{\"type\":\"image\",\"data\":\"QU/D\","
	    "\"mimeType\":\"image/png\"}" },
	{ "page_screenshot", "{\"image\":\"QUJD\"}", true,
	    "{\"type\":\"text\",\"text\":\"{\\\"image\\\":\\\"QUJD\\\"}\"}" },
	{ "page_screenshot", "{\"image\":null,\"mimeType\":\"m\"}", true,
	    "{\"type\":\"text\",\"text\":\"{\\\"image\\\":null,"
	    "\\\"mimeType\\\":\\\"m\\\"}\"}" },
};

START_TEST(test_render_row)
{
	struct gk_mcp_call *c;
	char line[256], want[1024];

	open_as('l');
	snprintf(line, sizeof(line), REQ("1", "tools/call",
	    "{\"name\":\"%s\"}"), renders[_i].tool);
	c = begin_fit(line);
	ck_assert_int_eq(gk_mcp_success(c, gk_span_str(renders[_i].data),
	    renders[_i].canonical), 0);
	snprintf(want, sizeof(want), RES("1",
	    "{\"content\":[%s],\"isError\":false}"), renders[_i].block);
	ck_assert_str_eq(take(), want);
}
END_TEST

/* Which shape a result has (10.5), for a call that was checked and for one
 * that never was. */
static const struct {
	char		 how;
	const char	*meta;
	bool		 modern;
	bool		 lost_modern;
} shapes[] = {
	{ 'l', "\"x\":1", false, false },
	{ 'l', META("2024-11-05"), false, false },
	{ 'l', META(MODERN), true, false },
	{ 'm', "\"x\":1", true, true },
	{ 'm', META("2025-11-25"), false, true },
	{ 'm', META(MODERN), true, true },
	{ 's', META(MODERN), true, true },
	{ 's', META("2025-11-25"), false, true },
};

START_TEST(test_shape_row)
{
	const char *text = "CONNECTION_LOST]: gone \\\"x\\\"";
	struct gk_mcp_call *c;
	char line[512], want[512];

	open_as(shapes[_i].how);
	snprintf(line, sizeof(line), REQ("1", "tools/call",
	    "{\"name\":\"tab_list\",%s}"), shapes[_i].meta);
	c = begin_fit(line);
	ck_assert_int_eq(gk_mcp_success(c, gk_span_str("7"), true), 0);
	ck_assert_str_eq(take(), shapes[_i].modern ? MODERN_TEXT("7") :
	    LEGACY_TEXT("7"));

	c = begin_fit(line);
	ck_assert_int_eq(gk_mcp_failure(c, GK_CODE_CONNECTION_LOST,
	    gk_span_str("gone \"x\"")), 0);
	snprintf(want, sizeof(want), shapes[_i].modern ? MODERN_FAIL("%s") :
	    LEGACY_FAIL("%s"), text);
	ck_assert_str_eq(take(), want);

	/* unchecked, by either verb */
	snprintf(want, sizeof(want), shapes[_i].lost_modern ?
	    MODERN_FAIL("%s") : LEGACY_FAIL("%s"), text);
	c = begin(line);
	ck_assert_int_eq(gk_mcp_lost(c, GK_CODE_CONNECTION_LOST,
	    gk_span_str("gone \"x\"")), 0);
	ck_assert_str_eq(take(), want);
	c = begin(line);
	ck_assert_int_eq(gk_mcp_failure(c, GK_CODE_CONNECTION_LOST,
	    gk_span_str("gone \"x\"")), 0);
	ck_assert_str_eq(take(), want);
}
END_TEST

START_TEST(test_failure_text_is_verbatim)
{
	static const char text[] = "a\0b\n\t\"\\ \xe2\x80\xa8 caf\xc3\xa9";
	struct gk_mcp_call *c;

	open_as('l');
	c = begin_fit(CALL("1", "{}"));
	ck_assert_int_eq(gk_mcp_failure(c, GK_CODE_EXECUTION_FAILED,
	    gk_span(text, sizeof(text) - 1)), 0);
	ck_assert_str_eq(take(), LEGACY_FAIL("EXECUTION_FAILED]: "
	    "a\\u0000b\\n\\t\\\"\\\\ \xe2\x80\xa8 caf\xc3\xa9"));
}
END_TEST

START_TEST(test_every_code_is_named)
{
	struct gk_mcp_call *c;
	char want[256];
	int i;

	open_as('l');
	for (i = 1; i < GK_CODE_END; i++) {
		c = begin_fit(CALL("1", "{}"));
		ck_assert_int_eq(gk_mcp_failure(c, i, gk_span_str("t")), 0);
		snprintf(want, sizeof(want), LEGACY_FAIL("%s]: t"),
		    gk_schema_code(i)->name);
		ck_assert_str_eq(take(), want);
	}
}
END_TEST

/* A line of exactly the cap goes out, one more byte is replaced. */
START_TEST(test_result_at_the_cap)
{
	size_t over = strlen(LEGACY_TEXT("\\\"\\\"")), n, d;
	struct gk_mcp_call *c;
	char *data;

	open_as('l');
	for (d = 0; d < 3; d++) {
		n = GK_MCP_LINE_OUT_MAX - over - 1 + d;
		data = malloc(n + 3);
		ck_assert_ptr_nonnull(data);
		memset(data, 'x', n + 2);
		data[0] = data[n + 1] = '"';
		data[n + 2] = '\0';
		c = begin_fit(CALL("1", "{}"));
		ck_assert_int_eq(gk_mcp_success(c, gk_span(data, n + 2),
		    true), 0);
		take();
		if (d < 2) {
			ck_assert_uint_eq(strlen(said),
			    GK_MCP_LINE_OUT_MAX - 1 + d);
			ck_assert_ptr_nonnull(strstr(said,
			    "x\\\"\"}],\"isError\":false}}\n"));
		} else {
			ck_assert_uint_lt(strlen(said), 300);
			ck_assert_ptr_nonnull(strstr(said,
			    "Error [PAYLOAD_TOO_LARGE]: "));
			ck_assert_ptr_nonnull(strstr(said, "10420224"));
		}
		free(data);
	}
}
END_TEST

/* Escapes make it longer: quotes near the cap are met exactly too. */
START_TEST(test_escaped_result_at_the_cap)
{
	size_t over = strlen(LEGACY_TEXT("")), quotes, n, d, i;
	struct gk_mcp_call *c;
	char *data;

	open_as('l');
	for (d = 0; d < 3; d++) {
		/* data: [..."" "",x] with n bytes, each quote escaped */
		quotes = 200000;
		n = GK_MCP_LINE_OUT_MAX - over - 1 + d - quotes;
		data = malloc(n + 1);
		ck_assert_ptr_nonnull(data);
		memset(data, '1', n);
		for (i = 0; i < quotes; i++)
			data[n - 1 - i] = '"';
		data[n] = '\0';
		c = begin_fit(CALL("1", "{}"));
		/* not JSON, but the renderer only looks at its first byte */
		ck_assert_int_eq(gk_mcp_success(c, gk_span(data, n), true),
		    0);
		take();
		if (d < 2)
			ck_assert_uint_eq(strlen(said),
			    GK_MCP_LINE_OUT_MAX - 1 + d);
		else
			ck_assert_ptr_nonnull(strstr(said,
			    "PAYLOAD_TOO_LARGE"));
		free(data);
	}
}
END_TEST

START_TEST(test_failure_over_the_cap_is_replaced)
{
	struct gk_mcp_call *c;
	size_t n = GK_MCP_LINE_OUT_MAX;
	char *text = malloc(n);

	ck_assert_ptr_nonnull(text);
	memset(text, 't', n);
	open_as('s');
	c = begin_fit(REQ("1", "tools/call", "{\"name\":\"tab_list\","
	    META(MODERN) "}"));
	ck_assert_int_eq(gk_mcp_failure(c, GK_CODE_EXECUTION_FAILED,
	    gk_span(text, n)), 0);
	take();
	ck_assert_uint_lt(strlen(said), 300);
	ck_assert_ptr_nonnull(strstr(said, "{\"resultType\":\"complete\","
	    "\"content\":[{\"type\":\"text\",\"text\":"
	    "\"Error [PAYLOAD_TOO_LARGE]: "));
	free(text);
}
END_TEST

/* ---------------------------------------------------------------- relay */

START_TEST(test_relayed_reply_gets_the_id_back)
{
	const char *reply = "{\"id\":17,\"jsonrpc\":\"2.0\",\"result\":{}}";
	struct gk_mcp_call *c;

	open_as('l');
	c = begin(CALL("\"a\\u0062\"", "{}"));
	ck_assert_int_eq(gk_mcp_relayed(c, gk_span_str(reply),
	    gk_span(reply + 6, 2)), 0);
	ck_assert_str_eq(take(),
	    "{\"id\":\"a\\u0062\",\"jsonrpc\":\"2.0\",\"result\":{}}\n");
	ck_assert_uint_eq(gk_mcp_inflight(M), 0);
}
END_TEST

START_TEST(test_relayed_reply_that_grows_over_the_cap)
{
	struct gk_mcp_call *c;
	size_t n, d;
	char *reply;

	open_as('l');
	for (d = 0; d < 3; d++) {
		/* the id "123" is one byte longer than 17 */
		n = GK_MCP_LINE_OUT_MAX - 1 - 2 + d;
		reply = malloc(n + 1);
		ck_assert_ptr_nonnull(reply);
		memset(reply, ' ', n);
		memcpy(reply, "{\"id\":17", 8);
		reply[n - 1] = '}';
		reply[n] = '\0';
		c = begin(CALL("123", "{}"));
		ck_assert_int_eq(gk_mcp_relayed(c, gk_span(reply, n),
		    gk_span(reply + 6, 2)), 0);
		take();
		if (d < 2) {
			ck_assert_uint_eq(strlen(said),
			    GK_MCP_LINE_OUT_MAX - 1 + d);
			ck_assert_int_eq(strncmp(said, "{\"id\":123 ", 10), 0);
		} else
			ck_assert_ptr_nonnull(strstr(said,
			    "\"id\":123,\"result\":{\"content\":[{\"type\":"
			    "\"text\",\"text\":\"Error [PAYLOAD_TOO_LARGE]"));
		free(reply);
	}
}
END_TEST

/* -------------------------------------------------------------- progress */

#define WAITS	"\"message\":\"waiting for the user to approve in the browser\""
#define PROGRESS(token, n) "{\"jsonrpc\":\"2.0\",\"method\":" \
	"\"notifications/progress\",\"params\":{\"progressToken\":" token "," \
	"\"progress\":" #n "," WAITS "}}\n"

static const struct {
	const char *meta, *out;
} tokens[] = {
	{ "{\"progressToken\":\"t\"}", PROGRESS("\"t\"", 1) },
	{ "{\"progressToken\":\"\\u0074\\/\"}", PROGRESS("\"\\u0074\\/\"", 1) },
	{ "{\"progressToken\":0}", PROGRESS("0", 1) },
	{ "{\"progressToken\":-9007199254740991}",
	    PROGRESS("-9007199254740991", 1) },
	{ "{\"progressToken\":9007199254740992}", "" },
	{ "{\"progressToken\":1.5}", "" },
	{ "{\"progressToken\":true}", "" },
	{ "{\"progressToken\":null}", "" },
	{ "{\"progressToken\":{}}", "" },
	{ "{}", "" },
	{ "[]", "" },
};

START_TEST(test_progress_token_row)
{
	struct gk_mcp_call *c;
	char line[256];

	open_as('l');
	snprintf(line, sizeof(line), REQ("1", "tools/call",
	    "{\"name\":\"tab_list\",\"_meta\":%s}"), tokens[_i].meta);
	c = begin_fit(line);
	ck_assert_int_eq(gk_mcp_progress(c), 0);
	ck_assert_str_eq(take(), tokens[_i].out);
}
END_TEST

START_TEST(test_progress_at_most_once_a_second)
{
	struct gk_mcp_call *c;

	open_as('l');
	c = begin_fit(REQ("1", "tools/call",
	    "{\"name\":\"tab_list\",\"_meta\":{\"progressToken\":7}}"));
	gk_mcp_progress(c);
	ck_assert_str_eq(take(), PROGRESS("7", 1));
	gk_mcp_progress(c);
	gk_test_time(&T, 1999);
	gk_mcp_progress(c);
	ck_assert_str_eq(take(), "");
	gk_test_time(&T, 2000);
	gk_mcp_progress(c);
	ck_assert_str_eq(take(), PROGRESS("7", 2));
	gk_test_time(&T, 9000);
	gk_mcp_progress(c);
	ck_assert_str_eq(take(), PROGRESS("7", 3));
}
END_TEST

/* ---------------------------------------------------------------- memory */

static int
one_call(struct gk_test *t, void *arg)
{
	static const char init[] = INIT("0", MODERN);
	static const char call[] = REQ("\"i\"", "tools/call",
	    "{\"name\":\"tab_list\",\"_meta\":{\"progressToken\":\"p\"}}");
	struct gk_outq q;
	struct gk_mcp *m;
	struct gk_mcp_act act;
	struct gk_mcp_fit fit;
	size_t before = t->failed;
	int r, *kept = arg;

	gk_outq_init(&q, t->ctx, SIZE_MAX);
	m = gk_mcp_new(t->ctx, &q);
	if (m == NULL)
		return GENKAN_E_NOMEM;
	r = gk_mcp_line(m, init, sizeof(init) - 1, &act);
	if (r == 0)
		r = gk_mcp_line(m, call, sizeof(call) - 1, &act);
	if (r == 0 && act.kind == GK_MCP_CALL && *kept)
		r = gk_mcp_keep(act.call);
	if (r == 0 && act.kind == GK_MCP_CALL &&
	    gk_mcp_check(act.call, &fit) == 1)
		r = gk_mcp_success(act.call, gk_span_str("{ }"), false);
	if (r == 0)
		r = gk_mcp_error(m);
	/* -32603 or INTERNAL_ERROR are answers too */
	if (r == 0 && t->failed > before)
		r = GENKAN_E_NOMEM;
	gk_mcp_free(m);
	gk_outq_clear(&q);
	return r;
}

/* A name in another spelling is decoded before it is looked for. */
START_TEST(test_lack_of_memory_for_a_name)
{
	struct gk_mcp_fit f;

	open_as('l');
	feed(REQ("1", "tools/call", "{\"name\":\"tab\\u005flist\"}"));
	ck_assert_int_eq(A.kind, GK_MCP_CALL);
	T.fail_at = 1;
	ck_assert_int_eq(gk_mcp_check(A.call, &f), 0);
	T.fail_at = 0;
	ck_assert_str_eq(take(), ERR("1", -32603, "out of memory"));
	ck_assert_uint_eq(gk_mcp_inflight(M), 0);
}
END_TEST

START_TEST(test_lack_of_memory_for_a_relayed_reply)
{
	static const char reply[] = RES("9", "{}");
	struct gk_mcp_call *c;

	open_as('l');
	c = begin_fit(CALL("1", "{}"));
	T.fail_at = 1;
	ck_assert_int_eq(gk_mcp_relayed(c, gk_span(reply, sizeof(reply) - 2),
	    gk_span(strchr(reply, '9'), 1)), 0);
	T.fail_at = 0;
	ck_assert_ptr_nonnull(strstr(take(), "Error [INTERNAL_ERROR]: out of "
	    "memory for the result"));
	ck_assert_uint_eq(gk_mcp_inflight(M), 0);
}
END_TEST

/* The call goes on, and its reply comes. */
START_TEST(test_lack_of_memory_for_progress)
{
	struct gk_mcp_call *c;

	open_as('l');
	c = begin_fit(REQ("1", "tools/call",
	    "{\"name\":\"tab_list\",\"_meta\":{\"progressToken\":7}}"));
	T.fail_at = 1;
	ck_assert_int_eq(gk_mcp_progress(c), 0);
	T.fail_at = 0;
	ck_assert_str_eq(take(), "");
	ck_assert_int_eq(gk_mcp_success(c, gk_span_str("{}"), true), 0);
	ck_assert_ptr_nonnull(strstr(take(), "\"id\":1"));
}
END_TEST

START_TEST(test_lack_of_memory_frees_all)
{
	int kept = _i;

	ck_assert_uint_gt(gk_test_sweep(&T, one_call, &kept), 8);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mcp_call");
	TCase *tc = tcase_create("mcp_call");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_fit_row, 0, GK_ARRAY_LEN(fits));
	tcase_add_test(tc, test_unknown_tool_is_quoted_up_to_256_bytes);
	tcase_add_test(tc, test_all_26_tools_fit);
	tcase_add_test(tc, test_id_in_flight_is_taken_by_type_and_value);
	tcase_add_test(tc, test_zero_and_minus_zero_are_one_id);
	tcase_add_test(tc, test_id_is_taken_until_the_reply_is_out);
	tcase_add_test(tc, test_calls_in_arrival_order);
	tcase_add_loop_test(tc, test_cancel_row, 0, GK_ARRAY_LEN(cancels));
	tcase_add_test(tc, test_cancel_of_an_answered_call_is_ignored);
	tcase_add_test(tc, test_many_calls_do_not_get_crossed);
	tcase_add_test(tc, test_kept_call_outlives_its_line);
	tcase_add_loop_test(tc, test_render_row, 0, GK_ARRAY_LEN(renders));
	tcase_add_loop_test(tc, test_shape_row, 0, GK_ARRAY_LEN(shapes));
	tcase_add_test(tc, test_failure_text_is_verbatim);
	tcase_add_test(tc, test_every_code_is_named);
	tcase_add_test(tc, test_result_at_the_cap);
	tcase_add_test(tc, test_escaped_result_at_the_cap);
	tcase_add_test(tc, test_failure_over_the_cap_is_replaced);
	tcase_add_test(tc, test_relayed_reply_gets_the_id_back);
	tcase_add_test(tc, test_relayed_reply_that_grows_over_the_cap);
	tcase_add_loop_test(tc, test_progress_token_row, 0,
	    GK_ARRAY_LEN(tokens));
	tcase_add_test(tc, test_progress_at_most_once_a_second);
	tcase_add_test(tc, test_lack_of_memory_for_a_name);
	tcase_add_test(tc, test_lack_of_memory_for_a_relayed_reply);
	tcase_add_test(tc, test_lack_of_memory_for_progress);
	tcase_add_loop_test(tc, test_lack_of_memory_frees_all, 0, 2);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
