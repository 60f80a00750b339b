/* Hexadecimal, strict: an even number of digits and nothing else. */
#ifndef GK_CODEC_HEX_H
#define GK_CODEC_HEX_H

#include "base/base.h"

enum gk_hex { GK_HEX_LOWER, GK_HEX_ANY };

/* ret: 2 * len characters and a NUL; always lower case. */
void	gk_hex_encode(char *ret, const void *, size_t len);
/* len / 2 bytes; GENKAN_E_ENCODING, GENKAN_E_FRAME_SIZE beyond cap. */
int	gk_hex_decode(enum gk_hex, const char *, size_t len, uint8_t *ret,
	    size_t cap, size_t *n);

#endif
