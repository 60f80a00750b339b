#include "codec/url.h"

#include <stdio.h>

#include "base/str.h"

/* ------------------------------------------------ names (URL standard 3.3) */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Forbidden domain code points, upper case, and what would have to be told
 * apart from the syntax around an origin in a signed statement. */
static bool
is_name_char(char c)
{
	return c > 0x20 && c < 0x7f && !(c >= 'A' && c <= 'Z') &&
	    strchr("#/:<>?@[\\]^|%;=", c) == NULL;
}

/* Punycode, RFC 3492 section 6. */
#define PUNY_BASE	36
#define PUNY_TMIN	1
#define PUNY_TMAX	26

static uint32_t
puny_adapt(uint32_t delta, uint32_t points, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / points;
	for (; delta > (PUNY_BASE - PUNY_TMIN) * PUNY_TMAX / 2; k += PUNY_BASE)
		delta /= PUNY_BASE - PUNY_TMIN;
	return k + (PUNY_BASE - PUNY_TMIN + 1) * delta / (delta + 38);
}

/* One generalised integer: added to *i.  false at a bad or missing digit. */
static bool
puny_integer(const char **p, const char *end, uint32_t bias, uint32_t *i)
{
	uint32_t w = 1, k, digit, t;
	uint64_t sum;

	for (k = PUNY_BASE; ; k += PUNY_BASE) {
		if (*p == end)
			return false;
		digit = is_digit(**p) ? (uint32_t)(**p - '0') + 26 :
		    **p >= 'a' && **p <= 'z' ? (uint32_t)(**p - 'a') : 36;
		++*p;
		sum = *i + (uint64_t)digit * w;
		if (digit == 36 || sum > INT32_MAX)
			return false;
		*i = (uint32_t)sum;
		t = k <= bias ? PUNY_TMIN : k >= bias + PUNY_TMAX ?
		    PUNY_TMAX : k - bias;
		if (digit < t)
			return true;
		if ((uint64_t)w * (PUNY_BASE - t) > INT32_MAX)
			return false;
		w *= PUNY_BASE - t;
	}
}

/*
 * s: a label behind its "xn--".  Every code point must be one, and one of
 * them beyond ASCII.  Where it goes in the label does not matter here.
 */
static bool
is_punycode(const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	uint32_t n = 128, i = 0, was, bias = 72, points = 0;
	size_t k;

	for (k = len; k > 0 && s[k - 1] != '-'; k--)
		continue;
	if (k > 0) {
		points = (uint32_t)k - 1;
		p = s + k;
	}
	if (p == end)
		return false;
	while (p < end) {
		was = i;
		if (!puny_integer(&p, end, bias, &i))
			return false;
		points++;
		bias = puny_adapt(i - was, points, was == 0);
		n += i / points;
		i %= points;
		/* C1 controls, surrogates, and what is no code point. */
		if (n < 0xa0 || n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff))
			return false;
		i++;
	}
	return true;
}

static bool
is_label(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!is_name_char(s[i]))
			return false;
	if (len >= 4 && memcmp(s, "xn--", 4) == 0)
		return is_punycode(s + 4, len - 4);
	return true;
}

/* ------------------------------------------------ IPv4 (URL standard 3.5) */

/* Decimal, no leading zero, at most max. */
static bool
is_decimal(const char *s, size_t len, unsigned max)
{
	unsigned v = 0;
	size_t i;

	if (len == 0 || len > 5 || (len > 1 && s[0] == '0'))
		return false;
	for (i = 0; i < len; i++) {
		if (!is_digit(s[i]))
			return false;
		v = v * 10 + (unsigned)(s[i] - '0');
	}
	return v <= max;
}

static bool
is_ipv4(const char *s, size_t len)
{
	const char *end = s + len, *dot;
	int parts;

	for (parts = 1; parts < 4; parts++) {
		dot = memchr(s, '.', (size_t)(end - s));
		if (dot == NULL || !is_decimal(s, (size_t)(dot - s), 255))
			return false;
		s = dot + 1;
	}
	return is_decimal(s, (size_t)(end - s), 255);
}

/* "Ends in a number": such a host is an IPv4 address or nothing. */
static bool
is_number(const char *s, size_t len)
{
	size_t i;

	if (len == 0)
		return false;
	if (len >= 2 && s[0] == '0' && s[1] == 'x')
		return gk_str_is_hex(s + 2, len - 2);
	for (i = 0; i < len; i++)
		if (!is_digit(s[i]))
			return false;
	return true;
}

static bool
ends_in_number(const char *s, size_t len)
{
	size_t start;

	if (len > 0 && s[len - 1] == '.')
		len--;
	for (start = len; start > 0 && s[start - 1] != '.'; start--)
		continue;
	return is_number(s + start, len - start);
}

static bool
is_name(const char *s, size_t len)
{
	const char *end = s + len, *dot;

	if (len == 0)
		return false;
	if (ends_in_number(s, len))
		return is_ipv4(s, len);
	while ((dot = memchr(s, '.', (size_t)(end - s))) != NULL) {
		if (!is_label(s, (size_t)(dot - s)))
			return false;
		s = dot + 1;
	}
	return is_label(s, (size_t)(end - s));
}

/* ------------------------------------------- IPv6 (URL standard 3.5, 3.6) */

/* Pieces with at most one "::"; *gap is where it stands, -1 nowhere. */
static int
ipv6_pieces(const char *s, const char *end, uint16_t piece[8], int *gap)
{
	int n = 0, digits;
	unsigned v;

	*gap = -1;
	while (s < end) {
		if (end - s >= 2 && s[0] == ':' && s[1] == ':') {
			if (*gap >= 0)
				return -1;
			*gap = n;
			s += 2;
			continue;
		}
		if (n > 0 && *gap != n && *s++ != ':')
			return -1;
		v = 0;
		for (digits = 0; s < end && digits < 4; digits++, s++) {
			if (!gk_str_is_hex_lower(s, 1))
				break;
			v = v << 4 | (unsigned)(is_digit(*s) ? *s - '0' :
			    *s - 'a' + 10);
		}
		if (digits == 0 || n == 8)
			return -1;
		piece[n++] = (uint16_t)v;
	}
	return n;
}

/* The first longest run of two or more zero pieces. */
static void
ipv6_run(const uint16_t piece[8], int *at, int *len)
{
	int i, j;

	*at = -1;
	*len = 1;
	for (i = 0; i < 8; i = j + 1) {
		for (j = i; j < 8 && piece[j] == 0; j++)
			continue;
		if (j - i > *len) {
			*at = i;
			*len = j - i;
		}
	}
}

/* Parsed, written again, and compared: simpler than naming what differs. */
static bool
is_ipv6(const char *s, size_t len)
{
	uint16_t piece[8] = { 0 };
	char text[48];
	int n, gap, at, run, i;
	size_t k = 0;

	if ((n = ipv6_pieces(s, s + len, piece, &gap)) < 0 ||
	    (gap < 0 ? n != 8 : n > 7))
		return false;
	if (gap >= 0) {
		memmove(&piece[gap + 8 - n], &piece[gap],
		    (size_t)(n - gap) * sizeof(piece[0]));
		memset(&piece[gap], 0, (size_t)(8 - n) * sizeof(piece[0]));
	}
	ipv6_run(piece, &at, &run);
	for (i = 0; i < 8; i++) {
		if (i == at) {
			k += (size_t)snprintf(text + k, sizeof(text) - k,
			    i == 0 ? "::" : ":");
			i += run - 1;
			continue;
		}
		k += (size_t)snprintf(text + k, sizeof(text) - k, "%x%s",
		    (unsigned)piece[i], i < 7 ? ":" : "");
	}
	return k == len && memcmp(text, s, len) == 0;
}

/* ---------------------------------------------------------------- origins */

static bool
is_port(const char *s, size_t len, bool secure)
{
	/* The default one is never written. */
	return is_decimal(s, len, 65535) &&
	    !gk_span_is(gk_span(s, len), secure ? "443" : "80");
}

bool
gk_url_is_origin(const char *text, size_t len)
{
	const char *s = gk_bytes(text), *end = s + len, *host, *stop;
	bool secure;

	if (len > GK_ORIGIN_MAX)
		return false;
	if (len > 8 && memcmp(s, "https://", 8) == 0)
		secure = true;
	else if (len > 7 && memcmp(s, "http://", 7) == 0)
		secure = false;
	else
		return false;
	host = s + (secure ? 8 : 7);
	if (*host == '[') {
		stop = memchr(host, ']', (size_t)(end - host));
		if (stop == NULL ||
		    !is_ipv6(host + 1, (size_t)(stop - host) - 1))
			return false;
		stop++;
	} else {
		stop = memchr(host, ':', (size_t)(end - host));
		if (stop == NULL)
			stop = end;
		if (!is_name(host, (size_t)(stop - host)))
			return false;
	}
	return stop == end || (*stop == ':' &&
	    is_port(stop + 1, (size_t)(end - stop) - 1, secure));
}

/* Length of the scheme with its colon; 0 where there is none. */
static size_t
scheme(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len && s[i] != ':'; i++) {
		bool alpha = (s[i] >= 'a' && s[i] <= 'z') ||
		    (s[i] >= 'A' && s[i] <= 'Z');

		if (!alpha && (i == 0 || (!is_digit(s[i]) && s[i] != '+' &&
		    s[i] != '-' && s[i] != '.')))
			return 0;
	}
	return i == 0 || i == len ? 0 : i + 1;
}

const char *
gk_url_trim(char *ret, size_t size, const char *url, size_t len)
{
	size_t n = scheme(url, len), i, host;

	if (n == 0) {
		(void)gk_str_copy(ret, size, "(no URL)", 8);
		return ret;
	}
	if (len - n < 2 || url[n] != '/' || url[n + 1] != '/') {
		(void)gk_str_copy(ret, size, url, n);
		return ret;
	}
	n += 2;
	/* The last '@' ends user and password. */
	for (i = host = n; i < len && strchr("/?#\\", url[i]) == NULL; i++)
		if (url[i] == '@')
			host = i + 1;
	if (gk_str_copy(ret, size, url, n))
		(void)gk_str_copy(ret + n, size - n, url + host, i - host);
	return ret;
}
