#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "codec/keyset.h"
#include "codec/scan.h"

static struct gk_test t;
static struct gk_member m[8];
static struct gk_scan s;

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

static int
scan(const char *text)
{
	return gk_scan(t.ctx, text, strlen(text), m, GK_ARRAY_LEN(m), &s);
}

START_TEST(test_members_are_reported_in_order_with_their_spans)
{
	const char *text = " {\"id\" : -12 ,\"a\\u0062\":\"x\\n\",\"o\":{\"p\":"
	    "[1,{}]},\"t\":true,\"f\":false,\"n\":null,\"r\":1.5e3}\t";

	ck_assert_int_eq(scan(text), 0);
	ck_assert_int_eq(s.why, GK_SCAN_OK);
	ck_assert_uint_eq(s.n, 7);
	ck_assert_uint_eq(s.total, 7);
	ck_assert_ptr_eq(s.text.ptr, text + 1);
	ck_assert_uint_eq(s.text.len, strlen(text) - 2);
	ck_assert(!s.canonical);

	ck_assert(gk_span_is(m[0].key, "id"));
	ck_assert(gk_span_is(m[0].value, "-12"));
	ck_assert_uint_eq(m[0].type, GK_J_INT);
	ck_assert_int_eq(m[0].integer, -12);
	ck_assert(!m[0].key_escaped);

	ck_assert(gk_span_is(m[1].key, "a\\u0062"));
	ck_assert(m[1].key_escaped);
	ck_assert(gk_span_is(m[1].value, "\"x\\n\""));
	ck_assert_uint_eq(m[1].type, GK_J_STRING);
	ck_assert(m[1].escaped);

	ck_assert(gk_span_is(m[2].value, "{\"p\":[1,{}]}"));
	ck_assert_uint_eq(m[2].type, GK_J_OBJECT);
	ck_assert_uint_eq(m[3].type, GK_J_TRUE);
	ck_assert_uint_eq(m[4].type, GK_J_FALSE);
	ck_assert_uint_eq(m[5].type, GK_J_NULL);
	ck_assert_uint_eq(m[6].type, GK_J_REAL);
	ck_assert(gk_span_is(m[6].value, "1.5e3"));
}
END_TEST

START_TEST(test_an_empty_object)
{
	ck_assert_int_eq(scan("{}"), 0);
	ck_assert_uint_eq(s.total, 0);
	ck_assert(s.canonical);
	ck_assert_int_eq(scan("{ }"), 0);
	ck_assert(!s.canonical);
}
END_TEST

/* Every beginning of a valid text is none. */
START_TEST(test_no_truncation_is_accepted)
{
	const char *text = "{\"a\":[1,-2.5e+3,\"\\u00e9\\ud83d\\ude00\xe2\x82"
	    "\xac\\n\",true,false,null],\"b\":{\"c\":{}},\"a\\u0062\":0}";
	size_t len = strlen(text), n;
	char *copy;

	ck_assert_int_eq(scan(text), 0);
	for (n = 0; n < len; n++) {
		/* A block of its own, so that reading on is noticed. */
		copy = malloc(n == 0 ? 1 : n);
		memcpy(copy, text, n);
		ck_assert_int_lt(gk_scan(t.ctx, copy, n, m, 8, &s), 0);
		ck_assert_uint_le(s.at, n);
		ck_assert_uint_eq(s.n, 0);
		ck_assert_uint_eq(s.total, 0);
		free(copy);
	}
}
END_TEST

START_TEST(test_valid_json_that_is_no_object_is_told_apart)
{
	static const struct { const char *text; uint8_t type; } row[] = {
		{ "[]", GK_J_ARRAY }, { " [1,{\"a\":2}] ", GK_J_ARRAY },
		{ "\"x\"", GK_J_STRING }, { "12", GK_J_INT },
		{ "-0.5", GK_J_REAL }, { "true", GK_J_TRUE },
		{ "false", GK_J_FALSE }, { "null", GK_J_NULL },
	};
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		ck_assert_int_eq(scan(row[i].text), GENKAN_E_FRAME_TYPE);
		ck_assert_int_eq(s.why, GK_SCAN_TOP);
		ck_assert_uint_eq(s.top, row[i].type);
	}
	ck_assert_int_eq(scan("[1,"), GENKAN_E_FRAME_JSON);
	ck_assert_int_eq(scan("[{\"a\":1,\"a\":2}]"), GENKAN_E_FRAME_DUP);
	ck_assert_int_eq(scan("[] []"), GENKAN_E_FRAME_JSON);
}
END_TEST

static char *
nested(size_t depth, bool objects)
{
	char *text = malloc(depth * 6 + 8), *p = text;
	size_t i;

	p += sprintf(p, "{\"a\":");
	for (i = 1; i < depth; i++)
		p += sprintf(p, objects ? "{\"a\":" : "[");
	p += sprintf(p, "0");
	for (i = 1; i < depth; i++)
		*p++ = objects ? '}' : ']';
	strcpy(p, "}");
	return text;
}

START_TEST(test_the_limit_of_depth)
{
	static const struct { size_t depth; int want; } row[] = {
		{ 127, 0 }, { 128, 0 }, { 129, GENKAN_E_FRAME_DEPTH },
		{ 10000, GENKAN_E_FRAME_DEPTH },
		{ 1000000, GENKAN_E_FRAME_DEPTH },
	};
	size_t i, objects;
	char *text;

	for (i = 0; i < GK_ARRAY_LEN(row); i++)
		for (objects = 0; objects < 2; objects++) {
			text = nested(row[i].depth, objects == 1);
			ck_assert_int_eq(scan(text), row[i].want);
			free(text);
		}
	/* An array at the top counts as a level too. */
	text = calloc(1, 2 * 129 + 1);
	memset(text, '[', 128);
	memset(text + 128, ']', 128);
	ck_assert_int_eq(scan(text), GENKAN_E_FRAME_TYPE);
	memset(text, '[', 129);
	memset(text + 129, ']', 129);
	ck_assert_int_eq(scan(text), GENKAN_E_FRAME_DEPTH);
	ck_assert_uint_eq(s.at, 128);
	free(text);
}
END_TEST

START_TEST(test_more_members_than_room)
{
	struct gk_member f, two[2];
	const char *text = "{\"a\":1,\"b\":2,\"c\":{\"a\":0},\"\\u0064\":4 , "
	    "\"e\":[\"}\"],\"f\":\"\\\"f\"}";

	ck_assert_int_eq(gk_scan(t.ctx, text, strlen(text), two, 2, &s), 0);
	ck_assert_uint_eq(s.n, 2);
	ck_assert_uint_eq(s.total, 6);
	ck_assert(gk_scan_find(&s, "a", &f));
	ck_assert_int_eq(f.integer, 1);
	ck_assert(gk_scan_find(&s, "c", &f));
	ck_assert(gk_span_is(f.value, "{\"a\":0}"));
	ck_assert(gk_scan_find(&s, "d", &f));
	ck_assert_int_eq(f.integer, 4);
	ck_assert_uint_eq(f.type, GK_J_INT);
	ck_assert(gk_scan_find(&s, "e", &f));
	ck_assert(gk_span_is(f.value, "[\"}\"]"));
	ck_assert(gk_scan_find(&s, "f", &f));
	ck_assert(gk_span_is(f.value, "\"\\\"f\""));
	ck_assert(f.escaped);
	ck_assert(!gk_scan_find(&s, "g", &f));
	ck_assert_uint_eq(f.type, 0);
	/* No room at all. */
	ck_assert_int_eq(gk_scan(t.ctx, text, strlen(text), NULL, 0, &s), 0);
	ck_assert_uint_eq(s.n, 0);
	ck_assert(gk_scan_find(&s, "a", &f));
	ck_assert(gk_scan_find(&s, "f", &f));
	/* Trouble behind the last one reported is still trouble. */
	text = "{\"a\":1,\"b\":2,\"c\":3,\"c\":4}";
	ck_assert_int_eq(gk_scan(t.ctx, text, strlen(text), two, 2, &s),
	    GENKAN_E_FRAME_DUP);
}
END_TEST

START_TEST(test_names_are_found_however_they_are_spelled)
{
	struct gk_member f;

	ck_assert_int_eq(scan("{\"\\u0069d\":1,\"\\u00e9\":2,\"\\ud83d\\ude00"
	    "\":3,\"\":4,\"a\\/b\":5,\"q\\\"\":6}"), 0);
	ck_assert(gk_scan_find(&s, "id", &f));
	ck_assert_int_eq(f.integer, 1);
	ck_assert(gk_scan_find(&s, "\xc3\xa9", &f));
	ck_assert_int_eq(f.integer, 2);
	ck_assert(gk_scan_find(&s, "\xf0\x9f\x98\x80", &f));
	ck_assert_int_eq(f.integer, 3);
	ck_assert(gk_scan_find(&s, "", &f));
	ck_assert_int_eq(f.integer, 4);
	ck_assert(gk_scan_find(&s, "a/b", &f));
	ck_assert_int_eq(f.integer, 5);
	ck_assert(gk_scan_find(&s, "q\"", &f));
	ck_assert_int_eq(f.integer, 6);
	ck_assert(!gk_scan_find(&s, "i", &f));
	ck_assert(!gk_scan_find(&s, "idd", &f));
}
END_TEST

/* With room for _i members, the rest found by a walk: what is picked at once is
 * what is found one by one. */
START_TEST(test_several_names_at_once_are_those_found_one_by_one)
{
	static const char *const names[] = {
		"b", "nothing", "", "id", "i", "idd", "\xc3\xa9", "a/b", "o",
		"last"
	};
	const char *text = "{\"a\":1,\"\\u0069d\":2,\"\\u00e9\":3 , "
	    "\"o\":{\"b\":0},\"\":4,\"a\\/b\":5,\"b\":[\"x\"],\"last\":6}";
	struct gk_member some[8], got[GK_ARRAY_LEN(names)], want;
	size_t i, n = 0;

	ck_assert_int_eq(gk_scan(t.ctx, text, strlen(text), some, (size_t)_i,
	    &s), 0);
	memset(got, 0xff, sizeof(got));
	ck_assert_uint_eq(gk_scan_pick(&s, names, GK_ARRAY_LEN(names), got),
	    7);
	for (i = 0; i < GK_ARRAY_LEN(names); i++) {
		n += gk_scan_find(&s, names[i], &want);
		ck_assert_uint_eq(got[i].type, want.type);
		ck_assert_ptr_eq(got[i].value.ptr, want.value.ptr);
		ck_assert_uint_eq(got[i].value.len, want.value.len);
		ck_assert_int_eq(got[i].integer, want.integer);
	}
	ck_assert_uint_eq(n, 7);
	ck_assert(gk_span_is(got[0].value, "[\"x\"]"));
	ck_assert_int_eq(got[9].integer, 6);
	/* Nothing is touched behind those that were asked for. */
	memset(got, 0xff, sizeof(got));
	ck_assert_uint_eq(gk_scan_pick(&s, names, 1, got), 1);
	ck_assert_uint_eq(got[1].type, 0xff);
}
END_TEST

START_TEST(test_an_object_inside_is_listed_the_same_way)
{
	struct gk_member f, in[2];
	struct gk_scan o;

	ck_assert_int_eq(scan("{\"params\":{ \"name\" : \"x\" ,\"arguments\":"
	    "{\"a\":[{}]}, \"\\u007a\":-3 }}"), 0);
	gk_scan_object(m[0].value, in, 2, &o);
	ck_assert_uint_eq(o.total, 3);
	ck_assert_uint_eq(o.n, 2);
	ck_assert(gk_span_is(in[0].key, "name"));
	ck_assert(gk_span_is(in[0].value, "\"x\""));
	ck_assert(gk_span_is(in[1].value, "{\"a\":[{}]}"));
	ck_assert(gk_scan_find(&o, "z", &f));
	ck_assert_int_eq(f.integer, -3);
	gk_scan_object(gk_span("{}", 2), in, 2, &o);
	ck_assert_uint_eq(o.total, 0);
}
END_TEST

static const struct {
	const char	*text;
	bool		 canonical;
} spelling[] = {
	{ "{\"a\":1}", true },
	{ " {\"a\":1}", false },
	{ "{\"a\":1} ", false },
	{ "{\"a\":1}\n", false },
	{ "{\"a\" :1}", false },
	{ "{\"a\": 1}", false },
	{ "{\"a\":[1, 2]}", false },
	{ "{\"a\":[1 ]}", false },
	{ "{\"a\":[ ]}", false },
	{ "{\"a b\":\"c d\"}", true },
	{ "{\"a\":\"\xc3\xa9\xe2\x80\xa8\x7f\"}", true },
	{ "{\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\"}", true },
	{ "{\"a\":\"\\/\"}", false },
	{ "{\"a\":\"/\"}", true },
	{ "{\"a\":\"\\u0000\"}", true },
	{ "{\"a\":\"\\u001F\"}", true },
	{ "{\"a\":\"\\u001f\"}", false },
	{ "{\"a\":\"\\u000b\"}", false },
	{ "{\"a\":\"\\u000B\"}", true },
	{ "{\"a\":\"\\u000A\"}", false },	/* has a short form */
	{ "{\"a\":\"\\u0022\"}", false },
	{ "{\"a\":\"\\u005C\"}", false },
	{ "{\"a\":\"\\u0041\"}", false },
	{ "{\"a\":\"\\u007F\"}", false },
	{ "{\"a\":\"\\u00e9\"}", false },
	{ "{\"a\":\"\\ud83d\\ude00\"}", false },
	{ "{\"\\u0001\":0}", true },
	{ "{\"\\u0061\":0}", false },
	{ "{\"a\":1E+2,\"b\":-0,\"c\":1.50}", true },	/* as spelled */
};

START_TEST(test_canonical_means_what_compacting_writes)
{
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, 1000);
	ck_assert_int_eq(scan(spelling[_i].text), 0);
	ck_assert_int_eq(s.canonical, spelling[_i].canonical);
	ck_assert_int_eq(gk_scan_compact(&b, s.text), 0);
	ck_assert_int_eq(gk_span_is(gk_buf_span(&b), spelling[_i].text),
	    spelling[_i].canonical);
	gk_buf_done(&b);
}
END_TEST

/* n members, the last of them named like the first. */
static char *
object(size_t n, const char *last)
{
	char *text = malloc(n * 24 + 64), *p = text;
	size_t i;

	*p++ = '{';
	for (i = 0; i + 1 < n; i++)
		p += sprintf(p, "\"member%zu\":%zu,", i, i);
	sprintf(p, "\"%s\":0}", last);
	return text;
}

START_TEST(test_a_repeated_member_is_found_among_any_number)
{
	static const size_t sizes[] = { 2, 3, GK_KEYSET_SMALL - 1,
	    GK_KEYSET_SMALL, GK_KEYSET_SMALL + 1, GK_KEYSET_SMALL + 2, 47, 48,
	    49, 50, 96, 97, 1000, 100000 };
	static const char *const names[] = { "member0", "m\\u0065mber0",
	    "\\u006dember\\u0030" };
	size_t i, j;
	char *text;

	for (i = 0; i < GK_ARRAY_LEN(sizes); i++) {
		text = object(sizes[i], "last");
		ck_assert_int_eq(scan(text), 0);
		ck_assert_uint_eq(s.total, sizes[i]);
		free(text);
		for (j = 0; j < GK_ARRAY_LEN(names); j++) {
			text = object(sizes[i], names[j]);
			ck_assert_int_eq(scan(text), GENKAN_E_FRAME_DUP);
			ck_assert_int_eq(s.why, GK_SCAN_DUPLICATE);
			ck_assert_ptr_eq(text + s.at,
			    strrchr(text, ',') + 1);
			free(text);
		}
	}
}
END_TEST

/* The tag of a short name must not decide by itself. */
START_TEST(test_similar_names_are_not_repeated)
{
	ck_assert_int_eq(scan("{\"abcdxefgh\":1,\"abcdyefgh\":2}"), 0);
	ck_assert_int_eq(scan("{\"\":1,\"a\":2,\"aa\":3,\"aaa\":4}"), 0);
	ck_assert_int_eq(scan("{\"abab\":1,\"baba\":2,\"aabb\":3}"), 0);
	ck_assert_int_eq(scan("{\"ab\":1,\"ba\":2,\"aba\":3,\"aab\":4,"
	    "\"baa\":5}"), 0);
	ck_assert_int_eq(scan("{\"aba\":1,\"aab\":2,\"aba\":3}"),
	    GENKAN_E_FRAME_DUP);
	ck_assert_int_eq(scan("{\"ab\":1,\"b\":2,\"ab\":3}"),
	    GENKAN_E_FRAME_DUP);
	ck_assert_int_eq(scan("{\"a\\u0001\":1,\"a\\u0002\":2}"), 0);
	ck_assert_int_eq(scan("{\"\xc3\xa9\":1,\"\\u00e8\":2}"), 0);
	ck_assert_int_eq(scan("{\"\xc3\xa9\":1,\"\\u00e9\":2}"),
	    GENKAN_E_FRAME_DUP);
	ck_assert_int_eq(scan("{\"\":1,\"\":2}"), GENKAN_E_FRAME_DUP);
	ck_assert_int_eq(scan("{\"a\":{\"b\":1},\"b\":{\"a\":1}}"), 0);
	ck_assert_int_eq(scan("{\"a\":[{\"b\":1},{\"b\":1,\"b\":1}]}"),
	    GENKAN_E_FRAME_DUP);
}
END_TEST

/* Escaped names that come first are known when few become many. */
START_TEST(test_escaped_names_are_kept_when_few_become_many)
{
	char text[2000], *p = text;
	int i;

	for (i = 0; i < 40; i++)
		p += sprintf(p, "%c\"\\u0061%02d\\n\":0", i == 0 ? '{' : ',', i);
	strcpy(p, "}");
	ck_assert_int_eq(scan(text), 0);
	strcpy(p, ",\"a00\\u000a\":0}");
	ck_assert_int_eq(scan(text), GENKAN_E_FRAME_DUP);
	strcpy(p, ",\"a00\\u000b\":0}");
	ck_assert_int_eq(scan(text), 0);
	/* Equal length and ends, another escape in the middle. */
	ck_assert_int_eq(scan("{\"abcd\\n\\tefgh\":1,\"abcd\\r\\fefgh\":2}"),
	    0);
	ck_assert_int_eq(scan("{\"abcd\\n\\tefgh\":1,\"abcd\\u000a\\u0009"
	    "efgh\":2}"), GENKAN_E_FRAME_DUP);
}
END_TEST

START_TEST(test_a_text_of_4_gib_is_not_even_looked_at)
{
	ck_assert_int_eq(gk_scan(t.ctx, "{}", (size_t)UINT32_MAX + 1, m, 8,
	    &s), GENKAN_E_FRAME_JSON);
	ck_assert_int_eq(s.why, GK_SCAN_SIZE);
}
END_TEST

/* Names so long that their ends do not stand for them. */
START_TEST(test_long_names_are_compared_whole)
{
	char text[2 * 300 + 32], name[300];
	size_t len, at;

	for (len = 60; len < 70; len++)
		for (at = 0; at < len; at += 7) {
			memset(name, 'n', len);
			name[len] = '\0';
			sprintf(text, "{\"%s\":1,\"%s\":2}", name, name);
			ck_assert_int_eq(scan(text), GENKAN_E_FRAME_DUP);
			text[2 + at] = 'm';
			ck_assert_int_eq(scan(text), 0);
			sprintf(text, "{\"%s\":1,\"\\u006e%s\":2}", name,
			    name + 1);
			ck_assert_int_eq(scan(text), GENKAN_E_FRAME_DUP);
		}
}
END_TEST

START_TEST(test_what_is_common_allocates_nothing)
{
	size_t before = t.allocs;
	char *text;

	ck_assert_int_eq(scan("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"tab_list\",\"arguments\":"
	    "{\"a\":[[[[{\"x\":\"\\u00e9\"}]]]]}}}"), 0);
	text = object(GK_KEYSET_SMALL, "last");
	ck_assert_int_eq(scan(text), 0);
	free(text);
	ck_assert_uint_eq(t.allocs, before);
}
END_TEST

static int
sweep(struct gk_test *u, void *text)
{
	return gk_scan(u->ctx, text, strlen(text), m, 8, &s);
}

START_TEST(test_lack_of_memory_is_reported_as_such)
{
	char *text = object(200, "l\\u0061st");

	memcpy(text + 2, "\\u0061", 6);	/* member0: escaped too */

	ck_assert_uint_gt(gk_test_sweep(&t, sweep, text), 3);
	free(text);
	ck_assert_uint_gt(gk_test_sweep(&t, sweep,
	    (void *)(uintptr_t)"{\"\\u0061\":1}"), 1);
}
END_TEST

START_TEST(test_the_bounds_of_integers)
{
	static const struct {
		const char	*text;
		uint8_t		 type;
		int64_t		 value;
	} row[] = {
		{ "{\"a\":0}", GK_J_INT, 0 },
		{ "{\"a\":-0}", GK_J_INT, 0 },
		{ "{\"a\":9007199254740991}", GK_J_INT, GK_INTEGER_MAX },
		{ "{\"a\":9223372036854775806}", GK_J_INT, INT64_MAX - 1 },
		{ "{\"a\":9223372036854775807}", GK_J_INT, INT64_MAX },
		{ "{\"a\":9223372036854775808}", GK_J_REAL, 0 },
		{ "{\"a\":-9223372036854775807}", GK_J_INT, -INT64_MAX },
		{ "{\"a\":-9223372036854775808}", GK_J_INT, INT64_MIN },
		{ "{\"a\":-9223372036854775809}", GK_J_REAL, 0 },
		{ "{\"a\":18446744073709551616}", GK_J_REAL, 0 },
		{ "{\"a\":1.0}", GK_J_REAL, 0 },
		{ "{\"a\":1e0}", GK_J_REAL, 0 },
	};
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		ck_assert_int_eq(scan(row[i].text), 0);
		ck_assert_uint_eq(m[0].type, row[i].type);
		ck_assert_int_eq(m[0].integer, row[i].value);
	}
}
END_TEST

START_TEST(test_every_reason_has_a_name_and_a_sentence)
{
	int why;

	for (why = GK_SCAN_OK; why <= GK_SCAN_SIZE; why++) {
		ck_assert_uint_gt(strlen(gk_scan_why_name(why)), 1);
		ck_assert_uint_gt(strlen(gk_scan_why_text(why)), 1);
	}
	ck_assert_str_eq(gk_json_type_name(GK_J_OBJECT), "object");
	ck_assert_str_eq(gk_json_type_name(GK_J_ARRAY), "array");
	ck_assert_str_eq(gk_json_type_name(GK_J_STRING), "string");
	ck_assert_str_eq(gk_json_type_name(GK_J_INT), "integer");
	ck_assert_str_eq(gk_json_type_name(GK_J_REAL), "real");
	ck_assert_str_eq(gk_json_type_name(GK_J_TRUE), "boolean");
	ck_assert_str_eq(gk_json_type_name(GK_J_FALSE), "boolean");
	ck_assert_str_eq(gk_json_type_name(GK_J_NULL), "null");
	ck_assert_str_eq(gk_json_type_name(0), "nothing");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("scan");
	TCase *tc = tcase_create("scan");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc,
	    test_members_are_reported_in_order_with_their_spans);
	tcase_add_test(tc, test_an_empty_object);
	tcase_add_test(tc, test_no_truncation_is_accepted);
	tcase_add_test(tc, test_valid_json_that_is_no_object_is_told_apart);
	tcase_add_test(tc, test_the_limit_of_depth);
	tcase_add_test(tc, test_more_members_than_room);
	tcase_add_test(tc, test_names_are_found_however_they_are_spelled);
	tcase_add_loop_test(tc,
	    test_several_names_at_once_are_those_found_one_by_one, 0, 9);
	tcase_add_test(tc, test_an_object_inside_is_listed_the_same_way);
	tcase_add_loop_test(tc, test_canonical_means_what_compacting_writes, 0,
	    GK_ARRAY_LEN(spelling));
	tcase_add_test(tc, test_a_repeated_member_is_found_among_any_number);
	tcase_add_test(tc, test_similar_names_are_not_repeated);
	tcase_add_test(tc,
	    test_escaped_names_are_kept_when_few_become_many);
	if (SIZE_MAX > UINT32_MAX)
		tcase_add_test(tc,
		    test_a_text_of_4_gib_is_not_even_looked_at);
	tcase_add_test(tc, test_long_names_are_compared_whole);
	tcase_add_test(tc, test_what_is_common_allocates_nothing);
	tcase_add_test(tc, test_lack_of_memory_is_reported_as_such);
	tcase_add_test(tc, test_the_bounds_of_integers);
	tcase_add_test(tc, test_every_reason_has_a_name_and_a_sentence);
	suite_add_tcase(suite, tc);
	return gk_test_main(suite);
}
