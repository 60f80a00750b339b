#include "crypto/digest.h"

#include "crypto/ossl_priv.h"

#include "base/ctx.h"
#include "base/err.h"
#include "codec/hex.h"
#include "crypto/ossl.h"

int
gk_digest_init(struct gk_digest *d, struct genkan_ctx *ctx)
{
	EVP_MD_CTX *md;
	int r;

	d->md = NULL;
	if ((r = gk_ossl_init(ctx)) < 0)
		return r;
	if ((md = EVP_MD_CTX_new()) == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "out of memory");
	if (EVP_DigestInit_ex2(md, ctx->ossl->sha256, NULL) != 1) {
		EVP_MD_CTX_free(md);
		return gk_err_set(ctx, GENKAN_E_CRYPTO, "SHA-256 failed");
	}
	d->md = md;
	return 0;
}

int
gk_digest_update(struct gk_digest *d, const void *src, size_t len)
{
	return EVP_DigestUpdate(d->md, src, len) == 1 ? 0 : GENKAN_E_CRYPTO;
}

int
gk_digest_final(struct gk_digest *d, uint8_t ret[GK_SHA256_LEN])
{
	uint8_t md[EVP_MAX_MD_SIZE];
	unsigned n;

	if (EVP_DigestFinal_ex(d->md, md, &n) != 1 || n != GK_SHA256_LEN)
		return GENKAN_E_CRYPTO;
	memcpy(ret, md, n);
	return 0;
}

void
gk_digest_done(struct gk_digest *d)
{
	EVP_MD_CTX_free(d->md);
	d->md = NULL;
}

int
gk_sha256(struct genkan_ctx *ctx, const void *src, size_t len,
    uint8_t ret[GK_SHA256_LEN])
{
	struct gk_digest d;
	int r;

	if ((r = gk_digest_init(&d, ctx)) < 0)
		return r;
	if ((r = gk_digest_update(&d, src, len)) == 0)
		r = gk_digest_final(&d, ret);
	gk_digest_done(&d);
	return r;
}

int
gk_sha256_hex(struct genkan_ctx *ctx, const void *src, size_t len,
    char ret[GK_SHA256_HEX + 1])
{
	uint8_t md[GK_SHA256_LEN];
	int r;

	if ((r = gk_sha256(ctx, src, len, md)) == 0)
		gk_hex_encode(ret, md, sizeof(md));
	return r;
}
