/* Control frames that ask, and what is answered.  control 2.2 to 2.6 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control_world.h"
#include "engine/host.h"

START_TEST(test_kill_status_is_read_from_the_record_each_time)
{
	ck_assert_str_eq(answer("{\"type\":\"kill_status\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":false}"
	    "\n");
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	ck_assert_str_eq(answer("{\"type\":\"kill_status\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	memstore_set(&m, GK_RECORD_TRUST, "{");
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_status\"}"),
	    "\"ok\":false,\"error\":\""));
	ck_assert_ptr_nonnull(strstr(got, "/state/trust.json"));
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_status\"}"),
	    "it is a directory"));
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	ck_assert_str_eq(answer("{\"type\":\"kill_status\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":false}"
	    "\n");
}
END_TEST

/* D1 of control 4.3, signed with the fixture key. */
#define D1_B64	"eyJ2IjoxLCJyZXZpc2lvbiI6MSwidG91Y2hlZCI6W10sImNkcE1vZGUiOmZhbHN" \
	"lLCJmaWxlVXBsb2FkRW5hYmxlZCI6ZmFsc2UsImhhbmRsZURpYWxvZ0VuYWJsZWQiOmZh" \
	"bHNlLCJwYWdlRXZhbEVuYWJsZWQiOmZhbHNlLCJjb25maXJtSGlnaFJpc2tDbGljayI6d" \
	"HJ1ZSwiY29uZmlybVBhZ2VFdmFsIjp0cnVlLCJwcmVzZW5jZUNvbmZpcm0iOnRydWUsIm" \
	"NvbmZpcm1UYWJDbG9zZSI6dHJ1ZSwid2FyblByZWNpc2VTbmFwc2hvdCI6dHJ1ZSwiZXZ" \
	"hbE1hc2siOnRydWUsImhvc3RSZXZlcmlmeU1zIjowLCJjb25maXJtR3JhY2VNcyI6NjAw" \
	"MDAsImNsaWNrVG9hc3RUaW1lb3V0TXMiOjMwMDAwLCJldmFsVG9hc3RUaW1lb3V0TXMiO" \
	"jQ1MDAwLCJkaXNhYmxlZFRvb2xzIjpbXX0="
#define D1_SIG	"cM4XranHVkQxLqGIt0H7nzfXpMq/i7Pv+1Km1sp9ipb+sc8ecJyECzUa9OuRuqc" \
	"PcuyVY73t2w+A5G2WbDl6zg=="
#define KEY_ID	"4269889431e3131966fcaf6a457141943ed2c35b5b917ae62cb339546f523551"
#define POLICY(rest)	"{\"version\":0,\"baseline_b64\":\"" D1_B64 "\"" rest "}"
#define SIGNED	",\"sig_b64\":\"" D1_SIG "\",\"key_id\":\"" KEY_ID "\""

START_TEST(test_policy_get_without_a_record_says_so)
{
	ck_assert_str_eq(answer("{\"type\":\"policy_get\"}"),
	    "{\"type\":\"policy_current\",\"ok\":false,\"error\":\"no policy "
	    "has been set on this machine yet\"}\n");
}
END_TEST

START_TEST(test_policy_get_sends_the_record_as_it_lies_there)
{
	memstore_set(&m, GK_RECORD_POLICY, POLICY(SIGNED));
	ck_assert_str_eq(answer("{\"type\":\"policy_get\"}"),
	    "{\"type\":\"policy_current\",\"ok\":true,\"baseline\":\"" D1_B64
	    "\",\"sig\":\"" D1_SIG "\"}\n");
	memstore_set(&m, GK_RECORD_POLICY, POLICY(SIGNED ",\"overlay\":{"
	    "\"disabledTools\":[\"page_upload\"]}"));
	ck_assert_str_eq(answer("{\"type\":\"policy_get\"}"),
	    "{\"type\":\"policy_current\",\"ok\":true,\"baseline\":\"" D1_B64
	    "\",\"sig\":\"" D1_SIG "\",\"overlay\":{\"disabledTools\":["
	    "\"page_upload\"]}}\n");
	memstore_set(&m, GK_RECORD_POLICY, POLICY(""));
	ck_assert_str_eq(answer("{\"type\":\"policy_get\"}"),
	    "{\"type\":\"policy_current\",\"ok\":true,\"baseline\":\"" D1_B64
	    "\"}\n");
}
END_TEST

/* Four ways of having no policy, four different sentences; never a baseline
 * and never a key id. */
START_TEST(test_policies_that_cannot_be_sent_differ_in_their_error)
{
	char seen[4][1024];
	int i, k;

	for (i = 0; i < 4; i++) {
		if (i == 1)
			memstore_set(&m, GK_RECORD_POLICY, "{\"version\":0,"
			    "\"overlay\":{\"disabledTools\":[\"a\"]}}");
		if (i == 2)
			memstore_set(&m, GK_RECORD_POLICY, POLICY(",\"x\":1"));
		if (i == 3)
			memstore_break(&m, GK_RECORD_POLICY);
		snprintf(seen[i], sizeof(seen[i]), "%s",
		    answer("{\"type\":\"policy_get\"}"));
		ck_assert_ptr_nonnull(strstr(seen[i], "\"ok\":false,"));
		ck_assert_ptr_null(strstr(seen[i], "baseline\":"));
		ck_assert_ptr_null(strstr(seen[i], "key_id"));
		for (k = 0; k < i; k++)
			ck_assert_str_ne(seen[i], seen[k]);
	}
}
END_TEST

START_TEST(test_lang_get_sends_the_record_or_the_default)
{
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"),
	    "{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n");
	memstore_set(&m, GK_RECORD_LANG,
	    "{\"version\":0,\"value\":\"zh_TW\",\"seq\":7}");
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"),
	    "{\"type\":\"lang_current\",\"value\":\"zh_TW\",\"seq\":7}\n");
	/* Not changed by this build, and it does not pretend to. */
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":\"xx\"}"),
	    "{\"type\":\"lang_current\",\"value\":\"zh_TW\",\"seq\":7}\n");
	memstore_break(&m, GK_RECORD_LANG);
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"), "");
}
END_TEST

START_TEST(test_a_challenge_is_answered_not_enrolled_only_if_that_is_true)
{
	static const char *const challenge =
	    "{\"type\":\"enclave_challenge\",\"nonce\":\"abc\"}";

	ck_assert_str_eq(answer(challenge), "{\"type\":\"enclave_error\","
	    "\"reason\":\"not_enrolled\"}\n");
	memstore_break(&m, GK_RECORD_HOST_KEY);
	ck_assert_str_eq(answer(challenge), "{\"type\":\"enclave_error\","
	    "\"reason\":\"keychain_error\"}\n");
	memstore_set(&m, GK_RECORD_HOST_KEY, "{\"version\":0}");
	ck_assert_str_eq(answer(challenge), "{\"type\":\"enclave_error\","
	    "\"reason\":\"keychain_error\"}\n");
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_str_eq(answer(challenge), "{\"type\":\"enclave_error\","
	    "\"reason\":\"keychain_error\"}\n");
}
END_TEST

START_TEST(test_client_list_shows_the_allowlist)
{
	ck_assert_str_eq(answer("{\"type\":\"client_list\"}"),
	    "{\"type\":\"client_list_result\",\"ok\":true,\"enrolled\":false,"
	    "\"clients\":[]}\n");
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(1, false, 0, 0, 0, 0,
	    "[" MEM_CLIENT("claude", MEM_HASH) "]"));
	ck_assert_str_eq(answer("{\"type\":\"client_list\"}"),
	    "{\"type\":\"client_list_result\",\"ok\":true,\"enrolled\":true,"
	    "\"clients\":[{\"name\":\"claude\",\"anchor\":{\"kind\":\"hash\","
	    "\"value\":\"" MEM_HASH "\"},\"added_unix\":1700000000}]}\n");
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"client_list\"}"),
	    "\"ok\":false,\"enrolled\":false,\"clients\":[],\"error\":\""));
}
END_TEST

START_TEST(test_an_audit_event_is_recorded_under_the_extensions_surface)
{
	ck_assert_str_eq(answer("{\"type\":\"audit_event\",\"kind\":"
	    "\"confirm_allowed\",\"tool\":\"page_click\",\"cid\":\"c1\","
	    "\"detail\":\"a\\u0062c\",\"outcome\":\"ok\"}"), "");
	ck_assert_str_eq(memstore_audit(&m), "confirm_allowed extension ok "
	    "tool=page_click code=- name=- detail=abc cid=c1");
	ck_assert_str_eq(answer("{\"type\":\"audit_event\",\"kind\":"
	    "\"kill_engage\"}"), "");
	ck_assert_uint_eq(m.naudits, 1);
}
END_TEST

START_TEST(test_answers_without_a_request_are_refused_for_what_they_are)
{
	ck_assert_str_eq(answer("{\"type\":\"presence_confirm\",\"nonce\":"
	    "\"x\"}"), "{\"type\":\"presence_result\",\"ok\":false,"
	    "\"reason\":\"no_request_outstanding\"}\n");
	ck_assert_str_eq(answer("{\"type\":\"presence_assert\","
	    "\"credential_id\":\"\",\"authenticator_data\":\"\","
	    "\"client_data_json\":\"\",\"signature\":\"\"}"),
	    "{\"type\":\"presence_result\",\"ok\":false,"
	    "\"reason\":\"no_request_outstanding\"}\n");
	ck_assert_str_eq(answer("{\"type\":\"enroll_finish\","
	    "\"attestation_object\":\"\",\"client_data_json\":\"\"}"),
	    "{\"type\":\"enroll_result\",\"ok\":false,"
	    "\"reason\":\"no_enrollment_outstanding\"}\n");
	ck_assert_str_eq(answer("{\"type\":\"browser_revoke\"}"),
	    "{\"type\":\"browser_revoke_result\",\"ok\":false,"
	    "\"reason\":\"not_enrolled\"}\n");
	ck_assert_str_eq(answer("{\"type\":\"enroll_begin\"}"),
	    "{\"type\":\"enroll_result\",\"ok\":false,"
	    "\"reason\":\"software_confirmation_not_allowed\"}\n");
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"browser_revoke\"}"),
	    "\"reason\":\"store_error: "));
}
END_TEST

/* ------------------------------------------------------------- audit trail */

static const char *trail_text;
static int trail_error;

static int
mem_trail(void *user, struct gk_buf *ret, char *why, size_t whylen)
{
	(void)user;
	(void)snprintf(why, whylen, "audit.log: not a regular file");
	return trail_error < 0 ? trail_error : gk_buf_puts(ret, trail_text);
}

#define REC(ts)	"{\"v\":1,\"ts_ms\":" ts ",\"kind\":\"kill_engage\"," \
	"\"surface\":\"cli\",\"outcome\":\"ok\"}\n"
#define ENTRY(ts)	"{\"entry\":\"record\",\"ts_ms\":" ts "," \
	"\"kind\":\"kill_engage\",\"fields\":{\"surface\":\"cli\"," \
	"\"outcome\":\"ok\"}}"

START_TEST(test_the_trail_comes_newest_first)
{
	trail_error = 0;
	m.store.trail = mem_trail;
	trail_text = REC("1") "what\n" REC("3");
	ck_assert_str_eq(answer("{\"type\":\"audit_read\"}"),
	    "{\"type\":\"audit_read_result\",\"ok\":true,\"entries\":["
	    ENTRY("3") ",{\"entry\":\"unrecognized\",\"text\":\"what\"},"
	    ENTRY("1") "],\"older\":0,\"path\":\"audit.log\"}\n");
	ck_assert_str_eq(answer("{\"type\":\"audit_read\",\"limit\":1}"),
	    "{\"type\":\"audit_read_result\",\"ok\":true,\"entries\":["
	    ENTRY("3") "],\"older\":2,\"path\":\"audit.log\"}\n");
	trail_text = "";
	ck_assert_str_eq(answer("{\"type\":\"audit_read\"}"),
	    "{\"type\":\"audit_read_result\",\"ok\":true,\"entries\":[],"
	    "\"older\":0,\"path\":\"audit.log\"}\n");
	trail_error = GENKAN_E_ACCESS;
	ck_assert_str_eq(answer("{\"type\":\"audit_read\"}"),
	    "{\"type\":\"audit_read_result\",\"ok\":false,\"error\":"
	    "\"audit.log: not a regular file\"}\n");
}
END_TEST

/* Lines that come out six times as long fill the frame before the limit. */
START_TEST(test_a_trail_that_is_too_large_is_trimmed)
{
	struct gk_outq none;
	struct gk_control_frame f;
	char *text = malloc(300 * 1001 + 1);
	const void *p;
	size_t len;
	int i;

	for (i = 0; i < 300; i++) {
		memset(text + i * 1001, '\001', 1000);
		text[i * 1001 + 1000] = '\n';
	}
	text[300 * 1001] = '\0';
	trail_error = 0;
	trail_text = text;
	m.store.trail = mem_trail;
	gk_outq_init(&none, t.ctx, SIZE_MAX);
	c.out = &none;
	classify("{\"type\":\"audit_read\",\"limit\":1000}", &f);
	gk_control_answer(&c, &f);
	c.out = &out;
	len = 0;
	ck_assert(gk_outq_output(&none, &p, &len));
	ck_assert_uint_le(len, 4 + GK_NATIVE_OUT_MAX);
	ck_assert_uint_gt(len, GK_NATIVE_OUT_MAX - 8000);
	gk_outq_clear(&none);
	free(text);
}
END_TEST

START_TEST(test_answers_for_a_browser_that_is_gone_are_dropped)
{
	struct gk_control_frame f;

	c.out = NULL;
	classify("{\"type\":\"kill_status\"}", &f);
	gk_control_answer(&c, &f);
	ck_assert_str_eq(t.log_id, "answer-lost");
	c.out = &out;
	ck_assert_str_eq(sent(), "");
}
END_TEST

/* --------------------------------------------------------- asked of the disk */

#define ROWS	"[{\"browser\":\"chrome\",\"detected\":true,\"state\":{" \
	"\"kind\":\"ok\"},\"location\":\"/m\"}]"
#define RESULT(rest)	"{\"type\":\"registration_status_result\"," rest "}\n"

START_TEST(test_what_the_disk_must_tell_is_asked_once_and_others_wait)
{
	struct gk_host_ask ask;

	ck_assert(!gk_control_query(&c, &ask));
	ck_assert_str_eq(answer("{\"type\":\"registration_status\"}"), "");
	ck_assert(gk_control_busy(&c));
	ck_assert(gk_control_query(&c, &ask));
	ck_assert_int_eq(ask.tag, GK_TAG_REGISTRATION_STATUS);
	ck_assert(!gk_control_query(&c, &ask));
	ck_assert_str_eq(answer("{\"type\":\"doctor_report\"}"), "");
	ck_assert_str_eq(answer("{\"type\":\"kill_status\"}"), "");
	ck_assert(!gk_control_query(&c, &ask));
	/* One frame alone does not wait. */
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"), KILL_ON);
	gk_control_told(&c, 0, gk_span_str(ROWS), NULL);
	ck_assert_str_eq(sent(), RESULT("\"ok\":true,\"browsers\":" ROWS));
	/* The next in line, and nothing behind it yet. */
	ck_assert(gk_control_query(&c, &ask));
	ck_assert_int_eq(ask.tag, GK_TAG_DOCTOR_REPORT);
	gk_control_told(&c, GENKAN_E_IO, gk_span(NULL, 0), "no disk");
	ck_assert_str_eq(sent(), "{\"type\":\"doctor_report_result\","
	    "\"ok\":false,\"error\":\"no disk\"}\n" KILL_ON);
	ck_assert(!gk_control_busy(&c));
	/* Nobody asked. */
	gk_control_told(&c, 0, gk_span_str(ROWS), NULL);
	ck_assert_str_eq(sent(), "");
}
END_TEST

START_TEST(test_browsers_to_repair_are_folded_in_first_seen_order)
{
	struct gk_host_ask ask;

	answer("{\"type\":\"registration_repair\",\"browsers\":[\"opera\","
	    "\"chrome\",\"opera\",\"\\u0063hrome\",\"edge\",\"chrome\"]}");
	ck_assert(gk_control_query(&c, &ask));
	ck_assert_int_eq(ask.tag, GK_TAG_REGISTRATION_REPAIR);
	ck_assert_uint_eq(ask.n, 3);
	ck_assert_int_eq(ask.browser[0], GK_BROWSER_OPERA);
	ck_assert_int_eq(ask.browser[1], GK_BROWSER_CHROME);
	ck_assert_int_eq(ask.browser[2], GK_BROWSER_EDGE);
	gk_control_told(&c, GENKAN_E_NOT_OURS, gk_span(NULL, 0),
	    "edge: refused: foreign");
	ck_assert_str_eq(sent(), RESULT("\"ok\":false,\"error\":"
	    "\"edge: refused: foreign\""));
	/* None named: those that are there. */
	answer("{\"type\":\"registration_repair\"}");
	ck_assert(gk_control_query(&c, &ask));
	ck_assert_uint_eq(ask.n, 0);
	gk_control_told(&c, 0, gk_span_str(ROWS), NULL);
	ck_assert_str_eq(sent(), RESULT("\"ok\":true,\"browsers\":" ROWS));
}
END_TEST

START_TEST(test_a_question_is_given_up_at_the_end_and_no_act_behind_it)
{
	struct gk_host_ask ask;

	memstore_set(&m, GK_RECORD_TRUST, LISTED);
	answer("{\"type\":\"doctor_report\"}");
	answer("{\"type\":\"registration_status\"}");
	answer("{\"type\":\"client_revoke\",\"name\":\"a\"}");
	ck_assert(gk_control_query(&c, &ask));
	gk_control_end(&c);
	ck_assert_str_eq(sent(),
	    "{\"type\":\"doctor_report_result\",\"ok\":false,"
	    "\"error\":\"the connection ends\"}\n"
	    RESULT("\"ok\":false,\"error\":\"the connection ends\"")
	    "{\"type\":\"client_revoke_result\",\"ok\":true}\n");
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"name\":\"a\""));
	ck_assert(!gk_control_busy(&c));
	ck_assert(!gk_control_query(&c, &ask));
	gk_control_told(&c, 0, gk_span_str("{}"), NULL);
	ck_assert_str_eq(sent(), "");
}
END_TEST

static void
add_answers(Suite *s)
{
	TCase *tc = control_tcase(s, "answers");

	tcase_add_test(tc,
	    test_kill_status_is_read_from_the_record_each_time);
	tcase_add_test(tc, test_policy_get_without_a_record_says_so);
	tcase_add_test(tc,
	    test_policy_get_sends_the_record_as_it_lies_there);
	tcase_add_test(tc,
	    test_policies_that_cannot_be_sent_differ_in_their_error);
	tcase_add_test(tc, test_lang_get_sends_the_record_or_the_default);
	tcase_add_test(tc,
	    test_a_challenge_is_answered_not_enrolled_only_if_that_is_true);
	tcase_add_test(tc, test_client_list_shows_the_allowlist);
	tcase_add_test(tc,
	    test_an_audit_event_is_recorded_under_the_extensions_surface);
	tcase_add_test(tc,
	    test_what_the_disk_must_tell_is_asked_once_and_others_wait);
	tcase_add_test(tc,
	    test_browsers_to_repair_are_folded_in_first_seen_order);
	tcase_add_test(tc,
	    test_a_question_is_given_up_at_the_end_and_no_act_behind_it);
	tcase_add_test(tc,
	    test_answers_without_a_request_are_refused_for_what_they_are);
	tcase_add_test(tc,
	    test_answers_for_a_browser_that_is_gone_are_dropped);
}

static void
add_trust(Suite *s)
{
	TCase *tc = control_tcase(s, "trust");

	tcase_add_test(tc, test_the_trail_comes_newest_first);
	tcase_add_test(tc, test_a_trail_that_is_too_large_is_trimmed);
}

int
main(void)
{
	Suite *s = suite_create("control_answers");

	add_answers(s);
	add_trust(s);
	return gk_test_main(s);
}
