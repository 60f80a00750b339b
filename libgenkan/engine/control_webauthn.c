/*
 * Taps and enrollments: what an authenticator answers is decoded, verified and
 * acted on here (control 2.7, 6.5, 7.5, 7.6).
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codec/b64.h"

/* ----------------------------------------------------------------- members */

#define NBYTES	4

/* The byte members of one frame, decoded. */
struct bytes {
	struct gk_buf	buf[NBYTES];
	size_t		n;
};

struct member {
	const char	*name;
	size_t		 max;
};

static void
bytes_done(struct bytes *b)
{
	while (b->n > 0)
		gk_buf_done(&b->buf[--b->n]);
}

/* 0; 1 for what is no base64url or too long; GENKAN_E_NOMEM. */
static int
decode(struct gk_control *c, const struct gk_control_frame *f,
    const struct member *m, struct gk_buf *ret)
{
	struct gk_buf scratch;
	struct gk_span s;
	int r;

	gk_buf_init(ret, c->ctx, m->max);
	gk_buf_init(&scratch, c->ctx, f->object.len);
	s = gk_control_text(f, m->name, &scratch);
	r = s.ptr == NULL ? GENKAN_E_NOMEM :
	    gk_b64_put_decoded(ret, GK_B64_URL, s.ptr, s.len);
	gk_buf_done(&scratch);
	return r == 0 || r == GENKAN_E_NOMEM ? r : 1;
}

/*
 * All of them, in their order: GK_REFUSAL_NONE, or the refusal and what it is
 * about.
 */
static enum gk_refusal_id
decode_all(struct gk_control *c, const struct gk_control_frame *f,
    const struct member *m, size_t n, struct bytes *ret, const char **detail)
{
	int r;

	ret->n = 0;
	while (ret->n < n) {
		r = decode(c, f, &m[ret->n], &ret->buf[ret->n]);
		ret->n++;
		if (r == 0)
			continue;
		*detail = r > 0 ? m[ret->n - 1].name : gk_err_text(r);
		return r > 0 ? GK_REFUSAL_ENCODING : GK_REFUSAL_IO_ERROR;
	}
	return GK_REFUSAL_NONE;
}

/* What a verifier or an act could not do for a reason of its own. */
static enum gk_refusal_id
verdict(int r, enum gk_refusal_id refusal, const char **detail)
{
	if (r >= 0)
		return refusal;
	*detail = gk_err_text(r);
	return GK_REFUSAL_IO_ERROR;
}

/* -------------------------------------------------------------------- taps */

static const struct member assertion[NBYTES] = {
	{ "credential_id", GK_CREDENTIAL_ID_MAX },
	{ "authenticator_data", GK_AUTHDATA_MAX },
	{ "client_data_json", GK_CLIENT_DATA_MAX },
	{ "signature", GK_ASSERTION_SIG_MAX },
};

/* 7.5 up to the signature; then the counter waits to be written. */
static enum gk_refusal_id
verify(struct gk_control *c, const struct gk_control_slot *slot,
    const struct bytes *b, struct gk_trust_view *view, const char **detail)
{
	const struct gk_enrollment *e = NULL;
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_credential counted;
	struct gk_assertion a;
	struct gk_rp rp;
	int r;

	a.id = gk_buf_span(&b->buf[0]);
	a.authdata = gk_buf_span(&b->buf[1]);
	a.client_data = gk_buf_span(&b->buf[2]);
	a.signature = gk_buf_span(&b->buf[3]);
	gk_control_look(c, view);
	if (view->state == GK_TRUST_UNREADABLE) {
		*detail = view->why;
		return GK_REFUSAL_STORE_ERROR;
	}
	r = gk_webauthn_find(view->rec, a.id, gk_control_set_label(c,
	    slot->rule), &e, &refusal);
	if (r != 0)
		return refusal;
	gk_rp_of_extension(&rp);
	memset(&counted, 0, sizeof(counted));
	r = gk_webauthn_assert(c->ctx, &rp, slot->challenge, &a,
	    e->public_key, e->sign_count, e->backup_eligible,
	    &counted.sign_count, &refusal);
	if (r != 0)
		return verdict(r, refusal, detail);
	memcpy(counted.id, e->id, e->idlen);
	counted.idlen = e->idlen;
	memcpy(counted.public_key, e->public_key, sizeof(counted.public_key));
	gk_act_count(&c->act.act, c->ctx, e->label, &counted);
	return GK_REFUSAL_NONE;
}

void
gk_control_tap(struct gk_control *c, struct gk_control_slot *slot,
    const struct gk_control_frame *f)
{
	struct gk_trust_view view;
	const char *detail = NULL;
	enum gk_refusal_id refusal;
	struct bytes b;

	refusal = decode_all(c, f, assertion, NBYTES, &b, &detail);
	if (refusal == GK_REFUSAL_NONE)
		refusal = verify(c, slot, &b, &view, &detail);
	bytes_done(&b);
	if (refusal != GK_REFUSAL_NONE) {
		gk_control_refuse(c, slot, refusal, detail);
		return;
	}
	c->tapped = *slot;
	memset(slot, 0, sizeof(*slot));
	gk_control_act_start(c, GK_TAG_PRESENCE_ASSERT, NULL);
}

/* The counter is on disk, or is not; only now there is a proof. */
void
gk_control_counted(struct gk_control *c, int r, const char *why)
{
	enum gk_refusal_id refusal = c->act.act.refusal;
	struct gk_control_slot slot = c->tapped;
	struct gk_presence *proof = NULL;

	memset(&c->tapped, 0, sizeof(c->tapped));
	if (r < 0 && refusal != GK_REFUSAL_NONE) {
		gk_control_refuse(c, &slot, refusal, NULL);
	} else if (r < 0) {
		gk_control_refuse(c, &slot, GK_REFUSAL_STORE_ERROR, why);
	} else if ((r = gk_presence_tapped(c->ctx, &c->act.act,
	    &proof)) < 0) {
		gk_control_refuse(c, &slot, GK_REFUSAL_IO_ERROR,
		    gk_err_text(r));
	} else {
		gk_control_grant(c, &slot, proof);
	}
}

/* -------------------------------------------------------------- enrollment */

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

static void
enroll_begin(struct gk_control *c)
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

static const struct member registration[] = {
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
    const struct bytes *b, struct gk_credential *ret, const char **detail)
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
	return verdict(r, refusal, detail);
}

static void
enroll_finish(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_control_enroll e = c->enroll;
	struct gk_credential credential;
	const char *detail = NULL;
	enum gk_refusal_id refusal;
	struct bytes b;

	/* Emptied, whatever the outcome. */
	memset(&c->enroll, 0, sizeof(c->enroll));
	if (!e.full || gk_now(c->ctx) >= e.expires) {
		enroll_empty(&e);
		enroll_refuse(c, GK_REFUSAL_NO_ENROLLMENT_OUTSTANDING, NULL);
		return;
	}
	refusal = decode_all(c, f, registration, GK_ARRAY_LEN(registration),
	    &b, &detail);
	/* First use stands for a click, and a click needs its parent now. */
	if (refusal == GK_REFUSAL_NONE && e.proof == NULL &&
	    !gk_control_parent(c))
		refusal = GK_REFUSAL_SOFTWARE_CONFIRMATION_NOT_ALLOWED;
	if (refusal == GK_REFUSAL_NONE)
		refusal = verify_registration(c, &e, &b, &credential,
		    &detail);
	bytes_done(&b);
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

/* ---------------------------------------------------------------- dispatch */

void
gk_control_webauthn(struct gk_control *c, const struct gk_control_frame *f)
{
	switch (f->tag) {
	case GK_TAG_ENROLL_BEGIN:
		enroll_begin(c);
		break;
	case GK_TAG_ENROLL_FINISH:
		enroll_finish(c, f);
		break;
	case GK_TAG_PRESENCE_BEGIN:
		gk_control_presence_begin(c, f);
		break;
	case GK_TAG_PRESENCE_ASSERT:
	case GK_TAG_PRESENCE_CONFIRM:
		gk_control_presence_answer(c, f);
		break;
	default:
		gk_control_browser_revoke(c);
		break;
	}
}
