/*
 * Base64, canonical or refused: encoding the result again gives the same text.
 * So no whitespace, no stray bits in the last character; padding is required
 * in the standard form and refused in the URL-safe one.  (RFC 4648 4 and 5)
 */
#ifndef GK_CODEC_B64_H
#define GK_CODEC_B64_H

#include "base/buf.h"

enum gk_b64 { GK_B64_STD, GK_B64_URL };

/* Bytes that len characters decode to at most. */
size_t	gk_b64_max(size_t len);
/* *n is set on success.  GENKAN_E_ENCODING, GENKAN_E_FRAME_SIZE beyond cap. */
int	gk_b64_decode(enum gk_b64, const char *, size_t len, uint8_t *ret,
	    size_t cap, size_t *n);
int	gk_b64_put_decoded(struct gk_buf *, enum gk_b64, const char *,
	    size_t len);
/* Appends the encoding.  Errors as gk_buf_put(). */
int	gk_b64_put(struct gk_buf *, enum gk_b64, const void *, size_t len);
/* As a member of an object: "name":"text", comma as gk_json_put_key(). */
int	gk_b64_put_member(struct gk_buf *, enum gk_b64, const char *name,
	    const void *, size_t len);

#endif
