/* Arguments of genkan-host: wire 12.1. */
#include <string.h>

#include "engine/host.h"
#include "util.h"

#define LABEL32	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OURS	"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/"

static const struct {
	const char	*argv[5];
	int		 r;
	const char	*label;		/* NULL: none */
} cases[] = {
	{ { NULL }, 0, NULL },
	{ { OURS }, 0, NULL },
	{ { "--label", "chrome", OURS }, 0, "chrome" },
	{ { OURS, "--label", "x.y" }, 0, "x.y" },
	{ { "--label", LABEL32 }, 0, LABEL32 },
	{ { "--native-host", OURS }, 0, NULL },
	{ { "--parent-window=0", "whatever", "-x" }, 0, NULL },
	{ { "" }, 0, NULL },
	{ { "--labels", "x" }, 0, NULL },
	{ { "--label", "--label", OURS }, GENKAN_E_INVAL, NULL },
	{ { "--label" }, GENKAN_E_INVAL, NULL },
	{ { OURS, "--label" }, GENKAN_E_INVAL, NULL },
	{ { "--label", "" }, GENKAN_E_INVAL, NULL },
	{ { "--label", LABEL32 "a" }, GENKAN_E_INVAL, NULL },
	{ { "--label", "a b" }, GENKAN_E_INVAL, NULL },
	{ { "--label", OURS }, GENKAN_E_INVAL, NULL },
	{ { "--label", "a", "--label", "a" }, GENKAN_E_INVAL, NULL },
	{ { "--label=a" }, GENKAN_E_INVAL, NULL },
	{ { "--label=" }, GENKAN_E_INVAL, NULL },
	{ { "chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl" },
	    GENKAN_E_INVAL, NULL },
	{ { "chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/x" },
	    GENKAN_E_INVAL, NULL },
	{ { "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/" },
	    GENKAN_E_INVAL, NULL },
	{ { "chrome-extension://" }, GENKAN_E_INVAL, NULL },
	{ { OURS, "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/" },
	    GENKAN_E_INVAL, NULL },
	{ { "https://fmkoengpgchbmogeaifdcdfpnnpgmcfl/" }, 0, NULL },
};

START_TEST(test_arguments_are_judged_one_by_one)
{
	struct gk_host_args a;
	char why[256] = "";
	int argc = 0;

	while (argc < 5 && cases[_i].argv[argc] != NULL)
		argc++;
	memset(&a, 0x55, sizeof(a));
	ck_assert_int_eq(gk_host_args(argc, cases[_i].argv, &a, why,
	    sizeof(why)), cases[_i].r);
	if (cases[_i].r < 0) {
		ck_assert_str_ne(why, "");
		ck_assert_int_eq(a.label[0], 0x55);
		return;
	}
	ck_assert_int_eq(a.has_label, cases[_i].label != NULL);
	ck_assert_str_eq(a.label, cases[_i].label != NULL ?
	    cases[_i].label : "");
}
END_TEST

START_TEST(test_foreign_text_is_escaped_in_the_sentence)
{
	const char *argv[] = { "--label", "a\n\x1b[31mb" };
	struct gk_host_args a;
	char why[256];

	ck_assert_int_eq(gk_host_args(2, argv, &a, why, sizeof(why)),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(strchr(why, '\n'));
	ck_assert_ptr_null(strchr(why, '\x1b'));
	ck_assert_ptr_nonnull(strstr(why, "a\\n"));
}
END_TEST

/* wire 14: no address beyond its origin. */
START_TEST(test_of_another_extension_the_origin_is_told)
{
	const char *argv[] = { "chrome-extension://abcd/page.html?k=swordfish" };
	struct gk_host_args a;
	char why[256];

	ck_assert_int_eq(gk_host_args(1, argv, &a, why, sizeof(why)),
	    GENKAN_E_INVAL);
	ck_assert_str_eq(why, "started for another extension: "
	    "chrome-extension://abcd");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("host_args");
	TCase *tc = tcase_create("host_args");

	tcase_add_loop_test(tc, test_arguments_are_judged_one_by_one, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, test_foreign_text_is_escaped_in_the_sentence);
	tcase_add_test(tc, test_of_another_extension_the_origin_is_told);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
