#include "util.h"

#include <string.h>

#include "codec/b64.h"

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

/* RFC 4648 section 10, and the two last digits of either alphabet. */
static const struct { const char *bytes, *std, *url; } vectors[] = {
	{ "", "", "" },
	{ "f", "Zg==", "Zg" },
	{ "fo", "Zm8=", "Zm8" },
	{ "foo", "Zm9v", "Zm9v" },
	{ "foob", "Zm9vYg==", "Zm9vYg" },
	{ "fooba", "Zm9vYmE=", "Zm9vYmE" },
	{ "foobar", "Zm9vYmFy", "Zm9vYmFy" },
	{ "\xfb\xef\xbe", "++++", "----" },
	{ "\xff\xff\xff", "////", "____" },
	{ "\xff", "/w==", "_w" },
};

START_TEST(test_vectors_both_ways)
{
	const char *text[2] = { vectors[_i].std, vectors[_i].url };
	size_t len = strlen(vectors[_i].bytes), n, form;
	uint8_t out[16];

	for (form = 0; form < 2; form++) {
		gk_buf_clear(&b);
		ck_assert_int_eq(gk_b64_put(&b, (enum gk_b64)form,
		    vectors[_i].bytes, len), 0);
		ck_assert(gk_span_is(gk_buf_span(&b), text[form]));
		ck_assert_int_eq(gk_b64_decode((enum gk_b64)form, text[form],
		    strlen(text[form]), out, len, &n), 0);
		ck_assert_uint_eq(n, len);
		ck_assert_mem_eq(out, vectors[_i].bytes, len);
		ck_assert_uint_ge(gk_b64_max(strlen(text[form])), len);
		if (len > 0)
			ck_assert_int_eq(gk_b64_decode((enum gk_b64)form,
			    text[form], strlen(text[form]), out, len - 1, &n),
			    GENKAN_E_FRAME_SIZE);
	}
}
END_TEST

static const struct { enum gk_b64 form; const char *text; } refused[] = {
	{ GK_B64_STD, "Zg" }, { GK_B64_STD, "Zg=" }, { GK_B64_STD, "Zg===" },
	{ GK_B64_STD, "Zm8" }, { GK_B64_STD, "Z" }, { GK_B64_STD, "====" },
	{ GK_B64_STD, "Z===" }, { GK_B64_STD, "=Zg=" },
	{ GK_B64_STD, "Zg==Zg==" }, { GK_B64_STD, "Zm9v\n" },
	{ GK_B64_STD, "Zm9 " }, { GK_B64_STD, " Zm9" },
	{ GK_B64_STD, "----" }, { GK_B64_STD, "____" },
	/* Bits that belong to no byte. */
	{ GK_B64_STD, "Zh==" }, { GK_B64_STD, "Zm9=" }, { GK_B64_URL, "Zh" },
	{ GK_B64_URL, "Zm9" }, { GK_B64_URL, "Zg==" }, { GK_B64_URL, "Zm8=" },
	{ GK_B64_URL, "Z" }, { GK_B64_URL, "Zm9vZ" }, { GK_B64_URL, "++++" },
	{ GK_B64_URL, "////" }, { GK_B64_URL, "Zm\xc3\xa9" },
};

START_TEST(test_other_spellings_are_refused)
{
	const char *s = refused[_i].text;
	uint8_t out[16] = { 9 };
	size_t n = 77;

	ck_assert_int_eq(gk_b64_decode(refused[_i].form, s, strlen(s), out,
	    sizeof(out), &n), GENKAN_E_ENCODING);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(out[0], 9);
	ck_assert_int_eq(gk_b64_put_decoded(&b, refused[_i].form, s,
	    strlen(s)), GENKAN_E_ENCODING);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_int_eq(gk_b64_decode(GK_B64_STD, "Zm\0v", 4, out,
	    sizeof(out), &n), GENKAN_E_ENCODING);
}
END_TEST

START_TEST(test_every_length_round_trips)
{
	uint8_t bytes[100], out[100];
	size_t len, i, n, form;

	for (len = 0; len < 100; len++)
		for (form = 0; form < 2; form++) {
			for (i = 0; i < len; i++)
				bytes[i] = (uint8_t)(i * 37 + len);
			gk_buf_clear(&b);
			ck_assert_int_eq(gk_b64_put(&b, (enum gk_b64)form,
			    bytes, len), 0);
			ck_assert_int_eq(gk_b64_decode((enum gk_b64)form,
			    (char *)b.ptr, b.len, out, sizeof(out), &n), 0);
			ck_assert_uint_eq(n, len);
			ck_assert_mem_eq(out, bytes, len);
		}
}
END_TEST

START_TEST(test_into_a_buffer)
{
	ck_assert_int_eq(gk_buf_putc(&b, '>'), 0);
	ck_assert_int_eq(gk_b64_put_decoded(&b, GK_B64_STD, "Zm9v", 4), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), ">foo"));
	ck_assert_int_eq(gk_b64_put_decoded(&b, GK_B64_STD, "", 0), 0);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, NULL, 0), 0);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, "x", SIZE_MAX),
	    GENKAN_E_FRAME_SIZE);
	b.max = 9;
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, "abcd", 4),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_URL, "abcd", 4),
	    GENKAN_E_FRAME_SIZE);
	b.max = 10;
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_URL, "abcd", 4), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), ">fooYWJjZA"));
	gk_buf_truncate(&b, 4);
	ck_assert(gk_span_is(gk_buf_span(&b), ">foo"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("b64");
	TCase *tc = tcase_create("b64");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_vectors_both_ways, 0,
	    GK_ARRAY_LEN(vectors));
	tcase_add_loop_test(tc, test_other_spellings_are_refused, 0,
	    GK_ARRAY_LEN(refused));
	tcase_add_test(tc, test_every_length_round_trips);
	tcase_add_test(tc, test_into_a_buffer);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
