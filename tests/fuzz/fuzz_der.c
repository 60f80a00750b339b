/*
 * Signatures in DER.  Property: r and s have one spelling, so writing them
 * again gives the bytes that were read, and no byte less or more is taken.
 */
#include "fuzz.h"

#include <string.h>

#include "codec/der.h"

static size_t
integer(const uint8_t s[32], uint8_t *ret)
{
	size_t zeros = 0, pad;

	while (zeros < 32 && s[zeros] == 0)
		zeros++;
	MUST(zeros < 32);			/* never zero */
	pad = s[zeros] >> 7;
	ret[0] = 0x02;
	ret[1] = (uint8_t)(32 - zeros + pad);
	ret[2] = 0;
	memcpy(ret + 2 + pad, s + zeros, 32 - zeros);
	return 2 + pad + 32 - zeros;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t rs[64], again[GK_DER_ECDSA_MAX + 1];
	size_t n, i;

	memset(rs, 0x77, sizeof(rs));
	if (gk_der_ecdsa(data, size, rs) != 0) {
		for (i = 0; i < sizeof(rs); i++)
			MUST(rs[i] == 0x77);
		return 0;
	}
	n = integer(rs, again + 2);
	n += integer(rs + 32, again + 2 + n);
	again[0] = 0x30;
	again[1] = (uint8_t)n;
	MUST(n + 2 == size && size <= GK_DER_ECDSA_MAX);
	MUST(memcmp(again, data, size) == 0);
	for (i = 0; i < size; i++)
		MUST(gk_der_ecdsa(data, i, rs) == GENKAN_E_ENCODING);
	again[size] = 0;
	MUST(gk_der_ecdsa(again, size + 1, rs) == GENKAN_E_ENCODING);
	return 0;
}
