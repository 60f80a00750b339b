/*
 * The acts that take a proof (control 6.2): the one table of who may answer
 * for them and what a proof then starts, and the frames that ask.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/str.h"

static gk_control_grant_fn grant_release, grant_pair, grant_page;

/* A rule that takes no window has no command either: 6.2. */
static const struct gk_control_rule rules[] = {
	{ GK_TAG_KILL_RELEASE, GK_CONTROL_OWN, true, "unkill",
	    grant_release },
	{ GK_TAG_CLIENT_PAIR, GK_CONTROL_OWN, true, "pair-client",
	    grant_pair },
	{ GK_TAG_POLICY_SET, GK_CONTROL_OWN, true, "policy set",
	    gk_control_grant_policy },
	{ GK_TAG_POLICY_ROLLBACK, GK_CONTROL_OWN, true, "policy rollback",
	    gk_control_grant_policy },
	{ GK_TAG_PRESENCE_BEGIN, GK_CONTROL_OWN, true, NULL, grant_page },
	{ GK_TAG_ENROLL_BEGIN, GK_CONTROL_ANY, false, NULL,
	    gk_control_grant_enroll },
};

const struct gk_control_rule *
gk_control_rule(int tag)
{
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(rules); i++)
		if (rules[i].tag == tag)
			return &rules[i];
	return NULL;
}

/* ------------------------------------------------------------ kill switch */

void
gk_control_kill_release(struct gk_control *c)
{
	struct gk_control_slot next = { 0 };
	struct gk_trust_view view;
	struct gk_action action;
	char why[2 * GK_WHY_FULL];
	int r;

	gk_control_slot_empty(c);
	gk_control_look(c, &view);
	r = gk_act_check_unkill(&view, &next.kill_epoch, why, sizeof(why));
	if (r < 0) {
		gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT, why);
	} else if (r > 0) {
		gk_control_push_kill(c, &view);
	} else {
		(void)gk_action_release(&action);
		(void)gk_control_ask(c, GK_TAG_KILL_RELEASE, &view, &action,
		    &next);
	}
}

static void
grant_release(struct gk_control *c, struct gk_control_slot *slot,
    struct gk_presence *proof)
{
	gk_act_unkill(&c->act.act, c->ctx, proof, slot->kill_epoch);
	gk_control_act_start(c, GK_TAG_KILL_RELEASE, proof);
}

/* ----------------------------------------------------------------- clients */

/* The client of a frame whose types are right; its values are judged here. */
static const char *
read_client(struct gk_control *c, const struct gk_control_frame *f,
    struct gk_client *ret)
{
	struct gk_control_frame anchor = *f;
	const char *why = NULL;
	struct gk_buf name, kind, value;
	struct gk_member m;
	struct gk_scan scan;
	struct gk_span s, k, v;

	memset(ret, 0, sizeof(*ret));
	gk_buf_init(&name, c->ctx, f->object.len);
	gk_buf_init(&kind, c->ctx, f->object.len);
	gk_buf_init(&value, c->ctx, f->object.len);
	gk_scan_object(f->object, NULL, 0, &scan);
	if (gk_scan_find(&scan, "anchor", &m))
		anchor.object = m.value;
	s = gk_control_text(f, "name", &name);
	k = gk_control_text(&anchor, "kind", &kind);
	v = gk_control_text(&anchor, "value", &value);
	if (s.ptr == NULL || !gk_str_is_label(s.ptr, s.len) ||
	    !gk_str_copy(ret->name, sizeof(ret->name), s.ptr, s.len))
		why = "the name is no label";
	else if (k.ptr == NULL || v.ptr == NULL ||
	    !gk_anchor_kind_parse(k.ptr, k.len, &ret->anchor.kind) ||
	    !gk_anchor_is_valid(ret->anchor.kind, v.ptr, v.len) ||
	    !gk_str_copy(ret->anchor.value, sizeof(ret->anchor.value), v.ptr,
	    v.len))
		why = "the anchor is not valid";
	gk_buf_done(&name);
	gk_buf_done(&kind);
	gk_buf_done(&value);
	return why;
}

void
gk_control_client_pair(struct gk_control *c,
    const struct gk_control_frame *f)
{
	struct gk_control_slot next = { 0 };
	struct gk_trust_view view;
	struct gk_action action;
	char why[GK_WHY_FULL];
	const char *bad;

	gk_control_slot_empty(c);
	bad = read_client(c, f, &next.client);
	gk_control_look(c, &view);
	if (bad == NULL && gk_act_check_pair(&view, &next.client, why,
	    sizeof(why)) < 0)
		bad = why;
	if (bad == NULL && gk_action_pair(&action, &next.client) < 0)
		bad = "the text of the request would be too long";
	if (bad != NULL)
		gk_answer_error(c, GK_TAG_CLIENT_PAIR_RESULT, bad);
	else
		(void)gk_control_ask(c, GK_TAG_CLIENT_PAIR, &view, &action,
		    &next);
}

static void
grant_pair(struct gk_control *c, struct gk_control_slot *slot,
    struct gk_presence *proof)
{
	if (c->store->unix_time != NULL)
		slot->client.added_unix = c->store->unix_time(c->store->user);
	gk_act_pair(&c->act.act, c->ctx, proof, &slot->client);
	gk_control_act_start(c, GK_TAG_CLIENT_PAIR, proof);
}

/* ---------------------------------------------------------- page_eval, ... */

static const char *const ops[] = { "page_eval", "page_upload" };

/* The two values of a frame, judged: GK_REFUSAL_NONE and next filled. */
static enum gk_refusal_id
read_op(struct gk_control *c, const struct gk_control_frame *f,
    struct gk_control_slot *next)
{
	enum gk_refusal_id bad = GK_REFUSAL_NONE;
	struct gk_buf action, origin;
	struct gk_span a, o;
	size_t i;

	gk_buf_init(&action, c->ctx, f->object.len);
	gk_buf_init(&origin, c->ctx, f->object.len);
	a = gk_control_text(f, "action", &action);
	o = gk_control_text(f, "origin", &origin);
	for (i = 0; i < GK_ARRAY_LEN(ops); i++)
		if (gk_span_is(a, ops[i]))
			next->op = ops[i];
	if (next->op == NULL)
		bad = GK_REFUSAL_INVALID_ACTION;
	else if (!gk_url_is_origin(o.ptr, o.len) || !gk_str_copy(next->origin,
	    sizeof(next->origin), o.ptr, o.len))
		bad = GK_REFUSAL_INVALID_ORIGIN;
	gk_buf_done(&action);
	gk_buf_done(&origin);
	return bad;
}

void
gk_control_presence_begin(struct gk_control *c,
    const struct gk_control_frame *f)
{
	struct gk_control_slot next = { 0 };
	const char *detail = NULL;
	enum gk_refusal_id bad;
	struct gk_trust_view view;
	struct gk_action action;

	bad = read_op(c, f, &next);
	gk_control_look(c, &view);
	if (bad == GK_REFUSAL_NONE && view.state == GK_TRUST_UNREADABLE) {
		bad = GK_REFUSAL_STORE_ERROR;
		detail = view.why;
	}
	if (bad == GK_REFUSAL_NONE && gk_action_page(&action, next.op,
	    gk_span_str(next.origin)) < 0)
		bad = GK_REFUSAL_INVALID_ORIGIN;
	if (bad != GK_REFUSAL_NONE)
		gk_answer_reason(c, GK_TAG_PRESENCE_RESULT, bad, detail);
	else
		(void)gk_control_ask(c, GK_TAG_PRESENCE_BEGIN, &view, &action,
		    &next);
}

/* The act is the extension's; the proof has paid for it once it says ok. */
static void
grant_page(struct gk_control *c, struct gk_control_slot *slot,
    struct gk_presence *proof)
{
	(void)slot;
	(void)gk_presence_use(proof);
	gk_answer_ok(c, GK_TAG_PRESENCE_RESULT);
	gk_presence_free(proof);
}
