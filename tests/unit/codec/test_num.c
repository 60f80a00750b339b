#include "util.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/num.h"

START_TEST(test_integers_are_exact)
{
	static const struct { const char *s; bool ok; int64_t v; } row[] = {
		{ "0", true, 0 }, { "-0", true, 0 }, { "7", true, 7 },
		{ "-7", true, -7 },
		{ "999999999999999999", true, INT64_C(999999999999999999) },
		{ "-99999999999999999", true, INT64_C(-99999999999999999) },
		{ "-999999999999999999", true,
		    INT64_C(-999999999999999999) },
		{ "9999999999999999999", false, 0 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "-9223372036854775809", false, 0 },
		{ "18446744073709551615", false, 0 },
		{ "18446744073709551616", false, 0 },
		{ "99999999999999999999999999", false, 0 },
		{ "1.0", false, 0 }, { "1e3", false, 0 }, { "", false, 0 },
		{ "-", false, 0 }, { "\"1\"", false, 0 },
	};
	int64_t v;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		v = 42;
		ck_assert_int_eq(gk_num_int(gk_span_str(row[i].s), &v),
		    row[i].ok);
		ck_assert_int_eq(v, row[i].ok ? row[i].v : 42);
	}
}
END_TEST

START_TEST(test_digits_are_those_of_the_c_library)
{
	static const uint64_t v[] = { 0, 1, 9, 10, 11, 99, 100, 101,
	    UINT32_MAX, INT64_MAX, UINT64_MAX - 1, UINT64_MAX };
	char got[GK_NUM_TEXT], want[32];
	size_t i, n;

	for (i = 0; i < GK_ARRAY_LEN(v) + 20000; i++) {
		const uint64_t u = i < GK_ARRAY_LEN(v) ? v[i] :
		    i - GK_ARRAY_LEN(v);

		n = gk_num_text(u, got);
		snprintf(want, sizeof(want), "%llu", (unsigned long long)u);
		ck_assert_uint_eq(n, strlen(want));
		ck_assert_mem_eq(got, want, n);
	}
}
END_TEST

/* strtod() under the C locale is the judge. */
static bool
finite_by_libc(const char *s)
{
	return isfinite(strtod(s, NULL));
}

static const char *const reals[] = {
	"0", "-0.0", "1.5", "1e308", "1.7976931348623157e308",
	"1.7976931348623158e308", "1.7976931348623159e308", "1.8e308",
	"1e309", "1e400", "-1e309", "17976931348623158e292",
	"17976931348623159e292", "0.00017976931348623158e312",
	"0.00017976931348623159e312", "0e999999999999999999999",
	"0.0e99999", "0.000e-5", "1e-400", "4.9e-324", "1e-99999999999999999",
	"1e99999999999999999999", "0.1e309", "0.1e310", "00.1e1",
	"179769313486231580793728971405303415079934132710037826936173778980"
	"444968292764750946649017977587207096330286416692887910946555547851"
	"940402630657488671505820681908902000708383676273854845817711531764"
	"475730270069855571366959622842914819860834936475292719074168444365"
	"510704342711559699508093042880177904174497791",
	"179769313486231580793728971405303415079934132710037826936173778980"
	"444968292764750946649017977587207096330286416692887910946555547851"
	"940402630657488671505820681908902000708383676273854845817711531764"
	"475730270069855571366959622842914819860834936475292719074168444365"
	"510704342711559699508093042880177904174497792",
	"179769313486231580793728971405303415079934132710037826936173778980"
	"444968292764750946649017977587207096330286416692887910946555547851"
	"940402630657488671505820681908902000708383676273854845817711531764"
	"475730270069855571366959622842914819860834936475292719074168444365"
	"510704342711559699508093042880177904174497791.99999999999",
	"179769313486231580793728971405303415079934132710037826936173778980"
	"444968292764750946649017977587207096330286416692887910946555547851"
	"940402630657488671505820681908902000708383676273854845817711531764"
	"475730270069855571366959622842914819860834936475292719074168444365"
	"510704342711559699508093042880177904174497792.0e0",
};

START_TEST(test_reals_are_in_range_where_strtod_says_so)
{
	ck_assert_int_eq(gk_num_is_finite(gk_span_str(reals[_i])),
	    finite_by_libc(reals[_i]));
}
END_TEST

/* Digits around the limit, the point and the exponent anywhere. */
START_TEST(test_the_limit_at_every_point)
{
	char s[512], digits[] = "179769313486231580793728971405303415079934";
	int point, n = (int)strlen(digits), last;

	for (point = 1; point < n; point++)
		for (last = -1; last <= 1; last++) {
			snprintf(s, sizeof(s), "%.*s.%se%d", point, digits,
			    digits + point, 309 - point);
			s[n - 20] = (char)(s[n - 20] == '.' ? '.' :
			    s[n - 20] + (s[n - 20] > '0' ? last : 0));
			ck_assert_msg(gk_num_is_finite(gk_span_str(s)) ==
			    finite_by_libc(s), "%s", s);
		}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("num");
	TCase *tc = tcase_create("num");

	tcase_add_test(tc, test_integers_are_exact);
	tcase_add_test(tc, test_digits_are_those_of_the_c_library);
	tcase_add_loop_test(tc, test_reals_are_in_range_where_strtod_says_so,
	    0, GK_ARRAY_LEN(reals));
	tcase_add_test(tc, test_the_limit_at_every_point);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
