#include "codec/cose.h"

/* Labels and values, RFC 9053 7.1.1 and RFC 9052 7.1. */
enum { KTY = 1, ALG = 3, CRV = -1, X = -2, Y = -3 };
enum { KTY_EC2 = 2, ALG_ES256 = -7, CRV_P256 = 1 };

#define MEMBERS	5

static int
number(struct gk_cbor *c, int64_t expected)
{
	int64_t v;
	int r;

	if ((r = gk_cbor_int(c, &v)) < 0)
		return r;
	return v == expected ? 0 : GENKAN_E_ENCODING;
}

static int
coordinate(struct gk_cbor *c, uint8_t ret[32])
{
	struct gk_span s;
	int r;

	if ((r = gk_cbor_bytes(c, &s)) < 0)
		return r;
	if (s.len != 32)
		return GENKAN_E_ENCODING;
	memcpy(ret, s.ptr, s.len);
	return 0;
}

/* One pair; seen has a bit for each label that came. */
static int
member(struct gk_cbor *c, unsigned *seen, uint8_t point[GK_COSE_POINT])
{
	static const int label[MEMBERS] = { KTY, ALG, CRV, X, Y };
	unsigned i;
	int64_t v;
	int r;

	if ((r = gk_cbor_int(c, &v)) < 0)
		return r;
	for (i = 0; i < MEMBERS && label[i] != v; i++)
		;
	if (i == MEMBERS || (*seen & 1u << i) != 0)
		return GENKAN_E_ENCODING;
	*seen |= 1u << i;
	switch (label[i]) {
	case KTY:
		return number(c, KTY_EC2);
	case ALG:
		return number(c, ALG_ES256);
	case CRV:
		return number(c, CRV_P256);
	case X:
		return coordinate(c, point + 1);
	default:
		return coordinate(c, point + 33);
	}
}

int
gk_cose_es256(struct gk_cbor *from, uint8_t ret[GK_COSE_POINT])
{
	uint8_t point[GK_COSE_POINT] = { 4 };
	struct gk_cbor c = *from;
	unsigned seen = 0;
	uint64_t pairs;
	int r, i;

	if ((r = gk_cbor_map(&c, &pairs)) < 0)
		return r;
	if (pairs != MEMBERS)
		return GENKAN_E_ENCODING;
	for (i = 0; i < MEMBERS; i++)
		if ((r = member(&c, &seen, point)) < 0)
			return r;
	memcpy(ret, point, sizeof(point));
	*from = c;
	return 0;
}
