/*
 * The terminal gate of control.md 6.3, steps 3 to 6: the one place where the
 * library waits for a person.  So it is up here, where nothing waits for it.
 */
#ifndef GK_API_CEREMONY_H
#define GK_API_CEREMONY_H

#include "os/why.h"
#include "trust/presence.h"

/*
 * Asks on the terminal of descriptor 0, with prompts on descriptor 2.  reason:
 * lines, each with LF.  0 and the proof, yours; or 1 and the refusal, with the
 * sentence in why.
 */
int	gk_ceremony(struct genkan_ctx *, const char *reason,
	    struct gk_presence **ret, enum gk_refusal_id *refusal,
	    struct gk_why *why);

/* Its first step alone, for an act whose prechecks come after it: 0, or 1 as
 * above. */
int	gk_ceremony_possible(enum gk_refusal_id *refusal, struct gk_why *why);

#endif
