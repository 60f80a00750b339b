#include "codec/hex.h"

void
gk_hex_encode(char *ret, const void *src, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	const uint8_t *p = src;
	size_t i;

	for (i = 0; i < len; i++) {
		ret[2 * i] = digit[p[i] >> 4];
		ret[2 * i + 1] = digit[p[i] & 0xf];
	}
	ret[2 * len] = '\0';
}

static int
value(enum gk_hex form, char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F' && form == GK_HEX_ANY)
		return c - 'A' + 10;
	return -1;
}

int
gk_hex_decode(enum gk_hex form, const char *s, size_t len, uint8_t *ret,
    size_t cap, size_t *n)
{
	size_t i;
	int high, low;

	if (len % 2 != 0)
		return GENKAN_E_ENCODING;
	/* Checked first, so that a refusal leaves the output alone. */
	for (i = 0; i < len; i++)
		if (value(form, s[i]) < 0)
			return GENKAN_E_ENCODING;
	if (len / 2 > cap)
		return GENKAN_E_FRAME_SIZE;
	for (i = 0; i < len / 2; i++) {
		high = value(form, s[2 * i]);
		low = value(form, s[2 * i + 1]);
		ret[i] = (uint8_t)(high << 4 | low);
	}
	*n = len / 2;
	return 0;
}
