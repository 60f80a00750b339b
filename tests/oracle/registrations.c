/* Mutated registrations: our reader, and the one over libcbor's tree. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/schema.h"
#include "softkey.h"
#include "trust/webauthn.h"

static int
our_parse(const uint8_t *p, size_t n, struct parts *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_authdata ad;
	struct gk_span data;
	int r;

	if ((r = gk_attestation_parse(gk_span(p, n), &data, &refusal)) == 0)
		r = gk_authdata_parse(ctx, data, &ad, &refusal);
	if (r < 0)
		abort();
	if (r != 0)
		return (int)refusal;
	ret->idlen = ad.id.len;
	if (ad.id.len > 0) {
		memcpy(ret->id, ad.id.ptr, ad.id.len);
		memcpy(ret->xy, ad.public_key + 1, 64);
	}
	return 0;
}

/* A CBOR head, now and then longer than it has to be. */
static size_t
head(uint8_t *p, unsigned major, size_t n)
{
	if (n < 24 && below(100) == 0) {
		p[0] = (uint8_t)(major << 5 | 24);
		p[1] = (uint8_t)n;
		return 2;
	}
	if (below(100) == 0) {
		p[0] = (uint8_t)(major << 5 | 25);
		p[1] = (uint8_t)(n >> 8);
		p[2] = (uint8_t)n;
		return 3;
	}
	if (n < 24) {
		p[0] = (uint8_t)(major << 5 | n);
		return 1;
	}
	p[0] = (uint8_t)(major << 5 | (n < 256 ? 24 : 25));
	p[1] = (uint8_t)(n < 256 ? n : n >> 8);
	p[2] = (uint8_t)n;
	return n < 256 ? 2 : 3;
}

static size_t
put(uint8_t *p, unsigned major, const void *bytes, size_t len)
{
	size_t n = head(p, major, len);

	memcpy(p + n, bytes, len);
	return n + len;
}

static void
shuffle(int *order, size_t n)
{
	size_t i, j;
	int t;

	for (i = n; i > 1; i--) {
		j = below(i);
		t = order[i - 1];
		order[i - 1] = order[j];
		order[j] = t;
	}
	if (below(30) == 0)
		order[below(n)] = order[below(n)];
}

static size_t
make_key(const struct softkey *k, uint8_t *ret)
{
	int order[5] = { 0, 1, 2, 3, 4 };
	uint8_t *p = ret;
	size_t i;

	shuffle(order, 5);
	p += head(p, 5, below(60) == 0 ? below(8) : 5);
	for (i = 0; i < 5; i++) {
		switch (order[i]) {
		case 0:
			p += head(p, 0, 1);
			p += head(p, 0, below(60) == 0 ? below(4) : 2);
			break;
		case 1:
			p += head(p, 0, 3);
			p += head(p, 1, below(60) == 0 ? below(40) : 6);
			break;
		case 2:
			p += head(p, 1, 0);
			p += head(p, 0, below(60) == 0 ? below(4) : 1);
			break;
		case 3:
			p += head(p, 1, 1);
			p += put(p, 2, k->point + 1, below(60) == 0 ?
			    31 + below(3) : 32);
			break;
		default:
			p += head(p, 1, 2);
			p += put(p, 2, k->point + 33, 32);
			break;
		}
	}
	return (size_t)(p - ret);
}

static size_t
make_data(const struct softkey *k, uint8_t *ret)
{
	static const unsigned flags[] = { 0x41, 0x45, 0x45, 0x45, 0x45, 0x4d,
		0x5d, 0x45, 0x45, 0x05, 0x47, 0x55, 0xc5 };
	size_t n;

	n = softkey_authdata(k, RP, flags[below(13)], ret);
	if ((ret[32] & 0x40) != 0)
		n = 55 + k->idlen + make_key(k, ret + 55 + k->idlen);
	if (below(40) == 0)
		ret[n++] = 0;
	if (below(40) == 0)
		n = below(n);
	return n;
}

static size_t
make_object(const struct softkey *k, uint8_t *ret)
{
	int order[3] = { 0, 1, 2 };
	uint8_t data[SOFTKEY_MAX], *p = ret;
	size_t i, n;

	shuffle(order, 3);
	p += head(p, 5, below(60) == 0 ? below(5) : 3);
	for (i = 0; i < 3; i++) {
		switch (order[i]) {
		case 0:
			p += put(p, 3, "fmt", 3);
			p += below(40) == 0 ? put(p, 3, "packed", 6) :
			    put(p, below(60) == 0 ? 2 : 3, "none", 4);
			break;
		case 1:
			p += put(p, 3, "attStmt", 7);
			p += head(p, below(60) == 0 ? 4 : 5,
			    below(40) == 0);
			break;
		default:
			n = make_data(k, data);
			p += put(p, 3, "authData", 8);
			p += put(p, 2, data, n);
			break;
		}
	}
	if (below(40) == 0)
		*p++ = 0xf6;
	n = (size_t)(p - ret);
	return below(3) == 0 ? scramble(ret, n) : n;
}

void
registrations(size_t rounds)
{
	static const size_t idlen[] = { 15, 16, 17, 32, 64, 255, 256, 1023 };
	size_t accepted = 0, refused = 0, by[CODES] = { 0 }, i, n, kinds = 0;
	struct softkey keys[8];
	static struct parts a, b;
	uint8_t object[2 * SOFTKEY_MAX];
	char text[128];
	int code, wrong = 0;
	bool good;

	for (i = 0; i < 8; i++)
		softkey_init(&keys[i], softkey_random(&seed), idlen[i]);
	for (i = 0; i < rounds; i++) {
		n = make_object(&keys[below(8)], object);
		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		code = our_parse(object, n, &a);
		good = their_parse(object, n, &b);
		accepted += code == 0 && good;
		refused += code != 0 && !good;
		by[code]++;
		if ((code == 0) == good && (!good || (a.idlen == b.idlen &&
		    memcmp(a.id, b.id, a.idlen) == 0 && (a.idlen == 0 ||
		    memcmp(a.xy, b.xy, 64) == 0))))
			continue;
		wrong++;
		printf("# round %zu: we say %d, libcbor's tree %s\n", i, code,
		    good ? "fits" : "does not");
		dump("object", object, n);
	}
	for (i = 1; i < CODES; i++)
		if (by[i] > 0) {
			printf("# refused by both: %6zu %s\n", by[i],
			    gk_schema_refusal((int)i)->wire);
			kinds++;
		}
	snprintf(text, sizeof(text), "%zu registrations: %zu read alike, %zu "
	    "refused by both", rounds, accepted, refused);
	ok(wrong == 0, text);
	ok(accepted >= rounds / 10 && refused >= rounds / 10,
	    "both verdicts come up often enough to mean something");
	ok(kinds == 12, "every code of the two parsers has come up");
}
