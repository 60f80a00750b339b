/* The host without a broker: control-plane mode.  control 2.10 */
#include <string.h>

#include "host_world.h"

START_TEST(test_an_engaged_latch_means_control_plane_mode_without_a_dial)
{
	start_control(KILLED);
	ck_assert_str_eq(browser_got(), KILL_ON POLICY LANG);
	ck_assert_int_eq(gk_leg_wants(browser), GENKAN_WANT_READ);
	/* It never dials: not even the probe connects. */
	run_until(2000);
	{
		struct gk_host_event ev;

		ck_assert_int_eq(event(&ev), GK_HOST_PROBE);
		ck_assert(!ev.connect);
	}
	gk_host_probed(h, GK_PROBE_LOCK, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
}
END_TEST

START_TEST(test_an_unreadable_record_means_control_plane_mode)
{
	memstore_break(&m, GK_RECORD_TRUST);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_NONE, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
	ck_assert_ptr_nonnull(strstr(browser_got(), "\"ok\":false,\"error\":"
	    "\"/state/trust.json"));
}
END_TEST

START_TEST(test_no_broker_means_control_plane_mode)
{
	dial(GK_DIALLED_NONE);
	ck_assert_str_eq(gk_host_state(h), "control");
	ck_assert_str_eq(browser_got(), POLICY LANG);
}
END_TEST

START_TEST(test_in_control_plane_mode_bridge_frames_are_dropped)
{
	start_control(KILLED);
	browser_got();
	browser_send("{\"type\":\"hello\",\"protocol\":1,\"capabilities\":"
	    "[]}");
	browser_send("{\"id\":1,\"ok\":true}");
	ck_assert_str_eq(browser_got(), "");
	browser_send("{\"type\":\"kill_status\"}");
	ck_assert_str_eq(browser_got(), KILL_ON);
	gk_leg_eof(browser);
	assert_leave(0);
}
END_TEST

/* An answer that cannot be made leaves the page waiting, so the host ends; its
 * start had succeeded, which is what the status tells. */
START_TEST(test_a_lost_answer_ends_a_started_host_with_0)
{
	static const char ask[] = "\x16\0\0\0{\"type\":\"kill_status\"}";
	struct gk_host_event ev;
	size_t i, used;

	start_control(KILLED);
	browser_got();
	for (i = 1; i < 100; i++) {
		t.fail_at = i;
		(void)gk_leg_feed(browser, ask, sizeof(ask) - 1, &used);
		t.fail_at = 0;
		if (event(&ev) == GK_HOST_LEAVE)
			break;
		ck_assert_str_eq(browser_got(), KILL_ON);
	}
	ck_assert_uint_lt(i, 100);
	ck_assert_int_eq(ev.status, 0);
}
END_TEST

/* From the moment that nothing holds the mode any more. */
static void
probe_clear(int64_t at)
{
	struct gk_host_event ev;

	run_until(at);
	ck_assert_int_eq(event(&ev), GK_HOST_PROBE);
	ck_assert(ev.connect);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
}

START_TEST(test_once_nothing_holds_the_host_serves_until_it_is_quiet)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	ck_assert_str_eq(gk_host_state(h), "quiet");
	run_until(2150);
	browser_send("{\"type\":\"kill_status\"}");
	ck_assert_str_eq(browser_got(), KILL_OFF);
	run_until(2349);
	assert_event(GK_HOST_NOTHING);
	/* quiet for 200 ms: it looks again, and leaves */
	run_until(2350);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_leave(0);
}
END_TEST

#define REPORT_FAILED	"{\"type\":\"doctor_report_result\",\"ok\":" \
	"false,\"error\":\"no\"}\n"

START_TEST(test_a_question_of_the_disk_is_an_event_and_no_quiet)
{
	struct gk_host_event ev;

	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	run_until(2100);
	browser_send("{\"type\":\"doctor_report\"}");
	ck_assert_int_eq(event(&ev), GK_HOST_ASK);
	ck_assert_int_eq(ev.ask.tag, GK_TAG_DOCTOR_REPORT);
	assert_event(GK_HOST_NOTHING);
	/* Time passes, pushes and the watch go on, and nothing spins. */
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	run_until(2800);
	ck_assert_str_eq(browser_got(), KILL_ON);
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	run_until(2900);
	browser_got();
	gk_host_told(h, GENKAN_E_IO, gk_span(NULL, 0), "no");
	ck_assert_str_eq(browser_got(), REPORT_FAILED);
}
END_TEST

START_TEST(test_an_answer_that_is_owed_keeps_a_quiet_host)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	browser_send("{\"type\":\"doctor_report\"}");
	assert_event(GK_HOST_ASK);
	run_until(2900);
	ck_assert_str_eq(gk_host_state(h), "quiet");
	assert_event(GK_HOST_NOTHING);
	gk_host_told(h, GENKAN_E_IO, gk_span(NULL, 0), "no");
	ck_assert_str_eq(browser_got(), REPORT_FAILED);
	run_until(3099);
	assert_event(GK_HOST_NOTHING);
	run_until(3100);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_leave(0);
}
END_TEST

START_TEST(test_nobody_waits_for_a_question_at_the_end)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	browser_send("{\"type\":\"doctor_report\"}");
	assert_event(GK_HOST_ASK);
	gk_leg_eof(browser);
	browser_got();
	assert_leave(0);
	gk_host_told(h, GENKAN_E_IO, gk_span(NULL, 0), "no");
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_a_broker_that_is_gone_again_keeps_the_host)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	run_until(2200);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_NONE, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
	assert_event(GK_HOST_NOTHING);
	probe_clear(4000);
	ck_assert_str_eq(gk_host_state(h), "quiet");
}
END_TEST

START_TEST(test_a_latch_engaged_while_quiet_keeps_the_host)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	run_until(2199);
	ck_assert_str_eq(gk_host_state(h), "control");
	ck_assert_str_eq(browser_got(), KILL_ON);
}
END_TEST

START_TEST(test_input_during_the_second_look_starts_the_wait_anew)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	run_until(2200);
	assert_event(GK_HOST_PROBE);
	browser_send("{\"type\":\"kill_status\"}");
	browser_got();
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(gk_host_state(h), "quiet");
	run_until(2400);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_leave(0);
}
END_TEST

START_TEST(test_a_released_latch_is_noticed_within_100_ms)
{
	start_control(KILLED);
	browser_got();
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	run_until(1100);
	ck_assert_str_eq(browser_got(), KILL_OFF);
	probe_clear(2000);
	ck_assert_str_eq(gk_host_state(h), "quiet");
}
END_TEST

START_TEST(test_a_mismatch_in_control_plane_mode_is_exit_1)
{
	start_control(KILLED);
	browser_got();
	run_until(2000);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_MISMATCH, "state directory mismatch");
	assert_leave(1);
}
END_TEST

START_TEST(test_engaging_the_latch_is_seen_through_at_the_end)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	m.locked = true;
	browser_send("{\"type\":\"kill_engage\"}");
	if (_i == 0)
		gk_leg_eof(browser);
	else
		gk_host_stop(h);
	run_until(2000);
	assert_event(GK_HOST_NOTHING);
	m.locked = false;
	run_until(2100);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
	browser_got();
	assert_leave(0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("host_control");
	TCase *tc = host_tcase(s, "control");

	tcase_add_test(tc,
	    test_an_engaged_latch_means_control_plane_mode_without_a_dial);
	tcase_add_test(tc,
	    test_an_unreadable_record_means_control_plane_mode);
	tcase_add_test(tc, test_no_broker_means_control_plane_mode);
	tcase_add_test(tc,
	    test_in_control_plane_mode_bridge_frames_are_dropped);
	tcase_add_test(tc, test_a_lost_answer_ends_a_started_host_with_0);
	tcase_add_test(tc,
	    test_once_nothing_holds_the_host_serves_until_it_is_quiet);
	tcase_add_test(tc,
	    test_a_question_of_the_disk_is_an_event_and_no_quiet);
	tcase_add_test(tc, test_an_answer_that_is_owed_keeps_a_quiet_host);
	tcase_add_test(tc, test_nobody_waits_for_a_question_at_the_end);
	tcase_add_test(tc, test_a_broker_that_is_gone_again_keeps_the_host);
	tcase_add_test(tc, test_a_latch_engaged_while_quiet_keeps_the_host);
	tcase_add_test(tc,
	    test_input_during_the_second_look_starts_the_wait_anew);
	tcase_add_test(tc, test_a_released_latch_is_noticed_within_100_ms);
	tcase_add_test(tc,
	    test_a_mismatch_in_control_plane_mode_is_exit_1);
	tcase_add_loop_test(tc,
	    test_engaging_the_latch_is_seen_through_at_the_end, 0, 2);
	return gk_test_main(s);
}
