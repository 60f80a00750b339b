#include "util.h"

#include <string.h>

#include "codec/jsonrpc.h"
#include "codec/scan.h"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 4096);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static const struct gk_span none = { NULL, 0 };

static void
is(const char *line)
{
	struct gk_scan s;

	ck_assert(gk_span_is(gk_buf_span(&b), line));
	/* One line, and canonical but for its LF. */
	ck_assert_int_eq(b.ptr[b.len - 1], '\n');
	ck_assert_int_eq(gk_scan(t.ctx, b.ptr, b.len - 1, NULL, 0, &s), 0);
	ck_assert(s.canonical);
	gk_buf_clear(&b);
}

START_TEST(test_results)
{
	ck_assert_int_eq(gk_jsonrpc_result(&b, gk_span_str("\"a\\n\""),
	    gk_span_str("{\"x\":1}")), 0);
	is("{\"jsonrpc\":\"2.0\",\"id\":\"a\\n\",\"result\":{\"x\":1}}\n");
	ck_assert_int_eq(gk_jsonrpc_result_open(&b, gk_span_str("7")), 0);
	ck_assert_int_eq(gk_buf_puts(&b, "{}"), 0);
	ck_assert_int_eq(gk_jsonrpc_result_close(&b), 0);
	is("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
}
END_TEST

START_TEST(test_errors)
{
	ck_assert_int_eq(gk_jsonrpc_error(&b, gk_span_str("7"),
	    GK_JSONRPC_INVALID_PARAMS, gk_span_str("bad \"x\"\n"), none), 0);
	is("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,"
	    "\"message\":\"bad \\\"x\\\"\\n\"}}\n");
	ck_assert_int_eq(gk_jsonrpc_error(&b, none, GK_JSONRPC_PARSE,
	    gk_span_str("parse error: x"), none), 0);
	is("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":"
	    "\"parse error: x\"}}\n");
	ck_assert_int_eq(gk_jsonrpc_error(&b, gk_span_str("null"),
	    GK_JSONRPC_INVALID_REQUEST, gk_span_str(""),
	    gk_span_str("{\"a\":[]}")), 0);
	is("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
	    "\"message\":\"\",\"data\":{\"a\":[]}}}\n");
}
END_TEST

START_TEST(test_requests_and_notifications)
{
	ck_assert_int_eq(gk_jsonrpc_request(&b, gk_span_str("0"), "ping",
	    none), 0);
	is("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n");
	ck_assert_int_eq(gk_jsonrpc_request(&b, none,
	    "notifications/cancelled", gk_span_str("{\"requestId\":1}")), 0);
	is("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":{\"requestId\":1}}\n");
}
END_TEST

/* At every ceiling that is too small, nothing is left behind. */
START_TEST(test_lines_go_out_whole_or_not_at_all)
{
	struct gk_span id = gk_span_str("12"), data = gk_span_str("[1]");
	struct gk_buf small;
	size_t max, ok[3] = { 0, 0, 0 };
	int r, i;

	for (max = 1; max < 100; max++)
		for (i = 0; i < 3; i++) {
			gk_buf_init(&small, t.ctx, max);
			ck_assert_int_eq(gk_buf_puts(&small, "x"), 0);
			r = i == 0 ? gk_jsonrpc_result(&small, id, data) :
			    i == 1 ? gk_jsonrpc_error(&small, id, -1,
			    gk_span_str("m"), data) :
			    gk_jsonrpc_request(&small, id, "m", data);
			ck_assert(r == 0 || (r == GENKAN_E_FRAME_SIZE &&
			    small.len == 1));
			ok[i] += r == 0;
			gk_buf_done(&small);
		}
	ck_assert_uint_eq(ok[0], 99 - strlen("x{\"jsonrpc\":\"2.0\",\"id\":12"
	    ",\"result\":[1]}\n") + 1);
	ck_assert_uint_eq(ok[1], 99 - strlen("x{\"jsonrpc\":\"2.0\",\"id\":12"
	    ",\"error\":{\"code\":-1,\"message\":\"m\",\"data\":[1]}}\n") + 1);
	ck_assert_uint_eq(ok[2], 99 - strlen("x{\"jsonrpc\":\"2.0\",\"id\":12"
	    ",\"method\":\"m\",\"params\":[1]}\n") + 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("jsonrpc");
	TCase *tc = tcase_create("jsonrpc");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_results);
	tcase_add_test(tc, test_errors);
	tcase_add_test(tc, test_requests_and_notifications);
	tcase_add_test(tc, test_lines_go_out_whole_or_not_at_all);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
