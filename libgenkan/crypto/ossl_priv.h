/* What the files of this directory know of crypto/ossl.h. */
#ifndef GK_CRYPTO_OSSL_PRIV_H
#define GK_CRYPTO_OSSL_PRIV_H

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/base.h"

struct gk_ossl {
	OSSL_LIB_CTX	*lib;
	EVP_MD		*sha256;	/* fetched once: a fetch costs more
					 * than hashing a frame */
};

/*
 * Something of OpenSSL's failed that only lack of memory can make fail, or may
 * have: forgets the thread's errors and says whether that was it.
 *
 * OpenSSL remembers what it could not load and does not find it ever after, so
 * our library context goes along: nothing that was made from it may be left.
 */
bool	gk_ossl_starved(struct genkan_ctx *);

#endif
