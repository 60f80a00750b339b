/*
 * ECDSA over P-256 with SHA-256 and deterministic nonces (RFC 6979), for the
 * host key (control 3.1).
 *
 * This is arithmetic: it signs with any scalar in range.  What may be an
 * identity is crypto/signer.h's to say; nothing else signs for this host.
 *
 * The nonce is as secret as the scalar.  OpenSSL 3.0 has no way to ask for a
 * deterministic one, so it is computed here; the scalar multiplication is
 * OpenSSL's, and what is done with nonce and scalar modulo the order is
 * blinded and stays in Montgomery form, so that no division works on them.
 */
#ifndef GK_CRYPTO_P256_H
#define GK_CRYPTO_P256_H

#include "base/base.h"

#define GK_P256_SCALAR	32	/* big-endian */
#define GK_P256_POINT	65	/* 04, X, Y */
#define GK_P256_SIG	64	/* r, s; s as it comes, not the low one */

/* From 1 to n - 1, without a branch on the value. */
bool	gk_p256_in_range(const uint8_t scalar[GK_P256_SCALAR]);

/* 0; GENKAN_E_INVAL for a scalar out of range; GENKAN_E_CRYPTO or
 * GENKAN_E_NOMEM. */
int	gk_p256_public(struct genkan_ctx *,
	    const uint8_t scalar[GK_P256_SCALAR],
	    uint8_t ret[GK_P256_POINT]);

/* The same, and GENKAN_E_RANDOM.  len may be 0. */
int	gk_p256_sign(struct genkan_ctx *,
	    const uint8_t scalar[GK_P256_SCALAR], const void *msg, size_t len,
	    uint8_t ret[GK_P256_SIG]);

#endif
