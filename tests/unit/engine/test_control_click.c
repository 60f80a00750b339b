/* Clients of the allowlist, and clicks in a window of ours.  control 6.2 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "control_world.h"

static char nonce[64];

/* Takes the nonce out of the request that was sent last. */
static const char *
confirmation(const char *request)
{
	static char frame[128];
	const char *at = strstr(request, "\"nonce\":\"");

	ck_assert_msg(at != NULL, "no request: %s", request);
	(void)snprintf(nonce, sizeof(nonce), "%.43s", at + 9);
	(void)snprintf(frame, sizeof(frame),
	    "{\"type\":\"presence_confirm\",\"nonce\":\"%s\"}", nonce);
	return frame;
}

START_TEST(test_a_client_is_revoked_without_a_proof)
{
	memstore_set(&m, GK_RECORD_TRUST, LISTED);
	ck_assert_str_eq(answer("{\"type\":\"client_revoke\",\"name\":\"a\"}"),
	    "{\"type\":\"client_revoke_result\",\"ok\":true}\n");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(6, false, 0, 0, 0,
	    0, "[" MEM_CLIENT("b", MEM_OTHER) "]") "\n");
	ck_assert_str_eq(memstore_audit(&m), "revoke_client extension ok "
	    "tool=- code=- name=a detail=- cid=-");
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"client_revoke\","
	    "\"name\":\"a\"}"), "\"ok\":false"));
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"client_revoke\","
	    "\"name\":\"\"}"), "\"ok\":false"));
	ck_assert_uint_eq(m.naudits, 1);
	ck_assert_uint_eq(m.holds, m.drops);
}
END_TEST

START_TEST(test_an_act_waits_for_the_lock_and_gives_up)
{
	memstore_set(&m, GK_RECORD_TRUST, LISTED);
	m.locked = true;
	ck_assert_str_eq(answer("{\"type\":\"client_revoke\","
	    "\"name\":\"a\"}"), "");
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"), "");
	ck_assert(gk_control_busy(&c));
	run_until(2999);
	ck_assert_str_eq(sent(), "");
	run_until(3020);
	ck_assert_str_eq(sent(), "{\"type\":\"client_revoke_result\","
	    "\"ok\":false,\"error\":\"the record lock (records.mutex) was not "
	    "had within 2000 ms: the record lock is held\"}\n"
	    "{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n");
	ck_assert(!gk_control_busy(&c));
	ck_assert_int_eq(gk_control_deadline(&c), GK_CLOCK_NEVER);
}
END_TEST

START_TEST(test_a_click_releases_the_switch_once)
{
	const char *click;

	c.parent_is_browser = true;
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], KILLED);
	ck_assert_str_eq(answer(click),
	    "{\"type\":\"presence_result\",\"ok\":true}\n" KILL_OFF);
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(6, false, 6, 0, 0,
	    0, "null") "\n");
	ck_assert_uint_eq(m.naudits, 2);
	ck_assert_str_eq(m.audit[0], "presence_assert extension ok tool=- "
	    "code=- name=- detail=act=kill_release; auth=confirm_window "
	    "cid=-");
	ck_assert_str_eq(m.audit[1], "kill_release extension ok tool=- "
	    "code=- name=- detail=auth=confirm_window cid=-");
	ck_assert_str_eq(answer(click), "{\"type\":\"presence_result\","
	    "\"ok\":false,\"reason\":\"no_request_outstanding\"}\n");
	/* And where there is nothing to release, nothing is asked. */
	ck_assert_str_eq(answer("{\"type\":\"kill_release\"}"), KILL_OFF);
}
END_TEST

START_TEST(test_a_click_that_does_not_count)
{
	const char *click;

	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	/* Started by hand. */
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	ck_assert_str_eq(answer(click), "{\"type\":\"presence_result\","
	    "\"ok\":false,\"reason\":\"software_confirmation_not_allowed: "
	    "use `genkan unkill` at a terminal\"}\n");
	ck_assert_str_eq(memstore_audit(&m), "presence_assert extension "
	    "refused tool=- code=software_confirmation_not_allowed name=- "
	    "detail=act=kill_release; auth=none cid=-");
	c.parent_is_browser = true;
	/* Another nonce, and with it the request is gone. */
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	ck_assert_str_eq(answer("{\"type\":\"presence_confirm\","
	    "\"nonce\":\"x\"}"), "{\"type\":\"presence_result\",\"ok\":false,"
	    "\"reason\":\"request_mismatch\"}\n");
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "no_request_outstanding"));
	/* Too late, by a millisecond. */
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	gk_test_time(&t, gk_now(t.ctx) + GK_PRESENCE_MS);
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "no_request_outstanding"));
	/* Engaged once more: the click goes nowhere. */
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	answer("{\"type\":\"kill_engage\"}");
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "no_request_outstanding"));
	/* Engaged once more by somebody else: the act says so. */
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(9, true, 9, 0, 0, 0,
	    "null"));
	ck_assert_ptr_nonnull(strstr(answer(click), "{\"type\":"
	    "\"presence_result\",\"ok\":true}\n{\"type\":"
	    "\"kill_status_result\",\"ok\":false,\"error\":\"the kill switch "
	    "was engaged again"));
	/* A record that nobody can read any more. */
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "\"reason\":\"store_error: "));
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_release\"}"),
	    "\"ok\":false"));
}
END_TEST

/* control 6.2: what the parent was at the start is not enough. */
static bool
still(void *user)
{
	int *looks = user;

	return ++*looks != 2;
}

START_TEST(test_the_parent_is_looked_at_when_a_click_is_answered)
{
	const char *click;
	int looks = 0;

	c.parent_is_browser = true;
	c.parent_still = still;
	c.parent_user = &looks;
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	ck_assert_int_eq(looks, 0);
	ck_assert_str_eq(answer(click),
	    "{\"type\":\"presence_result\",\"ok\":true}\n" KILL_OFF);
	ck_assert_int_eq(looks, 1);
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "software_confirmation_not_allowed"));
	ck_assert_int_eq(looks, 2);
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], KILLED);
	/* Nobody asks about one that was none to begin with. */
	c.parent_is_browser = false;
	click = confirmation(answer("{\"type\":\"kill_release\"}"));
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "software_confirmation_not_allowed"));
	ck_assert_int_eq(looks, 2);
}
END_TEST

#define PAIR(name, hash)	"{\"type\":\"client_pair\",\"name\":\"" name \
	"\",\"anchor\":{\"kind\":\"hash\",\"value\":\"" hash "\"}}"

START_TEST(test_a_click_pairs_a_client)
{
	const char *request, *click;

	c.parent_is_browser = true;
	request = answer(PAIR("new", MEM_HASH));
	ck_assert_ptr_nonnull(strstr(request, "\"action\":\"trust client new "
	    "(hash " MEM_HASH ")\",\"allowed_credential_ids\":[]}"));
	click = confirmation(request);
	ck_assert_str_eq(answer(click),
	    "{\"type\":\"presence_result\",\"ok\":true}\n"
	    "{\"type\":\"client_pair_result\",\"ok\":true}\n");
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"clients\":[{\"name\":\"new\",\"anchor\":{\"kind\":\"hash\","
	    "\"value\":\"" MEM_HASH "\"}"));
	ck_assert_str_eq(memstore_audit(&m), "pair_client extension ok "
	    "tool=- code=- name=new detail=hash:" MEM_HASH
	    "; auth=confirm_window cid=-");
	/* Refused before anything is asked. */
	ck_assert_ptr_nonnull(strstr(answer(PAIR("other", MEM_HASH)),
	    "under the name new"));
	ck_assert_ptr_nonnull(strstr(answer(PAIR("-", MEM_OTHER)),
	    "\"ok\":false"));
	ck_assert_ptr_nonnull(strstr(answer(PAIR("x", "ABCD")),
	    "\"ok\":false"));
	ck_assert_ptr_nonnull(strstr(answer(click),
	    "no_request_outstanding"));
}
END_TEST

START_TEST(test_the_newest_request_is_the_only_one)
{
	char first[128];

	c.parent_is_browser = true;
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	(void)snprintf(first, sizeof(first), "%s",
	    confirmation(answer("{\"type\":\"kill_release\"}")));
	confirmation(answer(PAIR("new", MEM_HASH)));
	ck_assert_ptr_nonnull(strstr(answer(first), "request_mismatch"));
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], KILLED);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_click");
	TCase *tc = control_tcase(s, "trust");

	tcase_add_test(tc, test_a_client_is_revoked_without_a_proof);
	tcase_add_test(tc, test_an_act_waits_for_the_lock_and_gives_up);
	tcase_add_test(tc, test_a_click_releases_the_switch_once);
	tcase_add_test(tc, test_a_click_that_does_not_count);
	tcase_add_test(tc,
	    test_the_parent_is_looked_at_when_a_click_is_answered);
	tcase_add_test(tc, test_a_click_pairs_a_client);
	tcase_add_test(tc, test_the_newest_request_is_the_only_one);
	return gk_test_main(s);
}
