/* The install set: wire.md 4.1. */
#include <string.h>

#include "trust/installset.h"
#include "util.h"

#define HA	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HB	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HC	"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define HD	"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
#define HE	"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

static struct gk_installset set;

START_TEST(test_a_hash_under_several_names_has_all_their_roles)
{
	gk_installset_init(&set);
	ck_assert_int_eq(gk_installset_add(&set, HA, GK_ROLE_SERVER), 0);
	ck_assert_int_eq(gk_installset_add(&set, HB, GK_ROLE_HOST), 0);
	ck_assert_int_eq(gk_installset_add(&set, HA, GK_ROLE_CLI), 0);
	ck_assert_uint_eq(set.n, 2);
	ck_assert_uint_eq(gk_installset_roles(&set, HA),
	    GK_ROLE_SERVER | GK_ROLE_CLI);
	ck_assert_uint_eq(gk_installset_roles(&set, HB), GK_ROLE_HOST);
	ck_assert_uint_eq(gk_installset_roles(&set, HC), 0);
	ck_assert_uint_eq(gk_installset_roles(&set, ""), 0);
}
END_TEST

START_TEST(test_only_whole_lowercase_sha256_gets_in)
{
	static const char *const bad[] = { "", "a", HA "a",
	    "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	    "gaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
	size_t i;

	gk_installset_init(&set);
	for (i = 0; i < GK_ARRAY_LEN(bad); i++)
		ck_assert_int_eq(gk_installset_add(&set, bad[i],
		    GK_ROLE_HOST), GENKAN_E_INVAL);
	ck_assert_uint_eq(set.n, 0);
}
END_TEST

START_TEST(test_own_image_and_three_siblings_fit)
{
	gk_installset_init(&set);
	ck_assert_int_eq(gk_installset_add(&set, HA, 1), 0);
	ck_assert_int_eq(gk_installset_add(&set, HB, 1), 0);
	ck_assert_int_eq(gk_installset_add(&set, HC, 1), 0);
	ck_assert_int_eq(gk_installset_add(&set, HD, 1), 0);
	ck_assert_int_eq(gk_installset_add(&set, HE, 1), GENKAN_E_LIMIT);
	ck_assert_int_eq(gk_installset_add(&set, HD, 2), 0);
	ck_assert_uint_eq(gk_installset_roles(&set, HD), 3);
	ck_assert_uint_eq(gk_installset_roles(&set, HE), 0);
}
END_TEST

START_TEST(test_programs_and_roles)
{
	ck_assert_uint_eq(gk_role_of_program("genkan-server"),
	    GK_ROLE_SERVER);
	ck_assert_uint_eq(gk_role_of_program("genkan-host"), GK_ROLE_HOST);
	ck_assert_uint_eq(gk_role_of_program("genkan"), GK_ROLE_CLI);
	ck_assert_uint_eq(gk_role_of_program("genkan-"), 0);
	ck_assert_uint_eq(gk_role_of_program(""), 0);
	ck_assert_str_eq(gk_role_program(GK_ROLE_HOST), "genkan-host");
	ck_assert_ptr_null(gk_role_program(0));
	ck_assert_ptr_null(gk_role_program(GK_ROLE_HOST | GK_ROLE_CLI));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("installset");
	TCase *tc = tcase_create("installset");

	tcase_add_test(tc,
	    test_a_hash_under_several_names_has_all_their_roles);
	tcase_add_test(tc, test_only_whole_lowercase_sha256_gets_in);
	tcase_add_test(tc, test_own_image_and_three_siblings_fit);
	tcase_add_test(tc, test_programs_and_roles);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
