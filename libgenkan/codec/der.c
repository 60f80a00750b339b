#include "codec/der.h"

#define T_INTEGER	0x02
#define T_SEQUENCE	0x30
#define BODY_MAX	70
#define SCALAR		32

/* One INTEGER at *p (X.690 8.3): minimal, and above zero. */
static int
integer(const uint8_t **p, const uint8_t *end, uint8_t ret[SCALAR])
{
	const uint8_t *q = *p;
	size_t n;

	if (end - q < 2 || q[0] != T_INTEGER)
		return GENKAN_E_ENCODING;
	n = q[1];
	q += 2;
	if (n == 0 || n > SCALAR + 1 || n > (size_t)(end - q))
		return GENKAN_E_ENCODING;
	if ((q[0] & 0x80) != 0)			/* negative */
		return GENKAN_E_ENCODING;
	*p = q + n;
	if (q[0] == 0) {
		/* Only in front of a bit that would read as a sign; which
		 * leaves no room for the number zero. */
		if (n == 1 || (q[1] & 0x80) == 0)
			return GENKAN_E_ENCODING;
		q++;
		n--;
	}
	if (n > SCALAR)
		return GENKAN_E_ENCODING;
	memset(ret, 0, SCALAR - n);
	memcpy(ret + SCALAR - n, q, n);
	return 0;
}

int
gk_der_ecdsa(const void *der, size_t len, uint8_t ret[64])
{
	const uint8_t *p = der, *end = p + len;
	uint8_t rs[2 * SCALAR];
	int r;

	if (len < 2 || p[0] != T_SEQUENCE || p[1] > BODY_MAX ||
	    p[1] != len - 2)
		return GENKAN_E_ENCODING;
	p += 2;
	if ((r = integer(&p, end, rs)) < 0 ||
	    (r = integer(&p, end, rs + SCALAR)) < 0)
		return r;
	if (p != end)
		return GENKAN_E_ENCODING;
	memcpy(ret, rs, sizeof(rs));
	return 0;
}
