/* Policy and language as they lie on disk: control 2.6. */
#include "engine/control_impl.h"

#include <stdio.h>

#include "codec/b64.h"
#include "records/langrec.h"

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

static int
load_lang(struct gk_control *c, struct gk_langrec *ret)
{
	char why[GK_WHY_MAX], full[GK_WHY_FULL];
	struct gk_stamp stamp;
	struct gk_buf bytes;
	int r;

	r = gk_store_load(c->ctx, c->store, GK_RECORD_LANG, &bytes, &stamp,
	    why, sizeof(why));
	if (r == GENKAN_E_NOENT) {
		gk_langrec_default(ret);
		r = 0;
	} else {
		if (r == 0)
			r = gk_langrec_parse(c->ctx, bytes.ptr, bytes.len, ret,
			    why, sizeof(why));
		if (r < 0) {
			gk_store_unreadable(c->store, GK_RECORD_LANG, why,
			    full, sizeof(full));
			gk_log(c->ctx, GK_LOG_WARN, GK_CONTROL_TAG,
			    "lang-unreadable", "%s", full);
		}
	}
	gk_buf_done(&bytes);
	return r;
}

void
gk_control_push_lang(struct gk_control *c)
{
	struct gk_langrec rec;
	struct gk_answer a;
	int r;

	if (load_lang(c, &rec) < 0)
		return;
	gk_answer_open(&a, c, GK_TAG_LANG_CURRENT);
	r = gk_json_put_str_member(&a.buf, "value", rec.value,
	    strlen(rec.value));
	if (r == 0)
		r = gk_json_put_int_member(&a.buf, "seq", (int64_t)rec.seq);
	gk_answer_send(&a, r);
}
