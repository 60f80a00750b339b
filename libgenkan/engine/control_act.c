/*
 * Acts on the trust record that wait for the record lock (control 2.2, 5.3,
 * 5.4, 5.5): one look every 20 ms, for 2 s.  The answer is the act's own
 * frame, behind the result of a proof where one was given.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/str.h"

#define RETRY_MS	20

/* ---------------------------------------------------------------- answering */

static void
answer_result(struct gk_control *c, int tag, int r, const char *why)
{
	if (r >= 0)
		gk_answer_ok(c, tag);
	else
		gk_answer_error(c, tag, why);
}

static void
answer_release(struct gk_control *c, int r, const char *why)
{
	struct gk_answer a;

	if (r < 0) {
		gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT, why);
		return;
	}
	gk_answer_open(&a, c, GK_TAG_KILL_STATUS_RESULT);
	r = gk_json_put_bool_member(&a.buf, "ok", true);
	if (r == 0)
		r = gk_json_put_bool_member(&a.buf, "killed", false);
	gk_answer_send(&a, r);
}

static void
answer_browser(struct gk_control *c, int r, const char *why)
{
	const int tag = GK_TAG_BROWSER_REVOKE_RESULT;

	if (r >= 0)
		gk_answer_ok(c, tag);
	else if (r == GENKAN_E_NOENT)
		gk_answer_reason(c, tag, GK_REFUSAL_NOT_ENROLLED, NULL);
	else
		gk_answer_reason(c, tag, GK_REFUSAL_STORE_ERROR, why);
}

static void
audit(struct gk_control *c, const struct gk_control_act *w, int r)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	char detail[GK_AUDIT_TEXT_MAX + 1];
	const char *path = w->proof != NULL ? gk_presence_path(w->proof) :
	    "none";

	rec.surface = "extension";
	rec.outcome = r < 0 ? "error" : "ok";
	rec.name = w->act.name;
	switch (w->tag) {
	case GK_TAG_KILL_RELEASE:
		rec.kind = "kill_release";
		rec.name = NULL;
		(void)snprintf(detail, sizeof(detail), "auth=%s%s", path,
		    r < 0 ? "; write refused" : "");
		rec.detail = detail;
		break;
	case GK_TAG_CLIENT_PAIR:
		rec.kind = "pair_client";
		rec.name = w->act.client.name;
		gk_anchor_detail(&w->act.client.anchor, path, detail);
		rec.detail = detail;
		break;
	case GK_TAG_CLIENT_REVOKE:
		rec.kind = "revoke_client";
		break;
	default:
		rec.kind = "revoke_browser";
		break;
	}
	/* Nothing was to be done: nothing is recorded. */
	if (r <= 0 && r != GENKAN_E_NOENT)
		gk_control_audit(c, &rec);
}

static void
finish(struct gk_control *c, int r)
{
	struct gk_control_act *w = &c->act;
	const char *why = w->act.why[0] != '\0' ? w->act.why : gk_err_text(r);

	w->wait.pending = false;
	switch (w->tag) {
	case GK_TAG_PRESENCE_ASSERT:
		/* Not an act yet: it may start one, with this very struct. */
		gk_control_counted(c, r, why);
		gk_control_resume(c);
		return;
	case GK_TAG_ENROLL_FINISH:
		gk_control_enrolled(c, r, why);
		gk_presence_free(w->proof);
		w->proof = NULL;
		gk_control_resume(c);
		return;
	default:
		break;
	}
	if (w->proof != NULL)
		gk_answer_ok(c, GK_TAG_PRESENCE_RESULT);
	switch (w->tag) {
	case GK_TAG_KILL_RELEASE:
		answer_release(c, r, why);
		break;
	case GK_TAG_CLIENT_PAIR:
		answer_result(c, GK_TAG_CLIENT_PAIR_RESULT, r, why);
		break;
	case GK_TAG_CLIENT_REVOKE:
		answer_result(c, GK_TAG_CLIENT_REVOKE_RESULT, r, why);
		break;
	default:
		answer_browser(c, r, why);
		break;
	}
	audit(c, w, r);
	gk_presence_free(w->proof);
	w->proof = NULL;
	gk_control_resume(c);
}

/* ------------------------------------------------------------------ running */

void
gk_control_wait_begin(struct gk_control *c, struct gk_control_wait *w)
{
	w->pending = true;
	w->retry_at = gk_now(c->ctx);
	w->give_up = gk_clock_after(c->ctx, GK_RECORD_LOCK_MS);
}

bool
gk_control_wait_look(struct gk_control *c, struct gk_control_wait *w,
    struct gk_hold **hold, int *ret, char *why, size_t whylen)
{
	char reason[GK_WHY_MAX] = "";

	if (c->store->hold == NULL) {
		(void)snprintf(why, whylen, "the records cannot be written "
		    "here");
		*ret = GENKAN_E_UNSUPPORTED;
		return true;
	}
	*ret = c->store->hold(c->store->user, 0, hold, reason,
	    sizeof(reason));
	if (*ret == GENKAN_E_LOCKED && gk_now(c->ctx) < w->give_up) {
		w->retry_at = gk_clock_after(c->ctx, RETRY_MS);
		return false;
	}
	if (*ret < 0)
		gk_store_lock_why(*ret, reason, why, whylen);
	return true;
}

bool
gk_control_wait_due(const struct gk_control *c,
    const struct gk_control_wait *w)
{
	return w->pending && gk_now(c->ctx) >= w->retry_at;
}

static void
step(struct gk_control *c)
{
	struct gk_control_act *w = &c->act;
	struct gk_hold *hold = NULL;
	int r;

	if (!gk_control_wait_look(c, &w->wait, &hold, &r, w->act.why,
	    sizeof(w->act.why)))
		return;
	if (r == 0) {
		r = gk_act_run(&w->act, c->store, hold);
		c->store->drop(c->store->user, hold);
	}
	finish(c, r);
}

void
gk_control_act_start(struct gk_control *c, int tag, struct gk_presence *proof)
{
	c->act.tag = tag;
	c->act.proof = proof;
	gk_control_wait_begin(c, &c->act.wait);
	step(c);
}

void
gk_control_act_tick(struct gk_control *c)
{
	if (gk_control_wait_due(c, &c->act.wait))
		step(c);
}

/* -------------------------------------------------------------- revocations */

void
gk_control_client_revoke(struct gk_control *c,
    const struct gk_control_frame *f)
{
	char name[GK_LABEL_MAX + 1] = "";
	struct gk_buf scratch;
	struct gk_span s;

	gk_buf_init(&scratch, c->ctx, f->object.len);
	s = gk_control_text(f, "name", &scratch);
	if (s.ptr == NULL || !gk_str_is_label(s.ptr, s.len) ||
	    !gk_str_copy(name, sizeof(name), s.ptr, s.len))
		name[0] = '\0';
	gk_buf_done(&scratch);
	gk_act_revoke_client(&c->act.act, c->ctx, name);
	gk_control_act_start(c, GK_TAG_CLIENT_REVOKE, NULL);
}

void
gk_control_browser_revoke(struct gk_control *c)
{
	gk_act_revoke_browser(&c->act.act, c->ctx, c->label);
	gk_control_act_start(c, GK_TAG_BROWSER_REVOKE, NULL);
}
