/*
 * The leg by which a server that is no broker reaches the one that is: set-up
 * as a dialler (wire 5.2), then calls out and replies in, as text (7.1).
 *
 * It decides nothing about roles.  Its state is read by the server, which is
 * woken whenever that changes; woken with the machine at rest, so the server
 * may call back.
 */
#ifndef GK_ENGINE_RELAY_H
#define GK_ENGINE_RELAY_H

#include "engine/held.h"
#include "proto/attach.h"

struct genkan_leg;
struct gk_mcp;
struct gk_outq;
struct gk_relay;

enum gk_relay_state {
	GK_RELAY_DIALLING,	/* set-up */
	GK_RELAY_REPLIED,	/* the reply is in: attach or drop it */
	GK_RELAY_ATTACHED,
	GK_RELAY_DRAINING,	/* lost; what the socket holds is read */
	GK_RELAY_OVER		/* the leg wants CLOSE */
};

struct gk_relay_opts {
	const uint8_t		*secret;	/* copied */
	const struct gk_attach	*attach;	/* copied */
	struct gk_heldq		*calls;		/* these three: borrowed until */
	struct gk_mcp		*mcp;		/* the relay is over */
	struct gk_outq		*harness;
	void			(*wake)(void *owner);
	void			(*freed)(void *owner);	/* it is over, and the
						 * relay gone on return */
	void			*owner;
};

/* NULL on lack of memory.  The leg is the program's, and the relay with it. */
struct gk_relay *gk_relay_new(struct genkan_ctx *,
	    const struct gk_relay_opts *);
struct genkan_leg *gk_relay_leg(struct gk_relay *);

enum gk_relay_state gk_relay_state(const struct gk_relay *);
/* From REPLIED on. */
const struct gk_attach_reply *gk_relay_reply(const struct gk_relay *);
/* Why it is over, for people; never NULL. */
const char *gk_relay_why(const struct gk_relay *);
int64_t	gk_relay_accepted_at(const struct gk_relay *);
/* Bytes on its queue. */
size_t	gk_relay_pending(const struct gk_relay *);

/* REPLIED to ATTACHED: opens the leg as the harness has opened its own, then
 * queues what is held. */
void	gk_relay_attach(struct gk_relay *);
/* The harness has opened its connection, or changed its version. */
void	gk_relay_open(struct gk_relay *);
/* One more held call. */
void	gk_relay_forward(struct gk_relay *, struct gk_held *);
/* The call is about to be forgotten: withdrawn, or cancelled at the broker. */
void	gk_relay_cancel(struct gk_relay *, struct gk_held *);

/* The owner lets go: OVER, without a further wake. */
void	gk_relay_drop(struct gk_relay *);

int64_t	gk_relay_deadline(const struct gk_relay *);
void	gk_relay_tick(struct gk_relay *);

#endif
