/*
 * The dispatch gate of the broker: control.md 4.7.  The record is looked at
 * for every call; an unreadable one refuses everything, since defaults may be
 * looser than what the user had set.
 */
#ifndef GK_TRUST_POLICY_H
#define GK_TRUST_POLICY_H

#include "records/policyrec.h"
#include "records/store.h"

enum gk_policy_state {
	GK_POLICY_ABSENT,
	GK_POLICY_KEPT,		/* without baseline: disabled tools kept */
	GK_POLICY_PRESENT,
	GK_POLICY_UNREADABLE
};

/* Zeroed is empty. */
struct gk_policy_cache {
	struct gk_stamp		 stamp;
	int			 state;		/* enum gk_policy_state */
	struct gk_policyrec	*rec;
	char			 why[GK_WHY_FULL];
};

/* Borrowed from the cache until its next look. */
struct gk_policy_view {
	enum gk_policy_state		 state;
	const struct gk_policyrec	*rec;	/* KEPT and PRESENT */
	const char			*why;	/* "" unless unreadable */
};

void	gk_policy_look(struct genkan_ctx *, const struct gk_store *,
	    struct gk_policy_cache *, struct gk_policy_view *ret);
void	gk_policy_cache_done(struct gk_policy_cache *);

/*
 * true: the call passes.  false: TOOL_DISABLED, with one sentence in why.
 * grants: bits GK_POLICY_BIT(field) that the tool's row names.
 */
bool	gk_policy_gate(const struct gk_policy_view *, const char *tool,
	    uint32_t grants, char *why, size_t whylen);

#endif
