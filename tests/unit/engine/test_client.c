/* Client legs: wire 7.2 to 7.4, the limits of 1.5, and the sweep. */
#include "broker_world.h"
#include "place.h"

static struct world W;
static struct peer B, R, S;

static void
setup(void)
{
	world_init(&W);
}

static void
teardown(void)
{
	peer_free(&B);
	peer_free(&R);
	peer_free(&S);
	world_done(&W);
}

static void
ready(void)
{
	browser(&W, &B, "b");
	hello(&B, "\"tab_control\",\"page_interact\"");
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"

/* An MCP leg like any other. */
START_TEST(test_leg_follows_section_10)
{
	relay(&W, &R, NULL);
	ck_assert(tell(&R, "[]"));
	ck_assert_ptr_nonnull(strstr(hear(&R), "\"id\":null"));
	ck_assert(tell(&R, PING("1")));
	ck_assert_str_eq(hear(&R), PONG("1"));
	client_open(&R);
	ck_assert(tell(&R, "nope"));
	ck_assert_ptr_nonnull(strstr(hear(&R), "-32700"));
	ck_assert(tell(&R, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
	    "\"tools/list\"}"));
	ck_assert_ptr_nonnull(strstr(hear(&R), "\"tools\":[{\"name\":"));
}
END_TEST

START_TEST(test_wrong_opener_is_answered_and_closed)
{
	world_own(&W);
	relay(&W, &R, NULL);
	tell(&R, CALL("1", "tab_list", "{}"));
	ck_assert(!closed(&R));
	ck_assert_int_eq(gk_leg_wants(R.leg), GENKAN_WANT_WRITE);
	/* nothing more is looked at */
	tell(&R, PING("2"));
	ck_assert_ptr_nonnull(strstr(hear(&R), "-32602"));
	ck_assert_str_eq(hear(&R), "");
	ck_assert(closed(&R));
	ck_assert_uint_eq(gk_broker_clients(W.b), 1);
}
END_TEST

START_TEST(test_overlong_line_is_skipped_and_the_leg_goes_on)
{
	size_t n = 1 << 20, used, i;
	char *x = malloc(n);

	relay(&W, &R, NULL);
	client_open(&R);
	memset(x, 'x', n);
	for (i = 0; i < 64; i++)
		gk_leg_feed(R.leg, x, n, &used);
	ck_assert_str_eq(hear(&R), "");
	gk_leg_feed(R.leg, x, 1, &used);
	ck_assert_ptr_nonnull(strstr(hear(&R), "67108864 bytes"));
	gk_leg_feed(R.leg, x, n, &used);
	ck_assert_str_eq(hear(&R), "");
	tell(&R, "x");
	ck_assert(tell(&R, PING("1")));
	ck_assert_str_eq(hear(&R), PONG("1"));
	free(x);
}
END_TEST

START_TEST(test_fragment_at_the_end_of_a_socket_is_discarded)
{
	size_t used;

	ready();
	relay(&W, &R, NULL);
	client_open(&R);
	gk_leg_feed(R.leg, PING("1"), strlen(PING("1")), &used);
	gk_leg_eof(R.leg);
	ck_assert_str_eq(hear(&R), "");
	ck_assert(closed(&R));
}
END_TEST

/* ------------------------------------------------------- checks per line */

static const char *const any_line[] = {
	PING("1"), "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "nope", "[]",
	CALL("1", "tab_list", "{}"),
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
};

START_TEST(test_every_line_is_judged)
{
	ready();
	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	relay(&W, &R, HASH_A);
	client_open(&R);
	tell(&R, CALL("9", "tab_list", "{}"));
	hear(&B);
	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	tell(&R, any_line[_i]);
	/* the end, no reply; what was in flight is cancelled */
	ck_assert(closed(&R));
	ck_assert_str_eq(hear(&R), "");
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
	ck_assert_str_eq(hear(&B), "");
	ck_assert_uint_eq(gk_broker_clients(W.b), 0);
}
END_TEST

/* Admission and gate 1 go by one look, which each line has for itself: what
 * changes behind it is seen by the next one, though both came together. */
START_TEST(test_each_of_two_lines_in_one_read_has_its_look)
{
	ready();
	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	relay(&W, &R, HASH_A);
	client_open(&R);
	tell(&R, CALL("1", "tab_list", "{}"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":1,"));
	W.looks = 0;
	W.turn = 1;
	W.then = _i == 0 ? TRUST("true", "[" CLIENT("alpha", HASH_A) "]") :
	    PAIRED_NONE;
	tell(&R, CALL("2", "tab_list", "{}") "\n"
	    CALL("3", "tab_list", "{}"));
	ck_assert_uint_eq(W.looks, 2);
	ck_assert_uint_eq(audits(&W, "tool_call refused"), _i == 0);
	if (_i == 0) {
		ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":2,"));
		ck_fails(hear(&R), "BRIDGE_KILLED", "engaged");
		ck_assert_str_eq(hear(&B), "");
	} else {
		ck_assert(closed(&R));
		ck_assert_str_eq(hear(&R), "");
		/* 2 had passed: it is cancelled, 3 was never a call. */
		ck_assert_uint_eq(audits(&W, "tool_call error"), 2);
	}
}
END_TEST

START_TEST(test_blank_lines_are_not_judged)
{
	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	relay(&W, &R, HASH_A);
	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	tell(&R, "");
	tell(&R, " \t\r");
	ck_assert(!closed(&R));
}
END_TEST

START_TEST(test_overlong_line_is_judged)
{
	size_t n = 1 << 20, used, i;
	char *x = malloc(n);

	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	relay(&W, &R, HASH_A);
	client_open(&R);
	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	memset(x, 'x', n);
	for (i = 0; i < 64; i++)
		gk_leg_feed(R.leg, x, n, &used);
	ck_assert(!closed(&R));
	gk_leg_feed(R.leg, x, 1, &used);
	ck_assert(closed(&R));
	ck_assert_str_eq(hear(&R), "");
	free(x);
}
END_TEST

/* What a client was admitted as, the record then, and what becomes of it. */
static const struct {
	bool		 embedder;
	const char	*before;
	const char	*after;
	bool		 stays;
} postures[] = {
	{ false, NULL, NULL, true },
	{ false, NULL, FRESH, true },
	{ false, NULL, PAIRED_A, true },	/* re-decided, and listed */
	{ false, NULL, PAIRED_NONE, false },
	{ false, PAIRED_A, KILLED, false },	/* trusted, now unenrolled */
	{ false, PAIRED_A, NULL, false },	/* the record vanished */
	{ false, PAIRED_A, FRESH, false },
	{ false, PAIRED_A, PAIRED_A, true },
	{ false, PAIRED_A, TRUST("true", "[" CLIENT("x", HASH_A) "]"), true },
	{ false, PAIRED_A, PAIRED_NONE, false },
	{ false, PAIRED_A, "{", false },
	{ false, NULL, "{", false },
	{ true, PAIRED_A, PAIRED_A, true },
	{ true, PAIRED_A, PAIRED_NONE, false },
	{ true, PAIRED_A, NULL, false },
	{ true, PAIRED_A, "{", false },
};

START_TEST(test_posture_row)
{
	world_write(&W, GK_RECORD_TRUST, postures[_i].before);
	if (postures[_i].embedder)
		embedder(&W, &R, HASH_A);
	else
		relay(&W, &R, HASH_A);
	client_open(&R);
	world_write(&W, GK_RECORD_TRUST, postures[_i].after);
	tell(&R, PING("1"));
	ck_assert_int_eq(closed(&R), !postures[_i].stays);
	ck_assert_str_eq(hear(&R), postures[_i].stays ? PONG("1") : "");
}
END_TEST

/* The same held against the sweep, which refuses but knows no posture. */
START_TEST(test_sweep_row)
{
	const char *after = postures[_i].after;
	bool stays = postures[_i].stays;

	/* only a line notices that a posture would be weaker */
	if (!postures[_i].embedder && postures[_i].before != NULL &&
	    (after == NULL || strcmp(after, FRESH) == 0 ||
	    strcmp(after, KILLED) == 0))
		stays = true;
	world_write(&W, GK_RECORD_TRUST, postures[_i].before);
	if (postures[_i].embedder)
		embedder(&W, &R, HASH_A);
	else
		relay(&W, &R, HASH_A);
	browser(&W, &B, "b");
	world_write(&W, GK_RECORD_TRUST, after);
	world_run(&W, 1999);
	ck_assert(!closed(&R));
	ck_assert(!closed(&B));
	world_run(&W, 2000);
	ck_assert_int_eq(closed(&R), !stays);
	ck_assert_int_eq(closed(&B), after != NULL &&
	    (strcmp(after, "{") == 0 || strstr(after, "\"killed\":true")));
}
END_TEST

START_TEST(test_sweep_leaves_the_own_harness_alone)
{
	world_own(&W);
	relay(&W, &R, HASH_A);
	relay(&W, &S, HASH_B);
	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	world_run(&W, 2000);
	ck_assert(!closed(&R));
	ck_assert(closed(&S));
	world_write(&W, GK_RECORD_TRUST, "{");
	world_run(&W, 3000);
	ck_assert(closed(&R));
	ck_assert_uint_eq(gk_broker_clients(W.b), 1);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "cannot be used");
}
END_TEST

/* The cancel of the refused cannot be written, so its browser is severed; the
 * answer of that to the next in line cannot be either, so that one goes too. */
START_TEST(test_sweep_ends_whatever_an_end_ends)
{
	ready();
	relay(&W, &R, HASH_B);
	relay(&W, &S, HASH_A);
	client_open(&R);
	client_open(&S);
	tell(&R, CALL("1", "tab_list", "{}"));
	tell(&S, CALL("1", "tab_list", "{}"));
	hear(&B);
	hear(&B);
	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	W.t.fail_at = (size_t)_i + 1;
	W.t.fail_after = true;
	world_run(&W, 2000);
	ck_assert(closed(&R));
	W.t.fail_at = 0;
	W.t.fail_after = false;
	world_run(&W, 3000);
	ck_assert_uint_eq(gk_broker_clients(W.b), closed(&S) ? 0 : 1);
}
END_TEST

/* At every tick, whoever attached in between. */
START_TEST(test_killed_sweep_at_every_tick)
{
	browser(&W, &B, "b");
	world_write(&W, GK_RECORD_TRUST, KILLED);
	world_run(&W, 2000);
	ck_assert(closed(&B));
	peer_free(&B);
	world_write(&W, GK_RECORD_TRUST, NULL);
	browser(&W, &B, "b");
	world_write(&W, GK_RECORD_TRUST, KILLED);
	world_run(&W, 3000);
	ck_assert(closed(&B));
}
END_TEST

/* ------------------------------------------------------------------ rate */

START_TEST(test_8192_lines_then_back_pressure)
{
	int i, n;

	relay(&W, &R, NULL);
	for (i = 0; i < 8192; i++)
		ck_assert(tell(&R, "{}"));	/* dropped silently */
	ck_assert_int_eq(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	ck_assert(!tell(&R, PING("1")));
	ck_assert_str_eq(hear(&R), "");
	ck_assert_int_eq(gk_leg_deadline(R.leg), 1001);
	ck_assert_int_eq(gk_broker_deadline(W.b), 1001);
	/* 8.192 tokens in a millisecond */
	world_time(&W, 1001);
	ck_assert_int_ne(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	for (n = 0; n < 100 && tell(&R, "{}"); n++)
		;
	ck_assert_int_eq(n, 8);
	/* full again after a second, and no fuller after ten */
	world_time(&W, 11001);
	for (n = 0; n < 10000 && tell(&R, "{}"); n++)
		;
	ck_assert_int_eq(n, 8192);
	/* nothing was dropped: the line is taken as soon as it may */
	world_time(&W, 11002);
	ck_assert(tell(&R, PING("1")));
	ck_assert_str_eq(hear(&R), PONG("1"));
}
END_TEST

START_TEST(test_blank_lines_cost_no_token)
{
	char *blank = malloc(20000);
	size_t used;
	int i;

	memset(blank, '\n', 20000);
	relay(&W, &R, NULL);
	for (i = 0; i < 8191; i++)
		ck_assert(tell(&R, "{}"));
	gk_leg_feed(R.leg, blank, 20000, &used);
	ck_assert_uint_eq(used, 20000);
	ck_assert(tell(&R, PING("1")));
	ck_assert_str_eq(hear(&R), PONG("1"));
	free(blank);
}
END_TEST

START_TEST(test_one_clients_flood_does_not_slow_another)
{
	int i;

	relay(&W, &R, NULL);
	relay(&W, &S, NULL);
	for (i = 0; i < 8192; i++)
		tell(&R, "{}");
	ck_assert_int_eq(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	ck_assert(tell(&S, PING("1")));
	ck_assert_str_eq(hear(&S), PONG("1"));
}
END_TEST

/* -------------------------------------------------------------- in flight */

START_TEST(test_128_calls_in_flight_then_back_pressure)
{
	char call[256];
	int i;

	ready();
	relay(&W, &R, NULL);
	client_open(&R);
	for (i = 1; i <= 128; i++) {
		snprintf(call, sizeof(call), CALL("%d", "tab_list", "{}"), i);
		ck_assert_int_ne(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
		ck_assert(tell(&R, call));
	}
	/* nothing is refused, nothing read: not even a cancel */
	ck_assert_int_eq(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	ck_assert(!tell(&R, PING("\"p\"")));
	/* an answer that is not out yet still counts */
	tell(&B, "{\"id\":77,\"ok\":true,\"data\":77}");
	ck_assert_int_eq(gk_leg_wants(R.leg), GENKAN_WANT_WRITE);
	ck_assert_str_eq(hear(&R), TEXT("77", "77"));
	ck_assert_int_ne(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	ck_assert(tell(&R, PING("\"p\"")));
	ck_assert_str_eq(hear(&R), PONG("\"p\""));
}
END_TEST

/* A call with so many bytes of arguments. */
static void
big_call(struct peer *p, int id, size_t bytes)
{
	char *line = malloc(bytes + 256);
	size_t used, n;

	/* {"value":""} is 12 bytes */
	n = (size_t)sprintf(line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"page_fill\","
	    "\"arguments\":{\"value\":\"", id);
	memset(line + n, 'x', bytes - 12);
	strcpy(line + n + bytes - 12, "\"}}}\n");
	n = strlen(line);
	used = feed_placed(p->leg, line, n);
	ck_assert_uint_eq(used, n);
	free(line);
}

START_TEST(test_64_mib_of_arguments_not_yet_written_then_back_pressure)
{
	size_t half = GK_MAX_INFLIGHT_BYTES / 2;
	const void *p;
	size_t len;

	ready();
	relay(&W, &R, NULL);
	client_open(&R);
	big_call(&R, 1, half);
	big_call(&R, 2, half - 1);
	ck_assert_int_ne(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	big_call(&R, 3, 12);
	ck_assert_int_eq(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	/* the first is out: its bytes no longer count */
	gk_leg_output(B.leg, &p, &len);
	gk_leg_wrote(B.leg, len - 1);
	ck_assert_int_eq(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
	gk_leg_wrote(B.leg, 1);
	ck_assert_int_ne(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
}
END_TEST

/* 256 MiB over all clients: none is read, the own harness included. */
START_TEST(test_max_queued_stops_every_client)
{
	static struct peer many[5];
	size_t half = GK_MAX_INFLIGHT_BYTES / 2;
	int i;

	world_own(&W);
	ready();
	for (i = 0; i < 5; i++) {
		relay(&W, &many[i], NULL);
		client_open(&many[i]);
	}
	for (i = 0; i < 4; i++) {
		big_call(&many[i], 1, half);
		big_call(&many[i], 2, half - 1);
	}
	ck_assert_int_ne(gk_leg_wants(many[4].leg) & GENKAN_WANT_READ, 0);
	ck_assert(!gk_broker_full(W.own));
	big_call(&many[4], 1, 12);
	for (i = 0; i < 5; i++)
		ck_assert_msg((gk_leg_wants(many[i].leg) &
		    GENKAN_WANT_READ) == 0, "%d", i);
	ck_assert(gk_broker_full(W.own));
	/* one client dies, and its bytes with it */
	gk_leg_broken(many[0].leg);
	ck_assert_int_ne(gk_leg_wants(many[4].leg) & GENKAN_WANT_READ, 0);
	ck_assert(!gk_broker_full(W.own));
	for (i = 0; i < 5; i++)
		peer_free(&many[i]);
}
END_TEST

START_TEST(test_client_that_does_not_read_is_not_read)
{
	int i;

	relay(&W, &R, NULL);
	client_open(&R);
	for (i = 0; i < 8000; i++)
		if (!tell(&R, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		    "\"tools/list\"}"))
			break;
	ck_assert_int_lt(i, 200);
	ck_assert_int_eq(gk_leg_wants(R.leg), GENKAN_WANT_WRITE);
	for (; i > 0; i--)
		ck_assert_ptr_nonnull(strstr(hear(&R), "\"tools\":"));
	ck_assert_int_ne(gk_leg_wants(R.leg) & GENKAN_WANT_READ, 0);
}
END_TEST

/* ------------------------------------------------------------------- ends */

START_TEST(test_end_of_input_lets_calls_run_on)
{
	world_own(&W);
	ready();
	relay(&W, &R, NULL);
	client_open(&R);
	tell(&R, CALL("1", "tab_list", "{}"));
	tell(&R, CALL("2", "tab_list", "{}"));
	hear(&B), hear(&B);
	gk_leg_eof(R.leg);
	ck_assert_int_eq(gk_leg_wants(R.leg), 0);
	tell(&B, "{\"id\":2,\"ok\":true,\"data\":2}");
	ck_assert_str_eq(hear(&R), TEXT("2", "2"));
	ck_assert(!closed(&R));
	/* within its deadline */
	world_run(&W, 121000);
	ck_fails(hear(&R), "RESPONSE_TIMEOUT", "");
	ck_assert(closed(&R));
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
}
END_TEST

START_TEST(test_end_of_input_without_calls_closes)
{
	relay(&W, &R, NULL);
	client_open(&R);
	gk_leg_eof(R.leg);
	ck_assert(closed(&R));
	gk_leg_eof(R.leg);
	peer_free(&R);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_LEAVE);
}
END_TEST

START_TEST(test_end_of_input_ahead_of_unread_replies)
{
	relay(&W, &R, NULL);
	client_open(&R);
	tell(&R, PING("1"));
	gk_leg_eof(R.leg);
	ck_assert(!closed(&R));
	ck_assert_uint_eq(gk_broker_clients(W.b), 1);
	ck_assert_str_eq(hear(&R), PONG("1"));
	ck_assert(closed(&R));
	ck_assert_uint_eq(gk_broker_clients(W.b), 0);
}
END_TEST

START_TEST(test_reader_gone_after_the_end_of_input)
{
	ready();
	relay(&W, &R, NULL);
	client_open(&R);
	tell(&R, CALL("1", "tab_list", "{}"));
	hear(&B);
	gk_leg_eof(R.leg);
	gk_leg_broken(R.leg);
	ck_assert(closed(&R));
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("client");
	TCase *tc = tcase_create("client");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, test_leg_follows_section_10);
	tcase_add_test(tc, test_wrong_opener_is_answered_and_closed);
	tcase_add_test(tc, test_overlong_line_is_skipped_and_the_leg_goes_on);
	tcase_add_test(tc, test_fragment_at_the_end_of_a_socket_is_discarded);
	tcase_add_loop_test(tc, test_every_line_is_judged, 0,
	    GK_ARRAY_LEN(any_line));
	tcase_add_loop_test(tc,
	    test_each_of_two_lines_in_one_read_has_its_look, 0, 2);
	tcase_add_test(tc, test_blank_lines_are_not_judged);
	tcase_add_test(tc, test_overlong_line_is_judged);
	tcase_add_loop_test(tc, test_posture_row, 0, GK_ARRAY_LEN(postures));
	tcase_add_loop_test(tc, test_sweep_row, 0, GK_ARRAY_LEN(postures));
	tcase_add_test(tc, test_sweep_leaves_the_own_harness_alone);
	tcase_add_loop_test(tc, test_sweep_ends_whatever_an_end_ends, 0, 40);
	tcase_add_test(tc, test_killed_sweep_at_every_tick);
	tcase_add_test(tc, test_8192_lines_then_back_pressure);
	tcase_add_test(tc, test_blank_lines_cost_no_token);
	tcase_add_test(tc, test_one_clients_flood_does_not_slow_another);
	tcase_add_test(tc, test_128_calls_in_flight_then_back_pressure);
	tcase_add_test(tc,
	    test_64_mib_of_arguments_not_yet_written_then_back_pressure);
	tcase_add_test(tc, test_max_queued_stops_every_client);
	tcase_add_test(tc, test_client_that_does_not_read_is_not_read);
	tcase_add_test(tc, test_end_of_input_lets_calls_run_on);
	tcase_add_test(tc, test_end_of_input_without_calls_closes);
	tcase_add_test(tc, test_end_of_input_ahead_of_unread_replies);
	tcase_add_test(tc, test_reader_gone_after_the_end_of_input);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
