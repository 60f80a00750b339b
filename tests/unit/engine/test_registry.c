/* Live labels and generations: wire 8.1, and ids that could cross. */
#include "broker_world.h"

static struct world W;
static struct peer P[20];

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

/* A browser that has said hello. */
static void
ready(struct peer *p, const char *label)
{
	browser(&W, p, label);
	hello(p, "\"tab_control\"");
}

START_TEST(test_browser_without_a_label_is_default)
{
	browser(&W, &P[0], NULL);
	hello(&P[0], "\"tab_control\"");
	own_say(&W, CALL("1", "tab_list", "{\"browser\":\"default\"}"));
	ck_assert_str_eq(hear(&P[0]), "{\"id\":1,\"op\":\"tab_list\","
	    "\"browser\":\"default\",\"args\":{}}");
	/* and shares the slot with one that says so */
	browser(&W, &P[1], "default");
	ck_assert(closed(&P[0]));
	ck_assert_uint_eq(gk_broker_browsers(W.b), 1);
}
END_TEST

START_TEST(test_attach_under_a_live_label_always_wins)
{
	ready(&P[0], "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	hear(&P[0]);
	browser(&W, &P[1], "b");
	/* both ways: EOF for the old one, and its calls are lost */
	ck_assert(closed(&P[0]));
	ck_fails(own_hear(&W), "CONNECTION_LOST",
	    "lost while waiting for its reply");
	/* no cancel on any leg: the operation ended with its port */
	ck_assert_str_eq(hear(&P[0]), "");
	ck_assert_str_eq(hear(&P[1]), "");
	hello(&P[1], "\"tab_control\"");
	own_say(&W, CALL("2", "tab_list", "{}"));
	ck_assert_ptr_nonnull(strstr(hear(&P[1]), "\"id\":2,"));
	/* what the old leg still says is dropped */
	tell(&P[0], "{\"id\":2,\"ok\":true,\"data\":\"forged\"}");
	ck_assert_str_eq(own_hear(&W), "");
	tell(&P[1], "{\"id\":2,\"ok\":true,\"data\":\"real\"}");
	ck_assert_str_eq(own_hear(&W), TEXT("2", "\\\"real\\\""));
}
END_TEST

/* The end of a leg that was superseded must not clear the slot. */
START_TEST(test_old_leg_clears_only_its_own_generation)
{
	ready(&P[0], "b");
	ready(&P[1], "b");
	gk_leg_eof(P[0].leg);
	gk_leg_broken(P[0].leg);
	peer_free(&P[0]);
	ck_assert_uint_eq(gk_broker_browsers(W.b), 1);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_ptr_nonnull(strstr(hear(&P[1]), "\"id\":1,"));
	gk_leg_eof(P[1].leg);
	ck_assert_uint_eq(gk_broker_browsers(W.b), 0);
}
END_TEST

/* 1 for the first registration in a broker's life, one more for each. */
START_TEST(test_generations_count_registrations)
{
	int i;

	for (i = 0; i < 3; i++) {
		ready(&P[i], i == 1 ? "c" : "b");
		own_say(&W, i == 1 ? CALL("1", "tab_list",
		    "{\"browser\":\"c\"}") : CALL("1", "tab_list",
		    "{\"browser\":\"b\"}"));
		hear(&P[i]);
		tellf(&P[i], "{\"id\":%d,\"ok\":true}", i + 1);
		ck_assert_str_eq(own_hear(&W), TEXT("1", "null"));
	}
	ck_assert_str_eq(audited(&W, 1),
	    "tool_call ok tab_list - b - 3 3 0ms");
	ck_assert_uint_eq(audits(&W, "tool_call ok tab_list - c - 2 2"), 1);
	ck_assert_uint_eq(audits(&W, "tool_call ok tab_list - b - 1 1"), 1);
}
END_TEST

START_TEST(test_reply_to_another_browsers_request_severs)
{
	ready(&P[0], "b");
	ready(&P[1], "c");
	own_say(&W, CALL("1", "tab_list", "{\"browser\":\"b\"}"));
	own_say(&W, CALL("2", "tab_list", "{\"browser\":\"c\"}"));
	tell(&P[1], "{\"id\":1,\"ok\":true,\"data\":\"stolen\"}");
	ck_assert(closed(&P[1]));
	ck_assert(!closed(&P[0]));
	/* its own calls are lost, the other's stand */
	ck_fails(own_hear(&W), "CONNECTION_LOST", "browser c");
	ck_assert_str_eq(own_hear(&W), "");
	tell(&P[0], "{\"id\":1,\"ok\":true,\"data\":\"own\"}");
	ck_assert_str_eq(own_hear(&W), TEXT("1", "\\\"own\\\""));
}
END_TEST

START_TEST(test_waiting_for_another_browsers_request_severs)
{
	ready(&P[0], "b");
	ready(&P[1], "c");
	own_say(&W, CALL("1", "tab_list", "{\"browser\":\"b\"}"));
	tell(&P[1], "{\"type\":\"waiting\",\"id\":1}");
	ck_assert(closed(&P[1]));
	ck_assert(!closed(&P[0]));
}
END_TEST

/* A request of an earlier generation of the same label. */
START_TEST(test_reply_to_an_earlier_generation_is_late)
{
	ready(&P[0], "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	ready(&P[1], "b");
	ck_fails(own_hear(&W), "CONNECTION_LOST", "");
	tell(&P[1], "{\"id\":1,\"ok\":true,\"data\":1}");
	ck_assert(!closed(&P[1]));
	ck_assert_str_eq(own_hear(&W), "");
}
END_TEST

START_TEST(test_labels_are_sorted_bytewise)
{
	static const char *const label[] = {
		"b", "B", "a-1", "a", "_", "Z9", "a.1", "10", "9"
	};
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(label); i++)
		if (label[i][0] != '_')
			browser(&W, &P[i], label[i]);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "BROWSER_AMBIGUOUS",
	    ": 10, 9, B, Z9, a, a-1, a.1, b; ");
	gk_leg_eof(P[0].leg);
	gk_leg_eof(P[7].leg);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "BROWSER_AMBIGUOUS",
	    ": 9, B, Z9, a, a-1, a.1; ");
}
END_TEST

/* Two workers of one browser that take turns: each call meets the end of the
 * leg that it went out on, and nothing else. */
START_TEST(test_alternating_workers)
{
	char call[256];
	int i;

	for (i = 0; i < 100; i++) {
		peer_free(&P[i % 2]);
		ready(&P[i % 2], "b");
		if (i > 0) {
			ck_assert(closed(&P[(i + 1) % 2]));
			snprintf(call, sizeof(call), "\"id\":%d,", i - 1);
			ck_fails(own_hear(&W), "CONNECTION_LOST", call);
		}
		ck_assert_str_eq(own_hear(&W), "");
		snprintf(call, sizeof(call), CALL("%d", "tab_list", "{}"), i);
		own_say(&W, call);
	}
	ck_assert_uint_eq(gk_broker_browsers(W.b), 1);
	tell(&P[1], "{\"id\":100,\"ok\":true}");
	ck_assert_str_eq(own_hear(&W), TEXT("99", "null"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("registry");
	TCase *tc = tcase_create("registry");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_browser_without_a_label_is_default);
	tcase_add_test(tc, test_attach_under_a_live_label_always_wins);
	tcase_add_test(tc, test_old_leg_clears_only_its_own_generation);
	tcase_add_test(tc, test_generations_count_registrations);
	tcase_add_test(tc, test_reply_to_another_browsers_request_severs);
	tcase_add_test(tc, test_waiting_for_another_browsers_request_severs);
	tcase_add_test(tc, test_reply_to_an_earlier_generation_is_late);
	tcase_add_test(tc, test_labels_are_sorted_bytewise);
	tcase_add_test(tc, test_alternating_workers);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
