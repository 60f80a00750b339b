#include "codec/b64.h"
#include "codec/jstr.h"

static const char std_digit[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url_digit[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int
value(enum gk_b64 form, char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == (form == GK_B64_STD ? '+' : '-'))
		return 62;
	if (c == (form == GK_B64_STD ? '/' : '_'))
		return 63;
	return -1;
}

size_t
gk_b64_max(size_t len)
{
	return len / 4 * 3 + len % 4;
}

/* Length without padding, which must be exactly what the form asks for. */
static bool
strip(enum gk_b64 form, const char *s, size_t *len)
{
	if (form == GK_B64_STD) {
		if (*len % 4 != 0)
			return false;
		if (*len > 0 && s[*len - 1] == '=')
			--*len;
		if (*len % 4 == 3 && s[*len - 1] == '=')
			--*len;
	}
	/* One digit alone holds no byte. */
	return *len % 4 != 1;
}

static bool
is_canonical(enum gk_b64 form, const char *s, size_t len)
{
	size_t i;
	int last = 0;

	for (i = 0; i < len; i++)
		if ((last = value(form, s[i])) < 0)
			return false;
	/* Bits that belong to no byte are zero. */
	return (last & (len % 4 == 2 ? 0xf : len % 4 == 3 ? 0x3 : 0)) == 0;
}

int
gk_b64_decode(enum gk_b64 form, const char *s, size_t len, uint8_t *ret,
    size_t cap, size_t *n)
{
	uint32_t acc = 0;
	size_t i, at = 0;

	if (!strip(form, s, &len) || !is_canonical(form, s, len))
		return GENKAN_E_ENCODING;
	if (len / 4 * 3 + (len % 4 == 0 ? 0 : len % 4 - 1) > cap)
		return GENKAN_E_FRAME_SIZE;
	for (i = 0; i < len; i++) {
		acc = acc << 6 | (uint32_t)value(form, s[i]);
		/* A byte is full after every digit but the first of four. */
		if (i % 4 != 0)
			ret[at++] = (uint8_t)(acc >> (6 - 2 * (i % 4)));
	}
	*n = at;
	return 0;
}

int
gk_b64_put_decoded(struct gk_buf *b, enum gk_b64 form, const char *s,
    size_t len)
{
	size_t n, tail = len;
	uint8_t *p;
	int r;

	if (!strip(form, s, &tail))
		return GENKAN_E_ENCODING;
	n = tail / 4 * 3 + (tail % 4 == 0 ? 0 : tail % 4 - 1);
	if ((r = gk_buf_reserve(b, n, &p)) < 0 ||
	    (r = gk_b64_decode(form, s, len, p, n, &n)) < 0)
		return r;
	gk_buf_commit(b, n);
	return 0;
}

int
gk_b64_put(struct gk_buf *b, enum gk_b64 form, const void *src, size_t len)
{
	const char *digit = form == GK_B64_STD ? std_digit : url_digit;
	const uint8_t *s = src;
	size_t left, size, n;
	uint8_t *p, *start;
	int r;

	if (!gk_mul(len / 3 + 1, 4, &size))
		return GENKAN_E_FRAME_SIZE;
	size = len / 3 * 4 + (len % 3 == 0 ? 0 :
	    form == GK_B64_STD ? 4 : len % 3 + 1);
	if (size == 0)
		return 0;
	if ((r = gk_buf_reserve(b, size, &p)) < 0)
		return r;
	start = p;
	for (left = len; left > 0; left -= n, s += n) {
		uint32_t v = (uint32_t)s[0] << 16 |
		    (left > 1 ? (uint32_t)s[1] << 8 : 0) |
		    (left > 2 ? (uint32_t)s[2] : 0);

		n = GK_MIN(left, 3);
		*p++ = (uint8_t)digit[v >> 18];
		*p++ = (uint8_t)digit[v >> 12 & 63];
		if (left > 1)
			*p++ = (uint8_t)digit[v >> 6 & 63];
		if (left > 2)
			*p++ = (uint8_t)digit[v & 63];
	}
	while (p < start + size)
		*p++ = '=';
	gk_buf_commit(b, size);
	return 0;
}

int
gk_b64_put_member(struct gk_buf *b, enum gk_b64 form, const char *name,
    const void *bytes, size_t len)
{
	int r;

	if ((r = gk_json_put_key(b, name)) < 0 ||
	    (r = gk_buf_putc(b, '"')) < 0 ||
	    (r = gk_b64_put(b, form, bytes, len)) < 0)
		return r;
	return gk_buf_putc(b, '"');
}
