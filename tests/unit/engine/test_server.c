/* A server of one harness: start, roles, elections, its ends. */
#include "server_world.h"

static struct world w;

static void
setup(void)
{
	world_init(&w);
}

static void
teardown(void)
{
	world_done(&w);
}

static bool
has(const char *line, const char *part)
{
	return strstr(line, part) != NULL;
}

/* The next line for the harness answers id with this code, and says part. */
static void
assert_fails(const char *id, const char *code, const char *part)
{
	const char *line = hear(&w);
	char want[128];

	snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":%s,", id);
	ck_assert_msg(strncmp(line, want, strlen(want)) == 0, "%s", line);
	snprintf(want, sizeof(want), "Error [%s]: ", code);
	ck_assert_msg(has(line, want), "%s", line);
	ck_assert_msg(has(line, part), "%s", line);
	ck_assert_msg(has(line, "\"isError\":true"), "%s", line);
}

/* ------------------------------------------------------------------- start */

START_TEST(test_the_first_reply_waits_for_no_event)
{
	say(&w, INIT);
	ck_assert(has(hear(&w), "\"protocolVersion\":\"2025-06-18\""));
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	ck_assert(has(hear(&w), "\"name\":\"list_browsers\""));
	expect(&w, GK_SERVER_MEASURE);
}
END_TEST

START_TEST(test_an_election_waits_for_measurement_and_install_set)
{
	expect(&w, GK_SERVER_MEASURE);
	expect(&w, GK_SERVER_INSTALL);
	expect(&w, GK_SERVER_NOTHING);
	if (_i == 0) {
		gk_server_installed(w.s, NULL);
		expect(&w, GK_SERVER_NOTHING);
		gk_server_measured(w.s, &w.harness);
	} else {
		gk_server_measured(w.s, &w.harness);
		expect(&w, GK_SERVER_NOTHING);
		gk_server_installed(w.s, NULL);
	}
	expect(&w, GK_SERVER_ELECT);
	expect(&w, GK_SERVER_NOTHING);
}
END_TEST

START_TEST(test_without_a_list_admission_is_said_to_be_open)
{
	expect(&w, GK_SERVER_MEASURE);
	gk_server_measured(w.s, &w.harness);
	ck_assert_str_eq(w.t.log_id, "admission-open");
	ck_assert(has(w.t.log_text, MEM_HASH));
	ck_assert(has(w.t.log_text, "pair-client"));
	ck_assert_uint_eq(w.m.naudits, 0);
}
END_TEST

START_TEST(test_with_a_list_nothing_is_read_before_the_measurement)
{
	size_t used;

	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	ck_assert_int_eq(gk_leg_wants(w.own), 0);
	(void)gk_leg_feed(w.own, INIT "\n", sizeof(INIT), &used);
	ck_assert_uint_eq(used, 0);
	expect(&w, GK_SERVER_MEASURE);
	expect(&w, GK_SERVER_NOTHING);
	gk_server_measured(w.s, &w.harness);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_READ);
	say(&w, INIT);
	ck_assert(has(hear(&w), "\"result\""));
	expect(&w, GK_SERVER_INSTALL);
}
END_TEST

START_TEST(test_a_harness_that_is_not_listed_ends_the_server_unheard)
{
	memstore_set(&w.m, GK_RECORD_TRUST, _i == 0 ? NOBODY : PAIRED);
	if (_i == 1)
		strcpy(w.harness.hash, MEM_OTHER);
	if (_i == 2)
		w.harness.ok = false;
	world_server(&w, true);
	expect(&w, GK_SERVER_MEASURE);
	gk_server_measured(w.s, &w.harness);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	expect_leave(&w, 1);
	ck_assert_uint_eq(w.m.naudits, 1);
	ck_assert_int_eq(strncmp(memstore_audit(&w.m), "harness_refuse "
	    "broker refused tool=- code=- name=tester detail=", 62), 0);
	ck_assert(has(memstore_audit(&w.m), _i == 2 ? "; unmeasured" :
	    _i == 1 ? "; hash:" MEM_OTHER : "; hash:" MEM_HASH));
}
END_TEST

START_TEST(test_an_unreadable_record_keeps_the_harness_but_no_call)
{
	memstore_break(&w.m, GK_RECORD_TRUST);
	world_server(&w, true);
	say(&w, INIT);
	ck_assert(has(hear(&w), "\"result\""));
	say(&w, CALL("7", "tab_list"));
	assert_fails("7", "BRIDGE_KILLED", "/state/trust.json");
	ck_assert_str_eq(memstore_audit(&w.m), "tool_call broker refused "
	    "tool=tab_list code=BRIDGE_KILLED name=- detail=- cid=-");
	/* A call that does not fit never reaches the gate. */
	say(&w, CALL("8", "no_such_tool"));
	ck_assert(has(hear(&w), "\"code\":-32602"));
	ck_assert_uint_eq(w.m.naudits, 1);
	/* and no round is run */
	world_ready(&w);
	expect(&w, GK_SERVER_NOTHING);
	run_until(&w, 5000);
	expect(&w, GK_SERVER_NOTHING);
}
END_TEST

START_TEST(test_the_first_round_starts_once_the_record_is_readable)
{
	memstore_break(&w.m, GK_RECORD_TRUST);
	world_server(&w, true);
	world_ready(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, FRESH);
	run_until(&w, 1999);
	expect(&w, GK_SERVER_NOTHING);
	run_until(&w, 2000);
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

START_TEST(test_a_call_finds_the_record_readable_before_the_second_is_over)
{
	memstore_break(&w.m, GK_RECORD_TRUST);
	world_server(&w, true);
	say(&w, INIT);
	hear(&w);
	world_ready(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, FRESH);
	say(&w, CALL("1", "tab_list"));
	ck_assert_str_eq(hear(&w), "");
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

START_TEST(test_a_record_that_reads_again_without_us_ends_the_server)
{
	memstore_break(&w.m, GK_RECORD_TRUST);
	world_server(&w, true);
	say(&w, INIT);
	hear(&w);
	world_ready(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, NOBODY);
	run_until(&w, 2000);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_an_own_image_that_cannot_be_measured_is_exit_1)
{
	expect(&w, GK_SERVER_MEASURE);
	expect(&w, GK_SERVER_INSTALL);
	gk_server_installed(w.s, "no such file");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_client_name_that_is_no_label_is_ignored)
{
	struct gk_server_opts o = { &w.m.store, true, "-bad name" };
	struct gk_server *s;

	ck_assert_int_eq(gk_server_new(w.t.ctx, &o, &s), 0);
	ck_assert_str_eq(w.t.log_id, "bad-name");
	gk_leg_free(gk_server_stdio(s));
	gk_server_free(s);
}
END_TEST

/* ----------------------------------------------------------------- outcomes */

START_TEST(test_held_calls_start_once_this_is_the_broker)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "list_browsers"));
	say(&w, CALL("2", "list_browsers"));
	ck_assert_str_eq(hear(&w), "");
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert_str_eq(gk_server_role(w.s), "broker");
	ck_assert(has(hear(&w), "\"id\":1,\"result\":{\"content\":"));
	ck_assert(has(hear(&w), "\"id\":2,\"result\":{\"content\":"));
	say(&w, CALL("3", "list_browsers"));
	ck_assert(has(hear(&w), "\"count\\\":0"));
	expect(&w, GK_SERVER_NOTHING);
}
END_TEST

START_TEST(test_a_held_call_is_judged_when_it_starts)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "list_browsers"));
	world_ready(&w);
	expect(&w, GK_SERVER_ELECT);
	memstore_set(&w.m, GK_RECORD_TRUST, NOBODY);
	elected(&w, GK_ELECTED_BROKER);
	ck_assert_str_eq(hear(&w), "");
	/* Nobody else is served: exit 1. */
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_retry_is_repeated_six_times_150_ms_apart)
{
	int64_t now = 1000;
	int i;

	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	for (i = 0; i < 5; i++) {
		elect(&w, GK_ELECTED_RETRY);
		expect(&w, GK_SERVER_NOTHING);
		run_until(&w, now + 149);
		expect(&w, GK_SERVER_NOTHING);
		run_until(&w, now += 150);
	}
	elect(&w, GK_ELECTED_RETRY);
	expect(&w, GK_SERVER_NOTHING);
	assert_fails("1", "CONNECTION_LOST", "reason 4");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_failed_election_answers_held_calls_and_is_exit_1)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	say(&w, CALL("2", "no_such_tool"));
	world_ready(&w);
	elect(&w, GK_ELECTED_FAILED);
	expect(&w, GK_SERVER_NOTHING);
	assert_fails("1", "CONNECTION_LOST", "reason");
	ck_assert(has(hear(&w), "\"code\":-32602"));
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_answers_that_nobody_reads_delay_the_end_no_longer_than_a_drain)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	elect(&w, GK_ELECTED_FAILED);
	run_until(&w, 2499);
	expect(&w, GK_SERVER_NOTHING);
	run_until(&w, 2500);
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_denial_is_exit_1_at_once_and_held_calls_get_no_reply)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	elect(&w, GK_ELECTED_DENIED);
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_outdated_keeps_the_harness_and_answers_calls)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	elect(&w, GK_ELECTED_OUTDATED);
	ck_assert_str_eq(gk_server_role(w.s), "outdated");
	assert_fails("1", "PROTOCOL_MISMATCH", "upgraded");
	expect(&w, GK_SERVER_NOTHING);
	say(&w, CALL("2", "tab_list"));
	assert_fails("2", "PROTOCOL_MISMATCH", "restart");
	say(&w, CALL("3", "no_such_tool"));
	ck_assert(has(hear(&w), "\"code\":-32602"));
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}");
	ck_assert(has(hear(&w), "\"tools\""));
	/* No record is asked: it may be unreadable to an old program. */
	memstore_break(&w.m, GK_RECORD_TRUST);
	say(&w, CALL("5", "tab_list"));
	assert_fails("5", "PROTOCOL_MISMATCH", "upgraded");
	ck_assert_uint_eq(w.m.naudits, 0);
	run_until(&w, 60000);
	expect(&w, GK_SERVER_NOTHING);
	gk_leg_eof(w.own);
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_broker_whose_image_was_replaced_becomes_outdated)
{
	say(&w, INIT);
	hear(&w);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	gk_server_replaced(w.s);
	expect(&w, GK_SERVER_UNLISTEN);
	ck_assert_str_eq(gk_server_role(w.s), "outdated");
	ck_assert_int_eq(gk_server_claim(w.s), GENKAN_E_UNAVAILABLE);
	say(&w, CALL("2", "tab_list"));
	assert_fails("2", "PROTOCOL_MISMATCH", "upgraded");
	/* What was found stays so, and is not found twice. */
	gk_server_replaced(w.s);
	expect(&w, GK_SERVER_NOTHING);
}
END_TEST

START_TEST(test_a_call_that_waits_for_a_browser_ends_when_outdated)
{
	say(&w, INIT);
	hear(&w);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	say(&w, CALL("2", "tab_list"));
	ck_assert_str_eq(hear(&w), "");
	gk_server_replaced(w.s);
	assert_fails("2", "PROTOCOL_MISMATCH", "");
	ck_assert_str_eq(gk_server_role(w.s), "outdated");
}
END_TEST

/* -------------------------------------------------------------- held calls */

START_TEST(test_a_held_call_times_out_unsent_after_120_s)
{
	say(&w, INIT);
	hear(&w);
	expect(&w, GK_SERVER_MEASURE);
	expect(&w, GK_SERVER_INSTALL);
	say(&w, CALL("1", "tab_list"));
	run_until(&w, 121000 - 1);
	ck_assert_str_eq(hear(&w), "");
	run_until(&w, 121000);
	assert_fails("1", "RESPONSE_TIMEOUT", "not sent");
	gk_server_measured(w.s, &w.harness);
	gk_server_installed(w.s, NULL);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert_str_eq(hear(&w), "");
}
END_TEST

START_TEST(test_a_held_call_that_is_cancelled_is_dropped_with_it)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "list_browsers"));
	say(&w, CALL("2", "list_browsers"));
	say(&w, CANCEL("1"));
	/* Its id is free at once. */
	say(&w, CALL("1", "tab_list"));
	say(&w, CANCEL("1"));
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert(has(hear(&w), "\"id\":2,"));
	ck_assert_str_eq(hear(&w), "");
}
END_TEST

START_TEST(test_calls_are_held_up_to_the_limit_and_then_not_read)
{
	char line[128];
	size_t used;
	int i;

	say(&w, INIT);
	hear(&w);
	for (i = 0; i < GK_MAX_INFLIGHT - 1; i++) {
		snprintf(line, sizeof(line), CALL("%d", "tab_list"), i);
		say(&w, line);
	}
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_READ);
	say(&w, CALL("\"last\"", "list_browsers"));
	ck_assert_int_eq(gk_leg_wants(w.own), 0);
	(void)gk_leg_feed(w.own, CANCEL("0") "\n", sizeof(CANCEL("0")),
	    &used);
	ck_assert_uint_eq(used, 0);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert(has(hear(&w), "\"id\":\"last\""));
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_READ);
}
END_TEST

START_TEST(test_held_arguments_are_bounded_by_64_mib)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"page_fill\","
	    "\"arguments\":{\"value\":\"";
	size_t len = 64u * 1024 * 1024 - 200, n = sizeof(head) - 1;
	char *s = malloc(len);

	say(&w, INIT);
	hear(&w);
	memcpy(s, head, n);
	memset(s + n, 'x', len - n);
	memcpy(s + len - 5, "\"}}}\n", 5);
	ck_assert_uint_eq(say_bytes(&w, s, len), len);
	free(s);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_READ);
	say(&w, CALL("2", "tab_list"));
	say(&w, CALL("3", "tab_list"));
	say(&w, CALL("4", "tab_list"));
	/* Over 64 MiB now. */
	ck_assert_int_eq(gk_leg_wants(w.own), 0);
	gk_leg_eof(w.own);
	run_until(&w, 3000);
	expect_leave(&w, 0);
}
END_TEST

/* ----------------------------------------------------------- the judgement */

START_TEST(test_a_revoked_harness_loses_its_leg_without_a_reply)
{
	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	world_ready(&w);
	elect(&w, _i == 0 ? GK_ELECTED_BROKER : _i == 1 ?
	    GK_ELECTED_OUTDATED : GK_ELECTED_RETRY);
	say(&w, INIT);
	hear(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, NOBODY);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
	/* As broker its stdout stays open until then. */
	ck_assert_int_eq(gk_leg_wants(w.own), _i == 0 ? 0 :
	    GENKAN_WANT_CLOSE);
}
END_TEST

START_TEST(test_a_posture_is_never_weakened)
{
	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	world_ready(&w);
	say(&w, INIT);
	hear(&w);
	/* The record vanished: unenrolled, after having been trusted. */
	memstore_set(&w.m, GK_RECORD_TRUST, NULL);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_an_unenrolled_harness_is_re_decided_once_a_list_exists)
{
	world_ready(&w);
	say(&w, INIT);
	hear(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	ck_assert(has(hear(&w), "\"id\":1"));
	memstore_set(&w.m, GK_RECORD_TRUST, FRESH);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_an_unreadable_record_ends_no_leg)
{
	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	world_ready(&w);
	say(&w, INIT);
	hear(&w);
	memstore_break(&w.m, GK_RECORD_TRUST);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	ck_assert(has(hear(&w), "\"id\":1"));
	/* What it was admitted as is remembered. */
	memstore_set(&w.m, GK_RECORD_TRUST, FRESH);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

/* Whatever a line is: none passes unjudged. */
static const char *const any_line[] = {
	"nonsense", "[]", "{}", "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
	CALL("1", "tab_list"), CANCEL("1"), INIT,
};

START_TEST(test_every_line_of_a_revoked_harness_ends_its_leg)
{
	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	say(&w, INIT);
	hear(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, NOBODY);
	say(&w, any_line[_i]);
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

/* The verdict and gate 1 go by one look, which each line has for itself: what
 * changes behind it is seen by the next one, though both came together. */
START_TEST(test_each_of_two_lines_in_one_read_has_its_look)
{
	static const char two[] = CALL("2", "tab_list") "\n"
	    CALL("3", "tab_list") "\n";

	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "list_browsers"));
	ck_assert(has(hear(&w), "\"id\":1,\"result\""));
	w.m.looks = 0;
	w.m.turn = 1;
	w.m.then = _i == 0 ? MEM_TRUST(2, true, 2, 0, 0, 0,
	    "[" MEM_CLIENT("claude", MEM_HASH) "]") : NOBODY;
	ck_assert_uint_eq(say_bytes(&w, two, sizeof(two) - 1),
	    sizeof(two) - 1);
	ck_assert_uint_eq(w.m.looks, 2);
	if (_i == 0) {
		/* 2 waits for a browser. */
		assert_fails("3", "BRIDGE_KILLED", "engaged");
		ck_assert_str_eq(hear(&w), "");
		return;
	}
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_an_over_long_line_is_judged_too)
{
	char *s = malloc(GK_MCP_LINE_IN_MAX + 1);

	memset(s, 'x', GK_MCP_LINE_IN_MAX + 1);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert_uint_eq(say_bytes(&w, s, GK_MCP_LINE_IN_MAX + 1),
	    GK_MCP_LINE_IN_MAX + 1);
	ck_assert(has(hear(&w), "\"code\":-32700"));
	say(&w, "");
	memstore_set(&w.m, GK_RECORD_TRUST, NOBODY);
	ck_assert_uint_eq(say_bytes(&w, s, GK_MCP_LINE_IN_MAX + 1),
	    GK_MCP_LINE_IN_MAX + 1);
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
	free(s);
}
END_TEST

/* ------------------------------------------------------------------ its ends */

START_TEST(test_the_end_of_input_with_nothing_owed_is_the_end)
{
	world_ready(&w);
	if (_i == 1)
		elect(&w, GK_ELECTED_BROKER);
	else
		expect(&w, GK_SERVER_ELECT);
	say(&w, INIT);
	gk_leg_eof(w.own);
	expect(&w, GK_SERVER_NOTHING);
	hear(&w);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_last_line_without_lf_is_handled)
{
	ck_assert_uint_eq(say_bytes(&w, INIT, sizeof(INIT) - 1),
	    sizeof(INIT) - 1);
	ck_assert_str_eq(hear(&w), "");
	gk_leg_eof(w.own);
	ck_assert(has(hear(&w), "\"result\""));
}
END_TEST

START_TEST(test_calls_in_flight_have_1500_ms_after_the_end_of_input)
{
	say(&w, INIT);
	hear(&w);
	world_ready(&w);
	if (_i == 1)
		elect(&w, GK_ELECTED_BROKER);
	say(&w, CALL("1", "tab_list"));
	gk_leg_eof(w.own);
	run_until(&w, 2499);
	if (_i == 0)
		expect(&w, GK_SERVER_ELECT);
	expect(&w, GK_SERVER_NOTHING);
	run_until(&w, 2500);
	ck_assert_str_eq(hear(&w), "");
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_drained_call_that_is_answered_ends_the_server_early)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "list_browsers"));
	gk_leg_eof(w.own);
	world_ready(&w);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert(has(hear(&w), "\"id\":1"));
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_bad_opener_is_answered_and_then_is_the_end_of_input)
{
	say(&w, CALL("1", "tab_list"));
	expect(&w, GK_SERVER_MEASURE);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_WRITE);
	ck_assert(has(hear(&w), "\"code\":-32602"));
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_output_that_fails_drops_everything_at_once)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	if (_i == 1)
		elect(&w, GK_ELECTED_BROKER);
	gk_leg_broken(w.own);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_signal_leaves_at_once_in_any_role)
{
	say(&w, INIT);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	if (_i == 1)
		elect(&w, GK_ELECTED_BROKER);
	if (_i == 2)
		elect(&w, GK_ELECTED_OUTDATED);
	gk_server_stop(w.s);
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_an_answer_that_comes_after_the_end_is_not_wanted)
{
	world_ready(&w);
	expect(&w, GK_SERVER_ELECT);
	gk_leg_eof(w.own);
	elected(&w, GK_ELECTED_DIALLED);
	ck_assert_ptr_null(w.relay);
	expect_leave(&w, 0);
	gk_server_measured(w.s, &w.harness);
	gk_server_installed(w.s, NULL);
	gk_server_replaced(w.s);
	gk_server_tick(w.s, 99999);
	expect(&w, GK_SERVER_NOTHING);
}
END_TEST

START_TEST(test_a_leg_closed_by_the_program_is_the_end)
{
	say(&w, INIT);
	say(&w, CALL("1", "tab_list"));
	world_ready(&w);
	if (_i == 1)
		elect(&w, GK_ELECTED_BROKER);
	gk_leg_free(w.own);
	w.own = NULL;
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_leg_may_outlive_the_server)
{
	size_t used;

	say(&w, INIT);
	gk_server_free(w.s);
	w.s = NULL;
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_CLOSE);
	(void)gk_leg_feed(w.own, "x\n", 2, &used);
	ck_assert_uint_eq(used, 2);
	gk_leg_eof(w.own);
	gk_leg_broken(w.own);
}
END_TEST

START_TEST(test_a_harness_that_does_not_read_is_not_read_either)
{
	char line[128];
	int i, n = 0;

	say(&w, INIT);
	hear(&w);
	for (i = 0; i < 20000 && (gk_leg_wants(w.own) & GENKAN_WANT_READ);
	    i++) {
		snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%d,"
		    "\"method\":\"tools/list\"}", i);
		say(&w, line);
		n++;
	}
	ck_assert_int_lt(n, 20000);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_WRITE);
	while (hear(&w)[0] != '\0')
		n--;
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_READ);
}
END_TEST

/* ----------------------------------------------------------------- --broker */

START_TEST(test_a_broker_without_harness_elects_without_dialling)
{
	struct gk_server_event ev;

	world_server(&w, false);
	expect(&w, GK_SERVER_INSTALL);
	gk_server_installed(w.s, NULL);
	ck_assert_int_eq(gk_server_next(w.s, &ev), GK_SERVER_ELECT);
	ck_assert(!ev.dial);
	if (_i == 0) {
		elected(&w, GK_ELECTED_BROKER);
		ck_assert_str_eq(gk_server_role(w.s), "broker");
		/* It waits for its first client without limit. */
		run_until(&w, 1000000);
		expect(&w, GK_SERVER_NOTHING);
	} else if (_i == 1) {
		elected(&w, GK_ELECTED_FOUND);
		ck_assert_str_eq(w.t.log_id, "leave");
		expect_leave(&w, 0);
	} else if (_i == 2) {
		elected(&w, GK_ELECTED_OUTDATED);
		expect_leave(&w, 1);
	} else {
		elected(&w, GK_ELECTED_FAILED);
		expect_leave(&w, 1);
	}
}
END_TEST

START_TEST(test_a_broker_without_harness_needs_a_readable_record)
{
	memstore_break(&w.m, GK_RECORD_TRUST);
	world_server(&w, false);
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_broker_without_harness_needs_no_admission)
{
	memstore_set(&w.m, GK_RECORD_TRUST, NOBODY);
	world_server(&w, false);
	expect(&w, GK_SERVER_INSTALL);
	gk_server_installed(w.s, NULL);
	expect(&w, GK_SERVER_ELECT);
	elected(&w, GK_ELECTED_BROKER);
	ck_assert_str_eq(gk_server_role(w.s), "broker");
}
END_TEST

START_TEST(test_a_replaced_broker_without_harness_leaves)
{
	world_server(&w, false);
	expect(&w, GK_SERVER_INSTALL);
	gk_server_installed(w.s, NULL);
	expect(&w, GK_SERVER_ELECT);
	elected(&w, GK_ELECTED_BROKER);
	gk_server_replaced(w.s);
	expect_leave(&w, 0);
}
END_TEST

static int
make_and_call(struct gk_test *t, void *arg)
{
	struct gk_server_opts o = { &w.m.store, true, NULL };
	struct genkan_leg *leg;
	struct gk_server *s;
	size_t used, before = t->failed;
	int r, failed = 0;

	(void)arg;
	r = gk_server_new(t->ctx, &o, &s);
	if (r < 0)
		return r;
	leg = gk_server_stdio(s);
	(void)gk_leg_feed(leg, INIT "\n" CALL("1", "tab_list") "\n",
	    sizeof(INIT) + sizeof(CALL("1", "tab_list")), &used);
	if (t->failed > before)
		failed = GENKAN_E_NOMEM;
	gk_leg_free(leg);
	gk_server_free(s);
	return failed;
}

START_TEST(test_lack_of_memory_breaks_nothing)
{
	ck_assert_uint_ge(gk_test_sweep(&w.t, make_and_call, NULL), 5);
}
END_TEST

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

static TCase *
tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return tc;
}

static void
add_start(Suite *s)
{
	TCase *tc = tcase(s, "start");

	tcase_add_test(tc, test_the_first_reply_waits_for_no_event);
	tcase_add_loop_test(tc,
	    test_an_election_waits_for_measurement_and_install_set, 0, 2);
	tcase_add_test(tc,
	    test_without_a_list_admission_is_said_to_be_open);
	tcase_add_test(tc,
	    test_with_a_list_nothing_is_read_before_the_measurement);
	tcase_add_loop_test(tc,
	    test_a_harness_that_is_not_listed_ends_the_server_unheard, 0, 3);
	tcase_add_test(tc,
	    test_an_unreadable_record_keeps_the_harness_but_no_call);
	tcase_add_test(tc,
	    test_the_first_round_starts_once_the_record_is_readable);
	tcase_add_test(tc,
	    test_a_call_finds_the_record_readable_before_the_second_is_over);
	tcase_add_test(tc,
	    test_a_record_that_reads_again_without_us_ends_the_server);
	tcase_add_test(tc,
	    test_an_own_image_that_cannot_be_measured_is_exit_1);
	tcase_add_test(tc, test_a_client_name_that_is_no_label_is_ignored);
	tcase_add_test(tc, test_lack_of_memory_breaks_nothing);
}

static void
add_outcomes(Suite *s)
{
	TCase *tc = tcase(s, "outcomes");

	tcase_add_test(tc, test_held_calls_start_once_this_is_the_broker);
	tcase_add_test(tc, test_a_held_call_is_judged_when_it_starts);
	tcase_add_test(tc, test_a_retry_is_repeated_six_times_150_ms_apart);
	tcase_add_test(tc,
	    test_a_failed_election_answers_held_calls_and_is_exit_1);
	tcase_add_test(tc,
	    test_answers_that_nobody_reads_delay_the_end_no_longer_than_a_drain);
	tcase_add_test(tc,
	    test_a_denial_is_exit_1_at_once_and_held_calls_get_no_reply);
	tcase_add_test(tc, test_outdated_keeps_the_harness_and_answers_calls);
	tcase_add_test(tc,
	    test_a_broker_whose_image_was_replaced_becomes_outdated);
	tcase_add_test(tc,
	    test_a_call_that_waits_for_a_browser_ends_when_outdated);
	tcase_add_test(tc, test_a_held_call_times_out_unsent_after_120_s);
	tcase_add_test(tc,
	    test_a_held_call_that_is_cancelled_is_dropped_with_it);
	tcase_add_test(tc,
	    test_calls_are_held_up_to_the_limit_and_then_not_read);
	tcase_add_test(tc, test_held_arguments_are_bounded_by_64_mib);
}

static void
add_judgement(Suite *s)
{
	TCase *tc = tcase(s, "judgement");

	tcase_add_loop_test(tc,
	    test_a_revoked_harness_loses_its_leg_without_a_reply, 0, 3);
	tcase_add_test(tc, test_a_posture_is_never_weakened);
	tcase_add_test(tc,
	    test_an_unenrolled_harness_is_re_decided_once_a_list_exists);
	tcase_add_test(tc, test_an_unreadable_record_ends_no_leg);
	tcase_add_loop_test(tc,
	    test_every_line_of_a_revoked_harness_ends_its_leg, 0,
	    LEN(any_line));
	tcase_add_loop_test(tc,
	    test_each_of_two_lines_in_one_read_has_its_look, 0, 2);
	tcase_add_test(tc, test_an_over_long_line_is_judged_too);
}

static void
add_ends(Suite *s)
{
	TCase *tc = tcase(s, "ends");

	tcase_add_loop_test(tc,
	    test_the_end_of_input_with_nothing_owed_is_the_end, 0, 2);
	tcase_add_test(tc, test_a_last_line_without_lf_is_handled);
	tcase_add_loop_test(tc,
	    test_calls_in_flight_have_1500_ms_after_the_end_of_input, 0, 2);
	tcase_add_test(tc,
	    test_a_drained_call_that_is_answered_ends_the_server_early);
	tcase_add_test(tc,
	    test_a_bad_opener_is_answered_and_then_is_the_end_of_input);
	tcase_add_loop_test(tc,
	    test_output_that_fails_drops_everything_at_once, 0, 2);
	tcase_add_loop_test(tc, test_a_signal_leaves_at_once_in_any_role, 0,
	    3);
	tcase_add_test(tc,
	    test_an_answer_that_comes_after_the_end_is_not_wanted);
	tcase_add_loop_test(tc, test_a_leg_closed_by_the_program_is_the_end,
	    0, 2);
	tcase_add_test(tc, test_a_leg_may_outlive_the_server);
	tcase_add_test(tc,
	    test_a_harness_that_does_not_read_is_not_read_either);
}

static void
add_broker(Suite *s)
{
	TCase *tc = tcase(s, "broker");

	tcase_add_loop_test(tc,
	    test_a_broker_without_harness_elects_without_dialling, 0, 4);
	tcase_add_test(tc,
	    test_a_broker_without_harness_needs_a_readable_record);
	tcase_add_test(tc,
	    test_a_broker_without_harness_needs_no_admission);
	tcase_add_test(tc, test_a_replaced_broker_without_harness_leaves);
}

int
main(void)
{
	Suite *s = suite_create("server");

	add_start(s);
	add_outcomes(s);
	add_judgement(s);
	add_ends(s);
	add_broker(s);
	return gk_test_main(s);
}
