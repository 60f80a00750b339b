/*
 * The kill switch from a terminal: control.md 5.4 and 8.
 */
#ifndef GK_LOCAL_KILLSWITCH_H
#define GK_LOCAL_KILLSWITCH_H

#include "local/desk.h"

/*
 * Engages the latch of one store: under the record lock, had within
 * GK_RECORD_LOCK_MS, else without it for as long again, until a read shows it
 * engaged.  0, or an error whose sentence is in act->why.  Blocks.
 */
int	gk_killswitch_engage(struct genkan_ctx *, const struct gk_store *,
	    struct gk_act *);

/* `kill`: here and, where a broker uses another directory, there too. */
int	gk_killswitch_run(struct genkan_ctx *, struct genkan_report *);

/* `unkill`, up to the question: 0 and what the release is bound to; 1: over,
 * the report says how. */
int	gk_killswitch_ask(struct gk_desk *, uint64_t *kill_epoch);
/* The rest; the proof is used up. */
void	gk_killswitch_release(struct gk_desk *, struct gk_presence *,
	    uint64_t kill_epoch);

#endif
