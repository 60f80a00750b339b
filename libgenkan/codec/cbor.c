#include "codec/cbor.h"

#include "base/str.h"

/* Major types, RFC 8949 3.1. */
enum { M_UINT, M_NEGATIVE, M_BYTES, M_TEXT, M_ARRAY, M_MAP };

void
gk_cbor_init(struct gk_cbor *c, const void *bytes, size_t len)
{
	c->p = (const uint8_t *)gk_bytes(bytes);
	c->end = c->p + len;
}

size_t
gk_cbor_left(const struct gk_cbor *c)
{
	return (size_t)(c->end - c->p);
}

bool
gk_cbor_at_end(const struct gk_cbor *c)
{
	return c->p == c->end;
}

/*
 * Initial byte and argument (RFC 8949 3).  Additional information 28 to 30 is
 * reserved and 31 an indefinite length; a value that a shorter form could hold
 * is refused, so that a length has one spelling.
 */
static int
head(const struct gk_cbor *c, int *major, uint64_t *arg, size_t *used)
{
	static const uint64_t least[] = { 24, 0x100, 0x10000, 0x100000000 };
	size_t i, n;
	uint64_t v = 0;
	unsigned info;

	if (gk_cbor_at_end(c))
		return GENKAN_E_FRAME_SHORT;
	info = c->p[0] & 0x1fu;
	if (info > 27)
		return GENKAN_E_ENCODING;
	n = info < 24 ? 0 : (size_t)1 << (info - 24);
	if (n > gk_cbor_left(c) - 1)
		return GENKAN_E_FRAME_SHORT;
	for (i = 0; i < n; i++)
		v = v << 8 | c->p[1 + i];
	if (n > 0 && v < least[info - 24])
		return GENKAN_E_ENCODING;
	*major = c->p[0] >> 5;
	*arg = n > 0 ? v : info;
	*used = 1 + n;
	return 0;
}

/* The head alone, which has to be of one of two major types. */
static int
head_of(const struct gk_cbor *c, int one, int other, int *major,
    uint64_t *arg, size_t *used)
{
	/* The wrong type is wrong however much of it there is. */
	if (!gk_cbor_at_end(c) && c->p[0] >> 5 != one && c->p[0] >> 5 != other)
		return GENKAN_E_ENCODING;
	return head(c, major, arg, used);
}

int
gk_cbor_int(struct gk_cbor *c, int64_t *ret)
{
	uint64_t arg;
	size_t used;
	int major, r;

	r = head_of(c, M_UINT, M_NEGATIVE, &major, &arg, &used);
	if (r < 0)
		return r;
	if (arg > INT64_MAX)
		return GENKAN_E_ENCODING;
	*ret = major == M_UINT ? (int64_t)arg : -1 - (int64_t)arg;
	c->p += used;
	return 0;
}

static int
string(struct gk_cbor *c, int type, struct gk_span *ret)
{
	uint64_t len;
	size_t used;
	int major, r;

	r = head_of(c, type, type, &major, &len, &used);
	if (r < 0)
		return r;
	if (len > gk_cbor_left(c) - used)
		return GENKAN_E_FRAME_SHORT;
	if (type == M_TEXT && !gk_utf8_valid((const char *)c->p + used,
	    (size_t)len))
		return GENKAN_E_ENCODING;
	*ret = gk_span(c->p + used, (size_t)len);
	c->p += used + (size_t)len;
	return 0;
}

int
gk_cbor_bytes(struct gk_cbor *c, struct gk_span *ret)
{
	return string(c, M_BYTES, ret);
}

int
gk_cbor_text(struct gk_cbor *c, struct gk_span *ret)
{
	return string(c, M_TEXT, ret);
}

int
gk_cbor_map(struct gk_cbor *c, uint64_t *pairs)
{
	size_t used;
	int major, r;

	r = head_of(c, M_MAP, M_MAP, &major, pairs, &used);
	if (r == 0)
		c->p += used;
	return r;
}
