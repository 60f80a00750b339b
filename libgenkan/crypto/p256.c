#include "crypto/p256.h"

#include "crypto/ossl_priv.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "base/err.h"
#include "base/rng.h"
#include "crypto/digest.h"
#include "crypto/mac.h"
#include "crypto/ossl.h"

/* The order of the group (SP 800-186 3.2.1.3). */
static const uint8_t order[GK_P256_SCALAR] = {
	0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
	0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51
};

bool
gk_p256_in_range(const uint8_t scalar[GK_P256_SCALAR])
{
	unsigned borrow = 0, any = 0;
	int i;

	for (i = GK_P256_SCALAR - 1; i >= 0; i--) {
		any |= scalar[i];
		borrow = (((unsigned)scalar[i] - order[i] - borrow) >> 8) & 1;
	}
	return (borrow & (unsigned)(any != 0)) == 1;
}

/* ------------------------------------------------------------------- nonces */

/* RFC 6979 3.2: K and V. */
struct drbg {
	uint8_t	k[GK_MAC_LEN];
	uint8_t	v[GK_MAC_LEN];
};

/* K = HMAC_K(V || sep || x || h); V = HMAC_K(V).  x NULL: neither x nor h. */
static void
stir(struct drbg *d, char sep, const uint8_t *x, const uint8_t *h)
{
	struct gk_span part[4];
	uint8_t k[GK_MAC_LEN];

	part[0] = gk_span(d->v, sizeof(d->v));
	part[1] = gk_span(&sep, 1);
	part[2] = gk_span(x, x != NULL ? GK_P256_SCALAR : 0);
	part[3] = gk_span(h, x != NULL ? GK_P256_SCALAR : 0);
	gk_mac(d->k, sizeof(d->k), part, 4, k);
	memcpy(d->k, k, sizeof(k));
	gk_mac(d->k, sizeof(d->k), part, 1, d->v);
	gk_wipe(k, sizeof(k));
}

/* Steps b to g; h is bits2octets() of the digest. */
static void
seed(struct drbg *d, const uint8_t *x, const uint8_t *h)
{
	memset(d->v, 1, sizeof(d->v));
	memset(d->k, 0, sizeof(d->k));
	stir(d, 0, x, h);
	stir(d, 1, x, h);
}

/* Step h: the next candidate that is in range.  One block is one nonce, since
 * digest and order are of the same length. */
static void
next_nonce(struct drbg *d, uint8_t ret[GK_P256_SCALAR])
{
	struct gk_span v = gk_span(d->v, sizeof(d->v));

	for (;;) {
		gk_mac(d->k, sizeof(d->k), &v, 1, d->v);
		if (gk_p256_in_range(d->v))
			break;
		stir(d, 0, NULL, NULL);
	}
	memcpy(ret, d->v, GK_P256_SCALAR);
}

/* --------------------------------------------------------------- arithmetic */

struct work {
	BN_CTX		*bn;
	EC_GROUP	*group;
	EC_POINT	*point;
	BN_MONT_CTX	*mont;		/* modulo the order */
	BIGNUM		*n, *n2;	/* the order; the order less 2 */
	/* Secret, and wiped: the scalar, the nonce, two of passage. */
	BIGNUM		*x, *k, *t, *u;
	BIGNUM		*r, *s, *z;
};

static void
work_done(struct work *w)
{
	BIGNUM *const all[] = { w->n, w->n2, w->x, w->k, w->t, w->u, w->r,
	    w->s, w->z };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(all); i++)
		BN_clear_free(all[i]);
	BN_MONT_CTX_free(w->mont);
	EC_POINT_clear_free(w->point);
	EC_GROUP_free(w->group);
	BN_CTX_free(w->bn);
}

static bool
work_init(struct work *w, struct genkan_ctx *ctx)
{
	memset(w, 0, sizeof(*w));
	return (w->bn = BN_CTX_new_ex(ctx->ossl->lib)) != NULL &&
	    (w->group = EC_GROUP_new_by_curve_name_ex(ctx->ossl->lib, NULL,
	    NID_X9_62_prime256v1)) != NULL &&
	    (w->point = EC_POINT_new(w->group)) != NULL &&
	    (w->mont = BN_MONT_CTX_new()) != NULL &&
	    (w->n = BN_bin2bn(order, sizeof(order), NULL)) != NULL &&
	    (w->n2 = BN_dup(w->n)) != NULL && BN_sub_word(w->n2, 2) == 1 &&
	    (w->x = BN_new()) != NULL && (w->k = BN_new()) != NULL &&
	    (w->t = BN_new()) != NULL && (w->u = BN_new()) != NULL &&
	    (w->r = BN_new()) != NULL && (w->s = BN_new()) != NULL &&
	    (w->z = BN_new()) != NULL &&
	    BN_MONT_CTX_set(w->mont, w->n, w->bn) == 1;
}

static bool
load(BIGNUM *bn, const uint8_t bytes[GK_P256_SCALAR])
{
	BN_set_flags(bn, BN_FLG_CONSTTIME);
	return BN_bin2bn(bytes, GK_P256_SCALAR, bn) != NULL;
}

/* r = a * b mod n, with one of the two in Montgomery form. */
static bool
mul(struct work *w, BIGNUM *r, const BIGNUM *a, const BIGNUM *b)
{
	return BN_mod_mul_montgomery(r, a, b, w->mont, w->bn) == 1;
}

/* r = X of kG, mod n. */
static bool
make_r(struct work *w)
{
	return EC_POINT_mul(w->group, w->point, w->k, NULL, NULL, w->bn) == 1 &&
	    EC_POINT_get_affine_coordinates(w->group, w->point, w->r, NULL,
	    w->bn) == 1 && BN_nnmod(w->r, w->r, w->n, w->bn) == 1;
}

/*
 * s = (bk)^-1 * (bz + brx) mod n, for a blind b that is used once.  On entry t
 * is b; bk is inverted as its power n - 2 (Fermat), the exponent being public.
 */
static bool
make_s(struct work *w)
{
	return BN_to_montgomery(w->t, w->t, w->mont, w->bn) == 1 &&
	    mul(w, w->k, w->t, w->k) &&			/* bk */
	    mul(w, w->x, w->t, w->x) &&			/* bx */
	    BN_to_montgomery(w->u, w->r, w->mont, w->bn) == 1 &&
	    mul(w, w->x, w->u, w->x) &&			/* brx */
	    mul(w, w->u, w->t, w->z) &&			/* bz */
	    BN_mod_add_quick(w->u, w->u, w->x, w->n) == 1 &&
	    BN_mod_exp_mont_consttime(w->k, w->k, w->n2, w->n, w->bn,
	    w->mont) == 1 &&
	    BN_to_montgomery(w->k, w->k, w->mont, w->bn) == 1 &&
	    mul(w, w->s, w->k, w->u);
}

static int
blind(struct genkan_ctx *ctx, struct work *w)
{
	uint8_t b[GK_P256_SCALAR];
	int r;

	do {
		r = gk_rng_bytes(ctx, b, sizeof(b));
	} while (r == 0 && !gk_p256_in_range(b));
	if (r == 0 && !load(w->t, b))
		r = GENKAN_E_NOMEM;
	gk_wipe(b, sizeof(b));
	return r;
}

/* ------------------------------------------------------------------ signing */

/* One try with one nonce: 0; 1, r or s is 0; an error. */
static int
attempt(struct genkan_ctx *ctx, struct work *w, const uint8_t *scalar,
    const uint8_t *k, uint8_t ret[GK_P256_SIG])
{
	int r;

	if (!load(w->x, scalar) || !load(w->k, k))
		return GENKAN_E_NOMEM;
	if (!make_r(w))
		return GENKAN_E_CRYPTO;
	if (BN_is_zero(w->r))
		return 1;
	if ((r = blind(ctx, w)) < 0)
		return r;
	if (!make_s(w))
		return GENKAN_E_CRYPTO;
	if (BN_is_zero(w->s))
		return 1;
	if (BN_bn2binpad(w->r, ret, 32) != 32 ||
	    BN_bn2binpad(w->s, ret + 32, 32) != 32)
		return GENKAN_E_CRYPTO;
	return 0;
}

static int
sign(struct genkan_ctx *ctx, struct work *w, const uint8_t *scalar,
    const uint8_t digest[GK_SHA256_LEN], uint8_t ret[GK_P256_SIG])
{
	uint8_t h[GK_P256_SCALAR], k[GK_P256_SCALAR];
	struct drbg d;
	int r;

	/* bits2octets(): the digest modulo the order. */
	if (BN_bin2bn(digest, GK_SHA256_LEN, w->z) == NULL ||
	    BN_nnmod(w->z, w->z, w->n, w->bn) != 1 ||
	    BN_bn2binpad(w->z, h, sizeof(h)) != (int)sizeof(h))
		return GENKAN_E_CRYPTO;
	seed(&d, scalar, h);
	do {
		next_nonce(&d, k);
		r = attempt(ctx, w, scalar, k, ret);
		if (r == 1)
			stir(&d, 0, NULL, NULL);
	} while (r == 1);
	gk_wipe(&d, sizeof(d));
	gk_wipe(k, sizeof(k));
	return r;
}

int
gk_p256_sign(struct genkan_ctx *ctx, const uint8_t scalar[GK_P256_SCALAR],
    const void *msg, size_t len, uint8_t ret[GK_P256_SIG])
{
	uint8_t digest[GK_SHA256_LEN], sig[GK_P256_SIG];
	struct work w;
	int r;

	if (!gk_p256_in_range(scalar))
		return GENKAN_E_INVAL;
	if ((r = gk_sha256(ctx, msg, len, digest)) < 0)
		return r;
	if (!work_init(&w, ctx))
		r = GENKAN_E_NOMEM;
	else
		r = sign(ctx, &w, scalar, digest, sig);
	work_done(&w);
	if (r < 0)
		r = gk_ossl_failed(ctx, r);
	else
		memcpy(ret, sig, sizeof(sig));
	return r;
}

int
gk_p256_public(struct genkan_ctx *ctx, const uint8_t scalar[GK_P256_SCALAR],
    uint8_t ret[GK_P256_POINT])
{
	uint8_t point[GK_P256_POINT];
	struct work w;
	int r;

	if (!gk_p256_in_range(scalar))
		return GENKAN_E_INVAL;
	if ((r = gk_ossl_init(ctx)) < 0)
		return r;
	r = GENKAN_E_NOMEM;
	if (!work_init(&w, ctx) || !load(w.k, scalar))
		goto out;
	r = GENKAN_E_CRYPTO;
	if (EC_POINT_mul(w.group, w.point, w.k, NULL, NULL, w.bn) != 1 ||
	    EC_POINT_point2oct(w.group, w.point, POINT_CONVERSION_UNCOMPRESSED,
	    point, sizeof(point), w.bn) != sizeof(point))
		goto out;

	memcpy(ret, point, sizeof(point));
	r = 0;
out:
	work_done(&w);
	if (r < 0)
		r = gk_ossl_failed(ctx, r);
	return r;
}
