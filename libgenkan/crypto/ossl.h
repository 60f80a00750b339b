/*
 * OpenSSL in a library context of our own, so that neither the embedder's
 * providers nor its configuration file decide what SHA-256 is.  Made when first
 * needed: a program that only frames bytes never pays for it.
 */
#ifndef GK_CRYPTO_OSSL_H
#define GK_CRYPTO_OSSL_H

#include "base/base.h"

/* 0 or GENKAN_E_CRYPTO; later calls cost nothing. */
int	gk_ossl_init(struct genkan_ctx *);
/* Call before gk_ctx_free(); fine if it was never made. */
void	gk_ossl_free(struct genkan_ctx *);

#endif
