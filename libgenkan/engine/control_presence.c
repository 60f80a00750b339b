/*
 * The presence slot of a connection (control 6.2, 6.5): an act is asked for,
 * the page shows what it is, and a tap on an authenticator answers, or a click
 * where no credential can answer and a browser started the host.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codec/b64.h"

/* Frees what the slot owns; whoever fills it adds its part here. */
void
gk_control_slot_done(struct gk_control_slot *slot)
{
	gk_policy_plan_free(slot->plan);
	gk_wipe(slot->nonce, sizeof(slot->nonce));
	memset(slot, 0, sizeof(*slot));
}

void
gk_control_slot_empty(struct gk_control *c)
{
	gk_control_slot_done(&c->slot);
}

bool
gk_control_parent(const struct gk_control *c)
{
	return c->parent_is_browser && (c->parent_still == NULL ||
	    c->parent_still(c->parent_user));
}

/* ------------------------------------------------------------------ asking */

const char *
gk_control_set_label(const struct gk_control *c, const struct gk_control_rule *rule)
{
	return rule->set == GK_CONTROL_OWN ? c->label : NULL;
}

int
gk_control_put_ids(struct gk_buf *b, const char *member,
    const struct gk_trustrec *rec, const char *label)
{
	const struct gk_enrollment *e;
	bool first = true;
	size_t i;
	int r;

	r = gk_json_put_key(b, member);
	if (r == 0)
		r = gk_buf_putc(b, '[');
	for (i = 0; r == 0 && i < rec->nenrollments; i++) {
		e = &rec->enrollment[i];
		if (label != NULL && strcmp(e->label, label) != 0)
			continue;
		r = gk_buf_puts(b, first ? "\"" : ",\"");
		if (r == 0)
			r = gk_b64_put(b, GK_B64_URL, e->id, e->idlen);
		if (r == 0)
			r = gk_buf_putc(b, '"');
		first = false;
	}
	return r == 0 ? gk_buf_putc(b, ']') : r;
}

static int
put_request(struct gk_control *c, const struct gk_trust_view *view,
    const struct gk_action *action, struct gk_buf *b)
{
	const struct gk_control_slot *slot = &c->slot;
	int r;

	r = gk_json_put_str_member(b, "challenge", slot->challenge,
	    strlen(slot->challenge));
	if (r == 0)
		r = gk_json_put_str_member(b, "nonce", slot->nonce,
		    strlen(slot->nonce));
	if (r == 0)
		r = gk_json_put_str_member(b, "action", action->text,
		    strlen(action->text));
	return r == 0 ? gk_control_put_ids(b, "allowed_credential_ids",
	    view->rec, gk_control_set_label(c, slot->rule)) : r;
}

/* The act's own result, for what is wrong with us and not with the act. */
static void
fail(struct gk_control *c, int tag, int r)
{
	const struct gk_tag_row *row = gk_schema_frame(tag);

	if (row->form == GK_BAD_REASON)
		gk_answer_reason(c, row->bad, GK_REFUSAL_IO_ERROR,
		    gk_err_text(r));
	else
		gk_answer_error(c, row->bad, gk_err_text(r));
}

bool
gk_control_ask(struct gk_control *c, int tag, const struct gk_trust_view *view,
    const struct gk_action *action, struct gk_control_slot *next)
{
	struct gk_answer a;
	int r;

	next->rule = gk_control_rule(tag);
	next->expires = gk_clock_after(c->ctx, GK_PRESENCE_MS);
	r = gk_nonce_make(c->ctx, next->nonce);
	if (r == 0)
		r = gk_challenge(c->ctx, GK_CEREMONY_PRESENCE, c->label,
		    gk_span_str(action->text), gk_span_str(next->nonce),
		    next->challenge);
	if (r < 0) {
		gk_control_slot_done(next);
		fail(c, tag, r);
		return false;
	}
	gk_control_slot_empty(c);
	c->slot = *next;
	gk_answer_open(&a, c, GK_TAG_PRESENCE_REQUEST);
	gk_answer_send(&a, put_request(c, view, action, &a.buf));
	return true;
}

/* --------------------------------------------------------------- answering */

/* path: NULL where it was refused. */
static void
audit(struct gk_control *c, const struct gk_control_slot *slot,
    enum gk_refusal_id refusal, const char *path)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	char detail[GK_ORIGIN_MAX + GK_PRESENCE_PATH_MAX + 64];

	(void)snprintf(detail, sizeof(detail), "act=%s%s%s; auth=%s",
	    slot->op != NULL ? slot->op :
	    gk_schema_frame(slot->rule->tag)->tag,
	    slot->origin[0] != '\0' ? "; origin=" : "", slot->origin,
	    path != NULL ? path : "none");
	rec.kind = "presence_assert";
	rec.surface = "extension";
	rec.outcome = path != NULL ? "ok" : "refused";
	if (path == NULL)
		rec.code = gk_schema_refusal((int)refusal)->wire;
	rec.detail = detail;
	gk_control_audit(c, &rec);
}

void
gk_control_refuse(struct gk_control *c, struct gk_control_slot *slot,
    enum gk_refusal_id refusal, const char *detail)
{
	gk_answer_reason(c, GK_TAG_PRESENCE_RESULT, refusal, detail);
	audit(c, slot, refusal, NULL);
	gk_control_slot_done(slot);
}

void
gk_control_grant(struct gk_control *c, struct gk_control_slot *slot,
    struct gk_presence *proof)
{
	audit(c, slot, GK_REFUSAL_NONE, gk_presence_path(proof));
	slot->rule->grant(c, slot, proof);
	gk_control_slot_done(slot);
}

static void
confirm(struct gk_control *c, struct gk_control_slot *slot,
    const struct gk_control_frame *f)
{
	const struct gk_control_rule *rule = slot->rule;
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_presence *proof = NULL;
	struct gk_presence_click click;
	struct gk_trust_view view;
	struct gk_buf scratch;
	char detail[128] = "";

	gk_buf_init(&scratch, c->ctx, f->object.len);
	gk_control_look(c, &view);
	click.nonce = gk_control_text(f, "nonce", &scratch);
	click.expected = gk_span_str(slot->nonce);
	click.view = &view;
	click.label = gk_control_set_label(c, rule);
	click.allowed = rule->window && gk_control_parent(c);
	(void)gk_presence_clicked(c->ctx, &click, &proof, &refusal);
	gk_buf_done(&scratch);
	if (proof != NULL) {
		gk_control_grant(c, slot, proof);
		return;
	}
	if (refusal == GK_REFUSAL_SOFTWARE_CONFIRMATION_NOT_ALLOWED &&
	    rule->command != NULL)
		(void)snprintf(detail, sizeof(detail), "use `genkan %s` at a "
		    "terminal", rule->command);
	gk_control_refuse(c, slot, refusal, detail[0] != '\0' ? detail :
	    refusal == GK_REFUSAL_STORE_ERROR ? view.why : NULL);
}

void
gk_control_presence_answer(struct gk_control *c,
    const struct gk_control_frame *f)
{
	struct gk_control_slot slot = c->slot;

	/* Emptied, whatever the outcome. */
	memset(&c->slot, 0, sizeof(c->slot));
	if (slot.rule == NULL || gk_now(c->ctx) >= slot.expires) {
		gk_control_slot_done(&slot);
		gk_answer_reason(c, GK_TAG_PRESENCE_RESULT,
		    GK_REFUSAL_NO_REQUEST_OUTSTANDING, NULL);
	} else if (f->tag == GK_TAG_PRESENCE_CONFIRM) {
		confirm(c, &slot, f);
	} else {
		gk_control_tap(c, &slot, f);
	}
}
