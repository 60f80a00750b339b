/*
 * CBOR (RFC 8949), as little of it as WebAuthn needs, read strictly: definite
 * lengths, shortest forms (4.2.1), no tags, no floating point, no simple
 * values.  A reader pulls one item after the other out of bytes that it
 * borrows; it allocates nothing, and no length makes it look beyond the end.
 *
 * All return 0, GENKAN_E_FRAME_SHORT where the bytes end inside the item, or
 * GENKAN_E_ENCODING where they are another item or not in the form above.
 * After a failure the reader stands where it stood, and the output is
 * untouched.
 */
#ifndef GK_CODEC_CBOR_H
#define GK_CODEC_CBOR_H

#include "base/base.h"

struct gk_cbor {
	const uint8_t	*p;
	const uint8_t	*end;
};

/* bytes are borrowed for as long as the reader and its spans are used. */
void	gk_cbor_init(struct gk_cbor *, const void *bytes, size_t len);

/* An integer of either sign that fits 64 bits. */
int	gk_cbor_int(struct gk_cbor *, int64_t *ret);
int	gk_cbor_bytes(struct gk_cbor *, struct gk_span *ret);
/* Valid UTF-8, or GENKAN_E_ENCODING. */
int	gk_cbor_text(struct gk_cbor *, struct gk_span *ret);
/* The head of a map: so many pairs follow, or fewer, if the bytes end. */
int	gk_cbor_map(struct gk_cbor *, uint64_t *pairs);

/* Nothing is left. */
bool	gk_cbor_at_end(const struct gk_cbor *);
size_t	gk_cbor_left(const struct gk_cbor *);

#endif
