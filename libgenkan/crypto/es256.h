/*
 * ES256 as authenticators use it: checking points of P-256 and signatures
 * over SHA-256 (FIPS 186-5 6.4).  What it checks it decides here; no other
 * file knows which library does the arithmetic.
 */
#ifndef GK_CRYPTO_ES256_H
#define GK_CRYPTO_ES256_H

#include "base/base.h"

#define GK_ES256_POINT	65	/* 04, X, Y */
#define GK_ES256_SIG	64	/* r, s */

/* 0: a point of the curve; GENKAN_E_ENCODING: none; GENKAN_E_NOMEM,
 * GENKAN_E_CRYPTO. */
int	gk_es256_point(struct genkan_ctx *, const uint8_t pub[GK_ES256_POINT]);

/* Both r and s are from 1 to n - 1. */
bool	gk_es256_in_range(const uint8_t sig[GK_ES256_SIG]);

/*
 * The signature over the parts one after the other: 0 valid, 1 not valid;
 * GENKAN_E_ENCODING for what is no public key, GENKAN_E_NOMEM,
 * GENKAN_E_CRYPTO.
 */
int	gk_es256_verify(struct genkan_ctx *, const uint8_t pub[GK_ES256_POINT],
	    const uint8_t sig[GK_ES256_SIG], const struct gk_span *part,
	    size_t nparts);

#endif
