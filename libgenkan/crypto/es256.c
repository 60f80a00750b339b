#include "crypto/es256.h"

#include "crypto/ossl_priv.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>

#include "base/ctx.h"
#include "base/err.h"
#include "crypto/ossl.h"

/* The order of P-256 (FIPS 186-5, SP 800-186 3.2.1.3). */
static const uint8_t order[32] = {
	0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
	0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51
};

/*
 * The key as OpenSSL has it.  Its import refuses what is no point of the
 * curve, which is the check of gk_es256_point().
 */
static int
import(struct genkan_ctx *ctx, const uint8_t pub[GK_ES256_POINT],
    EVP_PKEY **ret)
{
	char group[] = "P-256";
	uint8_t point[GK_ES256_POINT];
	OSSL_PARAM params[3];
	EVP_PKEY_CTX *pc;
	int r;

	if (pub[0] != 4)
		return GENKAN_E_ENCODING;
	if ((r = gk_ossl_init(ctx)) < 0)
		return r;
	memcpy(point, pub, sizeof(point));
	params[0] = OSSL_PARAM_construct_utf8_string(
	    OSSL_PKEY_PARAM_GROUP_NAME, group, 0);
	params[1] = OSSL_PARAM_construct_octet_string(
	    OSSL_PKEY_PARAM_PUB_KEY, point, sizeof(point));
	params[2] = OSSL_PARAM_construct_end();
	pc = EVP_PKEY_CTX_new_from_name(ctx->ossl->lib, "EC", NULL);
	if (pc == NULL || EVP_PKEY_fromdata_init(pc) != 1)
		r = gk_err_set(ctx, GENKAN_E_CRYPTO, "OpenSSL has no P-256");
	else if (EVP_PKEY_fromdata(pc, ret, EVP_PKEY_PUBLIC_KEY, params) != 1)
		r = GENKAN_E_ENCODING;
	EVP_PKEY_CTX_free(pc);
	return r < 0 ? gk_ossl_failed(ctx, r) : r;
}

int
gk_es256_point(struct genkan_ctx *ctx, const uint8_t pub[GK_ES256_POINT])
{
	EVP_PKEY *key = NULL;
	int r;

	r = import(ctx, pub, &key);
	EVP_PKEY_free(key);
	return r;
}

static bool
is_scalar(const uint8_t s[32])
{
	static const uint8_t zero[32];

	return memcmp(s, zero, 32) != 0 && memcmp(s, order, 32) < 0;
}

bool
gk_es256_in_range(const uint8_t sig[GK_ES256_SIG])
{
	return is_scalar(sig) && is_scalar(sig + 32);
}

/* r and s in the form that OpenSSL takes: its own DER, to be freed. */
static int
to_der(const uint8_t sig[GK_ES256_SIG], uint8_t **ret, size_t *len)
{
	ECDSA_SIG *es = ECDSA_SIG_new();
	BIGNUM *r = BN_bin2bn(sig, 32, NULL), *s = BN_bin2bn(sig + 32, 32,
	    NULL);
	int n = -1;

	if (es != NULL && r != NULL && s != NULL &&
	    ECDSA_SIG_set0(es, r, s) == 1) {
		r = s = NULL;			/* taken */
		n = i2d_ECDSA_SIG(es, ret);
	}
	BN_free(r);
	BN_free(s);
	ECDSA_SIG_free(es);
	if (n <= 0)
		return GENKAN_E_NOMEM;
	*len = (size_t)n;
	return 0;
}

static int
verify(struct genkan_ctx *ctx, EVP_PKEY *key, const uint8_t *der, size_t len,
    const struct gk_span *part, size_t nparts)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	int r = GENKAN_E_NOMEM;
	size_t i;

	if (md == NULL)
		return r;
	r = GENKAN_E_CRYPTO;
	if (EVP_DigestVerifyInit_ex(md, NULL, "SHA256", ctx->ossl->lib, NULL,
	    key, NULL) != 1)
		goto out;
	for (i = 0; i < nparts; i++)
		if (EVP_DigestVerifyUpdate(md, part[i].ptr,
		    part[i].len) != 1)
			goto out;
	/* 1 is valid and nothing else is: 0 and less are not. */
	r = EVP_DigestVerifyFinal(md, der, len) == 1 ? 0 : 1;
out:
	EVP_MD_CTX_free(md);
	return r;
}

int
gk_es256_verify(struct genkan_ctx *ctx, const uint8_t pub[GK_ES256_POINT],
    const uint8_t sig[GK_ES256_SIG], const struct gk_span *part,
    size_t nparts)
{
	EVP_PKEY *key = NULL;
	uint8_t *der = NULL;
	size_t len = 0;
	int r;

	if (!gk_es256_in_range(sig))
		return 1;
	if ((r = import(ctx, pub, &key)) == 0 &&
	    (r = to_der(sig, &der, &len)) == 0)
		r = verify(ctx, key, der, len, part, nparts);
	OPENSSL_free(der);
	EVP_PKEY_free(key);
	return r == 0 || r == GENKAN_E_ENCODING ? r : gk_ossl_failed(ctx, r);
}
