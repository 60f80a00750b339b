#include "util.h"

#include <string.h>

#include "codec/json.h"

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

static json_t *
parse(const char *text)
{
	json_t *v = NULL;

	ck_assert_int_eq(gk_json_parse(t.ctx, text, strlen(text), &v), 0);
	return v;
}

START_TEST(test_what_is_parsed_keeps_order_and_value)
{
	static const char text[] = "{\"z\":1,\"a\":[true,false,null,"
	    "\"\xc3\xa9\\n\",-5],\"m\":{\"\":{},\"x\":[]}}";
	json_t *v = parse(text);

	ck_assert_int_eq(gk_json_dump(&b, v), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), text));
	json_decref(v);
}
END_TEST

START_TEST(test_escapes_are_resolved_in_names_too)
{
	json_t *v = parse("{\"\\u0061\":\"\\u0000x\",\"\\ud83d\\ude00\":1}");
	const json_t *a = json_object_get(v, "a");

	ck_assert_uint_eq(json_string_length(a), 2);
	ck_assert_mem_eq(json_string_value(a), "\0x", 2);
	ck_assert_int_eq(json_integer_value(json_object_get(v,
	    "\xf0\x9f\x98\x80")), 1);
	ck_assert_int_eq(gk_json_dump(&b, v), 0);
	ck_assert(gk_span_is(gk_buf_span(&b),
	    "{\"a\":\"\\u0000x\",\"\xf0\x9f\x98\x80\":1}"));
	json_decref(v);
}
END_TEST

START_TEST(test_integers_beyond_64_bits_read_as_reals)
{
	json_t *v = parse("{\"a\":9223372036854775807,\"b\":"
	    "9223372036854775808,\"c\":-9223372036854775808,\"d\":"
	    "100000000000000000000000000000,\"e\":1e2}");

	ck_assert_uint_eq(gk_json_type(json_object_get(v, "a")), GK_J_INT);
	ck_assert_int_eq(json_integer_value(json_object_get(v, "a")),
	    INT64_MAX);
	ck_assert_uint_eq(gk_json_type(json_object_get(v, "b")), GK_J_REAL);
	ck_assert_double_eq(json_real_value(json_object_get(v, "b")),
	    9223372036854775808.0);
	ck_assert_int_eq(json_integer_value(json_object_get(v, "c")),
	    INT64_MIN);
	ck_assert_double_eq(json_real_value(json_object_get(v, "d")), 1e29);
	ck_assert_double_eq(json_real_value(json_object_get(v, "e")), 100.0);
	json_decref(v);
}
END_TEST

START_TEST(test_what_is_refused_says_why)
{
	static const struct { const char *text; int r; const char *why; }
	row[] = {
		{ "{", GENKAN_E_FRAME_JSON, "not valid JSON at byte 1" },
		{ "[]", GENKAN_E_FRAME_TYPE, "not an object at byte 0" },
		{ "{\"a\":1,\"\\u0061\":1}", GENKAN_E_FRAME_DUP,
		    "member repeated at byte 7" },
		{ "{\"a\":\"\xff\"}", GENKAN_E_FRAME_UTF8,
		    "not valid UTF-8 at byte 6" },
		{ "{\"a\":1e309}", GENKAN_E_FRAME_JSON,
		    "number out of range at byte 5" },
	};
	json_t *v = NULL;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		ck_assert_int_eq(gk_json_parse(t.ctx, row[i].text,
		    strlen(row[i].text), &v), row[i].r);
		ck_assert_str_eq(t.ctx->err_text, row[i].why);
		ck_assert_ptr_null(v);
	}
}
END_TEST

START_TEST(test_values_inside_can_be_built_alone)
{
	json_t *v = gk_json_build(t.ctx, gk_span_str("[1,\"a\"]"));

	ck_assert_uint_eq(json_array_size(v), 2);
	ck_assert_str_eq(json_string_value(json_array_get(v, 1)), "a");
	json_decref(v);
	v = gk_json_build(t.ctx, gk_span_str("\"\\n\""));
	ck_assert_str_eq(json_string_value(v), "\n");
	ck_assert_int_eq(gk_json_dump(&b, v), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), "\"\\n\""));
	json_decref(v);
}
END_TEST

START_TEST(test_a_tree_too_deep_is_not_written)
{
	json_t *v = json_array(), *up;
	int i;

	for (i = 1; i < GK_JSON_DEPTH; i++) {
		up = i % 2 ? json_array() : json_object();
		if (json_is_array(up))
			json_array_append_new(up, v);
		else
			json_object_set_new(up, "k", v);
		v = up;
	}
	ck_assert_int_eq(gk_json_dump(&b, v), 0);
	up = json_array();
	json_array_append_new(up, v);
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_json_dump(&b, up), GENKAN_E_INTERNAL);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_int_eq(gk_json_dump(&b, NULL), GENKAN_E_INTERNAL);
	json_decref(up);
}
END_TEST

START_TEST(test_a_full_buffer_is_left_alone)
{
	json_t *v = parse("{\"abc\":\"defghi\"}");
	struct gk_buf small;
	size_t max;

	for (max = 1; max < 20; max++) {
		gk_buf_init(&small, t.ctx, max);
		ck_assert_int_eq(gk_buf_puts(&small, "x"), 0);
		ck_assert_int_eq(gk_json_dump(&small, v),
		    max < 17 ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, max < 17 ? 1 : 17);
		gk_buf_done(&small);
	}
	t.fail_at = 1;
	ck_assert_int_eq(gk_json_dump(&b, v), GENKAN_E_NOMEM);
	json_decref(v);
}
END_TEST

static int
sweep(struct gk_test *u, void *text)
{
	json_t *v;
	int r;

	if ((r = gk_json_parse(u->ctx, text, strlen(text), &v)) == 0)
		json_decref(v);
	return r;
}

START_TEST(test_lack_of_memory_while_parsing)
{
	ck_assert_uint_gt(gk_test_sweep(&t, sweep, (void *)(uintptr_t)
	    "{\"\\u0061\":[{\"b\":\"\\n\"}],\"c\\n\":\"\\t\"}"), 3);
}
END_TEST

START_TEST(test_types_are_named_alike)
{
	json_t *v = parse("{\"a\":{},\"b\":[],\"c\":\"\",\"d\":1,\"e\":1.5,"
	    "\"f\":true,\"g\":false,\"h\":null}");
	static const uint8_t want[] = { GK_J_OBJECT, GK_J_ARRAY, GK_J_STRING,
	    GK_J_INT, GK_J_REAL, GK_J_TRUE, GK_J_FALSE, GK_J_NULL };
	char name[2] = "a";
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(want); i++, name[0]++)
		ck_assert_uint_eq(gk_json_type(json_object_get(v, name)),
		    want[i]);
	ck_assert_uint_eq(gk_json_type(NULL), 0);
	json_decref(v);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("json");
	TCase *tc = tcase_create("json");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_what_is_parsed_keeps_order_and_value);
	tcase_add_test(tc, test_escapes_are_resolved_in_names_too);
	tcase_add_test(tc, test_integers_beyond_64_bits_read_as_reals);
	tcase_add_test(tc, test_what_is_refused_says_why);
	tcase_add_test(tc, test_values_inside_can_be_built_alone);
	tcase_add_test(tc, test_a_tree_too_deep_is_not_written);
	tcase_add_test(tc, test_a_full_buffer_is_left_alone);
	tcase_add_test(tc, test_lack_of_memory_while_parsing);
	tcase_add_test(tc, test_types_are_named_alike);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
