/* The loader of all records: control.md 12.1, 12.2. */
#include <stdio.h>
#include <string.h>

#include "codec/json.h"
#include "records/record.h"
#include "records/store.h"
#include "util.h"

#define CAP	4096

static struct gk_test t;
static struct gk_rec rec;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
	memset(&rec, 0, sizeof(rec));
	memset(why, 'x', sizeof(why));
}

static void
teardown(void)
{
	gk_test_done(&t);
}

/* Two made-up rungs: version 3 had "a", 4 has "b", 5 has "b" and "c". */
static int
rename_a(json_t *o)
{
	json_t *a = json_object_get(o, "a");

	return a == NULL || json_object_set(o, "b", a) != 0 ||
	    json_object_del(o, "a") != 0 ? -1 : 0;
}

static int
add_c(json_t *o)
{
	return json_object_set_new(o, "c", json_integer(7));
}

static int
fails(json_t *o)
{
	(void)o;
	return -1;
}

static int (*const rungs[])(json_t *) = { rename_a, add_c };
static int (*const broken[])(json_t *) = { rename_a, fails };
static const struct gk_ladder flat = { 0, 0, NULL };
static const struct gk_ladder made_up = { 3, 2, rungs };
static const struct gk_ladder snapped = { 3, 2, broken };

static int
open_text(const struct gk_ladder *l, const char *text)
{
	return gk_record_open(t.ctx, l, text, strlen(text), CAP, &rec, why,
	    sizeof(why));
}

START_TEST(test_a_record_of_the_current_version_is_taken_as_it_is)
{
	static const char text[] = " {\"version\":0,\"x\":[1]} \n";

	ck_assert_int_eq(open_text(&flat, text), 0);
	ck_assert_str_eq(why, "");
	ck_assert_uint_eq(rec.version, 0);
	ck_assert(gk_span_is(rec.text, "{\"version\":0,\"x\":[1]}"));
	gk_record_done(&rec);
}
END_TEST

static const struct {
	const char	*text;
	const char	*reason;	/* part of it */
} damaged[] = {
	{ "", "not valid JSON" },
	{ "{\"version\":0", "not valid JSON" },
	{ "{\"version\":0}x", "not valid JSON" },
	{ "\xef\xbb\xbf{\"version\":0}", "not valid JSON" },
	{ "{\"version\":0,\"a\":\"\xff\"}", "not valid JSON" },
	{ "{\"version\":0,\"a\":1,\"a\":1}", "not valid JSON" },
	{ "{\"version\":0,\"a\":{\"b\":[{\"c\":1,\"\\u0063\":2}]}}",
	    "not valid JSON" },
	{ "[]", "not a JSON object" },
	{ "null", "not a JSON object" },
	{ "\"version\"", "not a JSON object" },
	{ "{}", "version is missing" },
	{ "{\"Version\":0}", "version is missing" },
	{ "{\"version\":\"0\"}", "version: not an integer" },
	{ "{\"version\":null}", "version: not an integer" },
	{ "{\"version\":0.0}", "version: not an integer" },
	{ "{\"version\":0e0}", "version: not an integer" },
	{ "{\"version\":-0}", "version: not an integer" },
	{ "{\"version\":-1}", "version: not an integer" },
	{ "{\"version\":9007199254740992}", "version: not an integer" },
	{ "{\"version\":99999999999999999999}", "version: not an integer" },
};

START_TEST(test_a_damaged_record_says_why)
{
	ck_assert_int_eq(open_text(&flat, damaged[_i].text),
	    GENKAN_E_RECORD_CORRUPT);
	ck_assert_msg(strstr(why, damaged[_i].reason) != NULL, "%s: %s",
	    damaged[_i].text, why);
	gk_record_done(&rec);
}
END_TEST

START_TEST(test_depth_is_limited)
{
	char text[1024] = "{\"version\":0,\"a\":";
	size_t i, n = strlen(text), levels = 127;

	for (i = 0; i < levels; i++)
		text[n + i] = '[';
	for (i = 0; i < levels; i++)
		text[n + levels + i] = ']';
	text[n + 2 * levels] = '}';
	ck_assert_int_eq(open_text(&flat, text), 0);
	gk_record_done(&rec);
	memmove(text + n + 1, text + n, 2 * levels + 1);
	text[n] = '[';
	memcpy(text + n + 2 * levels + 1, "]}", 3);
	ck_assert_int_eq(open_text(&flat, text), GENKAN_E_RECORD_CORRUPT);
	gk_record_done(&rec);
}
END_TEST

/* A file one byte too large is refused before anything in it is looked at. */
START_TEST(test_the_cap_comes_first)
{
	char text[CAP + 2];
	int len = CAP - 1 + _i;

	memset(text, ' ', sizeof(text));
	memcpy(text, "{\"version\":0}", 13);
	ck_assert_int_eq(gk_record_open(t.ctx, &flat, text, (size_t)len, CAP,
	    &rec, why, sizeof(why)), _i < 2 ? 0 : GENKAN_E_TOO_LARGE);
	ck_assert_str_eq(why, _i < 2 ? "" : "larger than 4096 bytes");
	gk_record_done(&rec);
	memset(text, '{', sizeof(text));
	ck_assert_int_eq(gk_record_open(t.ctx, &flat, text, (size_t)len, CAP,
	    &rec, why, sizeof(why)), _i < 2 ? GENKAN_E_RECORD_CORRUPT :
	    GENKAN_E_TOO_LARGE);
	gk_record_done(&rec);
}
END_TEST

START_TEST(test_versions_outside_the_ladder_are_told_apart)
{
	ck_assert_int_eq(open_text(&made_up, "{\"version\":2}"),
	    GENKAN_E_RECORD_OLDER);
	ck_assert_ptr_nonnull(strstr(why, "too old"));
	gk_record_done(&rec);
	ck_assert_int_eq(open_text(&made_up, "{\"version\":6}"),
	    GENKAN_E_RECORD_NEWER);
	ck_assert_ptr_nonnull(strstr(why, "newer genkan"));
	gk_record_done(&rec);
	ck_assert_int_eq(open_text(&flat, "{\"version\":1}"),
	    GENKAN_E_RECORD_NEWER);
	gk_record_done(&rec);
}
END_TEST

static const struct {
	const char	*from, *to;
} climbs[] = {
	{ "{\"version\":3,\"a\":{\"z\":1,\"y\":2}}",
	    "{\"version\":5,\"b\":{\"z\":1,\"y\":2},\"c\":7}" },
	{ "{\"version\":4,\"b\":1}", "{\"version\":5,\"b\":1,\"c\":7}" },
	{ "{\"version\":5,\"q\":1}", "{\"version\":5,\"q\":1}" },
};

START_TEST(test_an_old_record_climbs_every_rung_above_it)
{
	ck_assert_int_eq(open_text(&made_up, climbs[_i].from), 0);
	ck_assert_msg(gk_span_is(rec.text, climbs[_i].to), "%.*s",
	    (int)rec.text.len, rec.text.ptr);
	ck_assert_uint_eq(rec.version, 3 + (unsigned)_i);
	gk_record_done(&rec);
}
END_TEST

START_TEST(test_a_failing_rung_is_damage)
{
	ck_assert_int_eq(open_text(&snapped, "{\"version\":4,\"b\":1}"),
	    GENKAN_E_RECORD_CORRUPT);
	ck_assert_ptr_nonnull(strstr(why, "version 4"));
	gk_record_done(&rec);
	/* Rung 0 wants "a". */
	ck_assert_int_eq(open_text(&made_up, "{\"version\":3}"),
	    GENKAN_E_RECORD_CORRUPT);
	gk_record_done(&rec);
}
END_TEST

/* Dropping the oldest rung and raising first keeps every version's meaning. */
START_TEST(test_dropping_a_rung_changes_no_stored_version)
{
	const struct gk_ladder later = { 4, 1, rungs + 1 };

	ck_assert_uint_eq(gk_ladder_current(&made_up), 5);
	ck_assert_uint_eq(gk_ladder_current(&later), 5);
	ck_assert_int_eq(open_text(&later, climbs[1].from), 0);
	ck_assert(gk_span_is(rec.text, climbs[1].to));
	gk_record_done(&rec);
	ck_assert_int_eq(open_text(&later, climbs[0].from),
	    GENKAN_E_RECORD_OLDER);
	gk_record_done(&rec);
}
END_TEST

START_TEST(test_members_are_strict_and_named)
{
	static const struct gk_field tab[] = {
		{ "version", GK_J_INT, 0, 0, GK_INTEGER_MAX },
		{ "b", GK_J_INT, 0, 0, GK_INTEGER_MAX },
	};
	struct gk_member m[2];
	static const char *const bad[] = {
		"{\"version\":0}", "{\"version\":0,\"b\":1,\"\\n\":1}",
		"{\"version\":0,\"b\":\"1\"}", "{\"version\":0,\"b\":null}",
	};
	static const char *const reason[] = {
		"member b: ", "member \\\\n: ", "member b: ", "member b: ",
	};
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(bad); i++) {
		ck_assert_int_eq(open_text(&flat, bad[i]), 0);
		ck_assert_int_eq(gk_record_fields(&rec, rec.text, "", tab, 2,
		    m), GENKAN_E_RECORD_CORRUPT);
		ck_assert_msg(strstr(why, reason[i]) == why, "%s", why);
		gk_record_done(&rec);
	}
	ck_assert_int_eq(open_text(&flat, "{\"b\":9,\"version\":0}"), 0);
	ck_assert_int_eq(gk_record_fields(&rec, rec.text, "", tab, 2, m), 0);
	ck_assert_int_eq(m[1].integer, 9);
	gk_record_done(&rec);
}
END_TEST

START_TEST(test_copied_text_fits_or_is_damaged)
{
	struct gk_member m;
	struct gk_scan scan;
	char out[5];

	ck_assert_int_eq(open_text(&flat, "{\"version\":0,\"a\":\"ab\\u0063d\","
	    "\"b\":\"abcde\",\"c\":\"a\\u0000b\",\"d\":\"\"}"), 0);
	gk_scan_object(rec.text, NULL, 0, &scan);
	ck_assert(gk_scan_find(&scan, "a", &m));
	ck_assert_int_eq(gk_record_copy(&rec, &m, "a", out, 5), 0);
	ck_assert_str_eq(out, "abcd");
	ck_assert(gk_scan_find(&scan, "b", &m));
	ck_assert_int_eq(gk_record_copy(&rec, &m, "b", out, 5),
	    GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_eq(why, "b: longer than 4 bytes");
	ck_assert(gk_scan_find(&scan, "c", &m));
	ck_assert_int_eq(gk_record_copy(&rec, &m, "c", out, 5),
	    GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_eq(why, "c: holds a NUL");
	ck_assert(gk_scan_find(&scan, "d", &m));
	ck_assert_int_eq(gk_record_copy(&rec, &m, "d", out, 5), 0);
	ck_assert_str_eq(out, "");
	gk_record_done(&rec);
}
END_TEST

/* Jansson has an allocator of its own, so only ours is swept here. */
START_TEST(test_want_of_memory_is_said_and_leaks_nothing)
{
	size_t i;
	int r = GENKAN_E_NOMEM;

	for (i = 1; r == GENKAN_E_NOMEM && i < 100; i++) {
		t.fail_at = i;
		r = open_text(&made_up, climbs[0].from);
		t.fail_at = 0;
		if (r == GENKAN_E_NOMEM)
			ck_assert_str_eq(why, "out of memory");
		gk_record_done(&rec);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("record");
	TCase *tc = tcase_create("record");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
	    test_a_record_of_the_current_version_is_taken_as_it_is);
	tcase_add_loop_test(tc, test_a_damaged_record_says_why, 0,
	    (int)GK_ARRAY_LEN(damaged));
	tcase_add_test(tc, test_depth_is_limited);
	tcase_add_loop_test(tc, test_the_cap_comes_first, 0, 3);
	tcase_add_test(tc, test_versions_outside_the_ladder_are_told_apart);
	tcase_add_loop_test(tc, test_an_old_record_climbs_every_rung_above_it,
	    0, (int)GK_ARRAY_LEN(climbs));
	tcase_add_test(tc, test_a_failing_rung_is_damage);
	tcase_add_test(tc, test_dropping_a_rung_changes_no_stored_version);
	tcase_add_test(tc, test_members_are_strict_and_named);
	tcase_add_test(tc, test_copied_text_fits_or_is_damaged);
	tcase_add_test(tc, test_want_of_memory_is_said_and_leaks_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
