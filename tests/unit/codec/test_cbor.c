#include "util.h"

#include "codec/cbor.h"

static struct gk_cbor
reader(const char *bytes, size_t len)
{
	struct gk_cbor c;

	gk_cbor_init(&c, bytes, len);
	return c;
}

#define READ(lit)	reader(lit, sizeof(lit) - 1)

static void
check_int(const char *bytes, size_t len, int64_t expected)
{
	struct gk_cbor c;
	int64_t v = 99;
	size_t i;

	/* Every beginning of it is cut short, and says so. */
	for (i = 0; i < len; i++) {
		c = reader(bytes, i);
		ck_assert_int_eq(gk_cbor_int(&c, &v), GENKAN_E_FRAME_SHORT);
		ck_assert_int_eq(v, 99);
		ck_assert_uint_eq(gk_cbor_left(&c), i);
	}
	c = reader(bytes, len);
	ck_assert_int_eq(gk_cbor_int(&c, &v), 0);
	ck_assert_int_eq(v, expected);
	ck_assert(gk_cbor_at_end(&c));
}

#define INT(lit, v)	check_int(lit, sizeof(lit) - 1, v)

/* RFC 8949, appendix A. */
START_TEST(test_integers_of_the_standard_are_read)
{
	INT("\x00", 0);
	INT("\x01", 1);
	INT("\x17", 23);
	INT("\x18\x18", 24);
	INT("\x18\xff", 255);
	INT("\x19\x01\x00", 256);
	INT("\x19\x03\xe8", 1000);
	INT("\x1a\x00\x01\x00\x00", 65536);
	INT("\x1a\xff\xff\xff\xff", 4294967295);
	INT("\x1b\x00\x00\x00\x01\x00\x00\x00\x00", 4294967296);
	INT("\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", INT64_MAX);
	INT("\x20", -1);
	INT("\x26", -7);
	INT("\x38\x63", -100);
	INT("\x39\x03\xe7", -1000);
	INT("\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", INT64_MIN);
}
END_TEST

static void
refuse_int(const char *bytes, size_t len)
{
	struct gk_cbor c = reader(bytes, len);
	int64_t v = 99;

	ck_assert_int_eq(gk_cbor_int(&c, &v), GENKAN_E_ENCODING);
	ck_assert_int_eq(v, 99);
	ck_assert_uint_eq(gk_cbor_left(&c), len);
}

#define NO_INT(lit)	refuse_int(lit, sizeof(lit) - 1)

START_TEST(test_longer_than_shortest_forms_are_refused)
{
	NO_INT("\x18\x17");
	NO_INT("\x18\x00");
	NO_INT("\x19\x00\xff");
	NO_INT("\x1a\x00\x00\xff\xff");
	NO_INT("\x1b\x00\x00\x00\x00\xff\xff\xff\xff");
	NO_INT("\x38\x17");
}
END_TEST

START_TEST(test_reserved_indefinite_and_too_large_integers_are_refused)
{
	NO_INT("\x1c");
	NO_INT("\x1d");
	NO_INT("\x1e");
	NO_INT("\x1f");
	NO_INT("\x3f");
	NO_INT("\x1b\x80\x00\x00\x00\x00\x00\x00\x00");
	NO_INT("\x3b\x80\x00\x00\x00\x00\x00\x00\x00");
}
END_TEST

START_TEST(test_another_type_is_refused_whole_or_cut)
{
	NO_INT("\x40");		/* bytes */
	NO_INT("\x60");		/* text */
	NO_INT("\x80");		/* array */
	NO_INT("\xa0");		/* map */
	NO_INT("\xc1\x00");	/* tag */
	NO_INT("\xf4");		/* false */
	NO_INT("\xf9\x00\x00");	/* float */
	NO_INT("\x58");		/* bytes, cut */
}
END_TEST

START_TEST(test_strings_are_borrowed_and_bounded)
{
	struct gk_cbor c = READ("\x43""abc""\x01");
	struct gk_span s = { NULL, 7 };
	int64_t v;
	size_t i;

	ck_assert_int_eq(gk_cbor_bytes(&c, &s), 0);
	ck_assert(gk_span_is(s, "abc"));
	ck_assert_int_eq(gk_cbor_int(&c, &v), 0);
	ck_assert(gk_cbor_at_end(&c));
	for (i = 0; i < 4; i++) {
		c = reader("\x43""abc", i);
		ck_assert_int_eq(gk_cbor_bytes(&c, &s), GENKAN_E_FRAME_SHORT);
		ck_assert_uint_eq(gk_cbor_left(&c), i);
	}
	c = READ("\x5b\xff\xff\xff\xff\xff\xff\xff\xff");
	ck_assert_int_eq(gk_cbor_bytes(&c, &s), GENKAN_E_FRAME_SHORT);
	c = READ("\x5f\x41""a\xff");
	ck_assert_int_eq(gk_cbor_bytes(&c, &s), GENKAN_E_ENCODING);
	c = READ("\x58\x17xxxxxxxxxxxxxxxxxxxxxxx");
	ck_assert_int_eq(gk_cbor_bytes(&c, &s), GENKAN_E_ENCODING);
	c = READ("\x63""abc");
	ck_assert_int_eq(gk_cbor_bytes(&c, &s), GENKAN_E_ENCODING);
	ck_assert_int_eq(gk_cbor_text(&c, &s), 0);
	c = READ("\x40");
	ck_assert_int_eq(gk_cbor_bytes(&c, &s), 0);
	ck_assert_uint_eq(s.len, 0);
}
END_TEST

START_TEST(test_text_is_utf8)
{
	struct gk_cbor c = READ("\x63\xe6\xb0\xb4");
	struct gk_span s = { NULL, 0 };

	ck_assert_int_eq(gk_cbor_text(&c, &s), 0);
	ck_assert_uint_eq(s.len, 3);
	c = READ("\x62\xc3\x28");
	ck_assert_int_eq(gk_cbor_text(&c, &s), GENKAN_E_ENCODING);
	c = READ("\x63\xed\xa0\x80");
	ck_assert_int_eq(gk_cbor_text(&c, &s), GENKAN_E_ENCODING);
	c = READ("\x7f\x61""a\xff");
	ck_assert_int_eq(gk_cbor_text(&c, &s), GENKAN_E_ENCODING);
}
END_TEST

START_TEST(test_maps_have_a_definite_number_of_pairs)
{
	struct gk_cbor c = READ("\xa3");
	uint64_t n = 9;

	ck_assert_int_eq(gk_cbor_map(&c, &n), 0);
	ck_assert_uint_eq(n, 3);
	c = READ("\xb8\x18");
	ck_assert_int_eq(gk_cbor_map(&c, &n), 0);
	ck_assert_uint_eq(n, 24);
	c = READ("\xb8\x03");
	ck_assert_int_eq(gk_cbor_map(&c, &n), GENKAN_E_ENCODING);
	c = READ("\xbf\xff");
	ck_assert_int_eq(gk_cbor_map(&c, &n), GENKAN_E_ENCODING);
	c = READ("\x83");
	ck_assert_int_eq(gk_cbor_map(&c, &n), GENKAN_E_ENCODING);
	c = READ("\xb9\x01");
	ck_assert_int_eq(gk_cbor_map(&c, &n), GENKAN_E_FRAME_SHORT);
	c = READ("");
	ck_assert_int_eq(gk_cbor_map(&c, &n), GENKAN_E_FRAME_SHORT);
	ck_assert_uint_eq(n, 24);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cbor");
	TCase *t = tcase_create("reader");

	tcase_add_test(t, test_integers_of_the_standard_are_read);
	tcase_add_test(t, test_longer_than_shortest_forms_are_refused);
	tcase_add_test(t,
	    test_reserved_indefinite_and_too_large_integers_are_refused);
	tcase_add_test(t, test_another_type_is_refused_whole_or_cut);
	tcase_add_test(t, test_strings_are_borrowed_and_bounded);
	tcase_add_test(t, test_text_is_utf8);
	tcase_add_test(t, test_maps_have_a_definite_number_of_pairs);
	suite_add_tcase(s, t);
	return gk_test_main(s);
}
