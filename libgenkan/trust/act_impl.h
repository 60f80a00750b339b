/* What the acts share: act.c runs them, act_*.c make them. */
#ifndef GK_TRUST_ACT_IMPL_H
#define GK_TRUST_ACT_IMPL_H

#include "trust/act.h"

/* An act that applies this and stamps these markers; the rest is zero. */
void	gk_act_make(struct gk_act *, struct genkan_ctx *,
	    int (*apply)(void *, struct gk_trustrec *), unsigned scopes);

/* What it is about.  What does not fit is no label, and so is "", which nobody
 * has. */
void	gk_act_name(struct gk_act *, const char *name);

#endif
