/* Setting the language: control.md 12.3. */
#include "../records/fakestore.h"
#include "trust/lang.h"
#include "util.h"

#define LANG(value, seq) \
	"{\"version\":0,\"value\":\"" value "\",\"seq\":" seq "}\n"
#define TRUST(epoch, lang) \
	"{\"version\":0,\"epoch\":" epoch ",\"killed\":false," \
	"\"kill_epoch\":1,\"host_key_epoch\":2,\"policy_epoch\":3," \
	"\"lang_epoch\":" lang ",\"clients\":null,\"enrollments\":[]}\n"

static struct gk_test t;
static struct fakestore f;
static char why[2 * GK_WHY_FULL];
static struct gk_langrec now;

static void
setup(void)
{
	gk_test_init(&t);
	fakestore_init(&f);
	memset(&now, 0, sizeof(now));
	fakestore_set(&f, GK_RECORD_TRUST, TRUST("5", "4"));
	fakestore_set(&f, GK_RECORD_LANG, LANG("en", "7"));
}

static void
teardown(void)
{
	ck_assert_int_eq(f.held, 0);
	fakestore_done(&f);
	gk_test_done(&t);
}

static int
set(const char *value)
{
	struct gk_hold *hold = NULL;
	int r;

	ck_assert_int_eq(gk_store_hold(&f.store, &hold, why, sizeof(why)), 0);
	why[0] = '\0';
	r = gk_lang_set(t.ctx, &f.store, hold, value, &now, why, sizeof(why));
	f.store.drop(f.store.user, hold);
	ck_assert((r < 0) == (why[0] != '\0'));
	return r;
}

START_TEST(test_a_change_is_written_and_stamped)
{
	ck_assert_int_eq(set("zh_TW"), 0);
	ck_assert_str_eq(now.value, "zh_TW");
	ck_assert_uint_eq(now.seq, 8);
	ck_assert_str_eq(f.text[GK_RECORD_LANG], LANG("zh_TW", "8"));
	ck_assert_str_eq(f.text[GK_RECORD_TRUST], TRUST("6", "6"));
}
END_TEST

START_TEST(test_the_first_one_counts_from_none)
{
	fakestore_set(&f, GK_RECORD_LANG, NULL);
	fakestore_set(&f, GK_RECORD_TRUST, NULL);
	ck_assert_int_eq(set("auto"), 0);
	ck_assert_str_eq(f.text[GK_RECORD_LANG], LANG("auto", "1"));
	ck_assert_ptr_nonnull(strstr(f.text[GK_RECORD_TRUST],
	    "\"lang_epoch\":1,"));
}
END_TEST

START_TEST(test_what_is_set_already_is_not_written)
{
	ck_assert_int_eq(set("en"), 1);
	ck_assert_uint_eq(now.seq, 7);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_what_is_not_written_is_not_stamped)
{
	f.refuse[GK_RECORD_LANG] = _i == 0 ? GENKAN_E_IO : GENKAN_E_AGAIN;
	ck_assert_int_eq(set("zh_TW"), f.refuse[GK_RECORD_LANG]);
	ck_assert_str_eq(why, "lang.json cannot be written: no room");
	ck_assert_ptr_null(now.value);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

/* It is in force: running programs have to know of it. */
START_TEST(test_what_was_written_not_for_good_is_stamped)
{
	f.late[GK_RECORD_LANG] = GENKAN_E_IO;
	ck_assert_int_eq(set("zh_TW"), GENKAN_E_IO);
	ck_assert_ptr_eq(strstr(why, "lang.json was written, but"), why);
	ck_assert_str_eq(f.text[GK_RECORD_LANG], LANG("zh_TW", "8"));
	ck_assert_str_eq(f.text[GK_RECORD_TRUST], TRUST("6", "6"));
}
END_TEST

START_TEST(test_a_stamp_that_failed_does_not_hide_the_write)
{
	f.refuse[GK_RECORD_TRUST] = GENKAN_E_IO;
	ck_assert_int_eq(set("zh_TW"), GENKAN_E_IO);
	ck_assert_ptr_eq(strstr(why, "the language was written, but"), why);
	ck_assert_str_eq(now.value, "zh_TW");
	ck_assert_str_eq(f.text[GK_RECORD_LANG], LANG("zh_TW", "8"));
}
END_TEST

START_TEST(test_what_cannot_be_read_is_not_written_over)
{
	static const int record[] = { GK_RECORD_TRUST, GK_RECORD_LANG };

	fakestore_set(&f, record[_i], "{");
	ck_assert_int_lt(set("zh_TW"), 0);
	ck_assert_ptr_nonnull(strstr(why, gk_record_file(record[_i])));
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_str_eq(f.text[record[_i]], "{");
}
END_TEST

START_TEST(test_a_number_at_the_bound_stays)
{
	fakestore_set(&f, GK_RECORD_LANG, LANG("en", "9007199254740991"));
	ck_assert_int_eq(set("zh_TW"), GENKAN_E_INVAL);
	ck_assert_ptr_nonnull(strstr(why, "cannot grow any further"));
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_a_look_tells_what_is_set)
{
	ck_assert_int_eq(gk_lang_look(t.ctx, &f.store, &now, why,
	    sizeof(why)), 0);
	ck_assert_str_eq(now.value, "en");
	fakestore_set(&f, GK_RECORD_LANG, "[]");
	ck_assert_int_lt(gk_lang_look(t.ctx, &f.store, &now, why,
	    sizeof(why)), 0);
	ck_assert_ptr_nonnull(strstr(why, "lang.json"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("lang");
	TCase *tc = tcase_create("lang");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_change_is_written_and_stamped);
	tcase_add_test(tc, test_the_first_one_counts_from_none);
	tcase_add_test(tc, test_what_is_set_already_is_not_written);
	tcase_add_loop_test(tc, test_what_is_not_written_is_not_stamped, 0, 2);
	tcase_add_test(tc, test_what_was_written_not_for_good_is_stamped);
	tcase_add_test(tc, test_a_stamp_that_failed_does_not_hide_the_write);
	tcase_add_loop_test(tc, test_what_cannot_be_read_is_not_written_over,
	    0, 2);
	tcase_add_test(tc, test_a_number_at_the_bound_stays);
	tcase_add_test(tc, test_a_look_tells_what_is_set);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
