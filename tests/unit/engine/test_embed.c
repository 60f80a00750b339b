/* The client of an embedder, its broker played by hand. */
#include "embed_world.h"

static struct embed W;

static void
setup(void)
{
	embed_init(&W);
}

static void
teardown(void)
{
	embed_done(&W);
}

#define SENT(id, tool, args) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":" \
	"\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":" id "}," \
	"\"name\":\"" tool "\"" args "}}"
#define ANSWER(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" \
	result "}"
#define CANCELLED(id) "{\"jsonrpc\":\"2.0\",\"method\":" \
	"\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* ------------------------------------------------------------------ attach */

START_TEST(test_a_dial_that_fails_says_why)
{
	static const int err[] = { GENKAN_E_CONNECT, GENKAN_E_AUTH_PEER,
	    GENKAN_E_UNMEASURABLE, GENKAN_E_MISMATCH };

	embed_dial_fails(&W, GK_DIALLED_NONE, err[_i], "so it is");
	embed_lost(&W, err[_i], "so it is");
	embed_expect(&W, GK_EMBED_NOTHING);
	embed_attach(&W);		/* and once more */
}
END_TEST

START_TEST(test_an_end_before_the_challenge_is_a_refusal)
{
	embed_dial(&W);
	if (_i == 1)
		gk_leg_broken(W.leg);
	ck_assert_int_eq(gk_leg_wants(W.leg), GENKAN_WANT_READ);
	gk_leg_eof(W.leg);
	embed_lost(&W, GENKAN_E_REFUSED, "genkan pair-client --name NAME --hash "
	    EMBED_SELF);
}
END_TEST

START_TEST(test_what_the_broker_answers_to_the_attach)
{
	embed_dial(&W);
	embed_say(&W, "{\"type\":\"challenge\",\"nonce\":\"00\"}");
	switch (_i) {
	case 0:
		embed_say(&W, "{\"attach_reply\":\"refused\",\"reason\":"
		    "\"not on the list\"}");
		embed_lost(&W, GENKAN_E_REFUSED, "not on the list");
		break;
	case 1:
		embed_say(&W, "{\"attach_reply\":\"unavailable\",\"reason\":"
		    "\"full\"}");
		embed_lost(&W, GENKAN_E_UNAVAILABLE, "full");
		break;
	case 2:
		embed_say(&W, "{\"attach_reply\":\"maybe\"}");
		embed_lost(&W, GENKAN_E_FRAME_MEMBER, "set-up failed");
		break;
	case 3:
		gk_leg_eof(W.leg);
		embed_lost(&W, GENKAN_E_EOF, "closed");
		break;
	case 4:
		embed_time(&W, gk_now(W.t.ctx) + GK_SETUP_READ_MS);
		embed_lost(&W, GENKAN_E_TIMEOUT, "in time");
		break;
	case 5:
		embed_frees_leg(&W);
		embed_lost(&W, GENKAN_E_CLOSED, "closed");
		break;
	}
}
END_TEST

START_TEST(test_what_the_broker_answers_to_the_opener)
{
	embed_dial(&W);
	embed_say(&W, "{\"type\":\"challenge\",\"nonce\":\"00\"}");
	embed_say(&W, "{\"attach_reply\":\"accepted\"}");
	ck_assert_int_eq(gk_embed_deadline(W.e),
	    gk_now(W.t.ctx) + GK_SETUP_READ_MS);
	switch (_i) {
	case 0:
		embed_say(&W, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{"
		    "\"code\":-32602,\"message\":\"no\"}}");
		embed_lost(&W, GENKAN_E_PROTOCOL, "no reply");
		break;
	case 1:
		embed_say(&W, ANSWER("0", "{}"));
		embed_lost(&W, GENKAN_E_PROTOCOL, "no reply");
		break;
	case 2:
		embed_say(&W, ANSWER("1", "{}"));
		embed_lost(&W, GENKAN_E_PROTOCOL, "no reply");
		break;
	case 3:
		embed_time(&W, gk_now(W.t.ctx) + GK_SETUP_READ_MS - 1);
		embed_expect(&W, GK_EMBED_NOTHING);
		embed_time(&W, gk_now(W.t.ctx) + 1);
		embed_lost(&W, GENKAN_E_TIMEOUT, "open");
		break;
	case 4:
		gk_leg_broken(W.leg);
		embed_lost(&W, GENKAN_E_EOF, "failed");
		break;
	}
}
END_TEST

/* ------------------------------------------------------------------- calls */

START_TEST(test_calls_made_before_wait_for_the_attach)
{
	uint64_t list;

	ck_assert_uint_eq(embed_call(&W, "tab_list", NULL), 1);
	ck_assert_uint_eq(embed_call(&W, "a\"b", "{\"x\":[1]}"), 2);
	ck_assert_int_eq(gk_embed_call(W.e, gk_span(NULL, 0),
	    gk_span(NULL, 0), 0, &list), 0);
	ck_assert_uint_eq(list, 3);
	ck_assert_uint_eq(gk_embed_outstanding(W.e), 3);
	embed_attach(&W);
	ck_assert_str_eq(embed_hear(&W), SENT("1", "tab_list", ""));
	ck_assert_str_eq(embed_hear(&W),
	    SENT("2", "a\\\"b", ",\"arguments\":{\"x\":[1]}"));
	ck_assert_str_eq(embed_hear(&W), "{\"jsonrpc\":\"2.0\",\"id\":3,"
	    "\"method\":\"tools/list\"}");
	ck_assert_str_eq(embed_hear(&W), "");
	embed_say(&W, ANSWER("3", "{\"tools\":[]}"));
	embed_say(&W, ANSWER("1", REPLY("[\\u00e9\\n]")));
	embed_result(&W, 3, 0, NULL);
	ck_assert_str_eq(W.ev.data.ptr, "{\"tools\":[]}");
	ck_assert_uint_eq(W.ev.data.len, 12);
	embed_result(&W, 1, 0, "[\u00e9\n]");
	ck_assert_str_eq(W.ev.data.ptr, REPLY("[\\u00e9\\n]"));
	ck_assert_uint_eq(gk_embed_outstanding(W.e), 1);
	embed_expect(&W, GK_EMBED_NOTHING);
}
END_TEST

static const struct {
	const char	*result;
	int		 code;
	const char	*text;
} results[] = {
	{ REPLY(""), 0, "" },
	{ "{\"content\":[],\"isError\":false}", 0, NULL },
	{ "{\"content\":[]}", 0, NULL },
	{ "{\"content\":[{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":"
	    "\"image/png\"}],\"isError\":false}", 0, NULL },
	{ "{\"content\":[7,{\"type\":\"image\"},{\"type\":\"text\",\"text\":"
	    "\"b\"},{\"type\":\"text\",\"text\":\"c\"}]}", 0, "b" },
	{ "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
	    "\"text\":\"x\"}],\"isError\":false}", 0, "x" },
	{ ERROR("Error [TAB_NOT_FOUND]: no tab 7"), GK_CODE_TAB_NOT_FOUND,
	    "no tab 7" },
	{ ERROR("Error [INTERNAL_ERROR]: "), GK_CODE_INTERNAL_ERROR, "" },
	/* of a newer broker: the text says what the number cannot */
	{ ERROR("Error [NEW_CODE]: why"), GK_CODE_EXECUTION_FAILED,
	    "Error [NEW_CODE]: why" },
	{ ERROR("Error [TAB_NOT_FOUND] x"), GK_CODE_EXECUTION_FAILED,
	    "Error [TAB_NOT_FOUND] x" },
	{ ERROR("Error [TAB_NOT_FOUND]"), GK_CODE_EXECUTION_FAILED,
	    "Error [TAB_NOT_FOUND]" },
	{ ERROR("oops"), GK_CODE_EXECUTION_FAILED, "oops" },
	{ "{\"content\":[],\"isError\":true}", GK_CODE_EXECUTION_FAILED,
	    "it ran and failed, or failed without a code" },
	{ "{}", GK_CODE_INTERNAL_ERROR,
	    "the broker's answer is none of a tool" },
	{ "{\"content\":{}}", GK_CODE_INTERNAL_ERROR,
	    "the broker's answer is none of a tool" },
	{ "{\"content\":[],\"isError\":1}", GK_CODE_INTERNAL_ERROR,
	    "the broker's answer is none of a tool" },
};

START_TEST(test_what_a_result_says)
{
	embed_attach(&W);
	embed_call(&W, "tab_list", NULL);
	embed_hear(&W);
	embed_sayf(&W, ANSWER("1", "%s"), results[_i].result);
	embed_result(&W, 1, results[_i].code, results[_i].text);
	ck_assert_str_eq(W.ev.data.ptr, results[_i].result);
}
END_TEST

START_TEST(test_errors_of_the_protocol_have_a_code)
{
	static const struct { int rpc, code; } row[] = {
		{ -32602, GK_CODE_INVALID_ARGUMENT },
		{ -32601, GK_CODE_PROTOCOL_MISMATCH },
		{ -32603, GK_CODE_INTERNAL_ERROR },
		{ -1, GK_CODE_INTERNAL_ERROR },
	};

	embed_attach(&W);
	embed_call(&W, "nope", NULL);
	embed_hear(&W);
	embed_sayf(&W, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":%d,"
	    "\"message\":\"a \\\"b\\\"\"}}", row[_i].rpc);
	embed_result(&W, 1, row[_i].code, "a \"b\"");
	ck_assert_ptr_null(W.ev.data.ptr);
}
END_TEST

/* What is lent stays while the program goes on with the client. */
START_TEST(test_a_result_may_be_read_while_calls_are_made_and_cancelled)
{
	struct gk_embed_event ev;

	embed_attach(&W);
	embed_call(&W, "a", NULL);
	embed_call(&W, "b", NULL);
	embed_hear(&W);
	embed_hear(&W);
	embed_say(&W, ANSWER("1", REPLY("one")));
	embed_say(&W, ANSWER("2", REPLY("two")));
	embed_result(&W, 1, 0, "one");
	ev = W.ev;
	ck_assert_int_eq(gk_embed_cancel(W.e, 1), GENKAN_E_NOENT);
	ck_assert_int_eq(gk_embed_cancel(W.e, 2), 0);
	ck_assert_uint_eq(embed_call(&W, "c", NULL), 3);
	gk_leg_eof(W.leg);
	ck_assert_str_eq(ev.text.ptr, "one");
	ck_assert_str_eq(ev.data.ptr, REPLY("one"));
	embed_lost(&W, GENKAN_E_EOF, "closed");
	ck_assert_int_eq(gk_embed_attach(W.e), 0);
	embed_expect(&W, GK_EMBED_DIAL);
	embed_expect(&W, GK_EMBED_NOTHING);
}
END_TEST

START_TEST(test_a_cancelled_call_is_told_of_no_more)
{
	uint64_t id;

	embed_attach(&W);
	switch (_i) {
	case 0:			/* held */
		embed_frees_leg(&W);
		embed_expect(&W, GK_EMBED_STATE);
		id = embed_call(&W, "a", NULL);
		ck_assert_int_eq(gk_embed_cancel(W.e, id), 0);
		embed_attach(&W);
		ck_assert_str_eq(embed_hear(&W), "");
		break;
	case 1:			/* queued */
		id = embed_call(&W, "a", NULL);
		ck_assert_int_eq(gk_embed_cancel(W.e, id), 0);
		ck_assert_str_eq(embed_hear(&W), "");
		break;
	case 2:			/* half out: the rest follows, then this */
		id = embed_call(&W, "a", NULL);
		gk_leg_wrote(W.leg, 5);
		ck_assert_int_eq(gk_embed_cancel(W.e, id), 0);
		ck_assert_str_eq(embed_hear(&W), &SENT("1", "a", "")[5]);
		ck_assert_str_eq(embed_hear(&W), CANCELLED("1"));
		break;
	case 3:			/* sent */
		id = embed_call(&W, "a", NULL);
		embed_hear(&W);
		ck_assert_int_eq(gk_embed_cancel(W.e, id), 0);
		ck_assert_str_eq(embed_hear(&W), CANCELLED("1"));
		embed_say(&W, ANSWER("1", REPLY("late")));
		break;
	case 4:			/* answered */
		id = embed_call(&W, "a", NULL);
		embed_hear(&W);
		embed_say(&W, ANSWER("1", REPLY("x")));
		ck_assert_int_eq(gk_embed_cancel(W.e, id), 0);
		break;
	default:
		id = 0;
	}
	ck_assert_int_eq(gk_embed_cancel(W.e, id), GENKAN_E_NOENT);
	ck_assert_int_eq(gk_embed_cancel(W.e, 99), GENKAN_E_NOENT);
	ck_assert_uint_eq(gk_embed_outstanding(W.e), 0);
	embed_expect(&W, GK_EMBED_NOTHING);
	ck_assert_int_eq(gk_embed_state(W.e), GK_EMBED_ATTACHED);
}
END_TEST

START_TEST(test_a_call_that_waits_for_the_user_says_so)
{
	embed_attach(&W);
	embed_call(&W, "a", NULL);
	embed_call(&W, "b", NULL);
	embed_hear(&W);
	embed_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":1}}");
	embed_expect(&W, GK_EMBED_NOTHING);	/* not sent yet: ignored */
	embed_hear(&W);
	embed_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":1}}");
	embed_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":\"x\"}}");
	embed_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/new\"}");
	embed_expect(&W, GK_EMBED_PROGRESS);
	ck_assert_uint_eq(W.ev.id, 2);
	ck_assert_int_eq(W.ev.count, 1);
	ck_assert_str_eq(W.ev.text.ptr,
	    "waiting for the user to approve in the browser");
	embed_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":2}}");
	embed_expect(&W, GK_EMBED_PROGRESS);
	ck_assert_int_eq(W.ev.count, 2);
	embed_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":3}}");
	embed_say(&W, ANSWER("2", REPLY("x")));
	embed_result(&W, 2, 0, "x");
	embed_expect(&W, GK_EMBED_NOTHING);
}
END_TEST

/* -------------------------------------------------------------------- loss */

START_TEST(test_a_lost_broker_answers_what_was_sent_and_holds_the_rest)
{
	int i;

	embed_attach(&W);
	for (i = 0; i < 5; i++)
		embed_call(&W, "a", NULL);
	for (i = 0; i < 3; i++)
		embed_hear(&W);
	gk_leg_wrote(W.leg, 4);		/* the fourth is torn: not sent */
	embed_say(&W, ANSWER("2", REPLY("x")));
	if (_i == 0)
		gk_leg_eof(W.leg);
	else
		embed_frees_leg(&W);
	embed_result(&W, 2, 0, "x");
	embed_result(&W, 1, GK_CODE_CONNECTION_LOST, "the connection to the "
	    "broker was lost; the call may have run");
	ck_assert_ptr_null(W.ev.data.ptr);
	embed_result(&W, 3, GK_CODE_CONNECTION_LOST, W.ev.text.ptr);
	embed_lost(&W, _i == 0 ? GENKAN_E_EOF : GENKAN_E_CLOSED, "closed");
	ck_assert_uint_eq(gk_embed_outstanding(W.e), 2);
	embed_call(&W, "b", NULL);
	embed_attach(&W);
	ck_assert_str_eq(embed_hear(&W), SENT("4", "a", ""));
	ck_assert_str_eq(embed_hear(&W), SENT("5", "a", ""));
	ck_assert_str_eq(embed_hear(&W), SENT("6", "b", ""));
}
END_TEST

START_TEST(test_a_broken_connection_is_read_to_its_end)
{
	embed_attach(&W);
	embed_call(&W, "a", NULL);
	embed_call(&W, "b", NULL);
	embed_hear(&W);
	embed_hear(&W);
	gk_leg_broken(W.leg);
	gk_leg_broken(W.leg);
	ck_assert_int_eq(gk_leg_wants(W.leg), GENKAN_WANT_READ);
	embed_say(&W, ANSWER("2", REPLY("still")));
	embed_result(&W, 2, 0, "still");
	embed_expect(&W, GK_EMBED_NOTHING);
	ck_assert_int_eq(gk_embed_deadline(W.e), gk_now(W.t.ctx) +
	    GK_RELAY_LOSS_MS / 2);
	if (_i == 0)
		gk_leg_eof(W.leg);
	else
		embed_time(&W, gk_now(W.t.ctx) + GK_RELAY_LOSS_MS / 2);
	embed_expect(&W, GK_EMBED_RESULT);
	ck_assert_int_eq(W.ev.code, GK_CODE_CONNECTION_LOST);
	embed_lost(&W, GENKAN_E_EOF, "connection");
}
END_TEST

static const char *const foreign[] = {
	"nonsense", "[]", "{}", "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":1}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":[]}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":\"x\","
	    "\"message\":\"y\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
	    "\"message\":\"parse error\"}}",
	"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"method\":7}",
	ANSWER("0", "{\"protocolVersion\":\"2025-11-25\"}"),
	ANSWER("2", REPLY("not sent")),
	ANSWER("3", REPLY("never made")),
};

START_TEST(test_a_line_that_is_no_reply_ends_the_connection)
{
	embed_attach(&W);
	embed_call(&W, "a", NULL);
	embed_call(&W, "b", NULL);
	embed_hear(&W);
	embed_say(&W, foreign[_i]);
	embed_result(&W, 1, GK_CODE_CONNECTION_LOST, "the connection to the "
	    "broker was lost; the call may have run");
	embed_expect(&W, GK_EMBED_STATE);
	ck_assert(!W.ev.attached);
	ck_assert_int_lt(W.ev.code, 0);
	ck_assert_int_eq(gk_leg_wants(W.leg), GENKAN_WANT_CLOSE);
	embed_say(&W, ANSWER("2", REPLY("ignored")));
	ck_assert_uint_eq(gk_embed_outstanding(W.e), 1);
}
END_TEST

/* Wherever a read ends, the same comes out. */
START_TEST(test_split_anywhere)
{
	size_t cut, len = 1, used;
	char all[512];
	uint64_t a, b;

	embed_attach(&W);
	for (cut = 0; cut <= len; cut++) {
		a = embed_call(&W, "a", NULL);
		b = embed_call(&W, "b", NULL);
		embed_hear(&W);
		embed_hear(&W);
		len = (size_t)snprintf(all, sizeof(all), "{\"jsonrpc\":\"2.0\","
		    "\"id\":%d,\"result\":" REPLY("two") "}\n\r\n  \n"
		    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":"
		    ERROR("Error [USER_DENIED]: no") "}\r\n", (int)b, (int)a);
		ck_assert_int_eq(gk_leg_feed(W.leg, all, cut, &used), 0);
		ck_assert_uint_eq(used, cut);
		ck_assert_int_eq(gk_leg_feed(W.leg, all + cut, len - cut,
		    &used), 0);
		ck_assert_uint_eq(used, len - cut);
		embed_result(&W, b, 0, "two");
		embed_result(&W, a, GK_CODE_USER_DENIED, "no");
		embed_expect(&W, GK_EMBED_NOTHING);
	}
	ck_assert_uint_gt(cut, 150);
}
END_TEST

/* -------------------------------------------------------------------- time */

START_TEST(test_a_call_has_its_own_time)
{
	uint64_t sent, held, none;
	int64_t t0 = gk_now(W.t.ctx);

	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
	    gk_span(NULL, 0), 500, &sent), 0);
	embed_attach(&W);
	embed_hear(&W);
	ck_assert_int_eq(gk_embed_deadline(W.e), t0 + 500);
	embed_time(&W, t0 + 499);
	embed_expect(&W, GK_EMBED_NOTHING);
	embed_time(&W, t0 + 500);
	embed_result(&W, sent, GK_CODE_RESPONSE_TIMEOUT,
	    "no reply in time; the call may have run");
	ck_assert_str_eq(embed_hear(&W), CANCELLED("1"));
	embed_say(&W, ANSWER("1", REPLY("late")));
	embed_expect(&W, GK_EMBED_NOTHING);

	gk_leg_eof(W.leg);
	embed_lost(&W, GENKAN_E_EOF, "");
	none = embed_call(&W, "c", NULL);
	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("b"),
	    gk_span(NULL, 0), 1, &held), 0);
	embed_time(&W, t0 + 501);
	embed_result(&W, held, GK_CODE_RESPONSE_TIMEOUT,
	    "the call was not sent in time");
	embed_time(&W, t0 + 3600000);
	embed_expect(&W, GK_EMBED_NOTHING);	/* it waits for ever */
	ck_assert_int_eq(gk_embed_deadline(W.e), GK_CLOCK_NEVER);
	ck_assert_int_eq(gk_embed_cancel(W.e, none), 0);
}
END_TEST

START_TEST(test_a_stuck_broker_does_not_hold_a_call_for_ever)
{
	int64_t t0;

	embed_attach(&W);
	embed_call(&W, "a", NULL);
	t0 = gk_now(W.t.ctx);
	ck_assert_int_eq(gk_embed_deadline(W.e), GK_CLOCK_NEVER);
	embed_hear(&W);
	ck_assert_int_eq(gk_embed_deadline(W.e), t0 + GK_CLIENT_STUCK_MS);
	embed_time(&W, t0 + GK_CLIENT_STUCK_MS - 1);
	embed_expect(&W, GK_EMBED_NOTHING);
	embed_time(&W, t0 + GK_CLIENT_STUCK_MS);
	embed_result(&W, 1, GK_CODE_RESPONSE_TIMEOUT,
	    "no reply in time; the call may have run");
}
END_TEST

/* ------------------------------------------------------------------ limits */

START_TEST(test_127_are_with_the_broker_and_the_rest_follows_in_order)
{
	char want[32];
	uint64_t id;
	int i;

	embed_attach(&W);
	for (i = 1; i <= 300; i++)
		embed_call(&W, "a", NULL);
	for (i = 1; i < GK_MAX_INFLIGHT; i++) {
		snprintf(want, sizeof(want), "\"id\":%d,", i);
		ck_assert_ptr_nonnull(strstr(embed_hear(&W), want));
	}
	ck_assert_str_eq(embed_hear(&W), "");
	/* each way to end makes room for the next one */
	embed_say(&W, ANSWER("100", REPLY("x")));
	ck_assert_ptr_nonnull(strstr(embed_hear(&W), "\"id\":128,"));
	ck_assert_str_eq(embed_hear(&W), "");
	ck_assert_int_eq(gk_embed_cancel(W.e, 5), 0);
	ck_assert_str_eq(embed_hear(&W), CANCELLED("5"));
	ck_assert_ptr_nonnull(strstr(embed_hear(&W), "\"id\":129,"));
	ck_assert_str_eq(embed_hear(&W), "");
	for (id = 1; id <= 300; id++)
		if (id != 5 && id != 100) {
			embed_sayf(&W, "{\"jsonrpc\":\"2.0\",\"id\":%d,"
			    "\"result\":" REPLY("x") "}", (int)id);
			embed_hear(&W);
		}
	embed_result(&W, 100, 0, "x");
	for (id = 1; id <= 300; id++)
		if (id != 5 && id != 100)
			embed_result(&W, id, 0, "x");
	embed_expect(&W, GK_EMBED_NOTHING);
}
END_TEST

START_TEST(test_ten_thousand_are_outstanding_and_one_more_is_refused)
{
	uint64_t id = 77;
	int i;

	for (i = 1; i <= GK_CLIENT_CALLS_MAX; i++)
		ck_assert_uint_eq(embed_call(&W, "a", "{}"), (uint64_t)i);
	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), GENKAN_E_LIMIT);
	ck_assert_uint_eq(id, 77);
	ck_assert_int_eq(gk_embed_cancel(W.e, 5000), 0);
	ck_assert_uint_eq(embed_call(&W, "a", NULL), GK_CLIENT_CALLS_MAX + 1);
	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), GENKAN_E_LIMIT);
}
END_TEST

/* A call fits a line of the bridge, LF included, or it is too large; and what
 * was not sent is bounded in bytes. */
START_TEST(test_large_calls_are_bounded)
{
	const size_t frame = strlen(SENT("1", "a", ",\"arguments\":{}")) + 1;
	const size_t most = GK_BRIDGE_LINE_MAX - frame;
	char *args = malloc(most + 3);
	uint64_t id;
	int i;

	memset(args, ' ', most + 3);
	args[0] = '{';
	args[most + 2] = '}';
	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
	    gk_span(args, most + 3), 0, &id), GENKAN_E_TOO_LARGE);
	args[most + 1] = '}';
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
		    gk_span(args, most + 2), 0, &id), 0);
	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), GENKAN_E_LIMIT);
	free(args);
	/* on the leg's queue stands one of them at a time */
	embed_attach(&W);
	ck_assert_uint_lt(W.t.bytes, 6 * (size_t)GK_BRIDGE_LINE_MAX);
	ck_assert_uint_eq(strlen(embed_hear(&W)), GK_BRIDGE_LINE_MAX - 1);
	ck_assert_int_eq(gk_embed_call(W.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), 0);
}
END_TEST

START_TEST(test_results_that_nobody_pulls_stop_the_reading)
{
	const size_t len = 9 << 20;
	char *line = malloc(len + 200);
	int i;

	embed_attach(&W);
	for (i = 0; i < 3; i++) {
		embed_call(&W, "a", NULL);
		embed_hear(&W);
	}
	for (i = 1; i <= 2; i++) {
		ck_assert(gk_leg_wants(W.leg) & GENKAN_WANT_READ);
		sprintf(line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{"
		    "\"content\":[{\"type\":\"text\",\"text\":\"", i);
		memset(line + strlen(line), 'x', len);
		strcpy(line + len, "\"}]}}");
		embed_say(&W, line);
	}
	ck_assert_int_eq(gk_leg_wants(W.leg), 0);
	embed_expect(&W, GK_EMBED_RESULT);
	ck_assert_int_eq(gk_leg_wants(W.leg), GENKAN_WANT_READ);
	free(line);
}
END_TEST

/* ------------------------------------------------------------------ memory */

/* Accepted calls end once or are held, whatever allocation fails. */
static int
life(struct gk_test *t, size_t fail_at, size_t *failed)
{
	struct gk_dialling d = { .outcome = GK_DIALLED_OK };
	struct genkan_leg *leg = NULL;
	struct gk_embed_event ev;
	struct gk_embed *e;
	const size_t before = t->failed;
	uint64_t made = 0, id;
	size_t used, ended = 0;
	const void *p;
	char line[256];

	t->fail_at = fail_at;
	e = gk_embed_new(t->ctx);
	if (e == NULL)
		goto out;
	memcpy(d.secret, EMBED_SECRET, sizeof(d.secret));
	(void)gk_embed_attach(e);
	(void)gk_embed_next(e, &ev);
	gk_embed_dialled(e, &d, EMBED_SELF, &leg);
	for (id = 0; id < 3; id++)
		if (gk_embed_call(e, gk_span_str("a"), gk_span_str("{}"), 0,
		    &made) < 0)
			ended++;
	ended = 3 - ended;		/* of these */
	if (leg != NULL) {
		static const char *const say[] = {
			"{\"type\":\"challenge\",\"nonce\":\"00\"}\n",
			"{\"attach_reply\":\"accepted\"}\n",
			ANSWER("0", "{\"protocolVersion\":\"x\"}") "\n",
		};
		size_t i;

		for (i = 0; i < GK_ARRAY_LEN(say); i++) {
			(void)gk_leg_feed(leg, say[i], strlen(say[i]), &used);
			while (gk_leg_output(leg, &p, &used) == 1)
				gk_leg_wrote(leg, used);
		}
		for (id = 1; id <= 2; id++) {
			snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\","
			    "\"id\":%d,\"result\":" REPLY("\\u00e9") "}\n",
			    (int)id);
			(void)gk_leg_feed(leg, line, strlen(line), &used);
		}
		gk_leg_eof(leg);
	}
	while (gk_embed_next(e, &ev) != GK_EMBED_NOTHING)
		if (ev.kind == GK_EMBED_RESULT) {
			ck_assert_uint_ge(ev.id, 1);
			ck_assert_uint_le(ev.id, made);
			ended--;
		}
	ck_assert_uint_eq(ended, gk_embed_outstanding(e));
	ck_assert_int_eq(gk_embed_state(e), GK_EMBED_DETACHED);
out:
	t->fail_at = 0;
	gk_leg_free(leg);
	gk_embed_free(e);
	*failed = t->failed - before;
	return 0;
}

START_TEST(test_every_allocation_may_fail)
{
	const size_t live = W.t.live;
	size_t i, failed;

	for (i = 1; ; i++) {
		life(&W.t, i, &failed);
		ck_assert_uint_eq(W.t.live, live);
		if (failed == 0)
			break;
	}
	ck_assert_uint_gt(i, 20);
}
END_TEST

START_TEST(test_a_client_that_is_freed_leaves_a_leg_that_closes)
{
	struct embed other;

	embed_init(&other);
	embed_attach(&other);
	embed_call(&other, "a", NULL);
	embed_hear(&other);
	embed_call(&other, "b", NULL);
	embed_say(&other, ANSWER("1", REPLY("x")));
	embed_result(&other, 1, 0, "x");
	gk_embed_free(other.e);
	other.e = NULL;
	ck_assert_int_eq(gk_leg_wants(other.leg), GENKAN_WANT_CLOSE);
	embed_say(&other, "whatever");
	gk_leg_wrote(other.leg, 0);
	gk_leg_broken(other.leg);
	gk_leg_eof(other.leg);
	gk_leg_tick(other.leg, 5000000);
	ck_assert_int_eq(gk_leg_deadline(other.leg), GK_CLOCK_NEVER);
	gk_embed_free(NULL);
	embed_done(&other);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("embed");
	TCase *tc = tcase_create("embed");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_a_dial_that_fails_says_why, 0, 4);
	tcase_add_loop_test(tc,
	    test_an_end_before_the_challenge_is_a_refusal, 0, 2);
	tcase_add_loop_test(tc, test_what_the_broker_answers_to_the_attach, 0,
	    6);
	tcase_add_loop_test(tc, test_what_the_broker_answers_to_the_opener, 0,
	    5);
	tcase_add_test(tc, test_calls_made_before_wait_for_the_attach);
	tcase_add_loop_test(tc, test_what_a_result_says, 0,
	    (int)GK_ARRAY_LEN(results));
	tcase_add_loop_test(tc, test_errors_of_the_protocol_have_a_code, 0, 4);
	tcase_add_test(tc,
	    test_a_result_may_be_read_while_calls_are_made_and_cancelled);
	tcase_add_loop_test(tc, test_a_cancelled_call_is_told_of_no_more, 0,
	    5);
	tcase_add_test(tc, test_a_call_that_waits_for_the_user_says_so);
	tcase_add_loop_test(tc,
	    test_a_lost_broker_answers_what_was_sent_and_holds_the_rest, 0, 2);
	tcase_add_loop_test(tc, test_a_broken_connection_is_read_to_its_end,
	    0, 2);
	tcase_add_loop_test(tc,
	    test_a_line_that_is_no_reply_ends_the_connection, 0,
	    (int)GK_ARRAY_LEN(foreign));
	tcase_add_test(tc, test_split_anywhere);
	tcase_add_test(tc, test_a_call_has_its_own_time);
	tcase_add_test(tc,
	    test_a_stuck_broker_does_not_hold_a_call_for_ever);
	tcase_add_test(tc,
	    test_127_are_with_the_broker_and_the_rest_follows_in_order);
	tcase_add_test(tc,
	    test_ten_thousand_are_outstanding_and_one_more_is_refused);
	tcase_add_test(tc, test_large_calls_are_bounded);
	tcase_add_test(tc, test_results_that_nobody_pulls_stop_the_reading);
	tcase_add_test(tc, test_every_allocation_may_fail);
	tcase_add_test(tc,
	    test_a_client_that_is_freed_leaves_a_leg_that_closes);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
