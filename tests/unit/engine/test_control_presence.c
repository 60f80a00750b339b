/* Clicks, acts of a page, and what becomes of requests.  control 6.5 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "webauthn_world.h"

/* -------------------------------------------------------------- the window */

START_TEST(test_an_enrolled_browser_is_never_downgraded_to_a_click)
{
	const char *request;

	/* Asked when there was none, answered when there is one. */
	record(true, "");
	request = kept(answer(RELEASE));
	enrolled(true, &mine, "chrome", NULL, NULL);
	REFUSED(click(request), "software_confirmation_not_allowed: use "
	    "`genkan unkill` at a terminal");
	/* Another browser's credential takes nothing away from this one. */
	enrolled(true, &mine, "edge", NULL, NULL);
	request = kept(answer(RELEASE));
	ck_assert_ptr_nonnull(strstr(request,
	    "\"allowed_credential_ids\":[]"));
	ck_assert_str_eq(answer(click(request)), OK KILL_OFF);
}
END_TEST

/* 6.5, "Confirm check": nonce, match, record, set and parent. */
START_TEST(test_a_click_is_checked_in_order)
{
	char frame[512], nonce[258];

	memset(nonce, 'n', 257);
	nonce[257] = '\0';
	enrolled(true, &mine, "chrome", NULL, NULL);
	answer(RELEASE);
	memstore_break(&m, GK_RECORD_TRUST);
	REFUSED("{\"type\":\"presence_confirm\",\"nonce\":\"\"}", "nonce");
	enrolled(true, &mine, "chrome", NULL, NULL);
	answer(RELEASE);
	snprintf(frame, sizeof(frame), "{\"type\":\"presence_confirm\","
	    "\"nonce\":\"%s\"}", nonce);
	REFUSED(frame, "nonce");
	answer(RELEASE);
	REFUSED("{\"type\":\"presence_confirm\",\"nonce\":\"a\\u0000\"}",
	    "nonce");
	answer(RELEASE);
	memstore_break(&m, GK_RECORD_TRUST);
	REFUSED("{\"type\":\"presence_confirm\",\"nonce\":\"x\"}",
	    "request_mismatch");
}
END_TEST

/* --------------------------------------------------------- page_eval, upload */

#define PAGE(action, origin)	"{\"type\":\"presence_begin\",\"action\":\"" \
	action "\",\"origin\":\"" origin "\"}"

START_TEST(test_a_page_op_is_asked_for_and_nothing_follows_the_result)
{
	const char *request = kept(answer(PAGE("page_eval",
	    "https://example.com")));

	ck_assert_ptr_nonnull(strstr(request, "\"action\":\"page_eval on "
	    "https://example.com\",\"allowed_credential_ids\":[]}\n"));
	ck_assert_str_eq(answer(click(request)), OK);
	ck_assert_str_eq(memstore_audit(&m), "presence_assert extension ok "
	    "tool=- code=- name=- detail=act=page_eval; "
	    "origin=https://example.com; auth=confirm_window cid=-");
	enrolled(false, &mine, "chrome", NULL, NULL);
	request = kept(answer(PAGE("page_upload", "http://a.b:8080")));
	ck_assert_ptr_nonnull(strstr(request, "page_upload on "
	    "http://a.b:8080"));
	/* No command at a terminal does that, so none is named. */
	REFUSED(click(request), "software_confirmation_not_allowed");
	request = kept(answer(PAGE("page_upload", "http://a.b:8080")));
	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "detail=act="
	    "page_upload; origin=http://a.b:8080; auth=webauthn:"));
}
END_TEST

START_TEST(test_a_refused_page_op_leaves_the_slot_alone)
{
	const char *request;
	char frame[512], origin[400];

	record(true, "");
	request = kept(answer(RELEASE));
	REFUSED(PAGE("tab_close", "https://a.b"), "invalid_action");
	REFUSED(PAGE("tab_close", "x"), "invalid_action");
	REFUSED(PAGE("", "https://a.b"), "invalid_action");
	REFUSED(PAGE("page_eval", "https://a.b/"), "invalid_origin");
	REFUSED(PAGE("page_eval", "https://A.b"), "invalid_origin");
	REFUSED(PAGE("page_eval", "https://a.b:443"), "invalid_origin");
	REFUSED(PAGE("page_eval", "ftp://a.b"), "invalid_origin");
	REFUSED(PAGE("page_eval", "https://a;b"), "invalid_origin");
	REFUSED(PAGE("page_eval", "https://a=b"), "invalid_origin");
	REFUSED(PAGE("page_eval", ""), "invalid_origin");
	snprintf(origin, sizeof(origin), "https://%0*d", 293, 0);
	snprintf(frame, sizeof(frame), PAGE("page_eval", "%s"), origin);
	REFUSED(frame, "invalid_origin");
	ck_assert_str_eq(answer(click(request)), OK KILL_OFF);
	/* An accepted one takes the slot over. */
	record(true, "");
	request = kept(answer(RELEASE));
	answer(PAGE("page_eval", "https://a.b"));
	REFUSED(click(request), "request_mismatch");
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_ptr_nonnull(strstr(answer(PAGE("page_eval", "https://a.b")),
	    "{\"type\":\"presence_result\",\"ok\":false,\"reason\":"
	    "\"store_error: "));
}
END_TEST

/* -------------------------------------------------------- slots and the rest */

START_TEST(test_presence_and_enrollment_do_not_disturb_each_other)
{
	const char *request;
	char options[4096];

	record(true, "");
	snprintf(options, sizeof(options), "%s", answer(BEGIN));
	request = kept(answer(RELEASE));
	/* The one is finished, the other still there. */
	ck_assert_ptr_nonnull(strstr(answer(finish(&mine, options)),
	    "\"ok\":true"));
	REFUSED(click(request), "software_confirmation_not_allowed: use "
	    "`genkan unkill` at a terminal");
	request = kept(answer(RELEASE));
	ck_assert_str_eq(answer(tap(&mine, request)), OK KILL_OFF);
}
END_TEST

START_TEST(test_engaging_the_switch_empties_the_presence_slot)
{
	const char *request;

	enrolled(true, &mine, "chrome", NULL, NULL);
	request = kept(answer(RELEASE));
	answer("{\"type\":\"kill_engage\"}");
	REFUSED(tap(&mine, request), "no_request_outstanding");
	/* A tap that waits for the lock does not undo it either. */
	request = kept(answer(RELEASE));
	m.locked = true;
	ck_assert_str_eq(answer(tap(&mine, request)), "");
	answer("{\"type\":\"kill_engage\"}");
	m.locked = false;
	run_until(gk_now(t.ctx) + 100);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
	ck_assert_ptr_null(strstr(sent(), "\"killed\":false"));
}
END_TEST

START_TEST(test_a_malformed_answer_leaves_the_request_in_place)
{
	const char *request;

	enrolled(true, &mine, "chrome", NULL, NULL);
	request = kept(answer(RELEASE));
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"presence_assert\"}"),
	    "is malformed"));
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"presence_confirm\","
	    "\"nonce\":1}"), "is malformed"));
	ck_assert_str_eq(answer(tap(&mine, request)), OK KILL_OFF);
}
END_TEST

START_TEST(test_forgetting_a_browser_makes_the_next_one_first_use_again)
{
	enrolled(false, &mine, "chrome", NULL, NULL);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
	ck_assert_str_eq(answer("{\"type\":\"browser_revoke\"}"),
	    "{\"type\":\"browser_revoke_result\",\"ok\":true}\n");
	ck_assert_str_eq(memstore_audit(&m), "revoke_browser extension ok "
	    "tool=- code=- name=chrome detail=- cid=-");
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "enroll_options"));
	refused(answer("{\"type\":\"browser_revoke\"}"),
	    "browser_revoke_result", "not_enrolled");
}
END_TEST

START_TEST(test_a_connection_that_ends_drops_everything)
{
	const char *request;

	enrolled(true, &mine, "chrome", &other, "edge");
	request = kept(answer(BEGIN));
	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	request = kept(answer(BEGIN));			/* the approval */
	ck_assert(c.enroll.full && c.enroll.proof != NULL);
	request = kept(answer(BEGIN));
	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	ck_assert(c.approval.full);
	request = kept(answer(RELEASE));
	m.locked = true;
	ck_assert_str_eq(answer(tap(&mine, request)), "");
	ck_assert_ptr_nonnull(c.tapped.rule);
	/* teardown() finds every block given back. */
}
END_TEST

START_TEST(test_an_answer_that_outlived_its_connection_grants_nothing)
{
	const char *request;

	enrolled(true, &mine, "chrome", &other, "edge");
	request = kept(answer(RELEASE));
	gk_control_end(&c);
	REFUSED(tap(&mine, request), "no_request_outstanding");
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
}
END_TEST

START_TEST(test_without_randomness_nothing_is_asked)
{
	record(true, "");
	t.random_fails = true;
	ck_assert_ptr_nonnull(strstr(answer(RELEASE), "{\"type\":"
	    "\"kill_status_result\",\"ok\":false,\"error\":"));
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "{\"type\":"
	    "\"enroll_result\",\"ok\":false,\"reason\":\"io_error: "));
	ck_assert_ptr_nonnull(strstr(answer(PAGE("page_eval",
	    "https://a.b")), "{\"type\":\"presence_result\",\"ok\":false,"
	    "\"reason\":\"io_error: "));
	enrolled(true, &mine, "edge", NULL, NULL);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "{\"type\":"
	    "\"enroll_result\",\"ok\":false,\"reason\":\"io_error: "));
	t.random_fails = false;
	REFUSED("{\"type\":\"presence_confirm\",\"nonce\":\"x\"}",
	    "no_request_outstanding");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_presence");
	TCase *tc = webauthn_tcase(s, "frames");

	tcase_add_test(tc,
	    test_an_enrolled_browser_is_never_downgraded_to_a_click);
	tcase_add_test(tc, test_a_click_is_checked_in_order);
	tcase_add_test(tc,
	    test_a_page_op_is_asked_for_and_nothing_follows_the_result);
	tcase_add_test(tc, test_a_refused_page_op_leaves_the_slot_alone);
	tcase_add_test(tc,
	    test_presence_and_enrollment_do_not_disturb_each_other);
	tcase_add_test(tc,
	    test_engaging_the_switch_empties_the_presence_slot);
	tcase_add_test(tc,
	    test_a_malformed_answer_leaves_the_request_in_place);
	tcase_add_test(tc,
	    test_forgetting_a_browser_makes_the_next_one_first_use_again);
	tcase_add_test(tc, test_a_connection_that_ends_drops_everything);
	tcase_add_test(tc,
	    test_an_answer_that_outlived_its_connection_grants_nothing);
	tcase_add_test(tc, test_without_randomness_nothing_is_asked);
	return gk_test_main(s);
}
