/* Taps through the frames of a connection.  control 6.5, row by row */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "webauthn_world.h"

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
	ck_assert_str_eq(answered, OK KILL_OFF);
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
		ck_assert_str_eq(answer(tap(&mine, request)), OK KILL_OFF);
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

int
main(void)
{
	Suite *s = suite_create("control_tap");
	TCase *tc = webauthn_tcase(s, "None");

	tcase_add_test(tc, test_a_tap_releases_the_switch_once);
	tcase_add_test(tc,
	    test_the_counter_is_on_disk_before_the_proof_exists);
	tcase_add_test(tc, test_the_counter_rule_holds_again_under_the_lock);
	tcase_add_test(tc,
	    test_an_authenticator_without_a_counter_stays_at_zero);
	tcase_add_test(tc, test_a_tap_that_does_not_count);
	tcase_add_loop_test(tc,
	    test_bytes_that_are_no_base64url_are_refused_first, 0,
	    GK_ARRAY_LEN(encodings));
	tcase_add_loop_test(tc, test_bytes_beyond_their_bound_are_refused, 0,
	    GK_ARRAY_LEN(bounds));
	return gk_test_main(s);
}
