/*
 * The tool calls of the own harness while this process is no broker: held
 * until there is one, queued towards it, or forwarded (wire 7.1).  In arrival
 * order, each bound to its struct gk_mcp_call by call->user.
 */
#ifndef GK_ENGINE_HELD_H
#define GK_ENGINE_HELD_H

#include "base/base.h"

struct gk_mcp_call;

enum gk_held_state {
	GK_HELD,		/* no broker, or not sent to it yet */
	GK_HELD_QUEUED,		/* on the leg's queue, its LF not out */
	GK_HELD_FORWARDED	/* its LF was handed to the system */
};

struct gk_held {
	struct gk_held		*next;
	struct gk_held		*prev;
	struct gk_mcp_call	*call;
	enum gk_held_state	 state;
	uint64_t		 no;		/* towards the broker, from 1 */
	uint64_t		 handle;	/* in the leg's queue */
	size_t			 bytes;		/* of its line */
};

struct gk_heldq {
	struct genkan_ctx	*ctx;
	struct gk_held		*head;
	struct gk_held		*tail;
	size_t			 count;
	size_t			 unsent;	/* bytes held or queued */
};

void	gk_heldq_init(struct gk_heldq *, struct genkan_ctx *);

/* Makes the call keep its line.  0, or GENKAN_E_NOMEM and the call is as it
 * was. */
int	gk_heldq_add(struct gk_heldq *, struct gk_mcp_call *);
struct gk_held *gk_heldq_find(const struct gk_heldq *, uint64_t no);

/* The line will never be needed again. */
void	gk_heldq_forwarded(struct gk_heldq *, struct gk_held *);
/* The leg is gone: what was only queued is held again. */
void	gk_heldq_requeue(struct gk_heldq *);
/* Takes it out and frees it; the call itself is untouched but for ->user. */
void	gk_heldq_remove(struct gk_heldq *, struct gk_held *);

#endif
