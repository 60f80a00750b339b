/* <genkan/policy.h>: arguments, and values as they are typed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <genkan/genkan.h>

#include "os/scratch.h"
#include "util.h"

static genkan_ctx *ctx;
static genkan_report *report;

static void
setup(void)
{
	scratch_make();
	scratch_home();
	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	report = NULL;
}

static void
teardown(void)
{
	genkan_report_free(report);
	genkan_ctx_free(ctx);
	scratch_drop();
}

/* Without a policy a restriction that reads well fails in its report. */
static int
restrict_to(const char *const *value, size_t n)
{
	int r;

	genkan_report_free(report);
	report = NULL;
	r = genkan_policy_restrict(ctx, value, n, &report);
	ck_assert((r == 0) == (report != NULL));
	if (r == 0) {
		ck_assert_int_eq(genkan_report_status(report),
		    GENKAN_STATUS_FAILED);
		ck_assert_ptr_nonnull(strstr(genkan_report_json(report),
		    "{\"v\":1,\"error\":\"there is no policy yet"));
	}
	return r;
}

START_TEST(test_the_fields_have_names_and_flags)
{
	size_t i;

	ck_assert_str_eq(genkan_policy_field(0), "cdpMode");
	ck_assert_str_eq(genkan_policy_flag(0), "--cdp-mode");
	ck_assert_str_eq(genkan_policy_field(14), "disabledTools");
	ck_assert_str_eq(genkan_policy_flag(14), "--disabled-tools");
	for (i = 0; i < 15; i++)
		ck_assert_int_eq(strncmp(genkan_policy_flag(i), "--", 2), 0);
	ck_assert_ptr_null(genkan_policy_field(15));
	ck_assert_ptr_null(genkan_policy_flag(15));
	ck_assert_ptr_null(genkan_policy_flag(SIZE_MAX));
}
END_TEST

START_TEST(test_null_is_a_callers_bug)
{
	const char *value[1] = { "on" };

	ck_assert_int_eq(genkan_policy_show(NULL, &report), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_show(ctx, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_history(NULL, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_set(NULL, value, 1, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_set(ctx, NULL, 1, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_set(ctx, value, 1, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_restrict(ctx, NULL, 1, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_rollback(NULL, 1, NULL, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_rollback(ctx, 1, NULL, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_lang_show(NULL, &report), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_lang_set(ctx, NULL, &report),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(report);
}
END_TEST

static const struct {
	size_t		 field;
	const char	*value;
	const char	*why;		/* NULL: it reads well */
} typed[] = {
	{ 0, "on", NULL }, { 0, "off", NULL }, { 9, "off", NULL },
	{ 0, "On", "--cdp-mode is on or off" }, { 0, "", "on or off" },
	{ 0, "true", "on or off" }, { 0, "1", "on or off" },
	{ 11, "0", NULL }, { 11, "007", NULL },
	{ 11, "9007199254740991", NULL },
	{ 11, "9007199254740992", "--confirm-grace-ms" },
	{ 11, "99999999999999999999999", "--confirm-grace-ms" },
	{ 11, "", "--confirm-grace-ms" }, { 11, "+1", "--confirm-grace-ms" },
	{ 11, "1 ", "--confirm-grace-ms" }, { 11, "1.0", "confirm-grace-ms" },
	{ 14, "", NULL }, { 14, ",,", NULL }, { 14, "a,a,,b", NULL },
	{ 14, "a b", NULL }, { 14, " a", "--disabled-tools" },
	{ 14, "a\t", "--disabled-tools" }, { 14, "a\x7f", "disabled-tools" },
	{ 14, "\xff", "--disabled-tools" },
};

START_TEST(test_values_are_judged_before_anything_is_touched)
{
	const char *value[15] = { NULL };
	int r;

	value[typed[_i].field] = typed[_i].value;
	r = restrict_to(value, 15);
	if (typed[_i].why == NULL) {
		ck_assert_int_eq(r, 0);
	} else {
		ck_assert_int_eq(r, GENKAN_E_INVAL);
		ck_assert_msg(strstr(genkan_ctx_last_error(ctx),
		    typed[_i].why) != NULL, "%s",
		    genkan_ctx_last_error(ctx));
		ck_assert_int_eq(genkan_policy_set(ctx, value, 15, &report),
		    r);
	}
}
END_TEST

/* 256 names of 128 bytes fit, one more of either does not. */
START_TEST(test_the_bounds_of_the_list)
{
	const size_t room = 257 * 130;
	const char *value[15] = { NULL };
	char *list = malloc(room);
	size_t n, i;

	ck_assert_ptr_nonnull(list);
	value[14] = list;
	for (n = 255; n <= 257; n++) {
		for (i = 0; i < n; i++) {
			memset(list + i * 129, 'x', 128);
			list[i * 129] = (char)('0' + i / 100);
			list[i * 129 + 1] = (char)('0' + i / 10 % 10);
			list[i * 129 + 2] = (char)('0' + i % 10);
			list[i * 129 + 128] = ',';
		}
		list[n * 129 - 1] = '\0';
		ck_assert_int_eq(restrict_to(value, 15), n <= 256 ? 0 :
		    GENKAN_E_INVAL);
	}
	memset(list, 'x', 129);
	list[129] = '\0';
	ck_assert_int_eq(restrict_to(value, 15), GENKAN_E_INVAL);
	list[128] = '\0';
	ck_assert_int_eq(restrict_to(value, 15), 0);
	free(list);
}
END_TEST

START_TEST(test_a_change_names_a_field_and_no_more_than_there_are)
{
	const char *value[16] = { NULL };

	ck_assert_int_eq(genkan_policy_set(ctx, value, 15, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_set(ctx, NULL, 0, &report),
	    GENKAN_E_INVAL);
	ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(ctx),
	    "at least one field"));
	value[0] = "on";
	ck_assert_int_eq(genkan_policy_set(ctx, value, 16, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(restrict_to(value, 1), 0);
}
END_TEST

START_TEST(test_revisions_and_languages)
{
	ck_assert_int_eq(genkan_policy_rollback(ctx, 0, NULL, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_rollback(ctx, 9007199254740992u, NULL,
	    &report), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_policy_rollback(ctx, 9007199254740991u, NULL,
	    &report), 0);
	ck_assert_ptr_nonnull(strstr(genkan_report_warnings(report),
	    "available revisions: none"));
	genkan_report_free(report);
	report = NULL;
	ck_assert_int_eq(genkan_lang_set(ctx, "de", &report),
	    GENKAN_E_INVAL);
	ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(ctx), "zh_CN"));
	ck_assert_int_eq(genkan_lang_set(ctx, "zh_TW", &report), 0);
	ck_assert_int_eq(genkan_report_status(report), GENKAN_STATUS_OK);
	ck_assert_str_eq(genkan_report_text(report),
	    "language: zh_TW\nseq: 1\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policy");
	TCase *tc = tcase_create("policy");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_fields_have_names_and_flags);
	tcase_add_test(tc, test_null_is_a_callers_bug);
	tcase_add_loop_test(tc,
	    test_values_are_judged_before_anything_is_touched, 0,
	    (int)(sizeof(typed) / sizeof(typed[0])));
	tcase_add_test(tc, test_the_bounds_of_the_list);
	tcase_add_test(tc,
	    test_a_change_names_a_field_and_no_more_than_there_are);
	tcase_add_test(tc, test_revisions_and_languages);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
