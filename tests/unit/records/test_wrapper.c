/* The wrapper: control.md 10.2, 10.3. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "records/wrapper.h"
#include "util.h"

#define BANG	"#!/usr/bin/env bash\n"
#define MARK	"# managed by genkan - do not edit\n"

static struct gk_test t;
static struct gk_wrapper w;
static const char *why;

static void
setup(void)
{
	gk_test_init(&t);
	why = NULL;
}

static void
teardown(void)
{
	gk_test_done(&t);
}

static int
parse(const char *text)
{
	return gk_wrapper_parse(text, strlen(text), &w, &why);
}

START_TEST(test_the_script_is_the_one_of_the_specification)
{
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 65536);
	ck_assert_int_eq(gk_wrapper_format("/abs/dir/genkan-host", "chrome",
	    &out), 0);
	ck_assert(gk_span_is(gk_buf_span(&out), BANG MARK
	    "exec '/abs/dir/genkan-host' --label 'chrome' \"$@\"\n"));
	gk_buf_clear(&out);
	ck_assert_int_eq(gk_wrapper_format("/genkan-host", NULL, &out), 0);
	ck_assert(gk_span_is(gk_buf_span(&out), BANG MARK
	    "exec '/genkan-host' \"$@\"\n"));
	gk_buf_done(&out);
}
END_TEST

/* Whatever a directory may be called, the wrapper is recognised again. */
static const char *const paths[] = {
	"/a/genkan-host", "/it's/genkan-host", "/''/genkan-host",
	"/$HOME/`x`;a&b|c/(d)<e>\"f\"*?[]{}~!#/genkan-host",
	"/a b\tc/genkan-host", "/\\/genkan-host", "/\xff\xfe/genkan-host",
	"/\r/genkan-host",
};

START_TEST(test_any_path_survives_quoting)
{
	struct gk_buf out;
	int labelled;

	for (labelled = 0; labelled < 2; labelled++) {
		gk_buf_init(&out, t.ctx, 65536);
		ck_assert_int_eq(gk_wrapper_format(paths[_i],
		    labelled ? "a.b_c-1" : NULL, &out), 0);
		ck_assert_int_eq(gk_wrapper_parse(out.ptr, out.len, &w, &why),
		    0);
		ck_assert_str_eq(w.path, paths[_i]);
		ck_assert_str_eq(w.label, labelled ? "a.b_c-1" : "");
		gk_buf_done(&out);
	}
}
END_TEST

static const char *const good[] = {
	BANG "exec /x/genkan-host \"$@\"",
	BANG "\n  \n\t# c\n#\nexec /x/genkan-host \"$@\"\n\n# end",
	BANG "  exec\t/x/genkan-host   \"$@\"\n",
	BANG "'exec' '/x'/genkan-h'ost' \"$@\"\n",
	BANG "exec /\\x/genkan-host \"$@\"\n",
	BANG "exec /'x'/genkan-host '--label' \\c\\hrome \"$@\"\n",
};

START_TEST(test_other_spellings_are_ours_too)
{
	ck_assert_msg(parse(good[_i]) == 0, "%s: %s", good[_i], why);
	ck_assert_str_eq(w.path, "/x/genkan-host");
	ck_assert_str_eq(w.label, _i == 5 ? "chrome" : "");
}
END_TEST

#define PLAIN	"exec '/x/genkan-host' \"$@\"\n"

static const char *const bad[] = {
	"", "\n", BANG, BANG MARK, BANG "\n\n",
	"#!/bin/bash\n" PLAIN, "#!/usr/bin/env bash \n" PLAIN,
	"#!/usr/bin/env bash\r\n" PLAIN, "\n" BANG PLAIN, PLAIN,
	BANG PLAIN PLAIN, BANG "echo hi\n" PLAIN, BANG PLAIN "exit\n",
	BANG "exec '/x/genkan-host' \"$@\" \n",
	BANG "exec '/x/genkan-host' \"$@\"\r\n",
	BANG "exec '/x/genkan-host'\"$@\"\n",
	BANG "exec '/x/genkan-host' $@\n",
	BANG "exec '/x/genkan-host' \"$*\"\n",
	BANG "exec '/x/genkan-host'\n",
	BANG "'/x/genkan-host' \"$@\"\n",
	BANG "Exec '/x/genkan-host' \"$@\"\n",
	BANG "exec 'x/genkan-host' \"$@\"\n",
	BANG "exec genkan-host \"$@\"\n",
	BANG "exec '/x/genkan-host2' \"$@\"\n",
	BANG "exec '/x/genkan-host/' \"$@\"\n",
	BANG "exec '/x/agenkan-host' \"$@\"\n",
	BANG "exec '/x/genkan-server' \"$@\"\n",
	BANG "exec '/x/genkan-host' --label \"$@\"\n",
	BANG "exec '/x/genkan-host' --label '' \"$@\"\n",
	BANG "exec '/x/genkan-host' --label '-a' \"$@\"\n",
	BANG "exec '/x/genkan-host' --label 'a b' \"$@\"\n",
	BANG "exec '/x/genkan-host' --label 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"
	    " \"$@\"\n",
	BANG "exec '/x/genkan-host' --label=chrome \"$@\"\n",
	BANG "exec '/x/genkan-host' --label a --label b \"$@\"\n",
	BANG "exec '/x/genkan-host' --native-host a \"$@\"\n",
	BANG "exec '/x/genkan-host' '' \"$@\"\n",
	BANG "exec '/x/genkan-host' \"$@\" \"$@\"\n",
	BANG "exec '/x/genkan-host' '\" \"$@\"\n",
	BANG "exec '/x/genkan-host \"$@\"\n",
	BANG "exec '/x/genkan-host' ' \"$@\"\n",
	BANG "exec '/x/genkan-host' \\ \"$@\"\n",
	BANG "exec '/x/genkan-host' \\\n \"$@\"\n",
	BANG "exec '/x\n/genkan-host' \"$@\"\n",
	BANG "exec -a x '/x/genkan-host' \"$@\"\n",
	BANG "exec env '/x/genkan-host' \"$@\"\n",
	BANG "A=b exec '/x/genkan-host' \"$@\"\n",
	BANG "exec '/x/genkan-host' # \"$@\"\n",
	BANG "exec '/x/genkan-host'; \"$@\"\n",
	BANG "exec ~/genkan-host \"$@\"\n",
	BANG "exec $HOME/genkan-host \"$@\"\n",
	BANG "exec /\\$HOME/genkan-host \"$@\"\n",
	BANG "exec \"/x/genkan-host\" \"$@\"\n",
};

START_TEST(test_nothing_can_hide_in_a_wrapper_of_ours)
{
	ck_assert_msg(parse(bad[_i]) == GENKAN_E_NOT_OURS, "%s", bad[_i]);
	ck_assert_ptr_nonnull(why);
	ck_assert_str_eq(w.path, "");
	ck_assert_str_eq(w.label, "");
}
END_TEST

/* Each of these outside quotes disqualifies, wherever it stands; quoted, it is
 * part of a path. */
START_TEST(test_characters_that_the_shell_would_act_upon)
{
	static const char special[] = "$`;&|()<>\"*?[]{}~!";
	char text[256];
	size_t i;

	for (i = 0; i < strlen(special); i++) {
		(void)snprintf(text, sizeof(text), BANG "exec /x%c/genkan-host "
		    "\"$@\"\n", special[i]);
		ck_assert_int_eq(parse(text), GENKAN_E_NOT_OURS);
		(void)snprintf(text, sizeof(text), BANG "exec /x'%c'/"
		    "genkan-host \"$@\"\n", special[i]);
		ck_assert_int_eq(parse(text), 0);
		ck_assert_int_eq(w.path[2], special[i]);
	}
}
END_TEST

START_TEST(test_a_nul_disqualifies)
{
	static const char text[] = BANG "#\0\n" PLAIN;

	ck_assert_int_eq(gk_wrapper_parse(text, sizeof(text) - 1, &w, &why),
	    GENKAN_E_NOT_OURS);
	ck_assert_str_eq(why, "it holds a NUL");
}
END_TEST

START_TEST(test_a_wrapper_has_at_most_64_kib)
{
	static char text[65540];

	memset(text, '#', sizeof(text));
	memcpy(text, BANG PLAIN, strlen(BANG PLAIN));
	ck_assert_int_eq(gk_wrapper_parse(text, (size_t)(65535 + _i), &w,
	    &why), _i < 2 ? 0 : GENKAN_E_NOT_OURS);
}
END_TEST

START_TEST(test_what_would_not_be_recognised_is_not_written)
{
	static const char *const no[] = { "genkan-host", "", "/x/genkan",
	    "/x/genkan-host/", "/a\nb/genkan-host" };
	struct gk_buf out;
	size_t i;

	gk_buf_init(&out, t.ctx, 65536);
	for (i = 0; i < GK_ARRAY_LEN(no); i++)
		ck_assert_int_eq(gk_wrapper_format(no[i], NULL, &out),
		    GENKAN_E_INVAL);
	ck_assert_int_eq(gk_wrapper_format("/genkan-host", "a b", &out),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(gk_wrapper_format("/genkan-host", "", &out),
	    GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("wrapper");
	TCase *tc = tcase_create("wrapper");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_script_is_the_one_of_the_specification);
	tcase_add_loop_test(tc, test_any_path_survives_quoting, 0,
	    (int)GK_ARRAY_LEN(paths));
	tcase_add_loop_test(tc, test_other_spellings_are_ours_too, 0,
	    (int)GK_ARRAY_LEN(good));
	tcase_add_loop_test(tc, test_nothing_can_hide_in_a_wrapper_of_ours, 0,
	    (int)GK_ARRAY_LEN(bad));
	tcase_add_test(tc, test_characters_that_the_shell_would_act_upon);
	tcase_add_test(tc, test_a_nul_disqualifies);
	tcase_add_loop_test(tc, test_a_wrapper_has_at_most_64_kib, 0, 3);
	tcase_add_test(tc, test_what_would_not_be_recognised_is_not_written);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
