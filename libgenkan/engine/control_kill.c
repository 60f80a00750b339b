/*
 * The kill latch: its state, engaging it, and what is asked of a release
 * (control 2.5, 5.4).
 *
 * Engaging waits for the record lock without blocking: one look every 20 ms
 * for 2 s.  Not had by then, or not to be had at all, it goes on without the
 * lock, and reads back, for 2 s more.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#define RETRY_MS	20

void
gk_control_push_kill(struct gk_control *c, const struct gk_trust_view *view)
{
	struct gk_answer a;
	int r;

	if (view->kill == GK_KILL_UNREADABLE) {
		gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT, view->why);
		return;
	}
	gk_answer_open(&a, c, GK_TAG_KILL_STATUS_RESULT);
	r = gk_json_put_bool_member(&a.buf, "ok", true);
	if (r == 0)
		r = gk_json_put_bool_member(&a.buf, "killed",
		    view->kill == GK_KILL_ENGAGED);
	gk_answer_send(&a, r);
}

void
gk_control_kill_status(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	gk_control_push_kill(c, &view);
}

/* ---------------------------------------------------------------- engaging */

static void
finish(struct gk_control *c, int r)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	struct gk_answer a;
	int e;

	c->kill.pending = false;
	for (; c->kill.asked > 0; c->kill.asked--) {
		if (r < 0) {
			gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT,
			    c->kill.act.why);
			continue;
		}
		gk_answer_open(&a, c, GK_TAG_KILL_STATUS_RESULT);
		e = gk_json_put_bool_member(&a.buf, "ok", true);
		if (e == 0)
			e = gk_json_put_bool_member(&a.buf, "killed", true);
		gk_answer_send(&a, e);
	}
	gk_log(c->ctx, r < 0 ? GK_LOG_ERROR : GK_LOG_WARN, GK_CONTROL_TAG,
	    "kill-engage", "the kill switch %s by the extension%s%s",
	    r < 0 ? "could not be engaged" : "was engaged",
	    r < 0 ? ": " : "", r < 0 ? c->kill.act.why : "");
	rec.kind = "kill_engage";
	rec.surface = "extension";
	rec.outcome = r < 0 ? "error" : "ok";
	if (r < 0)
		rec.detail = "auth=none; write refused";
	gk_control_audit(c, &rec);
	gk_control_resume(c);
}

/* One try under the lock: true when it is settled, one way or the other. */
static bool
try_locked(struct gk_control *c, int *ret)
{
	struct gk_control_kill *k = &c->kill;
	struct gk_hold *hold = NULL;
	char reason[GK_WHY_MAX] = "";

	*ret = c->store->hold(c->store->user, 0, &hold, reason,
	    sizeof(reason));
	if (*ret < 0) {
		gk_store_lock_why(*ret, reason, k->lock, sizeof(k->lock));
		/* Only one that others hold is worth waiting for. */
		if (*ret != GENKAN_E_LOCKED)
			k->give_up = gk_now(c->ctx);
		return false;
	}
	*ret = gk_act_run(&k->act, c->store, hold);
	c->store->drop(c->store->user, hold);
	(void)snprintf(k->lock, sizeof(k->lock),
	    "others write the record all the time");
	return *ret != GENKAN_E_AGAIN;
}

/* Without it, what counts is what a read shows afterwards. */
static bool
try_forced(struct gk_control *c, int *ret)
{
	*ret = gk_act_run_unlocked(&c->kill.act, c->store);
	if (*ret < 0 && *ret != GENKAN_E_AGAIN)
		return true;
	if (gk_control_latch(c) != GK_KILL_ENGAGED)
		return false;
	*ret = 0;
	return true;
}

static void
step(struct gk_control *c)
{
	bool settled;
	int r;

	settled = c->kill.forced ? try_forced(c, &r) : try_locked(c, &r);
	if (settled) {
		finish(c, r);
		return;
	}
	c->kill.retry_at = gk_clock_after(c->ctx, RETRY_MS);
	if (gk_now(c->ctx) < c->kill.give_up)
		return;
	if (c->kill.forced) {
		(void)snprintf(c->kill.act.why, sizeof(c->kill.act.why),
		    "the kill switch could not be engaged: %s", c->kill.lock);
		finish(c, GENKAN_E_LOCKED);
		return;
	}
	c->kill.forced = true;
	c->kill.retry_at = gk_now(c->ctx);
	c->kill.give_up = gk_clock_after(c->ctx, GK_KILL_FORCE_MS);
}

void
gk_control_kill_engage(struct gk_control *c)
{
	if (c->store->hold == NULL) {
		gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT,
		    "the trust record cannot be written here");
		return;
	}
	/* No tap still under way undoes it, nor what it would enroll. */
	gk_control_slot_empty(c);
	gk_control_approval_drop(c);
	c->kill.asked++;
	if (c->kill.pending)
		return;
	c->kill.pending = true;
	c->kill.forced = false;
	c->kill.lock[0] = '\0';
	gk_act_kill(&c->kill.act, c->ctx);
	c->kill.give_up = gk_clock_after(c->ctx, GK_RECORD_LOCK_MS);
	step(c);
}

int64_t
gk_control_deadline(const struct gk_control *c)
{
	int64_t at = GK_CLOCK_NEVER;

	if (c->kill.pending)
		at = c->kill.retry_at;
	if (c->act.wait.pending)
		at = GK_MIN(at, c->act.wait.retry_at);
	if (c->write.wait.pending)
		at = GK_MIN(at, c->write.wait.retry_at);
	return at;
}

void
gk_control_tick(struct gk_control *c)
{
	if (c->kill.pending && gk_now(c->ctx) >= c->kill.retry_at)
		step(c);
	gk_control_act_tick(c);
	gk_control_write_tick(c);
}
