/*
 * The broker's side of connection set-up, steps 4 and 5 of wire 5.1: challenge
 * out, response and attach frame in, under the set-up caps and timers.  It
 * asks for the secret by event, and knows neither peers nor policy.
 *
 *	gk_accept_init(a, ctx, out);
 *	switch (r = gk_accept_feed(a, buf, len, &used)) {
 *	case GK_ACCEPT_RESPONSE:	read the lock,
 *		r = gk_accept_secret(a, secret or NULL);
 *	case GK_ACCEPT_ATTACH:		a->attach and a->label are set; bytes
 *					not used belong to the leg
 *	}
 *
 * Any error is final; a->step says whether 4 or 5 failed, and a->heard whether
 * the peer sent anything at all: one that did not is noise.
 */
#ifndef GK_PROTO_ACCEPT_H
#define GK_PROTO_ACCEPT_H

#include "base/clock.h"
#include "codec/line.h"
#include "proto/attach.h"
#include "proto/handshake.h"

struct gk_outq;

enum gk_accept_event {
	GK_ACCEPT_MORE,
	GK_ACCEPT_RESPONSE,
	GK_ACCEPT_ATTACH
};

struct gk_accept {
	struct genkan_ctx	*ctx;
	struct gk_line		 in;
	int			 step;		/* 4 or 5, 6 when done */
	bool			 heard;		/* a byte has come */
	bool			 asked;		/* RESPONSE is out, no secret */
	int			 err;		/* sticky */
	int64_t			 deadline;	/* of the frame that is due */
	char			 nonce[GK_NONCE_HEX + 1];
	struct gk_hs_response	 response;
	bool			 has_label;	/* the response carried one */
	char			 label[GK_LABEL_MAX + 1];
	struct gk_attach	 attach;
};

/* Draws the nonce and queues the challenge.  0, GENKAN_E_RANDOM,
 * GENKAN_E_NOMEM. */
int	gk_accept_init(struct gk_accept *, struct genkan_ctx *,
	    struct gk_outq *);
void	gk_accept_done(struct gk_accept *);

/* An event, or an error.  *used is set whatever is returned. */
int	gk_accept_feed(struct gk_accept *, const void *, size_t, size_t *used);
/* secret NULL: it could not be read.  0, or the handshake failed. */
int	gk_accept_secret(struct gk_accept *,
	    const uint8_t secret[GK_SECRET_HEX]);
/* The input ended: always an error, GENKAN_E_EOF. */
int	gk_accept_eof(struct gk_accept *);
/* 0, or GENKAN_E_TIMEOUT once the deadline has passed. */
int	gk_accept_tick(struct gk_accept *);

#endif
