/* The kill switch is engaged from the browser.  control 5.4 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "control_world.h"

START_TEST(test_engaging_writes_the_record_and_stamps_the_epoch)
{
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(7, false, 2, 3, 4, 5,
	    "[" MEM_CLIENT("claude", MEM_HASH) "]"));
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(8, true, 8, 3, 4,
	    5, "[" MEM_CLIENT("claude", MEM_HASH) "]") "\n");
	ck_assert_uint_eq(m.holds, 1);
	ck_assert_uint_eq(m.drops, 1);
	ck_assert_str_eq(memstore_audit(&m), "kill_engage extension ok "
	    "tool=- code=- name=- detail=- cid=-");
}
END_TEST

START_TEST(test_engaging_works_on_a_fresh_machine)
{
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(1, true, 1, 0, 0,
	    0, "null") "\n");
}
END_TEST

START_TEST(test_engaging_twice_stamps_twice)
{
	answer("{\"type\":\"kill_engage\"}");
	answer("{\"type\":\"kill_engage\"}");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(2, true, 2, 0, 0,
	    0, "null") "\n");
}
END_TEST

START_TEST(test_already_engaged_is_success_even_if_the_stamp_fails)
{
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	m.replace_error = GENKAN_E_IO;
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
}
END_TEST

START_TEST(test_a_failed_write_is_said_and_audited)
{
	m.replace_error = GENKAN_E_IO;
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":false,\"error\":"
	    "\"/state/trust.json cannot be written: the disk is full\"}\n");
	ck_assert_str_eq(memstore_audit(&m), "kill_engage extension error "
	    "tool=- code=- name=- detail=auth=none; write refused cid=-");
}
END_TEST

START_TEST(test_an_unreadable_record_is_never_engaged)
{
	memstore_set(&m, GK_RECORD_TRUST, "{\"version\":0}");
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_engage\"}"),
	    "\"ok\":false"));
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], "{\"version\":0}");
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

START_TEST(test_the_epoch_never_passes_its_bound)
{
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(9007199254740991, false,
	    0, 0, 0, 0, "null"));
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_engage\"}"),
	    "\"ok\":false"));
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

START_TEST(test_engaging_waits_for_the_lock_without_blocking)
{
	m.locked = true;
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"), "");
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"), "");
	/* Meanwhile other frames wait behind it, in their order. */
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"), "");
	ck_assert_str_eq(answer("{\"type\":\"kill_status\"}"), "");
	run_until(2500);
	ck_assert_str_eq(sent(), "");
	m.locked = false;
	run_until(2600);
	ck_assert_str_eq(sent(),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}\n"
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}\n"
	    "{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n"
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	ck_assert_int_eq(gk_control_deadline(&c), GK_CLOCK_NEVER);
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(1, true, 1, 0, 0,
	    0, "null") "\n");
}
END_TEST

START_TEST(test_frames_that_wait_are_bounded)
{
	char *big = malloc(GK_CONTROL_QUEUE_BYTES + 64);
	int i;

	m.locked = true;
	answer("{\"type\":\"kill_engage\"}");
	if (_i == 0) {
		for (i = 0; i < GK_CONTROL_QUEUE; i++) {
			ck_assert(!gk_control_full(&c));
			answer("{\"type\":\"lang_get\"}");
		}
	} else {
		i = sprintf(big, "{\"type\":\"client_revoke\",\"name\":\"");
		memset(big + i, 'x', GK_CONTROL_QUEUE_BYTES);
		strcpy(big + GK_CONTROL_QUEUE_BYTES, "\"}");
		ck_assert(!gk_control_full(&c));
		answer(big);
	}
	free(big);
	ck_assert(gk_control_full(&c));
	/* It alone overtakes. */
	answer("{\"type\":\"kill_engage\"}");
	m.locked = false;
	run_until(1100);
	ck_assert(!gk_control_full(&c));
	ck_assert_int_eq(strncmp(sent(), "{\"type\":\"kill_status_result\"",
	    28), 0);
	ck_assert_ptr_nonnull(strstr(got, _i == 0 ? "lang_current" :
	    "client_revoke_result"));
}
END_TEST

START_TEST(test_frames_that_still_wait_at_the_end_are_freed)
{
	m.locked = true;
	answer("{\"type\":\"kill_engage\"}");
	answer("{\"type\":\"lang_get\"}");
	answer("{\"type\":\"lang_get\"}");
	ck_assert_uint_eq(c.nwaiting, 2);
}
END_TEST

START_TEST(test_after_two_seconds_the_latch_is_engaged_without_the_lock)
{
	m.locked = true;
	answer("{\"type\":\"kill_engage\"}");
	run_until(2999);
	ck_assert_str_eq(sent(), "");
	ck_assert_ptr_null(m.rec[GK_RECORD_TRUST]);
	run_until(3100);
	ck_assert_ptr_nonnull(strstr(sent(), "\"killed\":true"));
	ck_assert_uint_eq(m.holds, 0);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
}
END_TEST

START_TEST(test_a_latch_that_does_not_stick_is_an_error_after_two_more)
{
	m.locked = true;
	m.replace_error = GENKAN_E_AGAIN;
	answer("{\"type\":\"kill_engage\"}");
	run_until(4900);
	ck_assert_str_eq(sent(), "");
	run_until(5200);
	ck_assert_ptr_nonnull(strstr(sent(), "\"ok\":false"));
	ck_assert_ptr_nonnull(strstr(got, "could not be engaged: the record "
	    "lock (records.mutex) was not had"));
	ck_assert_int_eq(gk_control_deadline(&c), GK_CLOCK_NEVER);
}
END_TEST

static int
no_hold(void *user, int wait_ms, struct gk_hold **ret, char *why,
    size_t whylen)
{
	(void)user;
	(void)wait_ms;
	(void)ret;
	(void)snprintf(why, whylen, "records.mutex: Is a directory");
	return GENKAN_E_IO;
}

/* 5.4: this act alone does not depend on the lock, whatever is wrong with it;
 * there is nothing to wait for then. */
START_TEST(test_a_lock_that_cannot_be_had_keeps_nobody_from_engaging)
{
	m.store.hold = no_hold;
	answer("{\"type\":\"kill_engage\"}");
	run_until(1020);
	ck_assert_str_eq(sent(), "{\"type\":\"kill_status_result\","
	    "\"ok\":true,\"killed\":true}\n");
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
	ck_assert_str_eq(memstore_audit(&m), "kill_engage extension ok "
	    "tool=- code=- name=- detail=- cid=-");
	/* Nobody else goes on. */
	ck_assert_str_eq(answer("{\"type\":\"client_revoke\","
	    "\"name\":\"a\"}"), "{\"type\":\"client_revoke_result\","
	    "\"ok\":false,\"error\":\"the record lock (records.mutex) "
	    "cannot be taken: records.mutex: Is a directory\"}\n");
}
END_TEST

START_TEST(test_and_if_it_does_not_stick_then_the_lock_is_named)
{
	m.store.hold = no_hold;
	m.replace_error = GENKAN_E_AGAIN;
	answer("{\"type\":\"kill_engage\"}");
	run_until(3100);
	ck_assert_ptr_nonnull(strstr(sent(), "could not be engaged: the "
	    "record lock (records.mutex) cannot be taken: records.mutex: Is "
	    "a directory\"}"));
	ck_assert(!gk_control_busy(&c));
}
END_TEST

START_TEST(test_a_store_that_cannot_write_says_so)
{
	m.store.hold = NULL;
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_engage\"}"),
	    "\"ok\":false,\"error\":\"the trust record cannot be written"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_kill");
	TCase *tc = control_tcase(s, "latch");

	tcase_add_test(tc,
	    test_engaging_writes_the_record_and_stamps_the_epoch);
	tcase_add_test(tc, test_engaging_works_on_a_fresh_machine);
	tcase_add_test(tc, test_engaging_twice_stamps_twice);
	tcase_add_test(tc,
	    test_already_engaged_is_success_even_if_the_stamp_fails);
	tcase_add_test(tc, test_a_failed_write_is_said_and_audited);
	tcase_add_test(tc, test_an_unreadable_record_is_never_engaged);
	tcase_add_test(tc, test_the_epoch_never_passes_its_bound);
	tcase_add_test(tc,
	    test_engaging_waits_for_the_lock_without_blocking);
	tcase_add_loop_test(tc, test_frames_that_wait_are_bounded, 0, 2);
	tcase_add_test(tc,
	    test_frames_that_still_wait_at_the_end_are_freed);
	tcase_add_test(tc,
	    test_after_two_seconds_the_latch_is_engaged_without_the_lock);
	tcase_add_test(tc,
	    test_a_latch_that_does_not_stick_is_an_error_after_two_more);
	tcase_add_test(tc,
	    test_a_lock_that_cannot_be_had_keeps_nobody_from_engaging);
	tcase_add_test(tc,
	    test_and_if_it_does_not_stick_then_the_lock_is_named);
	tcase_add_test(tc, test_a_store_that_cannot_write_says_so);
	return gk_test_main(s);
}
