/*
 * The kill latch: its state, engaging it, and what is asked of a release
 * (control 2.5, 5.4).
 *
 * Engaging waits for the record lock without blocking: one look every 20 ms
 * for 2 s; then it goes on without the lock, and reads back, for 2 s more.
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

/* A release takes a presence proof, which this build cannot ask for.  Where
 * there is nothing to release, none is needed. */
void
gk_control_kill_release(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	if (view.kill == GK_KILL_ENGAGED)
		gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT, "this version "
		    "of genkan cannot release the kill switch from the "
		    "browser yet");
	else
		gk_control_push_kill(c, &view);
}

/* ---------------------------------------------------------------- engaging */

/* The record as it lies there, or that of a fresh machine. */
static int
load(struct gk_control *c, struct gk_trustrec **ret, struct gk_stamp *seen)
{
	char why[GK_WHY_MAX], full[GK_WHY_FULL];
	struct gk_buf bytes;
	int r;

	memset(seen, 0, sizeof(*seen));
	r = gk_store_load(c->ctx, c->store, GK_RECORD_TRUST, &bytes, seen, why,
	    sizeof(why));
	if (r == GENKAN_E_NOENT) {
		*ret = gk_trustrec_new(c->ctx);
		r = *ret != NULL ? 0 : GENKAN_E_NOMEM;
		(void)snprintf(why, sizeof(why), "%s", gk_err_text(r));
	} else if (r == 0) {
		r = gk_trustrec_parse(c->ctx, bytes.ptr, bytes.len, ret, why,
		    sizeof(why));
	}
	gk_buf_done(&bytes);
	if (r < 0) {
		gk_store_unreadable(c->store, GK_RECORD_TRUST, why, full,
		    sizeof(full));
		(void)snprintf(c->kill.why, sizeof(c->kill.why), "%.*s",
		    (int)sizeof(c->kill.why) - 1, full);
	}
	return r;
}

static int
write_record(struct gk_control *c, struct gk_hold *hold,
    const struct gk_trustrec *rec, const struct gk_stamp *seen)
{
	struct gk_buf bytes;
	int r;

	gk_buf_init(&bytes, c->ctx, gk_record_cap(GK_RECORD_TRUST));
	r = gk_trustrec_format(rec, &bytes);
	if (r < 0)
		(void)snprintf(c->kill.why, sizeof(c->kill.why), "%s",
		    gk_err_text(r));
	else
		r = c->store->replace(c->store->user, hold, GK_RECORD_TRUST,
		    bytes.ptr, bytes.len, seen, c->kill.why,
		    sizeof(c->kill.why));
	gk_buf_done(&bytes);
	return r;
}

/*
 * Read, set, stamp, write.  Already engaged is success whatever becomes of the
 * write: the stamp only keeps a release that was asked for earlier from
 * undoing this.
 */
static int
engage(struct gk_control *c, struct gk_hold *hold)
{
	struct gk_trustrec *rec = NULL;
	struct gk_stamp seen;
	bool engaged;
	int r;

	r = load(c, &rec, &seen);
	if (r < 0)
		return r;
	engaged = rec->killed;
	rec->killed = true;
	if (rec->epoch >= (uint64_t)GK_INTEGER_MAX) {
		r = GENKAN_E_RANGE;
		(void)snprintf(c->kill.why, sizeof(c->kill.why),
		    "the epoch of the trust record is at its bound");
	} else {
		rec->kill_epoch = ++rec->epoch;
		r = write_record(c, hold, rec, &seen);
	}
	gk_trustrec_free(rec);
	return engaged ? 0 : r;
}

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
			    c->kill.why[0] != '\0' ? c->kill.why :
			    gk_err_text(r));
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
	    r < 0 ? ": " : "", r < 0 ? c->kill.why : "");
	rec.kind = "kill_engage";
	rec.surface = "extension";
	rec.outcome = r < 0 ? "error" : "ok";
	if (r < 0)
		rec.detail = "auth=none; write refused";
	gk_control_audit(c, &rec);
}

/* One try under the lock: true when it is settled, one way or the other. */
static bool
try_locked(struct gk_control *c, int *ret)
{
	struct gk_hold *hold = NULL;

	*ret = c->store->hold(c->store->user, 0, &hold, c->kill.why,
	    sizeof(c->kill.why));
	if (*ret == GENKAN_E_LOCKED || *ret == GENKAN_E_AGAIN)
		return false;
	if (*ret < 0)
		return true;
	*ret = engage(c, hold);
	c->store->drop(c->store->user, hold);
	return *ret != GENKAN_E_AGAIN;
}

/* Without it, what counts is what a read shows afterwards. */
static bool
try_forced(struct gk_control *c, int *ret)
{
	struct gk_trustrec *rec = NULL;
	struct gk_stamp seen;

	*ret = engage(c, NULL);
	if (*ret < 0 && *ret != GENKAN_E_AGAIN)
		return true;
	if (load(c, &rec, &seen) < 0)
		return false;
	*ret = rec->killed ? 0 : GENKAN_E_LOCKED;
	gk_trustrec_free(rec);
	return *ret == 0;
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
		(void)snprintf(c->kill.why, sizeof(c->kill.why), "the record "
		    "lock was held by somebody else all the time");
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
	c->kill.asked++;
	if (c->kill.pending)
		return;
	c->kill.pending = true;
	c->kill.forced = false;
	c->kill.why[0] = '\0';
	c->kill.give_up = gk_clock_after(c->ctx, GK_RECORD_LOCK_MS);
	step(c);
}

int64_t
gk_control_deadline(const struct gk_control *c)
{
	return c->kill.pending ? c->kill.retry_at : GK_CLOCK_NEVER;
}

void
gk_control_tick(struct gk_control *c)
{
	if (c->kill.pending && gk_now(c->ctx) >= c->kill.retry_at)
		step(c);
}
