#include "util.h"

#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "contract/schema.h"

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

START_TEST(test_every_row_has_name_text_and_class)
{
	const struct gk_error *row;
	size_t n, i;

	row = gk_schema_errors(&n);
	ck_assert_uint_gt(n, 20);
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(gk_err_name(row[i].num), row[i].wire);
		ck_assert_str_eq(gk_err_text(row[i].num), row[i].text);
		ck_assert_int_eq(gk_err_class(row[i].num), (int)row[i].cls);
	}
	ck_assert_str_eq(gk_err_name(GENKAN_E_FRAME_SIZE), "frame-too-large");
	ck_assert_int_eq(gk_err_class(GENKAN_E_FRAME_SIZE),
	    GENKAN_CLASS_CONN);
	ck_assert_int_eq(gk_err_class(GENKAN_E_NOMEM), GENKAN_CLASS_TRANSIENT);
}
END_TEST

START_TEST(test_what_is_no_error_has_a_name_too)
{
	ck_assert_str_eq(gk_err_name(0), "ok");
	ck_assert_str_eq(gk_err_name(17), "ok");
	ck_assert_str_eq(gk_err_text(0), "success");
	ck_assert_str_eq(gk_err_name(-99999), "unknown");
	ck_assert_str_eq(gk_err_text(-99999), "unknown error");
	ck_assert_int_eq(gk_err_class(0), GENKAN_E_INVAL);
	ck_assert_int_eq(gk_err_class(-99999), GENKAN_E_INVAL);
	ck_assert_int_eq(gk_err_class(GENKAN_CLASS_FATAL), GENKAN_E_INVAL);
}
END_TEST

START_TEST(test_the_last_error_is_remembered_as_one_line)
{
	ck_assert_str_eq(t.ctx->err_text, "");
	ck_assert_int_eq(gk_err_set(t.ctx, GENKAN_E_INVAL, "bad %s: %d",
	    "thing\nhere", 7), GENKAN_E_INVAL);
	ck_assert_int_eq(t.ctx->err_code, GENKAN_E_INVAL);
	ck_assert_str_eq(t.ctx->err_text, "bad thing\\nhere: 7");
	gk_err_clear(t.ctx);
	ck_assert_int_eq(t.ctx->err_code, 0);
	ck_assert_str_eq(t.ctx->err_text, "");
}
END_TEST

/* Wherever the cut falls, no half of a character stays. */
START_TEST(test_a_long_text_is_cut_at_a_character)
{
	char text[2 * GK_ERRTEXT_MAX];
	size_t i;

	for (i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[i] = '\0';
	gk_err_set(t.ctx, GENKAN_E_INVAL, "%.*s%s", _i, "xy", text);
	ck_assert(gk_utf8_valid(t.ctx->err_text, strlen(t.ctx->err_text)));
	ck_assert_ptr_null(strstr(t.ctx->err_text, "\\x"));
	ck_assert_uint_ge(strlen(t.ctx->err_text), GK_ERRTEXT_MAX - 4);
}
END_TEST

#ifndef GK_DEBUG
START_TEST(test_a_bug_is_logged_and_returned)
{
	ck_assert_int_eq(gk_bug(t.ctx, "no such state"), GENKAN_E_INTERNAL);
	ck_assert_int_eq(t.log_level, GK_LOG_ERROR);
	ck_assert_str_eq(t.log_tag, "bug");
	ck_assert_ptr_nonnull(strstr(t.log_text, "no such state"));
	ck_assert_ptr_nonnull(strstr(t.ctx->err_text, "no such state"));
}
END_TEST
#endif

START_TEST(test_the_level_decides_what_is_logged)
{
	int computed = 0;

	t.ctx->log_level = GK_LOG_WARN;
	gk_log(t.ctx, GK_LOG_ERROR, "tag", "an-id", "text %d", 1);
	ck_assert_uint_eq(t.logs, 1);
	ck_assert_str_eq(t.log_tag, "tag");
	ck_assert_str_eq(t.log_id, "an-id");
	ck_assert_str_eq(t.log_text, "text 1");
	gk_log(t.ctx, GK_LOG_WARN, "tag", "an-id", "text");
	gk_log(t.ctx, GK_LOG_INFO, "tag", "an-id", "text %d", ++computed);
	gk_log_at(t.ctx, GK_LOG_DEBUG, "tag", "an-id", "text");
	ck_assert_uint_eq(t.logs, 2);
	ck_assert_int_eq(computed, 0);
	t.ctx->log_level = GK_LOG_NONE;
	gk_log(t.ctx, GK_LOG_ERROR, "tag", "an-id", "text");
	ck_assert_uint_eq(t.logs, 2);
}
END_TEST

START_TEST(test_without_a_callback_nothing_happens)
{
	t.ctx->hooks.log = NULL;
	gk_log(t.ctx, GK_LOG_ERROR, "tag", "an-id", "text");
	gk_log_at(t.ctx, GK_LOG_ERROR, "tag", "an-id", "text");
	ck_assert_uint_eq(t.logs, 0);
}
END_TEST

START_TEST(test_a_record_is_one_line_of_utf8)
{
	char text[3 * GK_LOG_TEXT_MAX];

	gk_log(t.ctx, GK_LOG_INFO, "tag", "id", "%s", "two\nlines\x1b[0m\xff");
	ck_assert_str_eq(t.log_text, "two\\nlines\\x1b[0m\\xff");
	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	gk_log(t.ctx, GK_LOG_INFO, "tag", "id", "%s", text);
	ck_assert_uint_lt(strlen(t.log_text), GK_LOG_TEXT_MAX);
	ck_assert_ptr_null(strchr(t.log_text, '\n'));
}
END_TEST

START_TEST(test_levels_have_names)
{
	ck_assert_str_eq(gk_log_level_name(GK_LOG_ERROR), "error");
	ck_assert_str_eq(gk_log_level_name(GK_LOG_WARN), "warn");
	ck_assert_str_eq(gk_log_level_name(GK_LOG_INFO), "info");
	ck_assert_str_eq(gk_log_level_name(GK_LOG_DEBUG), "debug");
	ck_assert_str_eq(gk_log_level_name(GK_LOG_NONE), "none");
	ck_assert_str_eq(gk_log_level_name(4), "none");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("err");
	TCase *tc = tcase_create("err and log");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_every_row_has_name_text_and_class);
	tcase_add_test(tc, test_what_is_no_error_has_a_name_too);
	tcase_add_test(tc, test_the_last_error_is_remembered_as_one_line);
	tcase_add_loop_test(tc, test_a_long_text_is_cut_at_a_character, 0, 3);
#ifndef GK_DEBUG
	tcase_add_test(tc, test_a_bug_is_logged_and_returned);
#endif
	tcase_add_test(tc, test_the_level_decides_what_is_logged);
	tcase_add_test(tc, test_without_a_callback_nothing_happens);
	tcase_add_test(tc, test_a_record_is_one_line_of_utf8);
	tcase_add_test(tc, test_levels_have_names);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
