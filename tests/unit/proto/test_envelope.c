/* Frames between broker and extension: wire 8.2 to 8.7. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "proto/envelope.h"
#include "util.h"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 1 << 20);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static int
read_env(const char *s, struct gk_envelope *ret)
{
	int r;

	r = gk_envelope_read(t.ctx, gk_span_str(s), ret);
	/* A failure always says why, success never does. */
	ck_assert_int_eq(r < 0, ret->why != NULL);
	return r;
}

static void
assert_span(struct gk_span s, const char *want)
{
	ck_assert_uint_eq(s.len, strlen(want));
	ck_assert_mem_eq(s.ptr, want, s.len);
}

#define MAX53	"9007199254740991"

static const struct {
	const char	*line;
	int64_t		 id;
	const char	*data;		/* NULL: a failure */
	const char	*error;
	int		 code;
} responses[] = {
	{ "{\"id\":1,\"ok\":true,\"data\":{\"a\":[1,2]}}", 1, "{\"a\":[1,2]}",
	    NULL, 0 },
	{ "{\"id\":0,\"ok\":true}", 0, "null", NULL, 0 },
	{ "{\"id\":-5,\"ok\":true,\"data\":null}", -5, "null", NULL, 0 },
	{ "{\"id\":7,\"ok\":true,\"data\":false,\"error\":null,"
	    "\"code\":null}", 7, "false", NULL, 0 },
	{ "{ \"ok\" : true , \"data\" : \"x\\u0000\" , \"id\" : " MAX53 " }",
	    INT64_C(9007199254740991), "\"x\\u0000\"", NULL, 0 },
	{ "{\"id\":2,\"ok\":false,\"error\":\"no\"}", 2, NULL, "\"no\"",
	    GK_CODE_EXECUTION_FAILED },
	{ "{\"id\":2,\"ok\":false,\"error\":\"no\",\"code\":null,"
	    "\"data\":null}", 2, NULL, "\"no\"", GK_CODE_EXECUTION_FAILED },
	{ "{\"id\":2,\"ok\":false,\"error\":\"\",\"code\":"
	    "\"TAB_NOT_FOUND\"}", 2, NULL, "\"\"", GK_CODE_TAB_NOT_FOUND },
	{ "{\"\\u0069d\":2,\"ok\":false,\"error\":\"e\",\"code\":"
	    "\"USER_\\u0044ENIED\"}", 2, NULL, "\"e\"", GK_CODE_USER_DENIED },
};

START_TEST(test_a_response_is_read_as_spans)
{
	struct gk_envelope e;

	ck_assert_int_eq(read_env(responses[_i].line, &e), 0);
	ck_assert_int_eq(e.kind, GK_ENV_RESPONSE);
	ck_assert_int_eq(e.u.response.id, responses[_i].id);
	ck_assert_int_eq(e.u.response.ok, responses[_i].data != NULL);
	if (responses[_i].data != NULL) {
		assert_span(e.u.response.data, responses[_i].data);
	} else {
		assert_span(e.u.response.error, responses[_i].error);
		ck_assert_int_eq(e.u.response.code, responses[_i].code);
	}
}
END_TEST

START_TEST(test_a_canonical_line_is_known_as_such)
{
	struct gk_envelope e;

	ck_assert_int_eq(read_env("{\"id\":1,\"ok\":true,\"data\":[1]}", &e),
	    0);
	ck_assert(e.canonical);
	ck_assert_int_eq(read_env("{\"id\":1,\"ok\":true,\"data\":[1 ]}", &e),
	    0);
	ck_assert(!e.canonical);
}
END_TEST

static const struct {
	const char	*line;
	int		 r;
} bad[] = {
	/* contradictions */
	{ "{\"id\":1,\"ok\":true,\"error\":\"x\"}", GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":true,\"code\":\"TAB_NOT_FOUND\"}",
	    GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false}", GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":null}", GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"data\":0}",
	    GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":\"NOPE\"}",
	    GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":\"\"}",
	    GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":"
	    "\"tab_not_found\"}", GENKAN_E_PROTOCOL },
	/* codes that only the server assigns */
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":"
	    "\"NOT_CONNECTED\"}", GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":"
	    "\"BRIDGE_KILLED\"}", GENKAN_E_PROTOCOL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":"
	    "\"INTERNAL_ERROR\"}", GENKAN_E_PROTOCOL },
	/* members */
	{ "{\"id\":1,\"ok\":true,\"x\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1.0,\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1e0,\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":\"1\",\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":null,\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":9007199254740992,\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":-9007199254740992,\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":99999999999999999999,\"ok\":true}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1,\"ok\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1,\"ok\":null}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1,\"ok\":false,\"error\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":1}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":null,\"id\":1,\"ok\":true}", GENKAN_E_FRAME_MEMBER },
	/* types */
	{ "{\"type\":\"cancel\",\"id\":1}", GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"kill_engage\"}", GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"\"}", GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"response\",\"id\":1,\"ok\":true}",
	    GENKAN_E_FRAME_TYPE },
	{ "[]", GENKAN_E_FRAME_TYPE },
	{ "1", GENKAN_E_FRAME_TYPE },
	/* JSON */
	{ "", GENKAN_E_FRAME_JSON },
	{ "{\"id\":1,\"ok\":true", GENKAN_E_FRAME_JSON },
	{ "{\"id\":1,\"id\":1,\"ok\":true}", GENKAN_E_FRAME_DUP },
	{ "{\"id\":1,\"ok\":true,\"data\":{\"a\":1,\"\\u0061\":1}}",
	    GENKAN_E_FRAME_DUP },
	{ "{\"id\":1,\"ok\":true,\"data\":\"\xff\"}", GENKAN_E_FRAME_UTF8 },
	{ "{\"id\":1,\"ok\":true,\"data\":\"\\ud800\"}",
	    GENKAN_E_FRAME_JSON },
	/* waiting */
	{ "{\"type\":\"waiting\"}", GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"waiting\",\"id\":\"1\"}", GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"waiting\",\"id\":1,\"x\":1}", GENKAN_E_FRAME_MEMBER },
	/* hello */
	{ "{\"type\":\"hello\"}", GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":\"1\",\"capabilities\":[]}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":1.0,\"capabilities\":[]}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":{}}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[1]}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[\"\"]}",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[],\"x\":1}",
	    GENKAN_E_FRAME_MEMBER },
};

START_TEST(test_a_frame_that_fits_no_row_is_refused)
{
	struct gk_envelope e;

	ck_assert_int_eq(read_env(bad[_i].line, &e), bad[_i].r);
}
END_TEST

START_TEST(test_every_code_of_an_extension_is_taken_and_no_other)
{
	const struct gk_code_row *row;
	struct gk_envelope e;
	char line[256];
	size_t n, i, taken = 0;
	int r;

	row = gk_schema_codes(&n);
	for (i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "{\"id\":1,\"ok\":false,"
		    "\"error\":\"x\",\"code\":\"%s\"}", row[i].name);
		r = read_env(line, &e);
		ck_assert_int_eq(r, row[i].ext ? 0 : GENKAN_E_PROTOCOL);
		if (r == 0)
			ck_assert_int_eq(e.u.response.code, row[i].code);
		taken += r == 0;
	}
	ck_assert_uint_eq(taken, 10);
}
END_TEST

START_TEST(test_waiting_names_a_request)
{
	struct gk_envelope e;

	ck_assert_int_eq(read_env("{\"type\":\"waiting\",\"id\":12}", &e), 0);
	ck_assert_int_eq(e.kind, GK_ENV_WAITING);
	ck_assert_int_eq(e.u.waiting, 12);
}
END_TEST

START_TEST(test_hello_folds_repeats_and_ignores_unknown_names)
{
	struct gk_envelope e;

	ck_assert_int_eq(read_env("{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[\"tab_control\",\"page_read\",\"later\","
	    "\"tab_control\",\"page\\u005fread\"]}", &e), 0);
	ck_assert_int_eq(e.kind, GK_ENV_HELLO);
	ck_assert_int_eq(e.u.hello.protocol, 1);
	ck_assert_uint_eq(e.u.hello.capabilities,
	    1u << GK_CAP_TAB_CONTROL | 1u << GK_CAP_PAGE_READ);
	ck_assert_int_eq(read_env("{\"capabilities\":[],\"protocol\":1,"
	    "\"type\":\"hello\"}", &e), 0);
	ck_assert_uint_eq(e.u.hello.capabilities, 0);
}
END_TEST

START_TEST(test_of_another_protocol_only_the_number_counts)
{
	struct gk_envelope e;

	ck_assert_int_eq(read_env("{\"type\":\"hello\",\"protocol\":2,"
	    "\"capabilities\":7,\"whatever\":{\"x\":[]}}", &e), 0);
	ck_assert_int_eq(e.u.hello.protocol, 2);
	ck_assert_int_eq(read_env("{\"type\":\"hello\",\"protocol\":-1}", &e),
	    0);
	ck_assert_int_eq(e.u.hello.protocol, -1);
}
END_TEST

/* 63, 64 and 65 names; then names of 63, 64 and 65 bytes. */
START_TEST(test_hello_is_bounded)
{
	char line[8192], pad[80], *p = line;
	struct gk_envelope e;
	int i, n = _i < 3 ? 63 + _i : 1, len = _i < 3 ? 3 : 60 + _i;

	memset(pad, 'c', sizeof(pad));
	p += sprintf(p, "{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[");
	for (i = 0; i < n; i++)
		p += sprintf(p, "%s\"%.*s\"", i > 0 ? "," : "", len, pad);
	sprintf(p, "]}");
	ck_assert_int_eq(read_env(line, &e), _i % 3 < 2 ? 0 :
	    GENKAN_E_FRAME_MEMBER);
}
END_TEST

START_TEST(test_a_request_is_written_as_specified_and_read_back)
{
	static const char want[] = "{\"id\":3,\"op\":\"page_click\","
	    "\"browser\":\"chrome\",\"args\":{\"ref\":\"e1\"}}\n";
	struct gk_request q;

	ck_assert_int_eq(gk_request_write(&b, 3, "page_click", "chrome",
	    gk_span_str("{\"ref\":\"e1\"}")), 0);
	ck_assert_uint_eq(b.len, strlen(want));
	ck_assert_mem_eq(b.ptr, want, b.len);
	ck_assert_int_eq(gk_request_read(t.ctx, gk_span(b.ptr, b.len - 1),
	    &q), 0);
	ck_assert_int_eq(q.id, 3);
	assert_span(q.op, "\"page_click\"");
	assert_span(q.browser, "\"chrome\"");
	assert_span(q.args, "{\"ref\":\"e1\"}");
}
END_TEST

START_TEST(test_a_request_without_browser_is_read)
{
	struct gk_request q;

	ck_assert_int_eq(gk_request_read(t.ctx, gk_span_str("{\"id\":3,"
	    "\"op\":\"x\",\"args\":{}}"), &q), 0);
	ck_assert_ptr_null(q.browser.ptr);
	ck_assert_int_eq(gk_request_read(t.ctx, gk_span_str("{\"id\":3,"
	    "\"op\":\"x\"}"), &q), GENKAN_E_FRAME_MEMBER);
	ck_assert_int_eq(gk_request_read(t.ctx, gk_span_str("{\"id\":3,"
	    "\"op\":\"x\",\"args\":[]}"), &q), GENKAN_E_FRAME_MEMBER);
}
END_TEST

START_TEST(test_a_cancel_is_written_as_specified_and_read_back)
{
	int64_t id;

	ck_assert_int_eq(gk_cancel_write(&b, 44), 0);
	ck_assert_uint_eq(b.len, strlen("{\"type\":\"cancel\",\"id\":44}\n"));
	ck_assert_mem_eq(b.ptr, "{\"type\":\"cancel\",\"id\":44}\n", b.len);
	ck_assert_int_eq(gk_cancel_read(t.ctx, gk_span(b.ptr, b.len - 1),
	    &id), 0);
	ck_assert_int_eq(id, 44);
	ck_assert_int_eq(gk_cancel_read(t.ctx,
	    gk_span_str("{\"type\":\"waiting\",\"id\":1}"), &id),
	    GENKAN_E_FRAME_TYPE);
}
END_TEST

START_TEST(test_a_failure_is_read_back_as_one)
{
	struct gk_envelope e;

	ck_assert_int_eq(gk_failure_write(&b, 9, GK_CODE_PAYLOAD_TOO_LARGE,
	    "2 bytes \"over\""), 0);
	ck_assert_int_eq(gk_envelope_read(t.ctx, gk_span(b.ptr, b.len - 1),
	    &e), 0);
	ck_assert_int_eq(e.u.response.id, 9);
	ck_assert(!e.u.response.ok);
	ck_assert_int_eq(e.u.response.code, GK_CODE_PAYLOAD_TOO_LARGE);
	assert_span(e.u.response.error, "\"2 bytes \\\"over\\\"\"");
}
END_TEST

START_TEST(test_writing_beyond_the_buffer_leaves_it_unchanged)
{
	struct gk_buf small;

	gk_buf_init(&small, t.ctx, 40);
	ck_assert_int_eq(gk_buf_puts(&small, "before"), 0);
	ck_assert_int_eq(gk_request_write(&small, 3, "page_click", "chrome",
	    gk_span_str("{}")), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(small.len, 6);
	ck_assert_int_eq(gk_failure_write(&small, 3, GK_CODE_INTERNAL_ERROR,
	    "0123456789012345678901234567890"), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(small.len, 6);
	gk_buf_done(&small);
}
END_TEST

#define LEN(x)	((int)(sizeof(x) / sizeof((x)[0])))

int
main(void)
{
	Suite *s = suite_create("envelope");
	TCase *tc = tcase_create("envelope");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_a_response_is_read_as_spans, 0,
	    LEN(responses));
	tcase_add_test(tc, test_a_canonical_line_is_known_as_such);
	tcase_add_loop_test(tc, test_a_frame_that_fits_no_row_is_refused, 0,
	    LEN(bad));
	tcase_add_test(tc,
	    test_every_code_of_an_extension_is_taken_and_no_other);
	tcase_add_test(tc, test_waiting_names_a_request);
	tcase_add_test(tc,
	    test_hello_folds_repeats_and_ignores_unknown_names);
	tcase_add_test(tc, test_of_another_protocol_only_the_number_counts);
	tcase_add_loop_test(tc, test_hello_is_bounded, 0, 6);
	tcase_add_test(tc,
	    test_a_request_is_written_as_specified_and_read_back);
	tcase_add_test(tc, test_a_request_without_browser_is_read);
	tcase_add_test(tc,
	    test_a_cancel_is_written_as_specified_and_read_back);
	tcase_add_test(tc, test_a_failure_is_read_back_as_one);
	tcase_add_test(tc,
	    test_writing_beyond_the_buffer_leaves_it_unchanged);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
