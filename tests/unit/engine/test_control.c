/* Control frames: classification, answers, pushes.  control 2.1 to 2.9, 5.4. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "control_world.h"
#include "engine/host.h"
#include "engine/shape.h"

/* ---------------------------------------------------------- classification */

static const char *const forwarded[] = {
	"{}",
	"{\"id\":1,\"ok\":true}",
	"{\"type\":null}",
	"{\"type\":1}",
	"{\"type\":true}",
	"{\"type\":[\"kill_status\"]}",
	"{\"type\":{\"kill_status\":null}}",
	"{\"type\":\"\"}",
	"{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[]}",
	"{\"type\":\"cancel\",\"id\":1}",
	"{\"type\":\"waiting\",\"id\":1}",
	"{\"type\":\"Kill_status\"}",
	"{\"type\":\"kill_status \"}",
	"{\"type\":\"kill_statu\"}",
	"{\"type\":\"kill_status\\u0000\"}",
	"{\"TYPE\":\"kill_status\"}",
	"{\"x\":{\"type\":\"kill_status\"}}",
};

START_TEST(test_what_has_no_control_tag_is_forwarded)
{
	struct gk_control_frame f;

	classify(forwarded[_i], &f);
	ck_assert_int_eq(f.verdict, GK_CONTROL_FORWARD);
	ck_assert_int_eq(f.tag, GK_TAG_NONE);
}
END_TEST

/* Every tag of the table, bare: H tags are malformed, B tags without required
 * members are handled, and none is ever forwarded. */
START_TEST(test_every_control_tag_is_kept_from_the_bridge)
{
	const struct gk_tag_row *row;
	struct gk_control_frame f;
	char frame[128];
	size_t n, i, k;
	bool needs;

	row = gk_schema_frames(&n);
	ck_assert_uint_eq(n, 47);
	for (i = 0; i < n; i++) {
		snprintf(frame, sizeof(frame), "{\"type\":\"%s\"}",
		    row[i].tag);
		classify(frame, &f);
		ck_assert_int_eq(f.tag, (int)i);
		needs = false;
		for (k = 0; row[i].members != NULL &&
		    row[i].members[k].name != NULL; k++)
			needs |= row[i].members[k].when == GK_WHEN_REQ;
		ck_assert_int_eq(f.verdict, row[i].dir == 'B' && !needs ?
		    GK_CONTROL_HANDLE : GK_CONTROL_MALFORMED);
		ck_assert_int_eq(f.why[0] == '\0',
		    f.verdict == GK_CONTROL_HANDLE);
	}
}
END_TEST

START_TEST(test_a_tag_spelled_with_escapes_is_the_same_tag)
{
	struct gk_control_frame f;

	classify("{\"\\u0074ype\":\"kill\\u005fstatus\"}", &f);
	ck_assert_int_eq(f.tag, GK_TAG_KILL_STATUS);
	ck_assert_int_eq(f.verdict, GK_CONTROL_HANDLE);
}
END_TEST

#define N256	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static const struct {
	const char *frame;
	bool handled;
} parses[] = {
	{ "{\"type\":\"kill_status\",\"x\":1}", false },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"a\"}", true },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"\"}", false },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":1}", false },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"" N256 "\"}", true },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"" N256 "n\"}", false },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"a\\u0000\"}", false },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"a\",\"context\":"
	    "\"\"}", true },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"a\",\"context\":null}",
	    false },
	/* the content of a name is the act's business, its type is not */
	{ "{\"type\":\"client_revoke\",\"name\":\"not a label!\"}", true },
	{ "{\"type\":\"client_revoke\",\"name\":null}", false },
	{ "{\"type\":\"client_pair\",\"name\":\"\",\"anchor\":{\"kind\":"
	    "\"hash\",\"value\":\"x\"}}", true },
	{ "{\"type\":\"client_pair\",\"name\":\"a\",\"anchor\":{\"kind\":"
	    "\"pid\",\"value\":\"x\"}}", false },
	{ "{\"type\":\"client_pair\",\"name\":\"a\",\"anchor\":{\"kind\":"
	    "\"hash\"}}", false },
	{ "{\"type\":\"client_pair\",\"name\":\"a\",\"anchor\":{\"kind\":"
	    "\"hash\",\"value\":\"x\",\"y\":1}}", false },
	{ "{\"type\":\"client_pair\",\"name\":\"a\",\"anchor\":\"x\"}",
	    false },
	{ "{\"type\":\"audit_event\",\"kind\":\"confirm_shown\"}", true },
	{ "{\"type\":\"audit_event\",\"kind\":\"tool_call\"}", false },
	{ "{\"type\":\"audit_event\",\"kind\":\"confirm_shown\",\"outcome\":"
	    "\"ok\"}", true },
	{ "{\"type\":\"audit_event\",\"kind\":\"confirm_shown\",\"outcome\":"
	    "\"fine\"}", false },
	{ "{\"type\":\"audit_read\"}", true },
	{ "{\"type\":\"audit_read\",\"limit\":1}", true },
	{ "{\"type\":\"audit_read\",\"limit\":1000}", true },
	{ "{\"type\":\"audit_read\",\"limit\":0}", false },
	{ "{\"type\":\"audit_read\",\"limit\":1001}", false },
	{ "{\"type\":\"audit_read\",\"limit\":1.0}", false },
	{ "{\"type\":\"audit_read\",\"limit\":-0}", false },
	{ "{\"type\":\"audit_read\",\"limit\":null}", false },
	{ "{\"type\":\"registration_repair\"}", true },
	{ "{\"type\":\"registration_repair\",\"browsers\":[\"chrome\","
	    "\"chrome\"]}", true },
	{ "{\"type\":\"registration_repair\",\"browsers\":[]}", false },
	{ "{\"type\":\"registration_repair\",\"browsers\":[\"netscape\"]}",
	    false },
	{ "{\"type\":\"registration_repair\",\"browsers\":\"chrome\"}",
	    false },
	{ "{\"type\":\"policy_set\",\"overlay\":{}}", true },
	{ "{\"type\":\"policy_set\",\"overlay\":{\"cdpMode\":true,"
	    "\"confirmGraceMs\":5,\"disabledTools\":[\"\",\"a,b\"]}}", true },
	{ "{\"type\":\"policy_set\",\"overlay\":{\"cdpMode\":1}}", false },
	{ "{\"type\":\"policy_set\",\"overlay\":{\"confirmGraceMs\":-1}}",
	    false },
	{ "{\"type\":\"policy_set\",\"overlay\":{\"disabledTools\":[1]}}",
	    false },
	{ "{\"type\":\"policy_set\",\"overlay\":{\"nope\":1}}", false },
	{ "{\"type\":\"policy_set\",\"overlay\":null}", false },
	{ "{\"type\":\"policy_rollback\",\"revision\":1}", true },
	{ "{\"type\":\"policy_rollback\",\"revision\":0}", false },
	{ "{\"type\":\"policy_rollback\",\"revision\":9007199254740992}",
	    false },
	{ "{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":{\"id\":"
	    "\"x\"}}", true },
	{ "{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":{}}",
	    false },
	{ "{\"type\":\"lang_set\",\"value\":\"klingon\"}", true },
	{ "{\"type\":\"lang_set\"}", false },
	{ "{\"type\":\"presence_begin\",\"action\":\"rm\",\"origin\":\"x\"}",
	    true },
	{ "{\"type\":\"presence_begin\",\"action\":\"rm\"}", false },
	{ "{\"type\":\"presence_confirm\",\"nonce\":\"\"}", true },
	{ "{\"type\":\"presence_confirm\",\"nonce\":[]}", false },
	{ "{\"type\":\"enroll_finish\",\"attestation_object\":\"!\","
	    "\"client_data_json\":\"!\"}", true },
	{ "{\"type\":\"enroll_finish\",\"attestation_object\":\"!\"}",
	    false },
};

START_TEST(test_frames_are_parsed_strictly)
{
	struct gk_control_frame f;

	classify(parses[_i].frame, &f);
	ck_assert_msg(f.verdict == (parses[_i].handled ? GK_CONTROL_HANDLE :
	    GK_CONTROL_MALFORMED), "%s: %s", parses[_i].frame, f.why);
}
END_TEST

/* ----------------------------------------------------------------- malformed */

static const struct {
	const char *frame;
	const char *prefix;
} malformed[] = {
	{ "enclave_challenge", "{\"type\":\"enclave_error\",\"reason\":"
	    "\"invalid_challenge\"}\n" },
	{ "client_list", "{\"type\":\"client_list_result\",\"ok\":false,"
	    "\"enrolled\":false,\"clients\":[],\"error\":\"client_list is "
	    "malformed" },
	{ "client_revoke", "{\"type\":\"client_revoke_result\",\"ok\":false,"
	    "\"error\":\"client_revoke is malformed" },
	{ "client_pair", "{\"type\":\"client_pair_result\",\"ok\":false," },
	{ "policy_restrict", "{\"type\":\"policy_restrict_result\",\"ok\":"
	    "false,\"error\":" },
	{ "policy_set", "{\"type\":\"policy_set_result\",\"ok\":false," },
	{ "policy_rollback", "{\"type\":\"policy_rollback_result\",\"ok\":"
	    "false," },
	{ "policy_history", "{\"type\":\"policy_history_result\",\"ok\":"
	    "false," },
	{ "doctor_report", "{\"type\":\"doctor_report_result\",\"ok\":"
	    "false," },
	{ "audit_read", "{\"type\":\"audit_read_result\",\"ok\":false," },
	{ "kill_status", "{\"type\":\"kill_status_result\",\"ok\":false," },
	{ "kill_engage", "{\"type\":\"kill_status_result\",\"ok\":false," },
	{ "kill_release", "{\"type\":\"kill_status_result\",\"ok\":false," },
	{ "policy_get", "{\"type\":\"policy_current\",\"ok\":false," },
	{ "registration_status", "{\"type\":\"registration_status_result\","
	    "\"ok\":false," },
	{ "registration_repair", "{\"type\":\"registration_status_result\","
	    "\"ok\":false," },
	{ "lang_get", "{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}"
	    "\n" },
	{ "lang_set", "{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}"
	    "\n" },
	{ "enroll_begin", "{\"type\":\"enroll_result\",\"ok\":false,"
	    "\"reason\":\"enroll_begin is malformed" },
	{ "enroll_finish", "{\"type\":\"enroll_result\",\"ok\":false," },
	{ "presence_begin", "{\"type\":\"presence_result\",\"ok\":false," },
	{ "presence_assert", "{\"type\":\"presence_result\",\"ok\":false," },
	{ "presence_confirm", "{\"type\":\"presence_result\",\"ok\":false," },
	{ "browser_revoke", "{\"type\":\"browser_revoke_result\",\"ok\":"
	    "false,\"reason\":" },
	{ "enclave_revoke", "" },
	{ "audit_event", "" },
	{ "kill_status_result", "" },
	{ "policy_current", "" },
	{ "enclave_proof", "" },
};

START_TEST(test_a_malformed_frame_gets_the_answer_of_its_row)
{
	char frame[128];
	const char *s;

	snprintf(frame, sizeof(frame), "{\"type\":\"%s\",\"bogus\":1}",
	    malformed[_i].frame);
	s = answer(frame);
	ck_assert_msg(strncmp(s, malformed[_i].prefix,
	    strlen(malformed[_i].prefix)) == 0, "%s", s);
	if (malformed[_i].prefix[0] == '\0')
		ck_assert_str_eq(s, "");
	/* The foreign member is not repeated. */
	ck_assert_ptr_null(strstr(s, "bogus"));
}
END_TEST

START_TEST(test_a_malformed_lang_frame_is_silent_over_an_unreadable_record)
{
	memstore_break(&m, GK_RECORD_LANG);
	ck_assert_str_eq(answer("{\"type\":\"lang_set\"}"), "");
}
END_TEST

/* ------------------------------------------------------------------- answers */

#define KILLED	MEM_TRUST(5, true, 5, 0, 0, 0, "null")
#define CLEAR	MEM_TRUST(5, false, 4, 0, 0, 0, "null")

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

/* ---------------------------------------------------------------- the latch */

START_TEST(test_engaging_writes_the_record_and_stamps_the_epoch)
{
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(7, false, 2, 3, 4, 5,
	    "[" MEM_CLIENT("claude", MEM_HASH) "]"));
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(8, true, 8, 3, 4,
	    5, "[" MEM_CLIENT("claude", MEM_HASH) "]") "\n");
	ck_assert_uint_eq(m.holds, 1);
	ck_assert_uint_eq(m.drops, 1);
	ck_assert_str_eq(memstore_audit(&m), "kill_engage extension ok "
	    "tool=- code=- name=- detail=- cid=-");
}
END_TEST

START_TEST(test_engaging_works_on_a_fresh_machine)
{
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(1, true, 1, 0, 0,
	    0, "null") "\n");
}
END_TEST

START_TEST(test_engaging_twice_stamps_twice)
{
	answer("{\"type\":\"kill_engage\"}");
	answer("{\"type\":\"kill_engage\"}");
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(2, true, 2, 0, 0,
	    0, "null") "\n");
}
END_TEST

START_TEST(test_already_engaged_is_success_even_if_the_stamp_fails)
{
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	m.replace_error = GENKAN_E_IO;
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
}
END_TEST

START_TEST(test_a_failed_write_is_said_and_audited)
{
	m.replace_error = GENKAN_E_IO;
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":false,\"error\":"
	    "\"/state/trust.json cannot be written: the disk is full\"}\n");
	ck_assert_str_eq(memstore_audit(&m), "kill_engage extension error "
	    "tool=- code=- name=- detail=auth=none; write refused cid=-");
}
END_TEST

START_TEST(test_an_unreadable_record_is_never_engaged)
{
	memstore_set(&m, GK_RECORD_TRUST, "{\"version\":0}");
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_engage\"}"),
	    "\"ok\":false"));
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], "{\"version\":0}");
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

START_TEST(test_the_epoch_never_passes_its_bound)
{
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(9007199254740991, false,
	    0, 0, 0, 0, "null"));
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_engage\"}"),
	    "\"ok\":false"));
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

START_TEST(test_engaging_waits_for_the_lock_without_blocking)
{
	m.locked = true;
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"), "");
	ck_assert_str_eq(answer("{\"type\":\"kill_engage\"}"), "");
	/* Meanwhile other frames wait behind it, in their order. */
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"), "");
	ck_assert_str_eq(answer("{\"type\":\"kill_status\"}"), "");
	run_until(2500);
	ck_assert_str_eq(sent(), "");
	m.locked = false;
	run_until(2600);
	ck_assert_str_eq(sent(),
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}\n"
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}\n"
	    "{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n"
	    "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}"
	    "\n");
	ck_assert_int_eq(gk_control_deadline(&c), GK_CLOCK_NEVER);
	ck_assert_str_eq(m.rec[GK_RECORD_TRUST], MEM_TRUST(1, true, 1, 0, 0,
	    0, "null") "\n");
}
END_TEST

START_TEST(test_frames_that_wait_are_bounded)
{
	char *big = malloc(GK_CONTROL_QUEUE_BYTES + 64);
	int i;

	m.locked = true;
	answer("{\"type\":\"kill_engage\"}");
	if (_i == 0) {
		for (i = 0; i < GK_CONTROL_QUEUE; i++) {
			ck_assert(!gk_control_full(&c));
			answer("{\"type\":\"lang_get\"}");
		}
	} else {
		i = sprintf(big, "{\"type\":\"client_revoke\",\"name\":\"");
		memset(big + i, 'x', GK_CONTROL_QUEUE_BYTES);
		strcpy(big + GK_CONTROL_QUEUE_BYTES, "\"}");
		ck_assert(!gk_control_full(&c));
		answer(big);
	}
	free(big);
	ck_assert(gk_control_full(&c));
	/* It alone overtakes. */
	answer("{\"type\":\"kill_engage\"}");
	m.locked = false;
	run_until(1100);
	ck_assert(!gk_control_full(&c));
	ck_assert_int_eq(strncmp(sent(), "{\"type\":\"kill_status_result\"",
	    28), 0);
	ck_assert_ptr_nonnull(strstr(got, _i == 0 ? "lang_current" :
	    "client_revoke_result"));
}
END_TEST

START_TEST(test_frames_that_still_wait_at_the_end_are_freed)
{
	m.locked = true;
	answer("{\"type\":\"kill_engage\"}");
	answer("{\"type\":\"lang_get\"}");
	answer("{\"type\":\"lang_get\"}");
	ck_assert_uint_eq(c.nwaiting, 2);
}
END_TEST

START_TEST(test_after_two_seconds_the_latch_is_engaged_without_the_lock)
{
	m.locked = true;
	answer("{\"type\":\"kill_engage\"}");
	run_until(2999);
	ck_assert_str_eq(sent(), "");
	ck_assert_ptr_null(m.rec[GK_RECORD_TRUST]);
	run_until(3100);
	ck_assert_ptr_nonnull(strstr(sent(), "\"killed\":true"));
	ck_assert_uint_eq(m.holds, 0);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
}
END_TEST

START_TEST(test_a_latch_that_does_not_stick_is_an_error_after_two_more)
{
	m.locked = true;
	m.replace_error = GENKAN_E_AGAIN;
	answer("{\"type\":\"kill_engage\"}");
	run_until(4900);
	ck_assert_str_eq(sent(), "");
	run_until(5200);
	ck_assert_ptr_nonnull(strstr(sent(), "\"ok\":false"));
	ck_assert_ptr_nonnull(strstr(got, "could not be engaged: the record "
	    "lock (records.mutex) was not had"));
	ck_assert_int_eq(gk_control_deadline(&c), GK_CLOCK_NEVER);
}
END_TEST

static int
no_hold(void *user, int wait_ms, struct gk_hold **ret, char *why,
    size_t whylen)
{
	(void)user;
	(void)wait_ms;
	(void)ret;
	(void)snprintf(why, whylen, "records.mutex: Is a directory");
	return GENKAN_E_IO;
}

/* 5.4: this act alone does not depend on the lock, whatever is wrong with it;
 * there is nothing to wait for then. */
START_TEST(test_a_lock_that_cannot_be_had_keeps_nobody_from_engaging)
{
	m.store.hold = no_hold;
	answer("{\"type\":\"kill_engage\"}");
	run_until(1020);
	ck_assert_str_eq(sent(), "{\"type\":\"kill_status_result\","
	    "\"ok\":true,\"killed\":true}\n");
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
	ck_assert_str_eq(memstore_audit(&m), "kill_engage extension ok "
	    "tool=- code=- name=- detail=- cid=-");
	/* Nobody else goes on. */
	ck_assert_str_eq(answer("{\"type\":\"client_revoke\","
	    "\"name\":\"a\"}"), "{\"type\":\"client_revoke_result\","
	    "\"ok\":false,\"error\":\"the record lock (records.mutex) "
	    "cannot be taken: records.mutex: Is a directory\"}\n");
}
END_TEST

START_TEST(test_and_if_it_does_not_stick_then_the_lock_is_named)
{
	m.store.hold = no_hold;
	m.replace_error = GENKAN_E_AGAIN;
	answer("{\"type\":\"kill_engage\"}");
	run_until(3100);
	ck_assert_ptr_nonnull(strstr(sent(), "could not be engaged: the "
	    "record lock (records.mutex) cannot be taken: records.mutex: Is "
	    "a directory\"}"));
	ck_assert(!gk_control_busy(&c));
}
END_TEST

START_TEST(test_a_store_that_cannot_write_says_so)
{
	m.store.hold = NULL;
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"kill_engage\"}"),
	    "\"ok\":false,\"error\":\"the trust record cannot be written"));
}
END_TEST

/* ------------------------------------------------------- clients, presence */

#define LISTED	MEM_TRUST(5, false, 0, 0, 0, 0, "[" \
	MEM_CLIENT("a", MEM_HASH) "," MEM_CLIENT("b", MEM_OTHER) "]")
#define FREED	"{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":false}\n"

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
	    "{\"type\":\"presence_result\",\"ok\":true}\n" FREED);
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
	ck_assert_str_eq(answer("{\"type\":\"kill_release\"}"), FREED);
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
	    "{\"type\":\"presence_result\",\"ok\":true}\n" FREED);
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

/* ------------------------------------------------------------------- pushes */

#define POLICY_NONE	"{\"type\":\"policy_current\",\"ok\":false,\"error\":" \
	"\"no policy has been set on this machine yet\"}\n"
#define LANG_EN		"{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n"
#define KILL_ON		"{\"type\":\"kill_status_result\",\"ok\":true," \
	"\"killed\":true}\n"
#define KILL_OFF	"{\"type\":\"kill_status_result\",\"ok\":true," \
	"\"killed\":false}\n"
#define REVOKED		"{\"type\":\"enclave_revoked\"}\n"

START_TEST(test_a_fresh_machine_pushes_policy_and_language)
{
	gk_control_start(&c);
	ck_assert_str_eq(sent(), POLICY_NONE LANG_EN);
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
}
END_TEST

START_TEST(test_connection_start_has_its_order)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 9, 2, 0, 0, "null"));
	gk_control_start(&c);
	ck_assert_str_eq(sent(), KILL_ON POLICY_NONE LANG_EN REVOKED);
}
END_TEST

START_TEST(test_a_disposal_is_pushed_only_if_the_key_is_gone)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, false, 0, 2, 0, 0, "null"));
	memstore_set(&m, GK_RECORD_HOST_KEY, "{}");
	gk_control_start(&c);
	ck_assert_str_eq(sent(), POLICY_NONE LANG_EN);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(10, false, 0, 10, 0, 0, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(11, false, 0, 11, 0, 0, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), REVOKED);
}
END_TEST

START_TEST(test_an_unreadable_record_is_pushed_once_and_its_return_too)
{
	memstore_break(&m, GK_RECORD_TRUST);
	gk_control_start(&c);
	ck_assert_ptr_nonnull(strstr(sent(), "kill_status_result\",\"ok\":"
	    "false"));
	ck_assert_ptr_nonnull(strstr(got, POLICY_NONE LANG_EN));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), KILL_OFF POLICY_NONE LANG_EN);
	memstore_break(&m, GK_RECORD_TRUST);
	gk_control_watch(&c);
	ck_assert_ptr_nonnull(strstr(sent(), "\"ok\":false"));
	ck_assert_ptr_null(strstr(got, "policy_current"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), "");
}
END_TEST

START_TEST(test_each_epoch_moves_its_own_push)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, false, 1, 1, 1, 1, "null"));
	gk_control_start(&c);
	sent();
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 1, 1, 1, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), KILL_ON);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 1, 2, 1, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), POLICY_NONE);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 1, 2, 2, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), LANG_EN);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, true, 2, 2, 2, 2, "null"));
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), REVOKED);
}
END_TEST

/* By inequality: a replaced file goes backwards, and is noticed. */
START_TEST(test_an_epoch_that_goes_back_is_a_move_too)
{
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(9, false, 5, 0, 5, 5, "null"));
	gk_control_start(&c);
	sent();
	memstore_set(&m, GK_RECORD_TRUST, NULL);
	gk_control_watch(&c);
	ck_assert_str_eq(sent(), KILL_OFF POLICY_NONE LANG_EN);
}
END_TEST

START_TEST(test_an_unchanged_record_is_not_parsed_again)
{
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	gk_control_start(&c);
	sent();
	m.loads[GK_RECORD_TRUST] = 0;
	gk_control_watch(&c);
	gk_control_watch(&c);
	ck_assert_uint_eq(m.loads[GK_RECORD_TRUST], 0);
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

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

static TCase *
tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, control_setup, control_teardown);
	suite_add_tcase(s, tc);
	return tc;
}

static void
add_parsing(Suite *s)
{
	TCase *tc = tcase(s, "parsing");

	tcase_add_loop_test(tc, test_what_has_no_control_tag_is_forwarded, 0,
	    LEN(forwarded));
	tcase_add_test(tc, test_every_control_tag_is_kept_from_the_bridge);
	tcase_add_test(tc, test_a_tag_spelled_with_escapes_is_the_same_tag);
	tcase_add_loop_test(tc, test_frames_are_parsed_strictly, 0,
	    LEN(parses));
	tcase_add_loop_test(tc,
	    test_a_malformed_frame_gets_the_answer_of_its_row, 0,
	    LEN(malformed));
	tcase_add_test(tc,
	    test_a_malformed_lang_frame_is_silent_over_an_unreadable_record);
}

static void
add_answers(Suite *s)
{
	TCase *tc = tcase(s, "answers");

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
add_latch(Suite *s)
{
	TCase *tc = tcase(s, "latch");

	tcase_add_test(tc,
	    test_engaging_writes_the_record_and_stamps_the_epoch);
	tcase_add_test(tc, test_engaging_works_on_a_fresh_machine);
	tcase_add_test(tc, test_engaging_twice_stamps_twice);
	tcase_add_test(tc,
	    test_already_engaged_is_success_even_if_the_stamp_fails);
	tcase_add_test(tc, test_a_failed_write_is_said_and_audited);
	tcase_add_test(tc, test_an_unreadable_record_is_never_engaged);
	tcase_add_test(tc, test_the_epoch_never_passes_its_bound);
	tcase_add_test(tc,
	    test_engaging_waits_for_the_lock_without_blocking);
	tcase_add_loop_test(tc, test_frames_that_wait_are_bounded, 0, 2);
	tcase_add_test(tc,
	    test_frames_that_still_wait_at_the_end_are_freed);
	tcase_add_test(tc,
	    test_after_two_seconds_the_latch_is_engaged_without_the_lock);
	tcase_add_test(tc,
	    test_a_latch_that_does_not_stick_is_an_error_after_two_more);
	tcase_add_test(tc,
	    test_a_lock_that_cannot_be_had_keeps_nobody_from_engaging);
	tcase_add_test(tc,
	    test_and_if_it_does_not_stick_then_the_lock_is_named);
	tcase_add_test(tc, test_a_store_that_cannot_write_says_so);
}

static void
add_trust(Suite *s)
{
	TCase *tc = tcase(s, "trust");

	tcase_add_test(tc, test_a_client_is_revoked_without_a_proof);
	tcase_add_test(tc, test_an_act_waits_for_the_lock_and_gives_up);
	tcase_add_test(tc, test_a_click_releases_the_switch_once);
	tcase_add_test(tc, test_a_click_that_does_not_count);
	tcase_add_test(tc,
	    test_the_parent_is_looked_at_when_a_click_is_answered);
	tcase_add_test(tc, test_a_click_pairs_a_client);
	tcase_add_test(tc, test_the_newest_request_is_the_only_one);
	tcase_add_test(tc, test_the_trail_comes_newest_first);
	tcase_add_test(tc, test_a_trail_that_is_too_large_is_trimmed);
}

static void
add_pushes(Suite *s)
{
	TCase *tc = tcase(s, "pushes");

	tcase_add_test(tc, test_a_fresh_machine_pushes_policy_and_language);
	tcase_add_test(tc, test_connection_start_has_its_order);
	tcase_add_test(tc,
	    test_a_disposal_is_pushed_only_if_the_key_is_gone);
	tcase_add_test(tc,
	    test_an_unreadable_record_is_pushed_once_and_its_return_too);
	tcase_add_test(tc, test_each_epoch_moves_its_own_push);
	tcase_add_test(tc, test_an_epoch_that_goes_back_is_a_move_too);
	tcase_add_test(tc, test_an_unchanged_record_is_not_parsed_again);
}

int
main(void)
{
	Suite *s = suite_create("control");

	add_parsing(s);
	add_answers(s);
	add_latch(s);
	add_trust(s);
	add_pushes(s);
	return gk_test_main(s);
}
