/*
 * Inside the relay's leg; for engine/relay*.c alone.
 */
#ifndef GK_ENGINE_RELAY_IMPL_H
#define GK_ENGINE_RELAY_IMPL_H

#include "engine/relay.h"

#include "codec/line.h"
#include "proto/dial.h"
#include "proto/machine.h"
#include "proto/mcp.h"
#include "proto/queue.h"

struct gk_relay {
	struct genkan_leg	 leg;		/* first */
	struct gk_relay_opts	 o;
	enum gk_relay_state	 state;
	struct gk_dial		 dial;
	struct gk_line		 in;		/* once attached */
	struct gk_outq		 out;
	uint64_t		 last;		/* number given last */
	int64_t			 accepted_at;
	int64_t			 drain_at;	/* DRAINING ends */
	bool			 eof;
	bool			 broken;
	char			 why[256];
};

/* relay.c */
void	gk_relay_set_state(struct gk_relay *, enum gk_relay_state);
/* What waits to be written is dropped. */
void	gk_relay_over(struct gk_relay *);
/*
 * The leg has failed.  What its socket still holds is read first, because
 * replies may be among it; that takes no longer than the half of what step 1
 * and 2 of 7.1 may take together.
 */
void	gk_relay_fail(struct gk_relay *, const char *why);

/* relay_reply.c: a line of the broker.  false: it fits no row of 7.1. */
bool	gk_relay_take(struct gk_relay *, struct gk_span line);

/* relay_leg.c */
extern const struct gk_leg_ops gk_relay_ops;

#endif
