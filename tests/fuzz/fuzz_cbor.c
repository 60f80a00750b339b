/*
 * CBOR items and COSE keys.  Properties: what is read has one spelling, so
 * writing it again gives the bytes that were read; a beginning of it is cut
 * short and not wrong; what follows changes nothing; and a failure moves
 * nothing.
 */
#include "fuzz.h"

#include <string.h>

#include "base/str.h"
#include "codec/cose.h"

/* The shortest head there is. */
static size_t
head(uint8_t *p, unsigned major, uint64_t v)
{
	size_t n, i;

	p[0] = (uint8_t)(major << 5);
	if (v < 24) {
		p[0] |= (uint8_t)v;
		return 1;
	}
	n = v < 0x100 ? 1 : v < 0x10000 ? 2 : v < 0x100000000 ? 4 : 8;
	p[0] |= n == 1 ? 24 : n == 2 ? 25 : n == 4 ? 26 : 27;
	for (i = 0; i < n; i++)
		p[1 + i] = (uint8_t)(v >> 8 * (n - 1 - i));
	return 1 + n;
}

enum { INT, BYTES, TEXT, MAP, KINDS };

/* One item of a kind; *used bytes of it are head, the rest is content. */
static int
read_as(struct gk_cbor *c, int kind, uint8_t again[9], size_t *headlen,
    struct gk_span *content)
{
	uint64_t pairs = 77;
	int64_t v = 77;
	int r;

	*content = gk_span("kept", 4);
	switch (kind) {
	case INT:
		if ((r = gk_cbor_int(c, &v)) == 0)
			*headlen = v >= 0 ? head(again, 0, (uint64_t)v) :
			    head(again, 1, (uint64_t)(-1 - v));
		MUST(r == 0 || v == 77);
		break;
	case MAP:
		if ((r = gk_cbor_map(c, &pairs)) == 0)
			*headlen = head(again, 5, pairs);
		MUST(r == 0 || pairs == 77);
		break;
	default:
		r = kind == BYTES ? gk_cbor_bytes(c, content) :
		    gk_cbor_text(c, content);
		if (r == 0)
			*headlen = head(again, kind == BYTES ? 2 : 3,
			    content->len);
		MUST(r == 0 || gk_span_is(*content, "kept"));
		return r;
	}
	*content = gk_span(NULL, 0);
	return r;
}

static void
check_item(const uint8_t *data, size_t size, int kind)
{
	struct gk_span content, ignored;
	struct gk_cbor c, part;
	uint8_t again[9];
	size_t n = 0, used, i;
	int r;

	gk_cbor_init(&c, data, size);
	r = read_as(&c, kind, again, &n, &content);
	MUST(r == 0 || r == GENKAN_E_FRAME_SHORT || r == GENKAN_E_ENCODING);
	used = size - gk_cbor_left(&c);
	if (r < 0) {
		MUST(used == 0);
		return;
	}
	MUST(used == n + content.len);
	MUST(memcmp(data, again, n) == 0);
	MUST(content.len == 0 || content.ptr == (const char *)data + n);
	MUST(kind != TEXT || gk_utf8_valid(content.ptr, content.len));
	for (i = 0; i < used && i < 40; i++) {
		gk_cbor_init(&part, data, i);
		MUST(read_as(&part, kind, again, &n, &ignored) ==
		    GENKAN_E_FRAME_SHORT);
	}
}

static void
check_key(const uint8_t *data, size_t size)
{
	uint8_t point[GK_COSE_POINT], same[GK_COSE_POINT];
	struct gk_cbor c;
	size_t used, i;
	int r;

	memset(point, 0x77, sizeof(point));
	gk_cbor_init(&c, data, size);
	r = gk_cose_es256(&c, point);
	used = size - gk_cbor_left(&c);
	if (r < 0) {
		MUST(r == GENKAN_E_FRAME_SHORT || r == GENKAN_E_ENCODING);
		MUST(used == 0 && point[0] == 0x77);
		return;
	}
	MUST(used == 77 && point[0] == 4);
	for (i = 0; i < used; i++) {
		gk_cbor_init(&c, data, i);
		MUST(gk_cose_es256(&c, same) == GENKAN_E_FRAME_SHORT);
	}
	gk_cbor_init(&c, data, used);
	MUST(gk_cose_es256(&c, same) == 0 && gk_cbor_at_end(&c));
	MUST(memcmp(point, same, sizeof(point)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		check_item(data, size, kind);
	check_key(data, size);
	return 0;
}
