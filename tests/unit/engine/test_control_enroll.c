/* Enrollment through the frames of a connection.  control 6.5, row by row */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "webauthn_world.h"

START_TEST(test_the_first_credential_is_enrolled_by_the_enrol_click)
{
	const char *options = kept(answer(BEGIN));
	char want[512];

	ck_assert_ptr_nonnull(strstr(options, "{\"type\":\"enroll_options\","
	    "\"challenge\":\""));
	ck_assert_ptr_nonnull(strstr(options, "\"user_id\":\"Y2hyb21l\","
	    "\"user_name\":\"chrome\",\"exclude_credential_ids\":[]}\n"));
	snprintf(want, sizeof(want), "{\"type\":\"enroll_result\",\"ok\":true,"
	    "\"credential_id\":\"%s\"}\n", b64(mine.id, 32));
	ck_assert_str_eq(answer(finish(&mine, options)), want);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    entry(&mine, "chrome")));
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST], "\"epoch\":1,"));
	ck_assert_uint_eq(m.naudits, 1);
	ck_assert_ptr_nonnull(strstr(m.audit[0], "enroll extension ok tool=- "
	    "code=- name=- detail=browser=chrome; credential=webauthn:"));
	ck_assert_ptr_nonnull(strstr(m.audit[0], "; authorized_by=first_use "
	    "cid=-"));
	ENROLL_REFUSED(finish(&mine, options), "no_enrollment_outstanding");
}
END_TEST

START_TEST(test_a_parent_that_is_no_browser_enrolls_nothing)
{
	const char *options;

	options = kept(answer(BEGIN));
	c.parent_is_browser = false;
	ENROLL_REFUSED(BEGIN, "software_confirmation_not_allowed");
	/* Nothing was filled; what was filled before is judged when it ends. */
	ck_assert(c.enroll.full);
	ENROLL_REFUSED(finish(&mine, options),
	    "software_confirmation_not_allowed");
	ck_assert(!c.enroll.full);
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST] != NULL ?
	    m.rec[GK_RECORD_TRUST] : "", "public_key"));
	ENROLL_REFUSED(BEGIN, "software_confirmation_not_allowed");
	ck_assert(!c.enroll.full);
	ENROLL_REFUSED(finish(&mine, options), "no_enrollment_outstanding");
}
END_TEST

START_TEST(test_a_further_credential_takes_the_approval_of_any_other)
{
	const char *request, *options;
	char path[80];

	mine.count = 3;
	enrolled(false, &mine, "edge", NULL, NULL);
	request = kept(answer(BEGIN));
	ck_assert_ptr_nonnull(strstr(request, "\"action\":\"enroll another "
	    "credential for chrome\",\"allowed_credential_ids\":[\""));
	ck_assert_ptr_nonnull(strstr(request, b64(mine.id, 32)));
	ck_assert_ptr_nonnull(strstr(request, "\"]}\n{\"type\":\"enroll_result"
	    "\",\"ok\":false,\"reason\":\"presence_required\"}\n"));
	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"sign_count\":4"));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "presence_assert "
	    "extension ok tool=- code=- name=- detail=act=enroll_begin; "
	    "auth=webauthn:"));
	snprintf(path, sizeof(path), "%.73s",
	    strstr(memstore_audit(&m), "webauthn:"));
	options = kept(answer(BEGIN));
	ck_assert_ptr_nonnull(strstr(options, "\"exclude_credential_ids\":[]"));
	ck_assert_ptr_nonnull(strstr(answer(finish(&other, options)),
	    "\"ok\":true"));
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    entry(&other, "chrome")));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "; authorized_by="));
	ck_assert_ptr_nonnull(strstr(strstr(memstore_audit(&m),
	    "authorized_by="), path));
	/* One approval, one enrollment; ours is excluded from now on. */
	request = answer(BEGIN);
	ck_assert_ptr_nonnull(strstr(request, "presence_required"));
}
END_TEST

START_TEST(test_an_approval_lasts_60_seconds)
{
	const char *request;
	int64_t then;

	enrolled(false, &mine, "edge", NULL, NULL);
	request = kept(answer(BEGIN));
	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	then = gk_now(t.ctx);
	gk_test_time(&t, then + GK_APPROVAL_MS - 1);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "enroll_options"));
	request = kept(answer(BEGIN));
	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	gk_test_time(&t, gk_now(t.ctx) + GK_APPROVAL_MS);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
}
END_TEST

/* An approval by mine, of "edge", and what it allows. */
static void
approve(void)
{
	const char *request = kept(answer(BEGIN));

	ck_assert_str_eq(answer(tap(&mine, request)), OK);
	ck_assert(c.approval.full);
}

START_TEST(test_an_approval_goes_with_the_credential_that_gave_it)
{
	/* Revoked by whomever, others stay: it takes another approval. */
	enrolled(false, &mine, "edge", &other, "brave");
	approve();
	enrolled(false, &other, "brave", NULL, NULL);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
	ck_assert(!c.approval.full);
	/* Nobody stays: the next is first use, and approved by nobody. */
	enrolled(false, &mine, "edge", NULL, NULL);
	approve();
	record(false, "");
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "enroll_options"));
	ck_assert(c.enroll.full && c.enroll.proof == NULL);
	ck_assert(!c.approval.full);
	/* Forgotten on this very connection. */
	enrolled(false, &mine, "chrome", &other, "brave");
	approve();
	ck_assert_ptr_nonnull(strstr(answer("{\"type\":\"browser_revoke\"}"),
	    "\"ok\":true"));
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
	/* Another one's revocation is not its. */
	enrolled(false, &mine, "edge", &other, "brave");
	approve();
	enrolled(false, &mine, "edge", NULL, NULL);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "enroll_options"));
}
END_TEST

START_TEST(test_an_approved_enrollment_goes_with_it_too)
{
	struct softkey third;
	const char *options;

	softkey_init(&third, 33, 32);
	enrolled(false, &mine, "edge", &other, "brave");
	approve();
	options = kept(answer(BEGIN));
	enrolled(false, &other, "brave", NULL, NULL);
	ENROLL_REFUSED(finish(&third, options), "credential_not_enrolled");
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"chrome\""));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m),
	    "enroll extension refused "));
	/* Where nobody is left, it is no first use behind one's back. */
	enrolled(false, &mine, "edge", NULL, NULL);
	approve();
	options = kept(answer(BEGIN));
	record(false, "");
	ENROLL_REFUSED(finish(&third, options), "credential_not_enrolled");
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"chrome\""));
	/* And while it stands, so does what it approved. */
	enrolled(false, &mine, "edge", &other, "brave");
	approve();
	options = kept(answer(BEGIN));
	enrolled(false, &mine, "edge", NULL, NULL);
	ck_assert_ptr_nonnull(strstr(answer(finish(&third, options)),
	    "\"ok\":true"));
}
END_TEST

START_TEST(test_engaging_the_switch_voids_what_was_approved)
{
	const char *request, *options;
	struct softkey third;

	softkey_init(&third, 33, 32);
	enrolled(false, &mine, "edge", NULL, NULL);
	approve();
	answer(ENGAGE);
	ck_assert(!c.approval.full);
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
	approve();
	options = kept(answer(BEGIN));
	answer(ENGAGE);
	ENROLL_REFUSED(finish(&third, options), "no_enrollment_outstanding");
	/* Of a tap that waits for the lock meanwhile there is nothing left. */
	request = kept(answer(BEGIN));
	m.locked = true;
	ck_assert_str_eq(answer(tap(&mine, request)), "");
	answer(ENGAGE);
	m.locked = false;
	run_until(gk_now(t.ctx) + 100);
	(void)sent();
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"chrome\""));
}
END_TEST

/* The record as it is, with the switch engaged at a terminal. */
static void
engaged_elsewhere(void)
{
	char text[16384], *at;

	snprintf(text, sizeof(text), "%s", m.rec[GK_RECORD_TRUST]);
	at = strstr(text, "\"kill_epoch\":5");
	ck_assert_ptr_nonnull(at);
	at[strlen("\"kill_epoch\":")] = '4';
	memstore_set(&m, GK_RECORD_TRUST, text);
}

START_TEST(test_a_switch_engaged_elsewhere_voids_it_too)
{
	const char *options;
	struct softkey third;

	softkey_init(&third, 33, 32);
	enrolled(false, &mine, "edge", NULL, NULL);
	approve();
	engaged_elsewhere();
	ck_assert_ptr_nonnull(strstr(answer(BEGIN), "presence_required"));
	enrolled(false, &mine, "edge", NULL, NULL);
	approve();
	options = kept(answer(BEGIN));
	engaged_elsewhere();
	ENROLL_REFUSED(finish(&third, options), "no_enrollment_outstanding");
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"chrome\""));
}
END_TEST

START_TEST(test_an_enrollment_lasts_120_seconds)
{
	const char *options = kept(answer(BEGIN));
	int64_t then = gk_now(t.ctx);

	gk_test_time(&t, then + GK_PRESENCE_MS);
	ENROLL_REFUSED(finish(&mine, options), "no_enrollment_outstanding");
	options = kept(answer(BEGIN));
	gk_test_time(&t, gk_now(t.ctx) + GK_PRESENCE_MS - 1);
	ck_assert_ptr_nonnull(strstr(answer(finish(&mine, options)),
	    "\"ok\":true"));
}
END_TEST

START_TEST(test_no_click_approves_a_further_credential)
{
	const char *request;

	enrolled(false, &mine, "edge", NULL, NULL);
	request = kept(answer(BEGIN));
	REFUSED(click(request), "software_confirmation_not_allowed");
	ck_assert_str_eq(memstore_audit(&m), "presence_assert extension "
	    "refused tool=- code=software_confirmation_not_allowed name=- "
	    "detail=act=enroll_begin; auth=none cid=-");
	/* Not even where the record has become empty. */
	request = kept(answer(BEGIN));
	record(false, "");
	REFUSED(click(request), "software_confirmation_not_allowed");
}
END_TEST

START_TEST(test_first_use_is_over_once_somebody_else_has_enrolled)
{
	const char *options = kept(answer(BEGIN));

	enrolled(false, &other, "edge", NULL, NULL);
	ENROLL_REFUSED(finish(&mine, options), "machine_already_enrolled");
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"chrome\""));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m),
	    "enroll extension refused "));
}
END_TEST

START_TEST(test_the_same_credential_replaces_its_entry)
{
	const char *request, *options;

	enrolled(false, &mine, "edge", &other, "chrome");
	request = kept(answer(BEGIN));
	ck_assert_str_eq(answer(tap(&other, request)), OK);
	options = kept(answer(BEGIN));
	ck_assert_ptr_nonnull(strstr(options, b64(other.id, 16)));
	ck_assert_ptr_null(strstr(options, b64(mine.id, 32)));
	mine.count = 40;
	ck_assert_ptr_nonnull(strstr(answer(finish(&mine, options)),
	    "\"ok\":true"));
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    entry(&mine, "chrome")));
	ck_assert_ptr_null(strstr(m.rec[GK_RECORD_TRUST], "\"edge\""));
}
END_TEST

START_TEST(test_an_enrollment_that_is_not_as_it_should_be)
{
	const char *options = kept(answer(BEGIN));

	ENROLL_REFUSED(finish_with(&mine, options, "https://example.com"),
	    "origin_mismatch");
	ENROLL_REFUSED(finish(&mine, options), "no_enrollment_outstanding");
	answer(BEGIN);
	ENROLL_REFUSED("{\"type\":\"enroll_finish\",\"attestation_object\":"
	    "\"AA==\",\"client_data_json\":\"!\"}",
	    "encoding: attestation_object");
	answer(BEGIN);
	ENROLL_REFUSED("{\"type\":\"enroll_finish\",\"attestation_object\":"
	    "\"AA\",\"client_data_json\":\"!\"}",
	    "encoding: client_data_json");
	answer(BEGIN);
	ENROLL_REFUSED("{\"type\":\"enroll_finish\",\"attestation_object\":"
	    "\"\",\"client_data_json\":\"\"}", "attestation_malformed");
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "enroll extension "
	    "refused tool=- code=- name=- detail=browser=chrome; "
	    "credential=none; authorized_by=first_use cid=-"));
	ck_assert_ptr_null(m.rec[GK_RECORD_TRUST]);
}
END_TEST

START_TEST(test_an_enrollment_that_cannot_be_written_is_a_store_error)
{
	const char *options = kept(answer(BEGIN));

	m.replace_error = GENKAN_E_IO;
	ENROLL_REFUSED(finish(&mine, options), "store_error: "
	    "/state/trust.json cannot be written: the disk is full");
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m),
	    "enroll extension error "));
	m.replace_error = 0;
	options = kept(answer(BEGIN));
	m.locked = true;
	ck_assert_str_eq(answer(finish(&mine, options)), "");
	run_until(gk_now(t.ctx) + 1999);
	ck_assert_str_eq(sent(), "");
	run_until(gk_now(t.ctx) + 21);
	ck_assert_ptr_nonnull(strstr(sent(), "{\"type\":\"enroll_result\","
	    "\"ok\":false,\"reason\":\"store_error: the record lock "));
	memstore_break(&m, GK_RECORD_TRUST);
	m.locked = false;
	ck_assert_ptr_nonnull(strstr(answer(BEGIN),
	    "\"reason\":\"store_error: /state/trust.json"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_enroll");
	TCase *tc = webauthn_tcase(s, "None");

	tcase_add_test(tc,
	    test_the_first_credential_is_enrolled_by_the_enrol_click);
	tcase_add_test(tc, test_a_parent_that_is_no_browser_enrolls_nothing);
	tcase_add_test(tc,
	    test_a_further_credential_takes_the_approval_of_any_other);
	tcase_add_test(tc, test_an_approval_lasts_60_seconds);
	tcase_add_test(tc, test_an_enrollment_lasts_120_seconds);
	tcase_add_test(tc,
	    test_an_approval_goes_with_the_credential_that_gave_it);
	tcase_add_test(tc, test_an_approved_enrollment_goes_with_it_too);
	tcase_add_test(tc, test_engaging_the_switch_voids_what_was_approved);
	tcase_add_test(tc, test_a_switch_engaged_elsewhere_voids_it_too);
	tcase_add_test(tc, test_no_click_approves_a_further_credential);
	tcase_add_test(tc,
	    test_first_use_is_over_once_somebody_else_has_enrolled);
	tcase_add_test(tc, test_the_same_credential_replaces_its_entry);
	tcase_add_test(tc, test_an_enrollment_that_is_not_as_it_should_be);
	tcase_add_test(tc,
	    test_an_enrollment_that_cannot_be_written_is_a_store_error);
	return gk_test_main(s);
}
