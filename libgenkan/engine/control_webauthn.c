/*
 * Taps: what an authenticator answers is verified and acted on here (control
 * 6.5, 7.5); what it enrolls is in control_enroll.c.
 */
#include "engine/control_bytes.h"

/* -------------------------------------------------------------------- taps */

static const struct gk_control_member assertion[GK_CONTROL_BYTES] = {
	{ "credential_id", GK_CREDENTIAL_ID_MAX },
	{ "authenticator_data", GK_AUTHDATA_MAX },
	{ "client_data_json", GK_CLIENT_DATA_MAX },
	{ "signature", GK_ASSERTION_SIG_MAX },
};

/* 7.5 up to the signature; then the counter waits to be written. */
static enum gk_refusal_id
verify(struct gk_control *c, const struct gk_control_slot *slot,
    const struct gk_control_bytes *b, struct gk_trust_view *view,
    const char **detail)
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
		return gk_control_verdict(r, refusal, detail);
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
	struct gk_control_bytes b;

	refusal = gk_control_bytes_get(c, f, assertion, GK_CONTROL_BYTES, &b,
	    &detail);
	if (refusal == GK_REFUSAL_NONE)
		refusal = verify(c, slot, &b, &view, &detail);
	gk_control_bytes_done(&b);
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

/* ---------------------------------------------------------------- dispatch */

void
gk_control_webauthn(struct gk_control *c, const struct gk_control_frame *f)
{
	switch (f->tag) {
	case GK_TAG_ENROLL_BEGIN:
		gk_control_enroll_begin(c);
		break;
	case GK_TAG_ENROLL_FINISH:
		gk_control_enroll_finish(c, f);
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
