/* A server that is attached to a broker: wire 7.1. */
#include "server_world.h"

#include "proto/queue.h"

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

static void
dial(void)
{
	world_ready(&w);
	elect(&w, GK_ELECTED_DIALLED);
	ck_assert_ptr_nonnull(w.relay);
}

/* Opened legacy and attached, the opener heard and answered. */
static void
attached(void)
{
	say(&w, INIT);
	hear(&w);
	dial();
	attach(&w);
	ck_assert(has(broker_hear(&w), "\"id\":0,\"method\":\"initialize\""));
	broker_say(&w, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
	ck_assert_str_eq(hear(&w), "");
}

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
}

#define REPLY(id, text)	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{"	\
	"\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}],\"isError\":" \
	"false}}"

/* ------------------------------------------------------------------- attach */

START_TEST(test_the_harness_travels_in_the_attach_frame)
{
	struct gk_attach a;

	if (_i == 1)
		w.harness.ok = false;
	dial();
	attach_until_reply(&w, &a);
	ck_assert_int_eq(a.role, GK_ATTACH_CLIENT);
	ck_assert_int_eq(a.has_harness, _i == 0);
	if (_i == 0) {
		ck_assert_str_eq(a.hash, MEM_HASH);
		ck_assert_str_eq(a.name, "tester");
	}
}
END_TEST

START_TEST(test_a_set_up_that_fails_is_a_round)
{
	int i;

	world_ready(&w);
	for (i = 0; i < 6; i++) {
		elect(&w, GK_ELECTED_DIALLED);
		switch (_i) {
		case 0:
			gk_leg_eof(w.relay);
			break;
		case 1:
			gk_leg_broken(w.relay);
			break;
		case 2:
			broker_say(&w, "nonsense");
			break;
		case 3:
			attach_with(&w, "{\"attach_reply\":\"unavailable\","
			    "\"reason\":\"full\"}");
			break;
		case 4:
			run_until(&w, gk_now(w.t.ctx) + 10000);
			break;
		case 5:
			gk_leg_free(w.relay);
			w.relay = NULL;
			break;
		}
		if (w.relay != NULL)
			ck_assert_int_eq(gk_leg_wants(w.relay),
			    GENKAN_WANT_CLOSE);
		if (i < 5) {
			expect(&w, GK_SERVER_NOTHING);
			run_until(&w, gk_now(w.t.ctx) + 150);
		}
	}
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_refused_is_exit_1_at_once)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	dial();
	attach_with(&w, "{\"attach_reply\":\"refused\",\"reason\":\"not on the "
	    "allowlist\"}");
	ck_assert_str_eq(hear(&w), "");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_refused_over_an_unreadable_record_is_waited_out)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("1", "tab_list"));
	dial();
	memstore_break(&w.m, GK_RECORD_TRUST);
	attach_with(&w, "{\"attach_reply\":\"refused\",\"reason\":\"trust "
	    "record\"}");
	assert_fails("1", "BRIDGE_KILLED", "trust.json");
	run_until(&w, 5000);
	expect(&w, GK_SERVER_NOTHING);
	memstore_set(&w.m, GK_RECORD_TRUST, FRESH);
	run_until(&w, 6000);
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

/* ------------------------------------------------------------------- opener */

START_TEST(test_the_opener_repeats_what_the_harness_opened_with)
{
	dial();
	attach(&w);
	/* Nothing is open yet: nothing to repeat. */
	ck_assert_str_eq(broker_hear(&w), "");
	if (_i == 0) {
		say(&w, INIT);
		ck_assert(has(broker_hear(&w), "\"id\":0,\"method\":"
		    "\"initialize\""));
		ck_assert(has(w.line, "\"protocolVersion\":\"2025-06-18\""));
	} else {
		say(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		    "\"server/discover\",\"params\":{" META "}}");
		ck_assert(has(broker_hear(&w), "\"id\":0,\"method\":"
		    "\"server/discover\""));
		ck_assert(has(w.line, META));
	}
	ck_assert(has(hear(&w), "\"result\""));
	ck_assert_str_eq(broker_hear(&w), "");
}
END_TEST

START_TEST(test_a_call_that_opens_is_forwarded_behind_the_opener)
{
	dial();
	attach(&w);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":\"tools/call\","
	    "\"params\":{\"name\":\"tab_list\"," META "}}");
	ck_assert(has(broker_hear(&w), "\"method\":\"server/discover\""));
	ck_assert_str_eq(broker_hear(&w), "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"method\":\"tools/call\",\"params\":{\"name\":\"tab_list\","
	    META "}}");
}
END_TEST

START_TEST(test_another_version_of_a_legacy_connection_is_repeated)
{
	attached();
	say(&w, INIT);
	hear(&w);
	ck_assert_str_eq(broker_hear(&w), "");
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\","
	    "\"params\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":"
	    "{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
	hear(&w);
	ck_assert(has(broker_hear(&w), "\"id\":0,\"method\":\"initialize\""));
	ck_assert(has(w.line, "2024-11-05"));
	broker_say(&w, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
	ck_assert_str_eq(hear(&w), "");
}
END_TEST

START_TEST(test_an_opener_that_is_refused_loses_the_leg)
{
	say(&w, INIT);
	hear(&w);
	dial();
	attach(&w);
	broker_hear(&w);
	broker_say(&w, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":"
	    "-32602,\"message\":\"no\"}}");
	run_until(&w, gk_now(w.t.ctx) + 250);
	ck_assert_int_eq(gk_leg_wants(w.relay), GENKAN_WANT_CLOSE);
	ck_assert_str_eq(gk_server_role(w.s), "electing");
}
END_TEST

/* ----------------------------------------------------------------- forwarding */

START_TEST(test_held_calls_are_forwarded_in_their_order)
{
	say(&w, INIT);
	hear(&w);
	say(&w, CALL("\"a\"", "tab_list"));
	say(&w, CALL("7", "tab_open"));
	dial();
	attach(&w);
	ck_assert(has(broker_hear(&w), "\"initialize\""));
	ck_assert_str_eq(broker_hear(&w), CALL("1", "tab_list"));
	ck_assert_str_eq(broker_hear(&w), CALL("2", "tab_open"));
	say(&w, CALL("8", "tab_close"));
	ck_assert_str_eq(broker_hear(&w), CALL("3", "tab_close"));
}
END_TEST

/* The token and nothing else is exchanged, byte for byte, both ways. */
static const char *const tokens[] = {
	"1", "-0", "0", "9007199254740991", "\"\"", "\"a\\u0062\\\"c\"",
	"\"\xe4\xb8\xad\\/\"", "\"1\"",
};

START_TEST(test_only_the_id_token_is_exchanged)
{
	char line[512], want[512];

	attached();
	snprintf(line, sizeof(line), " { \"params\" : {\"name\":\"x\", "
	    "\"a\":1.50}, \"id\"\t:  %s , \"jsonrpc\":\"2.0\",\"method\":"
	    "\"tools\\/call\", \"more\":[ ] }", tokens[_i]);
	say(&w, line);
	ck_assert_str_eq(broker_hear(&w), "{ \"params\" : {\"name\":\"x\", "
	    "\"a\":1.50}, \"id\"\t:  1 , \"jsonrpc\":\"2.0\",\"method\":"
	    "\"tools\\/call\", \"more\":[ ] }");
	broker_say(&w, "{\"jsonrpc\":\"2.0\", \"result\":{\"id\":1}, \"id\" :1"
	    " }");
	snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\", \"result\":"
	    "{\"id\":1}, \"id\" :%s }", tokens[_i]);
	ck_assert_str_eq(hear(&w), want);
}
END_TEST

/* Read to where they are put together, a call and its reply. */
START_TEST(test_large_lines_have_their_place)
{
	static char text[20001], call[20200], want[20200];

	memset(text, 'x', 20000);
	attached();
	snprintf(call, sizeof(call), "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"method\":\"tools/call\",\"params\":{\"name\":\"x\","
	    "\"arguments\":{\"a\":\"%s\"}}}", text);
	say(&w, call);
	ck_assert_str_eq(broker_hear(&w), call);
	snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"a\":\"%s\"}}", text);
	broker_say(&w, want);
	ck_assert_str_eq(hear(&w), want);
}
END_TEST

START_TEST(test_replies_come_in_any_order_and_errors_pass_too)
{
	attached();
	say(&w, CALL("\"a\"", "tab_list"));
	say(&w, CALL("\"b\"", "nope"));
	broker_hear(&w);
	broker_hear(&w);
	broker_say(&w, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":"
	    "-32602,\"message\":\"unknown tool: nope\"}}");
	ck_assert_str_eq(hear(&w), "{\"jsonrpc\":\"2.0\",\"id\":\"b\","
	    "\"error\":{\"code\":-32602,\"message\":\"unknown tool: nope\"}}");
	broker_say(&w, REPLY("1", "x"));
	ck_assert_str_eq(hear(&w), REPLY("\"a\"", "x"));
}
END_TEST

START_TEST(test_everything_but_calls_is_answered_here)
{
	static const char *const line[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}",
		"nonsense", "[]", "{\"jsonrpc\":\"2.0\",\"id\":1}",
	};

	attached();
	say(&w, line[_i]);
	ck_assert_str_ne(hear(&w), "");
	ck_assert_str_eq(broker_hear(&w), "");
}
END_TEST

START_TEST(test_a_notification_of_the_broker_passes_unchanged)
{
	static const char progress[] = "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/progress\", \"params\":{\"progressToken\":1}}";

	attached();
	broker_say(&w, progress);
	ck_assert_str_eq(hear(&w), progress);
}
END_TEST

START_TEST(test_late_replies_are_dropped)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	broker_say(&w, REPLY("1", "x"));
	ck_assert_str_eq(hear(&w), REPLY("1", "x"));
	/* Answered; then cancelled; then the opener's once more. */
	broker_say(&w, REPLY("1", "again"));
	say(&w, CALL("5", "tab_list"));
	broker_hear(&w);
	say(&w, CANCEL("5"));
	ck_assert_str_eq(broker_hear(&w), CANCEL("2"));
	broker_say(&w, REPLY("2", "late"));
	broker_say(&w, REPLY("0", "opener"));
	ck_assert_str_eq(hear(&w), "");
	ck_assert_str_eq(gk_server_role(w.s), "attached");
	/* The id is free, and its new call has a new number. */
	say(&w, CALL("5", "tab_open"));
	ck_assert_str_eq(broker_hear(&w), CALL("3", "tab_open"));
}
END_TEST

static const char *const violations[] = {
	REPLY("2", "never issued"),
	REPLY("-1", "negative"),
	"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}",
	"{\"id\":1,\"result\":{}}",
	"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\"}",
	"[]", "nonsense", "{\"a\":1,\"a\":1}",
};

START_TEST(test_a_line_that_fits_no_row_loses_the_leg)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	run_until(&w, 3000);
	broker_say(&w, violations[_i]);
	/* What follows in the socket still counts. */
	broker_say(&w, _i < 8 ? REPLY("1", "in time") :
	    "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
	gk_leg_eof(w.relay);
	if (_i < 8)
		ck_assert_str_eq(hear(&w), REPLY("1", "in time"));
	else
		assert_fails("1", "CONNECTION_LOST", "may have run");
	ck_assert_int_eq(gk_leg_wants(w.relay), GENKAN_WANT_CLOSE);
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

/* 10,420,223, 10,420,224 and 10,420,225 bytes with the LF. */
START_TEST(test_a_reply_is_within_the_cap_of_mcp_lines)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	    "{\"a\":\"";
	size_t len = GK_MCP_LINE_OUT_MAX - 1 + (size_t)_i, used, n;
	char *s = malloc(len);
	const void *p;

	attached();
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	run_until(&w, 3000);
	memcpy(s, head, sizeof(head) - 1);
	memset(s + sizeof(head) - 1, 'x', len - sizeof(head) + 1);
	memcpy(s + len - 4, "\"}}\n", 4);
	(void)gk_leg_feed(w.relay, s, len, &used);
	free(s);
	if (_i < 2) {
		ck_assert_int_eq(gk_leg_output(w.own, &p, &n), 1);
		ck_assert_uint_eq(n, len);
		return;
	}
	assert_fails("1", "CONNECTION_LOST", "");
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

START_TEST(test_a_reply_that_grows_over_the_cap_is_replaced)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	    "{\"a\":\"";
	size_t len = GK_MCP_LINE_OUT_MAX, used;
	char *s = malloc(len);

	attached();
	say(&w, CALL("\"longer\"", "tab_list"));
	broker_hear(&w);
	memcpy(s, head, sizeof(head) - 1);
	memset(s + sizeof(head) - 1, 'x', len - sizeof(head) + 1);
	memcpy(s + len - 4, "\"}}\n", 4);
	(void)gk_leg_feed(w.relay, s, len, &used);
	free(s);
	assert_fails("\"longer\"", "PAYLOAD_TOO_LARGE", "");
	ck_assert_str_eq(gk_server_role(w.s), "attached");
}
END_TEST

/* A call of exactly the cap whose id grows by the exchange. */
START_TEST(test_a_call_that_grows_over_the_cap_is_answered_here)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"page_fill\",\"arguments\":"
	    "{\"value\":\"";
	size_t len = GK_MCP_LINE_IN_MAX, n = sizeof(head) - 1, plen;
	char *s = malloc(len);
	const void *p;
	int i;

	attached();
	/* Numbers 1 to 9 go to others. */
	for (i = 0; i < 9; i++) {
		say(&w, CALL("\"k\"", "tab_list"));
		broker_hear(&w);
		say(&w, CANCEL("\"k\""));
		broker_hear(&w);
	}
	memcpy(s, head, n);
	memset(s + n, 'x', len - n);
	memcpy(s + len - 5, "\"}}}\n", 5);
	ck_assert_uint_eq(say_bytes(&w, s, len), len);
	free(s);
	assert_fails("1", "PAYLOAD_TOO_LARGE", "67108864");
	ck_assert_int_eq(gk_leg_output(w.relay, &p, &plen), 0);
	ck_assert_str_eq(gk_server_role(w.s), "attached");
}
END_TEST

/* ------------------------------------------------------------------ cancelling */

START_TEST(test_a_call_not_sent_yet_is_withdrawn)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	say(&w, CALL("2", "tab_open"));
	say(&w, CANCEL("1"));
	ck_assert_str_eq(broker_hear(&w), CALL("2", "tab_open"));
	ck_assert_str_eq(broker_hear(&w), "");
}
END_TEST

START_TEST(test_a_call_half_out_is_cancelled_behind_itself)
{
	const void *p;
	size_t len;

	attached();
	say(&w, CALL("1", "tab_list"));
	ck_assert_int_eq(gk_leg_output(w.relay, &p, &len), 1);
	gk_leg_wrote(w.relay, 5);
	say(&w, CANCEL("1"));
	ck_assert_int_eq(gk_leg_output(w.relay, &p, &len), 1);
	gk_leg_wrote(w.relay, len);
	ck_assert_str_eq(broker_hear(&w), CANCEL("1"));
	broker_say(&w, REPLY("1", "late"));
	ck_assert_str_eq(hear(&w), "");
	ck_assert_str_eq(gk_server_role(w.s), "attached");
}
END_TEST

START_TEST(test_an_unknown_cancellation_is_not_forwarded)
{
	attached();
	say(&w, CANCEL("9"));
	ck_assert_str_eq(broker_hear(&w), "");
}
END_TEST

/* ------------------------------------------------------------------------ time */

START_TEST(test_a_forwarded_call_is_given_up_after_125_s)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	run_until(&w, 1000 + 125000 - 1);
	ck_assert_str_eq(hear(&w), "");
	run_until(&w, 1000 + 125000);
	assert_fails("1", "RESPONSE_TIMEOUT", "may have run");
	ck_assert_str_eq(broker_hear(&w), CANCEL("1"));
	ck_assert_str_eq(gk_server_role(w.s), "attached");
}
END_TEST

START_TEST(test_a_call_that_a_stuck_broker_does_not_take_is_given_up_after_120_s)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	run_until(&w, 1000 + 120000);
	assert_fails("1", "RESPONSE_TIMEOUT", "not sent");
	ck_assert_str_eq(broker_hear(&w), "");
}
END_TEST

/* ------------------------------------------------------------------------ loss */

START_TEST(test_forwarded_calls_are_answered_and_held_ones_wait)
{
	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	say(&w, CALL("2", "tab_list"));
	broker_hear(&w);
	broker_hear(&w);
	say(&w, CALL("3", "list_browsers"));
	broker_say(&w, REPLY("2", "in time"));
	gk_leg_eof(w.relay);
	ck_assert_str_eq(hear(&w), REPLY("2", "in time"));
	assert_fails("1", "CONNECTION_LOST", "may have run");
	ck_assert_str_eq(hear(&w), "");
	ck_assert_str_eq(gk_server_role(w.s), "electing");
	/* The first round starts at once. */
	elect(&w, GK_ELECTED_BROKER);
	ck_assert(has(hear(&w), "\"id\":3,\"result\""));
}
END_TEST

START_TEST(test_a_call_half_out_was_never_forwarded_and_goes_to_the_next)
{
	const void *p;
	size_t len;

	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	ck_assert_int_eq(gk_leg_output(w.relay, &p, &len), 1);
	gk_leg_wrote(w.relay, len - 1);
	gk_leg_eof(w.relay);
	ck_assert_str_eq(hear(&w), "");
	elect(&w, GK_ELECTED_DIALLED);
	attach(&w);
	ck_assert(has(broker_hear(&w), "\"initialize\""));
	ck_assert_str_eq(broker_hear(&w), CALL("1", "tab_list"));
	broker_say(&w, REPLY("1", "x"));
	ck_assert_str_eq(hear(&w), REPLY("1", "x"));
}
END_TEST

START_TEST(test_a_write_error_leaves_time_to_read_what_came)
{
	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	say(&w, CALL("2", "tab_list"));
	broker_hear(&w);
	broker_hear(&w);
	gk_leg_broken(w.relay);
	ck_assert_int_eq(gk_leg_wants(w.relay), GENKAN_WANT_READ);
	ck_assert_str_eq(hear(&w), "");
	broker_say(&w, REPLY("1", "in time"));
	if (_i == 0)
		gk_leg_eof(w.relay);
	else
		run_until(&w, 3250);	/* or nothing more comes */
	ck_assert_str_eq(hear(&w), REPLY("1", "in time"));
	assert_fails("2", "CONNECTION_LOST", "");
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

START_TEST(test_a_fragment_of_a_reply_is_discarded)
{
	size_t used;

	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	(void)gk_leg_feed(w.relay, REPLY("1", "x"), sizeof(REPLY("1", "x")) -
	    1, &used);
	gk_leg_eof(w.relay);
	assert_fails("1", "CONNECTION_LOST", "");
}
END_TEST

START_TEST(test_a_leg_closed_by_the_program_is_lost)
{
	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	gk_leg_free(w.relay);
	w.relay = NULL;
	assert_fails("1", "CONNECTION_LOST", "");
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

START_TEST(test_on_a_stateless_connection_the_loss_has_the_modern_shape)
{
	dial();
	attach(&w);
	say(&w, "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":\"tools/call\","
	    "\"params\":{\"name\":\"tab_list\"," META "}}");
	broker_hear(&w);
	broker_hear(&w);
	run_until(&w, 3000);
	gk_leg_eof(w.relay);
	ck_assert(has(hear(&w), "\"result\":{\"resultType\":\"complete\","));
}
END_TEST

START_TEST(test_the_harness_is_judged_before_a_new_attach)
{
	memstore_set(&w.m, GK_RECORD_TRUST, PAIRED);
	world_server(&w, true);
	world_ready(&w);
	say(&w, INIT);
	hear(&w);
	elect(&w, GK_ELECTED_DIALLED);
	attach(&w);
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	broker_hear(&w);
	memstore_set(&w.m, GK_RECORD_TRUST, _i == 0 ? NOBODY : FRESH);
	gk_leg_eof(w.relay);
	assert_fails("1", "CONNECTION_LOST", "");
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_dropped_leg_over_an_unreadable_record_is_waited_out)
{
	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	say(&w, CALL("2", "tab_list"));
	memstore_break(&w.m, GK_RECORD_TRUST);
	gk_leg_eof(w.relay);
	assert_fails("1", "CONNECTION_LOST", "");
	assert_fails("2", "BRIDGE_KILLED", "");
	expect(&w, GK_SERVER_NOTHING);
	say(&w, CALL("3", "tab_list"));
	assert_fails("3", "BRIDGE_KILLED", "");
	memstore_set(&w.m, GK_RECORD_TRUST, FRESH);
	run_until(&w, 5000);
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

START_TEST(test_a_leg_lost_within_a_second_counts_as_a_round)
{
	int64_t now = 1000;
	int i;

	world_ready(&w);
	for (i = 0; i < 6; i++) {
		elect(&w, GK_ELECTED_DIALLED);
		attach(&w);
		gk_leg_eof(w.relay);
		if (i == 5)
			break;
		expect(&w, GK_SERVER_NOTHING);
		run_until(&w, now += 150);
	}
	expect_leave(&w, 1);
}
END_TEST

START_TEST(test_a_leg_that_lived_a_second_starts_the_count_anew)
{
	int64_t now = 1000;
	int i;

	world_ready(&w);
	for (i = 0; i < 20; i++) {
		elect(&w, GK_ELECTED_DIALLED);
		attach(&w);
		run_until(&w, now += 1000);
		gk_leg_eof(w.relay);
	}
	expect(&w, GK_SERVER_ELECT);
}
END_TEST

/* ------------------------------------------------------------------- its ends */

START_TEST(test_the_end_of_input_drains_what_was_forwarded)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	gk_leg_eof(w.own);
	expect(&w, GK_SERVER_NOTHING);
	if (_i == 0) {
		broker_say(&w, REPLY("1", "x"));
		ck_assert_str_eq(hear(&w), REPLY("1", "x"));
	} else {
		run_until(&w, 2500);
		ck_assert_str_eq(hear(&w), "");
		ck_assert_str_eq(broker_hear(&w), CANCEL("1"));
	}
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_a_drain_goes_on_through_a_loss)
{
	attached();
	run_until(&w, 3000);
	say(&w, CALL("1", "list_browsers"));
	gk_leg_eof(w.own);
	gk_leg_eof(w.relay);
	elect(&w, GK_ELECTED_BROKER);
	ck_assert(has(hear(&w), "\"id\":1,\"result\""));
	expect_leave(&w, 0);
}
END_TEST

START_TEST(test_output_that_fails_cancels_what_was_forwarded)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	broker_hear(&w);
	gk_leg_broken(w.own);
	ck_assert_str_eq(broker_hear(&w), CANCEL("1"));
	expect_leave(&w, 0);
}
END_TEST

/* A reply of 8 MiB to the call with this number. */
static void
big_reply(int number)
{
	size_t n = 8 * 1024 * 1024, len, used;
	char *s = malloc(n + 128);

	len = (size_t)sprintf(s, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":"
	    "\"", number);
	memset(s + len, 'x', n);
	len += n;
	len += (size_t)sprintf(s + len, "\"}\n");
	(void)gk_leg_feed(w.relay, s, len, &used);
	ck_assert_uint_eq(used, len);
	free(s);
}

START_TEST(test_a_harness_that_does_not_read_stops_the_broker_s_leg)
{
	attached();
	say(&w, CALL("1", "tab_list"));
	say(&w, CALL("2", "tab_list"));
	broker_hear(&w);
	broker_hear(&w);
	big_reply(1);
	ck_assert_int_eq(gk_leg_wants(w.relay), GENKAN_WANT_READ);
	big_reply(2);
	ck_assert_int_eq(gk_leg_wants(w.relay), 0);
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_WRITE);
	gk_leg_wrote(w.own, 9 * 1024 * 1024);
	ck_assert_int_eq(gk_leg_wants(w.relay), GENKAN_WANT_READ);
	ck_assert_int_eq(gk_leg_wants(w.own),
	    GENKAN_WANT_READ | GENKAN_WANT_WRITE);
}
END_TEST

START_TEST(test_a_version_flip_flood_is_held_back)
{
	static const char *const version[] = { "2024-11-05", "2025-03-26" };
	char line[512];
	int i;

	attached();
	for (i = 0; i < 100000 && (gk_leg_wants(w.own) & GENKAN_WANT_READ);
	    i++) {
		snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":1,"
		    "\"method\":\"initialize\",\"params\":{"
		    "\"protocolVersion\":\"%s\",\"capabilities\":{},"
		    "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
		    version[i % 2]);
		say(&w, line);
		hear(&w);
	}
	ck_assert_int_lt(i, 100000);
	while (broker_hear(&w)[0] != '\0')
		;
	ck_assert_int_eq(gk_leg_wants(w.own), GENKAN_WANT_READ);
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
add_attach(Suite *s)
{
	TCase *tc = tcase(s, "attach");

	tcase_add_loop_test(tc, test_the_harness_travels_in_the_attach_frame,
	    0, 2);
	tcase_add_loop_test(tc, test_a_set_up_that_fails_is_a_round, 0, 6);
	tcase_add_test(tc, test_refused_is_exit_1_at_once);
	tcase_add_test(tc,
	    test_refused_over_an_unreadable_record_is_waited_out);
	tcase_add_loop_test(tc,
	    test_the_opener_repeats_what_the_harness_opened_with, 0, 2);
	tcase_add_test(tc,
	    test_a_call_that_opens_is_forwarded_behind_the_opener);
	tcase_add_test(tc,
	    test_another_version_of_a_legacy_connection_is_repeated);
	tcase_add_test(tc, test_an_opener_that_is_refused_loses_the_leg);
}

static void
add_forwarding(Suite *s)
{
	TCase *tc = tcase(s, "forwarding");

	tcase_add_test(tc, test_held_calls_are_forwarded_in_their_order);
	tcase_add_loop_test(tc, test_only_the_id_token_is_exchanged, 0,
	    LEN(tokens));
	tcase_add_test(tc, test_large_lines_have_their_place);
	tcase_add_test(tc,
	    test_replies_come_in_any_order_and_errors_pass_too);
	tcase_add_loop_test(tc, test_everything_but_calls_is_answered_here,
	    0, 6);
	tcase_add_test(tc,
	    test_a_notification_of_the_broker_passes_unchanged);
	tcase_add_test(tc, test_late_replies_are_dropped);
	tcase_add_loop_test(tc, test_a_line_that_fits_no_row_loses_the_leg,
	    0, LEN(violations));
	tcase_add_loop_test(tc, test_a_reply_is_within_the_cap_of_mcp_lines,
	    0, 3);
	tcase_add_test(tc,
	    test_a_reply_that_grows_over_the_cap_is_replaced);
	tcase_add_test(tc,
	    test_a_call_that_grows_over_the_cap_is_answered_here);
	tcase_add_test(tc, test_a_call_not_sent_yet_is_withdrawn);
	tcase_add_test(tc, test_a_call_half_out_is_cancelled_behind_itself);
	tcase_add_test(tc, test_an_unknown_cancellation_is_not_forwarded);
	tcase_add_test(tc, test_a_forwarded_call_is_given_up_after_125_s);
	tcase_add_test(tc,
	    test_a_call_that_a_stuck_broker_does_not_take_is_given_up_after_120_s);
	tcase_add_test(tc,
	    test_a_harness_that_does_not_read_stops_the_broker_s_leg);
	tcase_add_test(tc, test_a_version_flip_flood_is_held_back);
}

static void
add_loss(Suite *s)
{
	TCase *tc = tcase(s, "loss");

	tcase_add_test(tc,
	    test_forwarded_calls_are_answered_and_held_ones_wait);
	tcase_add_test(tc,
	    test_a_call_half_out_was_never_forwarded_and_goes_to_the_next);
	tcase_add_loop_test(tc,
	    test_a_write_error_leaves_time_to_read_what_came, 0, 2);
	tcase_add_test(tc, test_a_fragment_of_a_reply_is_discarded);
	tcase_add_test(tc, test_a_leg_closed_by_the_program_is_lost);
	tcase_add_test(tc,
	    test_on_a_stateless_connection_the_loss_has_the_modern_shape);
	tcase_add_loop_test(tc,
	    test_the_harness_is_judged_before_a_new_attach, 0, 2);
	tcase_add_test(tc,
	    test_a_dropped_leg_over_an_unreadable_record_is_waited_out);
	tcase_add_test(tc,
	    test_a_leg_lost_within_a_second_counts_as_a_round);
	tcase_add_test(tc,
	    test_a_leg_that_lived_a_second_starts_the_count_anew);
	tcase_add_loop_test(tc,
	    test_the_end_of_input_drains_what_was_forwarded, 0, 2);
	tcase_add_test(tc, test_a_drain_goes_on_through_a_loss);
	tcase_add_test(tc,
	    test_output_that_fails_cancels_what_was_forwarded);
}

int
main(void)
{
	Suite *s = suite_create("relay");

	add_attach(s);
	add_forwarding(s);
	add_loss(s);
	return gk_test_main(s);
}
