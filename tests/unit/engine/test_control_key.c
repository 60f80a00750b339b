/* The host key on the wire, and what waits for it: control 2.2, 2.4, 2.9. */
#include "control_world.h"

#include <stdio.h>
#include <string.h>

#include "codec/hex.h"
#include "crypto/ossl.h"

/* RFC 6979 A.2.5, as a record. */
#define KEY	"{\"version\":0,\"scalar\":" \
	"\"ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyE=\"}"
#define FIXTURE	"{\"version\":0,\"scalar\":" \
	"\"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=\"}"
#define CHALLENGE	"{\"type\":\"enclave_challenge\",\"nonce\":\"abc\"}"
#define REVOKE		"{\"type\":\"enclave_revoke\"}"
#define ERROR(code)	"{\"type\":\"enclave_error\",\"reason\":\"" code "\"}\n"

static void
feed(const char *s)
{
	struct gk_control_frame f;

	classify(s, &f);
	gk_control_answer(&c, &f);
}

START_TEST(test_a_proof_has_its_members)
{
	memstore_set(&m, GK_RECORD_HOST_KEY, KEY);
	ck_assert_ptr_eq(strstr(answer(CHALLENGE),
	    "{\"type\":\"enclave_proof\",\"sig\":\""), got);
	ck_assert_ptr_nonnull(strstr(got, "\",\"pubkey\":\"BGD+1LolWp0x"));
	ck_assert(!gk_control_busy(&c));
}
END_TEST

START_TEST(test_a_fixture_key_signs_nothing)
{
	memstore_set(&m, GK_RECORD_HOST_KEY, FIXTURE);
	ck_assert_str_eq(answer(CHALLENGE), ERROR("key_invalid"));
}
END_TEST

/* Each with the code that its answer names. */
START_TEST(test_what_a_job_says_is_what_goes_out)
{
	static const char *const want[] = {
		[GK_KEY_UNSUPPORTED] = ERROR("unsupported_platform"),
		[GK_KEY_NONE] = ERROR("not_enrolled"),
		[GK_KEY_BAD_CHALLENGE] = ERROR("invalid_challenge"),
		[GK_KEY_INVALID] = ERROR("key_invalid"),
		[GK_KEY_ERROR] = ERROR("keychain_error"),
		[GK_KEY_UNSIGNED] = ERROR("signing_failed"),
	};
	struct gk_key_ask *ask;
	int i;

	for (i = GK_KEY_UNSUPPORTED; i <= GK_KEY_UNSIGNED; i++) {
		feed(CHALLENGE);
		ck_assert(gk_control_busy(&c));
		ask = gk_control_asked(&c);
		ck_assert_ptr_nonnull(ask);
		ck_assert_int_eq(ask->kind, GK_KEY_SIGN);
		ck_assert_uint_eq(ask->len, 22);
		ck_assert_mem_eq(ask + 1, "genkan-enclave-v1\0abc\0", 22);
		ask->answer.code = (enum gk_key_state)i;
		gk_control_key_answered(&c, ask);
		ck_assert_str_eq(sent_so_far(), want[i]);
		ck_assert(!gk_control_busy(&c));
	}
	ck_assert_ptr_null(gk_key_code(GK_KEY_OK));
	ck_assert_str_eq(gk_key_code(GK_KEY_UNSIGNED), "signing_failed");
}
END_TEST

START_TEST(test_an_unreadable_trust_record_is_no_ground_to_sign_on)
{
	memstore_set(&m, GK_RECORD_HOST_KEY, KEY);
	memstore_break(&m, GK_RECORD_TRUST);
	feed(CHALLENGE);
	ck_assert_ptr_null(gk_control_asked(&c));
	ck_assert_str_eq(sent_so_far(), ERROR("keychain_error"));
	/* What is no challenge is said first. */
	ck_assert_str_eq(answer("{\"type\":\"enclave_challenge\",\"nonce\":"
	    "\"a\\u0000b\"}"), ERROR("invalid_challenge"));
}
END_TEST

START_TEST(test_frames_wait_in_order_and_a_kill_overtakes)
{
	memstore_set(&m, GK_RECORD_HOST_KEY, KEY);
	feed(CHALLENGE);
	feed("{\"type\":\"kill_status\"}");
	feed("{\"type\":\"enclave_challenge\"}");
	ck_assert_str_eq(sent_so_far(), "");
	feed("{\"type\":\"kill_engage\"}");
	ck_assert_str_eq(sent_so_far(), KILL_ON);
	ck_assert_str_ne(sent(), "");
	ck_assert_ptr_eq(strstr(got, "{\"type\":\"enclave_proof\""), got);
	ck_assert_str_eq(strchr(got, '\n') + 1,
	    KILL_ON ERROR("invalid_challenge"));
}
END_TEST

START_TEST(test_sixteen_frames_wait_and_then_input_is_not_read)
{
	int i;

	feed(CHALLENGE);
	for (i = 0; i < GK_CONTROL_QUEUE; i++) {
		ck_assert(!gk_control_full(&c));
		feed(CHALLENGE);
	}
	ck_assert(gk_control_full(&c));
	ck_assert_str_ne(sent(), "");
	ck_assert(!gk_control_full(&c));
	for (i = 0; strstr(got, "not_enrolled") != NULL; i++)
		memset(strstr(got, "not_enrolled"), '-', 1);
	ck_assert_int_eq(i, GK_CONTROL_QUEUE + 1);
}
END_TEST

/* ----------------------------------------------------------------- disposal */

START_TEST(test_a_disposal_is_acknowledged_and_recorded)
{
	disposal = GK_KEY_OK;
	feed(REVOKE);
	ck_assert(gk_control_busy(&c));
	ck_assert_str_eq(sent(), REVOKED);
	ck_assert_ptr_eq(strstr(memstore_audit(&m),
	    "host_key_revoke extension ok"), memstore_audit(&m));
}
END_TEST

START_TEST(test_a_failed_disposal_is_an_error_and_recorded)
{
	disposal = GK_KEY_ERROR;
	ck_assert_str_eq(answer(REVOKE), ERROR("keychain_error"));
	ck_assert_ptr_eq(strstr(memstore_audit(&m),
	    "host_key_revoke extension error"), memstore_audit(&m));
}
END_TEST

/* The key is gone, which is what the extension asks; the rest is for the log
 * and the trail. */
START_TEST(test_an_incomplete_disposal_is_acknowledged_and_noted)
{
	struct gk_key_ask *ask;

	feed(REVOKE);
	ask = gk_control_asked(&c);
	ck_assert_int_eq(ask->kind, GK_KEY_DISPOSE);
	ask->answer.code = GK_KEY_OK;
	ask->answer.incomplete = true;
	(void)snprintf(ask->answer.note, sizeof(ask->answer.note), "no room");
	gk_control_key_answered(&c, ask);
	ck_assert_str_eq(sent_so_far(), REVOKED);
	ck_assert_str_eq(t.log_text, "no room");
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "extension error"));
}
END_TEST

START_TEST(test_an_own_disposal_is_not_pushed_once_more)
{
	struct gk_key_ask *ask;

	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(2, false, 0, 2, 2, 0, "null"));
	gk_control_start(&c);
	sent();
	feed(REVOKE);
	ask = gk_control_asked(&c);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(3, false, 0, 3, 3, 0, "null"));
	ask->answer.code = GK_KEY_OK;
	gk_control_key_answered(&c, ask);
	ck_assert_str_eq(sent(), REVOKED);
	gk_control_watch(&c);
	ck_assert_ptr_nonnull(strstr(sent(), "policy_current"));
	ck_assert_ptr_null(strstr(got, "enclave_revoked"));
}
END_TEST

/* The record moves first, then the key goes: a watch falls in between. */
START_TEST(test_a_disposal_under_way_is_not_pushed_before_its_answer)
{
	static const struct {
		const char		*moved;
		enum gk_key_state	 end;
		bool			 unreadable;	/* in between */
		const char		*answer, *watch;
	} table[] = {
		{ MEM_TRUST(2, false, 0, 2, 0, 0, "null"), GK_KEY_OK, false,
		    REVOKED, "" },
		{ MEM_TRUST(3, false, 0, 3, 0, 0, "null"), GK_KEY_ERROR,
		    false, ERROR("keychain_error"), REVOKED },
		{ MEM_TRUST(4, false, 0, 4, 0, 0, "null"), GK_KEY_OK, true,
		    REVOKED, "" },
		{ MEM_TRUST(5, false, 0, 5, 0, 0, "null"), GK_KEY_ERROR, true,
		    ERROR("keychain_error"), REVOKED },
	};
	struct gk_key_ask *ask;
	size_t i;

	gk_control_start(&c);
	sent();
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		feed(REVOKE);
		ask = gk_control_asked(&c);
		if (table[i].unreadable) {
			memstore_break(&m, GK_RECORD_TRUST);
			gk_control_watch(&c);
		}
		memstore_set(&m, GK_RECORD_TRUST, table[i].moved);
		gk_control_watch(&c);
		ck_assert_ptr_null(strstr(sent_so_far(), "enclave_revoked"));
		ck_assert_ptr_null(gk_control_asked(&c));
		ask->answer.code = table[i].end;
		gk_control_key_answered(&c, ask);
		ck_assert_str_eq(sent_so_far(), table[i].answer);
		gk_control_watch(&c);
		ck_assert_str_eq(sent(), table[i].watch);
	}
}
END_TEST

START_TEST(test_malformed_revocations_are_dropped)
{
	ck_assert_str_eq(answer("{\"type\":\"enclave_revoke\",\"x\":1}"), "");
	ck_assert_ptr_null(gk_control_asked(&c));
}
END_TEST

/* ------------------------------------------------------------------- pushes */

START_TEST(test_nothing_waits_for_the_look_of_a_push)
{
	struct gk_key_ask *ask;

	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(2, false, 0, 2, 0, 0, "null"));
	gk_control_start(&c);
	ck_assert_ptr_null(strstr(sent_so_far(), "enclave_revoked"));
	ck_assert(!gk_control_busy(&c));
	feed("{\"type\":\"kill_status\"}");
	ck_assert_ptr_nonnull(strstr(sent_so_far(), "kill_status_result"));
	ask = gk_control_asked(&c);
	ck_assert_int_eq(ask->kind, GK_KEY_LOAD);
	ask->answer.code = GK_KEY_NONE;
	gk_control_key_answered(&c, ask);
	ck_assert_str_eq(sent_so_far(), REVOKED);
}
END_TEST

START_TEST(test_a_store_that_does_not_answer_is_no_absence)
{
	struct gk_key_ask *ask;

	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(2, false, 0, 2, 0, 0, "null"));
	gk_control_start(&c);
	(void)sent_so_far();
	ask = gk_control_asked(&c);
	ask->answer.code = GK_KEY_ERROR;
	gk_control_key_answered(&c, ask);
	ck_assert_str_eq(sent_so_far(), "");
	ck_assert_ptr_null(gk_control_asked(&c));
}
END_TEST

/* What moves during a look is looked at afterwards, once. */
START_TEST(test_a_move_during_a_look_is_looked_at_again)
{
	struct gk_key_ask *ask;
	int i;

	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(2, false, 0, 2, 0, 0, "null"));
	gk_control_start(&c);
	ask = gk_control_asked(&c);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(3, false, 0, 3, 0, 0, "null"));
	gk_control_watch(&c);
	memstore_set(&m, GK_RECORD_TRUST,
	    MEM_TRUST(4, false, 0, 4, 0, 0, "null"));
	gk_control_watch(&c);
	ck_assert_ptr_null(gk_control_asked(&c));
	(void)sent_so_far();
	for (i = 0; ask != NULL; i++) {
		ask->answer.code = i == 0 ? GK_KEY_OK : GK_KEY_NONE;
		gk_control_key_answered(&c, ask);
		ask = gk_control_asked(&c);
	}
	ck_assert_int_eq(i, 2);
	ck_assert_str_eq(sent_so_far(), REVOKED);
}
END_TEST

START_TEST(test_without_memory_the_answer_is_an_error)
{
	size_t i;

	memstore_set(&m, GK_RECORD_HOST_KEY, KEY);
	for (i = 1; i < 60; i++) {
		t.fail_at = i;
		feed(CHALLENGE);
		t.fail_at = 0;
		(void)sent();
		ck_assert(!gk_control_busy(&c));
	}
}
END_TEST

START_TEST(test_questions_of_a_connection_that_ends_are_dropped)
{
	feed(CHALLENGE);
	feed(CHALLENGE);
	ck_assert(gk_control_busy(&c));
	/* The teardown sees that nothing is left. */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_key");
	TCase *tc = tcase_create("control_key");

	tcase_add_checked_fixture(tc, control_setup, control_teardown);
	tcase_add_test(tc, test_a_proof_has_its_members);
	tcase_add_test(tc, test_a_fixture_key_signs_nothing);
	tcase_add_test(tc, test_what_a_job_says_is_what_goes_out);
	tcase_add_test(tc,
	    test_an_unreadable_trust_record_is_no_ground_to_sign_on);
	tcase_add_test(tc, test_frames_wait_in_order_and_a_kill_overtakes);
	tcase_add_test(tc,
	    test_sixteen_frames_wait_and_then_input_is_not_read);
	tcase_add_test(tc, test_a_disposal_is_acknowledged_and_recorded);
	tcase_add_test(tc, test_a_failed_disposal_is_an_error_and_recorded);
	tcase_add_test(tc,
	    test_an_incomplete_disposal_is_acknowledged_and_noted);
	tcase_add_test(tc, test_an_own_disposal_is_not_pushed_once_more);
	tcase_add_test(tc,
	    test_a_disposal_under_way_is_not_pushed_before_its_answer);
	tcase_add_test(tc, test_malformed_revocations_are_dropped);
	tcase_add_test(tc, test_nothing_waits_for_the_look_of_a_push);
	tcase_add_test(tc, test_a_store_that_does_not_answer_is_no_absence);
	tcase_add_test(tc, test_a_move_during_a_look_is_looked_at_again);
	tcase_add_test(tc, test_without_memory_the_answer_is_an_error);
	tcase_add_test(tc,
	    test_questions_of_a_connection_that_ends_are_dropped);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
