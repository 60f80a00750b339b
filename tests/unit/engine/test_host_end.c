/* How a host ends.  wire 12 */
#include <stdio.h>
#include <string.h>

#include "host_world.h"

static const struct {
	const char	*bytes;
	size_t		 len;
	bool		 eof;
	const char	*phrase;	/* NULL: a clean end */
} ends[] = {
	{ "", 0, true, NULL },
	{ "\x01", 1, true, NULL },
	{ "\x01\0", 2, true, NULL },
	{ "\x01\0\0", 3, true, NULL },
	{ "\x01\0\0\0", 4, true, "stdin read error" },
	{ "\x02\0\0\0{", 5, true, "stdin read error" },
	{ "\0\0\0\0", 4, false, "stdin read error" },
	{ "\x01\0\0\x04", 4, false, "frame too large" },
	{ "\xff\xff\xff\xff", 4, false, "frame too large" },
	{ "\x02\0\0\0[]", 6, false, "stdin read error" },
	{ "\x01\0\0\0{", 5, false, "stdin read error" },
	{ "\x0d\0\0\0{\"a\":1,\"a\":2}", 17, false, "stdin read error" },
	{ "\x06\0\0\0{\"\xff\":1}", 10, false, "stdin read error" },
};

START_TEST(test_stdin_ends_as_its_table_says)
{
	attach();
	feed(browser, ends[_i].bytes, ends[_i].len);
	if (ends[_i].eof)
		gk_leg_eof(browser);
	ck_assert_str_eq(gk_host_state(h), "ending");
	assert_leave(0);
}
END_TEST

/* The phrases, seen where they are the last thing logged but the state. */
static char phrases[4096];

static void
collect(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	size_t n = strlen(phrases);

	(void)user;
	(void)level;
	(void)tag;
	(void)id;
	snprintf(phrases + n, sizeof(phrases) - n, "%s\n", text);
}

START_TEST(test_the_log_has_the_fixed_phrases)
{
	void (*old)(void *, int, const char *, const char *, const char *) =
	    t.ctx->hooks.log;

	phrases[0] = '\0';
	t.ctx->hooks.log = collect;
	attach();
	ck_assert_ptr_nonnull(strstr(phrases,
	    "connected to MCP server bridge socket\n"));
	ck_assert_ptr_nonnull(strstr(phrases,
	    "bridge handshake complete, label chrome\n"));
	feed(browser, ends[_i].bytes, ends[_i].len);
	if (ends[_i].eof)
		gk_leg_eof(browser);
	if (ends[_i].phrase != NULL) {
		ck_assert_ptr_nonnull(strstr(phrases, ends[_i].phrase));
	} else {
		ck_assert_ptr_null(strstr(phrases, "stdin read error"));
		ck_assert_ptr_nonnull(strstr(phrases, "closed the port"));
	}
	t.ctx->hooks.log = old;
}
END_TEST

START_TEST(test_frames_in_hand_go_out_before_the_end)
{
	attach();
	browser_send("{\"id\":1,\"ok\":true}");
	gk_leg_eof(browser);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(broker_got(), "{\"id\":1,\"ok\":true}\n");
	assert_leave(0);
}
END_TEST

START_TEST(test_a_broker_that_does_not_read_delays_the_end_250_ms)
{
	attach();
	browser_send("{\"id\":1,\"ok\":true}");
	gk_leg_eof(browser);
	run_until(1249);
	assert_event(GK_HOST_NOTHING);
	run_until(1250);
	assert_leave(0);
}
END_TEST

START_TEST(test_the_end_of_the_bridge_pushes_what_has_moved)
{
	attach();
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	broker_send("{\"id\":3}\n");
	gk_leg_eof(bridge);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(browser_got(), "{\"id\":3}\n" KILL_ON);
	assert_leave(0);
}
END_TEST

START_TEST(test_the_bridge_ends_by_failure_or_by_a_line_that_is_none)
{
	attach();
	if (_i == 0)
		gk_leg_broken(bridge);
	else if (_i == 1)
		broker_send("not json\n");
	else
		broker_send("[]\n");
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	assert_leave(0);
}
END_TEST

START_TEST(test_a_fragment_at_the_end_of_the_bridge_is_discarded)
{
	attach();
	broker_send("{\"id\":3}\n{\"id\":4}");
	gk_leg_eof(bridge);
	ck_assert_str_eq(browser_got(), "{\"id\":3}\n");
	assert_leave(0);
}
END_TEST

START_TEST(test_a_browser_that_reads_no_longer_ends_the_host)
{
	attach();
	broker_send("{\"id\":3}\n");
	gk_leg_broken(browser);
	assert_leave(0);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_a_signal_ends_the_host_at_once)
{
	attach();
	browser_send("{\"id\":1,\"ok\":true}");
	gk_host_stop(h);
	assert_leave(0);
}
END_TEST

START_TEST(test_legs_closed_by_the_program_are_the_end)
{
	attach();
	gk_leg_free(_i == 0 ? bridge : browser);
	if (_i == 0)
		bridge = NULL;
	else
		browser = NULL;
	assert_leave(0);
	gk_host_tick(h, 5000);
}
END_TEST

START_TEST(test_legs_may_outlive_the_host)
{
	size_t used;

	attach();
	broker_send("{\"id\":3}\n");
	gk_host_free(h);
	h = NULL;
	ck_assert_int_eq(gk_leg_wants(browser), GENKAN_WANT_CLOSE);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	ck_assert_int_eq(gk_leg_feed(browser, "x", 1, &used), 0);
	ck_assert_uint_eq(used, 1);
	gk_leg_eof(browser);
	gk_leg_eof(bridge);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("host_end");
	TCase *tc = host_tcase(s, "ends");

	tcase_add_loop_test(tc, test_stdin_ends_as_its_table_says, 0,
	    GK_ARRAY_LEN(ends));
	tcase_add_loop_test(tc, test_the_log_has_the_fixed_phrases, 0,
	    GK_ARRAY_LEN(ends));
	tcase_add_test(tc, test_frames_in_hand_go_out_before_the_end);
	tcase_add_test(tc,
	    test_a_broker_that_does_not_read_delays_the_end_250_ms);
	tcase_add_test(tc, test_the_end_of_the_bridge_pushes_what_has_moved);
	tcase_add_loop_test(tc,
	    test_the_bridge_ends_by_failure_or_by_a_line_that_is_none, 0, 3);
	tcase_add_test(tc,
	    test_a_fragment_at_the_end_of_the_bridge_is_discarded);
	tcase_add_test(tc,
	    test_a_browser_that_reads_no_longer_ends_the_host);
	tcase_add_test(tc, test_a_signal_ends_the_host_at_once);
	tcase_add_loop_test(tc, test_legs_closed_by_the_program_are_the_end,
	    0, 2);
	tcase_add_test(tc, test_legs_may_outlive_the_host);
	return gk_test_main(s);
}
