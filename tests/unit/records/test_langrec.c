/* lang.json: control.md 12.1, 12.3. */
#include <string.h>

#include "records/langrec.h"
#include "records/store.h"
#include "util.h"

static struct gk_test t;
static struct gk_langrec lang;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
	memset(&lang, 0, sizeof(lang));
}

static void
teardown(void)
{
	gk_test_done(&t);
}

static int
parse(const char *text)
{
	return gk_langrec_parse(t.ctx, text, strlen(text), &lang, why,
	    sizeof(why));
}

START_TEST(test_a_fresh_machine_speaks_english)
{
	gk_langrec_default(&lang);
	ck_assert_str_eq(lang.value, "en");
	ck_assert_uint_eq(lang.seq, 0);
}
END_TEST

START_TEST(test_the_roster_is_closed)
{
	static const char *const in[] = { "auto", "en", "zh_CN", "zh_TW" };
	static const char *const out[] = { "", "EN", "de", "zh_cn", "en ",
	    "zh_CNx" };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(in); i++)
		ck_assert_str_eq(gk_lang_lookup(in[i], strlen(in[i])), in[i]);
	for (i = 0; i < GK_ARRAY_LEN(out); i++)
		ck_assert_ptr_null(gk_lang_lookup(out[i], strlen(out[i])));
	ck_assert_ptr_null(gk_lang_lookup("en\0", 3));
}
END_TEST

START_TEST(test_a_record_is_read)
{
	ck_assert_int_eq(parse("{\"seq\":9007199254740991,\"version\":0,"
	    "\"value\":\"zh_\\u0054W\"}"), 0);
	ck_assert_str_eq(lang.value, "zh_TW");
	ck_assert_uint_eq(lang.seq, (uint64_t)GK_INTEGER_MAX);
}
END_TEST

static const char *const bad[] = {
	"{\"version\":0,\"value\":\"en\"}",
	"{\"version\":0,\"seq\":1}",
	"{\"version\":0,\"value\":\"de\",\"seq\":1}",
	"{\"version\":0,\"value\":null,\"seq\":1}",
	"{\"version\":0,\"value\":\"en\",\"seq\":-0}",
	"{\"version\":0,\"value\":\"en\",\"seq\":1.0}",
	"{\"version\":0,\"value\":\"en\",\"seq\":9007199254740992}",
	"{\"version\":0,\"value\":\"en\",\"seq\":1,\"x\":1}",
};

START_TEST(test_anything_else_is_damaged)
{
	lang.value = "untouched";
	ck_assert_msg(parse(bad[_i]) == GENKAN_E_RECORD_CORRUPT, "%s",
	    bad[_i]);
	ck_assert_str_eq(lang.value, "untouched");
}
END_TEST

START_TEST(test_the_cap_is_4_kib)
{
	char text[4098];
	int r;

	memset(text, ' ', sizeof(text));
	memcpy(text, "{\"version\":0,\"value\":\"en\",\"seq\":1}", 34);
	r = gk_langrec_parse(t.ctx, text, (size_t)(4095 + _i), &lang, why,
	    sizeof(why));
	ck_assert_int_eq(r, _i < 2 ? 0 : GENKAN_E_TOO_LARGE);
}
END_TEST

START_TEST(test_what_is_written_is_read_back)
{
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 4096);
	lang.value = "auto";
	lang.seq = 3;
	ck_assert_int_eq(gk_langrec_format(&lang, &out), 0);
	ck_assert(gk_span_is(gk_buf_span(&out),
	    "{\"version\":0,\"value\":\"auto\",\"seq\":3}\n"));
	ck_assert_int_eq(gk_langrec_parse(t.ctx, out.ptr, out.len, &lang, why,
	    sizeof(why)), 0);
	ck_assert_uint_eq(lang.seq, 3);
	gk_buf_clear(&out);
	lang.value = "de";
	ck_assert_int_eq(gk_langrec_format(&lang, &out), GENKAN_E_INVAL);
	lang.value = "en";
	lang.seq = (uint64_t)GK_INTEGER_MAX + 1;
	ck_assert_int_eq(gk_langrec_format(&lang, &out), GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("langrec");
	TCase *tc = tcase_create("langrec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_fresh_machine_speaks_english);
	tcase_add_test(tc, test_the_roster_is_closed);
	tcase_add_test(tc, test_a_record_is_read);
	tcase_add_loop_test(tc, test_anything_else_is_damaged, 0,
	    (int)GK_ARRAY_LEN(bad));
	tcase_add_loop_test(tc, test_the_cap_is_4_kib, 0, 3);
	tcase_add_test(tc, test_what_is_written_is_read_back);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
