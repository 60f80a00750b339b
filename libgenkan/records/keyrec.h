/*
 * host_key.json: the scalar of the file store (control 3.4, 12.1).
 *
 * The scalar is cut out of the raw bytes and never enters a json_t, whose
 * strings cannot be wiped.  A rung of its ladder would see it as a tree: the
 * first one that is written has to cut it out before.
 *
 * What the scalar is worth is the signer's to say (crypto/signer.h): here it
 * is canonical base64 of any length.
 */
#ifndef GK_RECORDS_KEYREC_H
#define GK_RECORDS_KEYREC_H

#include "crypto/p256.h"
#include "records/record.h"

/*
 * Appends the scalar to ret.  0, or an error with the reason in why, which
 * never quotes a value.  The caller wipes bytes and ret.
 */
int	gk_keyrec_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_buf *ret, char *why, size_t whylen);
int	gk_keyrec_format(const uint8_t scalar[GK_P256_SCALAR],
	    struct gk_buf *ret);

#endif
