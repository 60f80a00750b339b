/* list_browsers: wire 9.5. */
#include "broker_world.h"

static struct world W;
static struct peer P[16];

static void
setup(void)
{
	world_init(&W);
	world_own(&W);
}

static void
teardown(void)
{
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(P); i++)
		peer_free(&P[i]);
	world_done(&W);
}

static void
ready(struct peer *p, const char *label)
{
	browser(&W, p, label);
	hello(p, "\"tab_control\"");
}

/* The id of the probe that the browser heard. */
static int
probe(struct peer *p, const char *label)
{
	char want[256];
	int id = 0;

	hear(p);
	ck_assert_int_eq(sscanf(p->line, "{\"id\":%d,", &id), 1);
	snprintf(want, sizeof(want), "{\"id\":%d,\"op\":\"tab_list\","
	    "\"browser\":\"%s\",\"args\":{}}", id, label);
	ck_assert_str_eq(p->line, want);
	return id;
}

#define LIST	CALL("1", "list_browsers", "{}")
#define LISTED(n, entries) TEXT("1", "{\\\"count\\\":" #n \
	",\\\"browsers\\\":[" entries "]}")
#define TABS(label, n) "{\\\"label\\\":\\\"" label "\\\",\\\"tabCount\\\":" #n "}"

START_TEST(test_nothing_attached_is_empty_at_once)
{
	own_say(&W, LIST);
	ck_assert_str_eq(own_hear(&W), LISTED(0, ""));
	ck_assert_str_eq(audited(&W, 1),
	    "tool_call ok list_browsers - - - 1 -1 0ms");
}
END_TEST

START_TEST(test_sorted_and_asked_all_at_once)
{
	int a, b;

	ready(&P[0], "b");
	ready(&P[1], "a");
	own_say(&W, LIST);
	b = probe(&P[0], "b");
	a = probe(&P[1], "a");
	ck_assert_int_ne(a, b);
	ck_assert_int_gt(a, 1);
	ck_assert_int_gt(b, 1);
	tellf(&P[0], "{\"id\":%d,\"ok\":true,\"data\":[1,[2,3],{}]}", b);
	ck_assert_str_eq(own_hear(&W), "");
	tellf(&P[1], "{\"id\":%d,\"ok\":true,\"data\":[]}", a);
	ck_assert_str_eq(own_hear(&W), LISTED(2, TABS("a", 0) ","
	    TABS("b", 3)));
	/* one record, for the call alone */
	ck_assert_uint_eq(audits(&W, "tool_call"), 1);
	ck_assert_uint_eq(gk_mcp_inflight(W.mcp), 0);
}
END_TEST

static const struct {
	const char	*reply;		/* of the probe, behind its id */
	const char	*entry;
} probes[] = {
	{ "\"ok\":true,\"data\":[{}]", TABS("b", 1) },
	{ "\"ok\":true,\"data\":{\"length\":5}", TABS("b", null) },
	{ "\"ok\":true", TABS("b", null) },
	{ "\"ok\":true,\"data\":\"[1]\"", TABS("b", null) },
	{ "\"ok\":false,\"error\":\"no \\\"x\\\"\",\"code\":\"TOOL_DISABLED\"",
	    "{\\\"label\\\":\\\"b\\\",\\\"tabCount\\\":null,\\\"error\\\":"
	    "\\\"TOOL_DISABLED: no \\\\\\\"x\\\\\\\"\\\"}" },
	{ "\"ok\":false,\"error\":\"\"", "{\\\"label\\\":\\\"b\\\","
	    "\\\"tabCount\\\":null,\\\"error\\\":\\\"EXECUTION_FAILED: \\\"}" },
};

START_TEST(test_probe_row)
{
	char want[512];
	int id;

	ready(&P[0], "b");
	own_say(&W, LIST);
	id = probe(&P[0], "b");
	tellf(&P[0], "{\"id\":%d,%s}", id, probes[_i].reply);
	snprintf(want, sizeof(want), TEXT("1", "{\\\"count\\\":1,"
	    "\\\"browsers\\\":[%s]}"), probes[_i].entry);
	ck_assert_str_eq(own_hear(&W), want);
}
END_TEST

START_TEST(test_five_seconds_for_each)
{
	int id;

	ready(&P[0], "a");
	ready(&P[1], "b");
	own_say(&W, LIST);
	id = probe(&P[0], "a");
	probe(&P[1], "b");
	tellf(&P[0], "{\"id\":%d,\"ok\":true,\"data\":[]}", id);
	world_run(&W, 5999);
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 6000);
	ck_assert_str_eq(own_hear(&W), LISTED(2, TABS("a", 0) ","
	    "{\\\"label\\\":\\\"b\\\",\\\"tabCount\\\":null,\\\"error\\\":"
	    "\\\"RESPONSE_TIMEOUT: no reply within 5 s\\\"}"));
	ck_assert_str_eq(hear(&P[0]), "");
	ck_assert_ptr_nonnull(strstr(hear(&P[1]), "\"cancel\""));
}
END_TEST

/* The hello wait is inside the five seconds. */
START_TEST(test_mute_browser)
{
	browser(&W, &P[0], "b");
	own_say(&W, LIST);
	ck_assert_str_eq(hear(&P[0]), "");
	world_run(&W, 4000);
	probe(&P[0], "b");
	world_run(&W, 6000);
	ck_assert_ptr_nonnull(strstr(own_hear(&W),
	    "\\\"error\\\":\\\"EXTENSION_NOT_READY: "));
}
END_TEST

START_TEST(test_lost_browser_is_an_entry)
{
	int id;

	ready(&P[0], "a");
	ready(&P[1], "b");
	own_say(&W, LIST);
	id = probe(&P[1], "b");
	gk_leg_eof(P[0].leg);
	ck_assert_str_eq(own_hear(&W), "");
	tellf(&P[1], "{\"id\":%d,\"ok\":true,\"data\":[0]}", id);
	ck_assert_ptr_nonnull(strstr(own_hear(&W), "{\\\"count\\\":2,"));
	ck_assert_ptr_nonnull(strstr(W.heard, "{\\\"label\\\":\\\"a\\\","
	    "\\\"tabCount\\\":null,\\\"error\\\":\\\"CONNECTION_LOST: "));
	ck_assert_ptr_nonnull(strstr(W.heard, TABS("b", 1)));
}
END_TEST

START_TEST(test_probe_that_policy_disables_is_not_sent)
{
	ready(&P[0], "b");
	world_write(&W, GK_RECORD_POLICY, DISABLES("\"tab_list\""));
	own_say(&W, LIST);
	ck_assert_ptr_nonnull(strstr(own_hear(&W),
	    "\\\"tabCount\\\":null,\\\"error\\\":\\\"TOOL_DISABLED: "));
	ck_assert_str_eq(hear(&P[0]), "");
}
END_TEST

START_TEST(test_browser_without_the_capability)
{
	browser(&W, &P[0], "b");
	hello(&P[0], "\"page_read\"");
	own_say(&W, LIST);
	ck_assert_ptr_nonnull(strstr(own_hear(&W),
	    "\\\"error\\\":\\\"TOOL_DISABLED: tab_list needs the capability"));
	peer_free(&P[0]);
	browser(&W, &P[0], "b");
	tell(&P[0], "{\"type\":\"hello\",\"protocol\":2}");
	own_say(&W, LIST);
	ck_assert_ptr_nonnull(strstr(own_hear(&W),
	    "\\\"error\\\":\\\"PROTOCOL_MISMATCH: "));
}
END_TEST

START_TEST(test_kill_in_the_hello_wait)
{
	browser(&W, &P[0], "b");
	own_say(&W, LIST);
	world_write(&W, GK_RECORD_TRUST, KILLED);
	hello(&P[0], "\"tab_control\"");
	ck_assert_ptr_nonnull(strstr(own_hear(&W),
	    "\\\"error\\\":\\\"BRIDGE_KILLED: "));
}
END_TEST

START_TEST(test_cancelled_list_cancels_its_probes)
{
	int a, b;

	ready(&P[0], "a");
	ready(&P[1], "b");
	browser(&W, &P[2], "c");
	own_say(&W, LIST);
	a = probe(&P[0], "a");
	b = probe(&P[1], "b");
	tellf(&P[0], "{\"id\":%d,\"ok\":true,\"data\":[]}", a);
	own_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_str_eq(hear(&P[0]), "");
	hear(&P[1]);
	ck_assert_ptr_nonnull(strstr(P[1].line, "\"cancel\""));
	hello(&P[2], "\"tab_control\"");
	ck_assert_str_eq(hear(&P[2]), "");
	/* late */
	tellf(&P[1], "{\"id\":%d,\"ok\":true,\"data\":[]}", b);
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 10000);
	ck_assert_str_eq(own_hear(&W), "");
}
END_TEST

START_TEST(test_sixteen_browsers)
{
	char label[16];
	int i, id;

	for (i = 0; i < 16; i++) {
		snprintf(label, sizeof(label), "b%02d", 15 - i);
		ready(&P[i], label);
	}
	own_say(&W, LIST);
	for (i = 0; i < 16; i++) {
		snprintf(label, sizeof(label), "b%02d", 15 - i);
		id = probe(&P[i], label);
		tellf(&P[i], "{\"id\":%d,\"ok\":true,\"data\":[]}", id);
	}
	ck_assert_ptr_nonnull(strstr(own_hear(&W), "{\\\"count\\\":16,"
	    "\\\"browsers\\\":[" TABS("b00", 0) "," TABS("b01", 0)));
}
END_TEST

START_TEST(test_supersession_while_listing)
{
	int id;

	ready(&P[0], "b");
	own_say(&W, LIST);
	id = probe(&P[0], "b");
	ready(&P[1], "b");
	ck_assert_ptr_nonnull(strstr(own_hear(&W), "CONNECTION_LOST"));
	tellf(&P[1], "{\"id\":%d,\"ok\":true,\"data\":[]}", id);
	ck_assert(!closed(&P[1]));
	ck_assert_str_eq(own_hear(&W), "");
}
END_TEST

/* A call held for most of its time: the whole ends at its own deadline. */
START_TEST(test_whole_call_has_its_deadline_too)
{
	struct gk_mcp_act act;

	ck_assert_int_eq(gk_mcp_line(W.mcp, LIST, strlen(LIST), &act), 0);
	ck_assert_int_eq(gk_mcp_keep(act.call), 0);
	world_run(&W, 118000);
	ready(&P[0], "b");
	ck_assert_int_eq(gk_broker_call(W.own, act.call, NULL), 0);
	probe(&P[0], "b");
	world_run(&W, 121000);
	ck_fails(own_hear(&W), "RESPONSE_TIMEOUT", "120 s");
	ck_assert_ptr_nonnull(strstr(hear(&P[0]), "\"cancel\""));
	world_run(&W, 130000);
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_str_eq(hear(&P[0]), "");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("listing");
	TCase *tc = tcase_create("listing");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_nothing_attached_is_empty_at_once);
	tcase_add_test(tc, test_sorted_and_asked_all_at_once);
	tcase_add_loop_test(tc, test_probe_row, 0, GK_ARRAY_LEN(probes));
	tcase_add_test(tc, test_five_seconds_for_each);
	tcase_add_test(tc, test_mute_browser);
	tcase_add_test(tc, test_lost_browser_is_an_entry);
	tcase_add_test(tc, test_probe_that_policy_disables_is_not_sent);
	tcase_add_test(tc, test_browser_without_the_capability);
	tcase_add_test(tc, test_kill_in_the_hello_wait);
	tcase_add_test(tc, test_cancelled_list_cancels_its_probes);
	tcase_add_test(tc, test_sixteen_browsers);
	tcase_add_test(tc, test_supersession_while_listing);
	tcase_add_test(tc, test_whole_call_has_its_deadline_too);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
