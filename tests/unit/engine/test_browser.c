/* A browser leg: frames of wire 8.3 to 8.7, row by row. */
#include "broker_world.h"

static struct world W;
static struct peer B, C;

static void
setup(void)
{
	world_init(&W);
	world_own(&W);
	browser(&W, &B, "b");
}

static void
teardown(void)
{
	peer_free(&B);
	peer_free(&C);
	world_done(&W);
}

/* A call that the browser has read, as request 1. */
static void
call_out(void)
{
	hello(&B, "\"tab_control\"");
	own_say(&W, CALL("7", "tab_list", "{}"));
	ck_assert_str_eq(hear(&B), "{\"id\":1,\"op\":\"tab_list\","
	    "\"browser\":\"b\",\"args\":{}}");
}

/* ------------------------------------------------------------------ 8.3 */

enum verdict { ENDS, SEVERS, IGNORED };

static const struct {
	const char	*frame;
	enum verdict	 verdict;
	const char	*reply;		/* of ENDS */
} responses[] = {
	{ "{\"id\":1,\"ok\":true,\"data\":{\"a\":1}}", ENDS,
	    TEXT("7", "{\\\"a\\\":1}") },
	{ "{\"id\":1,\"ok\":true}", ENDS, TEXT("7", "null") },
	{ "{\"id\":1,\"ok\":true,\"data\":null}", ENDS, TEXT("7", "null") },
	{ "{\"id\":1,\"ok\":true,\"data\":false,\"error\":null,\"code\":null}",
	    ENDS, TEXT("7", "false") },
	{ "{ \"data\" : [ \"\\u00e9\" , 1.0 ] , \"ok\":true, \"id\":1 }", ENDS,
	    TEXT("7", "[\\\"\u00e9\\\",1.0]") },
	{ "{\"id\":1,\"ok\":false,\"error\":\"no\"}", ENDS,
	    FAIL("7", "EXECUTION_FAILED]: no") },
	{ "{\"id\":1,\"ok\":false,\"error\":\"\",\"code\":\"TAB_NOT_FOUND\"}",
	    ENDS, FAIL("7", "TAB_NOT_FOUND]: ") },
	{ "{\"id\":1,\"ok\":false,\"error\":\"a\\nb\\u0000\\u00e9\","
	    "\"code\":\"USER_DENIED\",\"data\":null}", ENDS,
	    FAIL("7", "USER_DENIED]: a\\nb\\u0000\u00e9") },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":null}", ENDS,
	    FAIL("7", "EXECUTION_FAILED]: x") },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":"
	    "\"PAYLOAD_TOO_LARGE\"}", ENDS,
	    FAIL("7", "PAYLOAD_TOO_LARGE]: x") },
	/* contradictions */
	{ "{\"id\":1,\"ok\":true,\"error\":\"x\"}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":true,\"code\":\"USER_DENIED\"}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"data\":1}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":false}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":false,\"error\":null}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":\"BRIDGE_KILLED\"}",
	    SEVERS, NULL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":\"NOPE\"}", SEVERS,
	    NULL },
	{ "{\"id\":1,\"ok\":false,\"error\":\"x\",\"code\":\"\"}", SEVERS,
	    NULL },
	/* not a response at all */
	{ "{\"id\":1,\"ok\":true,\"x\":1}", SEVERS, NULL },
	{ "{\"id\":\"1\",\"ok\":true}", SEVERS, NULL },
	{ "{\"id\":1.0,\"ok\":true}", SEVERS, NULL },
	{ "{\"id\":9007199254740992,\"ok\":true}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":1}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":null}", SEVERS, NULL },
	{ "{\"ok\":true}", SEVERS, NULL },
	{ "{\"id\":1}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":false,\"error\":5}", SEVERS, NULL },
	{ "{\"id\":1,\"id\":1,\"ok\":true}", SEVERS, NULL },
	{ "{\"id\":1,\"ok\":true,\"data\":{\"a\":1,\"a\":2}}", SEVERS, NULL },
	{ "nope", SEVERS, NULL },
	{ "[]", SEVERS, NULL },
	{ "{}", SEVERS, NULL },
	/* what the broker itself says, and what is said to a host */
	{ "{\"type\":\"cancel\",\"id\":1}", SEVERS, NULL },
	{ "{\"type\":\"challenge\",\"nonce\":\"00\"}", SEVERS, NULL },
	{ "{\"id\":1,\"op\":\"tab_list\",\"args\":{}}", SEVERS, NULL },
	{ "{\"type\":\"policy_get\"}", SEVERS, NULL },
	/* a second hello, in every form */
	{ "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[]}", SEVERS,
	    NULL },
	{ "{\"type\":\"hello\",\"protocol\":2}", SEVERS, NULL },
	/* unknown ids */
	{ "{\"id\":2,\"ok\":true,\"data\":1}", IGNORED, NULL },
	{ "{\"id\":0,\"ok\":true,\"data\":1}", IGNORED, NULL },
	{ "{\"id\":-1,\"ok\":true,\"data\":1}", IGNORED, NULL },
	{ "{\"id\":9007199254740991,\"ok\":false,\"error\":\"x\"}", IGNORED,
	    NULL },
	/* but not before their shape has been looked at */
	{ "{\"id\":2,\"ok\":true,\"error\":\"x\"}", SEVERS, NULL },
	/* 8.7 */
	{ "{\"type\":\"waiting\",\"id\":1}", IGNORED, NULL },
	{ "{\"type\":\"waiting\",\"id\":99}", IGNORED, NULL },
	{ "{\"type\":\"waiting\",\"id\":0}", IGNORED, NULL },
	{ "{\"type\":\"waiting\"}", SEVERS, NULL },
	{ "{\"type\":\"waiting\",\"id\":\"1\"}", SEVERS, NULL },
	{ "{\"type\":\"waiting\",\"id\":1,\"x\":1}", SEVERS, NULL },
};

START_TEST(test_response_row)
{
	call_out();
	tell(&B, responses[_i].frame);
	ck_assert_int_eq(closed(&B), responses[_i].verdict == SEVERS);
	own_hear(&W);
	switch (responses[_i].verdict) {
	case ENDS:
		ck_assert_str_eq(W.heard, responses[_i].reply);
		break;
	case SEVERS:
		ck_fails(W.heard, "CONNECTION_LOST",
		    "lost while waiting for its reply");
		ck_assert_uint_eq(gk_broker_browsers(W.b), 0);
		break;
	case IGNORED:
		ck_assert_str_eq(W.heard, "");
		tell(&B, "{\"id\":1,\"ok\":true,\"data\":5}");
		ck_assert_str_eq(own_hear(&W), TEXT("7", "5"));
		break;
	}
	/* answered once, and no cancel to anybody */
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

/* Wherever a read happens to end, the same reply must come out. */
static const char frames[] =
    "{\"id\":1,\"ok\":true,\"data\":{\"a\":\"\u00e9\\n\"}}\n"
    "{\"type\":\"waiting\",\"id\":5}\n";

START_TEST(test_response_split_anywhere)
{
	size_t cut = (size_t)_i, used;

	call_out();
	gk_leg_feed(B.leg, frames, cut, &used);
	ck_assert_uint_eq(used, cut);
	gk_leg_feed(B.leg, frames + cut, sizeof(frames) - 1 - cut, &used);
	ck_assert_uint_eq(used, sizeof(frames) - 1 - cut);
	ck_assert_str_eq(own_hear(&W),
	    TEXT("7", "{\\\"a\\\":\\\"\u00e9\\\\n\\\"}"));
	ck_assert(!closed(&B));
}
END_TEST

/* Read to where it is put together; what follows it comes as well. */
START_TEST(test_a_large_response_has_its_place)
{
	char *data = malloc(20001), *line = malloc(20100);
	char *want = malloc(20200);

	call_out();
	memset(data, 'd', 20000);
	data[20000] = '\0';
	sprintf(line, "{\"id\":1,\"ok\":true,\"data\":[\"%s\"]}\n"
	    "{\"type\":\"waiting\",\"id\":5}\n\n \n", data);
	ck_assert(tell(&B, line));
	sprintf(want, TEXT("7", "[\\\"%s\\\"]"), data);
	ck_assert_str_eq(own_hear(&W), want);
	ck_assert(!closed(&B));
	free(data);
	free(line);
	free(want);
}
END_TEST

START_TEST(test_blank_lines_are_skipped)
{
	char *blank = malloc(200001);
	size_t used;

	call_out();
	memset(blank, '\n', 200000);
	gk_leg_feed(B.leg, blank, 200000, &used);
	ck_assert_uint_eq(used, 200000);
	free(blank);
	tell(&B, " \t\r\r");
	ck_assert(!closed(&B));
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":5}\r\r");
	ck_assert_str_eq(own_hear(&W), TEXT("7", "5"));
}
END_TEST

START_TEST(test_line_over_the_cap_severs)
{
	size_t n = 1 << 20, sent = 0, used, i;
	char *x = malloc(n);

	call_out();
	memset(x, 'x', n);
	gk_leg_feed(B.leg, "\"", 1, &used);
	for (i = 0; i < 63; i++, sent += n)
		gk_leg_feed(B.leg, x, n, &used);
	gk_leg_feed(B.leg, x, n - 2, &used);
	ck_assert(!closed(&B));		/* cap - 1 bytes, no LF yet */
	gk_leg_feed(B.leg, x, 2, &used);
	ck_assert(closed(&B));
	ck_fails(own_hear(&W), "CONNECTION_LOST", "");
	free(x);
}
END_TEST

START_TEST(test_fragment_at_the_end_is_discarded)
{
	size_t used;

	call_out();
	gk_leg_feed(B.leg, "{\"id\":1,\"ok\":true}", 18, &used);
	gk_leg_eof(B.leg);
	ck_fails(own_hear(&W), "CONNECTION_LOST", "");
}
END_TEST

START_TEST(test_late_reply_after_a_cancel_is_ignored)
{
	call_out();
	own_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	ck_assert(!closed(&B));
	ck_assert_str_eq(own_hear(&W), "");
	/* nor does it meet a new call with the caller's id */
	own_say(&W, CALL("7", "tab_list", "{}"));
	hear(&B);
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	ck_assert_str_eq(own_hear(&W), "");
	tell(&B, "{\"id\":2,\"ok\":true,\"data\":2}");
	ck_assert_str_eq(own_hear(&W), TEXT("7", "2"));
}
END_TEST

START_TEST(test_replayed_reply_is_ignored)
{
	call_out();
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	ck_assert_str_eq(own_hear(&W), TEXT("7", "1"));
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":2}");
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert(!closed(&B));
}
END_TEST

/* ------------------------------------------------------------------ 8.5 */

#define HELLO(rest) "{\"type\":\"hello\"," rest "}"

static const struct {
	const char	*first;
	bool		 severs;
	const char	*code;		/* of the call then; NULL: it goes out */
} hellos[] = {
	{ HELLO("\"protocol\":1,\"capabilities\":[\"tab_control\"]"), false,
	    NULL },
	{ HELLO("\"capabilities\":[\"x\",\"tab_control\",\"tab_control\"],"
	    "\"protocol\":1"), false, NULL },
	{ HELLO("\"protocol\":1,\"capabilities\":[]"), false,
	    "TOOL_DISABLED" },
	{ HELLO("\"protocol\":1,\"capabilities\":[\"page_read\"]"), false,
	    "TOOL_DISABLED" },
	/* the rest of another protocol is not looked at */
	{ HELLO("\"protocol\":2"), false, "PROTOCOL_MISMATCH" },
	{ HELLO("\"protocol\":0,\"capabilities\":5,\"x\":[]"), false,
	    "PROTOCOL_MISMATCH" },
	{ HELLO("\"protocol\":-1"), false, "PROTOCOL_MISMATCH" },
	/* malformed */
	{ HELLO("\"protocol\":1"), true, NULL },
	{ HELLO("\"protocol\":1,\"capabilities\":[],\"x\":1"), true, NULL },
	{ HELLO("\"protocol\":1,\"capabilities\":[5]"), true, NULL },
	{ HELLO("\"protocol\":1,\"capabilities\":[\"\"]"), true, NULL },
	{ HELLO("\"protocol\":1,\"capabilities\":{}"), true, NULL },
	{ HELLO("\"protocol\":1,\"capabilities\":null"), true, NULL },
	{ HELLO("\"protocol\":\"1\",\"capabilities\":[]"), true, NULL },
	{ HELLO("\"protocol\":1.0,\"capabilities\":[]"), true, NULL },
	{ HELLO("\"capabilities\":[]"), true, NULL },
	{ "{\"type\":\"hello\"", true, NULL },
	/* another frame first: protocol 1, everything */
	{ "{\"id\":44,\"ok\":true}", false, NULL },
	{ "{\"type\":\"waiting\",\"id\":44}", false, NULL },
};

START_TEST(test_first_frame_row)
{
	tell(&B, hellos[_i].first);
	ck_assert_int_eq(closed(&B), hellos[_i].severs);
	if (hellos[_i].severs)
		return;
	own_say(&W, CALL("7", "tab_list", "{}"));
	if (hellos[_i].code == NULL) {
		ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"tab_list\""));
		ck_assert_str_eq(own_hear(&W), "");
	} else {
		ck_assert_str_eq(hear(&B), "");
		ck_assert_ptr_nonnull(strstr(own_hear(&W), hellos[_i].code));
	}
}
END_TEST

START_TEST(test_hello_after_another_frame_severs)
{
	tell(&B, "{\"id\":44,\"ok\":true}");
	tell(&B, "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[]}");
	ck_assert(closed(&B));
}
END_TEST

START_TEST(test_capabilities_at_the_limit)
{
	char line[8192], name[80];
	int n, i, len;

	for (n = 63; n <= 65; n++) {
		peer_free(&C);
		browser(&W, &C, "c");
		len = sprintf(line, "{\"type\":\"hello\",\"protocol\":1,"
		    "\"capabilities\":[\"tab_control\"");
		for (i = 1; i < n; i++)
			len += sprintf(line + len, ",\"cap%d\"", i);
		strcpy(line + len, "]}");
		tell(&C, line);
		ck_assert_int_eq(closed(&C), n > 64);
	}
	for (n = 63; n <= 65; n++) {
		peer_free(&C);
		browser(&W, &C, "c");
		memset(name, 'n', 80);
		name[n] = '\0';
		tellf(&C, "{\"type\":\"hello\",\"protocol\":1,"
		    "\"capabilities\":[\"%s\"]}", name);
		ck_assert_int_eq(closed(&C), n > 64);
	}
}
END_TEST

/* A hello in time ends the wait, and the calls go out in their order. */
START_TEST(test_calls_wait_for_the_first_frame)
{
	own_say(&W, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("2", "tab_list", "{}"));
	ck_assert_str_eq(hear(&B), "");
	ck_assert_int_eq(gk_broker_deadline(W.b), 2000);	/* the sweep */
	world_run(&W, 3999);
	ck_assert_str_eq(hear(&B), "");
	ck_assert_int_eq(gk_broker_deadline(W.b), 4000);
	hello(&B, "\"tab_control\"");
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":1,"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":2,"));
}
END_TEST

START_TEST(test_calls_go_on_3_s_after_attach)
{
	world_run(&W, 2500);
	own_say(&W, CALL("1", "page_eval", "{\"code\":\"1\"}"));
	world_run(&W, 3999);
	ck_assert_str_eq(hear(&B), "");
	world_run(&W, 4000);
	/* protocol 1, all capabilities */
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"page_eval\""));
	/* and nobody waits any more */
	own_say(&W, CALL("2", "tab_list", "{}"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"tab_list\""));
}
END_TEST

START_TEST(test_hello_after_3_s_still_counts)
{
	world_run(&W, 5000);
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&B);
	hello(&B, "\"page_read\"");
	own_say(&W, CALL("2", "tab_list", "{}"));
	ck_fails(own_hear(&W), "TOOL_DISABLED", "tab_control");
	/* the one that was out already is served */
	tell(&B, "{\"id\":1,\"ok\":true}");
	ck_assert_str_eq(own_hear(&W), TEXT("1", "null"));
}
END_TEST

START_TEST(test_late_hello_of_another_protocol_fails_calls_already_written)
{
	world_run(&W, 5000);
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&B);
	own_say(&W, CALL("2", "tab_list", "{}"));	/* not written yet */
	tell(&B, "{\"type\":\"hello\",\"protocol\":3}");
	ck_fails(own_hear(&W), "PROTOCOL_MISMATCH", "\"id\":2");
	ck_fails(own_hear(&W), "PROTOCOL_MISMATCH", "\"id\":1");
	/* a cancel for the one that the extension has seen */
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
	ck_assert_str_eq(hear(&B), "");
	ck_assert(!closed(&B));
	own_say(&W, CALL("3", "tab_list", "{}"));
	ck_fails(own_hear(&W), "PROTOCOL_MISMATCH",
	    "browser b speaks bridge protocol 3, this server 1");
}
END_TEST

START_TEST(test_calls_that_wait_for_the_first_frame_fail_with_their_leg)
{
	own_say(&W, CALL("1", "tab_list", "{}"));
	gk_leg_eof(B.leg);
	ck_fails(own_hear(&W), "CONNECTION_LOST",
	    "before the request was written");
}
END_TEST

/* ------------------------------------------------------------ 8.7, 10.9 */

START_TEST(test_waiting_becomes_progress)
{
	hello(&B, "\"tab_control\"");
	own_say(&W, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
	    "\"params\":{\"name\":\"tab_list\",\"_meta\":"
	    "{\"progressToken\":\"p\"}}}");
	hear(&B);
	tell(&B, "{\"type\":\"waiting\",\"id\":1}");
	ck_assert_str_eq(own_hear(&W), "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/progress\",\"params\":{\"progressToken\":\"p\","
	    "\"progress\":1,\"message\":\"waiting for the user to approve in "
	    "the browser\"}}");
	tell(&B, "{\"type\":\"waiting\",\"id\":1}");
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 2000);
	tell(&B, "{\"type\":\"waiting\",\"id\":1}");
	ck_assert_ptr_nonnull(strstr(own_hear(&W), "\"progress\":2"));
	/* it moves no deadline */
	world_run(&W, 121000);
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "120 s");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("browser");
	TCase *tc = tcase_create("browser");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_response_row, 0,
	    GK_ARRAY_LEN(responses));
	tcase_add_loop_test(tc, test_response_split_anywhere, 0,
	    sizeof(frames));
	tcase_add_test(tc, test_a_large_response_has_its_place);
	tcase_add_test(tc, test_blank_lines_are_skipped);
	tcase_add_test(tc, test_line_over_the_cap_severs);
	tcase_add_test(tc, test_fragment_at_the_end_is_discarded);
	tcase_add_test(tc, test_late_reply_after_a_cancel_is_ignored);
	tcase_add_test(tc, test_replayed_reply_is_ignored);
	tcase_add_loop_test(tc, test_first_frame_row, 0,
	    GK_ARRAY_LEN(hellos));
	tcase_add_test(tc, test_hello_after_another_frame_severs);
	tcase_add_test(tc, test_capabilities_at_the_limit);
	tcase_add_test(tc, test_calls_wait_for_the_first_frame);
	tcase_add_test(tc, test_calls_go_on_3_s_after_attach);
	tcase_add_test(tc, test_hello_after_3_s_still_counts);
	tcase_add_test(tc,
	    test_late_hello_of_another_protocol_fails_calls_already_written);
	tcase_add_test(tc,
	    test_calls_that_wait_for_the_first_frame_fail_with_their_leg);
	tcase_add_test(tc, test_waiting_becomes_progress);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
