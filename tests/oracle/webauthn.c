/*
 * The relying party against other people's code: mutated assertions against
 * libfido2, mutated registrations against a reader over libcbor's tree.
 *
 *	webauthn [seed [rounds]]
 *
 * What we accept, the other accepts.  What we refuse, the other refuses too,
 * or it is one of the checks that it is known not to make, and then our code
 * names that check.  The seed is printed; the same seed gives the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cbor.h>
#include <fido.h>
#include <fido/es256.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "base/ctx.h"
#include "contract/schema.h"
#include "crypto/ossl.h"
#include "softkey.h"
#include "trust/webauthn.h"

#define ROUNDS		100000
#define SEED		20261130
#define CODES		43
#define CHALLENGE	"_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA"
#define RP		"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl"

static uint64_t seed;
static struct genkan_ctx *ctx;
static int tests, failed;

static void
ok(int cond, const char *what)
{
	tests++;
	failed += !cond;
	printf("%sok %d - %s\n", cond ? "" : "not ", tests, what);
	fflush(stdout);
}

static size_t
below(size_t n)
{
	return (size_t)(softkey_random(&seed) >> 33) % n;
}

static void
dump(const char *name, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	printf("# %s ", name);
	while (len-- > 0)
		printf("%02x", *p++);
	printf("\n");
}

/* Some bytes of a text changed, put in, taken out or repeated. */
static size_t
scramble(uint8_t *p, size_t len)
{
	static const uint8_t token[] = { 0x00, 0x01, 0x17, 0x18, 0x20, 0x26,
		0x40, 0x58, 0x59, 0x5f, 0x60, 0x78, 0x7f, 0x80, 0xa0, 0xa3,
		0xa5, 0xb8, 0xbf, 0xc0, 0xf4, 0xf6, 0xff, 0x30, 0x02, 0x81 };
	size_t i, at, n = 1 + below(3);

	for (i = 0; i < n && len > 0; i++) {
		at = below(len);
		switch (below(6)) {
		case 0:
			p[at] ^= (uint8_t)(1u << below(8));
			break;
		case 1:
			p[at] = token[below(sizeof(token))];
			break;
		case 2:
			p[at] = (uint8_t)below(256);
			break;
		case 3:
			memmove(p + at, p + at + 1, len - at - 1);
			len--;
			break;
		case 4:
			memmove(p + at + 1, p + at, len - at);
			p[at] = token[below(sizeof(token))];
			len++;
			break;
		default:
			len = at;
			break;
		}
	}
	return len;
}

/* --------------------------------------------------------------- assertions */

struct made {
	struct softkey	*key;
	uint32_t	 stored;
	bool		 eligible;
	uint8_t		 data[SOFTKEY_MAX];
	char		 client[SOFTKEY_MAX];
	uint8_t		 sig[SOFTKEY_MAX];
	size_t		 data_len, client_len, sig_len;
};

static void
sign(struct made *m)
{
	m->sig_len = softkey_sign(m->key, m->data, m->data_len, m->client,
	    m->client_len, m->sig);
}

static void
make_client(struct made *m)
{
	static const char *const form[] = {
		"{\"type\":\"webauthn.create\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"" RP "\"}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"AAAA\","
		    "\"origin\":\"" RP "\"}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"https://example.com\"}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"" RP "\",\"crossOrigin\":true}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"" RP "\",\"topOrigin\":\"x\"}",
		"{\"type\":\"webauthn.get\",\"type\":\"webauthn.get\","
		    "\"challenge\":\"" CHALLENGE "\",\"origin\":\"" RP "\"}",
		"{ \"origin\":\"" RP "\", \"x\":[1,{}], \"challenge\":\""
		    CHALLENGE "\", \"type\":\"webauthn.get\" }",
	};

	m->client_len = (size_t)snprintf(m->client, sizeof(m->client), "%s",
	    form[below(sizeof(form) / sizeof(form[0]))]);
}

/* The order of the curve less s, in place. */
static void
other_s(uint8_t rs[64])
{
	static const uint8_t n[32] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
		0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2,
		0xfc, 0x63, 0x25, 0x51 };
	int i, v, borrow = 0;

	for (i = 31; i >= 0; i--) {
		v = n[i] - rs[32 + i] - borrow;
		borrow = v < 0;
		rs[32 + i] = (uint8_t)(v + 256 * borrow);
	}
}

/* r and s of our own DER. */
static void
split(const uint8_t *der, uint8_t rs[64])
{
	const uint8_t *p = der + 2;
	size_t i, n;

	memset(rs, 0, 64);
	for (i = 0; i < 2; i++) {
		n = p[1];
		p += 2;
		if (n == 33) {
			p++;
			n--;
		}
		memcpy(rs + 32 * i + 32 - n, p, n);
		p += n;
	}
}

static void
bend_signature(struct made *m)
{
	uint8_t rs[64];

	split(m->sig, rs);
	switch (below(7)) {
	case 0:
		other_s(rs);			/* as good as the first */
		break;
	case 1:
		memset(rs + 32 * below(2), 0, 32);
		break;
	case 2:
		memset(rs + 32 * below(2), 0xff, 32);
		break;
	case 3:					/* long-form length */
		memmove(m->sig + 2, m->sig + 1, m->sig_len - 1);
		m->sig[1] = 0x81;
		m->sig_len++;
		return;
	case 4:					/* a zero too many */
		memmove(m->sig + 5, m->sig + 4, m->sig_len - 4);
		m->sig[4] = 0;
		m->sig[3]++;
		m->sig[1]++;
		m->sig_len++;
		return;
	case 5:
		m->sig[m->sig_len++] = 0;	/* behind it */
		return;
	default:
		m->sig_len = scramble(m->sig, m->sig_len);
		return;
	}
	m->sig_len = softkey_der(rs, m->sig);
}

static const char *const others[] = { "example.com",
	"fmkoengpgchbmogeaifdcdfpnnpgmcfl", RP "/" };

/* The parts that are signed, one of them bent. */
static void
bend_content(struct made *m)
{
	static const unsigned flags[] = { 0x00, 0x01, 0x04, 0x05, 0x07, 0x0d,
		0x15, 0x1d, 0x21, 0x25, 0x45, 0x85, 0xc5 };
	const char *rp = RP;
	unsigned f = 0x05;

	switch (below(6)) {
	case 0:
		f = flags[below(sizeof(flags) / sizeof(flags[0]))];
		m->eligible = (f & 8) != 0 && below(2) == 0;
		break;
	case 1:
		m->key->count = (uint32_t)below(6);
		m->stored = (uint32_t)below(6);
		break;
	case 2:
		rp = others[below(3)];
		break;
	case 3:
		make_client(m);
		break;
	default:
		break;
	}
	m->data_len = softkey_authdata(m->key, rp, f, m->data);
	if (below(8) == 0) {
		memset(m->data + m->data_len, 0xa0, 4);
		m->data_len += 1 + below(4);
	} else if (below(40) == 0) {
		m->data_len = below(m->data_len);
	}
}

static void
make(struct made *m, struct softkey *keys, size_t nkeys)
{
	m->key = &keys[below(nkeys)];
	m->key->count = 1 + (uint32_t)below(1000);
	m->stored = m->key->count - 1;
	m->eligible = false;
	m->data_len = softkey_authdata(m->key, RP, 0x05, m->data);
	m->client_len = softkey_client_data("webauthn.get", CHALLENGE, RP,
	    m->client);
	switch (below(8)) {
	case 0:
		sign(m);
		break;
	case 1:
		sign(m);
		m->data_len = scramble(m->data, m->data_len);
		break;
	case 2:
		sign(m);
		m->client_len = scramble((uint8_t *)m->client, m->client_len);
		break;
	case 3:
		sign(m);
		bend_signature(m);
		break;
	case 4:					/* somebody else's */
		sign(m);
		m->key = &keys[below(nkeys)];
		break;
	default:
		bend_content(m);
		sign(m);
		break;
	}
}

static int
ours(const struct made *m)
{
	static const struct gk_rp rp = { RP, RP };
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_assertion a;
	uint32_t count;
	int r;

	a.id = gk_span(m->key->id, m->key->idlen);
	a.authdata = gk_span(m->data, m->data_len);
	a.client_data = gk_span(m->client, m->client_len);
	a.signature = gk_span(m->sig, m->sig_len);
	r = gk_webauthn_assert(ctx, &rp, CHALLENGE, &a, m->key->point,
	    m->stored, m->eligible, &count, &refusal);
	if (r < 0)
		abort();
	return r == 0 ? 0 : (int)refusal;
}

static bool
theirs(const struct made *m)
{
	fido_assert_t *a = fido_assert_new();
	es256_pk_t *pk = es256_pk_new();
	bool good;

	good = a != NULL && pk != NULL &&
	    es256_pk_from_ptr(pk, m->key->point + 1, 64) == FIDO_OK &&
	    fido_assert_set_count(a, 1) == FIDO_OK &&
	    fido_assert_set_rp(a, RP) == FIDO_OK &&
	    fido_assert_set_clientdata(a, (const unsigned char *)m->client,
	    m->client_len) == FIDO_OK &&
	    fido_assert_set_up(a, FIDO_OPT_TRUE) == FIDO_OK &&
	    fido_assert_set_authdata_raw(a, 0, m->data,
	    m->data_len) == FIDO_OK &&
	    fido_assert_set_sig(a, 0, m->sig, m->sig_len) == FIDO_OK &&
	    fido_assert_verify(a, 0, COSE_ES256, pk) == FIDO_OK;
	es256_pk_free(&pk);
	fido_assert_free(&a);
	return good;
}

/* Checks that libfido2 makes as well: there it has to refuse, too. */
static bool
both_check(int code)
{
	return code == GK_REFUSAL_AUTHDATA_TOO_SHORT ||
	    code == GK_REFUSAL_RP_ID_MISMATCH ||
	    code == GK_REFUSAL_USER_NOT_PRESENT ||
	    code == GK_REFUSAL_SIGNATURE_MALFORMED ||
	    code == GK_REFUSAL_SIGNATURE_INVALID;
}

/* Checks of ours alone.  Each has to have decided at least once. */
static const int stricter[] = {
	GK_REFUSAL_AUTHDATA_RESERVED_FLAGS,
	GK_REFUSAL_AUTHDATA_BACKUP_STATE_WITHOUT_ELIGIBILITY,
	GK_REFUSAL_AUTHDATA_TRAILING_BYTES,
	GK_REFUSAL_UNEXPECTED_ATTESTED_CREDENTIAL,
	GK_REFUSAL_SIGN_COUNT_NOT_INCREASED,
	GK_REFUSAL_BACKUP_ELIGIBILITY_CHANGED,
	GK_REFUSAL_CLIENT_DATA_MALFORMED, GK_REFUSAL_CLIENT_DATA_TYPE,
	GK_REFUSAL_CHALLENGE_MISMATCH, GK_REFUSAL_ORIGIN_MISMATCH,
	GK_REFUSAL_CROSS_ORIGIN,
};

static void
report(const size_t *alone)
{
	size_t i;

	for (i = 1; i < CODES; i++)
		if (alone[i] > 0)
			printf("# refused here alone: %6zu %s\n", alone[i],
			    gk_schema_refusal((int)i)->wire);
}

static void
assertions(size_t rounds)
{
	size_t accepted = 0, refused = 0, alone[CODES] = { 0 }, n = 0, i;
	struct softkey keys[8];
	static struct made m;
	char text[128];
	int code, wrong = 0, missing = 0;
	bool good;

	for (i = 0; i < 8; i++)
		softkey_init(&keys[i], softkey_random(&seed), 16 + 8 * i);
	for (i = 0; i < rounds; i++) {
		make(&m, keys, 8);
		code = ours(&m);
		good = theirs(&m);
		accepted += code == 0 && good;
		refused += code != 0 && !good;
		n += code != 0 && good;
		alone[code] += code != 0 && good;
		if ((code != 0 || good) && !(good && both_check(code)))
			continue;
		wrong++;
		printf("# round %zu: we say %d, libfido2 %s\n", i, code,
		    good ? "accepts" : "refuses");
		dump("data", m.data, m.data_len);
		dump("client", m.client, m.client_len);
		dump("signature", m.sig, m.sig_len);
	}
	report(alone);
	for (i = 0; i < sizeof(stricter) / sizeof(stricter[0]); i++)
		if (alone[stricter[i]] == 0) {
			printf("# never: %s\n",
			    gk_schema_refusal(stricter[i])->wire);
			missing++;
		}
	snprintf(text, sizeof(text), "%zu assertions: %zu accepted, %zu "
	    "refused by both, %zu here alone", rounds, accepted, refused, n);
	ok(wrong == 0, text);
	ok(accepted >= rounds / 10 && refused >= rounds / 10,
	    "both verdicts come up often enough to mean something");
	ok(missing == 0, "every check of ours alone has decided once");
}

/* ------------------------------------------------------------ registrations */

/*
 * libcbor makes room for as many items as an array or map claims to have,
 * gigabytes if it says so, before it finds that the bytes are not there.  So
 * those that cannot be there are kept from it; true otherwise, whatever is
 * wrong besides.
 */
static bool
can_hold(const uint8_t *p, size_t n)
{
	uint64_t arg, left = 1;
	unsigned major, info;
	size_t i, used;

	while (left > 0 && n > 0) {
		major = p[0] >> 5;
		info = p[0] & 0x1fu;
		used = info < 24 || info > 27 ? 1 :
		    1 + ((size_t)1 << (info - 24));
		if (used > n)
			return true;
		for (i = 1, arg = used == 1 ? info : 0; i < used; i++)
			arg = arg << 8 | p[i];
		p += used;
		n -= used;
		left--;
		if (info > 27)
			return info == 31;	/* room grows with the items */
		if (major == 4 || major == 5) {
			if (arg > n)
				return false;
			left += major == 5 ? 2 * arg : arg;
		} else if (major == 6) {
			left++;
		} else if (major == 2 || major == 3) {
			if (arg > n)
				return true;
			p += arg;
			n -= (size_t)arg;
		}
	}
	return true;
}

/* Reads one item; its bytes are *len long and as short as can be, at least
 * for everything but integers, whose width libcbor keeps. */
static cbor_item_t *
load(const uint8_t *p, size_t n, size_t *len)
{
	struct cbor_load_result res;
	uint8_t *again = NULL;
	size_t size = 0, got = 0;
	cbor_item_t *item;

	if (n == 0 || !can_hold(p, n) ||
	    (item = cbor_load(p, n, &res)) == NULL)
		return NULL;
	got = cbor_serialize_alloc(item, &again, &size);
	if (got != res.read || memcmp(again, p, got) != 0) {
		free(again);
		cbor_decref(&item);
		return NULL;
	}
	free(again);
	*len = res.read;
	return item;
}

static bool
text_is(const cbor_item_t *t, const char *s)
{
	return cbor_isa_string(t) && cbor_string_is_definite(t) &&
	    cbor_string_length(t) == strlen(s) &&
	    memcmp(cbor_string_handle(t), s, strlen(s)) == 0;
}

static bool
integer(const cbor_item_t *t, int64_t *ret)
{
	uint64_t v;

	if (!cbor_is_int(t))
		return false;
	v = cbor_get_int(t);
	switch (cbor_int_get_width(t)) {
	case CBOR_INT_8:
		/* Below 24 it was written anew without the byte: load(). */
		break;
	case CBOR_INT_16:
		if (v < 0x100)
			return false;
		break;
	case CBOR_INT_32:
		if (v < 0x10000)
			return false;
		break;
	default:
		if (v < 0x100000000u)
			return false;
		break;
	}
	if (v > INT64_MAX)
		return false;
	*ret = cbor_isa_uint(t) ? (int64_t)v : -1 - (int64_t)v;
	return true;
}

static bool
coordinate(const cbor_item_t *v, uint8_t ret[32])
{
	if (!cbor_isa_bytestring(v) || !cbor_bytestring_is_definite(v) ||
	    cbor_bytestring_length(v) != 32)
		return false;
	memcpy(ret, cbor_bytestring_handle(v), 32);
	return true;
}

static bool
cose_pairs(const cbor_item_t *map, uint8_t xy[64])
{
	const struct cbor_pair *pair = cbor_map_handle(map);
	unsigned seen = 0;
	int64_t k, v;
	size_t i;

	for (i = 0; i < cbor_map_size(map); i++) {
		if (!integer(pair[i].key, &k))
			return false;
		if (k == -2 || k == -3) {
			if (!coordinate(pair[i].value, k == -2 ? xy :
			    xy + 32))
				return false;
		} else if (!integer(pair[i].value, &v) || !((k == 1 &&
		    v == 2) || (k == 3 && v == -7) || (k == -1 && v == 1))) {
			return false;
		}
		seen |= 1u << (k + 3);
	}
	return seen == (1u | 2u | 4u | 16u | 64u);
}

static bool
on_curve(const uint8_t xy[64])
{
	EC_GROUP *g = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	EC_POINT *p = EC_POINT_new(g);
	uint8_t oct[65] = { 4 };
	es256_pk_t *pk = es256_pk_new();
	bool good;

	memcpy(oct + 1, xy, 64);
	good = EC_POINT_oct2point(g, p, oct, 65, NULL) == 1;
	/* libfido2 thinks so too. */
	if ((es256_pk_from_ptr(pk, xy, 64) == FIDO_OK) != good)
		abort();
	es256_pk_free(&pk);
	EC_POINT_free(p);
	EC_GROUP_free(g);
	return good;
}

static bool
cose_fits(const uint8_t *p, size_t n, uint8_t xy[64])
{
	cbor_item_t *map;
	size_t len = 0;
	bool good;

	if ((map = load(p, n, &len)) == NULL)
		return false;
	good = len == n && cbor_isa_map(map) && cbor_map_is_definite(map) &&
	    cbor_map_size(map) == 5 && cose_pairs(map, xy) &&
	    on_curve(xy);
	cbor_decref(&map);
	return good;
}

/* Authenticator data of a registration; *id and xy where it fits. */
static bool
data_fits(const uint8_t *p, size_t n, const uint8_t **id, size_t *idlen,
    uint8_t xy[64])
{
	if (n < 37 || (p[32] & 0xa2) != 0 ||
	    ((p[32] & 0x10) != 0 && (p[32] & 0x08) == 0))
		return false;
	if ((p[32] & 0x40) == 0) {
		*idlen = 0;
		return n == 37;
	}
	if (n < 55)
		return false;
	*idlen = (size_t)p[53] * 256 + p[54];
	*id = p + 55;
	return *idlen >= 16 && *idlen <= 1023 && n >= 55 + *idlen &&
	    cose_fits(p + 55 + *idlen, n - 55 - *idlen, xy);
}

static bool
object_fits(const cbor_item_t *map, const uint8_t **data, size_t *len)
{
	const struct cbor_pair *pair = cbor_map_handle(map);
	unsigned seen = 0;
	size_t i;

	for (i = 0; i < cbor_map_size(map); i++) {
		if (text_is(pair[i].key, "fmt")) {
			if (!text_is(pair[i].value, "none"))
				return false;
			seen |= 1;
		} else if (text_is(pair[i].key, "attStmt")) {
			if (!cbor_isa_map(pair[i].value) ||
			    !cbor_map_is_definite(pair[i].value) ||
			    cbor_map_size(pair[i].value) != 0)
				return false;
			seen |= 2;
		} else if (text_is(pair[i].key, "authData")) {
			if (!cbor_isa_bytestring(pair[i].value) ||
			    !cbor_bytestring_is_definite(pair[i].value))
				return false;
			*data = cbor_bytestring_handle(pair[i].value);
			*len = cbor_bytestring_length(pair[i].value);
			seen |= 4;
		} else {
			return false;
		}
	}
	return seen == 7;
}

struct parts {
	uint8_t	id[1023], xy[64];
	size_t	idlen;
};

static bool
their_parse(const uint8_t *p, size_t n, struct parts *ret)
{
	const uint8_t *data = NULL, *id = NULL;
	cbor_item_t *map;
	size_t len = 0, dlen = 0;
	bool good;

	if ((map = load(p, n, &len)) == NULL)
		return false;
	good = len == n && cbor_isa_map(map) && cbor_map_is_definite(map) &&
	    cbor_map_size(map) == 3 && object_fits(map, &data, &dlen) &&
	    data_fits(data, dlen, &id, &ret->idlen, ret->xy);
	if (good && ret->idlen > 0)
		memcpy(ret->id, id, ret->idlen);
	cbor_decref(&map);
	return good;
}

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

static void
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

int
main(int argc, char **argv)
{
	size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : ROUNDS;

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : SEED;
	printf("# seed %llu, %zu rounds each\n", (unsigned long long)seed,
	    rounds);
	fido_init(0);
	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		abort();
	assertions(rounds);
	registrations(rounds);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	printf("1..%d\n", tests);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
