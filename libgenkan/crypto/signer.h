/*
 * The host key as an identity: a scalar that was judged, in guarded memory,
 * with its public key and name (control 3.1 to 3.4).
 *
 * The only way to sign for this host.  The fixture key of the golden vectors
 * is public and so never gets through gk_signer_open().
 */
#ifndef GK_CRYPTO_SIGNER_H
#define GK_CRYPTO_SIGNER_H

#include "base/secret.h"
#include "crypto/p256.h"

#define GK_KEY_ID_HEX		64
#define GK_FINGERPRINT_LEN	79	/* 16 groups of 4, single spaces */

struct gk_signer {
	struct gk_secret scalar;
	uint8_t		 pub[GK_P256_POINT];
	char		 id[GK_KEY_ID_HEX + 1];	/* hex SHA-256 of pub */
};

/*
 * 0; 1: no key of ours (zero, n or more, another length, the fixture key),
 * and why names which; GENKAN_E_CRYPTO, GENKAN_E_NOMEM.  why is set to a
 * constant, NULL on success.  The caller wipes its own copy.  A key that is
 * not open is all zero; gk_signer_done() is fine on it.
 */
int	gk_signer_open(struct genkan_ctx *, const void *scalar, size_t len,
	    struct gk_signer *ret, const char **why);

/* The same of what lies in a credential store: canonical base64, or it is no key
 * of ours. */
int	gk_signer_open_text(struct genkan_ctx *, const char *text, size_t len,
	    struct gk_signer *ret, const char **why);

/* A new one from the context's randomness: 0, GENKAN_E_RANDOM, ... */
int	gk_signer_mint(struct genkan_ctx *, struct gk_signer *ret);

/*
 * Signs exactly these bytes: the whole message of control 3.2, domain first.
 * The signature was verified with the public key before it is handed out; 0,
 * or an error, and then ret is zeroed.
 */
int	gk_signer_sign(struct genkan_ctx *, const struct gk_signer *,
	    const void *msg, size_t len, uint8_t ret[GK_P256_SIG]);

void	gk_signer_done(struct gk_signer *);

/* Hex SHA-256 of a public key, with a NUL. */
int	gk_key_id(struct genkan_ctx *, const uint8_t pub[GK_P256_POINT],
	    char ret[GK_KEY_ID_HEX + 1]);
/* As shown to people, with a NUL. */
void	gk_key_fingerprint(const char id[GK_KEY_ID_HEX + 1],
	    char ret[GK_FINGERPRINT_LEN + 1]);

#endif
