#include "util.h"

#include <string.h>

#include "codec/hex.h"

START_TEST(test_all_bytes_round_trip)
{
	uint8_t bytes[256], out[256];
	char text[513];
	size_t i, n;

	for (i = 0; i < 256; i++)
		bytes[i] = (uint8_t)i;
	gk_hex_encode(text, bytes, 256);
	ck_assert_uint_eq(strlen(text), 512);
	ck_assert_int_eq(strncmp(text, "000102", 6), 0);
	ck_assert_str_eq(text + 506, "fdfeff");
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, text, 512, out, 256, &n),
	    0);
	ck_assert_uint_eq(n, 256);
	ck_assert_mem_eq(out, bytes, 256);
	gk_hex_encode(text, NULL, 0);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(test_upper_case_only_where_allowed)
{
	uint8_t out[2];
	size_t n = 9;

	ck_assert_int_eq(gk_hex_decode(GK_HEX_ANY, "aBCd", 4, out, 2, &n), 0);
	ck_assert_mem_eq(out, "\xab\xcd", 2);
	n = 9;
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, "aBCd", 4, out, 2, &n),
	    GENKAN_E_ENCODING);
	ck_assert_uint_eq(n, 9);
}
END_TEST

START_TEST(test_anything_else_is_refused)
{
	static const char *const bad[] = { "a", "abc", "0g", " 0", "0x", "0\n",
	    "-1", "\xc3\xa9" };
	uint8_t out[4] = { 5, 5, 5, 5 };
	size_t n, i;

	for (i = 0; i < GK_ARRAY_LEN(bad); i++)
		ck_assert_int_eq(gk_hex_decode(GK_HEX_ANY, bad[i],
		    strlen(bad[i]), out, 4, &n), GENKAN_E_ENCODING);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_ANY, "00\0", 4, out, 4, &n),
	    GENKAN_E_ENCODING);
	ck_assert_mem_eq(out, "\5\5\5\5", 4);
}
END_TEST

START_TEST(test_the_room_is_exact)
{
	uint8_t out[2] = { 0, 0 };
	size_t n = 9;

	ck_assert_int_eq(gk_hex_decode(GK_HEX_ANY, "0102", 4, out, 1, &n),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(out[0], 0);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_ANY, "0102", 4, out, 2, &n), 0);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_ANY, "", 0, out, 0, &n), 0);
	ck_assert_uint_eq(n, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("hex");
	TCase *tc = tcase_create("hex");

	tcase_add_test(tc, test_all_bytes_round_trip);
	tcase_add_test(tc, test_upper_case_only_where_allowed);
	tcase_add_test(tc, test_anything_else_is_refused);
	tcase_add_test(tc, test_the_room_is_exact);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
