#include "base/str.h"

#include <stdio.h>

#include "base/buf.h"
#include "contract/schema.h"

/* The second byte decides what a lead byte may begin (Unicode 15, table 3-7);
 * every further one is 80..BF. */
static size_t
sequence(uint8_t lead, uint8_t second)
{
	if (lead >= 0xc2 && lead <= 0xdf)
		return (second & 0xc0) == 0x80 ? 2 : 0;
	if (lead >= 0xe0 && lead <= 0xef) {
		uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;
		uint8_t high = lead == 0xed ? 0x9f : 0xbf;

		return second >= low && second <= high ? 3 : 0;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
		uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;

		return second >= low && second <= high ? 4 : 0;
	}
	return 0;
}

size_t
gk_utf8_next(const char *s, const char *end, uint32_t *cp)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t have = (size_t)(end - s), n, i;
	uint32_t c;

	if (have == 0)
		return 0;
	if (p[0] < 0x80) {
		if (cp != NULL)
			*cp = p[0];
		return 1;
	}
	if (have < 2 || (n = sequence(p[0], p[1])) == 0 || have < n)
		return 0;
	c = p[0] & (0x7fu >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (cp != NULL)
		*cp = c;
	return n;
}

const char *
gk_utf8_run(const char *s, const char *end)
{
	const uint8_t *p = (const uint8_t *)s, *stop = (const uint8_t *)end;
	size_t n;

	while (p < stop && p[0] >= 0x80) {
		/* Three bytes, and no lead that restricts the second one: most
		 * text that is not Latin. */
		while (stop - p >= 3 && p[0] > 0xe0 && p[0] < 0xf0 &&
		    p[0] != 0xed && (p[1] & 0xc0) == 0x80 &&
		    (p[2] & 0xc0) == 0x80)
			p += 3;
		if (p == stop || p[0] < 0x80)
			break;
		n = gk_utf8_next((const char *)p, end, NULL);
		if (n == 0)
			break;
		p += n;
	}
	return (const char *)p;
}

size_t
gk_utf8_prefix(const char *text, size_t len)
{
	const char *s = gk_bytes(text), *p = s, *end = s + len, *q;
	uint64_t word;

	while (p < end) {
		if (end - p >= 8) {
			memcpy(&word, p, sizeof(word));
			if ((word & UINT64_C(0x8080808080808080)) == 0) {
				p += 8;
				continue;
			}
		}
		if ((uint8_t)*p < 0x80) {
			p++;
			continue;
		}
		if ((q = gk_utf8_run(p, end)) == p)
			break;
		p = q;
	}
	return (size_t)(p - s);
}

bool
gk_utf8_valid(const char *s, size_t len)
{
	return gk_utf8_prefix(s, len) == len;
}

size_t
gk_utf8_cut(const char *s, size_t len, size_t max)
{
	size_t n;

	if (len <= max)
		return len;
	n = max;
	while (n > 0 && ((uint8_t)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

size_t
gk_utf8_encode(uint32_t cp, char ret[4])
{
	if (cp < 0x80) {
		ret[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		ret[0] = (char)(0xc0 | cp >> 6);
		ret[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp >= 0xd800 && cp <= 0xdfff)
		return 0;
	if (cp < 0x10000) {
		ret[0] = (char)(0xe0 | cp >> 12);
		ret[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		ret[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	if (cp > 0x10ffff)
		return 0;
	ret[0] = (char)(0xf0 | cp >> 18);
	ret[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	ret[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	ret[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

/* Characters that move the cursor, end a line or reorder what stands there:
 * controls, line and paragraph separator, marks, overrides and isolates, the
 * byte-order mark. */
static bool
unprintable(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x061c ||
	    cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

/* One character of s in its harmless spelling; *used bytes were read. */
static size_t
spell(const char *s, const char *end, bool quote, char ret[16], size_t *used)
{
	uint32_t cp;
	int n;

	if ((*used = gk_utf8_next(s, end, &cp)) == 0) {
		*used = 1;
		n = snprintf(ret, 16, "\\x%02x", (unsigned)(uint8_t)*s);
	} else if (cp == '\n') {
		n = snprintf(ret, 16, "\\n");
	} else if (cp == '\t') {
		n = snprintf(ret, 16, "\\t");
	} else if (quote && cp == '\\') {
		n = snprintf(ret, 16, "\\\\");
	} else if (cp < 0x80 && unprintable(cp)) {
		n = snprintf(ret, 16, "\\x%02x", (unsigned)cp);
	} else if (unprintable(cp)) {
		n = snprintf(ret, 16, "\\u{%04x}", (unsigned)cp);
	} else {
		memcpy(ret, s, *used);
		n = (int)*used;
	}
	return n < 0 ? 0 : (size_t)n;
}

static int
put(struct gk_buf *b, const char *text, size_t len, size_t max, bool quote)
{
	size_t start = b->len, used, n;
	const char *s = gk_bytes(text), *end = s + gk_utf8_cut(s, len, max);
	bool cut = end < s + len;
	char one[16];
	int r = 0;

	while (s < end && r == 0) {
		n = spell(s, end, quote, one, &used);
		r = gk_buf_put(b, one, n);
		s += used;
	}
	if (r == 0 && cut)
		r = gk_buf_puts(b, "...");
	if (r < 0)
		gk_buf_truncate(b, start);
	return r;
}

int
gk_str_escape(struct gk_buf *b, const char *text, size_t len, size_t max)
{
	return put(b, text, len, max, true);
}

int
gk_str_put_line(struct gk_buf *b, const char *text, size_t len, size_t max)
{
	return put(b, text, len, max, false);
}

/* Whole spellings only, as many as fit with the terminator. */
static size_t
spell_all(char *ret, size_t size, const char *s, const char *end, bool quote)
{
	size_t at = 0, used, n;
	char one[16];

	while (s < end) {
		n = spell(s, end, quote, one, &used);
		if (n >= size - at)
			break;
		memcpy(ret + at, one, n);
		at += n;
		s += used;
	}
	ret[at] = '\0';
	return at;
}

const char *
gk_str_escaped(char *ret, size_t size, const char *text, size_t len,
    size_t max)
{
	const char *s = gk_bytes(text);
	size_t n = gk_utf8_cut(s, len, max), at;

	if (size == 0)
		return "";
	at = spell_all(ret, size, s, s + n, true);
	if (n < len && size - at > 3)
		memcpy(ret + at, "...", 4);
	return ret;
}

void
gk_str_line(char *ret, size_t size, const char *text, size_t len)
{
	const char *s = gk_bytes(text);

	if (size > 0)
		(void)spell_all(ret, size, s, s + len, false);
}

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z');
}

bool
gk_str_is_label(const char *s, size_t len)
{
	size_t i;

	if (len < 1 || len > GK_LABEL_MAX || !is_alnum(s[0]))
		return false;
	for (i = 1; i < len; i++)
		if (!is_alnum(s[i]) && s[i] != '.' && s[i] != '_' &&
		    s[i] != '-')
			return false;
	return true;
}

bool
gk_str_is_hex_lower(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!((s[i] >= '0' && s[i] <= '9') ||
		    (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	return true;
}

bool
gk_str_is_hex(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!((s[i] >= '0' && s[i] <= '9') ||
		    (s[i] >= 'a' && s[i] <= 'f') ||
		    (s[i] >= 'A' && s[i] <= 'F')))
			return false;
	return true;
}

bool
gk_str_is_plain(const char *text, size_t len)
{
	const char *s = gk_bytes(text), *end = s + len;
	uint32_t cp;
	size_t n;

	while (s < end) {
		n = gk_utf8_next(s, end, &cp);
		if (n == 0 || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			return false;
		s += n;
	}
	return true;
}

bool
gk_str_copy(char *ret, size_t size, const char *s, size_t len)
{
	size_t n;

	if (size == 0)
		return false;
	n = GK_MIN(len, size - 1);
	if (n > 0)
		memcpy(ret, s, n);
	ret[n] = '\0';
	return n == len;
}
