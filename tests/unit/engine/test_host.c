/* The host: how it finds a broker, and follows it.  wire 12 */
#include <stdio.h>
#include <string.h>

#include "host_world.h"

START_TEST(test_stdin_is_not_read_before_the_bridge_stands)
{
	size_t used;

	ck_assert_int_eq(gk_leg_wants(browser), 0);
	dial(GK_DIALLED_OK);
	ck_assert_int_eq(gk_leg_wants(browser), 0);
	(void)gk_leg_feed(browser, "\x02\0\0\0{}", 6, &used);
	ck_assert_uint_eq(used, 0);
	meet("{\"attach_reply\":\"accepted\"}\n");
	ck_assert_int_eq(gk_leg_wants(browser),
	    GENKAN_WANT_READ | GENKAN_WANT_WRITE);
	(void)gk_leg_feed(browser, "\x02\0\0\0{}", 6, &used);
	ck_assert_uint_eq(used, 6);
	ck_assert_str_eq(broker_got(), "{}\n");
}
END_TEST

START_TEST(test_pushes_come_ahead_of_what_the_broker_sent)
{
	dial(GK_DIALLED_OK);
	meet("{\"attach_reply\":\"accepted\"}\n{\"id\":1,\"op\":\"tab_list\","
	    "\"args\":{}}\n");
	ck_assert_str_eq(browser_got(), POLICY LANG
	    "{\"id\":1,\"op\":\"tab_list\",\"args\":{}}\n");
}
END_TEST

/* Put together or not, a frame is the same line; the next one is as good, and
 * one that has to be made compact is. */
START_TEST(test_a_frame_in_pieces_is_one_line)
{
	static const char wire[] = "\x12\0\0\0{\"id\":1,\"ok\":true}"
	    "\x13\0\0\0{\"id\": 2,\"ok\":true}";
	const size_t len = sizeof(wire) - 1;
	size_t used, cut;

	attach();
	for (cut = 0; cut <= len; cut++) {
		(void)gk_leg_feed(browser, wire, cut, &used);
		ck_assert_uint_eq(used, cut);
		(void)gk_leg_feed(browser, wire + cut, len - cut, &used);
		ck_assert_uint_eq(used, len - cut);
		ck_assert_str_eq(broker_got(), "{\"id\":1,\"ok\":true}\n"
		    "{\"id\":2,\"ok\":true}\n");
	}
}
END_TEST

/* Read to where it is put together, in both directions. */
START_TEST(test_a_large_message_has_its_place)
{
	static char text[20001], wire[20040], want[20060];
	size_t n;

	attach();
	memset(text, 't', 20000);
	for (n = 10000; n <= 20000; n += 2500) {
		text[n] = '\0';
		snprintf(wire, sizeof(wire), "{\"id\":1,\"ok\":true,"
		    "\"data\":\"%s\"}", text);
		browser_send(wire);
		snprintf(want, sizeof(want), "%s\n", wire);
		ck_assert_str_eq(broker_got(), want);
		feed(bridge, want, strlen(want));
		ck_assert_str_eq(browser_got(), want);
		text[n] = 't';
	}
}
END_TEST

START_TEST(test_a_host_without_label_sends_none)
{
	gk_leg_free(browser);
	gk_host_free(h);
	make(NULL);
	dial(GK_DIALLED_OK);
	meet("{\"attach_reply\":\"accepted\"}\n");
	ck_assert_str_eq(line, "");
}
END_TEST

START_TEST(test_a_mismatch_ends_the_host_before_anything_else)
{
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_MISMATCH, "state directory mismatch: a, b");
	assert_leave(1);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_a_mismatch_found_while_dialling_is_exit_1)
{
	dial(GK_DIALLED_MISMATCH);
	assert_leave(1);
}
END_TEST

START_TEST(test_a_foreign_server_is_exit_1_and_said)
{
	dial(GK_DIALLED_FOREIGN);
	assert_leave(1);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

static const char *const replies[] = {
	"{\"attach_reply\":\"refused\",\"reason\":\"killed\"}\n",
	"{\"attach_reply\":\"unavailable\",\"reason\":\"full\"}\n",
	"{\"attach_reply\":\"maybe\"}\n",
	"{\"id\":1}\n",
	"nonsense\n",
};

START_TEST(test_anything_but_accepted_is_exit_1)
{
	dial(GK_DIALLED_OK);
	meet(replies[_i]);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	assert_leave(1);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_eof_or_silence_during_set_up_is_exit_1)
{
	dial(GK_DIALLED_OK);
	if (_i == 0)
		gk_leg_eof(bridge);
	else if (_i == 1)
		gk_leg_broken(bridge);
	else if (_i == 2)
		run_until(11000);
	else {
		meet(NULL);
		run_until(11000);
	}
	assert_leave(1);
}
END_TEST

/* -------------------------------------------------------------- bridge: watch */

START_TEST(test_the_record_is_watched_once_a_second)
{
	attach();
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	run_until(1999);
	ck_assert_str_eq(browser_got(), "");
	run_until(2000);
	ck_assert_str_eq(browser_got(), KILL_ON);
	/* A latch engaged in bridge mode does not end the host by itself. */
	ck_assert_str_eq(gk_host_state(h), "bridge");
}
END_TEST

START_TEST(test_the_host_follows_another_broker)
{
	struct gk_broker_id id = { 42, "/run/genkan/run.sock" };

	attach();
	run_until(1999);
	assert_event(GK_HOST_NOTHING);
	run_until(2000);
	assert_event(GK_HOST_LOOK);
	assert_event(GK_HOST_NOTHING);
	gk_host_looked(h, &id);
	run_until(3000);
	assert_event(GK_HOST_LOOK);
	gk_host_looked(h, NULL);
	ck_assert_str_eq(gk_host_state(h), "bridge");
	run_until(4000);
	assert_event(GK_HOST_LOOK);
	if (_i == 0)
		id.pid = 43;
	else
		id.endpoint = "/run/genkan/other.sock";
	browser_send("{\"id\":1,\"ok\":true}");
	gk_host_looked(h, &id);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(broker_got(), "{\"id\":1,\"ok\":true}\n");
	assert_leave(0);
}
END_TEST

START_TEST(test_a_look_that_is_slow_is_not_asked_for_twice)
{
	attach();
	run_until(2000);
	assert_event(GK_HOST_LOOK);
	run_until(5000);
	assert_event(GK_HOST_NOTHING);
	gk_host_looked(h, NULL);
	run_until(6000);
	assert_event(GK_HOST_LOOK);
}
END_TEST

static int
make_and_attach(struct gk_test *tt, void *arg)
{
	struct gk_host_opts o;
	struct gk_host *host;
	struct genkan_leg *leg;
	int r;

	(void)arg;
	memset(&o, 0, sizeof(o));
	o.store = &m.store;
	r = gk_host_new(tt->ctx, &o, &host);
	if (r < 0)
		return r;
	leg = gk_host_browser(host);
	gk_leg_free(leg);
	gk_host_free(host);
	return 0;
}

START_TEST(test_lack_of_memory_makes_no_half_host)
{
	ck_assert_uint_ge(gk_test_sweep(&t, make_and_attach, NULL), 2);
}
END_TEST

static void
add_order(Suite *s)
{
	TCase *tc = host_tcase(s, "order");

	tcase_add_test(tc, test_stdin_is_not_read_before_the_bridge_stands);
	tcase_add_test(tc, test_pushes_come_ahead_of_what_the_broker_sent);
	tcase_add_test(tc, test_a_frame_in_pieces_is_one_line);
	tcase_add_test(tc, test_a_large_message_has_its_place);
	tcase_add_test(tc, test_a_host_without_label_sends_none);
	tcase_add_test(tc,
	    test_a_mismatch_ends_the_host_before_anything_else);
	tcase_add_test(tc, test_a_mismatch_found_while_dialling_is_exit_1);
	tcase_add_test(tc, test_a_foreign_server_is_exit_1_and_said);
	tcase_add_loop_test(tc, test_anything_but_accepted_is_exit_1, 0,
	    GK_ARRAY_LEN(replies));
	tcase_add_loop_test(tc, test_eof_or_silence_during_set_up_is_exit_1,
	    0, 4);
	tcase_add_test(tc, test_lack_of_memory_makes_no_half_host);
}

static void
add_watches(Suite *s)
{
	TCase *tc = host_tcase(s, "watches");

	tcase_add_test(tc, test_the_record_is_watched_once_a_second);
	tcase_add_loop_test(tc, test_the_host_follows_another_broker, 0, 2);
	tcase_add_test(tc, test_a_look_that_is_slow_is_not_asked_for_twice);
}

int
main(void)
{
	Suite *s = suite_create("host");

	add_order(s);
	add_watches(s);
	return gk_test_main(s);
}
