/* Control frames and envelopes: tags, members, answers. */
#include <stdio.h>

#include "contract/schema.h"
#include "tap.h"

/*
 * tag, direction, members, answer to a malformed one.  A member is its name,
 * then ? optional, + with ok, - without ok, ~ with ok and optional.
 */
static const struct {
	const char	*tag;
	char		 dir;
	const char	*members, *bad;
	enum gk_bad	 form;
} want[] = {
	{ "enclave_challenge", 'B', "nonce context?", "enclave_error", GK_BAD_CHALLENGE },
	{ "enclave_proof", 'H', "sig key_id pubkey", NULL, GK_BAD_DROP },
	{ "enclave_error", 'H', "reason", NULL, GK_BAD_DROP },
	{ "enclave_revoke", 'B', "", NULL, GK_BAD_DROP },
	{ "enclave_revoked", 'H', "", NULL, GK_BAD_DROP },
	{ "client_list", 'B', "", "client_list_result", GK_BAD_CLIENTS },
	{ "kill_status", 'B', "", "kill_status_result", GK_BAD_ERROR },
	{ "doctor_report", 'B', "", "doctor_report_result", GK_BAD_ERROR },
	{ "registration_status", 'B', "", "registration_status_result", GK_BAD_ERROR },
	{ "client_list_result", 'H', "ok enrolled clients error-", NULL, GK_BAD_DROP },
	{ "client_revoke", 'B', "name", "client_revoke_result", GK_BAD_ERROR },
	{ "client_pair", 'B', "name anchor", "client_pair_result", GK_BAD_ERROR },
	{ "client_revoke_result", 'H', "ok error-", NULL, GK_BAD_DROP },
	{ "client_pair_result", 'H', "ok error-", NULL, GK_BAD_DROP },
	{ "kill_engage", 'B', "", "kill_status_result", GK_BAD_ERROR },
	{ "kill_release", 'B', "", "kill_status_result", GK_BAD_ERROR },
	{ "kill_status_result", 'H', "ok killed+ error-", NULL, GK_BAD_DROP },
	{ "audit_event", 'B', "kind outcome? tool? name? detail? cid?", NULL, GK_BAD_DROP },
	{ "doctor_report_result", 'H', "ok report+ error-", NULL, GK_BAD_DROP },
	{ "audit_read", 'B', "limit?", "audit_read_result", GK_BAD_ERROR },
	{ "audit_read_result", 'H', "ok entries+ older+ path+ error-", NULL, GK_BAD_DROP },
	{ "registration_repair", 'B', "browsers?", "registration_status_result", GK_BAD_ERROR },
	{ "registration_status_result", 'H', "ok browsers+ error-", NULL, GK_BAD_DROP },
	{ "policy_get", 'B', "", "policy_current", GK_BAD_ERROR },
	{ "policy_history", 'B', "", "policy_history_result", GK_BAD_ERROR },
	{ "lang_get", 'B', "", "lang_current", GK_BAD_LANG },
	{ "policy_current", 'H', "ok baseline+ sig~ overlay~ error-", NULL, GK_BAD_DROP },
	{ "policy_restrict", 'B', "overlay", "policy_restrict_result", GK_BAD_ERROR },
	{ "policy_set", 'B', "overlay", "policy_set_result", GK_BAD_ERROR },
	{ "policy_history_result", 'H', "ok entries+ error-", NULL, GK_BAD_DROP },
	{ "policy_rollback", 'B', "revision entry?", "policy_rollback_result", GK_BAD_ERROR },
	{ "policy_restrict_result", 'H', "ok error-", NULL, GK_BAD_DROP },
	{ "policy_set_result", 'H', "ok error-", NULL, GK_BAD_DROP },
	{ "policy_rollback_result", 'H', "ok error-", NULL, GK_BAD_DROP },
	{ "lang_set", 'B', "value", "lang_current", GK_BAD_LANG },
	{ "lang_current", 'H', "value seq", NULL, GK_BAD_DROP },
	{ "enroll_begin", 'B', "", "enroll_result", GK_BAD_REASON },
	{ "enroll_options", 'H', "challenge nonce user_id user_name exclude_credential_ids", NULL, GK_BAD_DROP },
	{ "enroll_finish", 'B', "attestation_object client_data_json", "enroll_result", GK_BAD_REASON },
	{ "enroll_result", 'H', "ok credential_id+ reason-", NULL, GK_BAD_DROP },
	{ "presence_begin", 'B', "action origin", "presence_result", GK_BAD_REASON },
	{ "presence_request", 'H', "challenge nonce action allowed_credential_ids", NULL, GK_BAD_DROP },
	{ "presence_assert", 'B', "credential_id authenticator_data client_data_json signature", "presence_result", GK_BAD_REASON },
	{ "presence_confirm", 'B', "nonce", "presence_result", GK_BAD_REASON },
	{ "presence_result", 'H', "ok reason-", NULL, GK_BAD_DROP },
	{ "browser_revoke", 'B', "", "browser_revoke_result", GK_BAD_REASON },
	{ "browser_revoke_result", 'H', "ok reason-", NULL, GK_BAD_DROP },
};

static void
render(const struct gk_shape_member *m, char *buf, size_t size)
{
	static const char *const mark[] = { "", "?", "+", "~", "-", "%" };
	size_t used = 0;

	buf[0] = '\0';
	for (; m->name != NULL; m++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s%s",
		    used > 0 ? " " : "", m->name, mark[m->when]);
}

START_TEST(test_forty_seven_tags_with_members_and_answers)
{
	const struct gk_tag_row *f;
	char buf[256];
	size_t i, n;

	f = gk_schema_frames(&n);
	ck_assert_uint_eq(n, 47);
	ck_assert_uint_eq(sizeof(want) / sizeof(want[0]), 47);
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(f[i].tag, want[i].tag);
		ck_assert_int_eq(f[i].dir, want[i].dir);
		render(f[i].members, buf, sizeof(buf));
		ck_assert_str_eq(buf, want[i].members);
		if (want[i].bad == NULL)
			ck_assert_int_eq(f[i].bad, GK_TAG_NONE);
		else
			ck_assert_str_eq(f[f[i].bad].tag, want[i].bad);
		ck_assert_int_eq((int)f[i].form, (int)want[i].form);
		ck_assert_int_eq(gk_schema_frame_find(T(want[i].tag)), (int)i);
		ck_assert_ptr_eq(gk_schema_shape((int)i)->members,
		    f[i].members);
	}
}
END_TEST

/* Bridge traffic must not be taken for control. */
START_TEST(test_bridge_types_are_no_control_tags)
{
	static const char *const other[] = {
		"hello", "cancel", "waiting", "challenge", "response", "",
		"kill_statu", "kill_status ", "KILL_STATUS",
	};
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		ck_assert_int_eq(gk_schema_frame_find(T(other[i])), -1);
	ck_assert_int_eq(gk_schema_frame_find("kill_status\0", 12), -1);
	ck_assert_ptr_null(gk_schema_frame(-1));
	ck_assert_ptr_null(gk_schema_frame(GK_TAG_END));
	ck_assert_ptr_null(gk_schema_shape(-1));
	ck_assert_ptr_null(gk_schema_shape(GK_SHAPE_END));
}
END_TEST

/* Whoever asks is answered by a frame of the other direction. */
START_TEST(test_every_request_has_an_answer_but_audit_event)
{
	const struct gk_reply *r;
	int answers[GK_TAG_END] = { 0 };
	size_t i, n;
	int tag;

	r = gk_schema_replies(&n);
	for (i = 0; i < n; i++) {
		ck_assert_int_eq(gk_schema_frame((int)r[i].frame)->dir, 'B');
		ck_assert_int_eq(gk_schema_frame((int)r[i].answer)->dir, 'H');
		answers[r[i].frame]++;
	}
	for (tag = 0; tag < GK_TAG_END; tag++)
		ck_assert_int_eq(answers[tag] > 0, tag != GK_TAG_AUDIT_EVENT &&
		    gk_schema_frame(tag)->dir == 'B');
}
END_TEST

static void
shape_is(enum gk_shape_id id, const char *members)
{
	char buf[256];

	render(gk_schema_shape((int)id)->members, buf, sizeof(buf));
	ck_assert_str_eq(buf, members);
}

START_TEST(test_shapes_of_the_bridge)
{
	shape_is(GK_SHAPE_LOCK_FILE, "endpoint secret pid state_dir");
	shape_is(GK_SHAPE_HANDSHAKE_CHALLENGE, "type nonce");
	shape_is(GK_SHAPE_HANDSHAKE_RESPONSE, "type mac label?");
	shape_is(GK_SHAPE_ATTACH_BROWSER, "attach");
	shape_is(GK_SHAPE_ATTACH_CLIENT, "attach harness?");
	shape_is(GK_SHAPE_HARNESS, "hash signer? name?");
	shape_is(GK_SHAPE_ATTACH_ACCEPTED, "attach_reply");
	shape_is(GK_SHAPE_ATTACH_DECLINED, "attach_reply reason");
	shape_is(GK_SHAPE_BRIDGE_REQUEST, "id op browser? args");
	shape_is(GK_SHAPE_BRIDGE_RESPONSE, "id ok data~ error- code%");
	shape_is(GK_SHAPE_CANCEL, "type id");
	shape_is(GK_SHAPE_HELLO, "type protocol capabilities");
	shape_is(GK_SHAPE_WAITING, "type id");
	ck_assert_int_eq(gk_schema_shape(GK_SHAPE_LOCK_FILE)->lenient, 1);
	ck_assert_int_eq(gk_schema_shape(GK_SHAPE_HELLO)->lenient, 0);
	ck_assert_int_eq(gk_schema_shape(GK_SHAPE_ATTACH_CLIENT)->first,
	    GK_SHAPE_ATTACH_BROWSER);
}
END_TEST

START_TEST(test_shapes_of_the_records)
{
	shape_is(GK_SHAPE_TRUST_RECORD, "version epoch killed kill_epoch "
	    "host_key_epoch policy_epoch lang_epoch clients enrollments");
	shape_is(GK_SHAPE_CLIENT, "name anchor added_unix");
	shape_is(GK_SHAPE_POLICY_RECORD,
	    "version baseline_b64? sig_b64? key_id? overlay?");
	shape_is(GK_SHAPE_LANG_RECORD, "version value seq");
	ck_assert_int_eq(gk_schema_member_find(gk_schema_shape(
	    GK_SHAPE_TRUST_RECORD), T("clients"))->flags, GK_MF_NULL);
}
END_TEST

/* The three policy objects follow policy.def, in its order. */
START_TEST(test_policy_objects_hold_the_fifteen_fields)
{
	const struct gk_policy_field *p;
	const struct gk_shape_member *over, *all, *doc;
	size_t i, n;

	p = gk_schema_policy(&n);
	over = gk_schema_shape(GK_SHAPE_OVERLAY)->members;
	all = gk_schema_shape(GK_SHAPE_POLICY_FIELDS)->members;
	doc = gk_schema_shape(GK_SHAPE_POLICY_DOCUMENT)->members;
	ck_assert_str_eq(doc[0].name, "v");
	ck_assert_str_eq(doc[1].name, "revision");
	ck_assert_str_eq(doc[2].name, "touched");
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(over[i].name, p[i].name);
		ck_assert_str_eq(all[i].name, p[i].name);
		ck_assert_str_eq(doc[i + 3].name, p[i].name);
		ck_assert_int_eq((int)over[i].when, GK_WHEN_OPT);
		ck_assert_int_eq((int)all[i].when, GK_WHEN_REQ);
		ck_assert_int_eq((int)over[i].kind,
		    p[i].kind == GK_PKIND_MS ? GK_KIND_UINT :
		    p[i].kind == GK_PKIND_SET ? GK_KIND_TEXT : GK_KIND_BOOL);
	}
	ck_assert_ptr_null(over[n].name);
	ck_assert_ptr_null(all[n].name);
	ck_assert_ptr_null(doc[n + 3].name);
}
END_TEST

START_TEST(test_bounds_of_the_credential_frames)
{
	static const struct {
		enum gk_tag	 tag;
		const char	*name;
		int64_t		 hi;
	} b[] = {
		{ GK_TAG_ENROLL_FINISH, "attestation_object", 16384 },
		{ GK_TAG_ENROLL_FINISH, "client_data_json", 8192 },
		{ GK_TAG_PRESENCE_ASSERT, "credential_id", 1023 },
		{ GK_TAG_PRESENCE_ASSERT, "authenticator_data", 4096 },
		{ GK_TAG_PRESENCE_ASSERT, "client_data_json", 8192 },
		{ GK_TAG_PRESENCE_ASSERT, "signature", 72 },
	};
	const struct gk_shape_member *m;
	size_t i;

	for (i = 0; i < sizeof(b) / sizeof(b[0]); i++) {
		m = gk_schema_member_find(gk_schema_shape((int)b[i].tag),
		    T(b[i].name));
		ck_assert_int_eq(m->hi, b[i].hi);
		ck_assert_int_eq((int)m->kind, GK_KIND_B64URL);
		/* refused by the act with its own code, not as malformed */
		ck_assert_int_eq(m->flags & GK_MF_ACT, GK_MF_ACT);
	}
	ck_assert_ptr_null(gk_schema_member_find(NULL, T("ok")));
}
END_TEST

START_TEST(test_sets_end_and_answer_places)
{
	int set;

	for (set = 0; set < GK_SET_END; set++)
		ck_assert_ptr_nonnull(gk_schema_set(set));
	for (set = 1; set < GK_SET_END; set++)
		ck_assert_ptr_nonnull(gk_schema_set(set)[0]);
	ck_assert_ptr_null(gk_schema_set(GK_SET_NONE)[0]);
	ck_assert_ptr_null(gk_schema_set(-1)[0]);
	ck_assert_ptr_null(gk_schema_set(GK_SET_END)[0]);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_ENCLAVE_REASON,
	    T("signing_failed")), 5);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_LANGUAGE, T("zh_TW")), 3);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_LANGUAGE, T("zh_tw")), -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("frames");
	TCase *tc = tcase_create("tables");

	tcase_add_test(tc, test_forty_seven_tags_with_members_and_answers);
	tcase_add_test(tc, test_bridge_types_are_no_control_tags);
	tcase_add_test(tc, test_every_request_has_an_answer_but_audit_event);
	tcase_add_test(tc, test_shapes_of_the_bridge);
	tcase_add_test(tc, test_shapes_of_the_records);
	tcase_add_test(tc, test_policy_objects_hold_the_fifteen_fields);
	tcase_add_test(tc, test_bounds_of_the_credential_frames);
	tcase_add_test(tc, test_sets_end_and_answer_places);
	suite_add_tcase(s, tc);
	return tap_main(s);
}
