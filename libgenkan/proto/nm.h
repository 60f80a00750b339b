/*
 * Native messaging as the host speaks it (wire 12.3): frames in from the
 * browser, frames out to it, one segment each.
 */
#ifndef GK_PROTO_NM_H
#define GK_PROTO_NM_H

#include "codec/frame.h"
#include "proto/queue.h"

/* What a log says of an input that ended badly: fixed phrases. */
#define GK_NM_TOO_LARGE		"frame too large"
#define GK_NM_READ_ERROR	"stdin read error"

/* A reader at the cap of the direction; its frames may lie in the fed bytes. */
void	gk_nm_init(struct gk_frame *, struct genkan_ctx *);

/* Queues one message.  GENKAN_E_FRAME_SIZE over 1,048,576 bytes of JSON,
 * GENKAN_E_FRAME_EMPTY, GENKAN_E_NOMEM. */
int	gk_nm_send(struct gk_outq *, struct gk_span json);

/* The phrase for an error of gk_frame_feed(), or for an input that ended
 * inside a body; NULL where the end was clean. */
const char *gk_nm_offence(int error);
const char *gk_nm_eof_offence(const struct gk_frame *);

#endif
