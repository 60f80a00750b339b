/* Rolling back: control.md 4.6. */
#include "trust/policyplan.h"

#include <inttypes.h>

#include "base/buf.h"

static bool
same_policy(const struct gk_history_row *a, const struct gk_history_row *b)
{
	return gk_policyval_differs(&a->held->effective,
	    &b->held->effective) == 0;
}

/* "1, 2, 5": ascending, each once, the last ones where they are many. */
static int
put_revisions(const struct gk_historyrec *h, struct gk_buf *to)
{
	uint64_t last = 0, best;
	bool first = true;
	size_t i;
	int r = 0;

	for (;;) {
		best = 0;
		for (i = 0; i < h->n; i++)
			if (h->row[i].held != NULL &&
			    h->row[i].held->doc.revision > last &&
			    (best == 0 ||
			    h->row[i].held->doc.revision < best))
				best = h->row[i].held->doc.revision;
		if (best == 0 || r < 0)
			return r;
		r = gk_buf_putf(to, "%s%" PRIu64, first ? "" : ", ", best);
		first = false;
		last = best;
	}
}

static enum gk_policy_error
missed(struct genkan_ctx *ctx, const struct gk_historyrec *h,
    const char *what, char *why, size_t whylen)
{
	struct gk_buf list;
	enum gk_policy_error e;
	int r;

	/* What does not fit is cut, like everything that is long in a
	 * sentence. */
	gk_buf_init(&list, ctx, GK_WHY_FULL / 2);
	r = put_revisions(h, &list);
	if (r == GENKAN_E_NOMEM)
		e = gk_policy_no_memory(why, whylen);
	else
		e = gk_policy_fail(GK_POLICY_INVALID, why, whylen,
		    "%s; available revisions: %.*s%s", what,
		    (int)list.len, list.len > 0 ? (const char *)list.ptr : "",
		    list.len == 0 ? "none" : r < 0 ? ", ..." : "");
	gk_buf_done(&list);
	return e;
}

static enum gk_policy_error
find_entry(struct genkan_ctx *ctx, const struct gk_historyrec *h,
    uint64_t revision, struct gk_span entry, const struct gk_history_row **ret,
    char *why, size_t whylen)
{
	const char *what = "the history has no such entry";
	size_t i;

	for (i = 0; i < h->n; i++) {
		if (!gk_span_is(entry, h->row[i].id))
			continue;
		if (h->row[i].held == NULL) {
			what = "that entry of the history is damaged";
		} else if (h->row[i].held->doc.revision != revision) {
			what = "that entry holds another revision";
		} else {
			*ret = &h->row[i];
			return GK_POLICY_FINE;
		}
	}
	return missed(ctx, h, what, why, whylen);
}

/* 4.6 step 1. */
static enum gk_policy_error
find_target(struct genkan_ctx *ctx, const struct gk_historyrec *h,
    uint64_t revision, struct gk_span entry, const struct gk_history_row **ret,
    char *why, size_t whylen)
{
	const struct gk_history_row *found = NULL;
	size_t i;

	if (entry.ptr != NULL)
		return find_entry(ctx, h, revision, entry, ret, why, whylen);
	for (i = 0; i < h->n; i++) {
		if (h->row[i].held == NULL ||
		    h->row[i].held->doc.revision != revision)
			continue;
		if (found != NULL && !same_policy(found, &h->row[i]))
			return gk_policy_fail(GK_POLICY_INVALID, why, whylen,
			    "revision %" PRIu64 " is ambiguous, it was in "
			    "force with different restrictions; name the "
			    "entry (`genkan policy history` lists them)",
			    revision);
		found = &h->row[i];
	}
	if (found == NULL)
		return missed(ctx, h, "the history has no such revision", why,
		    whylen);
	*ret = found;
	return GK_POLICY_FINE;
}

/* Equal: a plan that writes nothing. */
static enum gk_policy_error
plan_nothing(struct genkan_ctx *ctx, const struct gk_policy_now *now,
    struct gk_policy_plan **ret, char *why, size_t whylen)
{
	return gk_policy_plan_new(ctx, now, GK_LANE_NONE, 0, ret) < 0 ?
	    gk_policy_no_memory(why, whylen) : GK_POLICY_FINE;
}

/* 4.6 steps 2 and 3: towards an effective policy. */
static enum gk_policy_error
plan_towards(struct genkan_ctx *ctx, const struct gk_policy_now *now,
    const struct gk_policyval *target, const struct gk_policyval *current,
    struct gk_policy_plan **ret, char *why, size_t whylen)
{
	uint32_t differs = gk_policyval_differs(current, target);
	struct gk_policyval change;
	enum gk_policy_error e;

	if (differs == 0)
		return plan_nothing(ctx, now, ret, why, whylen);
	if (gk_policyval_copy(target, &change) < 0)
		return gk_policy_no_memory(why, whylen);
	gk_policyval_drop(&change, ~differs);
	if (gk_policyval_looser(current, target) == 0)
		e = gk_policy_plan_restrict(ctx, now, &change, ret, why,
		    whylen);
	else
		e = gk_policy_plan_set(ctx, now, &change, ret, why, whylen);
	gk_policyval_done(&change);
	return e;
}

enum gk_policy_error
gk_policy_plan_rollback(struct genkan_ctx *ctx,
    const struct gk_policy_now *now, const struct gk_historyrec *h,
    uint64_t revision, struct gk_span entry, struct gk_policy_plan **ret,
    char *why, size_t whylen)
{
	const struct gk_history_row *row = NULL;
	const struct gk_policyval *current;
	struct gk_policyval deny;
	enum gk_policy_error e;

	if ((e = gk_policy_check_readable(now, why, whylen)) != GK_POLICY_FINE ||
	    (e = find_target(ctx, h, revision, entry, &row, why,
	    whylen)) != GK_POLICY_FINE)
		return e;
	(void)gk_policyval_defaults(&deny, ctx);
	current = now->policy->rec != NULL ? &now->policy->rec->effective :
	    &deny;
	e = plan_towards(ctx, now, &row->held->effective, current, ret, why,
	    whylen);
	if (e == GK_POLICY_FINE)
		(*ret)->target = revision;
	gk_policyval_done(&deny);
	return e;
}
