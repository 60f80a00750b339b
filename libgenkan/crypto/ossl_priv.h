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
 * Something of OpenSSL's did not work, for which the caller would say err:
 * forgets the thread's errors, and returns what to say, which is
 * GENKAN_E_NOMEM where memory was short.  GENKAN_E_ENCODING, that a point is
 * none, is GENKAN_E_CRYPTO unless OpenSSL says so: not every lack of memory
 * has a word of its own.
 *
 * OpenSSL remembers what it could not load and does not find it ever after,
 * not always with a word about memory.  So with GENKAN_E_NOMEM, and with
 * GENKAN_E_CRYPTO, which nothing from outside can bring about, our library
 * context goes along: nothing that was made from it may be left.
 */
int	gk_ossl_failed(struct genkan_ctx *, int err);

#endif
