#include "util.h"

#include "codec/cose.h"

#define X32	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define Y32	"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
#define KTY	"\x01\x02"
#define ALG	"\x03\x26"
#define CRV	"\x20\x01"
#define X	"\x21\x58\x20" X32
#define Y	"\x22\x58\x20" Y32

static int
parse(const char *bytes, size_t len, size_t *left, uint8_t ret[GK_COSE_POINT])
{
	struct gk_cbor c;
	int r;

	gk_cbor_init(&c, bytes, len);
	r = gk_cose_es256(&c, ret);
	*left = gk_cbor_left(&c);
	return r;
}

#define PARSE(lit)	parse(lit, sizeof(lit) - 1, &left, point)

START_TEST(test_a_key_is_read_in_any_order_and_no_byte_further)
{
	uint8_t point[GK_COSE_POINT];
	size_t left;

	ck_assert_int_eq(PARSE("\xa5" KTY ALG CRV X Y "rest"), 0);
	ck_assert_uint_eq(left, 4);
	ck_assert_mem_eq(point, "\x04" X32 Y32, GK_COSE_POINT);
	memset(point, 0, sizeof(point));
	ck_assert_int_eq(PARSE("\xa5" Y X CRV ALG KTY), 0);
	ck_assert_uint_eq(left, 0);
	ck_assert_mem_eq(point, "\x04" X32 Y32, GK_COSE_POINT);
}
END_TEST

START_TEST(test_every_beginning_of_a_key_is_cut_short)
{
	static const char key[] = "\xa5" KTY ALG CRV X Y;
	uint8_t point[GK_COSE_POINT] = { 0 };
	size_t i, left;

	for (i = 0; i < sizeof(key) - 1; i++) {
		ck_assert_int_eq(parse(key, i, &left, point),
		    GENKAN_E_FRAME_SHORT);
		ck_assert_uint_eq(left, i);
		ck_assert_uint_eq(point[0], 0);
	}
}
END_TEST

#define REFUSED(lit) do { \
	ck_assert_int_eq(PARSE(lit), GENKAN_E_ENCODING); \
	ck_assert_uint_eq(left, sizeof(lit) - 1); \
} while (0)

START_TEST(test_any_other_key_is_refused)
{
	uint8_t point[GK_COSE_POINT];
	size_t left;

	REFUSED("\xa5\x01\x01" ALG CRV X Y);			/* OKP */
	REFUSED("\xa5\x01\x03" ALG CRV X Y);			/* RSA */
	REFUSED("\xa5" KTY "\x03\x27" CRV X Y);			/* EdDSA */
	REFUSED("\xa5" KTY "\x03\x38\x22" CRV X Y);		/* ES384 */
	REFUSED("\xa5" KTY ALG "\x20\x02" X Y);			/* P-384 */
	REFUSED("\xa5" KTY ALG CRV "\x21\x58\x1f" X32 Y);	/* 31 */
	REFUSED("\xa5" KTY ALG CRV "\x21\x58\x21" X32 "x" Y);	/* 33 */
	REFUSED("\xa5" KTY ALG CRV X "\x22\xf5");		/* y a sign */
	REFUSED("\xa5" KTY ALG CRV X "\x22\x78\x20" Y32);	/* y a text */
}
END_TEST

START_TEST(test_missing_repeated_unknown_and_long_members_are_refused)
{
	uint8_t point[GK_COSE_POINT];
	size_t left;

	REFUSED("\xa4" KTY ALG CRV X);
	REFUSED("\xa6" KTY ALG CRV X Y "\x02\x41k");
	REFUSED("\xa5" KTY ALG CRV X X);
	REFUSED("\xa5" KTY KTY ALG CRV X);
	REFUSED("\xa5" KTY ALG CRV X "\x02\x41k");
	REFUSED("\xa5" KTY ALG CRV X "\x61y" "\x58\x20" Y32);
	REFUSED("\xb8\x05" KTY ALG CRV X Y);
	REFUSED("\xbf" KTY ALG CRV X Y "\xff");
	REFUSED("\xa5\x18\x01\x02" ALG CRV X Y);
	REFUSED("\xa5" KTY ALG CRV "\x21\x59\x00\x20" X32 Y);
	REFUSED("\x85" KTY ALG CRV X Y);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cose");
	TCase *t = tcase_create("es256");

	tcase_add_test(t,
	    test_a_key_is_read_in_any_order_and_no_byte_further);
	tcase_add_test(t, test_every_beginning_of_a_key_is_cut_short);
	tcase_add_test(t, test_any_other_key_is_refused);
	tcase_add_test(t,
	    test_missing_repeated_unknown_and_long_members_are_refused);
	suite_add_tcase(s, t);
	return gk_test_main(s);
}
