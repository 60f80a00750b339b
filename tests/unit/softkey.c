#include "softkey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>

#define MUST(x)	do { if (!(x)) abort(); } while (0)

uint64_t
softkey_random(uint64_t *seed)
{
	uint64_t x = *seed != 0 ? *seed : 88172645463325252u;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*seed = x;
	return x * 2685821657736338717u;
}

static void
fill(uint64_t *seed, uint8_t *ret, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		ret[i] = (uint8_t)(softkey_random(seed) >> 32);
}

/* A scalar from 1 to n - 1, and its point; either may be NULL. */
static BIGNUM *
scalar(const EC_GROUP *g, uint64_t *seed, BN_CTX *bn)
{
	BIGNUM *k;
	uint8_t raw[40];

	fill(seed, raw, sizeof(raw));
	k = BN_bin2bn(raw, sizeof(raw), NULL);
	MUST(k != NULL && BN_mod(k, k, EC_GROUP_get0_order(g), bn) == 1);
	if (BN_is_zero(k))
		MUST(BN_one(k) == 1);
	return k;
}

void
softkey_init(struct softkey *k, uint64_t seed, size_t idlen)
{
	EC_GROUP *g = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	BN_CTX *bn = BN_CTX_new();
	EC_POINT *p;
	BIGNUM *d;

	MUST(g != NULL && bn != NULL && (p = EC_POINT_new(g)) != NULL);
	memset(k, 0, sizeof(*k));
	k->seed = seed;
	d = scalar(g, &k->seed, bn);
	MUST(BN_bn2binpad(d, k->scalar, 32) == 32);
	MUST(EC_POINT_mul(g, p, d, NULL, NULL, bn) == 1);
	MUST(EC_POINT_point2oct(g, p, POINT_CONVERSION_UNCOMPRESSED, k->point,
	    65, bn) == 65);
	MUST(idlen <= sizeof(k->id));
	fill(&k->seed, k->id, idlen);
	k->idlen = idlen;
	k->count = 1;
	BN_free(d);
	EC_POINT_free(p);
	BN_CTX_free(bn);
	EC_GROUP_free(g);
}

/* ------------------------------------------------------------------- bytes */

size_t
softkey_authdata(const struct softkey *k, const char *rp_id, unsigned flags,
    uint8_t *ret)
{
	static const uint8_t x[] = { 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58,
		0x20 }, y[] = { 0x22, 0x58, 0x20 };
	uint8_t *p = ret;

	SHA256((const unsigned char *)rp_id, strlen(rp_id), p);
	p += 32;
	*p++ = (uint8_t)flags;
	*p++ = (uint8_t)(k->count >> 24);
	*p++ = (uint8_t)(k->count >> 16);
	*p++ = (uint8_t)(k->count >> 8);
	*p++ = (uint8_t)k->count;
	if ((flags & 0x40) == 0)
		return (size_t)(p - ret);
	memset(p, 0xaa, 16);
	p += 16;
	*p++ = (uint8_t)(k->idlen >> 8);
	*p++ = (uint8_t)k->idlen;
	memcpy(p, k->id, k->idlen);
	p += k->idlen;
	memcpy(p, x, sizeof(x));
	memcpy(p + sizeof(x), k->point + 1, 32);
	p += sizeof(x) + 32;
	memcpy(p, y, sizeof(y));
	memcpy(p + sizeof(y), k->point + 33, 32);
	return (size_t)(p + sizeof(y) + 32 - ret);
}

size_t
softkey_attestation(const uint8_t *authdata, size_t len, uint8_t *ret)
{
	static const char head[] = "\xa3\x63""fmt\x64none\x67""attStmt\xa0"
	    "\x68""authData";
	uint8_t *p = ret;

	memcpy(p, head, sizeof(head) - 1);
	p += sizeof(head) - 1;
	if (len < 24) {
		*p++ = (uint8_t)(0x40 | len);
	} else if (len < 256) {
		*p++ = 0x58;
		*p++ = (uint8_t)len;
	} else {
		*p++ = 0x59;
		*p++ = (uint8_t)(len >> 8);
		*p++ = (uint8_t)len;
	}
	memcpy(p, authdata, len);
	return (size_t)(p + len - ret);
}

size_t
softkey_client_data(const char *type, const char *challenge,
    const char *origin, char *ret)
{
	return (size_t)snprintf(ret, SOFTKEY_MAX, "{\"type\":\"%s\","
	    "\"challenge\":\"%s\",\"origin\":\"%s\",\"crossOrigin\":false}",
	    type, challenge, origin);
}

/* -------------------------------------------------------------- signatures */

static size_t
integer(const uint8_t s[32], uint8_t *ret)
{
	size_t zeros = 0, pad;

	while (zeros < 31 && s[zeros] == 0)
		zeros++;
	pad = s[zeros] >> 7;
	ret[0] = 0x02;
	ret[1] = (uint8_t)(32 - zeros + pad);
	ret[2] = 0;
	memcpy(ret + 2 + pad, s + zeros, 32 - zeros);
	return 2 + pad + 32 - zeros;
}

size_t
softkey_der(const uint8_t rs[64], uint8_t *ret)
{
	size_t n;

	n = integer(rs, ret + 2);
	n += integer(rs + 32, ret + 2 + n);
	ret[0] = 0x30;
	ret[1] = (uint8_t)n;
	return n + 2;
}

/* FIPS 186-5 6.4.1, with a nonce that only a test would use. */
static void
ecdsa(struct softkey *k, const uint8_t hash[32], uint8_t rs[64])
{
	EC_GROUP *g = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	BN_CTX *bn = BN_CTX_new();
	const BIGNUM *n;
	BIGNUM *nonce, *d, *z, *r, *s;
	EC_POINT *p;

	MUST(g != NULL && bn != NULL && (p = EC_POINT_new(g)) != NULL);
	n = EC_GROUP_get0_order(g);
	nonce = scalar(g, &k->seed, bn);
	d = BN_bin2bn(k->scalar, 32, NULL);
	z = BN_bin2bn(hash, 32, NULL);
	r = BN_new();
	s = BN_new();
	MUST(d != NULL && z != NULL && r != NULL && s != NULL);
	MUST(EC_POINT_mul(g, p, nonce, NULL, NULL, bn) == 1);
	MUST(EC_POINT_get_affine_coordinates(g, p, r, NULL, bn) == 1);
	MUST(BN_mod(r, r, n, bn) == 1);
	MUST(BN_mod_mul(s, r, d, n, bn) == 1);
	MUST(BN_mod_add(s, s, z, n, bn) == 1);
	MUST(BN_mod_inverse(nonce, nonce, n, bn) != NULL);
	MUST(BN_mod_mul(s, s, nonce, n, bn) == 1);
	MUST(BN_bn2binpad(r, rs, 32) == 32);
	MUST(BN_bn2binpad(s, rs + 32, 32) == 32);
	BN_free(nonce);
	BN_free(d);
	BN_free(z);
	BN_free(r);
	BN_free(s);
	EC_POINT_free(p);
	BN_CTX_free(bn);
	EC_GROUP_free(g);
}

size_t
softkey_sign(struct softkey *k, const uint8_t *authdata, size_t len,
    const void *client_data, size_t cdlen, uint8_t *ret)
{
	uint8_t message[SOFTKEY_MAX + 32], hash[32], rs[64];

	MUST(len <= SOFTKEY_MAX);
	memcpy(message, authdata, len);
	SHA256(client_data, cdlen, message + len);
	SHA256(message, len + 32, hash);
	ecdsa(k, hash, rs);
	return softkey_der(rs, ret);
}
