/* HMAC-SHA256 with a key of any length, and comparison in constant time. */
#ifndef GK_CRYPTO_MAC_H
#define GK_CRYPTO_MAC_H

#include "base/base.h"

#define GK_MAC_LEN	32

/* The MAC of the parts one after the other. */
void	gk_mac(const void *key, size_t keylen, const struct gk_span *part,
	    size_t nparts, uint8_t ret[GK_MAC_LEN]);

/* Lengths are public: differing ones are false at once. */
bool	gk_mac_eq(const void *a, size_t alen, const void *b, size_t blen);

#endif
