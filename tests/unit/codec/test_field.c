#include "util.h"

#include <stdio.h>
#include <string.h>

#include "codec/json.h"

/* One table, judged over a scanned text and over a tree: always alike. */
static const struct gk_field table[] = {
	{ "type", GK_J_STRING, 0, 1, 8 },
	{ "id", GK_J_INT, 0, 0, 0 },
	{ "n", GK_J_INT, GK_F_OPTIONAL, -2, 3 },
	{ "flag", GK_J_BOOL, GK_F_OPTIONAL, 0, 0 },
	{ "note", GK_J_STRING, GK_F_OPTIONAL | GK_F_NULL, 0, 0 },
	{ "list", GK_J_ARRAY | GK_J_OBJECT, GK_F_OPTIONAL, 1, 2 },
};
#define N	GK_ARRAY_LEN(table)

static const struct {
	const char	*text;
	const char	*why;		/* NULL: fits */
	const char	*name;
} rows[] = {
	{ "{\"type\":\"x\",\"id\":1}", NULL, NULL },
	{ "{\"id\":1,\"type\":\"x\"}", NULL, NULL },
	{ "{\"\\u0069d\":1,\"type\":\"x\"}", NULL, NULL },
	{ "{\"type\":\"x\",\"id\":1,\"n\":-2,\"flag\":true,\"note\":\"\","
	    "\"list\":[1]}", NULL, NULL },
	{ "{}", "missing", "type" },
	{ "{\"type\":\"x\"}", "missing", "id" },
	{ "{\"id\":1}", "missing", "type" },
	{ "{\"type\":1,\"id\":1}", "wrong type", "type" },
	{ "{\"type\":null,\"id\":1}", "wrong type", "type" },
	{ "{\"type\":\"\",\"id\":1}", "out of range", "type" },
	{ "{\"type\":\"12345678\",\"id\":1}", NULL, NULL },
	{ "{\"type\":\"123456789\",\"id\":1}", "out of range", "type" },
	/* Bytes of the decoded text count: 4 times two. */
	{ "{\"type\":\"\\u00e9\\u00e9\\u00e9\\u00e9\",\"id\":1}", NULL, NULL },
	{ "{\"type\":\"\\u00e9\\u00e9\\u00e9\\u00e9a\",\"id\":1}",
	    "out of range", "type" },
	{ "{\"type\":\"x\",\"id\":1.0}", "wrong type", "id" },
	{ "{\"type\":\"x\",\"id\":1e0}", "wrong type", "id" },
	{ "{\"type\":\"x\",\"id\":true}", "wrong type", "id" },
	{ "{\"type\":\"x\",\"id\":9007199254740991}", NULL, NULL },
	{ "{\"type\":\"x\",\"id\":9007199254740992}", "out of range", "id" },
	{ "{\"type\":\"x\",\"id\":-9007199254740991}", NULL, NULL },
	{ "{\"type\":\"x\",\"id\":-9007199254740992}", "out of range", "id" },
	{ "{\"type\":\"x\",\"id\":9223372036854775808}", "wrong type", "id" },
	{ "{\"type\":\"x\",\"id\":1,\"n\":-3}", "out of range", "n" },
	{ "{\"type\":\"x\",\"id\":1,\"n\":3}", NULL, NULL },
	{ "{\"type\":\"x\",\"id\":1,\"n\":4}", "out of range", "n" },
	{ "{\"type\":\"x\",\"id\":1,\"n\":null}", "wrong type", "n" },
	{ "{\"type\":\"x\",\"id\":1,\"note\":null}", NULL, NULL },
	{ "{\"type\":\"x\",\"id\":1,\"note\":7}", "wrong type", "note" },
	{ "{\"type\":\"x\",\"id\":1,\"list\":[]}", "out of range", "list" },
	{ "{\"type\":\"x\",\"id\":1,\"list\":{\"a\":1,\"b\":2}}", NULL, NULL },
	{ "{\"type\":\"x\",\"id\":1,\"list\":[1,2,3]}", "out of range",
	    "list" },
	{ "{\"type\":\"x\",\"id\":1,\"more\":1}", "unknown", "more" },
	{ "{\"more\":1,\"type\":\"x\",\"id\":1,\"note\":null}", "unknown",
	    "more" },
	{ "{\"type\":\"x\",\"id\":1,\"Type\":\"x\"}", "unknown", "Type" },
	{ "[]", "not an object", "" },
	{ "\"type\"", "not an object", "" },
};

static struct gk_test t;

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_test_done(&t);
}

static void
check_why(int i, int r, const struct gk_field_why *why)
{
	if (rows[i].why == NULL) {
		ck_assert_int_eq(r, 0);
		return;
	}
	ck_assert_int_eq(r, GENKAN_E_FRAME_MEMBER);
	ck_assert_str_eq(why->text, rows[i].why);
	ck_assert(gk_span_is(why->name, rows[i].name));
	ck_assert_int_eq(why->field == NULL,
	    strcmp(rows[i].why, "unknown") == 0 ||
	    strcmp(rows[i].why, "not an object") == 0);
}

START_TEST(test_tables_over_text)
{
	struct gk_member ret[N];
	struct gk_field_why why;

	check_why(_i, gk_fields_span(gk_span_str(rows[_i].text), table, N,
	    false, ret, &why), &why);
}
END_TEST

START_TEST(test_tables_over_trees)
{
	struct gk_field_why why;
	json_t *v, *ret[N];

	v = gk_json_build(t.ctx, gk_span_str(rows[_i].text));
	ck_assert_ptr_nonnull(v);
	check_why(_i, gk_fields_json(v, table, N, false, ret, &why), &why);
	json_decref(v);
}
END_TEST

START_TEST(test_values_stand_where_their_rows_do)
{
	struct gk_span text = gk_span_str("{\"note\":null,\"n\":2,\"id\":1,"
	    "\"type\":\"x\"}");
	struct gk_member m[N];
	json_t *v, *j[N];

	ck_assert_int_eq(gk_fields_span(text, table, N, false, m, NULL), 0);
	ck_assert(gk_span_is(m[0].value, "\"x\""));
	ck_assert_int_eq(m[1].integer, 1);
	ck_assert_int_eq(m[2].integer, 2);
	ck_assert_uint_eq(m[3].type, 0);
	ck_assert_uint_eq(m[4].type, 0);	/* null counts as absent */
	ck_assert_uint_eq(m[5].type, 0);
	v = gk_json_build(t.ctx, text);
	ck_assert_int_eq(gk_fields_json(v, table, N, false, j, NULL), 0);
	ck_assert_str_eq(json_string_value(j[0]), "x");
	ck_assert_int_eq(json_integer_value(j[2]), 2);
	ck_assert_ptr_null(j[3]);
	ck_assert_ptr_null(j[4]);
	json_decref(v);
}
END_TEST

START_TEST(test_lenient_tables_let_the_unknown_pass)
{
	struct gk_span text = gk_span_str("{\"z\":1,\"id\":1,\"type\":\"x\"}");
	struct gk_span bad = gk_span_str("{\"z\":1,\"id\":\"1\",\"type\":\"x\"}");
	struct gk_member m[N];
	json_t *v, *j[N];

	ck_assert_int_eq(gk_fields_span(text, table, N, true, m, NULL), 0);
	ck_assert_int_eq(gk_fields_span(bad, table, N, true, m, NULL),
	    GENKAN_E_FRAME_MEMBER);
	v = gk_json_build(t.ctx, text);
	ck_assert_int_eq(gk_fields_json(v, table, N, true, j, NULL), 0);
	json_decref(v);
}
END_TEST

/* More members than are kept at hand: all of them are still known. */
START_TEST(test_many_unknown_members)
{
	char text[2000] = "{", *p = text + 1;
	struct gk_field_why why;
	struct gk_member m[N];
	int i;

	for (i = 0; i < 100; i++)
		p += sprintf(p, "\"k%d\":%d,", i, i);
	strcpy(p, "\"type\":\"x\",\"id\":1}");
	ck_assert_int_eq(gk_fields_span(gk_span_str(text), table, N, true, m,
	    &why), 0);
	ck_assert_int_eq(m[1].integer, 1);
	ck_assert_int_eq(gk_fields_span(gk_span_str(text), table, N, false, m,
	    &why), GENKAN_E_FRAME_MEMBER);
	ck_assert(gk_span_is(why.name, "k0"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("field");
	TCase *tc = tcase_create("field");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_tables_over_text, 0, GK_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, test_tables_over_trees, 0, GK_ARRAY_LEN(rows));
	tcase_add_test(tc, test_values_stand_where_their_rows_do);
	tcase_add_test(tc, test_lenient_tables_let_the_unknown_pass);
	tcase_add_test(tc, test_many_unknown_members);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
