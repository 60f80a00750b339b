#include "util.h"

#include <string.h>

#include "codec/walk.h"

START_TEST(test_elements_come_in_order)
{
	struct gk_span a = gk_span_str("[ 1 , \"a,]\\\"\" ,{\"x\":[2]}, [ ],"
	    "true,false,null,-1.5e3,9223372036854775808 ]");
	static const struct { const char *value; uint8_t type; } want[] = {
		{ "1", GK_J_INT }, { "\"a,]\\\"\"", GK_J_STRING },
		{ "{\"x\":[2]}", GK_J_OBJECT }, { "[ ]", GK_J_ARRAY },
		{ "true", GK_J_TRUE }, { "false", GK_J_FALSE },
		{ "null", GK_J_NULL }, { "-1.5e3", GK_J_REAL },
		{ "9223372036854775808", GK_J_REAL },
	};
	struct gk_member m;
	struct gk_walk w;
	size_t i;

	gk_walk_init(&w, a);
	for (i = 0; i < GK_ARRAY_LEN(want); i++) {
		ck_assert(gk_walk_next(&w, &m));
		ck_assert(gk_span_is(m.value, want[i].value));
		ck_assert_uint_eq(m.type, want[i].type);
		ck_assert_ptr_null(m.key.ptr);
	}
	ck_assert(!gk_walk_next(&w, &m));
	ck_assert(!gk_walk_next(&w, &m));
	ck_assert_uint_eq(gk_walk_count(a), GK_ARRAY_LEN(want));
}
END_TEST

START_TEST(test_members_come_with_their_names)
{
	struct gk_member m;
	struct gk_walk w;

	gk_walk_init(&w, gk_span_str("{\"a\" : 1,\"b\\\"\\\\\":\"\\\\\" }"));
	ck_assert(gk_walk_next(&w, &m));
	ck_assert(gk_span_is(m.key, "a"));
	ck_assert(!m.key_escaped);
	ck_assert_int_eq(m.integer, 1);
	ck_assert(gk_walk_next(&w, &m));
	ck_assert(gk_span_is(m.key, "b\\\"\\\\"));
	ck_assert(m.key_escaped);
	ck_assert(gk_span_is(m.value, "\"\\\\\""));
	ck_assert(m.escaped);
	ck_assert_int_eq(m.integer, 0);
	ck_assert(!gk_walk_next(&w, &m));
}
END_TEST

START_TEST(test_empty_containers)
{
	ck_assert_uint_eq(gk_walk_count(gk_span_str("{}")), 0);
	ck_assert_uint_eq(gk_walk_count(gk_span_str("[]")), 0);
	ck_assert_uint_eq(gk_walk_count(gk_span_str("[ \n\t\r]")), 0);
	ck_assert_uint_eq(gk_walk_count(gk_span_str("[[],[]]")), 2);
}
END_TEST

START_TEST(test_a_value_alone)
{
	const char *text = "  [\"]\"]  ", *end = text + strlen(text);
	struct gk_member m;

	memset(&m, 0, sizeof(m));
	ck_assert_ptr_eq(gk_walk_value(text, end, &m), text + 7);
	ck_assert(gk_span_is(m.value, "[\"]\"]"));
	ck_assert_uint_eq(m.type, GK_J_ARRAY);
}
END_TEST

START_TEST(test_a_span_that_is_one_value)
{
	static const struct { const char *value; uint8_t type; } want[] = {
		{ "[\"]\",{}]", GK_J_ARRAY }, { "{\"a\":[]}", GK_J_OBJECT },
		{ "\"a\\n\"", GK_J_STRING }, { "-7", GK_J_INT },
		{ "7.0", GK_J_REAL }, { "true", GK_J_TRUE },
		{ "false", GK_J_FALSE }, { "null", GK_J_NULL },
	};
	struct gk_member m;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(want); i++) {
		memset(&m, 0xff, sizeof(m));
		gk_walk_whole(gk_span_str(want[i].value), &m);
		ck_assert(gk_span_is(m.value, want[i].value));
		ck_assert_uint_eq(m.type, want[i].type);
		ck_assert_int_eq(m.integer, m.type == GK_J_INT ? -7 : 0);
		ck_assert(m.escaped == (m.type == GK_J_STRING));
		ck_assert_ptr_null(m.key.ptr);
	}
}
END_TEST

START_TEST(test_a_walk_may_begin_behind_a_member)
{
	const struct gk_span a = gk_span_str("{\"a\":[1,2] , \"b\":3 }");
	struct gk_member m, n;
	struct gk_walk w;

	gk_walk_init(&w, a);
	ck_assert(gk_walk_next(&w, &m));
	gk_walk_behind(&w, a, &m);
	ck_assert(gk_walk_next(&w, &n));
	ck_assert(gk_span_is(n.key, "b"));
	ck_assert_int_eq(n.integer, 3);
	gk_walk_behind(&w, a, &n);
	ck_assert(!gk_walk_next(&w, &m));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("walk");
	TCase *tc = tcase_create("walk");

	tcase_add_test(tc, test_elements_come_in_order);
	tcase_add_test(tc, test_members_come_with_their_names);
	tcase_add_test(tc, test_empty_containers);
	tcase_add_test(tc, test_a_value_alone);
	tcase_add_test(tc, test_a_span_that_is_one_value);
	tcase_add_test(tc, test_a_walk_may_begin_behind_a_member);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
