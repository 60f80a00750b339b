/*
 * The policy and the language from a terminal: control.md 4.8, 12.3.  All of
 * these fill the report, text and JSON; what fails has said so there.
 */
#ifndef GK_LOCAL_POLICYDESK_H
#define GK_LOCAL_POLICYDESK_H

#include "local/desk.h"
#include "trust/policyact.h"

/* One text a field, NULL for "not named".  0; GENKAN_E_INVAL with the sentence
 * in the context; GENKAN_E_NOMEM. */
int	gk_policydesk_read(struct genkan_ctx *, const char *const *values,
	    size_t n, struct gk_policyval *ret);

/* 0, or GENKAN_E_NOMEM. */
int	gk_policydesk_show(struct gk_desk *);
int	gk_policydesk_history(struct gk_desk *);

/* The plan, yours, with all prechecks but the terminal; NULL: it failed. */
struct gk_policy_plan *gk_policydesk_set(struct gk_desk *,
	    const struct gk_policyval *);
struct gk_policy_plan *gk_policydesk_restrict(struct gk_desk *,
	    const struct gk_policyval *);
struct gk_policy_plan *gk_policydesk_rollback(struct gk_desk *,
	    uint64_t revision, const char *entry);

/* What is about to be granted, for the person who is asked. */
int	gk_policydesk_reason(const struct gk_policy_plan *, struct gk_buf *ret);
/* Signs where that is due, writes, tells.  proof: NULL in the free lane. */
void	gk_policydesk_run(struct gk_desk *, struct gk_policy_plan *,
	    struct gk_presence *);

void	gk_langdesk_show(struct gk_desk *);
void	gk_langdesk_set(struct gk_desk *, const char *value);

#endif
