/*
 * The presence slot of a connection (control 6.2, 6.5): an act is asked for,
 * the page shows what it is, and a click in its window answers where this
 * browser has no credential and was what started the host.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/str.h"
#include "codec/b64.h"
#include "crypto/digest.h"

static void
empty(struct gk_control *c)
{
	gk_wipe(c->slot.nonce, sizeof(c->slot.nonce));
	c->slot.full = false;
}

void
gk_control_slot_empty(struct gk_control *c)
{
	empty(c);
}

bool
gk_control_parent(const struct gk_control *c)
{
	return c->parent_is_browser && (c->parent_still == NULL ||
	    c->parent_still(c->parent_user));
}

/* ------------------------------------------------------------------ asking */

static int
put_nonce(struct gk_control *c)
{
	uint8_t raw[32];
	struct gk_buf b;
	int r;

	gk_buf_init(&b, c->ctx, sizeof(c->slot.nonce) - 1);
	r = gk_rng_bytes(c->ctx, raw, sizeof(raw));
	if (r == 0)
		r = gk_b64_put(&b, GK_B64_URL, raw, sizeof(raw));
	if (r == 0)
		(void)gk_str_copy(c->slot.nonce, sizeof(c->slot.nonce),
		    (const char *)b.ptr, b.len);
	gk_buf_done(&b);
	gk_wipe(raw, sizeof(raw));
	return r;
}

/* 7.1: what a key would sign, though none is asked. */
static int
put_challenge(struct gk_control *c, const char *action, struct gk_buf *to)
{
	const char *parts[] = { gk_schema_ident(GK_IDENT_DOMAIN_PRESENCE),
	    c->label, action, c->slot.nonce };
	uint8_t hash[GK_SHA256_LEN];
	struct gk_buf b;
	size_t i;
	int r = 0;

	gk_buf_init(&b, c->ctx, 4096);
	for (i = 0; r == 0 && i < GK_ARRAY_LEN(parts); i++) {
		if (i > 0)
			r = gk_buf_putc(&b, '\0');
		if (r == 0)
			r = gk_buf_puts(&b, parts[i]);
	}
	if (r == 0)
		r = gk_sha256(c->ctx, b.ptr, b.len, hash);
	if (r == 0)
		r = gk_b64_put(to, GK_B64_URL, hash, sizeof(hash));
	gk_buf_done(&b);
	return r;
}

static int
put_request(struct gk_control *c, const char *action, struct gk_buf *b)
{
	int r;

	r = gk_json_put_key(b, "challenge");
	if (r == 0)
		r = gk_buf_putc(b, '"');
	if (r == 0)
		r = put_challenge(c, action, b);
	if (r == 0)
		r = gk_buf_putc(b, '"');
	if (r == 0)
		r = gk_json_put_str_member(b, "nonce", c->slot.nonce,
		    strlen(c->slot.nonce));
	if (r == 0)
		r = gk_json_put_str_member(b, "action", action,
		    strlen(action));
	return r == 0 ? gk_buf_puts(b, ",\"allowed_credential_ids\":[]") : r;
}

static void
ask(struct gk_control *c, int tag, const char *action)
{
	struct gk_answer a;
	int r;

	r = put_nonce(c);
	if (r < 0) {
		gk_answer_error(c, gk_schema_frame(tag)->bad, gk_err_text(r));
		return;
	}
	c->slot.full = true;
	c->slot.tag = tag;
	c->slot.expires = gk_clock_after(c->ctx, GK_PRESENCE_MS);
	gk_answer_open(&a, c, GK_TAG_PRESENCE_REQUEST);
	gk_answer_send(&a, put_request(c, action, &a.buf));
}

/* What no version of the window may answer, and this one no key either. */
static bool
needs_key(struct gk_control *c, const struct gk_trust_view *view, int tag,
    const char *command)
{
	char why[256];

	if (!gk_presence_has_credential(view->rec, c->label))
		return false;
	(void)snprintf(why, sizeof(why), "this browser has a security key "
	    "enrolled, which this version of genkan cannot ask; use `genkan "
	    "%s` at a terminal", command);
	gk_answer_error(c, gk_schema_frame(tag)->bad, why);
	return true;
}

void
gk_control_kill_release(struct gk_control *c)
{
	char why[2 * GK_WHY_FULL];
	struct gk_trust_view view;
	int r;

	empty(c);
	gk_control_look(c, &view);
	r = gk_act_check_unkill(&view, &c->slot.kill_epoch, why, sizeof(why));
	if (r < 0)
		gk_answer_error(c, GK_TAG_KILL_STATUS_RESULT, why);
	else if (r > 0)
		gk_control_push_kill(c, &view);
	else if (!needs_key(c, &view, GK_TAG_KILL_RELEASE, "unkill"))
		ask(c, GK_TAG_KILL_RELEASE, "release the kill switch");
}

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
	const struct gk_client *client = &c->slot.client;
	char action[GK_ACTION_TEXT_MAX + 1], why[GK_WHY_FULL];
	struct gk_trust_view view;
	const char *bad;

	empty(c);
	bad = read_client(c, f, &c->slot.client);
	gk_control_look(c, &view);
	if (bad == NULL &&
	    gk_act_check_pair(&view, client, why, sizeof(why)) < 0)
		bad = why;
	if (bad != NULL) {
		gk_answer_error(c, GK_TAG_CLIENT_PAIR_RESULT, bad);
		return;
	}
	if (needs_key(c, &view, GK_TAG_CLIENT_PAIR, "pair-client"))
		return;
	(void)snprintf(action, sizeof(action), "trust client %s (%s %s)",
	    client->name, gk_anchor_kind_name(client->anchor.kind),
	    client->anchor.value);
	ask(c, GK_TAG_CLIENT_PAIR, action);
}

/* --------------------------------------------------------------- answering */

static void
audit(struct gk_control *c, int tag, enum gk_refusal_id refusal, bool ok)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	char detail[96];

	(void)snprintf(detail, sizeof(detail), "act=%s; auth=%s",
	    gk_schema_frame(tag)->tag, ok ? "confirm_window" : "none");
	rec.kind = "presence_assert";
	rec.surface = "extension";
	rec.outcome = ok ? "ok" : "refused";
	if (!ok)
		rec.code = gk_schema_refusal((int)refusal)->wire;
	rec.detail = detail;
	gk_control_audit(c, &rec);
}

static void
refuse(struct gk_control *c, int tag, enum gk_refusal_id refusal,
    const char *detail)
{
	gk_answer_reason(c, GK_TAG_PRESENCE_RESULT, refusal, detail);
	audit(c, tag, refusal, false);
}

static void
grant(struct gk_control *c, int tag, struct gk_presence *proof)
{
	struct gk_act *act = &c->act.act;

	audit(c, tag, GK_REFUSAL_NONE, true);
	if (tag == GK_TAG_KILL_RELEASE) {
		gk_act_unkill(act, c->ctx, proof, c->slot.kill_epoch);
	} else {
		if (c->store->unix_time != NULL)
			c->slot.client.added_unix =
			    c->store->unix_time(c->store->user);
		gk_act_pair(act, c->ctx, proof, &c->slot.client);
	}
	gk_control_act_start(c, tag, proof);
}

static void
confirm(struct gk_control *c, const struct gk_control_frame *f)
{
	const int tag = c->slot.tag;
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_presence *proof = NULL;
	struct gk_presence_click click;
	struct gk_trust_view view;
	struct gk_buf scratch;
	char detail[128] = "";

	gk_buf_init(&scratch, c->ctx, f->object.len);
	gk_control_look(c, &view);
	click.nonce = gk_control_text(f, "nonce", &scratch);
	click.expected = gk_span_str(c->slot.nonce);
	click.view = &view;
	click.label = c->label;
	click.parent_is_browser = gk_control_parent(c);
	(void)gk_presence_clicked(c->ctx, &click, &proof, &refusal);
	empty(c);
	gk_buf_done(&scratch);
	if (proof != NULL) {
		grant(c, tag, proof);
		return;
	}
	if (refusal == GK_REFUSAL_SOFTWARE_CONFIRMATION_NOT_ALLOWED)
		(void)snprintf(detail, sizeof(detail), "use `genkan %s` at a "
		    "terminal", tag == GK_TAG_KILL_RELEASE ? "unkill" :
		    "pair-client");
	refuse(c, tag, refusal, detail[0] != '\0' ? detail :
	    refusal == GK_REFUSAL_STORE_ERROR ? view.why : NULL);
}

void
gk_control_presence_answer(struct gk_control *c,
    const struct gk_control_frame *f)
{
	if (!c->slot.full || gk_now(c->ctx) >= c->slot.expires) {
		empty(c);
		gk_answer_reason(c, GK_TAG_PRESENCE_RESULT,
		    GK_REFUSAL_NO_REQUEST_OUTSTANDING, NULL);
		return;
	}
	if (f->tag == GK_TAG_PRESENCE_CONFIRM) {
		confirm(c, f);
		return;
	}
	/* No request of ours was for a key. */
	empty(c);
	refuse(c, c->slot.tag, GK_REFUSAL_CREDENTIAL_NOT_ENROLLED,
	    "this version of genkan checks no security keys");
}
