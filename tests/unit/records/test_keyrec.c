#include "util.h"

#include <stdio.h>
#include <string.h>

#include "records/keyrec.h"
#include "records/store.h"

#define ONES	"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
#define GOOD	"{\"version\":0,\"scalar\":\"" ONES "\"}\n"

static struct gk_test t;
static struct gk_buf scalar;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&scalar, t.ctx, 8192);
}

static void
teardown(void)
{
	gk_buf_done(&scalar);
	gk_test_done(&t);
}

static int
parse(const char *text)
{
	gk_buf_clear(&scalar);
	why[0] = '\0';
	return gk_keyrec_parse(t.ctx, text, strlen(text), &scalar, why,
	    sizeof(why));
}

START_TEST(test_a_scalar_reads_back)
{
	uint8_t ones[GK_P256_SCALAR];
	struct gk_buf out;

	memset(ones, 1, sizeof(ones));
	gk_buf_init(&out, t.ctx, 4096);
	ck_assert_int_eq(gk_keyrec_format(ones, &out), 0);
	ck_assert_uint_eq(out.len, strlen(GOOD));
	ck_assert_mem_eq(out.ptr, GOOD, out.len);
	ck_assert_int_eq(parse(GOOD), 0);
	ck_assert_uint_eq(scalar.len, sizeof(ones));
	ck_assert_mem_eq(scalar.ptr, ones, sizeof(ones));
	gk_buf_done(&out);
}
END_TEST

/* What it is worth is for the signer to say. */
START_TEST(test_a_scalar_of_another_length_is_read)
{
	ck_assert_int_eq(parse("{\"version\":0,\"scalar\":\"\"}"), 0);
	ck_assert_uint_eq(scalar.len, 0);
	ck_assert_int_eq(parse("{\"version\":0,\"scalar\":\"AQ==\"}"), 0);
	ck_assert_uint_eq(scalar.len, 1);
	ck_assert_int_eq(parse("{\"scalar\":\"AQ\\u003d=\",\"version\":0}"),
	    0);
	ck_assert_uint_eq(scalar.len, 1);
}
END_TEST

static const struct {
	const char	*text;
	int		 error;
} bad[] = {
	{ "", GENKAN_E_RECORD_CORRUPT },
	{ "[]", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"scalar\":\"" ONES "\"}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":\"" ONES "\",\"x\":1}",
	    GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":\"" ONES "\",\"scalar\":\"" ONES "\"}",
	    GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":null}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":1}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":\"AQ\"}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":\"AR==\"}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":\"AQ-_\"}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0,\"scalar\":\" AQ==\"}", GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":0.0,\"scalar\":\"" ONES "\"}",
	    GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":-0,\"scalar\":\"" ONES "\"}",
	    GENKAN_E_RECORD_CORRUPT },
	{ "{\"version\":1,\"scalar\":\"" ONES "\"}",
	    GENKAN_E_RECORD_NEWER },
};

START_TEST(test_what_is_no_record_is_refused_and_quotes_no_value)
{
	ck_assert_int_eq(parse(bad[_i].text), bad[_i].error);
	ck_assert_uint_eq(scalar.len, 0);
	ck_assert_str_ne(why, "");
	ck_assert_ptr_null(strstr(why, "AQ"));
}
END_TEST

START_TEST(test_the_cap_is_four_kilobytes)
{
	char text[4100];

	memset(text, ' ', sizeof(text));
	memcpy(text, GOOD, strlen(GOOD));
	ck_assert_int_eq(gk_keyrec_parse(t.ctx, text, 4095, &scalar, why,
	    sizeof(why)), 0);
	ck_assert_int_eq(gk_keyrec_parse(t.ctx, text, 4096, &scalar, why,
	    sizeof(why)), 0);
	ck_assert_int_eq(gk_keyrec_parse(t.ctx, text, 4097, &scalar, why,
	    sizeof(why)), GENKAN_E_TOO_LARGE);
}
END_TEST

START_TEST(test_without_memory_it_is_an_error)
{
	size_t i;
	int r = GENKAN_E_NOMEM;

	for (i = 1; r == GENKAN_E_NOMEM && i < 100; i++) {
		gk_buf_done(&scalar);
		t.fail_at = i;
		t.failed = 0;
		r = parse("{\"version\":0,\"scalar\":\"AQ\\u003d=\"}");
		ck_assert_int_eq(r, t.failed > 0 ? GENKAN_E_NOMEM : 0);
	}
	t.fail_at = 0;
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 2);
}
END_TEST

START_TEST(test_what_does_not_fit_is_not_begun)
{
	static const uint8_t ones[GK_P256_SCALAR] = { 1 };
	struct gk_buf whole, small;
	size_t n;

	gk_buf_init(&whole, t.ctx, 4096);
	ck_assert_int_eq(gk_keyrec_format(ones, &whole), 0);
	for (n = 0; n <= whole.len; n++) {
		gk_buf_init(&small, t.ctx, n);
		ck_assert_int_eq(gk_keyrec_format(ones, &small),
		    n < whole.len ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, n < whole.len ? 0 : n);
		gk_buf_done(&small);
	}
	gk_buf_done(&whole);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keyrec");
	TCase *tc = tcase_create("keyrec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_scalar_reads_back);
	tcase_add_test(tc, test_a_scalar_of_another_length_is_read);
	tcase_add_loop_test(tc,
	    test_what_is_no_record_is_refused_and_quotes_no_value, 0,
	    (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, test_the_cap_is_four_kilobytes);
	tcase_add_test(tc, test_without_memory_it_is_an_error);
	tcase_add_test(tc, test_what_does_not_fit_is_not_begun);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
