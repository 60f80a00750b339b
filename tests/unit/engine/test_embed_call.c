/* Calls of the client of an embedder, their time and their limits. */
#include "embed_world.h"

START_TEST(test_calls_made_before_wait_for_the_attach)
{
	uint64_t list;

	ck_assert_uint_eq(embed_call(&EW, "tab_list", NULL), 1);
	ck_assert_uint_eq(embed_call(&EW, "a\"b", "{\"x\":[1]}"), 2);
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span(NULL, 0),
	    gk_span(NULL, 0), 0, &list), 0);
	ck_assert_uint_eq(list, 3);
	ck_assert_uint_eq(gk_embed_outstanding(EW.e), 3);
	embed_attach(&EW);
	ck_assert_str_eq(embed_hear(&EW), SENT("1", "tab_list", ""));
	ck_assert_str_eq(embed_hear(&EW),
	    SENT("2", "a\\\"b", ",\"arguments\":{\"x\":[1]}"));
	ck_assert_str_eq(embed_hear(&EW), "{\"jsonrpc\":\"2.0\",\"id\":3,"
	    "\"method\":\"tools/list\"}");
	ck_assert_str_eq(embed_hear(&EW), "");
	embed_say(&EW, ANSWER("3", "{\"tools\":[]}"));
	embed_say(&EW, ANSWER("1", REPLY("[\\u00e9\\n]")));
	embed_result(&EW, 3, 0, NULL);
	ck_assert_str_eq(EW.ev.data.ptr, "{\"tools\":[]}");
	ck_assert_uint_eq(EW.ev.data.len, 12);
	embed_result(&EW, 1, 0, "[\u00e9\n]");
	ck_assert_str_eq(EW.ev.data.ptr, REPLY("[\\u00e9\\n]"));
	ck_assert_uint_eq(gk_embed_outstanding(EW.e), 1);
	embed_expect(&EW, GK_EMBED_NOTHING);
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
	embed_attach(&EW);
	embed_call(&EW, "tab_list", NULL);
	embed_hear(&EW);
	embed_sayf(&EW, ANSWER("1", "%s"), results[_i].result);
	embed_result(&EW, 1, results[_i].code, results[_i].text);
	ck_assert_str_eq(EW.ev.data.ptr, results[_i].result);
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

	embed_attach(&EW);
	embed_call(&EW, "nope", NULL);
	embed_hear(&EW);
	embed_sayf(&EW, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":%d,"
	    "\"message\":\"a \\\"b\\\"\"}}", row[_i].rpc);
	embed_result(&EW, 1, row[_i].code, "a \"b\"");
	ck_assert_ptr_null(EW.ev.data.ptr);
}
END_TEST

/* What is lent stays while the program goes on with the client. */
START_TEST(test_a_result_may_be_read_while_calls_are_made_and_cancelled)
{
	struct gk_embed_event ev;

	embed_attach(&EW);
	embed_call(&EW, "a", NULL);
	embed_call(&EW, "b", NULL);
	embed_hear(&EW);
	embed_hear(&EW);
	embed_say(&EW, ANSWER("1", REPLY("one")));
	embed_say(&EW, ANSWER("2", REPLY("two")));
	embed_result(&EW, 1, 0, "one");
	ev = EW.ev;
	ck_assert_int_eq(gk_embed_cancel(EW.e, 1), GENKAN_E_NOENT);
	ck_assert_int_eq(gk_embed_cancel(EW.e, 2), 0);
	ck_assert_uint_eq(embed_call(&EW, "c", NULL), 3);
	gk_leg_eof(EW.leg);
	ck_assert_str_eq(ev.text.ptr, "one");
	ck_assert_str_eq(ev.data.ptr, REPLY("one"));
	embed_lost(&EW, GENKAN_E_EOF, "closed");
	ck_assert_int_eq(gk_embed_attach(EW.e), 0);
	embed_expect(&EW, GK_EMBED_DIAL);
	embed_expect(&EW, GK_EMBED_NOTHING);
}
END_TEST

START_TEST(test_a_cancelled_call_is_told_of_no_more)
{
	uint64_t id;

	embed_attach(&EW);
	switch (_i) {
	case 0:			/* held */
		embed_frees_leg(&EW);
		embed_expect(&EW, GK_EMBED_STATE);
		id = embed_call(&EW, "a", NULL);
		ck_assert_int_eq(gk_embed_cancel(EW.e, id), 0);
		embed_attach(&EW);
		ck_assert_str_eq(embed_hear(&EW), "");
		break;
	case 1:			/* queued */
		id = embed_call(&EW, "a", NULL);
		ck_assert_int_eq(gk_embed_cancel(EW.e, id), 0);
		ck_assert_str_eq(embed_hear(&EW), "");
		break;
	case 2:			/* half out: the rest follows, then this */
		id = embed_call(&EW, "a", NULL);
		gk_leg_wrote(EW.leg, 5);
		ck_assert_int_eq(gk_embed_cancel(EW.e, id), 0);
		ck_assert_str_eq(embed_hear(&EW), &SENT("1", "a", "")[5]);
		ck_assert_str_eq(embed_hear(&EW), CANCELLED("1"));
		break;
	case 3:			/* sent */
		id = embed_call(&EW, "a", NULL);
		embed_hear(&EW);
		ck_assert_int_eq(gk_embed_cancel(EW.e, id), 0);
		ck_assert_str_eq(embed_hear(&EW), CANCELLED("1"));
		embed_say(&EW, ANSWER("1", REPLY("late")));
		break;
	case 4:			/* answered */
		id = embed_call(&EW, "a", NULL);
		embed_hear(&EW);
		embed_say(&EW, ANSWER("1", REPLY("x")));
		ck_assert_int_eq(gk_embed_cancel(EW.e, id), 0);
		break;
	default:
		id = 0;
	}
	ck_assert_int_eq(gk_embed_cancel(EW.e, id), GENKAN_E_NOENT);
	ck_assert_int_eq(gk_embed_cancel(EW.e, 99), GENKAN_E_NOENT);
	ck_assert_uint_eq(gk_embed_outstanding(EW.e), 0);
	embed_expect(&EW, GK_EMBED_NOTHING);
	ck_assert_int_eq(gk_embed_state(EW.e), GK_EMBED_ATTACHED);
}
END_TEST

START_TEST(test_a_call_that_waits_for_the_user_says_so)
{
	embed_attach(&EW);
	embed_call(&EW, "a", NULL);
	embed_call(&EW, "b", NULL);
	embed_hear(&EW);
	embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":1}}");
	embed_expect(&EW, GK_EMBED_NOTHING);	/* not sent yet: ignored */
	embed_hear(&EW);
	embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":1}}");
	embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":\"x\"}}");
	embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/new\"}");
	embed_expect(&EW, GK_EMBED_PROGRESS);
	ck_assert_uint_eq(EW.ev.id, 2);
	ck_assert_int_eq(EW.ev.count, 1);
	ck_assert_str_eq(EW.ev.text.ptr,
	    "waiting for the user to approve in the browser");
	embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":2}}");
	embed_expect(&EW, GK_EMBED_PROGRESS);
	ck_assert_int_eq(EW.ev.count, 2);
	embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	    "progress\",\"params\":{\"progressToken\":2,\"progress\":3}}");
	embed_say(&EW, ANSWER("2", REPLY("x")));
	embed_result(&EW, 2, 0, "x");
	embed_expect(&EW, GK_EMBED_NOTHING);
}
END_TEST

/* -------------------------------------------------------------------- time */

START_TEST(test_a_call_has_its_own_time)
{
	uint64_t sent, held, none;
	int64_t t0 = gk_now(EW.t.ctx);

	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
	    gk_span(NULL, 0), 500, &sent), 0);
	embed_attach(&EW);
	embed_hear(&EW);
	ck_assert_int_eq(gk_embed_deadline(EW.e), t0 + 500);
	embed_time(&EW, t0 + 499);
	embed_expect(&EW, GK_EMBED_NOTHING);
	embed_time(&EW, t0 + 500);
	embed_result(&EW, sent, GK_CODE_RESPONSE_TIMEOUT,
	    "no reply in time; the call may have run");
	ck_assert_str_eq(embed_hear(&EW), CANCELLED("1"));
	embed_say(&EW, ANSWER("1", REPLY("late")));
	embed_expect(&EW, GK_EMBED_NOTHING);

	gk_leg_eof(EW.leg);
	embed_lost(&EW, GENKAN_E_EOF, "");
	none = embed_call(&EW, "c", NULL);
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("b"),
	    gk_span(NULL, 0), 1, &held), 0);
	embed_time(&EW, t0 + 501);
	embed_result(&EW, held, GK_CODE_RESPONSE_TIMEOUT,
	    "the call was not sent in time");
	embed_time(&EW, t0 + 3600000);
	embed_expect(&EW, GK_EMBED_NOTHING);	/* it waits for ever */
	ck_assert_int_eq(gk_embed_deadline(EW.e), GK_CLOCK_NEVER);
	ck_assert_int_eq(gk_embed_cancel(EW.e, none), 0);
}
END_TEST

START_TEST(test_a_stuck_broker_does_not_hold_a_call_for_ever)
{
	int64_t t0;

	embed_attach(&EW);
	embed_call(&EW, "a", NULL);
	t0 = gk_now(EW.t.ctx);
	ck_assert_int_eq(gk_embed_deadline(EW.e), GK_CLOCK_NEVER);
	embed_hear(&EW);
	ck_assert_int_eq(gk_embed_deadline(EW.e), t0 + GK_CLIENT_STUCK_MS);
	embed_time(&EW, t0 + GK_CLIENT_STUCK_MS - 1);
	embed_expect(&EW, GK_EMBED_NOTHING);
	embed_time(&EW, t0 + GK_CLIENT_STUCK_MS);
	embed_result(&EW, 1, GK_CODE_RESPONSE_TIMEOUT,
	    "no reply in time; the call may have run");
}
END_TEST

/* ------------------------------------------------------------------ limits */

START_TEST(test_127_are_with_the_broker_and_the_rest_follows_in_order)
{
	char want[32];
	uint64_t id;
	int i;

	embed_attach(&EW);
	for (i = 1; i <= 300; i++)
		embed_call(&EW, "a", NULL);
	for (i = 1; i < GK_MAX_INFLIGHT; i++) {
		snprintf(want, sizeof(want), "\"id\":%d,", i);
		ck_assert_ptr_nonnull(strstr(embed_hear(&EW), want));
	}
	ck_assert_str_eq(embed_hear(&EW), "");
	/* each way to end makes room for the next one */
	embed_say(&EW, ANSWER("100", REPLY("x")));
	ck_assert_ptr_nonnull(strstr(embed_hear(&EW), "\"id\":128,"));
	ck_assert_str_eq(embed_hear(&EW), "");
	ck_assert_int_eq(gk_embed_cancel(EW.e, 5), 0);
	ck_assert_str_eq(embed_hear(&EW), CANCELLED("5"));
	ck_assert_ptr_nonnull(strstr(embed_hear(&EW), "\"id\":129,"));
	ck_assert_str_eq(embed_hear(&EW), "");
	for (id = 1; id <= 300; id++)
		if (id != 5 && id != 100) {
			embed_sayf(&EW, "{\"jsonrpc\":\"2.0\",\"id\":%d,"
			    "\"result\":" REPLY("x") "}", (int)id);
			embed_hear(&EW);
		}
	embed_result(&EW, 100, 0, "x");
	for (id = 1; id <= 300; id++)
		if (id != 5 && id != 100)
			embed_result(&EW, id, 0, "x");
	embed_expect(&EW, GK_EMBED_NOTHING);
}
END_TEST

START_TEST(test_ten_thousand_are_outstanding_and_one_more_is_refused)
{
	uint64_t id = 77;
	int i;

	for (i = 1; i <= GK_CLIENT_CALLS_MAX; i++)
		ck_assert_uint_eq(embed_call(&EW, "a", "{}"), (uint64_t)i);
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), GENKAN_E_LIMIT);
	ck_assert_uint_eq(id, 77);
	ck_assert_int_eq(gk_embed_cancel(EW.e, 5000), 0);
	ck_assert_uint_eq(embed_call(&EW, "a", NULL), GK_CLIENT_CALLS_MAX + 1);
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
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
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
	    gk_span(args, most + 3), 0, &id), GENKAN_E_TOO_LARGE);
	args[most + 1] = '}';
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
		    gk_span(args, most + 2), 0, &id), 0);
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), GENKAN_E_LIMIT);
	free(args);
	/* on the leg's queue stands one of them at a time */
	embed_attach(&EW);
	ck_assert_uint_lt(EW.t.bytes, 6 * (size_t)GK_BRIDGE_LINE_MAX);
	ck_assert_uint_eq(strlen(embed_hear(&EW)), GK_BRIDGE_LINE_MAX - 1);
	ck_assert_int_eq(gk_embed_call(EW.e, gk_span_str("a"),
	    gk_span(NULL, 0), 0, &id), 0);
}
END_TEST

START_TEST(test_results_that_nobody_pulls_stop_the_reading)
{
	const size_t len = 9 << 20;
	char *line = malloc(len + 200);
	int i;

	embed_attach(&EW);
	for (i = 0; i < 3; i++) {
		embed_call(&EW, "a", NULL);
		embed_hear(&EW);
	}
	for (i = 1; i <= 2; i++) {
		ck_assert(gk_leg_wants(EW.leg) & GENKAN_WANT_READ);
		sprintf(line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{"
		    "\"content\":[{\"type\":\"text\",\"text\":\"", i);
		memset(line + strlen(line), 'x', len);
		strcpy(line + len, "\"}]}}");
		embed_say(&EW, line);
	}
	ck_assert_int_eq(gk_leg_wants(EW.leg), 0);
	embed_expect(&EW, GK_EMBED_RESULT);
	ck_assert_int_eq(gk_leg_wants(EW.leg), GENKAN_WANT_READ);
	free(line);
}
END_TEST

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

int
main(void)
{
	Suite *s = suite_create("embed_call");
	TCase *tc = embed_tcase(s, "embed");

	tcase_add_test(tc, test_calls_made_before_wait_for_the_attach);
	tcase_add_loop_test(tc, test_what_a_result_says, 0,
	    (int)GK_ARRAY_LEN(results));
	tcase_add_loop_test(tc, test_errors_of_the_protocol_have_a_code, 0, 4);
	tcase_add_test(tc,
	    test_a_result_may_be_read_while_calls_are_made_and_cancelled);
	tcase_add_loop_test(tc, test_a_cancelled_call_is_told_of_no_more, 0,
	    5);
	tcase_add_test(tc, test_a_call_that_waits_for_the_user_says_so);
	tcase_add_test(tc, test_a_call_has_its_own_time);
	tcase_add_test(tc,
	    test_a_stuck_broker_does_not_hold_a_call_for_ever);
	tcase_add_test(tc,
	    test_127_are_with_the_broker_and_the_rest_follows_in_order);
	tcase_add_test(tc,
	    test_ten_thousand_are_outstanding_and_one_more_is_refused);
	tcase_add_test(tc, test_large_calls_are_bounded);
	tcase_add_test(tc, test_results_that_nobody_pulls_stop_the_reading);
	return gk_test_main(s);
}
