#include "trust/dispose.h"

#include <stdio.h>

#include "trust/admission.h"
#include "trust/change.h"
#include "trust/policyact.h"

/* Step 1. */
static int
readable(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_disposal *d)
{
	struct gk_trust_cache cache;
	struct gk_trust_view view;
	int r = 0;

	memset(&cache, 0, sizeof(cache));
	gk_trust_look(ctx, store, &cache, &view);
	if (view.state == GK_TRUST_UNREADABLE) {
		(void)snprintf(d->why, sizeof(d->why), "%s", view.why);
		r = GENKAN_E_RECORD_CORRUPT;
	}
	gk_trust_cache_done(&cache);
	return r;
}

/* Step 3. */
static int
policy(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, struct gk_disposal *d)
{
	char why[GK_WHY_FULL] = "";
	bool unreadable = false;
	int r;

	r = gk_policy_dispose(ctx, store, hold, &unreadable, why,
	    sizeof(why));
	if (r < 0)
		(void)snprintf(d->why, sizeof(d->why), "the host key is gone, "
		    "but the policy could not be put away: %.900s", why);
	else if (unreadable)
		(void)snprintf(d->note, sizeof(d->note), "the policy stays "
		    "as it is: %.900s", why);
	return r;
}

/* Step 4. */
static int
stamp(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, struct gk_disposal *d)
{
	struct gk_change change = { .scopes = GK_SCOPE_POLICY |
	    GK_SCOPE_HOST_KEY };
	char why[GK_WHY_FULL] = "";
	int r;

	r = gk_trust_change_held(ctx, store, hold, &change, NULL, why,
	    sizeof(why));
	if (r < 0)
		(void)snprintf(d->why, sizeof(d->why), "the host key is gone, "
		    "but running hosts are not told: %.900s", why);
	return r;
}

/*
 * A policy that cannot be put away does not keep the hosts from being told
 * that the key is gone.
 */
int
gk_dispose(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, struct gk_disposal *d)
{
	int r, told;

	d->absent = false;
	d->why[0] = d->note[0] = '\0';
	if ((r = readable(ctx, store, d)) < 0)
		return r;
	if ((r = d->erase(d->user, hold, d->why, sizeof(d->why))) < 0)
		return r;
	d->absent = true;
	r = policy(ctx, store, hold, d);
	told = stamp(ctx, store, hold, d);
	return r < 0 ? r : GK_MIN(told, 0);
}
