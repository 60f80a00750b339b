#include "trust/policyact.h"

#include <stdio.h>

#include "base/err.h"
#include "trust/change.h"

/* ------------------------------------------------------------------ history */

/* The bytes are those of the file, empty without one, and the caller's to end
 * in any case. */
static int
load_ring(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_historyrec **ret, struct gk_buf *bytes, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	int r;

	r = gk_store_load(ctx, store, GK_RECORD_HISTORY, bytes, stamp, why,
	    whylen);
	if (r == GENKAN_E_NOENT) {
		*ret = gk_historyrec_new(ctx);
		r = *ret != NULL ? 0 : GENKAN_E_NOMEM;
		(void)snprintf(why, whylen, "%s", r < 0 ? "out of memory" :
		    "");
	} else if (r == 0) {
		r = gk_historyrec_parse(ctx, bytes->ptr, bytes->len, ret, why,
		    whylen);
	}
	return r;
}

enum gk_policy_error
gk_policy_load_history(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_historyrec **ret, char *why, size_t whylen)
{
	char reason[GK_WHY_MAX];
	struct gk_stamp stamp;
	struct gk_buf bytes;
	int r;

	r = load_ring(ctx, store, ret, &bytes, &stamp, reason,
	    sizeof(reason));
	gk_buf_done(&bytes);
	if (r == 0)
		return GK_POLICY_FINE;
	gk_store_unreadable(store, GK_RECORD_HISTORY, reason, why, whylen);
	return GK_POLICY_IO;
}

static int
write_ring(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_historyrec *ring,
    const struct gk_stamp *seen)
{
	char why[GK_WHY_MAX];
	struct gk_buf out;
	int r;

	gk_buf_init(&out, ctx, gk_record_cap(GK_RECORD_HISTORY));
	r = gk_historyrec_format(ring, &out);
	if (r == 0)
		r = store->replace(store->user, hold, GK_RECORD_HISTORY,
		    out.ptr, out.len, seen, why, sizeof(why));
	gk_buf_done(&out);
	return r;
}

/*
 * The history before a change: a change pushes its row before it writes, and
 * takes it back where the writing fails.
 */
struct past {
	struct gk_buf	bytes;		/* empty: there was no file */
	bool		pushed;
};

/*
 * A ring that cannot be read gives way to a fresh one; want of memory is no
 * reason to throw one away.  *past is to be ended in any case.
 */
static int
remember(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_policyrec *old, struct past *past)
{
	struct gk_historyrec *ring = NULL;
	struct gk_stamp seen;
	char why[GK_WHY_MAX];
	uint64_t now = 0;
	int r;

	if (store->unix_time != NULL)
		now = store->unix_time(store->user);
	r = load_ring(ctx, store, &ring, &past->bytes, &seen, why,
	    sizeof(why));
	if (r < 0 && r != GENKAN_E_NOMEM && store->remove != NULL) {
		memset(&seen, 0, sizeof(seen));
		r = store->remove(store->user, hold, GK_RECORD_HISTORY, why,
		    sizeof(why));
		if (r == 0 && (ring = gk_historyrec_new(ctx)) == NULL)
			r = GENKAN_E_NOMEM;
	}
	if (r == 0)
		r = gk_historyrec_push(ring, old, now);
	if (r == 0)
		r = write_ring(ctx, store, hold, ring, &seen);
	gk_historyrec_free(ring);
	past->pushed = r == 0;
	return r;
}

/* The policy was not written: the history is what it was.  It is no larger
 * than what lies there, so that there is room; otherwise a row too many is no
 * harm, it only may have to be named in a rollback. */
static void
forget(const struct gk_store *store, struct gk_hold *hold,
    const struct past *past)
{
	struct gk_stamp seen;
	char why[GK_WHY_MAX];

	if (!past->pushed)
		return;
	if (past->bytes.len > 0 &&
	    store->stamp(store->user, GK_RECORD_HISTORY, &seen) == 0)
		(void)store->replace(store->user, hold, GK_RECORD_HISTORY,
		    past->bytes.ptr, past->bytes.len, &seen, why,
		    sizeof(why));
	else if (past->bytes.len == 0 && store->remove != NULL)
		(void)store->remove(store->user, hold, GK_RECORD_HISTORY, why,
		    sizeof(why));
}

/* ------------------------------------------------------------------- commit */

static enum gk_policy_error
check_trust(const struct gk_policy_plan *plan, const struct gk_store *store,
    char *why, size_t whylen)
{
	enum gk_policy_error e = GK_POLICY_FINE;
	struct gk_trust_cache cache = { 0 };
	struct gk_trust_view view;

	gk_trust_look(plan->ctx, store, &cache, &view);
	if (view.state == GK_TRUST_UNREADABLE)
		e = gk_policy_fail(GK_POLICY_IO, why, whylen, "%s", view.why);
	else if (plan->lane == GK_LANE_GRANT &&
	    view.rec->host_key_epoch != plan->host_key_epoch)
		e = gk_policy_fail(GK_POLICY_CONFLICT, why, whylen, "%s", "");
	gk_trust_cache_done(&cache);
	return e;
}

/*
 * After a write that failed: whether nothing came of it.  It may have been done
 * and only not have been made to last; then the history is the way back.  NULL:
 * it was to be removed.
 */
static bool
is_undone(struct genkan_ctx *ctx, const struct gk_store *store,
    const struct gk_buf *wanted)
{
	struct gk_stamp stamp;
	char why[GK_WHY_MAX];
	struct gk_buf bytes;
	bool undone;
	int r;

	r = gk_store_load(ctx, store, GK_RECORD_POLICY, &bytes, &stamp, why,
	    sizeof(why));
	if (wanted == NULL)
		undone = r == 0;
	else
		undone = r == GENKAN_E_NOENT || (r == 0 &&
		    !gk_span_eq(gk_buf_span(&bytes), gk_buf_span(wanted)));
	gk_buf_done(&bytes);
	return undone;
}

/* *undone is set where the result is GK_POLICY_IO. */
static enum gk_policy_error
write_policy(const struct gk_policyrec *next, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_stamp *seen, bool *undone,
    char *why, size_t whylen)
{
	enum gk_policy_error e = GK_POLICY_FINE;
	char reason[GK_WHY_MAX] = "";
	struct gk_buf out;
	int r;

	gk_buf_init(&out, next->ctx, gk_record_cap(GK_RECORD_POLICY));
	r = gk_policyrec_format(next, &out);
	if (r < 0)
		(void)snprintf(reason, sizeof(reason), "%s", gk_err_text(r));
	else
		r = store->replace(store->user, hold, GK_RECORD_POLICY,
		    out.ptr, out.len, seen, reason, sizeof(reason));
	if (r == GENKAN_E_AGAIN)
		e = gk_policy_fail(GK_POLICY_CONFLICT, why, whylen, "%s", "");
	else if (r < 0)
		e = gk_policy_fail(GK_POLICY_IO, why, whylen, "%s cannot be "
		    "written: %s", gk_store_name(store, GK_RECORD_POLICY),
		    reason);
	if (e == GK_POLICY_IO)
		*undone = is_undone(next->ctx, store, &out);
	gk_buf_done(&out);
	return e;
}

static enum gk_policy_error
stamp(const struct gk_policy_plan *plan, const struct gk_store *store,
    struct gk_hold *hold, char *why, size_t whylen)
{
	const struct gk_change change = { .scopes = GK_SCOPE_POLICY };
	char reason[GK_WHY_FULL];

	if (gk_trust_change_held(plan->ctx, store, hold, &change, NULL,
	    reason, sizeof(reason)) >= 0)
		return GK_POLICY_FINE;
	return gk_policy_fail(GK_POLICY_IO, why, whylen, "the policy was "
	    "written, but running programs could not be told: %s", reason);
}

/* Under the lock, with the record as it is now. */
static enum gk_policy_error
carry_out(const struct gk_policy_plan *plan, const struct gk_store *store,
    struct gk_hold *hold, struct gk_policy_done *ret, char *why,
    size_t whylen)
{
	struct gk_policy_cache cache = { 0 };
	enum gk_policy_error e = GK_POLICY_FINE;
	struct gk_policy_view view;
	bool undone = false;
	struct past past;

	memset(&past, 0, sizeof(past));
	gk_policy_look(plan->ctx, store, &cache, &view);
	if (view.state == GK_POLICY_UNREADABLE)
		e = gk_policy_fail(GK_POLICY_IO, why, whylen, "%s", view.why);
	else if (!gk_policy_plan_holds(plan, view.rec))
		e = gk_policy_fail(GK_POLICY_CONFLICT, why, whylen, "%s", "");
	if (e == GK_POLICY_FINE && view.state == GK_POLICY_PRESENT)
		ret->history_lost = remember(plan->ctx, store, hold,
		    view.rec, &past) < 0;
	if (e == GK_POLICY_FINE)
		e = write_policy(plan->next, store, hold, &cache.stamp,
		    &undone, why, whylen);
	ret->written = e == GK_POLICY_FINE;
	if (undone)
		forget(store, hold, &past);
	if (e == GK_POLICY_FINE)
		e = stamp(plan, store, hold, why, whylen);
	gk_buf_done(&past.bytes);
	gk_policy_cache_done(&cache);
	return e;
}

enum gk_policy_error
gk_policy_commit(const struct gk_policy_plan *plan,
    const struct gk_store *store, struct gk_hold *hold,
    struct gk_presence *proof, struct gk_policy_done *ret, char *why,
    size_t whylen)
{
	enum gk_policy_error e;

	memset(ret, 0, sizeof(*ret));
	if (plan->lane == GK_LANE_NONE)
		return GK_POLICY_FINE;
	if (plan->lane == GK_LANE_GRANT && !plan->next->is_signed)
		return gk_policy_fail(GK_POLICY_NO_SIGNING_KEY, why, whylen,
		    "the document was not signed");
	if (plan->lane == GK_LANE_GRANT && !gk_presence_use(proof))
		return gk_policy_fail(GK_POLICY_REFUSED, why, whylen,
		    "there is no proof that a person wants this");
	if ((e = check_trust(plan, store, why, whylen)) != GK_POLICY_FINE)
		return e;
	return carry_out(plan, store, hold, ret, why, whylen);
}

/* ----------------------------------------------------------------- disposal */

/* policy.json holds the disabled tools alone, or goes.  *undone: it failed, and
 * nothing came of it. */
static int
keep_disabled(struct genkan_ctx *ctx, const struct gk_policyrec *old,
    const struct gk_store *store, struct gk_hold *hold,
    const struct gk_stamp *seen, bool *undone, char *why, size_t whylen)
{
	struct gk_policyrec kept;
	int r;

	if (old->effective.disabled.n == 0) {
		r = store->remove(store->user, hold, GK_RECORD_POLICY, why,
		    whylen);
		*undone = r < 0 && is_undone(ctx, store, NULL);
		return r;
	}
	memset(&kept, 0, sizeof(kept));
	kept.ctx = ctx;
	if (gk_policyval_copy(&old->effective, &kept.overlay) < 0) {
		(void)snprintf(why, whylen, "out of memory");
		*undone = true;
		return GENKAN_E_NOMEM;
	}
	gk_policyval_drop(&kept.overlay,
	    ~GK_POLICY_BIT(GK_POLICY_DISABLED_TOOLS));
	r = write_policy(&kept, store, hold, seen, undone, why, whylen) ==
	    GK_POLICY_FINE ? 0 : GENKAN_E_IO;
	gk_policyval_done(&kept.overlay);
	return r;
}

int
gk_policy_dispose(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, bool *unreadable, char *why, size_t whylen)
{
	struct gk_policy_cache cache = { 0 };
	struct gk_policy_view view;
	bool undone = false;
	struct past past;
	int r = 0;

	memset(&past, 0, sizeof(past));
	why[0] = '\0';
	gk_policy_look(ctx, store, &cache, &view);
	*unreadable = view.state == GK_POLICY_UNREADABLE;
	if (*unreadable) {
		(void)snprintf(why, whylen, "%s", view.why);
	} else if (view.state == GK_POLICY_PRESENT) {
		(void)remember(ctx, store, hold, view.rec, &past);
		r = keep_disabled(ctx, view.rec, store, hold, &cache.stamp,
		    &undone, why, whylen);
		if (undone)
			forget(store, hold, &past);
		gk_buf_done(&past.bytes);
	}
	gk_policy_cache_done(&cache);
	return r;
}
