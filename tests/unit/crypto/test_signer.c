#include "util.h"

#include <string.h>

#include "codec/hex.h"
#include "crypto/es256.h"
#include "crypto/ossl.h"
#include "crypto/signer.h"

#define X	"c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
#define SAMPLE	"efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716" \
	"f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
#define N	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define ZERO	"0000000000000000000000000000000000000000000000000000000000000000"
#define FIXTURE	"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
#define NEARLY	"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f21"

static struct gk_test t;

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

static int
open_len(const char *hextext, size_t len, struct gk_signer *ret,
    const char **why)
{
	uint8_t scalar[GK_P256_SCALAR + 1];
	size_t n;

	memset(scalar, 0, sizeof(scalar));
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, hextext, strlen(hextext),
	    scalar, sizeof(scalar), &n), 0);
	return gk_signer_open(t.ctx, scalar, len, ret, why);
}

START_TEST(test_a_key_signs_as_the_standard_says)
{
	uint8_t sig[GK_P256_SIG], want[GK_P256_SIG];
	struct gk_signer s;
	const char *why;
	size_t n;

	ck_assert_int_eq(open_len(X, 32, &s, &why), 0);
	ck_assert_ptr_null(why);
	ck_assert_int_eq(gk_signer_sign(t.ctx, &s, "sample", 6, sig), 0);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, SAMPLE, strlen(SAMPLE),
	    want, sizeof(want), &n), 0);
	ck_assert_mem_eq(sig, want, sizeof(want));
	gk_signer_done(&s);
	ck_assert_ptr_null(s.scalar.ptr);
}
END_TEST

static void
check_refused(const char *hextext, size_t len, const char *word)
{
	static const struct gk_signer none;
	struct gk_signer s;
	const char *why = NULL;

	ck_assert_int_eq(open_len(hextext, len, &s, &why), 1);
	ck_assert_msg(strstr(why, word) != NULL, "%s: %s", word, why);
	ck_assert_mem_eq(&s, &none, sizeof(s));
}

START_TEST(test_what_is_no_key_of_ours_is_refused_by_name)
{
	struct gk_signer s;
	const char *why;

	check_refused(X, 31, "length");
	check_refused(X, 33, "length");
	check_refused(X, 0, "length");
	check_refused(ZERO, 32, "zero");
	check_refused(N, 32, "order");
	check_refused(FIXTURE, 32, "public");
	ck_assert_int_eq(open_len(NEARLY, 32, &s, &why), 0);
	gk_signer_done(&s);
}
END_TEST

START_TEST(test_a_minted_key_is_new_each_time_and_signs)
{
	struct gk_signer a, b;
	uint8_t sig[GK_P256_SIG];
	struct gk_span part = gk_span_str("hello");

	ck_assert_int_eq(gk_signer_mint(t.ctx, &a), 0);
	ck_assert_int_eq(gk_signer_mint(t.ctx, &b), 0);
	ck_assert_str_ne(a.id, b.id);
	ck_assert_uint_eq(strlen(a.id), GK_KEY_ID_HEX);
	ck_assert_int_eq(gk_signer_sign(t.ctx, &a, "hello", 5, sig), 0);
	ck_assert_int_eq(gk_es256_verify(t.ctx, a.pub, sig, &part, 1), 0);
	ck_assert_int_eq(gk_es256_verify(t.ctx, b.pub, sig, &part, 1), 1);
	gk_signer_done(&a);
	gk_signer_done(&b);
}
END_TEST

START_TEST(test_without_randomness_nothing_is_minted_or_signed)
{
	uint8_t sig[GK_P256_SIG], zero[GK_P256_SIG] = { 0 };
	struct gk_signer s, none;
	const char *why;

	t.random_fails = true;
	ck_assert_int_eq(gk_signer_mint(t.ctx, &none), GENKAN_E_RANDOM);
	ck_assert_ptr_null(none.scalar.ptr);
	ck_assert_int_eq(open_len(X, 32, &s, &why), 0);
	memset(sig, 0x5a, sizeof(sig));
	ck_assert_int_eq(gk_signer_sign(t.ctx, &s, "x", 1, sig),
	    GENKAN_E_RANDOM);
	ck_assert_mem_eq(sig, zero, sizeof(sig));
	ck_assert_int_eq(gk_signer_sign(t.ctx, &none, "x", 1, sig),
	    GENKAN_E_INVAL);
	gk_signer_done(&s);
}
END_TEST

START_TEST(test_a_signature_that_does_not_verify_is_not_handed_out)
{
	uint8_t sig[GK_P256_SIG], zero[GK_P256_SIG] = { 0 };
	struct gk_signer s, other;
	const char *why;

	ck_assert_int_eq(open_len(X, 32, &s, &why), 0);
	ck_assert_int_eq(open_len(NEARLY, 32, &other, &why), 0);
	memcpy(s.pub, other.pub, sizeof(s.pub));	/* as a fault would */
	ck_assert_int_eq(gk_signer_sign(t.ctx, &s, "x", 1, sig),
	    GENKAN_E_CRYPTO);
	ck_assert_mem_eq(sig, zero, sizeof(sig));
	gk_signer_done(&s);
	gk_signer_done(&other);
}
END_TEST

START_TEST(test_a_fingerprint_is_sixteen_groups_of_four)
{
	char id[GK_KEY_ID_HEX + 1], fp[GK_FINGERPRINT_LEN + 1];
	size_t i;

	for (i = 0; i < GK_KEY_ID_HEX; i++)
		id[i] = "0123456789abcdef"[i % 16];
	id[GK_KEY_ID_HEX] = '\0';
	gk_key_fingerprint(id, fp);
	ck_assert_str_eq(fp, "0123 4567 89ab cdef 0123 4567 89ab cdef "
	    "0123 4567 89ab cdef 0123 4567 89ab cdef");
}
END_TEST

/* What a credential store may hold besides a key. */
static const struct {
	const char *text, *why;	/* NULL: it is a key */
} texts[] = {
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyE=", NULL },
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyE",
	    "the stored key is not base64" },
	{ "ya-p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyE=",
	    "the stored key is not base64" },
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyF=",
	    "the stored key is not base64" },	/* a bit of no byte */
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyE=\n",
	    "the stored key is not base64" },
	{ "", "the stored key has not the length of a key" },
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZw==",
	    "the stored key has not the length of a key" },
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyEA",
	    "the stored key has not the length of a key" },
	{ "ya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyEAAA==",
	    "the stored key has not the length of a key" },
	{ "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
	    "the stored key is zero" },
	{ "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
	    "the stored key is the public one of the test vectors" },
	{ "/////wAAAAD//////////7zm+q2nF56E87nKwvxjJVE=",
	    "the stored key is not below the order of the curve" },
};

START_TEST(test_only_the_text_of_a_key_opens)
{
	const size_t len = strlen(texts[_i].text);
	struct gk_signer s;
	const char *why;
	int r = gk_signer_open_text(t.ctx, texts[_i].text, len, &s, &why);

	if (texts[_i].why != NULL) {
		ck_assert_int_eq(r, 1);
		ck_assert_str_eq(why, texts[_i].why);
		ck_assert_ptr_null(s.scalar.ptr);
	} else {
		uint8_t want[GK_P256_SCALAR];
		size_t n;

		ck_assert_int_eq(r, 0);
		ck_assert_ptr_null(why);
		ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, X, strlen(X),
		    want, sizeof(want), &n), 0);
		ck_assert_mem_eq(s.scalar.ptr, want, sizeof(want));
	}
	gk_signer_done(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("signer");
	TCase *tc = tcase_create("signer");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_key_signs_as_the_standard_says);
	tcase_add_test(tc, test_what_is_no_key_of_ours_is_refused_by_name);
	tcase_add_test(tc, test_a_minted_key_is_new_each_time_and_signs);
	tcase_add_test(tc,
	    test_without_randomness_nothing_is_minted_or_signed);
	tcase_add_test(tc,
	    test_a_signature_that_does_not_verify_is_not_handed_out);
	tcase_add_test(tc, test_a_fingerprint_is_sixteen_groups_of_four);
	tcase_add_loop_test(tc, test_only_the_text_of_a_key_opens, 0,
	    sizeof(texts) / sizeof(texts[0]));
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
