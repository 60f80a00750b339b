/* The relying party as an embedder has it: arguments, ownership, verdicts. */
#include "util.h"

#include <string.h>

#include <genkan/webauthn.h>

#include "crypto/ossl.h"
#include "softkey.h"

static struct gk_test t;
static struct softkey key;
static genkan_rp rp;
static uint8_t data[SOFTKEY_MAX], object[SOFTKEY_MAX], sig[SOFTKEY_MAX];
static char client[SOFTKEY_MAX];
static size_t data_len, object_len, sig_len, client_len;

#define CHALLENGE	"_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA"

static void
setup(void)
{
	gk_test_init(&t);
	softkey_init(&key, 5, 32);
	rp = (genkan_rp)GENKAN_RP_INIT;
	rp.id = "example.com";
	rp.origin = "https://login.example.com";
	rp.challenge = CHALLENGE;
}

static void
teardown(void)
{
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

static void
make_registration(void)
{
	data_len = softkey_authdata(&key, "example.com", 0x45, data);
	object_len = softkey_attestation(data, data_len, object);
	client_len = softkey_client_data("webauthn.create", CHALLENGE,
	    "https://login.example.com", client);
}

static void
make_assertion(void)
{
	key.count++;
	data_len = softkey_authdata(&key, "example.com", 0x01, data);
	client_len = softkey_client_data("webauthn.get", CHALLENGE,
	    "https://login.example.com", client);
	sig_len = softkey_sign(&key, data, data_len, client, client_len, sig);
}

static int
reg(genkan_credential **ret)
{
	return genkan_webauthn_register(t.ctx, &rp, object, object_len,
	    client, client_len, ret);
}

static int
check(const genkan_credential *cred, uint32_t *count)
{
	return genkan_webauthn_assert(t.ctx, &rp, cred, data, data_len,
	    client, client_len, sig, sig_len, count);
}

START_TEST(test_a_credential_is_registered_and_used)
{
	genkan_credential *cred = NULL, *copy = NULL;
	uint32_t count = 0;
	size_t len;

	make_registration();
	ck_assert_int_eq(reg(&cred), 0);
	ck_assert_mem_eq(genkan_credential_id(cred, &len), key.id, 32);
	ck_assert_uint_eq(len, 32);
	ck_assert_mem_eq(genkan_credential_public_key(cred), key.point, 65);
	ck_assert_uint_eq(genkan_credential_sign_count(cred), 1);
	ck_assert_int_eq(genkan_credential_backup_eligible(cred), 0);
	/* Into a store and out of it again. */
	ck_assert_int_eq(genkan_credential_new(t.ctx, genkan_credential_id(
	    cred, NULL), 32, genkan_credential_public_key(cred), 1, 0, &copy),
	    0);
	make_assertion();
	ck_assert_int_eq(check(copy, &count), 0);
	ck_assert_uint_eq(count, 2);
	/* The caller decides when it counts. */
	ck_assert_int_eq(check(copy, &count), 0);
	ck_assert_int_eq(genkan_credential_counted(copy, count), 0);
	ck_assert_int_eq(check(copy, &count),
	    GENKAN_REFUSAL_SIGN_COUNT_NOT_INCREASED);
	ck_assert_int_eq(genkan_credential_counted(copy, count),
	    GENKAN_E_RANGE);
	ck_assert_uint_eq(genkan_credential_sign_count(copy), 2);
	genkan_credential_free(copy);
	genkan_credential_free(cred);
}
END_TEST

START_TEST(test_a_refusal_is_a_number_with_a_name)
{
	genkan_credential *cred = NULL;
	int r;

	make_registration();
	rp.origin = "https://example.com";
	r = reg(&cred);
	ck_assert_int_eq(r, GENKAN_REFUSAL_ORIGIN_MISMATCH);
	ck_assert_int_gt(r, 0);
	ck_assert_ptr_null(cred);
	ck_assert_str_eq(genkan_refusal_name(r), "origin_mismatch");
	ck_assert_str_eq(genkan_refusal_text(r),
	    "the client data comes from another origin");
	ck_assert_str_eq(genkan_refusal_name(0), "");
	ck_assert_str_eq(genkan_refusal_name(-1), "");
	ck_assert_str_eq(genkan_refusal_text(43), "");
	/* Without an id and an origin, genkan's extension is meant. */
	rp.id = rp.origin = NULL;
	ck_assert_int_eq(reg(&cred), GENKAN_REFUSAL_RP_ID_MISMATCH);
}
END_TEST

START_TEST(test_lengths_beyond_the_bounds_are_refused_as_encoding)
{
	static uint8_t large[GENKAN_ATTESTATION_MAX + 1];
	genkan_credential *cred = NULL;
	uint32_t count;

	make_registration();
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &rp, large,
	    GENKAN_ATTESTATION_MAX, client, client_len, &cred),
	    GENKAN_REFUSAL_ATTESTATION_MALFORMED);
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &rp, large,
	    GENKAN_ATTESTATION_MAX + 1, client, client_len, &cred),
	    GENKAN_REFUSAL_ENCODING);
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &rp, object,
	    object_len, large, GENKAN_CLIENT_DATA_MAX + 1, &cred),
	    GENKAN_REFUSAL_ENCODING);
	ck_assert_int_eq(reg(&cred), 0);
	make_assertion();
	ck_assert_int_eq(genkan_webauthn_assert(t.ctx, &rp, cred, large,
	    GENKAN_AUTHDATA_MAX + 1, client, client_len, sig, sig_len,
	    &count), GENKAN_REFUSAL_ENCODING);
	ck_assert_int_eq(genkan_webauthn_assert(t.ctx, &rp, cred, data,
	    data_len, client, client_len, large, GENKAN_ASSERTION_SIG_MAX + 1,
	    &count), GENKAN_REFUSAL_ENCODING);
	ck_assert_int_eq(genkan_webauthn_assert(t.ctx, &rp, cred, data,
	    data_len, client, client_len, large, GENKAN_ASSERTION_SIG_MAX,
	    &count), GENKAN_REFUSAL_SIGNATURE_MALFORMED);
	genkan_credential_free(cred);
}
END_TEST

START_TEST(test_bad_arguments_are_said_to_be)
{
	struct { genkan_rp rp; char more[8]; } newer;
	genkan_credential *cred = NULL;
	uint32_t count = 7;

	make_registration();
	ck_assert_int_eq(genkan_webauthn_register(NULL, &rp, object,
	    object_len, client, client_len, &cred), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, NULL, object,
	    object_len, client, client_len, &cred), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &rp, NULL, 1,
	    client, client_len, &cred), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &rp, object,
	    object_len, client, client_len, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_webauthn_assert(t.ctx, &rp, NULL, data, 0,
	    client, 0, sig, 0, &count), GENKAN_E_INVAL);
	rp.challenge = "";
	ck_assert_int_eq(reg(&cred), GENKAN_E_INVAL);
	rp.challenge = CHALLENGE;
	rp.size--;
	ck_assert_int_eq(reg(&cred), GENKAN_E_INVAL);
	memset(&newer, 0, sizeof(newer));
	newer.rp = rp;
	newer.rp.size = sizeof(newer);
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &newer.rp, object,
	    object_len, client, client_len, &cred), 0);
	genkan_credential_free(cred);
	newer.more[0] = 1;
	ck_assert_int_eq(genkan_webauthn_register(t.ctx, &newer.rp, object,
	    object_len, client, client_len, &cred), GENKAN_E_ABI);
	ck_assert_uint_eq(count, 7);
}
END_TEST

START_TEST(test_credentials_out_of_a_store_are_checked)
{
	genkan_credential *cred = NULL;
	uint8_t id[1024] = { 0 };
	size_t len = 9;

	ck_assert_int_eq(genkan_credential_new(t.ctx, id, 15, key.point, 0,
	    0, &cred), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_credential_new(t.ctx, id, 1024, key.point, 0,
	    0, &cred), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_credential_new(t.ctx, id, 1023, key.point, 0,
	    7, &cred), 0);
	ck_assert_int_eq(genkan_credential_backup_eligible(cred), 1);
	ck_assert_int_eq(genkan_credential_counted(cred, 0), 0);
	genkan_credential_free(cred);
	cred = NULL;
	key.point[9] ^= 1;
	ck_assert_int_eq(genkan_credential_new(t.ctx, id, 16, key.point, 0,
	    0, &cred), GENKAN_E_ENCODING);
	ck_assert_ptr_null(cred);
	ck_assert_ptr_null(genkan_credential_id(NULL, &len));
	ck_assert_uint_eq(len, 0);
	ck_assert_ptr_null(genkan_credential_public_key(NULL));
	ck_assert_uint_eq(genkan_credential_sign_count(NULL), 0);
	ck_assert_int_eq(genkan_credential_counted(NULL, 1), GENKAN_E_INVAL);
	genkan_credential_free(NULL);
}
END_TEST

START_TEST(test_the_parts_can_be_had_without_a_verdict)
{
	genkan_authdata ad = { .size = sizeof(ad) };
	const void *inner = NULL;
	size_t len = 0;

	make_registration();
	ck_assert_int_eq(genkan_webauthn_attestation(object, object_len,
	    &inner, &len), 0);
	ck_assert_uint_eq(len, data_len);
	ck_assert_int_eq(genkan_webauthn_authdata(t.ctx, inner, len, &ad), 0);
	ck_assert_uint_eq(ad.flags, 0x45);
	ck_assert_uint_eq(ad.sign_count, 1);
	ck_assert_uint_eq(ad.credential_id_len, 32);
	ck_assert_mem_eq(ad.credential_id, key.id, 32);
	ck_assert_mem_eq(ad.public_key, key.point, 65);
	ck_assert_mem_eq(ad.rp_id_hash, data, 32);
	ck_assert_int_eq(genkan_webauthn_authdata(t.ctx, inner, len - 1, &ad),
	    GENKAN_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED);
	ck_assert_int_eq(genkan_webauthn_attestation(object, object_len - 1,
	    &inner, &len), GENKAN_REFUSAL_ATTESTATION_MALFORMED);
	ck_assert_uint_eq(len, data_len);
	ad.size--;
	ck_assert_int_eq(genkan_webauthn_authdata(t.ctx, inner, len, &ad),
	    GENKAN_E_INVAL);
}
END_TEST

START_TEST(test_statements_have_their_challenge)
{
	char text[GENKAN_CHALLENGE_SIZE], nonce[GENKAN_CHALLENGE_SIZE];

	ck_assert_int_eq(genkan_webauthn_challenge(t.ctx,
	    GENKAN_CEREMONY_ENROLL, "chrome", "enroll",
	    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", text), 0);
	ck_assert_str_eq(text, CHALLENGE);
	ck_assert_int_eq(genkan_webauthn_challenge(t.ctx, 2, "chrome",
	    "enroll", "n", text), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_webauthn_challenge(t.ctx,
	    GENKAN_CEREMONY_ENROLL, NULL, "", "n", text), GENKAN_E_INVAL);
	ck_assert_str_eq(text, CHALLENGE);
	ck_assert_int_eq(genkan_webauthn_nonce(t.ctx, nonce), 0);
	ck_assert_uint_eq(strlen(nonce), 43);
	t.random_fails = true;
	ck_assert_int_eq(genkan_webauthn_nonce(t.ctx, nonce),
	    GENKAN_E_RANDOM);
}
END_TEST

static int
sweep(struct gk_test *test, void *unused)
{
	genkan_credential *cred = NULL;
	int r;

	(void)unused;
	r = genkan_webauthn_register(test->ctx, &rp, object, object_len,
	    client, client_len, &cred);
	genkan_credential_free(cred);
	gk_ossl_free(test->ctx);
	return r;
}

START_TEST(test_no_memory_is_no_verdict)
{
	make_registration();
	ck_assert_uint_ge(gk_test_sweep(&t, sweep, NULL), 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("api_webauthn");
	TCase *c = tcase_create("webauthn");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_a_credential_is_registered_and_used);
	tcase_add_test(c, test_a_refusal_is_a_number_with_a_name);
	tcase_add_test(c,
	    test_lengths_beyond_the_bounds_are_refused_as_encoding);
	tcase_add_test(c, test_bad_arguments_are_said_to_be);
	tcase_add_test(c, test_credentials_out_of_a_store_are_checked);
	tcase_add_test(c, test_the_parts_can_be_had_without_a_verdict);
	tcase_add_test(c, test_statements_have_their_challenge);
	tcase_add_test(c, test_no_memory_is_no_verdict);
	suite_add_tcase(s, c);
	return gk_test_main(s);
}
