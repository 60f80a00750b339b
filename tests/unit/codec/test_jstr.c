#include "util.h"

#include <string.h>

#include "base/alloc.h"
#include "codec/jstr.h"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 4096);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static const struct {
	const char	*token;
	const char	*text;
	size_t		 len;
} strings[] = {
	{ "\"\"", "", 0 },
	{ "\"plain\"", "plain", 5 },
	{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8 },
	{ "\"a\\u0000b\"", "a\0b", 3 },
	{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 6 },
	{ "\"\\ud83d\\uDE00\"", "\xf0\x9f\x98\x80", 4 },
	{ "\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf", 4 },
	{ "\"\xf0\x9f\x98\x80z\"", "\xf0\x9f\x98\x80z", 5 },
	{ "\"0123456789abcdef0123456789abcdef\\n\"",
	    "0123456789abcdef0123456789abcdef\n", 33 },
};

START_TEST(test_strings_are_decoded)
{
	struct gk_span tok = gk_span_str(strings[_i].token);

	ck_assert_int_eq(gk_buf_puts(&b, "<"), 0);
	ck_assert_int_eq(gk_jstr_decode(&b, tok), 0);
	ck_assert_uint_eq(b.len, 1 + strings[_i].len);
	ck_assert_mem_eq(b.ptr + 1, strings[_i].text, strings[_i].len);
	ck_assert_uint_eq(gk_jstr_len(tok), strings[_i].len);
	ck_assert(gk_jstr_eq(tok, strings[_i].text, strings[_i].len));
	ck_assert(!gk_jstr_eq(tok, "something else", 14));
	ck_assert(!gk_jstr_eq(tok, strings[_i].text,
	    strings[_i].len + 1));	/* the NUL behind it */
	if (strings[_i].len > 0)
		ck_assert(!gk_jstr_eq(tok, strings[_i].text,
		    strings[_i].len - 1));
}
END_TEST

/* Written again, the text is what it was. */
START_TEST(test_writing_and_reading_agree)
{
	struct gk_buf back;

	gk_buf_init(&back, t.ctx, 4096);
	ck_assert_int_eq(gk_json_put_string(&b, strings[_i].text,
	    strings[_i].len), 0);
	ck_assert_int_eq(gk_jstr_decode(&back, gk_buf_span(&b)), 0);
	ck_assert(gk_span_eq(gk_buf_span(&back), gk_span(strings[_i].text,
	    strings[_i].len)));
	gk_buf_done(&back);
}
END_TEST

START_TEST(test_every_character_is_written_as_jansson_does)
{
	static const char want[] = "\"\\u0000\\u0001\\u0002\\u0003\\u0004"
	    "\\u0005\\u0006\\u0007\\b\\t\\n\\u000B\\f\\r\\u000E\\u000F\\u0010"
	    "\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019"
	    "\\u001A\\u001B\\u001C\\u001D\\u001E\\u001F !\\\"#/[\\\\]\x7f"
	    "\xc2\x80\"";
	char text[64];
	int i;

	for (i = 0; i < 32; i++)
		text[i] = (char)i;
	memcpy(text + 32, " !\"#/[\\]\x7f\xc2\x80", 11);
	ck_assert_int_eq(gk_json_put_string(&b, text, 43), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), want));
}
END_TEST

START_TEST(test_what_is_no_utf8_is_replaced)
{
	ck_assert_int_eq(gk_json_put_string(&b, "a\xff\xc3z\xed\xa0\x80", 7),
	    0);
	ck_assert(gk_span_is(gk_buf_span(&b), "\"a\xef\xbf\xbd\xef\xbf\xbdz"
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
}
END_TEST

START_TEST(test_a_failed_write_leaves_the_buffer_alone)
{
	struct gk_buf small;
	size_t max;

	/* "ab\n" takes 6 bytes with its quotes. */
	for (max = 1; max < 8; max++) {
		gk_buf_init(&small, t.ctx, max);
		ck_assert_int_eq(gk_buf_puts(&small, "x"), 0);
		ck_assert_int_eq(gk_json_put_string(&small, "ab\n", 3),
		    max < 7 ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, max < 7 ? 1 : 7);
		gk_buf_done(&small);
		gk_buf_init(&small, t.ctx, max);
		ck_assert_int_eq(gk_buf_puts(&small, "{"), 0);
		ck_assert_int_eq(gk_json_put_int_member(&small, "k", 12),
		    max < 7 ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, max < 7 ? 1 : 7);
		gk_buf_done(&small);
		gk_buf_init(&small, t.ctx, max);
		ck_assert_int_eq(gk_jstr_decode(&small,
		    gk_span_str("\"abcd\\u00e9z\"")), max < 7 ?
		    GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, max < 7 ? 0 : 7);
		gk_buf_done(&small);
	}
}
END_TEST

START_TEST(test_members_are_separated_by_commas)
{
	ck_assert_int_eq(gk_buf_putc(&b, '{'), 0);
	ck_assert_int_eq(gk_json_put_str_member(&b, "s", "a\"b", 3), 0);
	ck_assert_int_eq(gk_json_put_int_member(&b, "i", INT64_MIN), 0);
	ck_assert_int_eq(gk_json_put_bool_member(&b, "t", true), 0);
	ck_assert_int_eq(gk_json_put_bool_member(&b, "f", false), 0);
	ck_assert_int_eq(gk_json_put_raw_member(&b, "r",
	    gk_span_str("[1]")), 0);
	ck_assert_int_eq(gk_json_put_key(&b, "o"), 0);
	ck_assert_int_eq(gk_buf_putc(&b, '{'), 0);
	ck_assert_int_eq(gk_json_put_str_member(&b, "x", "", 0), 0);
	ck_assert_int_eq(gk_buf_puts(&b, "}}"), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), "{\"s\":\"a\\\"b\",\"i\":"
	    "-9223372036854775808,\"t\":true,\"f\":false,\"r\":[1],"
	    "\"o\":{\"x\":\"\"}}"));
}
END_TEST

static struct gk_member
string(const char *token)
{
	struct gk_member m;

	memset(&m, 0, sizeof(m));
	m.type = GK_J_STRING;
	m.value = gk_span_str(token);
	m.escaped = strchr(token, '\\') != NULL;
	return m;
}

START_TEST(test_text_is_copied_only_where_it_must_be)
{
	struct gk_member plain = string("\"abc\""), esc = string("\"a\\u0062\"");
	struct gk_span s;

	ck_assert_int_eq(gk_jstr_text(&plain, &b, &s), 0);
	ck_assert_ptr_eq(s.ptr, plain.value.ptr + 1);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_int_eq(gk_buf_puts(&b, "zz"), 0);
	ck_assert_int_eq(gk_jstr_text(&esc, &b, &s), 0);
	ck_assert(gk_span_is(s, "ab"));
	ck_assert_ptr_eq(s.ptr, b.ptr + 2);
	ck_assert(gk_jstr_is(&plain, "abc"));
	ck_assert(!gk_jstr_is(&plain, "ab"));
	ck_assert(gk_jstr_is(&esc, "ab"));
	ck_assert(!gk_jstr_is(&esc, "a\\u0062"));
	plain.type = GK_J_INT;
	ck_assert(!gk_jstr_is(&plain, "abc"));
}
END_TEST

START_TEST(test_c_strings_have_no_nul_inside)
{
	char *s = NULL;

	ck_assert_int_eq(gk_jstr_dup(t.ctx, gk_span_str("\"a\\u00e9\""), &s),
	    0);
	ck_assert_str_eq(s, "a\xc3\xa9");
	gk_free(t.ctx, s);
	ck_assert_int_eq(gk_jstr_dup(t.ctx, gk_span_str("\"\""), &s), 0);
	ck_assert_str_eq(s, "");
	gk_free(t.ctx, s);
	s = NULL;
	ck_assert_int_eq(gk_jstr_dup(t.ctx, gk_span_str("\"a\\u0000\""), &s),
	    GENKAN_E_FRAME_MEMBER);
	ck_assert_ptr_null(s);
}
END_TEST

static int
dup(struct gk_test *u, void *token)
{
	char *s;
	int r;

	r = gk_jstr_dup(u->ctx, gk_span_str(token), &s);
	if (r == 0)
		gk_free(u->ctx, s);
	return r;
}

START_TEST(test_lack_of_memory_while_copying)
{
	ck_assert_uint_gt(gk_test_sweep(&t, dup,
	    (void *)(uintptr_t)"\"abc\\n\""), 1);
}
END_TEST

START_TEST(test_ids_are_equal_by_type_and_value)
{
	struct gk_member a = string("\"a\\u0062\""), c = string("\"ab\""),
	    d = string("\"abc\""), i, j;

	memset(&i, 0, sizeof(i));
	i.type = GK_J_INT;
	i.integer = 1;
	i.value = gk_span_str("1");
	j = i;
	ck_assert(gk_json_id_eq(&a, &c));
	ck_assert(!gk_json_id_eq(&a, &d));
	ck_assert(!gk_json_id_eq(&d, &a));
	d = string("\"ac\"");
	ck_assert(!gk_json_id_eq(&a, &d));
	ck_assert(gk_json_id_eq(&i, &j));
	j.integer = 2;
	ck_assert(!gk_json_id_eq(&i, &j));
	c = string("\"1\"");
	ck_assert(!gk_json_id_eq(&i, &c));
	i.type = j.type = GK_J_REAL;
	j.integer = 1;
	ck_assert(!gk_json_id_eq(&i, &j));	/* no id at all */
}
END_TEST

START_TEST(test_names_are_escaped_like_any_string)
{
	static const char want[] = "{\"a\\\"b\":1,\"c\\n\":2";
	struct gk_buf out;
	size_t n;

	gk_buf_init(&out, t.ctx, 100);
	ck_assert_int_eq(gk_buf_putc(&out, '{'), 0);
	ck_assert_int_eq(gk_json_put_int_member(&out, "a\"b", 1), 0);
	ck_assert_int_eq(gk_json_put_int_member(&out, "c\n", 2), 0);
	ck_assert(gk_span_is(gk_buf_span(&out), want));
	gk_buf_done(&out);
	/* Where there is no room, no part of a member stays. */
	for (n = 1; n < sizeof(want) - 1; n++) {
		gk_buf_init(&out, t.ctx, n);
		ck_assert_int_eq(gk_buf_putc(&out, '{'), 0);
		ck_assert_int_eq(gk_json_put_int_member(&out, "a\"b", 1),
		    n < 9 ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(out.len, n < 9 ? 1 : 9);
		if (n >= 9)
			ck_assert_int_eq(gk_json_put_key(&out, "c\n"),
			    n < 16 ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(out.len, n < 9 ? 1 : n < 16 ? 9 : 16);
		gk_buf_done(&out);
	}
}
END_TEST

START_TEST(test_integer_tokens)
{
	int64_t v = 3;

	ck_assert(gk_json_int(gk_span_str("-12"), &v));
	ck_assert_int_eq(v, -12);
	ck_assert(!gk_json_int(gk_span_str("1.0"), &v));
	ck_assert_int_eq(v, -12);
}
END_TEST

START_TEST(test_four_hex_digits)
{
	ck_assert_int_eq(gk_jstr_hex4("00fF"), 255);
	ck_assert_int_eq(gk_jstr_hex4("ABCD"), 0xabcd);
	ck_assert_int_eq(gk_jstr_hex4("00g0"), -1);
	ck_assert_int_eq(gk_jstr_hex4("+123"), -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("jstr");
	TCase *tc = tcase_create("jstr");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_strings_are_decoded, 0,
	    GK_ARRAY_LEN(strings));
	tcase_add_loop_test(tc, test_writing_and_reading_agree, 0,
	    GK_ARRAY_LEN(strings));
	tcase_add_test(tc, test_every_character_is_written_as_jansson_does);
	tcase_add_test(tc, test_what_is_no_utf8_is_replaced);
	tcase_add_test(tc, test_a_failed_write_leaves_the_buffer_alone);
	tcase_add_test(tc, test_members_are_separated_by_commas);
	tcase_add_test(tc, test_text_is_copied_only_where_it_must_be);
	tcase_add_test(tc, test_c_strings_have_no_nul_inside);
	tcase_add_test(tc, test_lack_of_memory_while_copying);
	tcase_add_test(tc, test_ids_are_equal_by_type_and_value);
	tcase_add_test(tc, test_names_are_escaped_like_any_string);
	tcase_add_test(tc, test_integer_tokens);
	tcase_add_test(tc, test_four_hex_digits);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
