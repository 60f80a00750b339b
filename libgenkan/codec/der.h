/*
 * An ECDSA signature in DER (RFC 3279 2.2.3), strict: SEQUENCE of two INTEGERs
 * with short-form lengths, a body of at most 70 bytes, minimal positive
 * integers of at most 32 bytes, nothing behind.
 */
#ifndef GK_CODEC_DER_H
#define GK_CODEC_DER_H

#include "base/base.h"

#define GK_DER_ECDSA_MAX	72	/* longest that can be accepted */

/*
 * 0 and r and s, each left-padded to 32 bytes; GENKAN_E_ENCODING.  Whether
 * they are below the order of a curve is not asked here.
 */
int	gk_der_ecdsa(const void *der, size_t len, uint8_t ret[64]);

#endif
