#include "util.h"

#include <string.h>

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

static const struct { const char *in, *out; } rows[] = {
	{ "{ }", "{}" },
	{ "{ \"a\" : [ 1 , 2 ] ,\n\t\"b\" :\r\"x y\" }",
	    "{\"a\":[1,2],\"b\":\"x y\"}" },
	{ "{\"\\u0061\":\"\\u00e9\\u20ac\"}",
	    "{\"a\":\"\xc3\xa9\xe2\x82\xac\"}" },
	{ "{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"\xf0\x9f\x98\x80\"}" },
	{ "{\"a\":\"\\/\\u002f\"}", "{\"a\":\"//\"}" },
	{ "{\"a\":\"\\u0022\\u005c\\u0008\\u000c\\u000a\\u000d\\u0009\"}",
	    "{\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\"}" },
	{ "{\"a\":\"\\u0000\\u001f\\u000b\"}",
	    "{\"a\":\"\\u0000\\u001F\\u000B\"}" },
	{ "{\"a\":\"\\u007f\"}", "{\"a\":\"\x7f\"}" },
	{ "{\"a\": 1.50E+3 , \"b\" : -0}", "{\"a\":1.50E+3,\"b\":-0}" },
	{ "{\"a\":\" { } [ ] , : \"}", "{\"a\":\" { } [ ] , : \"}" },
	{ "[ true , false , null ]", "[true,false,null]" },
	{ "\"\\u0041\"", "\"A\"" },
	{ "\"\\\\\"", "\"\\\\\"" },
};

START_TEST(test_one_form_only)
{
	ck_assert_int_eq(gk_buf_putc(&b, '>'), 0);
	ck_assert_int_eq(gk_scan_compact(&b, gk_span_str(rows[_i].in)), 0);
	ck_assert_uint_eq(b.len, 1 + strlen(rows[_i].out));
	ck_assert_mem_eq(b.ptr + 1, rows[_i].out, strlen(rows[_i].out));
	ck_assert_uint_le(strlen(rows[_i].out), strlen(rows[_i].in));
}
END_TEST

/* Compact text is its own compact form. */
START_TEST(test_once_is_enough)
{
	ck_assert_int_eq(gk_scan_compact(&b, gk_span_str(rows[_i].out)), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), rows[_i].out));
}
END_TEST

/* The ceiling counts what is written, not what was read. */
START_TEST(test_the_ceiling_counts_the_result)
{
	size_t want = strlen(rows[_i].out), max;
	struct gk_buf small;

	for (max = want - 1; max <= want + 1; max++) {
		gk_buf_init(&small, t.ctx, max);
		ck_assert_int_eq(gk_scan_compact(&small,
		    gk_span_str(rows[_i].in)),
		    max < want ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, max < want ? 0 : want);
		gk_buf_done(&small);
	}
}
END_TEST

START_TEST(test_lack_of_memory)
{
	t.fail_at = 1;
	ck_assert_int_eq(gk_scan_compact(&b, gk_span_str("{}")),
	    GENKAN_E_NOMEM);
	ck_assert_uint_eq(b.len, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("compact");
	TCase *tc = tcase_create("compact");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_one_form_only, 0, GK_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, test_once_is_enough, 0, GK_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, test_the_ceiling_counts_the_result, 0,
	    GK_ARRAY_LEN(rows));
	tcase_add_test(tc, test_lack_of_memory);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
