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

/*
 * The history before a change: a change pushes its row before it writes, so
 * that no policy is ever replaced without a way back, and takes the row away
 * where nothing came of the writing.
 */
struct past {
	struct gk_buf	bytes;		/* empty: there was no file */
	enum gk_wrote	row;
};

static void
write_ring(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_historyrec *ring,
    const struct gk_stamp *seen, enum gk_wrote *ret)
{
	char why[GK_WHY_FULL];
	struct gk_buf out;

	gk_buf_init(&out, ctx, gk_record_cap(GK_RECORD_HISTORY));
	if (gk_historyrec_format(ring, &out) == 0)
		(void)gk_store_replace(ctx, store, hold, GK_RECORD_HISTORY,
		    &out, seen, ret, why, sizeof(why));
	gk_buf_done(&out);
}

/* What cannot be read gives way to a fresh one. */
static int
start_over(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, struct gk_historyrec **ret)
{
	char why[GK_WHY_FULL];
	enum gk_wrote wrote;
	int r;

	r = gk_store_replace(ctx, store, hold, GK_RECORD_HISTORY, NULL, NULL,
	    &wrote, why, sizeof(why));
	if (wrote != GK_WROTE_IT)
		return r;
	*ret = gk_historyrec_new(ctx);
	return *ret != NULL ? 0 : GENKAN_E_NOMEM;
}

/* Only what cannot be read for good gives way: want of memory or a disk that
 * fails is no reason to throw a history away.  *past is to be ended in any
 * case. */
static void
remember(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_policyrec *old, struct past *past)
{
	struct gk_historyrec *ring = NULL;
	struct gk_stamp seen;
	char why[GK_WHY_MAX];
	uint64_t now = 0;
	int r;

	memset(past, 0, sizeof(*past));
	past->row = GK_WROTE_NOTHING;
	if (store->unix_time != NULL)
		now = store->unix_time(store->user);
	r = load_ring(ctx, store, &ring, &past->bytes, &seen, why,
	    sizeof(why));
	if (r < 0 && gk_err_class(r) != GENKAN_CLASS_TRANSIENT) {
		memset(&seen, 0, sizeof(seen));
		r = start_over(ctx, store, hold, &ring);
	}
	if (r == 0)
		r = gk_historyrec_push(ring, old, now);
	if (r == 0)
		write_ring(ctx, store, hold, ring, &seen, &past->row);
	gk_historyrec_free(ring);
}

/* The policy was not written: the history is what it was.  It is no larger
 * than what lies there, so that there is room; otherwise a row too many is no
 * harm, it only may have to be named in a rollback. */
static void
forget(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct past *past)
{
	struct gk_stamp seen;
	char why[GK_WHY_FULL];
	enum gk_wrote wrote;

	if (past->row != GK_WROTE_NOTHING &&
	    store->stamp(store->user, GK_RECORD_HISTORY, &seen) == 0)
		(void)gk_store_replace(ctx, store, hold, GK_RECORD_HISTORY,
		    past->bytes.len > 0 ? &past->bytes : NULL, &seen, &wrote,
		    why, sizeof(why));
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

/* next NULL: the record goes. */
static enum gk_policy_error
write_policy(struct genkan_ctx *ctx, const struct gk_policyrec *next,
    const struct gk_store *store, struct gk_hold *hold,
    const struct gk_stamp *seen, enum gk_wrote *ret, char *why, size_t whylen)
{
	char sentence[GK_WHY_FULL];
	struct gk_buf out;
	int r = 0;

	*ret = GK_WROTE_NOTHING;
	gk_buf_init(&out, ctx, gk_record_cap(GK_RECORD_POLICY));
	if (next != NULL)
		r = gk_policyrec_format(next, &out);
	if (r < 0)
		(void)snprintf(sentence, sizeof(sentence), "%s cannot be "
		    "written: %s", gk_store_name(store, GK_RECORD_POLICY),
		    gk_err_text(r));
	else
		r = gk_store_replace(ctx, store, hold, GK_RECORD_POLICY,
		    next != NULL ? &out : NULL, seen, ret, sentence,
		    sizeof(sentence));
	gk_buf_done(&out);
	if (r == GENKAN_E_AGAIN)
		return gk_policy_fail(GK_POLICY_CONFLICT, why, whylen, "%s",
		    "");
	return r < 0 ? gk_policy_fail(GK_POLICY_IO, why, whylen, "%s",
	    sentence) : GK_POLICY_FINE;
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

/*
 * One write and what has to follow it: the row of the history is taken back
 * where nothing came of it, and where something did, or may have, the running
 * programs are told to look.
 */
static enum gk_policy_error
exchange(const struct gk_policy_plan *plan, const struct gk_policyrec *old,
    const struct gk_store *store, struct gk_hold *hold,
    const struct gk_stamp *seen, struct gk_policy_done *ret, char *why,
    size_t whylen)
{
	char unsaid[2 * GK_WHY_FULL];
	enum gk_policy_error e;
	enum gk_wrote wrote;
	struct past past = { .row = GK_WROTE_NOTHING };

	if (old != NULL) {
		remember(plan->ctx, store, hold, old, &past);
		ret->history_lost = past.row != GK_WROTE_IT;
	}
	e = write_policy(plan->ctx, plan->next, store, hold, seen, &wrote,
	    why, whylen);
	if (e == GK_POLICY_IO && wrote == GK_WROTE_NOTHING)
		forget(plan->ctx, store, hold, &past);
	gk_buf_done(&past.bytes);
	ret->written = wrote != GK_WROTE_NOTHING;
	if (ret->written && e == GK_POLICY_FINE)
		e = stamp(plan, store, hold, why, whylen);
	else if (ret->written)
		(void)stamp(plan, store, hold, unsaid, sizeof(unsaid));
	return e;
}

/* Under the lock, with the record as it is now. */
static enum gk_policy_error
carry_out(const struct gk_policy_plan *plan, const struct gk_store *store,
    struct gk_hold *hold, struct gk_policy_done *ret, char *why,
    size_t whylen)
{
	struct gk_policy_cache cache = { 0 };
	struct gk_policy_view view;
	enum gk_policy_error e;

	gk_policy_look(plan->ctx, store, &cache, &view);
	if (view.state == GK_POLICY_UNREADABLE)
		e = gk_policy_fail(GK_POLICY_IO, why, whylen, "%s", view.why);
	else if (!gk_policy_plan_holds(plan, view.rec))
		e = gk_policy_fail(GK_POLICY_CONFLICT, why, whylen, "%s", "");
	else
		e = exchange(plan, view.state == GK_POLICY_PRESENT ?
		    view.rec : NULL, store, hold, &cache.stamp, ret, why,
		    whylen);
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

/* policy.json holds the disabled tools alone, or goes. */
static enum gk_policy_error
keep_disabled(struct genkan_ctx *ctx, const struct gk_policyrec *old,
    const struct gk_store *store, struct gk_hold *hold,
    const struct gk_stamp *seen, enum gk_wrote *ret, char *why, size_t whylen)
{
	struct gk_policyrec kept;
	enum gk_policy_error e;

	if (old->effective.disabled.n == 0)
		return write_policy(ctx, NULL, store, hold, seen, ret, why,
		    whylen);
	*ret = GK_WROTE_NOTHING;
	memset(&kept, 0, sizeof(kept));
	kept.ctx = ctx;
	if (gk_policyval_copy(&old->effective, &kept.overlay) < 0)
		return gk_policy_no_memory(why, whylen);
	gk_policyval_drop(&kept.overlay,
	    ~GK_POLICY_BIT(GK_POLICY_DISABLED_TOOLS));
	e = write_policy(ctx, &kept, store, hold, seen, ret, why, whylen);
	gk_policyval_done(&kept.overlay);
	return e;
}

static enum gk_policy_error
put_away(struct genkan_ctx *ctx, const struct gk_policyrec *old,
    const struct gk_store *store, struct gk_hold *hold,
    const struct gk_stamp *seen, char *why, size_t whylen)
{
	enum gk_policy_error e;
	enum gk_wrote wrote;
	struct past past;

	remember(ctx, store, hold, old, &past);
	e = keep_disabled(ctx, old, store, hold, seen, &wrote, why, whylen);
	if (e == GK_POLICY_IO && wrote == GK_WROTE_NOTHING)
		forget(ctx, store, hold, &past);
	gk_buf_done(&past.bytes);
	return e;
}

int
gk_policy_dispose(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, bool *unreadable, char *why, size_t whylen)
{
	struct gk_policy_cache cache = { 0 };
	struct gk_policy_view view;
	int r = 0;

	why[0] = '\0';
	gk_policy_look(ctx, store, &cache, &view);
	*unreadable = view.state == GK_POLICY_UNREADABLE;
	if (*unreadable)
		(void)snprintf(why, whylen, "%s", view.why);
	else if (view.state == GK_POLICY_PRESENT)
		r = put_away(ctx, view.rec, store, hold, &cache.stamp, why,
		    whylen) == GK_POLICY_FINE ? 0 : GENKAN_E_IO;
	gk_policy_cache_done(&cache);
	return r;
}
