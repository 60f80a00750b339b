/* The version gate, the methods and their results: wire 10.5 to 10.7. */
#include "test_mcp.h"

struct row {
	const char	*how;	/* open_as(): each of these connections */
	const char	*in;
	const char	*out;
};

#define OLDER		"2025-06-18"
#define MISSING(id, keys) ERR(id, -32602, META_MISSING keys)
#define BOTH		KEY_V ", " KEY_C
#define UNSUPPORTED(id, v) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{" \
	"\"code\":-32022,\"message\":\"Unsupported protocol version\"," \
	"\"data\":{\"requested\":\"" v "\",\"supported\":[\"2024-11-05\"," \
	"\"2025-03-26\",\"2025-06-18\",\"2025-11-25\",\"2026-07-28\"]}}}\n"
#define V_ONLY(v)	"{\"_meta\":{\"" KEY_V "\":\"" v "\"}}"
#define C_ONLY		"{\"_meta\":{\"" KEY_C "\":{}}}"
#define MIS_V		"{\"_meta\":{\"" KEY_V "\":1,\"" KEY_C "\":{}}}"
#define MIS_C(v)	"{\"_meta\":{\"" KEY_V "\":\"" v "\",\"" KEY_C "\":0}}"
#define ALL(v)		"{" META(v) "}"
#define NOPARAMS(id, m)	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" m "\"}"
#define NULLPARAMS(id, m) REQ(id, m, "null")

#define VERSIONS	"\"supportedVersions\":[\"2024-11-05\"," \
	"\"2025-03-26\",\"2025-06-18\",\"2025-11-25\",\"2026-07-28\"]"
#define CAPS		"\"capabilities\":{\"tools\":{}}"
#define META_OUT	"\"_meta\":{\"io.modelcontextprotocol/serverInfo\":" \
	INFO "}"
#define DISCOVERED	RES("1", "{\"resultType\":\"complete\"," VERSIONS "," \
	CAPS ",\"ttlMs\":3600000,\"cacheScope\":\"private\"," META_OUT "}")
#define DISCOVERED_LEGACY RES("1", "{" VERSIONS "," CAPS "," META_OUT "}")
#define INIT_RESULT(v)	RES("1", "{\"protocolVersion\":\"" v "\"," CAPS \
	",\"serverInfo\":" INFO "}")

static const struct row rows[] = {
	/* 10.5, row 1: before everything else */
	{ "lms", REQ("1", "ping", ALL("2025-06-19")),
	    UNSUPPORTED("1", "2025-06-19") },
	{ "lms", REQ("1", "ping", V_ONLY("")), UNSUPPORTED("1", "") },
	{ "lms", REQ("1", "tools/list", MIS_C("DRAFT")),
	    UNSUPPORTED("1", "DRAFT") },
	{ "lms", REQ("1", "nonsense", ALL("x")), UNSUPPORTED("1", "x") },
	{ "lms", REQ("1", "initialize", ALL("x")), UNSUPPORTED("1", "x") },
	{ "lms", REQ("1", "server/discover", ALL("2026-07-28 ")),
	    UNSUPPORTED("1", "2026-07-28 ") },
	/* row 2: a stateless connection */
	{ "s", NOPARAMS("1", "ping"), MISSING("1", BOTH) },
	{ "s", NULLPARAMS("1", "ping"), MISSING("1", BOTH) },
	{ "s", REQ("1", "ping", "{}"), MISSING("1", BOTH) },
	{ "s", REQ("1", "ping", "[]"), MISSING("1", BOTH) },
	{ "s", REQ("1", "tools/list", "{\"_meta\":[]}"), MISSING("1", BOTH) },
	{ "s", REQ("1", "tools/list", V_ONLY(MODERN)), MISSING("1", KEY_C) },
	{ "s", REQ("1", "tools/list", V_ONLY(OLDER)), MISSING("1", KEY_C) },
	{ "s", REQ("1", "tools/list", C_ONLY), MISSING("1", KEY_V) },
	{ "s", REQ("1", "tools/list", MIS_V), MISSING("1", KEY_V) },
	{ "s", REQ("1", "tools/list", MIS_C(MODERN)), MISSING("1", KEY_C) },
	{ "s", REQ("1", "nonsense", "{}"), MISSING("1", BOTH) },
	{ "s", REQ("1", "initialize", "{}"), MISSING("1", BOTH) },
	{ "s", NOPARAMS("1", "server/discover"), MISSING("1", BOTH) },
	/* row 2: a claim of the modern version */
	{ "lm", REQ("1", "ping", V_ONLY(MODERN)), MISSING("1", KEY_C) },
	{ "lm", REQ("1", "tools/list", MIS_C(MODERN)), MISSING("1", KEY_C) },
	{ "lm", REQ("1", "nonsense", V_ONLY(MODERN)), MISSING("1", KEY_C) },
	/* row 2: a server/discover that fits */
	{ "lm", REQ("1", "server/discover", "{}"), MISSING("1", BOTH) },
	{ "lm", REQ("1", "server/discover", C_ONLY), MISSING("1", KEY_V) },
	{ "lm", REQ("1", "server/discover", MIS_V), MISSING("1", KEY_V) },
	{ "lm", REQ("1", "server/discover", V_ONLY(OLDER)),
	    MISSING("1", KEY_C) },
	/* elsewhere a mistyped version makes the request bare */
	{ "l", REQ("1", "ping", MIS_V), RES("1", "{}") },
	{ "l", REQ("1", "ping", "{\"_meta\":{\"" KEY_V "\":null}}"),
	    RES("1", "{}") },
	/* 10.6: ping */
	{ "l", NOPARAMS("1", "ping"), RES("1", "{}") },
	{ "l", NULLPARAMS("1", "ping"), RES("1", "{}") },
	{ "l", REQ("1", "ping", "{}"), RES("1", "{}") },
	{ "l", REQ("1", "ping", "[]"), ERR("1", -32601, "ping") },
	{ "l", REQ("1", "ping", "1"), ERR("1", -32601, "ping") },
	{ "lm", REQ("1", "ping", V_ONLY(OLDER)), RES("1", "{}") },
	{ "lm", REQ("1", "ping", ALL(OLDER)), RES("1", "{}") },
	{ "m", REQ("1", "ping", "{}"), ERR("1", -32601, "ping") },
	{ "m", NOPARAMS("1", "ping"), ERR("1", -32601, "ping") },
	{ "m", REQ("1", "ping", MIS_V), ERR("1", -32601, "ping") },
	{ "lms", REQ("1", "ping", ALL(MODERN)), ERR("1", -32601, "ping") },
	{ "s", REQ("1", "ping", ALL(OLDER)), ERR("1", -32601, "ping") },
	/* server/discover */
	{ "lm", NOPARAMS("1", "server/discover"),
	    ERR("1", -32601, "server/discover") },
	{ "lm", NULLPARAMS("1", "server/discover"),
	    ERR("1", -32601, "server/discover") },
	{ "lm", REQ("1", "server/discover", "[]"),
	    ERR("1", -32601, "server/discover") },
	{ "lms", REQ("1", "server/discover", ALL(OLDER)), DISCOVERED_LEGACY },
	{ "lms", REQ("1", "server/discover", ALL(MODERN)), DISCOVERED },
	/* initialize on an open connection */
	{ "lms", INIT("1", OLDER), INIT_RESULT(OLDER) },
	{ "lms", INIT("1", MODERN), INIT_RESULT(MODERN) },
	{ "lms", INIT("1", "x"), INIT_RESULT("2025-11-25") },
	{ "lm", REQ("1", "initialize", "{}"), ERR("1", -32601, "initialize") },
	{ "lms", REQ("1", "initialize", ALL(OLDER)),
	    ERR("1", -32601, "initialize") },
	/* unknown and not fitting */
	{ "lm", NOPARAMS("1", "prompts/list"),
	    ERR("1", -32601, "prompts/list") },
	{ "lm", REQ("1", "resources/read", "{}"),
	    ERR("1", -32601, "resources/read") },
	{ "lm", REQ("1", "completion/complete", "[]"),
	    ERR("1", -32601, "completion/complete") },
	{ "lms", REQ("1", "logging/setLevel", ALL(MODERN)),
	    ERR("1", -32601, "logging/setLevel") },
	{ "lms", REQ("1", "tasks/get", ALL(OLDER)),
	    ERR("1", -32601, "tasks/get") },
	{ "lm", REQ("1", "tools/list", "[]"), ERR("1", -32601, "tools/list") },
	{ "l", NOPARAMS("1", ""), ERR("1", -32601, "") },
	{ "l", NOPARAMS("1", "a\\\"b\\u00e9"), ERR("1", -32601, "a\\\"b\u00e9") },
	{ "l", NOPARAMS("1", "notifications/initialized"),
	    ERR("1", -32601, "notifications/initialized") },
	/* notifications */
	{ "lms", "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", "" },
	{ "lms", "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\",\"params\":"
	    "{\"_meta\":{\"" KEY_V "\":\"x\"}}}", "" },
	{ "lms", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":{\"requestId\":1}}", "" },
};

START_TEST(test_method_row)
{
	const struct row *r = &rows[_i];
	const char *h;

	for (h = r->how; *h != '\0'; h++) {
		open_as(*h);
		ck_assert_str_eq(say(r->in), r->out);
		ck_assert_int_eq(A.kind, GK_MCP_NONE);
		ck_assert_int_eq(gk_mcp_era(M),
		    *h == 's' ? GK_MCP_STATELESS : GK_MCP_LEGACY);
		gk_mcp_free(M);
		M = gk_mcp_new(T.ctx, &Q);
	}
}
END_TEST

/* "tools/list" in the two shapes: which, and what is in front of the tools. */
static const struct {
	const char	*how;
	const char	*params;	/* NULL: none */
	bool		 modern;
} lists[] = {
	{ "l", NULL, false }, { "l", "{}", false }, { "l", "null", false },
	{ "l", "{\"cursor\":\"x\"}", false }, { "l", "{\"cursor\":5}", false },
	{ "lms", ALL(OLDER), false }, { "lm", V_ONLY(OLDER), false },
	{ "l", MIS_V, false },
	{ "m", NULL, true }, { "m", "{}", true }, { "m", MIS_V, true },
	{ "lms", ALL(MODERN), true },
};

START_TEST(test_list_row)
{
	static const char legacy[] = "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"tools\":[{\"name\":\"list_browsers\",";
	static const char modern[] = "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"resultType\":\"complete\",\"ttlMs\":3600000,"
	    "\"cacheScope\":\"private\",\"tools\":"
	    "[{\"name\":\"list_browsers\",";
	const char *h, *head = lists[_i].modern ? modern : legacy, *p;
	struct gk_scan s;
	char line[512];
	size_t n;

	for (h = lists[_i].how; *h != '\0'; h++) {
		open_as(*h);
		snprintf(line, sizeof(line), lists[_i].params == NULL ?
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		    "\"tools/list\"%s}" : "{\"jsonrpc\":\"2.0\",\"id\":1,"
		    "\"method\":\"tools/list\",\"params\":%s}",
		    lists[_i].params == NULL ? "" : lists[_i].params);
		say(line);
		ck_assert_int_eq(strncmp(said, head, strlen(head)), 0);
		ck_assert_int_eq(gk_scan(T.ctx, said, strlen(said), NULL, 0,
		    &s), 0);
		ck_assert(s.canonical || said[strlen(said) - 1] == '\n');
		for (n = 0, p = said; (p = strstr(p, "\"inputSchema\":")) !=
		    NULL; p++)
			n++;
		ck_assert_uint_eq(n, 26);
		ck_assert_ptr_null(strstr(said, "nextCursor"));
		gk_mcp_free(M);
		M = gk_mcp_new(T.ctx, &Q);
	}
}
END_TEST

START_TEST(test_list_is_the_same_every_time)
{
	char *first;

	open_as('l');
	first = strdup(say(REQ("7", "tools/list", "{}")));
	ck_assert_str_eq(say(REQ("7", "tools/list", "{}")), first);
	free(first);
}
END_TEST

START_TEST(test_requested_version_is_cut_at_64_bytes_on_a_character)
{
	char v[128], line[512], want[200];
	size_t n;

	open_as('l');
	for (n = 62; n <= 66; n++) {
		/* n - 2 letters and one character of two bytes */
		memset(v, 'v', n - 2);
		strcpy(v + n - 2, "\u00e9");
		snprintf(line, sizeof(line), REQ("1", "ping",
		    "{\"_meta\":{\"" KEY_V "\":\"%s\"}}"), v);
		say(line);
		v[n <= 64 ? n : n - 2 > 64 ? 64 : n - 2] = '\0';
		snprintf(want, sizeof(want), "\"requested\":\"%s\",", v);
		ck_assert_ptr_nonnull(strstr(said, want));
	}
}
END_TEST

START_TEST(test_method_name_is_cut_at_256_bytes)
{
	char m[300], line[512], want[400];

	open_as('l');
	memset(m, 'm', sizeof(m));
	m[257] = '\0';
	snprintf(line, sizeof(line), NOPARAMS("1", "%s"), m);
	say(line);
	m[256] = '\0';
	snprintf(want, sizeof(want), ERR("1", -32601, "%s"), m);
	ck_assert_str_eq(said, want);
}
END_TEST

/* A later initialize replaces the version, never how it was opened. */
START_TEST(test_renegotiation)
{
	open_as('l');
	ck_assert_str_eq(gk_mcp_version(M), OLDER);
	say(INIT("1", OLDER));
	ck_assert(!A.opened);
	say(INIT("2", MODERN));
	ck_assert(A.opened);
	ck_assert_str_eq(gk_mcp_version(M), MODERN);
	ck_assert_str_eq(say(REQ("1", "ping", "{}")), ERR("1", -32601, "ping"));
	say(INIT("3", "2024-11-05"));
	ck_assert(A.opened);
	ck_assert_str_eq(gk_mcp_version(M), "2024-11-05");
	ck_assert_str_eq(say(REQ("1", "ping", "{}")), RES("1", "{}"));
}
END_TEST

START_TEST(test_initialize_changes_nothing_on_a_stateless_connection)
{
	open_as('s');
	ck_assert_str_eq(say(INIT("1", OLDER)), INIT_RESULT(OLDER));
	ck_assert(!A.opened);
	ck_assert_int_eq(gk_mcp_era(M), GK_MCP_STATELESS);
	ck_assert_ptr_null(gk_mcp_version(M));
	ck_assert_str_eq(say(REQ("1", "ping", "{}")), MISSING("1", BOTH));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mcp_methods");
	TCase *tc = tcase_create("mcp_methods");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_method_row, 0, GK_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, test_list_row, 0, GK_ARRAY_LEN(lists));
	tcase_add_test(tc, test_list_is_the_same_every_time);
	tcase_add_test(tc,
	    test_requested_version_is_cut_at_64_bytes_on_a_character);
	tcase_add_test(tc, test_method_name_is_cut_at_256_bytes);
	tcase_add_test(tc, test_renegotiation);
	tcase_add_test(tc,
	    test_initialize_changes_nothing_on_a_stateless_connection);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
