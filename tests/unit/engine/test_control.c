/* Control frames: which are ours, and which are malformed.  control 2.1, 2.8 */
#include <stdio.h>
#include <string.h>

#include "control_world.h"
#include "engine/shape.h"

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

int
main(void)
{
	Suite *s = suite_create("control");
	TCase *tc = control_tcase(s, "parsing");

	tcase_add_loop_test(tc, test_what_has_no_control_tag_is_forwarded, 0,
	    GK_ARRAY_LEN(forwarded));
	tcase_add_test(tc, test_every_control_tag_is_kept_from_the_bridge);
	tcase_add_test(tc, test_a_tag_spelled_with_escapes_is_the_same_tag);
	tcase_add_loop_test(tc, test_frames_are_parsed_strictly, 0,
	    GK_ARRAY_LEN(parses));
	tcase_add_loop_test(tc,
	    test_a_malformed_frame_gets_the_answer_of_its_row, 0,
	    GK_ARRAY_LEN(malformed));
	tcase_add_test(tc,
	    test_a_malformed_lang_frame_is_silent_over_an_unreadable_record);
	return gk_test_main(s);
}
