/* SHA-256 through OpenSSL EVP, which uses what the processor offers. */
#ifndef GK_CRYPTO_DIGEST_H
#define GK_CRYPTO_DIGEST_H

#include "base/base.h"

#define GK_SHA256_LEN	32
#define GK_SHA256_HEX	64	/* characters, without a NUL */

struct gk_digest {
	void	*md;	/* EVP_MD_CTX */
};

/* 0 or GENKAN_E_CRYPTO.  After a failure only gk_digest_done() is left. */
int	gk_digest_init(struct gk_digest *, struct genkan_ctx *);
int	gk_digest_update(struct gk_digest *, const void *, size_t len);
int	gk_digest_final(struct gk_digest *, uint8_t ret[GK_SHA256_LEN]);
/* A zeroed struct is fine. */
void	gk_digest_done(struct gk_digest *);

/* All at once. */
int	gk_sha256(struct genkan_ctx *, const void *, size_t len,
	    uint8_t ret[GK_SHA256_LEN]);
/* Lower-case hex and a NUL. */
int	gk_sha256_hex(struct genkan_ctx *, const void *, size_t len,
	    char ret[GK_SHA256_HEX + 1]);

#endif
