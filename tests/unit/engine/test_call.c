/* How calls end and who is told: wire 8.4, 9.4. */
#include "broker_world.h"

static struct world W;
static struct peer B, R, S;

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
	peer_free(&R);
	peer_free(&S);
	world_done(&W);
}

static void
ready(void)
{
	browser(&W, &B, "b");
	hello(&B, "\"tab_control\"");
}

#define CANCELLED(id) "{\"jsonrpc\":\"2.0\",\"method\":" \
	"\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"
#define CANCEL(id) "{\"type\":\"cancel\",\"id\":" id "}"

START_TEST(test_request_as_8_2_has_it)
{
	browser(&W, &B, "Brave-2");
	tell(&B, "{\"id\":44,\"ok\":true}");
	own_say(&W, CALL("\"x\"", "page_fill", "{ \"browser\":\"Brave-2\","
	    "\"value\" : \"\\u00e9\\u0000\" , \"tabId\":7 }"));
	ck_assert_str_eq(hear(&B), "{\"id\":1,\"op\":\"page_fill\","
	    "\"browser\":\"Brave-2\",\"args\":{\"value\":\"\u00e9\\u0000\","
	    "\"tabId\":7}}");
}
END_TEST

START_TEST(test_replies_come_in_the_order_of_completion)
{
	ready();
	own_say(&W, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("2", "tab_list", "{}"));
	own_say(&W, CALL("3", "tab_list", "{}"));
	tell(&B, "{\"id\":3,\"ok\":true,\"data\":3}");
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	own_say(&W, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}");
	tell(&B, "{\"id\":2,\"ok\":true,\"data\":2}");
	ck_assert_str_eq(own_hear(&W), TEXT("3", "3"));
	ck_assert_str_eq(own_hear(&W), TEXT("1", "1"));
	ck_assert_ptr_nonnull(strstr(own_hear(&W), "\"id\":9,\"result\":{}"));
	ck_assert_str_eq(own_hear(&W), TEXT("2", "2"));
}
END_TEST

/* One row for each place where a call can be when it is cancelled. */
static const struct {
	const char	*where;
	const char	*heard;		/* by the browser, after the request */
} places[] = {
	{ "browser", "" },		/* nobody to tell */
	{ "hello", "" },		/* nothing went out */
	{ "queued", "" },		/* withdrawn */
	{ "torn", CANCEL("1") },	/* behind the rest of its frame */
	{ "sent", CANCEL("1") },
};

static void
put_call(const char *where)
{
	bool before = strcmp(where, "browser") == 0;

	if (!before)
		browser(&W, &B, "b");
	if (!before && strcmp(where, "hello") != 0)
		hello(&B, "\"tab_control\"");
	own_say(&W, CALL("1", "tab_list", "{}"));
	if (strcmp(where, "torn") == 0)
		swallow(&B, 3);
	if (strcmp(where, "sent") == 0)
		hear(&B);
}

START_TEST(test_cancelled_row)
{
	const char *where = places[_i].where;

	put_call(where);
	own_say(&W, CANCELLED("1"));
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_int_eq(strncmp(audited(&W, 1), "tool_call error tab_list - ",
	    27), 0);
	ck_assert_ptr_nonnull(strstr(audited(&W, 1), " cancelled 1 "));
	if (strcmp(where, "browser") == 0)
		browser(&W, &B, "b");
	if (strcmp(where, "browser") == 0 || strcmp(where, "hello") == 0)
		hello(&B, "\"tab_control\"");
	if (strcmp(where, "torn") == 0)
		ck_assert_str_eq(hear(&B), "d\":1,\"op\":\"tab_list\","
		    "\"browser\":\"b\",\"args\":{}}");
	ck_assert_str_eq(hear(&B), places[_i].heard);
	ck_assert_str_eq(hear(&B), "");
	/* at most one, and never again */
	own_say(&W, CANCELLED("1"));
	world_run(&W, 200000);
	ck_assert_str_eq(hear(&B), "");
	ck_assert_str_eq(own_hear(&W), "");
	/* the id is free */
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"id\":2,"));
}
END_TEST

START_TEST(test_leg_lost_row)
{
	const char *where = places[_i].where;

	put_call(where);
	if (strcmp(where, "browser") == 0)
		return;		/* it has no leg */
	gk_leg_broken(B.leg);
	ck_fails(own_hear(&W), "CONNECTION_LOST", "browser b");
	ck_assert_ptr_nonnull(strstr(W.heard, strcmp(where, "sent") == 0 ?
	    "waiting for its reply" : "before the request was written"));
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert(closed(&B));
	ck_assert_str_eq(hear(&B), "");
	ck_assert_int_eq(strncmp(audited(&W, 1),
	    "tool_call error tab_list CONNECTION_LOST b - 1 1", 47), 0);
}
END_TEST

START_TEST(test_client_gone_row)
{
	const char *where = places[_i].where;

	/* the same through a relay that dies */
	relay(&W, &R, NULL);
	client_open(&R);
	if (strcmp(where, "browser") != 0)
		browser(&W, &B, "b");
	if (strcmp(where, "browser") != 0 && strcmp(where, "hello") != 0)
		hello(&B, "\"tab_control\"");
	ck_assert(tell(&R, CALL("1", "tab_list", "{}")));
	if (strcmp(where, "torn") == 0)
		swallow(&B, 3);
	if (strcmp(where, "sent") == 0)
		hear(&B);
	gk_leg_broken(R.leg);
	ck_assert(closed(&R));
	ck_assert_uint_eq(audits(&W, "tool_call error tab_list - "), 1);
	if (strcmp(where, "browser") == 0)
		return;
	if (strcmp(where, "torn") == 0)
		hear(&B);
	ck_assert_str_eq(hear(&B), places[_i].heard);
	ck_assert_str_eq(hear(&B), "");
	ck_assert(!closed(&B));
}
END_TEST

/* A reply that meets its cancel half way is late; neither harms. */
START_TEST(test_reply_crosses_cancel)
{
	ready();
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&B);
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	own_say(&W, CANCELLED("1"));
	ck_assert_str_eq(own_hear(&W), TEXT("1", "1"));
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

START_TEST(test_reply_at_the_very_deadline)
{
	ready();
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&B);
	world_run(&W, 120999);
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	ck_assert_str_eq(own_hear(&W), TEXT("1", "1"));
	world_run(&W, 130000);
	ck_assert_str_eq(own_hear(&W), "");
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

/* A browser that answers before it can have read the request. */
START_TEST(test_reply_before_the_write_is_taken_and_the_request_withdrawn)
{
	ready();
	own_say(&W, CALL("1", "tab_list", "{}"));
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":1}");
	ck_assert_str_eq(own_hear(&W), TEXT("1", "1"));
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

START_TEST(test_kill_ends_calls_within_one_sweep_without_a_cancel)
{
	ready();
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&B);
	world_write(&W, GK_RECORD_TRUST, KILLED);
	world_run(&W, 1999);
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 2000);
	ck_fails(own_hear(&W), "CONNECTION_LOST", "");
	ck_assert(closed(&B));
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

/* Two clients use the same ids; each gets its own answer. */
START_TEST(test_ids_of_clients_do_not_cross)
{
	ready();
	relay(&W, &R, NULL);
	relay(&W, &S, NULL);
	client_open(&R);
	client_open(&S);
	tell(&R, CALL("1", "tab_list", "{}"));
	tell(&S, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("1", "tab_list", "{}"));
	tell(&B, "{\"id\":2,\"ok\":true,\"data\":\"S\"}");
	tell(&B, "{\"id\":3,\"ok\":true,\"data\":\"own\"}");
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":\"R\"}");
	ck_assert_str_eq(hear(&R), TEXT("1", "\\\"R\\\""));
	ck_assert_str_eq(hear(&S), TEXT("1", "\\\"S\\\""));
	ck_assert_str_eq(own_hear(&W), TEXT("1", "\\\"own\\\""));
	/* a cancel reaches the calls of its own connection alone */
	tell(&R, CALL("5", "tab_list", "{}"));
	hear(&B), hear(&B), hear(&B), hear(&B);
	tell(&S, CANCELLED("5"));
	ck_assert_str_eq(hear(&B), "");
	tell(&R, CANCELLED("5"));
	ck_assert_str_eq(hear(&B), CANCEL("4"));
}
END_TEST

START_TEST(test_release_cancels_what_is_in_flight)
{
	ready();
	relay(&W, &R, NULL);	/* so that the broker stays */
	own_say(&W, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("2", "tab_list", "{}"));
	hear(&B), hear(&B);
	gk_broker_release(W.own);
	ck_assert_str_eq(hear(&B), CANCEL("1"));
	ck_assert_str_eq(hear(&B), CANCEL("2"));
	ck_assert_str_eq(own_hear(&W), "");
}
END_TEST

START_TEST(test_a_thousand_calls_in_a_row)
{
	char call[256];
	int i;

	ready();
	for (i = 1; i <= 1000; i++) {
		snprintf(call, sizeof(call), CALL("%d", "tab_list", "{}"), i);
		own_say(&W, call);
		hear(&B);
		tellf(&B, "{\"id\":%d,\"ok\":true,\"data\":%d}", i, i);
		snprintf(call, sizeof(call), TEXT("%d", "%d"), i, i);
		ck_assert_str_eq(own_hear(&W), call);
		W.naudit = 0;
	}
	ck_assert_uint_eq(gk_mcp_inflight(W.mcp), 0);
}
END_TEST

/* Out of memory anywhere in a call: it ends, nothing is lost or leaks, and
 * the broker serves the next one. */
START_TEST(test_lack_of_memory_anywhere)
{
	size_t n, missed = 0;
	int id = 0;
	char call[256];

	ready();
	for (n = 1; n < 60; n++) {
		snprintf(call, sizeof(call), CALL("%zu", "tab_list",
		    "{\"browser\":\"b\"}"), n);
		W.t.fail_at = n;
		W.t.fail_after = false;
		own_say(&W, call);
		if (sscanf(hear(&B), "{\"id\":%d", &id) == 1)
			tellf(&B, "{\"id\":%d,\"ok\":true,\"data\":[]}", id);
		missed += W.t.fail_at != 0;
		W.t.fail_at = 0;
		if (closed(&B)) {
			peer_free(&B);
			ready();
		}
		own_hear(&W);
		if (gk_mcp_error(W.mcp) < 0) {
			/* the connection is beyond repair; a new one is not */
			gk_broker_release(W.own);
			gk_mcp_free(W.mcp);
			gk_outq_clear(&W.out);
			/* the broker had no other client: it would leave */
			ck_assert_int_eq(gk_broker_next(W.b),
			    GK_BROKER_LEAVE);
			peer_free(&B);
			gk_broker_free(W.b);
			W.b = gk_broker_new(W.t.ctx, &W.store);
			world_own(&W);
			ready();
			continue;
		}
		ck_assert_ptr_nonnull(strstr(W.heard, "\"jsonrpc\""));
		ck_assert_uint_eq(gk_mcp_inflight(W.mcp), 0);
		W.naudit = 0;
	}
	ck_assert_uint_gt(missed, 5);
	own_say(&W, CALL("\"z\"", "tab_list", "{}"));
	ck_assert_int_eq(sscanf(hear(&B), "{\"id\":%d", &id), 1);
	tellf(&B, "{\"id\":%d,\"ok\":true,\"data\":[]}", id);
	ck_assert_str_eq(own_hear(&W), TEXT("\"z\"", "[]"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("call");
	TCase *tc = tcase_create("call");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_request_as_8_2_has_it);
	tcase_add_test(tc, test_replies_come_in_the_order_of_completion);
	tcase_add_loop_test(tc, test_cancelled_row, 0, GK_ARRAY_LEN(places));
	tcase_add_loop_test(tc, test_leg_lost_row, 0, GK_ARRAY_LEN(places));
	tcase_add_loop_test(tc, test_client_gone_row, 0,
	    GK_ARRAY_LEN(places));
	tcase_add_test(tc, test_reply_crosses_cancel);
	tcase_add_test(tc, test_reply_at_the_very_deadline);
	tcase_add_test(tc,
	    test_reply_before_the_write_is_taken_and_the_request_withdrawn);
	tcase_add_test(tc,
	    test_kill_ends_calls_within_one_sweep_without_a_cancel);
	tcase_add_test(tc, test_ids_of_clients_do_not_cross);
	tcase_add_test(tc, test_release_cancels_what_is_in_flight);
	tcase_add_test(tc, test_a_thousand_calls_in_a_row);
	tcase_add_test(tc, test_lack_of_memory_anywhere);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
