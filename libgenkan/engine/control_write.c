/*
 * Writing the policy or the language (control 4.5, 12.3): signed where it
 * grants something, then under the record lock, then answered and recorded.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "trust/lang.h"

bool
gk_control_writing(const struct gk_control *c)
{
	return c->write.asking || c->write.wait.pending;
}

void
gk_control_write_drop(struct gk_control *c)
{
	gk_policy_plan_free(c->write.plan);
	gk_presence_free(c->write.proof);
	memset(&c->write, 0, sizeof(c->write));
}

/* ---------------------------------------------------------------- recording */

static void
audit(struct gk_control *c, enum gk_policy_error e)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	struct gk_buf detail;

	gk_buf_init(&detail, c->ctx, 1024);
	rec.kind = "policy_write";
	rec.surface = "extension";
	rec.outcome = e == GK_POLICY_FINE ? "ok" : "error";
	if (gk_policy_plan_detail(c->write.plan, c->write.proof != NULL ?
	    gk_presence_path(c->write.proof) : NULL, &detail) == 0)
		rec.detail = (const char *)detail.ptr;
	gk_control_audit(c, &rec);
	gk_buf_done(&detail);
}

/* ---------------------------------------------------------------- answering */

/* Frames of one answer, adjacent; then what waited behind it. */
static void
finish_policy(struct gk_control *c, enum gk_policy_error e,
    const struct gk_policy_done *done, const char *why)
{
	struct gk_control_write *w = &c->write;
	const int result = gk_schema_frame(w->tag)->bad;

	if (w->proof != NULL)
		gk_answer_ok(c, GK_TAG_PRESENCE_RESULT);
	if (e == GK_POLICY_FINE)
		gk_answer_ok(c, result);
	else
		gk_answer_error(c, result, why);
	/* A restriction that stood already is in force all the same. */
	if (done->written || (e == GK_POLICY_FINE &&
	    w->tag == GK_TAG_POLICY_RESTRICT))
		gk_control_push_policy(c);
	if (done->history_lost)
		gk_log(c->ctx, GK_LOG_WARN, GK_CONTROL_TAG, "history-lost",
		    "the policy that was replaced could not be put into the "
		    "history");
	if (w->plan->lane != GK_LANE_NONE)
		audit(c, e);
	gk_control_write_drop(c);
	gk_control_resume(c);
}

static void
finish_lang(struct gk_control *c, int r, const char *why)
{
	if (r < 0)
		gk_log(c->ctx, GK_LOG_ERROR, GK_CONTROL_TAG, "lang-set", "%s",
		    why);
	gk_control_write_drop(c);
	gk_control_push_lang(c);
	gk_control_resume(c);
}

/* ------------------------------------------------------------------ running */

/* r: what became of the lock; the hold is dropped before anybody is told. */
static void
run_policy(struct gk_control *c, int r, struct gk_hold *hold, char *why,
    size_t whylen)
{
	struct gk_policy_done done = { false, false };
	enum gk_policy_error e = GK_POLICY_IO;

	if (r == 0) {
		e = gk_policy_commit(c->write.plan, c->store, hold,
		    c->write.proof, &done, why, whylen);
		c->store->drop(c->store->user, hold);
	}
	finish_policy(c, e, &done, why);
}

static void
run_lang(struct gk_control *c, int r, struct gk_hold *hold, char *why,
    size_t whylen)
{
	struct gk_langrec now;

	if (r == 0) {
		r = gk_lang_set(c->ctx, c->store, hold, c->write.lang, &now,
		    why, whylen);
		c->store->drop(c->store->user, hold);
	}
	finish_lang(c, r, why);
}

static void
step(struct gk_control *c)
{
	char why[2 * GK_WHY_FULL] = "";
	struct gk_hold *hold = NULL;
	int r;

	if (!gk_control_wait_look(c, &c->write.wait, &hold, &r, why,
	    sizeof(why)))
		return;
	c->write.wait.pending = false;
	if (c->write.plan != NULL)
		run_policy(c, r, hold, why, sizeof(why));
	else
		run_lang(c, r, hold, why, sizeof(why));
}

void
gk_control_write_start(struct gk_control *c)
{
	const struct gk_policy_done nothing = { false, false };

	if (c->write.plan != NULL && c->write.plan->lane == GK_LANE_NONE) {
		finish_policy(c, GK_POLICY_FINE, &nothing, "");
		return;
	}
	gk_control_wait_begin(c, &c->write.wait);
	step(c);
}

void
gk_control_write_tick(struct gk_control *c)
{
	if (gk_control_wait_due(c, &c->write.wait))
		step(c);
}

/* ------------------------------------------------------------------ signing */

static void
signed_policy(struct gk_control *c, const struct gk_key_answer *key)
{
	const struct gk_policy_done nothing = { false, false };
	char why[2 * GK_WHY_FULL];
	enum gk_policy_error e;

	c->write.asking = false;
	if (key->code == GK_KEY_OK) {
		gk_policy_plan_sign(c->write.plan, key->sig, key->key_id);
		gk_control_write_start(c);
		return;
	}
	e = gk_policy_fail(GK_POLICY_NO_SIGNING_KEY, why, sizeof(why), "%s",
	    key->why);
	finish_policy(c, e, &nothing, why);
}

void
gk_control_grant_policy(struct gk_control *c, struct gk_control_slot *slot,
    struct gk_presence *proof)
{
	const struct gk_policy_done nothing = { false, false };
	char why[GK_WHY_FULL];
	enum gk_policy_error e;
	struct gk_buf msg;

	c->write.tag = slot->rule->tag;
	c->write.proof = proof;
	c->write.plan = slot->plan;
	slot->plan = NULL;
	gk_buf_init(&msg, c->ctx, gk_record_cap(GK_RECORD_POLICY));
	if (gk_policy_plan_message(c->write.plan, &msg) < 0) {
		e = gk_policy_no_memory(why, sizeof(why));
		finish_policy(c, e, &nothing, why);
	} else {
		c->write.asking = true;
		gk_control_key_ask(c, msg.ptr, msg.len, signed_policy);
	}
	gk_buf_done(&msg);
}
