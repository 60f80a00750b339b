/* Classification, dispatch and the way out: control 2.1, 2.2, 2.8. */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "engine/shape.h"

void
gk_control_init(struct gk_control *c, struct genkan_ctx *ctx,
    const struct gk_store *store, struct gk_outq *out, const char *label)
{
	memset(c, 0, sizeof(*c));
	c->ctx = ctx;
	c->store = store;
	c->out = out;
	if (label == NULL || label[0] == '\0')
		label = gk_schema_ident(GK_IDENT_DEFAULT_LABEL);
	(void)gk_str_copy(c->label, sizeof(c->label), label, strlen(label));
	c->last = &c->first;
	gk_control_asks_init(c);
}

static struct gk_control_waiting *
take_waiting(struct gk_control *c)
{
	struct gk_control_waiting *w = c->first;

	if (w == NULL)
		return NULL;
	c->first = w->next;
	if (c->first == NULL)
		c->last = &c->first;
	c->nwaiting--;
	c->waiting_bytes -= w->frame.object.len;
	return w;
}

void
gk_control_done(struct gk_control *c)
{
	struct gk_control_waiting *w;

	if (c->ctx == NULL)
		return;
	while ((w = take_waiting(c)) != NULL)
		gk_free(c->ctx, w);
	gk_control_asks_done(c);
	gk_presence_free(c->act.proof);
	c->act.proof = NULL;
	gk_control_slot_empty(c);
	gk_control_write_drop(c);
	gk_control_slot_done(&c->tapped);
	gk_control_enroll_drop(c);
	gk_trust_cache_done(&c->trust);
	gk_policy_cache_done(&c->policy);
}

void
gk_control_look(struct gk_control *c, struct gk_trust_view *ret)
{
	gk_trust_look(c->ctx, c->store, &c->trust, ret);
}

enum gk_kill
gk_control_latch(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	return view.kill;
}

void
gk_control_audit(struct gk_control *c, const struct gk_audit *rec)
{
	gk_store_audit(c->store, rec);
}

/* ----------------------------------------------------------------- answers */

void
gk_answer_open(struct gk_answer *a, struct gk_control *c, int tag)
{
	const struct gk_tag_row *row = gk_schema_frame(tag);

	a->c = c;
	a->tag = tag;
	gk_buf_init(&a->buf, c->ctx, GK_NATIVE_OUT_MAX);
	/* What comes next may have the memory that this had not. */
	a->r = gk_buf_putc(&a->buf, '{');
	if (a->r == 0)
		a->r = gk_json_put_str_member(&a->buf, "type", row->tag,
		    strlen(row->tag));
}

void
gk_answer_send(struct gk_answer *a, int r)
{
	struct gk_control *c = a->c;

	if (a->r < 0)
		r = a->r;
	if (r == 0)
		r = gk_buf_putc(&a->buf, '}');
	if (r == 0 && c->out == NULL)
		r = GENKAN_E_CLOSED;
	if (r == 0)
		r = gk_nm_send(c->out, gk_buf_span(&a->buf));
	if (r < 0) {
		gk_log(c->ctx, GK_LOG_ERROR, GK_CONTROL_TAG,
		    "answer-lost", "%s could not be sent: %s",
		    gk_schema_frame(a->tag)->tag, gk_err_text(r));
		c->failed = c->failed || c->out != NULL;
	}
	gk_buf_done(&a->buf);
}

void
gk_answer_ok(struct gk_control *c, int tag)
{
	struct gk_answer a;

	gk_answer_open(&a, c, tag);
	gk_answer_send(&a, gk_json_put_bool_member(&a.buf, "ok", true));
}

static void
answer_not_ok(struct gk_control *c, int tag, const char *member,
    const char *text)
{
	struct gk_answer a;
	int r;

	gk_answer_open(&a, c, tag);
	r = gk_json_put_bool_member(&a.buf, "ok", false);
	if (r == 0)
		r = gk_json_put_str_member(&a.buf, member, text,
		    strlen(text));
	gk_answer_send(&a, r);
}

void
gk_answer_error(struct gk_control *c, int tag, const char *text)
{
	answer_not_ok(c, tag, "error", text);
}

void
gk_answer_reason(struct gk_control *c, int tag, enum gk_refusal_id code,
    const char *detail)
{
	const struct gk_refusal_row *row = gk_schema_refusal((int)code);
	char text[GK_WHY_FULL + 64];

	(void)snprintf(text, sizeof(text), "%s%s%s", row->wire,
	    detail != NULL ? ": " : "", detail != NULL ? detail : "");
	answer_not_ok(c, tag, "reason", text);
}

struct gk_span
gk_control_text(const struct gk_control_frame *f, const char *name,
    struct gk_buf *scratch)
{
	struct gk_scan scan;
	struct gk_member m;
	struct gk_span s;

	gk_scan_object(f->object, NULL, 0, &scan);
	if (!gk_scan_find(&scan, name, &m) || m.type != GK_J_STRING ||
	    gk_jstr_text(&m, scratch, &s) < 0)
		return gk_span(NULL, 0);
	return s;
}

/* ---------------------------------------------------------- classification */

int
gk_control_tag(const struct gk_scan *scan)
{
	const struct gk_tag_row *row;
	struct gk_member type;
	size_t n, i;

	if (!gk_scan_find(scan, "type", &type) || type.type != GK_J_STRING)
		return GK_TAG_NONE;
	if (!type.escaped)
		return gk_schema_frame_find(type.value.ptr + 1,
		    type.value.len - 2);
	/* Spelled with escapes, it is still the same text. */
	row = gk_schema_frames(&n);
	for (i = 0; i < n; i++)
		if (gk_jstr_is(&type, row[i].tag))
			return (int)i;
	return GK_TAG_NONE;
}

void
gk_control_classify(struct genkan_ctx *ctx, const struct gk_scan *scan,
    struct gk_control_frame *ret)
{
	const struct gk_tag_row *row;
	struct gk_shape_why why = { NULL, NULL };

	memset(ret, 0, sizeof(*ret));
	ret->object = scan->text;
	ret->tag = gk_control_tag(scan);
	ret->verdict = GK_CONTROL_FORWARD;
	if (ret->tag == GK_TAG_NONE)
		return;
	row = gk_schema_frame(ret->tag);
	ret->verdict = GK_CONTROL_MALFORMED;
	if (row->dir != 'B') {
		(void)snprintf(ret->why, sizeof(ret->why), "%s is malformed: "
		    "only a host sends it", row->tag);
		return;
	}
	if (!gk_shape_fits(ctx, scan->text, row->members, false, "type",
	    &why)) {
		(void)snprintf(ret->why, sizeof(ret->why), "%s is malformed: "
		    "%s %s", row->tag, why.member, why.text);
		return;
	}
	ret->verdict = GK_CONTROL_HANDLE;
}

/* ---------------------------------------------------------------- dispatch */

static void
answer_malformed(struct gk_control *c, const struct gk_control_frame *f)
{
	const struct gk_tag_row *row = gk_schema_frame(f->tag);
	struct gk_answer a;
	int r;

	gk_log(c->ctx, GK_LOG_WARN, GK_CONTROL_TAG, "malformed", "%s", f->why);
	switch (row->form) {
	case GK_BAD_DROP:
		break;
	case GK_BAD_ERROR:
		gk_answer_error(c, row->bad, f->why);
		break;
	case GK_BAD_REASON:
		answer_not_ok(c, row->bad, "reason", f->why);
		break;
	case GK_BAD_CLIENTS:
		gk_answer_open(&a, c, row->bad);
		r = gk_buf_puts(&a.buf,
		    ",\"ok\":false,\"enrolled\":false,\"clients\":[]");
		if (r == 0)
			r = gk_json_put_str_member(&a.buf, "error", f->why,
			    strlen(f->why));
		gk_answer_send(&a, r);
		break;
	case GK_BAD_CHALLENGE:
		gk_answer_open(&a, c, row->bad);
		gk_answer_send(&a, gk_buf_puts(&a.buf,
		    ",\"reason\":\"invalid_challenge\""));
		break;
	case GK_BAD_LANG:
		gk_control_push_lang(c);
		break;
	}
}

static void
handle(struct gk_control *c, const struct gk_control_frame *f)
{
	switch (f->tag) {
	case GK_TAG_KILL_STATUS:
		gk_control_kill_status(c);
		break;
	case GK_TAG_KILL_ENGAGE:
		gk_control_kill_engage(c);
		break;
	case GK_TAG_KILL_RELEASE:
		gk_control_kill_release(c);
		break;
	case GK_TAG_POLICY_GET:
		gk_control_push_policy(c);
		break;
	case GK_TAG_POLICY_HISTORY:
		gk_control_policy_history(c);
		break;
	case GK_TAG_POLICY_RESTRICT:
		gk_control_policy_restrict(c, f);
		break;
	case GK_TAG_POLICY_SET:
		gk_control_policy_set(c, f);
		break;
	case GK_TAG_POLICY_ROLLBACK:
		gk_control_policy_rollback(c, f);
		break;
	case GK_TAG_LANG_GET:
		gk_control_push_lang(c);
		break;
	case GK_TAG_LANG_SET:
		gk_control_lang_set(c, f);
		break;
	case GK_TAG_ENCLAVE_CHALLENGE:
		gk_control_challenge(c, f);
		break;
	case GK_TAG_ENCLAVE_REVOKE:
		gk_control_revoke(c);
		break;
	case GK_TAG_CLIENT_LIST:
		gk_control_client_list(c);
		break;
	case GK_TAG_CLIENT_REVOKE:
		gk_control_client_revoke(c, f);
		break;
	case GK_TAG_CLIENT_PAIR:
		gk_control_client_pair(c, f);
		break;
	case GK_TAG_AUDIT_READ:
		gk_control_audit_read(c, f);
		break;
	case GK_TAG_AUDIT_EVENT:
		gk_control_audit_event(c, f);
		break;
	case GK_TAG_DOCTOR_REPORT:
	case GK_TAG_REGISTRATION_STATUS:
	case GK_TAG_REGISTRATION_REPAIR:
		gk_control_look_up(c, f);
		break;
	case GK_TAG_ENROLL_BEGIN:
	case GK_TAG_ENROLL_FINISH:
	case GK_TAG_PRESENCE_BEGIN:
	case GK_TAG_PRESENCE_ASSERT:
	case GK_TAG_PRESENCE_CONFIRM:
	case GK_TAG_BROWSER_REVOKE:
		gk_control_webauthn(c, f);
		break;
	default:	/* what only a host sends is malformed */
		break;
	}
}

static void
answer(struct gk_control *c, const struct gk_control_frame *f)
{
	if (f->verdict == GK_CONTROL_HANDLE)
		handle(c, f);
	else if (f->verdict == GK_CONTROL_MALFORMED)
		answer_malformed(c, f);
}

static void
wait_behind(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_control_waiting *w;
	char *bytes;

	w = gk_malloc(c->ctx, sizeof(*w) + f->object.len);
	if (w == NULL) {
		gk_log(c->ctx, GK_LOG_ERROR, GK_CONTROL_TAG, "answer-lost",
		    "%s could not wait: %s", gk_schema_frame(f->tag)->tag,
		    gk_err_text(GENKAN_E_NOMEM));
		return;
	}
	bytes = (char *)(w + 1);
	memcpy(bytes, f->object.ptr, f->object.len);
	w->next = NULL;
	w->frame = *f;
	w->frame.object.ptr = bytes;
	*c->last = w;
	c->last = &w->next;
	c->nwaiting++;
	c->waiting_bytes += f->object.len;
}

void
gk_control_answer(struct gk_control *c, const struct gk_control_frame *f)
{
	bool overtakes = f->verdict == GK_CONTROL_HANDLE &&
	    f->tag == GK_TAG_KILL_ENGAGE;

	if (gk_control_busy(c) && !overtakes)
		wait_behind(c, f);
	else
		answer(c, f);
}

bool
gk_control_busy(const struct gk_control *c)
{
	return c->kill.pending || c->act.wait.pending ||
	    gk_control_writing(c) || c->query.pending ||
	    c->key.pending;
}

bool
gk_control_full(const struct gk_control *c)
{
	return c->nwaiting >= GK_CONTROL_QUEUE ||
	    c->waiting_bytes >= GK_CONTROL_QUEUE_BYTES;
}

void
gk_control_resume(struct gk_control *c)
{
	struct gk_control_waiting *w;

	while (!gk_control_busy(c) && (w = take_waiting(c)) != NULL) {
		answer(c, &w->frame);
		gk_free(c->ctx, w);
	}
}
