/*
 * genkan/native.h - native-messaging frames
 *
 * What a browser and its native host exchange: a 4-byte little-endian length
 * that counts the JSON only, then the JSON.  The codec knows the framing and
 * the cap of the direction; what is in a frame is the caller's business.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NATIVE_H
#define GENKAN_NATIVE_H

#include <genkan/context.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_native genkan_native;

#define GENKAN_NATIVE_HEADER_LEN	4

/* How the input ended: genkan_native_eof(). */
#define GENKAN_NATIVE_EOF_CLEAN		0	/* between two frames */
#define GENKAN_NATIVE_EOF_PREFIX	1	/* inside a length */
#define GENKAN_NATIVE_EOF_BODY		2	/* inside a frame */

/**
 * genkan_native_new - make a decoder for one direction
 * @ctx: the context; must outlive the decoder
 * @max: largest frame accepted, in bytes of JSON, inclusive, at least 1.
 *       Browsers send up to GENKAN_NATIVE_IN_MAX, and accept up to
 *       GENKAN_NATIVE_OUT_MAX
 * @ret: [out] the decoder, yours: genkan_native_free()
 *
 * Returns 0, GENKAN_E_INVAL or GENKAN_E_NOMEM.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API int genkan_native_new(genkan_ctx *ctx, uint32_t max,
    genkan_native **ret) GENKAN_CHECKED;

/**
 * genkan_native_free - free a decoder and the frame it holds
 * @dec: may be NULL
 *
 * Frees nothing while the door is shut: <genkan/context.h>.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API void genkan_native_free(genkan_native *dec);

/**
 * genkan_native_feed - hand the decoder bytes that arrived
 * @dec:  the decoder
 * @buf:  borrowed for the call only; may be NULL if @len is 0
 * @len:  may be 0
 * @used: [out] bytes taken, at most @len; set whatever is returned
 *
 * Takes at most one frame, so call again with the rest.  Returns 1 when a
 * frame is ready for genkan_native_frame(), 0 when more bytes are needed, or
 * GENKAN_E_INVAL, GENKAN_E_FRAME_EMPTY for a length of zero,
 * GENKAN_E_FRAME_SIZE for one above the cap, GENKAN_E_NOMEM.  All but
 * GENKAN_E_INVAL are final: a length prefix cannot be resynchronised, so every
 * later call repeats them.  Memory follows the bytes that arrive, never the
 * length that was promised.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_native_feed(genkan_native *dec, const void *buf,
    size_t len, size_t *used) GENKAN_CHECKED;

/**
 * genkan_native_frame - the frame that is ready
 * @dec: the decoder
 * @len: [out] its length in bytes, 0 if there is none; may be NULL
 *
 * Returns the JSON, not NUL-terminated, borrowed until the next
 * genkan_native_feed() or genkan_native_free(); NULL if no frame is ready.
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API const void *genkan_native_frame(const genkan_native *dec,
    size_t *len);

/**
 * genkan_native_eof - what the end of the input means here
 * @dec: the decoder
 *
 * Returns one of GENKAN_NATIVE_EOF_*, or GENKAN_E_INVAL.  The first two are a
 * clean shutdown.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_native_eof(const genkan_native *dec);

/**
 * genkan_native_header - the length prefix of a frame
 * @len: bytes of JSON that will follow, 1 to @max
 * @max: largest frame that the other side accepts
 * @ret: [out] GENKAN_NATIVE_HEADER_LEN bytes; untouched on failure
 *
 * Returns 0, GENKAN_E_INVAL, GENKAN_E_FRAME_EMPTY or GENKAN_E_FRAME_SIZE.
 * Any thread.  Since: 0.1
 */
GENKAN_API int genkan_native_header(size_t len, uint32_t max, uint8_t *ret);

/**
 * genkan_native_encode - prefix and JSON in one piece
 * @json: the JSON, copied
 * @len:  its bytes, 1 to @max
 * @max:  largest frame that the other side accepts
 * @buf:  [out] receives the frame, not where @json lies; untouched on failure
 * @size: room there; GENKAN_NATIVE_HEADER_LEN + @len are needed
 *
 * Returns 0, GENKAN_E_INVAL (also where @size does not suffice),
 * GENKAN_E_FRAME_EMPTY or GENKAN_E_FRAME_SIZE.  The JSON is not looked at.
 * Any thread.  Since: 0.1
 */
GENKAN_API int genkan_native_encode(const void *json, size_t len,
    uint32_t max, void *buf, size_t size) GENKAN_CHECKED;

GENKAN_END_DECLS

#endif
