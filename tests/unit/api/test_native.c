#include "util.h"

#include <string.h>

#include <genkan/native.h>

static struct gk_test t;
static genkan_native *dec;

static void
setup(void)
{
	gk_test_init(&t);
	ck_assert_int_eq(genkan_native_new(t.ctx, 100, &dec), 0);
}

static void
teardown(void)
{
	genkan_native_free(dec);
	gk_test_done(&t);
}

/* Wherever a read happens to end, the same frame must come out. */
START_TEST(test_split_anywhere)
{
	uint8_t wire[17];
	size_t n = sizeof(wire), used, len, cut = (size_t)_i;

	ck_assert_int_eq(genkan_native_encode("{\"hello\":\"x\"}", 13, 100,
	    wire, sizeof(wire)), 0);
	ck_assert_int_eq(genkan_native_feed(dec, wire, cut, &used), cut == n);
	ck_assert_uint_eq(used, cut);
	if (cut < n)
		ck_assert_int_eq(genkan_native_feed(dec, wire + cut, n - cut,
		    &used), 1);
	/* The bytes fed are the caller's again. */
	memset(wire, 0, sizeof(wire));
	ck_assert_mem_eq(genkan_native_frame(dec, &len), "{\"hello\":\"x\"}",
	    13);
	ck_assert_uint_eq(len, 13);
	ck_assert_int_eq(genkan_native_eof(dec), GENKAN_NATIVE_EOF_CLEAN);
}
END_TEST

START_TEST(test_errors_are_final)
{
	uint8_t large[4] = { 101, 0, 0, 0 }, ok[5] = { 1, 0, 0, 0, '7' };
	size_t used = 9, len = 9;

	ck_assert_int_eq(genkan_native_feed(dec, large, 4, &used),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(genkan_native_feed(dec, ok, 5, &used),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(used, 0);
	ck_assert_ptr_null(genkan_native_frame(dec, &len));
	ck_assert_uint_eq(len, 0);
}
END_TEST

START_TEST(test_the_end_of_input)
{
	size_t used;

	ck_assert_int_eq(genkan_native_eof(dec), GENKAN_NATIVE_EOF_CLEAN);
	ck_assert_int_eq(genkan_native_feed(dec, "\5", 1, &used), 0);
	ck_assert_int_eq(genkan_native_eof(dec), GENKAN_NATIVE_EOF_PREFIX);
	ck_assert_int_eq(genkan_native_feed(dec, "\0\0\0x", 4, &used), 0);
	ck_assert_int_eq(genkan_native_eof(dec), GENKAN_NATIVE_EOF_BODY);
}
END_TEST

START_TEST(test_bad_arguments_change_nothing)
{
	genkan_native *other = NULL;
	uint8_t out[8] = { 5, 5, 5, 5, 5, 5, 5, 5 };
	size_t used = 7;

	ck_assert_int_eq(genkan_native_new(NULL, 1, &other), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_new(t.ctx, 0, &other), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_new(t.ctx, 1, NULL), GENKAN_E_INVAL);
	t.fail_at = 1;
	ck_assert_int_eq(genkan_native_new(t.ctx, 1, &other), GENKAN_E_NOMEM);
	ck_assert_ptr_null(other);
	ck_assert_int_eq(genkan_native_feed(NULL, "", 0, &used),
	    GENKAN_E_INVAL);
	ck_assert_uint_eq(used, 0);
	ck_assert_int_eq(genkan_native_feed(dec, NULL, 1, &used),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_feed(dec, "", 0, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_feed(dec, NULL, 0, &used), 0);
	ck_assert_int_eq(genkan_native_eof(NULL), GENKAN_E_INVAL);
	ck_assert_ptr_null(genkan_native_frame(NULL, NULL));
	ck_assert_int_eq(genkan_native_encode("ab", 2, 9, out, 5),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_encode("ab", 2, 9, out, 3),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_encode(NULL, 2, 9, out, 8),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_encode("", 0, 9, out, 8),
	    GENKAN_E_FRAME_EMPTY);
	ck_assert_int_eq(genkan_native_encode("ab", 2, 1, out, 8),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(genkan_native_header(1, 1, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_native_header(0, 1, out),
	    GENKAN_E_FRAME_EMPTY);
	ck_assert_int_eq(genkan_native_header(2, 1, out),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_mem_eq(out, "\5\5\5\5\5\5\5\5", 8);
	genkan_native_free(NULL);
}
END_TEST

START_TEST(test_writing)
{
	uint8_t out[6];

	ck_assert_int_eq(genkan_native_header(0x01020304, UINT32_MAX, out), 0);
	ck_assert_mem_eq(out, "\4\3\2\1", 4);
	ck_assert_int_eq(genkan_native_encode("{}", 2, 2, out, 6), 0);
	ck_assert_mem_eq(out, "\2\0\0\0{}", 6);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("native");
	TCase *tc = tcase_create("native");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_split_anywhere, 0, 18);
	tcase_add_test(tc, test_errors_are_final);
	tcase_add_test(tc, test_the_end_of_input);
	tcase_add_test(tc, test_bad_arguments_change_nothing);
	tcase_add_test(tc, test_writing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
