/* <genkan/local.h>: arguments at the door, and what comes back. */
#include <stdlib.h>
#include <sys/stat.h>

#include <genkan/local.h>

#include "os/scratch.h"
#include "util.h"

static genkan_ctx *ctx;
static genkan_report *report;

static void
setup(void)
{
	scratch_make();
	scratch_home();
	ck_assert_int_eq(unsetenv("XDG_CONFIG_HOME"), 0);
	ck_assert_int_eq(unsetenv("XDG_DATA_HOME"), 0);
	ck_assert_int_eq(unsetenv("SUDO_UID"), 0);
	ck_assert_int_eq(unsetenv("PKEXEC_UID"), 0);
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

START_TEST(test_nothing_is_a_report_of_nothing)
{
	ck_assert_str_eq(genkan_report_text(NULL), "");
	ck_assert_str_eq(genkan_report_warnings(NULL), "");
	ck_assert_str_eq(genkan_report_json(NULL), "");
	ck_assert_int_eq(genkan_report_status(NULL), GENKAN_STATUS_FAILED);
	genkan_report_free(NULL);
}
END_TEST

START_TEST(test_null_is_refused_at_the_door)
{
	ck_assert_int_eq(genkan_doctor_check(NULL, &report), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_doctor_check(ctx, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_doctor_list(NULL, &report), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_doctor_list(ctx, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_doctor_paths(NULL, &report), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_doctor_paths(ctx, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_register_write(NULL, NULL, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_register_write(ctx, NULL, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_register_remove(NULL, NULL, &report),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_register_remove(ctx, NULL, NULL),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(report);
}
END_TEST

START_TEST(test_doctor_answers_in_text_and_json)
{
	ck_assert_int_eq(genkan_doctor_check(ctx, &report), 0);
	ck_assert_int_eq(genkan_report_status(report), GENKAN_STATUS_FAILED);
	ck_assert_ptr_eq(strstr(genkan_report_text(report), "genkan "),
	    genkan_report_text(report));
	ck_assert_ptr_eq(strstr(genkan_report_json(report), "{\"v\":1,"),
	    genkan_report_json(report));
	ck_assert_ptr_null(strchr(genkan_report_json(report), '\n'));
	ck_assert_str_eq(genkan_report_warnings(report), "");
}
END_TEST

START_TEST(test_commands_without_json_have_none)
{
	ck_assert_int_eq(genkan_doctor_paths(ctx, &report), 0);
	ck_assert_str_eq(genkan_report_json(report), "");
	ck_assert_int_eq(genkan_report_status(report), GENKAN_STATUS_OK);
	ck_assert_ptr_nonnull(strstr(genkan_report_text(report),
	    "\nstate dir: "));
}
END_TEST

/* A caller built for a newer library asks for what this one does not have. */
START_TEST(test_a_struct_that_grew_is_taken_while_the_rest_is_zero)
{
	struct {
		genkan_register_options	 known;
		int			 newer[4];
	} o = { GENKAN_REGISTER_OPTIONS_INIT, { 0 } };
	const genkan_register_options *opt = &o.known;

	o.known.size = sizeof(o);
	ck_assert_int_eq(genkan_register_remove(ctx, opt, &report), 0);
	ck_assert_str_eq(genkan_report_text(report),
	    "nothing was registered\n");
	o.newer[3] = 1;
	ck_assert_int_eq(genkan_register_remove(ctx, opt, &report),
	    GENKAN_E_ABI);
	o.known.size = sizeof(o.known) - 1;
	ck_assert_int_eq(genkan_register_remove(ctx, opt, &report),
	    GENKAN_E_INVAL);
	o.known.size = 4097;
	ck_assert_int_eq(genkan_register_write(ctx, opt, &report),
	    GENKAN_E_INVAL);
}
END_TEST

START_TEST(test_options_that_contradict_are_usage)
{
	const char *dirs[2] = { "/x", NULL };
	genkan_register_options o = GENKAN_REGISTER_OPTIONS_INIT;

	o.browsers = "chrome";
	o.all = 1;
	ck_assert_int_eq(genkan_register_write(ctx, &o, &report),
	    GENKAN_E_INVAL);
	ck_assert_str_ne(genkan_ctx_last_error(ctx), "");
	o.all = 0;
	ck_assert_int_eq(genkan_register_remove(ctx, &o, &report),
	    GENKAN_E_INVAL);
	o.browsers = "netscape";
	ck_assert_int_eq(genkan_register_write(ctx, &o, &report),
	    GENKAN_E_INVAL);
	ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(ctx),
	    "netscape"));
	o.browsers = NULL;
	o.ndirs = 1;
	ck_assert_int_eq(genkan_register_write(ctx, &o, &report),
	    GENKAN_E_INVAL);
	o.dirs = dirs;
	o.ndirs = 2;
	ck_assert_int_eq(genkan_register_write(ctx, &o, &report),
	    GENKAN_E_INVAL);
	dirs[1] = "relative";
	ck_assert_int_eq(genkan_register_write(ctx, &o, &report),
	    GENKAN_E_INVAL);
	ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(ctx),
	    "relative"));
	ck_assert_ptr_null(report);
}
END_TEST

/* No genkan-host lies beside this test: a report, not an error. */
START_TEST(test_a_refusal_is_a_report)
{
	genkan_register_options o = GENKAN_REGISTER_OPTIONS_INIT;

	o.all = 1;
	ck_assert_int_eq(genkan_register_write(ctx, &o, &report), 0);
	ck_assert_int_eq(genkan_report_status(report), GENKAN_STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(genkan_report_warnings(report),
	    "genkan-host"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("local");
	TCase *tc = tcase_create("local");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_nothing_is_a_report_of_nothing);
	tcase_add_test(tc, test_null_is_refused_at_the_door);
	tcase_add_test(tc, test_doctor_answers_in_text_and_json);
	tcase_add_test(tc, test_commands_without_json_have_none);
	tcase_add_test(tc,
	    test_a_struct_that_grew_is_taken_while_the_rest_is_zero);
	tcase_add_test(tc, test_options_that_contradict_are_usage);
	tcase_add_test(tc, test_a_refusal_is_a_report);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
