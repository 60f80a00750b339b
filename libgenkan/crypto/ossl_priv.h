/* What the files of this directory know of crypto/ossl.h. */
#ifndef GK_CRYPTO_OSSL_PRIV_H
#define GK_CRYPTO_OSSL_PRIV_H

#include <openssl/crypto.h>
#include <openssl/evp.h>

struct gk_ossl {
	OSSL_LIB_CTX	*lib;
	EVP_MD		*sha256;	/* fetched once: a fetch costs more
					 * than hashing a frame */
};

#endif
