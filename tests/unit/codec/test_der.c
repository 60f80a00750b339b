#include "util.h"

#include "codec/der.h"

#define B31	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define LOW	"\x02\x20" "a" B31		/* 32 bytes, no sign bit */
#define HIGH	"\x02\x21\x00" "\x80" B31	/* 32 bytes, sign bit */

static uint8_t rs[64];

#define PARSE(lit)	gk_der_ecdsa(lit, sizeof(lit) - 1, rs)
#define REFUSED(lit)	ck_assert_int_eq(PARSE(lit), GENKAN_E_ENCODING)

START_TEST(test_integers_are_padded_to_32_bytes)
{
	static const uint8_t one[32] = { [31] = 1 };

	ck_assert_int_eq(PARSE("\x30\x44" LOW LOW), 0);
	ck_assert_mem_eq(rs, "a" B31 "a" B31, 64);
	ck_assert_int_eq(PARSE("\x30\x46" HIGH HIGH), 0);
	ck_assert_mem_eq(rs, "\x80" B31 "\x80" B31, 64);
	ck_assert_int_eq(PARSE("\x30\x06\x02\x01\x01\x02\x01\x01"), 0);
	ck_assert_mem_eq(rs, one, 32);
	ck_assert_mem_eq(rs + 32, one, 32);
	ck_assert_int_eq(PARSE("\x30\x07\x02\x01\x01\x02\x02\x00\xff"), 0);
	ck_assert_uint_eq(rs[63], 0xff);
}
END_TEST

START_TEST(test_every_beginning_is_refused_and_so_is_a_byte_more)
{
	static const char sig[] = "\x30\x46" HIGH HIGH "x";
	uint8_t out[64] = { 0 };
	size_t i;

	for (i = 0; i < sizeof(sig); i++) {
		ck_assert_int_eq(gk_der_ecdsa(sig, i, out),
		    i == 72 ? 0 : GENKAN_E_ENCODING);
		if (i < 72)
			ck_assert_uint_eq(out[0], 0);
	}
}
END_TEST

START_TEST(test_other_lengths_than_short_exact_ones_are_refused)
{
	REFUSED("\x30\x81\x44" LOW LOW);		/* long form */
	REFUSED("\x30\x80" LOW LOW "\x00\x00");		/* indefinite */
	REFUSED("\x30\x43" LOW LOW);
	REFUSED("\x30\x45" LOW LOW);
	REFUSED("\x30\x47" HIGH HIGH "x");		/* 71 */
	REFUSED("\x30\x45" LOW LOW "x");		/* inside the body */
	REFUSED("\x30\x24" LOW "\x02\x00");
	REFUSED("\x30\x45" "\x02\x81\x20" "a" B31 LOW);
}
END_TEST

START_TEST(test_zero_negative_and_padded_integers_are_refused)
{
	REFUSED("\x30\x06\x02\x01\x00\x02\x01\x01");
	REFUSED("\x30\x06\x02\x01\x01\x02\x01\x00");
	REFUSED("\x30\x07\x02\x02\x00\x00\x02\x01\x01");
	REFUSED("\x30\x06\x02\x01\x80\x02\x01\x01");
	REFUSED("\x30\x07\x02\x02\x00\x7f\x02\x01\x01");
	REFUSED("\x30\x06\x02\x01\x01\x02\x01\xff");
	REFUSED("\x30\x08\x02\x03\x00\x00\x80\x02\x01\x01");
}
END_TEST

START_TEST(test_more_than_32_bytes_are_refused)
{
	REFUSED("\x30\x45" "\x02\x21\x01" "a" B31 LOW);
	REFUSED("\x30\x46" "\x02\x22\x00\x80" "a" B31 LOW);
}
END_TEST

START_TEST(test_other_types_are_refused)
{
	REFUSED("\x31\x06\x02\x01\x01\x02\x01\x01");
	REFUSED("\x30\x06\x04\x01\x01\x02\x01\x01");
	REFUSED("\x30\x06\x02\x01\x01\x0a\x01\x01");
	REFUSED("\x30\x03\x02\x01\x01");
	REFUSED("\x30\x09\x02\x01\x01\x02\x01\x01\x02\x01\x01");
	REFUSED("\x30\x00");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("der");
	TCase *t = tcase_create("ecdsa");

	tcase_add_test(t, test_integers_are_padded_to_32_bytes);
	tcase_add_test(t,
	    test_every_beginning_is_refused_and_so_is_a_byte_more);
	tcase_add_test(t,
	    test_other_lengths_than_short_exact_ones_are_refused);
	tcase_add_test(t,
	    test_zero_negative_and_padded_integers_are_refused);
	tcase_add_test(t, test_more_than_32_bytes_are_refused);
	tcase_add_test(t, test_other_types_are_refused);
	suite_add_tcase(s, t);
	return gk_test_main(s);
}
