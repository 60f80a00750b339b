/* Waits and routing: wire 9.2 and 9.3, with a clock that the test turns. */
#include "broker_world.h"

static struct world W;
static struct peer B, C;

static void
setup(void)
{
	world_init(&W);
	world_own(&W);
}

static void
teardown(void)
{
	peer_free(&B);
	peer_free(&C);
	world_done(&W);
}

static void
ready(struct peer *p, const char *label)
{
	browser(&W, p, label);
	hello(p, "\"tab_control\"");
}

/* ------------------------------------------------------------------ 9.3 */

static const struct {
	const char	*labels;	/* live ones, one letter each */
	const char	*args;
	char		 goes_to;	/* 0: nowhere */
	const char	*code;
	const char	*text;
} routes[] = {
	{ "b", "{}", 'b', NULL, NULL },
	{ "b", "{\"browser\":null}", 'b', NULL, NULL },
	{ "b", "{\"browser\":\"b\"}", 'b', NULL, NULL },
	{ "bc", "{\"browser\":\"c\"}", 'c', NULL, NULL },
	{ "bc", "{\"browser\":\"\\u0062\"}", 'b', NULL, NULL },
	{ "b", "{\"browser\":\"c\"}", 0, "BROWSER_NOT_FOUND",
	    "no browser c is attached; attached: b" },
	{ "cb", "{\"browser\":\"d\"}", 0, "BROWSER_NOT_FOUND",
	    "no browser d is attached; attached: b, c" },
	{ "b", "{\"browser\":\"B\"}", 0, "BROWSER_NOT_FOUND", "" },
	{ "b", "{\"browser\":\"\"}", 0, "BROWSER_NOT_FOUND", "" },
	{ "b", "{\"browser\":\"b\\u0000\"}", 0, "BROWSER_NOT_FOUND", "" },
	{ "cb", "{}", 0, "BROWSER_AMBIGUOUS", "b, c" },
	{ "cb", "{\"browser\":null}", 0, "BROWSER_AMBIGUOUS", "b, c" },
};

START_TEST(test_route_row)
{
	struct peer *p[2] = { &B, &C };
	const char *labels = routes[_i].labels;
	char label[2] = "", call[256], want[64];
	size_t i;

	for (i = 0; labels[i] != '\0'; i++) {
		label[0] = labels[i];
		ready(p[i], label);
	}
	snprintf(call, sizeof(call), CALL("1", "tab_list", "%s"),
	    routes[_i].args);
	own_say(&W, call);
	if (routes[_i].code != NULL) {
		/* at once */
		ck_assert_ptr_nonnull(strstr(own_hear(&W), routes[_i].code));
		ck_assert_ptr_nonnull(strstr(W.heard, routes[_i].text));
	}
	for (i = 0; labels[i] != '\0'; i++) {
		snprintf(want, sizeof(want), "\"browser\":\"%c\"", labels[i]);
		if (labels[i] == routes[_i].goes_to)
			ck_assert_ptr_nonnull(strstr(hear(p[i]), want));
		else
			ck_assert_str_eq(hear(p[i]), "");
	}
}
END_TEST

START_TEST(test_foreign_label_is_quoted_up_to_256_bytes)
{
	char label[400], call[600];

	ready(&B, "b");
	memset(label, 'x', sizeof(label));
	label[300] = '\0';
	snprintf(call, sizeof(call), CALL("1", "tab_list",
	    "{\"browser\":\"%s\"}"), label);
	own_say(&W, call);
	label[256] = '\0';
	ck_fails(own_hear(&W), "BROWSER_NOT_FOUND", label);
	label[256] = 'x';
	ck_assert_ptr_null(strstr(W.heard, label));
}
END_TEST

/* ------------------------------------------------------------------ 9.2 */

START_TEST(test_12_s_for_any_browser)
{
	own_say(&W, CALL("1", "tab_list", "{}"));
	world_run(&W, 5000);
	own_say(&W, CALL("2", "tab_list", "{\"browser\":\"b\"}"));
	world_run(&W, 12999);
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_int_eq(gk_broker_deadline(W.b), 13000);
	world_run(&W, 13000);
	ck_fails(own_hear(&W), "NOT_CONNECTED", "`genkan doctor`");
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 17000);
	ck_fails(own_hear(&W), "NOT_CONNECTED", "extension is loaded");
	ck_assert_str_eq(audited(&W, 1),
	    "tool_call error tab_list NOT_CONNECTED - - 2 -1 12000ms");
}
END_TEST

/* Whatever label was asked for, the wait ends with the first browser. */
START_TEST(test_any_browser_ends_the_wait)
{
	own_say(&W, CALL("1", "tab_list", "{\"browser\":\"c\"}"));
	own_say(&W, CALL("2", "tab_list", "{}"));
	own_say(&W, CALL("3", "tab_list", "{\"browser\":\"b\"}"));
	world_run(&W, 12000);
	ready(&B, "b");
	ck_fails(own_hear(&W), "BROWSER_NOT_FOUND", "\"id\":1");
	ck_assert_str_eq(own_hear(&W), "");
	/* in the order of their arrival */
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":2,"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":3,"));
}
END_TEST

START_TEST(test_no_wait_while_a_label_is_live)
{
	ready(&B, "b");
	own_say(&W, CALL("1", "tab_list", "{\"browser\":\"c\"}"));
	ck_fails(own_hear(&W), "BROWSER_NOT_FOUND", "");
}
END_TEST

START_TEST(test_wait_begins_again_for_later_calls)
{
	ready(&B, "b");
	gk_leg_eof(B.leg);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_str_eq(own_hear(&W), "");
	peer_free(&B);
	world_run(&W, 4000);
	ready(&B, "b");
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":1,"));
}
END_TEST

/* A call held elsewhere for most of its time has only the rest here. */
START_TEST(test_budget_bounds_every_wait)
{
	struct gk_mcp_act act;
	const char *call = CALL("1", "tab_list", "{}");

	ck_assert_int_eq(gk_mcp_line(W.mcp, call, strlen(call), &act), 0);
	ck_assert_int_eq(gk_mcp_keep(act.call), 0);
	world_run(&W, 1000 + 119000);
	ck_assert_int_eq(gk_broker_call(W.own, act.call, NULL), 0);
	world_run(&W, 1000 + 119999);
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 1000 + 120000);
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "no reply within 120 s");
}
END_TEST

START_TEST(test_deadline_past_before_the_write)
{
	struct gk_mcp_act act;
	const char *call = CALL("1", "tab_list", "{}");

	ready(&B, "b");
	ck_assert_int_eq(gk_mcp_line(W.mcp, call, strlen(call), &act), 0);
	ck_assert_int_eq(gk_mcp_keep(act.call), 0);
	world_run(&W, 1000 + 120000);
	ck_assert_int_eq(gk_broker_call(W.own, act.call, NULL), 0);
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "0 s");
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

START_TEST(test_120_s_and_then_a_cancel)
{
	ready(&B, "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&B);
	world_run(&W, 120999);
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_str_eq(hear(&B), "");
	world_run(&W, 121000);
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "no reply within 120 s");
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
	ck_assert_str_eq(hear(&B), "");
	ck_assert(!closed(&B));
}
END_TEST

START_TEST(test_extension_that_never_spoke)
{
	browser(&W, &B, "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	world_run(&W, 4000);
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":1,"));
	world_run(&W, 121000);
	ck_fails(own_hear(&W), "EXTENSION_NOT_READY", "browser b");
	ck_assert_ptr_nonnull(strstr(W.heard, "120 s"));
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
}
END_TEST

/* Wire 9.2, the write: what has not begun by its deadline is withdrawn. */
START_TEST(test_request_that_was_not_begun_is_withdrawn)
{
	ready(&B, "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	world_run(&W, 61000);
	own_say(&W, CALL("2", "tab_focus", "{\"tabId\":5}"));
	world_run(&W, 121000);
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "\"id\":1");
	/* no cancel for what was never seen, and the rest stands */
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":2,"));
	ck_assert_str_eq(hear(&B), "");
	ck_assert(!closed(&B));
}
END_TEST

START_TEST(test_torn_request_severs_at_its_deadline)
{
	ready(&B, "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	world_run(&W, 2000);
	own_say(&W, CALL("2", "tab_list", "{}"));
	swallow(&B, 1);
	world_run(&W, 120999);
	ck_assert(!closed(&B));
	world_run(&W, 121000);
	ck_assert(closed(&B));
	/* the other one was on the same leg */
	ck_fails(own_hear(&W), "CONNECTION_LOST", "\"id\":2");
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "\"id\":1");
	ck_assert_uint_eq(gk_broker_browsers(W.b), 0);
}
END_TEST

START_TEST(test_requests_go_out_in_order_whatever_they_waited_for)
{
	int i, id;

	own_say(&W, CALL("1", "tab_list", "{}"));	/* any browser */
	browser(&W, &B, "b");
	own_say(&W, CALL("2", "tab_list", "{}"));	/* first frame */
	hello(&B, "\"tab_control\"");
	own_say(&W, CALL("3", "tab_list", "{}"));
	for (i = 1; i <= 3; i++) {
		ck_assert_int_eq(sscanf(hear(&B), "{\"id\":%d,", &id), 1);
		ck_assert_int_eq(id, i);
	}
}
END_TEST

/* The wait is over by the clock, but its turn has not come yet. */
START_TEST(test_later_call_does_not_overtake_those_that_wait)
{
	browser(&W, &B, "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	gk_test_time(&W.t, 4500);
	own_say(&W, CALL("2", "tab_list", "{}"));
	world_time(&W, 4500);
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":1,"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":2,"));
}
END_TEST

START_TEST(test_other_browsers_are_not_held_up)
{
	browser(&W, &B, "b");
	ready(&C, "c");
	own_say(&W, CALL("1", "tab_list", "{\"browser\":\"b\"}"));
	own_say(&W, CALL("2", "tab_list", "{\"browser\":\"c\"}"));
	ck_assert_str_eq(hear(&B), "");
	ck_assert_ptr_nonnull(strstr(hear(&C), "\"id\":2,"));
	tell(&C, "{\"id\":2,\"ok\":true}");
	ck_assert_str_eq(own_hear(&W), TEXT("2", "null"));
}
END_TEST

/* Gate 9. */
START_TEST(test_request_over_the_bridge_cap)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"page_fill\",\"arguments\":"
	    "{\"value\":\"";
	size_t n = GK_BRIDGE_LINE_MAX, frame;
	char *line = malloc(n + 200);
	int d;

	browser(&W, &B, "b");
	tell(&B, "{\"id\":44,\"ok\":true}");
	frame = strlen("{\"id\":1,\"op\":\"page_fill\",\"browser\":\"b\","
	    "\"args\":{\"value\":\"\"}}\n");
	for (d = -1; d <= 1; d++) {
		n = (size_t)(GK_BRIDGE_LINE_MAX + d) - frame;
		memcpy(line, head, sizeof(head) - 1);
		memset(line + sizeof(head) - 1, 'x', n);
		strcpy(line + sizeof(head) - 1 + n, "\"}}}");
		own_say(&W, line);
		if (d <= 0) {
			const void *p;
			size_t len;

			ck_assert_str_eq(own_hear(&W), "");
			ck_assert_int_eq(gk_leg_output(B.leg, &p, &len), 1);
			ck_assert_uint_eq(len,
			    (size_t)(GK_BRIDGE_LINE_MAX + d));
			gk_leg_wrote(B.leg, len);
			tellf(&B, "{\"id\":%d,\"ok\":true}", d + 2);
			own_hear(&W);
		} else
			ck_fails(own_hear(&W), "PAYLOAD_TOO_LARGE",
			    "limit of 67108864 bytes");
	}
	free(line);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("route");
	TCase *tc = tcase_create("route");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_route_row, 0, GK_ARRAY_LEN(routes));
	tcase_add_test(tc, test_foreign_label_is_quoted_up_to_256_bytes);
	tcase_add_test(tc, test_12_s_for_any_browser);
	tcase_add_test(tc, test_any_browser_ends_the_wait);
	tcase_add_test(tc, test_no_wait_while_a_label_is_live);
	tcase_add_test(tc, test_wait_begins_again_for_later_calls);
	tcase_add_test(tc, test_budget_bounds_every_wait);
	tcase_add_test(tc, test_deadline_past_before_the_write);
	tcase_add_test(tc, test_120_s_and_then_a_cancel);
	tcase_add_test(tc, test_extension_that_never_spoke);
	tcase_add_test(tc, test_request_that_was_not_begun_is_withdrawn);
	tcase_add_test(tc, test_torn_request_severs_at_its_deadline);
	tcase_add_test(tc,
	    test_requests_go_out_in_order_whatever_they_waited_for);
	tcase_add_test(tc,
	    test_later_call_does_not_overtake_those_that_wait);
	tcase_add_test(tc, test_other_browsers_are_not_held_up);
	tcase_add_test(tc, test_request_over_the_bridge_cap);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
