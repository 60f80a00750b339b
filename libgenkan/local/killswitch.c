#include "local/killswitch.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "os/clock.h"
#include "os/look.h"

#define RETRY_MS	20

/* ---------------------------------------------------------------- engaging */

static bool
is_engaged(struct genkan_ctx *ctx, const struct gk_store *store)
{
	struct gk_trust_cache cache;
	struct gk_trust_view view;
	bool engaged;

	memset(&cache, 0, sizeof(cache));
	gk_trust_look(ctx, store, &cache, &view);
	engaged = view.kill == GK_KILL_ENGAGED;
	gk_trust_cache_done(&cache);
	return engaged;
}

/*
 * Beside whoever holds the lock, who may just be about to rename over what is
 * written here; so what counts is what a read shows.
 */
static int
engage_unlocked(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_act *act, const char *lock)
{
	const uint64_t start = gk_clock_mono_ms();
	int r;

	do {
		r = gk_act_run_unlocked(act, store);
		if (r < 0 && r != GENKAN_E_AGAIN)
			return r;
		if (is_engaged(ctx, store))
			return 0;
		gk_clock_sleep_ms(RETRY_MS);
	} while (gk_clock_mono_ms() - start < GK_KILL_FORCE_MS);
	(void)snprintf(act->why, sizeof(act->why), "the kill switch could not "
	    "be engaged: %s", lock);
	return GENKAN_E_LOCKED;
}

int
gk_killswitch_engage(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_act *act)
{
	char lock[GK_WHY_FULL / 2];
	struct gk_hold *hold;
	int r;

	gk_act_kill(act, ctx);
	r = gk_store_hold(store, &hold, lock, sizeof(lock));
	if (r == 0) {
		(void)snprintf(lock, sizeof(lock),
		    "others write the record all the time");
		r = gk_act_run(act, store, hold);
		store->drop(store->user, hold);
		if (r != GENKAN_E_AGAIN)
			return r;
	}
	/* No lock, whatever the reason: this act must not depend on one. */
	return engage_unlocked(ctx, store, act, lock);
}

static bool
engage(struct gk_desk *d, uint64_t *epoch)
{
	struct gk_act act;
	int r;

	r = gk_killswitch_engage(d->ctx, &d->stores.store, &act);
	*epoch = act.epoch;
	if (r < 0)
		gk_desk_fail(d, "%s", act.why);
	gk_desk_audit(d, "kill_engage", r < 0 ? "error" : "ok", NULL,
	    r < 0 ? "auth=none; write refused" : NULL);
	return r >= 0;
}

/* The directory of a broker that is not ours to choose: only our own user's. */
static bool
engage_there(struct gk_desk *d, const char *state)
{
	struct gk_fstat st;
	struct gk_desk *there;
	uint64_t epoch;
	bool ok = false;

	if (gk_look_lstat(state, &st, NULL) == 0 && st.uid != gk_look_euid()) {
		gk_desk_fail(d, "%s belongs to another user; the kill switch "
		    "is not engaged there", state);
		return false;
	}
	there = gk_calloc(d->ctx, 1, sizeof(*there));
	if (there == NULL) {
		gk_desk_fail(d, "out of memory");
		return false;
	}
	there->ctx = d->ctx;
	there->report = d->report;
	there->place = d->place;
	(void)snprintf(there->place.state, sizeof(there->place.state), "%s",
	    state);
	if (gk_stores_init(&there->stores, d->ctx, &there->place) < 0) {
		gk_desk_fail(d, "out of memory");
	} else {
		ok = engage(there, &epoch);
		if (ok)
			gk_report_line(d->report, "the kill switch is engaged "
			    "in %s (epoch %" PRIu64 ")", state, epoch);
		gk_desk_done(there);
	}
	gk_free(d->ctx, there);
	return ok;
}

int
gk_killswitch_run(struct genkan_ctx *ctx, struct genkan_report *report)
{
	char reason[512], state[GK_PATH_MAX];
	struct gk_desk d;
	uint64_t epoch;
	int r;

	if ((r = gk_desk_open_unchecked(&d, ctx, report)) < 0)
		return r;
	/* Ours first: it waits for no look at anybody. */
	if (engage(&d, &epoch))
		gk_report_line(report, "the kill switch is engaged (epoch %"
		    PRIu64 "); `genkan unkill` releases it", epoch);
	r = gk_desk_mismatch(ctx, &d.place, reason, state);
	if (r < 0) {
		/* Another one may run, and go on. */
		gk_desk_fail(&d, "%s", reason);
	} else if (r > 0) {
		gk_report_warn(report, "genkan: %s", reason);
		(void)engage_there(&d, state);
	}
	gk_desk_done(&d);
	return 0;
}

/* --------------------------------------------------------------- releasing */

int
gk_killswitch_ask(struct gk_desk *d, uint64_t *kill_epoch)
{
	struct gk_trust_view view;
	char why[2 * GK_WHY_FULL];
	int r;

	gk_desk_look(d, &view);
	r = gk_act_check_unkill(&view, kill_epoch, why, sizeof(why));
	if (r < 0)
		gk_desk_fail(d, "%s", why);
	else if (r > 0)
		gk_report_line(d->report, "the kill switch is not engaged");
	return r != 0;
}

void
gk_killswitch_release(struct gk_desk *d, struct gk_presence *proof,
    uint64_t kill_epoch)
{
	struct gk_trust_view view;
	char detail[128], why[2 * GK_WHY_FULL];
	uint64_t ignored;
	struct gk_act act;
	int r;

	gk_act_unkill(&act, d->ctx, proof, kill_epoch);
	r = gk_act_run(&act, &d->stores.store, NULL);
	if (r < 0) {
		/* Became unreadable behind the question: the full sentence. */
		gk_desk_look(d, &view);
		if (gk_act_check_unkill(&view, &ignored, why,
		    sizeof(why)) >= 0)
			(void)snprintf(why, sizeof(why), "%s", act.why);
		gk_desk_fail(d, "%s", why);
	} else {
		gk_report_line(d->report, "the kill switch is released");
	}
	(void)snprintf(detail, sizeof(detail), "auth=%s%s",
	    gk_presence_path(proof), r < 0 ? "; write refused" : "");
	if (r <= 0)
		gk_desk_audit(d, "kill_release", r < 0 ? "error" : "ok", NULL,
		    detail);
}
