/*
 * The dialling side of connection set-up, steps 4 and 5 of wire 5.2: challenge
 * in, response and attach frame out, reply in.  The connection stands and its
 * server has been checked already, before anything is read.
 */
#ifndef GK_PROTO_DIAL_H
#define GK_PROTO_DIAL_H

#include "base/clock.h"
#include "codec/line.h"
#include "proto/attach.h"
#include "proto/handshake.h"

struct gk_outq;

struct gk_dial {
	struct genkan_ctx	*ctx;
	struct gk_outq		*out;
	struct gk_line		 in;
	bool			 challenged;	/* response and attach are out */
	bool			 replied;
	int			 err;		/* sticky */
	int64_t			 deadline;
	uint8_t			 secret[GK_SECRET_HEX];	/* wiped after use */
	char			 label[GK_LABEL_MAX + 1];	/* "": none */
	struct gk_attach	 attach;
	struct gk_attach_reply	 reply;
};

/* label "" sends none.  secret is copied; everything is wiped by done. */
void	gk_dial_init(struct gk_dial *, struct genkan_ctx *, struct gk_outq *,
	    const uint8_t secret[GK_SECRET_HEX], const char *label,
	    const struct gk_attach *);
void	gk_dial_done(struct gk_dial *);

/* 1: the reply is in ->reply, bytes not used belong to the leg; 0: more bytes
 * are needed; or an error.  *used is set whatever is returned. */
int	gk_dial_feed(struct gk_dial *, const void *, size_t, size_t *used);
/* The input ended: always an error, GENKAN_E_EOF. */
int	gk_dial_eof(struct gk_dial *);
/* 0, or GENKAN_E_TIMEOUT once the deadline has passed. */
int	gk_dial_tick(struct gk_dial *);

#endif
