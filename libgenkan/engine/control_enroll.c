/*
 * Enrollments: offered, verified and written (control 7.6), and the approval
 * that a second one needs.
 */
#include "engine/control_bytes.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codec/b64.h"

static void
enroll_refuse(struct gk_control *c, enum gk_refusal_id refusal,
    const char *detail)
{
	gk_answer_reason(c, GK_TAG_ENROLL_RESULT, refusal, detail);
}

static void
enroll_empty(struct gk_control_enroll *e)
{
	gk_presence_free(e->proof);
	gk_wipe(e, sizeof(*e));
}

void
gk_control_enroll_drop(struct gk_control *c)
{
	enroll_empty(&c->enroll);
	enroll_empty(&c->approval);
}

void
gk_control_approval_drop(struct gk_control *c)
{
	if (c->enroll.proof != NULL)
		enroll_empty(&c->enroll);
	enroll_empty(&c->approval);
}

/* Is there an approval, now that the record has been looked at? */
static bool
approved(struct gk_control *c, const struct gk_trustrec *rec)
{
	struct gk_control_enroll *a = &c->approval;

	if (a->full && (gk_now(c->ctx) >= a->expires ||
	    rec->kill_epoch != a->kill_epoch ||
	    !gk_presence_stands(a->proof, rec)))
		enroll_empty(a);
	return a->full;
}

static int
put_options(struct gk_control *c, const struct gk_trustrec *rec,
    const char *nonce, struct gk_buf *b)
{
	int r;

	r = gk_json_put_str_member(b, "challenge", c->enroll.challenge,
	    strlen(c->enroll.challenge));
	if (r == 0)
		r = gk_json_put_str_member(b, "nonce", nonce, strlen(nonce));
	if (r == 0)
		r = gk_json_put_key(b, "user_id");
	if (r == 0)
		r = gk_buf_putc(b, '"');
	if (r == 0)
		r = gk_b64_put(b, GK_B64_URL, c->label, strlen(c->label));
	if (r == 0)
		r = gk_buf_putc(b, '"');
	if (r == 0)
		r = gk_json_put_str_member(b, "user_name", c->label,
		    strlen(c->label));
	return r == 0 ? gk_control_put_ids(b, "exclude_credential_ids", rec,
	    c->label) : r;
}

/* first_use, or under the approval, which is consumed. */
static void
offer(struct gk_control *c, const struct gk_trustrec *rec, bool first_use)
{
	char nonce[GK_CHALLENGE_LEN + 1], challenge[GK_CHALLENGE_LEN + 1];
	struct gk_action action;
	struct gk_answer a;
	int r;

	(void)gk_action_enroll(&action);
	r = gk_nonce_make(c->ctx, nonce);
	if (r == 0)
		r = gk_challenge(c->ctx, GK_CEREMONY_ENROLL, c->label,
		    gk_span_str(action.text), gk_span_str(nonce), challenge);
	if (r < 0) {
		enroll_refuse(c, GK_REFUSAL_IO_ERROR, gk_err_text(r));
		return;
	}
	enroll_empty(&c->enroll);
	if (!first_use) {
		c->enroll.proof = c->approval.proof;
		c->enroll.kill_epoch = c->approval.kill_epoch;
		c->approval.proof = NULL;
		enroll_empty(&c->approval);
	}
	c->enroll.full = true;
	c->enroll.expires = gk_clock_after(c->ctx, GK_PRESENCE_MS);
	memcpy(c->enroll.challenge, challenge, sizeof(challenge));
	gk_answer_open(&a, c, GK_TAG_ENROLL_OPTIONS);
	gk_answer_send(&a, put_options(c, rec, nonce, &a.buf));
}

static void
ask_another(struct gk_control *c, const struct gk_trust_view *view)
{
	struct gk_control_slot next = { 0 };
	struct gk_action action;

	(void)gk_action_another(&action, c->label);
	next.kill_epoch = view->rec->kill_epoch;
	if (gk_control_ask(c, GK_TAG_ENROLL_BEGIN, view, &action, &next))
		enroll_refuse(c, GK_REFUSAL_PRESENCE_REQUIRED, NULL);
}

void
gk_control_enroll_begin(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	if (view.state == GK_TRUST_UNREADABLE)
		enroll_refuse(c, GK_REFUSAL_STORE_ERROR, view.why);
	else if (!approved(c, view.rec) && view.rec->nenrollments > 0)
		ask_another(c, &view);
	else if (view.rec->nenrollments > 0)
		offer(c, view.rec, false);
	else if (gk_control_parent(c))
		offer(c, view.rec, true);
	else
		/* What it enrolls grants, so it is a click too: 6.2. */
		enroll_refuse(c,
		    GK_REFUSAL_SOFTWARE_CONFIRMATION_NOT_ALLOWED, NULL);
}

/* The approval waits for the next enroll_begin. */
void
gk_control_grant_enroll(struct gk_control *c, struct gk_control_slot *slot,
    struct gk_presence *proof)
{
	enroll_empty(&c->approval);
	c->approval.full = true;
	c->approval.proof = proof;
	c->approval.kill_epoch = slot->kill_epoch;
	c->approval.expires = gk_clock_after(c->ctx, GK_APPROVAL_MS);
	gk_answer_ok(c, GK_TAG_PRESENCE_RESULT);
}

static const struct gk_control_member registration[] = {
	{ "attestation_object", GK_ATTESTATION_MAX },
	{ "client_data_json", GK_CLIENT_DATA_MAX },
};

/* credential: NULL where none came out of it. */
static void
enroll_audit(struct gk_control *c, const struct gk_presence *proof,
    const struct gk_credential *credential, const char *outcome)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	char path[GK_CREDENTIAL_PATH_LEN + 1] = "none", detail[256];

	if (credential != NULL)
		(void)gk_credential_path(c->ctx, credential->id,
		    credential->idlen, path);
	(void)snprintf(detail, sizeof(detail), "browser=%s; credential=%s; "
	    "authorized_by=%s", c->label, path, proof != NULL ?
	    gk_presence_path(proof) : "first_use");
	rec.kind = "enroll";
	rec.surface = "extension";
	rec.outcome = outcome;
	rec.detail = detail;
	gk_control_audit(c, &rec);
}

static enum gk_refusal_id
verify_registration(struct gk_control *c, const struct gk_control_enroll *e,
    const struct gk_control_bytes *b, struct gk_credential *ret,
    const char **detail)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_registration reg;
	struct gk_rp rp;
	int r;

	gk_rp_of_extension(&rp);
	reg.attestation = gk_buf_span(&b->buf[0]);
	reg.client_data = gk_buf_span(&b->buf[1]);
	r = gk_webauthn_register(c->ctx, &rp, e->challenge, &reg, ret,
	    &refusal);
	return gk_control_verdict(r, refusal, detail);
}

void
gk_control_enroll_finish(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_control_enroll e = c->enroll;
	struct gk_credential credential;
	const char *detail = NULL;
	enum gk_refusal_id refusal;
	struct gk_control_bytes b;

	/* Emptied, whatever the outcome. */
	memset(&c->enroll, 0, sizeof(c->enroll));
	if (!e.full || gk_now(c->ctx) >= e.expires) {
		enroll_empty(&e);
		enroll_refuse(c, GK_REFUSAL_NO_ENROLLMENT_OUTSTANDING, NULL);
		return;
	}
	refusal = gk_control_bytes_get(c, f, registration,
	    GK_ARRAY_LEN(registration), &b, &detail);
	/* First use stands for a click, and a click needs its parent now. */
	if (refusal == GK_REFUSAL_NONE && e.proof == NULL &&
	    !gk_control_parent(c))
		refusal = GK_REFUSAL_SOFTWARE_CONFIRMATION_NOT_ALLOWED;
	if (refusal == GK_REFUSAL_NONE)
		refusal = verify_registration(c, &e, &b, &credential,
		    &detail);
	gk_control_bytes_done(&b);
	if (refusal != GK_REFUSAL_NONE) {
		enroll_refuse(c, refusal, detail);
		enroll_audit(c, e.proof, NULL, "refused");
		enroll_empty(&e);
		return;
	}
	gk_act_enroll(&c->act.act, c->ctx, e.proof, e.kill_epoch, c->label,
	    &credential);
	gk_control_act_start(c, GK_TAG_ENROLL_FINISH, e.proof);
}

void
gk_control_enrolled(struct gk_control *c, int r, const char *why)
{
	const struct gk_act *act = &c->act.act;
	struct gk_answer a;
	int e;

	if (r >= 0) {
		gk_answer_open(&a, c, GK_TAG_ENROLL_RESULT);
		e = gk_json_put_bool_member(&a.buf, "ok", true);
		if (e == 0)
			e = gk_buf_puts(&a.buf, ",\"credential_id\":\"");
		if (e == 0)
			e = gk_b64_put(&a.buf, GK_B64_URL, act->credential.id,
			    act->credential.idlen);
		gk_answer_send(&a, e == 0 ? gk_buf_putc(&a.buf, '"') : e);
	} else if (act->refusal != GK_REFUSAL_NONE) {
		enroll_refuse(c, act->refusal, NULL);
	} else {
		enroll_refuse(c, GK_REFUSAL_STORE_ERROR, why);
	}
	enroll_audit(c, c->act.proof, &act->credential, r >= 0 ? "ok" :
	    act->refusal != GK_REFUSAL_NONE ? "refused" : "error");
}
