/* Registrations read by hand out of libcbor's tree. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include <cbor.h>
#include <fido.h>
#include <fido/es256.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

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

bool
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
