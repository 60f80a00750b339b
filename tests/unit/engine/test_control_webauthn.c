/*
 * Enrollment, taps and clicks through the frames of a connection: the table of
 * states of control 6.5, row by row, with a software authenticator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "codec/b64.h"
#include "control_world.h"
#include "softkey.h"

#define ORIGIN	"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl"
#define KILLED	MEM_TRUST(5, true, 5, 0, 0, 0, "null")
#define FREED	"{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":false}\n"
#define OK	"{\"type\":\"presence_result\",\"ok\":true}\n"
#define RELEASE	"{\"type\":\"kill_release\"}"
#define BEGIN	"{\"type\":\"enroll_begin\"}"

static struct softkey mine, other;

static void
setup(void)
{
	control_setup();
	c.parent_is_browser = true;
	softkey_init(&mine, 11, 32);
	softkey_init(&other, 22, 16);
}

/* ------------------------------------------------------------------- frames */

static const char *
b64(const void *bytes, size_t len)
{
	static char text[4][8192];
	static unsigned turn;
	char *ret = text[turn++ % 4];
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, sizeof(text[0]) - 1);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_URL, bytes, len), 0);
	if (b.len > 0)
		memcpy(ret, b.ptr, b.len);
	ret[b.len] = '\0';
	gk_buf_done(&b);
	return ret;
}

/* The string member of the frame that was sent, copied. */
static const char *
member(const char *frames, const char *name, char ret[64])
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":\"", name);
	at = strstr(frames, key);
	ck_assert_msg(at != NULL, "no %s in %s", name, frames);
	snprintf(ret, 64, "%.43s", at + strlen(key));
	return ret;
}

/* enroll_finish for the options that were sent. */
static const char *
finish_with(struct softkey *k, const char *options, const char *origin)
{
	static char frame[16384];
	uint8_t ad[SOFTKEY_MAX], obj[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX], challenge[64];
	size_t n, m2;

	n = softkey_authdata(k, ORIGIN, 0x45, ad);
	n = softkey_attestation(ad, n, obj);
	m2 = softkey_client_data("webauthn.create", member(options,
	    "challenge", challenge), origin, cd);
	snprintf(frame, sizeof(frame), "{\"type\":\"enroll_finish\","
	    "\"attestation_object\":\"%s\",\"client_data_json\":\"%s\"}",
	    b64(obj, n), b64(cd, m2));
	return frame;
}

static const char *
finish(struct softkey *k, const char *options)
{
	return finish_with(k, options, ORIGIN);
}

static const char *
assert_with(struct softkey *k, const char *request, const char *origin)
{
	static char frame[16384];
	uint8_t ad[SOFTKEY_MAX], sig[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX], challenge[64];
	size_t n, m2, s;

	k->count++;
	n = softkey_authdata(k, ORIGIN, 0x05, ad);
	m2 = softkey_client_data("webauthn.get", member(request, "challenge",
	    challenge), origin, cd);
	s = softkey_sign(k, ad, n, cd, m2, sig);
	snprintf(frame, sizeof(frame), "{\"type\":\"presence_assert\","
	    "\"credential_id\":\"%s\",\"authenticator_data\":\"%s\","
	    "\"client_data_json\":\"%s\",\"signature\":\"%s\"}",
	    b64(k->id, k->idlen), b64(ad, n), b64(cd, m2), b64(sig, s));
	return frame;
}

static const char *
tap(struct softkey *k, const char *request)
{
	return assert_with(k, request, ORIGIN);
}

static const char *
click(const char *request)
{
	static char frame[128];
	char nonce[64];

	snprintf(frame, sizeof(frame), "{\"type\":\"presence_confirm\","
	    "\"nonce\":\"%s\"}", member(request, "nonce", nonce));
	return frame;
}

/* What is sent stays where it is until the next call: keep it. */
static const char *
kept(const char *s)
{
	static char copy[65536];

	snprintf(copy, sizeof(copy), "%s", s);
	return copy;
}

static const char *
entry(const struct softkey *k, const char *label)
{
	static char text[2][4096];
	static unsigned turn;
	char *ret = text[turn++ % 2];

	snprintf(ret, 4096, "{\"label\":\"%s\",\"credential\":{\"id\":\"%s\","
	    "\"public_key\":\"%s\",\"sign_count\":%u,\"backup_eligible\":"
	    "false}}", label, b64(k->id, k->idlen), b64(k->point, 65),
	    k->count);
	return ret;
}

/* A record with the given enrollments, "" or one entry or two. */
static void
record(bool killed, const char *enrollments)
{
	char text[16384];

	snprintf(text, sizeof(text), "{\"version\":0,\"epoch\":5,\"killed\":%s,"
	    "\"kill_epoch\":5,\"host_key_epoch\":0,\"policy_epoch\":0,"
	    "\"lang_epoch\":0,\"clients\":null,\"enrollments\":[%s]}",
	    killed ? "true" : "false", enrollments);
	memstore_set(&m, GK_RECORD_TRUST, text);
}

static void
enrolled(bool killed, const struct softkey *a, const char *alabel,
    const struct softkey *b, const char *blabel)
{
	char both[8192];

	snprintf(both, sizeof(both), "%s%s%s", entry(a, alabel),
	    b != NULL ? "," : "", b != NULL ? entry(b, blabel) : "");
	record(killed, both);
}

static void
refused(const char *frames, const char *result, const char *reason)
{
	char want[512];

	snprintf(want, sizeof(want), "{\"type\":\"%s\",\"ok\":false,"
	    "\"reason\":\"%s\"}\n", result, reason);
	ck_assert_str_eq(frames, want);
}

#define REFUSED(frame, code)	refused(answer(frame), "presence_result", code)
#define ENROLL_REFUSED(frame, code) \
	refused(answer(frame), "enroll_result", code)

/* --------------------------------------------------------------- enrollment */

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

#define ENGAGE	"{\"type\":\"kill_engage\"}"

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

/* --------------------------------------------------------------------- taps */

START_TEST(test_a_tap_releases_the_switch_once)
{
	const char *request, *answered;
	char again[16384];

	enrolled(true, &mine, "chrome", &other, "edge");
	request = kept(answer(RELEASE));
	ck_assert_ptr_nonnull(strstr(request, "\"action\":\"release the kill "
	    "switch\",\"allowed_credential_ids\":[\""));
	ck_assert_ptr_nonnull(strstr(request, b64(mine.id, 32)));
	ck_assert_ptr_null(strstr(request, b64(other.id, 16)));
	snprintf(again, sizeof(again), "%s", tap(&mine, request));
	answered = answer(again);
	ck_assert_str_eq(answered, OK FREED);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    entry(&mine, "chrome")));
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":false"));
	ck_assert_uint_eq(m.naudits, 2);
	ck_assert_ptr_nonnull(strstr(m.audit[0], "presence_assert extension "
	    "ok tool=- code=- name=- detail=act=kill_release; "
	    "auth=webauthn:"));
	ck_assert_ptr_nonnull(strstr(m.audit[1], "kill_release extension ok "
	    "tool=- code=- name=- detail=auth=webauthn:"));
	REFUSED(again, "no_request_outstanding");
	/* The same answer to another request: another challenge. */
	enrolled(true, &mine, "chrome", NULL, NULL);
	answer(RELEASE);
	REFUSED(again, "sign_count_not_increased");
}
END_TEST

START_TEST(test_the_counter_is_on_disk_before_the_proof_exists)
{
	const char *request;

	enrolled(true, &mine, "chrome", NULL, NULL);
	request = kept(answer(RELEASE));
	m.replace_error = GENKAN_E_IO;
	REFUSED(tap(&mine, request), "store_error: /state/trust.json cannot "
	    "be written: the disk is full");
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "code=store_error "
	    "name=- detail=act=kill_release; auth=none"));
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
	ck_assert_uint_eq(m.replaces, 1);
	m.replace_error = 0;
	/* The lock is never had: nothing is granted. */
	request = kept(answer(RELEASE));
	m.locked = true;
	ck_assert_str_eq(answer(tap(&mine, request)), "");
	run_until(gk_now(t.ctx) + 2021);
	ck_assert_ptr_nonnull(strstr(sent(), "{\"type\":\"presence_result\","
	    "\"ok\":false,\"reason\":\"store_error: the record lock "));
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
}
END_TEST

/* While a tap waits for the lock, another host gets there first. */
static void
race(const struct softkey *stored, const char *label, const char *code)
{
	const char *request;

	enrolled(true, &mine, "chrome", NULL, NULL);
	request = kept(answer(RELEASE));
	m.locked = true;
	ck_assert_str_eq(answer(tap(&mine, request)), "");
	m.locked = false;
	if (stored != NULL)
		enrolled(true, stored, label, NULL, NULL);
	else
		record(true, "");
	run_until(gk_now(t.ctx) + 20);
	refused(sent(), "presence_result", code);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
}

START_TEST(test_the_counter_rule_holds_again_under_the_lock)
{
	struct softkey ahead;

	ahead = mine;
	ahead.count = mine.count + 1;
	race(&ahead, "chrome", "sign_count_not_increased");
	race(NULL, NULL, "credential_not_enrolled");
	race(&mine, "edge", "credential_not_enrolled");
	ahead = other;
	memcpy(ahead.id, mine.id, 32);
	ahead.idlen = 32;
	race(&ahead, "chrome", "credential_not_enrolled");
}
END_TEST

START_TEST(test_an_authenticator_without_a_counter_stays_at_zero)
{
	const char *request;
	int i;

	mine.count = 0;
	enrolled(true, &mine, "chrome", NULL, NULL);
	for (i = 0; i < 2; i++) {
		request = kept(answer(RELEASE));
		mine.count = UINT32_MAX;	/* tap() adds one */
		ck_assert_str_eq(answer(tap(&mine, request)), OK FREED);
		mine.count = 0;
		enrolled(true, &mine, "chrome", NULL, NULL);
	}
}
END_TEST

START_TEST(test_a_tap_that_does_not_count)
{
	const char *request;

	enrolled(true, &mine, "chrome", &other, "edge");
	request = kept(answer(RELEASE));
	REFUSED(tap(&other, request), "wrong_browser_label");
	/* A refusal empties the slot, whatever it was. */
	REFUSED(tap(&mine, request), "no_request_outstanding");
	request = kept(answer(RELEASE));
	softkey_init(&other, 33, 24);
	REFUSED(tap(&other, request), "credential_not_enrolled");
	request = kept(answer(RELEASE));
	REFUSED(assert_with(&mine, request, "https://example.com"),
	    "origin_mismatch");
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "presence_assert "
	    "extension refused tool=- code=origin_mismatch name=- "
	    "detail=act=kill_release; auth=none"));
	answer(RELEASE);
	REFUSED(tap(&mine, "\"challenge\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
	    "GBkaGxwdHh8\""), "challenge_mismatch");
	request = kept(answer(RELEASE));
	mine.scalar[5] ^= 1;
	REFUSED(tap(&mine, request), "signature_invalid");
	mine.scalar[5] ^= 1;
	request = kept(answer(RELEASE));
	gk_test_time(&t, gk_now(t.ctx) + GK_PRESENCE_MS);
	REFUSED(tap(&mine, request), "no_request_outstanding");
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
}
END_TEST

static const char *const encodings[][2] = {
	{ "\"credential_id\":\"A\"", "credential_id" },
	{ "\"credential_id\":\"AA=\"", "credential_id" },
	{ "\"authenticator_data\":\"a b\"", "authenticator_data" },
	{ "\"client_data_json\":\"+/\"", "client_data_json" },
	{ "\"signature\":\"AB\"", "signature" },
};

/* The first in the order of the frame's table; 7.5: before anything else. */
START_TEST(test_bytes_that_are_no_base64url_are_refused_first)
{
	static const char *const names[] = { "credential_id",
		"authenticator_data", "client_data_json", "signature" };
	char frame[1024], want[128];
	size_t i, n;

	enrolled(true, &mine, "chrome", NULL, NULL);
	answer(RELEASE);
	memstore_break(&m, GK_RECORD_TRUST);
	n = (size_t)snprintf(frame, sizeof(frame),
	    "{\"type\":\"presence_assert\",%s", encodings[_i][0]);
	for (i = 0; i < GK_ARRAY_LEN(names); i++)
		if (strcmp(names[i], encodings[_i][1]) != 0)
			n += (size_t)snprintf(frame + n, sizeof(frame) - n,
			    ",\"%s\":\"\"", names[i]);
	snprintf(frame + n, sizeof(frame) - n, "}");
	snprintf(want, sizeof(want), "encoding: %s", encodings[_i][1]);
	REFUSED(frame, want);
}
END_TEST

/* One byte more than the bound, and the bound itself. */
static const struct {
	const char	*name;
	size_t		 max;
} bounds[] = {
	{ "credential_id", 1023 }, { "authenticator_data", 4096 },
	{ "client_data_json", 8192 }, { "signature", 72 },
};

START_TEST(test_bytes_beyond_their_bound_are_refused)
{
	static uint8_t zero[8200];
	char frame[16384], want[128], text[12000];
	size_t over, i, n;

	enrolled(true, &mine, "chrome", NULL, NULL);
	for (over = 0; over < 2; over++) {
		answer(RELEASE);
		snprintf(text, sizeof(text), "%s", "");
		for (i = 0; i < bounds[_i].max + over; i += 3) {
			n = bounds[_i].max + over - i;
			strcat(text, b64(zero, n < 3 ? n : 3));
		}
		n = (size_t)snprintf(frame, sizeof(frame),
		    "{\"type\":\"presence_assert\"");
		for (i = 0; i < GK_ARRAY_LEN(bounds); i++)
			n += (size_t)snprintf(frame + n, sizeof(frame) - n,
			    ",\"%s\":\"%s\"", bounds[i].name,
			    i == (size_t)_i ? text : "");
		snprintf(frame + n, sizeof(frame) - n, "}");
		snprintf(want, sizeof(want), "encoding: %s", bounds[_i].name);
		REFUSED(frame, over == 1 ? want : "credential_not_enrolled");
	}
}
END_TEST

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
	ck_assert_str_eq(answer(click(request)), OK FREED);
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
	ck_assert_str_eq(answer(click(request)), OK FREED);
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
	ck_assert_str_eq(answer(tap(&mine, request)), OK FREED);
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
	ck_assert_str_eq(answer(tap(&mine, request)), OK FREED);
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

static void
add_enrollment(TCase *tc)
{
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
}

static void
add_taps(TCase *tc)
{
	tcase_add_test(tc, test_a_tap_releases_the_switch_once);
	tcase_add_test(tc,
	    test_the_counter_is_on_disk_before_the_proof_exists);
	tcase_add_test(tc, test_the_counter_rule_holds_again_under_the_lock);
	tcase_add_test(tc,
	    test_an_authenticator_without_a_counter_stays_at_zero);
	tcase_add_test(tc, test_a_tap_that_does_not_count);
	tcase_add_loop_test(tc,
	    test_bytes_that_are_no_base64url_are_refused_first, 0,
	    (int)GK_ARRAY_LEN(encodings));
	tcase_add_loop_test(tc, test_bytes_beyond_their_bound_are_refused, 0,
	    (int)GK_ARRAY_LEN(bounds));
}

int
main(void)
{
	Suite *s = suite_create("control_webauthn");
	TCase *tc = tcase_create("frames");

	tcase_add_checked_fixture(tc, setup, control_teardown);
	add_enrollment(tc);
	add_taps(tc);
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
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
