#include "util.h"

#include <string.h>

#include "codec/hex.h"
#include "crypto/es256.h"
#include "crypto/ossl.h"
#include "crypto/p256.h"

/* RFC 6979 A.2.5: P-256 with SHA-256. */
#define X	"c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
#define PUB	"04" \
	"60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6" \
	"7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
#define SAMPLE	"efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716" \
	"f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
#define TEST	"f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367" \
	"019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
#define N_MORE	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552"
#define N	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define N_LESS	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
#define ALL	"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define ONE	"0000000000000000000000000000000000000000000000000000000000000001"
#define ZERO	"0000000000000000000000000000000000000000000000000000000000000000"
/* The generator (SP 800-186 3.2.1.3), and its negative: the points of 1 and
 * of n - 1. */
#define G	"04" \
	"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" \
	"4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
#define G_NEG	"04" \
	"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" \
	"b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"

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

static void
hex(uint8_t *ret, size_t cap, const char *text)
{
	size_t n;

	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, text, strlen(text), ret,
	    cap, &n), 0);
	ck_assert_uint_eq(n, cap);
}

static bool
in_range(const char *text)
{
	uint8_t scalar[GK_P256_SCALAR];

	hex(scalar, sizeof(scalar), text);
	return gk_p256_in_range(scalar);
}

START_TEST(test_scalars_run_from_one_to_one_below_the_order)
{
	ck_assert(!in_range(ZERO));
	ck_assert(in_range(ONE));
	ck_assert(in_range(X));
	ck_assert(in_range(N_LESS));
	ck_assert(!in_range(N));
	ck_assert(!in_range(N_MORE));
	ck_assert(!in_range(ALL));
	/* Every byte counts, in both directions. */
	ck_assert(in_range("ffffffff00000000ffffffffffffffff"
	    "bce6faada7179e84f3b9cac2fc622552"));
	ck_assert(!in_range("ffffffff00000001ffffffffffffffff"
	    "bce6faada7179e84f3b9cac2fc632550"));
	ck_assert(in_range("0100000000000000000000000000000000000000000000000"
	    "000000000000000"));
}
END_TEST

static void
check_public(const char *scalarhex, const char *pubhex)
{
	uint8_t scalar[GK_P256_SCALAR], want[GK_P256_POINT];
	uint8_t got[GK_P256_POINT];

	hex(scalar, sizeof(scalar), scalarhex);
	hex(want, sizeof(want), pubhex);
	ck_assert_int_eq(gk_p256_public(t.ctx, scalar, got), 0);
	ck_assert_mem_eq(got, want, sizeof(want));
}

START_TEST(test_public_keys_are_those_of_the_standards)
{
	check_public(X, PUB);
	check_public(ONE, G);
	check_public(N_LESS, G_NEG);
}
END_TEST

static void
check_sign(const char *msg, const char *sighex)
{
	uint8_t scalar[GK_P256_SCALAR], want[GK_P256_SIG], got[GK_P256_SIG];

	hex(scalar, sizeof(scalar), X);
	hex(want, sizeof(want), sighex);
	ck_assert_int_eq(gk_p256_sign(t.ctx, scalar, msg, strlen(msg), got),
	    0);
	ck_assert_mem_eq(got, want, sizeof(want));
}

START_TEST(test_signatures_are_those_of_rfc_6979_whatever_the_blind)
{
	uint64_t i;

	for (i = 1; i <= 20; i++) {
		t.seed = i;
		check_sign("sample", SAMPLE);
		check_sign("test", TEST);
	}
}
END_TEST

/* Not vectors of anybody: what is signed with the ends of the range verifies,
 * for one byte, none, and 256 lengths in a row. */
START_TEST(test_what_is_signed_verifies_and_only_that)
{
	static const char *const keys[] = { ONE, N_LESS, X };
	uint8_t scalar[GK_P256_SCALAR], pub[GK_P256_POINT];
	uint8_t sig[GK_P256_SIG], msg[256];
	struct gk_span part;
	size_t i, n;

	memset(msg, 'x', sizeof(msg));
	for (i = 0; i < 3; i++) {
		hex(scalar, sizeof(scalar), keys[i]);
		ck_assert_int_eq(gk_p256_public(t.ctx, scalar, pub), 0);
		for (n = 0; n < sizeof(msg); n += 1 + i * 13) {
			part = gk_span(msg, n);
			ck_assert_int_eq(gk_p256_sign(t.ctx, scalar, msg, n,
			    sig), 0);
			ck_assert_int_eq(gk_es256_verify(t.ctx, pub, sig,
			    &part, 1), 0);
			sig[n % GK_P256_SIG] ^= 1;
			ck_assert_int_eq(gk_es256_verify(t.ctx, pub, sig,
			    &part, 1), 1);
		}
	}
}
END_TEST

START_TEST(test_scalars_out_of_range_neither_sign_nor_have_a_point)
{
	static const char *const bad[] = { ZERO, N, N_MORE, ALL };
	uint8_t scalar[GK_P256_SCALAR], out[GK_P256_POINT];
	size_t i;

	for (i = 0; i < 4; i++) {
		hex(scalar, sizeof(scalar), bad[i]);
		memset(out, 0x5a, sizeof(out));
		ck_assert_int_eq(gk_p256_sign(t.ctx, scalar, "x", 1, out),
		    GENKAN_E_INVAL);
		ck_assert_int_eq(gk_p256_public(t.ctx, scalar, out),
		    GENKAN_E_INVAL);
		ck_assert_uint_eq(out[0], 0x5a);
		ck_assert_uint_eq(out[GK_P256_POINT - 1], 0x5a);
	}
}
END_TEST

START_TEST(test_without_randomness_there_is_no_signature)
{
	uint8_t scalar[GK_P256_SCALAR], sig[GK_P256_SIG];

	hex(scalar, sizeof(scalar), X);
	memset(sig, 0x5a, sizeof(sig));
	t.random_fails = true;
	ck_assert_int_eq(gk_p256_sign(t.ctx, scalar, "sample", 6, sig),
	    GENKAN_E_RANDOM);
	ck_assert_uint_eq(sig[0], 0x5a);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("p256");
	TCase *tc = tcase_create("p256");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_scalars_run_from_one_to_one_below_the_order);
	tcase_add_test(tc, test_public_keys_are_those_of_the_standards);
	tcase_add_test(tc,
	    test_signatures_are_those_of_rfc_6979_whatever_the_blind);
	tcase_add_test(tc, test_what_is_signed_verifies_and_only_that);
	tcase_add_test(tc,
	    test_scalars_out_of_range_neither_sign_nor_have_a_point);
	tcase_add_test(tc, test_without_randomness_there_is_no_signature);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
