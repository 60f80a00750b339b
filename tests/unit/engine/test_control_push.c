/* What is sent because a record has moved.  control 2.9 */
#include <string.h>

#include "control_world.h"

#define POLICY_NONE	"{\"type\":\"policy_current\",\"ok\":false,\"error\":" \
	"\"no policy has been set on this machine yet\"}\n"
#define LANG_EN		"{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n"

START_TEST(test_a_fresh_machine_pushes_policy_and_language)
{
	gk_control_start(&c);
	ck_assert_str_eq(sent(), POLICY_NONE LANG_EN);
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
}
END_TEST

START_TEST(test_connection_start_has_its_order)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 9, 2, 0, 0, "null"));
	gk_control_start(&c);
	ck_assert_str_eq(sent(), KILL_ON POLICY_NONE LANG_EN REVOKED);
}
END_TEST

START_TEST(test_a_disposal_is_pushed_only_if_the_key_is_gone)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, false, 0, 2, 0, 0, "null"));
	memstore_set(&m, GK_RECORD_HOST_KEY, "{}");
	gk_control_start(&c);
	ck_assert_str_eq(sent(), POLICY_NONE LANG_EN);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(10, false, 0, 10, 0, 0, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(11, false, 0, 11, 0, 0, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), REVOKED);
}
END_TEST

START_TEST(test_an_unreadable_record_is_pushed_once_and_its_return_too)
{
	memstore_break(&m, GK_RECORD_TRUST);
	gk_control_start(&c);
	ck_assert_ptr_nonnull(strstr(sent(), "kill_status_result\",\"ok\":"
	    "false"));
	ck_assert_ptr_nonnull(strstr(got, POLICY_NONE LANG_EN));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), KILL_OFF POLICY_NONE LANG_EN);
	memstore_break(&m, GK_RECORD_TRUST);
	gk_control_watch(&c);
	ck_assert_ptr_nonnull(strstr(sent(), "\"ok\":false"));
	ck_assert_ptr_null(strstr(got, "policy_current"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
}
END_TEST

START_TEST(test_each_epoch_moves_its_own_push)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, false, 1, 1, 1, 1, "null"));
	gk_control_start(&c);
	sent();
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 1, 1, 1, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), KILL_ON);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 1, 2, 1, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), POLICY_NONE);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 1, 2, 2, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), LANG_EN);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 2, 2, 2, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), REVOKED);
}
END_TEST

/* By inequality: a replaced file goes backwards, and is noticed. */
START_TEST(test_an_epoch_that_goes_back_is_a_move_too)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, false, 5, 0, 5, 5, "null"));
	gk_control_start(&c);
	sent();
	memstore_set(&m, GK_RECORD_TRUST, NULL);
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), KILL_OFF POLICY_NONE LANG_EN);
}
END_TEST

START_TEST(test_an_unchanged_record_is_not_parsed_again)
{
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	gk_control_start(&c);
	sent();
	m.loads[GK_RECORD_TRUST] = 0;
	gk_control_watch(&c);
	gk_control_watch(&c);
	ck_assert_uint_eq(m.loads[GK_RECORD_TRUST], 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_push");
	TCase *tc = control_tcase(s, "pushes");

	tcase_add_test(tc, test_a_fresh_machine_pushes_policy_and_language);
	tcase_add_test(tc, test_connection_start_has_its_order);
	tcase_add_test(tc,
	    test_a_disposal_is_pushed_only_if_the_key_is_gone);
	tcase_add_test(tc,
	    test_an_unreadable_record_is_pushed_once_and_its_return_too);
	tcase_add_test(tc, test_each_epoch_moves_its_own_push);
	tcase_add_test(tc, test_an_epoch_that_goes_back_is_a_move_too);
	tcase_add_test(tc, test_an_unchanged_record_is_not_parsed_again);
	return gk_test_main(s);
}
