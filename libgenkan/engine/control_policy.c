/* Policy and language as they lie on disk: control 2.6. */
#include "engine/control_impl.h"

#include "codec/b64.h"
#include "trust/lang.h"

/* The only maker of a policy_current that is ok: baseline always, key id
 * never. */
static void
send_policy(struct gk_control *c, const struct gk_policyrec *rec)
{
	struct gk_answer a;
	int r;

	gk_answer_open(&a, c, GK_TAG_POLICY_CURRENT);
	r = gk_json_put_bool_member(&a.buf, "ok", true);
	if (r == 0)
		r = gk_b64_put_member(&a.buf, GK_B64_STD, "baseline",
		    rec->doc_bytes, rec->doc_len);
	if (r == 0 && rec->is_signed)
		r = gk_b64_put_member(&a.buf, GK_B64_STD, "sig",
		    rec->sig, sizeof(rec->sig));
	if (r == 0 && rec->overlay.has != 0) {
		r = gk_json_put_key(&a.buf, "overlay");
		if (r == 0)
			r = gk_overlay_format(&rec->overlay, &a.buf);
	}
	gk_answer_send(&a, r);
}

void
gk_control_push_policy(struct gk_control *c)
{
	struct gk_policy_view view;

	gk_policy_look(c->ctx, c->store, &c->policy, &view);
	switch (view.state) {
	case GK_POLICY_PRESENT:
		send_policy(c, view.rec);
		break;
	case GK_POLICY_ABSENT:
		gk_answer_error(c, GK_TAG_POLICY_CURRENT,
		    "no policy has been set on this machine yet");
		break;
	case GK_POLICY_KEPT:
		gk_answer_error(c, GK_TAG_POLICY_CURRENT, "the policy has no "
		    "baseline: only the disabled tools of an earlier one are "
		    "kept");
		break;
	case GK_POLICY_UNREADABLE:
		gk_answer_error(c, GK_TAG_POLICY_CURRENT, view.why);
		break;
	}
}

/* ----------------------------------------------------------------- history */

static int
put_held(struct gk_buf *b, const struct gk_policyrec *held)
{
	int r;

	if ((r = gk_json_put_key(b, "held")) < 0 ||
	    (r = gk_buf_putc(b, '{')) < 0 ||
	    (r = gk_json_put_int_member(b, "revision",
	    (int64_t)held->doc.revision)) < 0 ||
	    (r = gk_json_put_key(b, "effective")) < 0 ||
	    (r = gk_overlay_format(&held->effective, b)) < 0)
		return r;
	return gk_buf_putc(b, '}');
}

static int
put_row(struct gk_buf *b, const struct gk_history_row *row)
{
	int r;

	if ((r = gk_buf_putc(b, '{')) < 0 ||
	    (r = gk_json_put_str_member(b, "id", row->id,
	    strlen(row->id))) < 0 ||
	    (r = gk_json_put_bool_member(b, "signed", row->is_signed)) < 0 ||
	    (r = gk_json_put_bool_member(b, "overlay_active",
	    row->has_overlay)) < 0)
		return r;
	if (row->has_time && (r = gk_json_put_int_member(b,
	    "superseded_unix", (int64_t)row->superseded_unix)) < 0)
		return r;
	if (row->held != NULL && (r = put_held(b, row->held)) < 0)
		return r;
	return gk_buf_putc(b, '}');
}

void
gk_control_policy_history(struct gk_control *c)
{
	struct gk_historyrec *h = NULL;
	char why[GK_WHY_FULL];
	struct gk_answer a;
	size_t i;
	int r;

	if (gk_policy_load_history(c->ctx, c->store, &h, why, sizeof(why)) !=
	    GK_POLICY_FINE) {
		gk_answer_error(c, GK_TAG_POLICY_HISTORY_RESULT, why);
		return;
	}
	gk_answer_open(&a, c, GK_TAG_POLICY_HISTORY_RESULT);
	r = gk_buf_puts(&a.buf, ",\"ok\":true,\"entries\":[");
	for (i = 0; r == 0 && i < h->n; i++) {
		if (i > 0)
			r = gk_buf_putc(&a.buf, ',');
		if (r == 0)
			r = put_row(&a.buf, &h->row[i]);
	}
	if (r == 0)
		r = gk_buf_putc(&a.buf, ']');
	gk_answer_send(&a, r);
	gk_historyrec_free(h);
}

/* ---------------------------------------------------------------- language */

void
gk_control_push_lang(struct gk_control *c)
{
	char why[GK_WHY_FULL];
	struct gk_langrec rec;
	struct gk_answer a;
	int r;

	r = gk_lang_look(c->ctx, c->store, &rec, why, sizeof(why));
	if (r < 0) {
		gk_log(c->ctx, GK_LOG_WARN, GK_CONTROL_TAG,
		    "lang-unreadable", "%s", why);
		/* What cannot be read is not answered; this could be. */
		c->failed = c->failed || r == GENKAN_E_NOMEM;
		return;
	}
	gk_answer_open(&a, c, GK_TAG_LANG_CURRENT);
	r = gk_json_put_str_member(&a.buf, "value", rec.value,
	    strlen(rec.value));
	if (r == 0)
		r = gk_json_put_int_member(&a.buf, "seq", (int64_t)rec.seq);
	gk_answer_send(&a, r);
}
