#include <stdio.h>

#include "base/buf.h"
#include "base/str.h"
#include "trust/policy.h"

#define TOOL_QUOTE_MAX	64

static void
refresh(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_policy_cache *c)
{
	char why[GK_WHY_MAX];
	struct gk_buf bytes;
	int r;

	r = gk_store_load(ctx, store, GK_RECORD_POLICY, &bytes, &c->stamp, why,
	    sizeof(why));
	if (r == GENKAN_E_NOENT) {
		c->state = GK_POLICY_ABSENT;
		goto out;
	}
	c->state = GK_POLICY_UNREADABLE;
	if (r == 0)
		r = gk_policyrec_parse(ctx, bytes.ptr, bytes.len, &c->rec, why,
		    sizeof(why));
	if (r == 0)
		c->state = c->rec->has_baseline ? GK_POLICY_PRESENT :
		    GK_POLICY_KEPT;
	else
		gk_store_unreadable(store, GK_RECORD_POLICY, why, c->why,
		    sizeof(c->why));
out:
	/* Only what was understood may be reused: an error can be passing. */
	if (c->rec == NULL)
		memset(&c->stamp, 0, sizeof(c->stamp));
	gk_buf_done(&bytes);
}

static bool
is_current(const struct gk_store *store, const struct gk_policy_cache *c)
{
	struct gk_stamp now;

	return c->rec != NULL && !gk_stamp_is_zero(&c->stamp) &&
	    store->stamp(store->user, GK_RECORD_POLICY, &now) == 0 &&
	    gk_stamp_equal(&now, &c->stamp);
}

void
gk_policy_look(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_policy_cache *c, struct gk_policy_view *ret)
{
	if (!is_current(store, c)) {
		gk_policy_cache_done(c);
		refresh(ctx, store, c);
	}
	ret->state = (enum gk_policy_state)c->state;
	ret->rec = c->rec;
	ret->why = c->why;
}

void
gk_policy_cache_done(struct gk_policy_cache *c)
{
	gk_policyrec_free(c->rec);
	c->rec = NULL;
	memset(&c->stamp, 0, sizeof(c->stamp));
	c->why[0] = '\0';	/* the rest of it may stay, it is long */
	c->state = GK_POLICY_UNREADABLE;
}

/* The first grant that is needed and off, or -1. */
static int
missing_grant(const struct gk_policyval *p, uint32_t grants)
{
	int i;

	for (i = 0; i < GK_POLICY_NFIELDS; i++)
		if ((grants & GK_POLICY_BIT((unsigned)i)) != 0 &&
		    p->num[i] == 0)
			return i;
	return -1;
}

bool
gk_policy_gate(const struct gk_policy_view *view, const char *tool,
    uint32_t grants, char *why, size_t whylen)
{
	char quoted[4 * TOOL_QUOTE_MAX + 8];
	int field = -1;

	why[0] = '\0';
	if (view->state == GK_POLICY_ABSENT)
		return true;
	if (view->state == GK_POLICY_PRESENT)
		field = missing_grant(&view->rec->effective, grants);
	if (view->state != GK_POLICY_UNREADABLE && field < 0 &&
	    !gk_policyval_disables(&view->rec->effective, tool, strlen(tool)))
		return true;
	gk_str_escaped(quoted, sizeof(quoted), tool, strlen(tool),
	    TOOL_QUOTE_MAX);
	if (view->state == GK_POLICY_UNREADABLE)
		(void)snprintf(why, whylen, "%s is refused, as every tool is "
		    "while the policy cannot be read: %s", quoted, view->why);
	else if (field >= 0)
		(void)snprintf(why, whylen, "%s is off by policy: the grant "
		    "%s is off", quoted,
		    gk_policyval_field_name((unsigned)field));
	else
		(void)snprintf(why, whylen, "%s is off by policy: it is in "
		    "the list of disabled tools", quoted);
	return false;
}
