#include "util.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 1 << 20);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

/* Well-formed by table 3-7 of the Unicode standard, written out again. */
static bool
by_the_book(uint32_t cp)
{
	return cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

START_TEST(test_every_code_point_survives_the_round_trip)
{
	uint32_t cp, back;
	char s[4];
	size_t n;
	bool ok;

	for (cp = 0; cp < 0x120000; cp++) {
		n = gk_utf8_encode(cp, s);
		ok = (n != 0) == by_the_book(cp);
		/* It reads back, and no shorter piece of it is well-formed. */
		if (n != 0)
			ok = ok && gk_utf8_next(s, s + n, &back) == n &&
			    back == cp &&
			    gk_utf8_next(s, s + n - 1, NULL) == 0;
		if (!ok)
			ck_abort_msg("U+%04X", (unsigned)cp);
	}
}
END_TEST

/* Every string of three bytes: exactly the encodings are accepted. */
START_TEST(test_every_three_bytes)
{
	size_t accepted = 0;
	unsigned i;
	char s[3];

	for (i = 0x800000; i < 0x1000000; i++) {
		s[0] = (char)(i >> 16);
		s[1] = (char)(i >> 8);
		s[2] = (char)i;
		accepted += gk_utf8_next(s, s + 3, NULL) == 3;
	}
	/* U+0800 to U+FFFF without surrogates. */
	ck_assert_uint_eq(accepted, 0x10000 - 0x800 - 0x800);
}
END_TEST

static const struct {
	const char	*text;
	size_t		 len;
	size_t		 prefix;
} broken[] = {
	{ "\x80", 1, 0 },			/* stray continuation */
	{ "\xc0\x80", 2, 0 },			/* overlong NUL */
	{ "\xc1\xbf", 2, 0 },
	{ "\xe0\x9f\xbf", 3, 0 },		/* overlong, three bytes */
	{ "\xf0\x8f\xbf\xbf", 4, 0 },		/* overlong, four bytes */
	{ "\xed\xa0\x80", 3, 0 },		/* surrogates */
	{ "\xed\xbf\xbf", 3, 0 },
	{ "\xf4\x90\x80\x80", 4, 0 },		/* beyond U+10FFFF */
	{ "\xf5\x80\x80\x80", 4, 0 },
	{ "\xff", 1, 0 },
	{ "ab\xe2\x82", 4, 2 },			/* cut short */
	{ "ab\xe2\x82z", 5, 2 },
	{ "ab\xf0\x9f\x98", 5, 2 },
	{ "12345678\xc3", 9, 8 },		/* behind a whole word */
	{ "1234567\xc3\xa9\xc3", 10, 9 },
	{ "\xc3\xa9\x80", 3, 2 },
};

START_TEST(test_broken_text_ends_the_prefix)
{
	ck_assert_uint_eq(gk_utf8_prefix(broken[_i].text, broken[_i].len),
	    broken[_i].prefix);
	ck_assert(!gk_utf8_valid(broken[_i].text, broken[_i].len));
	ck_assert(gk_utf8_valid(broken[_i].text, broken[_i].prefix));
}
END_TEST

/* The word-wise path must see a bad byte at every position. */
START_TEST(test_a_bad_byte_is_found_anywhere)
{
	char s[40];

	memset(s, 'a', sizeof(s));
	ck_assert(gk_utf8_valid(s, sizeof(s)));
	s[_i] = '\x80';
	ck_assert_uint_eq(gk_utf8_prefix(s, sizeof(s)), (size_t)_i);
}
END_TEST

START_TEST(test_cuts_split_no_character)
{
	const char *s = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";	/* 11 bytes */
	static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11,
	    11 };
	size_t max;

	for (max = 0; max < sizeof(want) / sizeof(want[0]); max++)
		ck_assert_uint_eq(gk_utf8_cut(s, 11, max), want[max]);
}
END_TEST

static const char *
escaped(const char *s, size_t len, size_t max)
{
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_str_escape(&b, s, len, max), 0);
	ck_assert_int_eq(gk_buf_putc(&b, '\0'), 0);
	return (const char *)b.ptr;
}

START_TEST(test_foreign_text_cannot_draw)
{
	ck_assert_str_eq(escaped("plain \xc3\xa9", 8, 99), "plain \xc3\xa9");
	ck_assert_str_eq(escaped("a\nb\tc\rd", 7, 99), "a\\nb\\tc\\x0dd");
	ck_assert_str_eq(escaped("\x1b[31m\x7f", 6, 99), "\\x1b[31m\\x7f");
	ck_assert_str_eq(escaped("a\0b", 3, 99), "a\\x00b");
	ck_assert_str_eq(escaped("c:\\n", 4, 99), "c:\\\\n");
	ck_assert_str_eq(escaped("\xc2\x9b", 2, 99), "\\u{009b}");
	ck_assert_str_eq(escaped("\xe2\x80\xa8", 3, 99), "\\u{2028}");
	ck_assert_str_eq(escaped("\xe2\x80\xaegnp", 6, 99), "\\u{202e}gnp");
	ck_assert_str_eq(escaped("\xff\xc3", 2, 99), "\\xff\\xc3");
}
END_TEST

START_TEST(test_long_foreign_text_is_cut_visibly)
{
	ck_assert_str_eq(escaped("abcdef", 6, 6), "abcdef");
	ck_assert_str_eq(escaped("abcdef", 6, 5), "abcde...");
	ck_assert_str_eq(escaped("ab\xc3\xa9", 4, 3), "ab...");
	ck_assert_str_eq(escaped("", 0, 0), "");
}
END_TEST

START_TEST(test_escaping_fails_whole)
{
	struct gk_buf small;

	gk_buf_init(&small, t.ctx, 6);
	ck_assert_int_eq(gk_buf_puts(&small, "x"), 0);
	ck_assert_int_eq(gk_str_escape(&small, "abc\n\n", 5, 99),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(small.len, 1);
	gk_buf_done(&small);
}
END_TEST

START_TEST(test_a_fixed_array_is_never_overrun)
{
	char ret[8];

	ck_assert_str_eq(gk_str_escaped(ret, sizeof(ret), "abc", 3, 9), "abc");
	ck_assert_str_eq(gk_str_escaped(ret, sizeof(ret), "abcdefgh", 8, 9),
	    "abcdefg");
	/* No half of a spelling. */
	ck_assert_str_eq(gk_str_escaped(ret, sizeof(ret), "abcd\x01", 5, 9),
	    "abcd");
	ck_assert_str_eq(gk_str_escaped(ret, sizeof(ret), "abcdef", 6, 3),
	    "abc...");
	ck_assert_str_eq(gk_str_escaped(ret, 1, "a", 1, 9), "");
	ck_assert_str_eq(gk_str_escaped(ret, 0, "a", 1, 9), "");
}
END_TEST

START_TEST(test_a_line_keeps_its_backslashes)
{
	char ret[32];

	gk_str_line(ret, sizeof(ret), "a\\nb\nc", 6);
	ck_assert_str_eq(ret, "a\\nb\\nc");
	gk_str_line(ret, 4, "ab\xc3\xa9", 4);
	ck_assert_str_eq(ret, "ab");
	/* A second time changes nothing. */
	ck_assert_int_eq(gk_str_put_line(&b, "a\\\n\x1b", 4, 64), 0);
	ck_assert_uint_eq(b.len, 8);
	memcpy(ret, b.ptr, 8);
	ck_assert_int_eq(gk_str_put_line(&b, ret, 8, 64), 0);
	ck_assert_uint_eq(b.len, 16);
	ck_assert_mem_eq(b.ptr, "a\\\\n\\x1ba\\\\n\\x1b", 16);
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_str_put_line(&b, "abcdef", 6, 3), 0);
	ck_assert_mem_eq(b.ptr, "abc...", 6);
}
END_TEST

START_TEST(test_the_label_rule)
{
	static const char *const good[] = { "default", "Brave-2",
	    "work_profile", "a", "x.y", "0", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
	static const char *const bad[] = { "", "a b", "a\n", "a/b", "a\\b",
	    "caf\xc3\xa9", "-a", ".a", "_a", "a:b",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(good); i++)
		ck_assert(gk_str_is_label(good[i], strlen(good[i])));
	for (i = 0; i < GK_ARRAY_LEN(bad); i++)
		ck_assert(!gk_str_is_label(bad[i], strlen(bad[i])));
	ck_assert(!gk_str_is_label("a\0b", 3));
}
END_TEST

START_TEST(test_hex_is_digits_only)
{
	ck_assert(gk_str_is_hex_lower("0123456789abcdef", 16));
	ck_assert(!gk_str_is_hex_lower("A", 1));
	ck_assert(gk_str_is_hex("aFA0", 4));
	ck_assert(!gk_str_is_hex("g", 1));
	ck_assert(!gk_str_is_hex("0x", 2));
	ck_assert(!gk_str_is_hex_lower("a\0", 2));
	ck_assert(gk_str_is_hex("", 0));
	ck_assert(gk_str_is_hex_lower("", 0));
	ck_assert(!gk_str_is_hex("/:@G`", 5));
}
END_TEST

START_TEST(test_plain_text_has_no_controls)
{
	ck_assert(gk_str_is_plain("Jos\xc3\xa9 Inc.", 10));
	ck_assert(!gk_str_is_plain("a\nb", 3));
	ck_assert(!gk_str_is_plain("a\x7f", 2));
	ck_assert(!gk_str_is_plain("\xc2\x85", 2));
	ck_assert(!gk_str_is_plain("\xff", 1));
	ck_assert(!gk_str_is_plain("a\0", 2));
	ck_assert(gk_str_is_plain("", 0));
}
END_TEST

START_TEST(test_copies_say_whether_they_fitted)
{
	char ret[4];

	ck_assert(gk_str_copy(ret, sizeof(ret), "abc", 3));
	ck_assert_str_eq(ret, "abc");
	ck_assert(!gk_str_copy(ret, sizeof(ret), "abcd", 4));
	ck_assert_str_eq(ret, "abc");
	ck_assert(!gk_str_copy(ret, 0, "a", 1));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("str");
	TCase *tc = tcase_create("str");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_every_code_point_survives_the_round_trip);
	tcase_add_test(tc, test_every_three_bytes);
	tcase_add_loop_test(tc, test_broken_text_ends_the_prefix, 0,
	    GK_ARRAY_LEN(broken));
	tcase_add_loop_test(tc, test_a_bad_byte_is_found_anywhere, 0, 40);
	tcase_add_test(tc, test_cuts_split_no_character);
	tcase_add_test(tc, test_foreign_text_cannot_draw);
	tcase_add_test(tc, test_long_foreign_text_is_cut_visibly);
	tcase_add_test(tc, test_escaping_fails_whole);
	tcase_add_test(tc, test_a_fixed_array_is_never_overrun);
	tcase_add_test(tc, test_a_line_keeps_its_backslashes);
	tcase_add_test(tc, test_the_label_rule);
	tcase_add_test(tc, test_hex_is_digits_only);
	tcase_add_test(tc, test_plain_text_has_no_controls);
	tcase_add_test(tc, test_copies_say_whether_they_fitted);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
