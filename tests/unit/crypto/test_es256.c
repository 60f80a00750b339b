#include "util.h"

#include <string.h>

#include "codec/hex.h"
#include "crypto/es256.h"
#include "crypto/ossl.h"

/* RFC 6979 A.2.5. */
#define X	"60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
#define Y	"7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
#define SAMPLE	"efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716" \
	"f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
#define TEST	"f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367" \
	"019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
#define N	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define N_LESS	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
#define ONE	"0000000000000000000000000000000000000000000000000000000000000001"
#define ZERO	"0000000000000000000000000000000000000000000000000000000000000000"

static struct gk_test t;
static uint8_t pub[GK_ES256_POINT];

static void
hex(uint8_t *ret, size_t cap, const char *text)
{
	size_t n;

	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, text, strlen(text), ret,
	    cap, &n), 0);
	ck_assert_uint_eq(n, cap);
}

static void
setup(void)
{
	gk_test_init(&t);
	hex(pub, sizeof(pub), "04" X Y);
}

static void
teardown(void)
{
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

static int
verify(const char *sighex, const char *one, const char *two)
{
	struct gk_span part[] = { gk_span_str(one), gk_span_str(two) };
	uint8_t sig[GK_ES256_SIG];

	hex(sig, sizeof(sig), sighex);
	return gk_es256_verify(t.ctx, pub, sig, part, 2);
}

START_TEST(test_vectors_of_the_standard_verify_however_they_are_cut)
{
	ck_assert_int_eq(verify(SAMPLE, "sample", ""), 0);
	ck_assert_int_eq(verify(SAMPLE, "", "sample"), 0);
	ck_assert_int_eq(verify(SAMPLE, "sam", "ple"), 0);
	ck_assert_int_eq(verify(TEST, "test", ""), 0);
}
END_TEST

START_TEST(test_another_message_signature_or_key_does_not)
{
	uint8_t sig[GK_ES256_SIG];
	struct gk_span part = gk_span_str("sample");
	size_t i;

	ck_assert_int_eq(verify(SAMPLE, "sampl", ""), 1);
	ck_assert_int_eq(verify(SAMPLE, "test", ""), 1);
	ck_assert_int_eq(verify(TEST, "sample", ""), 1);
	hex(sig, sizeof(sig), SAMPLE);
	for (i = 0; i < sizeof(sig); i++) {
		sig[i] ^= 1;
		ck_assert_int_eq(gk_es256_verify(t.ctx, pub, sig, &part, 1),
		    1);
		sig[i] ^= 1;
	}
	/* The generator is a point, and nobody's key here. */
	hex(pub, sizeof(pub), "04"
	    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
	    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");
	ck_assert_int_eq(gk_es256_point(t.ctx, pub), 0);
	ck_assert_int_eq(gk_es256_verify(t.ctx, pub, sig, &part, 1), 1);
}
END_TEST

START_TEST(test_s_need_not_be_low)
{
	/* The other s of the same signature: n - s. */
	ck_assert_int_eq(verify(
	    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
	    "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9",
	    "sample", ""), 0);
}
END_TEST

START_TEST(test_scalars_are_from_1_to_n_less_1)
{
	static const struct { const char *sig; bool ok; } row[] = {
		{ ONE ONE, true }, { N_LESS N_LESS, true },
		{ ZERO ONE, false }, { ONE ZERO, false },
		{ N ONE, false }, { ONE N, false },
	};
	uint8_t sig[GK_ES256_SIG];
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		hex(sig, sizeof(sig), row[i].sig);
		ck_assert_int_eq(gk_es256_in_range(sig), row[i].ok);
		ck_assert_int_eq(verify(row[i].sig, "sample", ""), 1);
	}
	memset(sig, 0xff, sizeof(sig));
	ck_assert(!gk_es256_in_range(sig));
}
END_TEST

START_TEST(test_points_off_the_curve_are_no_keys)
{
	struct gk_span part = gk_span_str("sample");
	uint8_t sig[GK_ES256_SIG];

	ck_assert_int_eq(gk_es256_point(t.ctx, pub), 0);
	hex(sig, sizeof(sig), SAMPLE);
	pub[64] ^= 1;
	ck_assert_int_eq(gk_es256_point(t.ctx, pub), GENKAN_E_ENCODING);
	ck_assert_int_eq(gk_es256_verify(t.ctx, pub, sig, &part, 1),
	    GENKAN_E_ENCODING);
	hex(pub, sizeof(pub), "04" ZERO ZERO);
	ck_assert_int_eq(gk_es256_point(t.ctx, pub), GENKAN_E_ENCODING);
	/* x and y have to be below p. */
	memset(pub + 1, 0xff, 64);
	ck_assert_int_eq(gk_es256_point(t.ctx, pub), GENKAN_E_ENCODING);
	hex(pub, sizeof(pub), "06" X Y);	/* the hybrid form */
	ck_assert_int_eq(gk_es256_point(t.ctx, pub), GENKAN_E_ENCODING);
}
END_TEST

static int
once(struct gk_test *test, void *unused)
{
	struct gk_span part = gk_span_str("sample");
	uint8_t sig[GK_ES256_SIG];
	int r;

	(void)unused;
	hex(sig, sizeof(sig), SAMPLE);
	r = gk_es256_verify(test->ctx, pub, sig, &part, 1);
	gk_ossl_free(test->ctx);
	return r;
}

START_TEST(test_no_memory_is_no_verdict)
{
	ck_assert_uint_ge(gk_test_sweep(&t, once, NULL), 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("es256");
	TCase *c = tcase_create("verify");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c,
	    test_vectors_of_the_standard_verify_however_they_are_cut);
	tcase_add_test(c, test_another_message_signature_or_key_does_not);
	tcase_add_test(c, test_s_need_not_be_low);
	tcase_add_test(c, test_scalars_are_from_1_to_n_less_1);
	tcase_add_test(c, test_points_off_the_curve_are_no_keys);
	tcase_add_test(c, test_no_memory_is_no_verdict);
	suite_add_tcase(s, c);
	return gk_test_main(s);
}
