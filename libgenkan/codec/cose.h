/*
 * A COSE key (RFC 9052 7) of the one kind that is asked for: ES256 on P-256,
 * exactly the five members that WebAuthn 6.5.1.1 names, in any order.
 */
#ifndef GK_CODEC_COSE_H
#define GK_CODEC_COSE_H

#include "codec/cbor.h"

#define GK_COSE_POINT	65	/* 04, X, Y */

/*
 * Reads one key: 0, GENKAN_E_FRAME_SHORT where the bytes end inside it, or
 * GENKAN_E_ENCODING.  Whether the point is on the curve is not asked here: see
 * crypto/es256.h.
 */
int	gk_cose_es256(struct gk_cbor *, uint8_t ret[GK_COSE_POINT]);

#endif
