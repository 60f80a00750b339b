#include "codec/num.h"

/*
 * 2^1024 - 2^970, without its trailing zeroes: halfway between the largest
 * double and the next power of two.  Rounding to nearest takes this value and
 * everything above it to infinity.
 */
static const char limit[] =
    "1797693134862315807937289714053034150799341327100378269361737789"
    "8044496829276475094664901797758720709633028641669288791094655554"
    "7851940402630657488671505820681908902000708383676273854845817711"
    "5317644757302700698555713669596228429148198608349364752927190741"
    "68444365510704342711559699508093042880177904174497792";
#define LIMIT_DIGITS	309	/* before its decimal point */

#define SHORT	18		/* digits that always fit an int64_t */
#define EXP_MAX	INT64_C(1000000000000)	/* beyond any length of text */

bool
gk_num_int(struct gk_span token, int64_t *ret)
{
	const char *p = token.ptr, *end = p + token.len;
	bool minus = p < end && *p == '-';
	uint64_t v = 0, max = (uint64_t)INT64_MAX + (minus ? 1 : 0);

	if (minus)
		p++;
	if (p == end)
		return false;
	for (; p < end; p++) {
		unsigned d = (unsigned)(*p - '0');

		/* Few digits are not asked whether they are too many. */
		if (d > 9 || (GK_UNLIKELY(token.len > SHORT) &&
		    v > (max - d) / 10))
			return false;
		v = v * 10 + d;
	}
	/* -INT64_MIN has no int64_t, hence the detour. */
	*ret = minus && v > 0 ? -(int64_t)(v - 1) - 1 : (int64_t)v;
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The exponent behind p, "e" included; 0 where there is none. */
static int64_t
exponent(const char *p, const char *end)
{
	bool minus = false;
	int64_t e = 0;

	if (p == end)
		return 0;
	p++;
	if (*p == '-' || *p == '+')
		minus = *p++ == '-';
	for (; p < end; p++)
		if (e < EXP_MAX)
			e = e * 10 + (*p - '0');
	return minus ? -e : e;
}

/* Digits from p on, a point among them, against the limit. */
static bool
below_limit(const char *p, const char *end)
{
	size_t i = 0;

	for (; p < end && i < sizeof(limit) - 1; p++) {
		if (*p == '.')
			continue;
		if (*p != limit[i])
			return *p < limit[i];
		i++;
	}
	/* The limit's further digits are zeroes, and equal is too much; what
	 * ran out of digits earlier is below. */
	return i < sizeof(limit) - 1;
}

bool
gk_num_is_finite(struct gk_span token)
{
	const char *p = token.ptr, *end = p + token.len, *first = NULL, *q;
	int64_t before = 0, zeros = 0, magnitude;
	bool point = false;

	if (p < end && *p == '-')
		p++;
	for (q = p; q < end && (is_digit(*q) || *q == '.'); q++) {
		if (*q == '.') {
			point = true;
			continue;
		}
		if (!point)
			before++;
		if (first == NULL && *q == '0')
			zeros++;
		else if (first == NULL)
			first = q;
	}
	if (first == NULL)
		return true;	/* zero, whatever its exponent */
	/* 0.d1d2d3... times ten to this, d1 not zero. */
	magnitude = before - zeros + exponent(q, end);
	if (magnitude != LIMIT_DIGITS)
		return magnitude < LIMIT_DIGITS;
	return below_limit(first, q);
}

/* Two digits a step: every call has some numbers written, one of them long. */
size_t
gk_num_text(uint64_t v, char ret[GK_NUM_TEXT])
{
	static const char pairs[] =
	    "0001020304050607080910111213141516171819"
	    "2021222324252627282930313233343536373839"
	    "4041424344454647484950515253545556575859"
	    "6061626364656667686970717273747576777879"
	    "8081828384858687888990919293949596979899";
	char text[GK_NUM_TEXT], *p = text + sizeof(text);
	size_t n;

	for (; v >= 100; v /= 100)
		memcpy(p -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(p -= 2, pairs + v * 2, 2);
	else
		*--p = (char)('0' + v);
	n = (size_t)(text + sizeof(text) - p);
	memcpy(ret, p, n);
	return n;
}
