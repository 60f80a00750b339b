#include "crypto/mac.h"

#include <sodium.h>

#include "base/alloc.h"

void
gk_mac(const void *key, size_t keylen, const struct gk_span *part,
    size_t nparts, uint8_t ret[GK_MAC_LEN])
{
	crypto_auth_hmacsha256_state st;
	size_t i;

	(void)crypto_auth_hmacsha256_init(&st, key, keylen);
	for (i = 0; i < nparts; i++)
		(void)crypto_auth_hmacsha256_update(&st,
		    (const unsigned char *)part[i].ptr, part[i].len);
	(void)crypto_auth_hmacsha256_final(&st, ret);
	gk_wipe(&st, sizeof(st));
}

bool
gk_mac_eq(const void *a, size_t alen, const void *b, size_t blen)
{
	return alen == blen && (alen == 0 || sodium_memcmp(a, b, alen) == 0);
}
