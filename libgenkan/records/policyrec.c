#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "codec/b64.h"
#include "codec/jstr.h"
#include "records/policyrec.h"
#include "records/store.h"

enum { P_VERSION, P_BASELINE, P_SIG, P_KEY_ID, P_OVERLAY, P_N };

static const struct gk_field fields[P_N] = {
	[P_VERSION] = { "version", GK_J_INT, 0, 0, GK_INTEGER_MAX },
	[P_BASELINE] = { "baseline_b64", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	[P_SIG] = { "sig_b64", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	[P_KEY_ID] = { "key_id", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	[P_OVERLAY] = { "overlay", GK_J_OBJECT, GK_F_OPTIONAL, 0, 0 },
};

#define SET_BIT	GK_POLICY_BIT(GK_POLICY_NFIELDS - 1)	/* disabledTools */

static int
parse_doc(struct gk_rec *rec, const struct gk_member *m,
    struct gk_policyrec *ret)
{
	char why[GK_WHY_MAX];
	struct gk_span text;
	size_t cap;
	int r;

	if ((r = gk_record_string(rec, m, &text)) < 0)
		return r;
	cap = gk_b64_max(text.len) + 1;
	if ((ret->doc_bytes = gk_malloc(ret->ctx, cap)) == NULL)
		return gk_record_nomem(rec);
	if (gk_b64_decode(GK_B64_STD, text.ptr, text.len, ret->doc_bytes, cap,
	    &ret->doc_len) < 0)
		return gk_record_bad(rec, "baseline_b64: not base64");
	r = gk_policydoc_parse(ret->ctx, ret->doc_bytes, ret->doc_len,
	    &ret->doc, why, sizeof(why));
	if (r == GENKAN_E_NOMEM)
		return gk_record_nomem(rec);
	if (r < 0)
		return gk_record_bad(rec, "baseline: %s", why);
	ret->has_baseline = true;
	return 0;
}

static int
parse_signature(struct gk_rec *rec, const struct gk_member *sig,
    const struct gk_member *key_id, struct gk_policyrec *ret)
{
	struct gk_span text;
	size_t n;
	int r;

	if ((sig->type == 0) != (key_id->type == 0))
		return gk_record_bad(rec, "sig_b64 and key_id come together");
	if (sig->type == 0)
		return 0;
	if ((r = gk_record_string(rec, sig, &text)) < 0)
		return r;
	if (gk_b64_decode(GK_B64_STD, text.ptr, text.len, ret->sig,
	    sizeof(ret->sig), &n) < 0 || n != sizeof(ret->sig))
		return gk_record_bad(rec, "sig_b64: not base64 of 64 bytes");
	if ((r = gk_record_copy(rec, key_id, "key_id", ret->key_id,
	    sizeof(ret->key_id))) < 0)
		return r;
	if (strlen(ret->key_id) != 64 ||
	    !gk_str_is_hex_lower(ret->key_id, 64))
		return gk_record_bad(rec, "key_id: not 64 lowercase hex "
		    "characters");
	ret->is_signed = true;
	return 0;
}

static int
parse_overlay(struct gk_rec *rec, const struct gk_member *m,
    struct gk_policyrec *ret)
{
	char why[GK_WHY_MAX];
	int r;

	if (m->type == 0)
		return 0;
	r = gk_overlay_parse(ret->ctx, m->value, &ret->overlay, why,
	    sizeof(why));
	if (r == GENKAN_E_NOMEM)
		return gk_record_nomem(rec);
	return r < 0 ? gk_record_bad(rec, "%s", why) : 0;
}

/* The one form without a baseline: tools that a disposal left disabled. */
static int
check_kept(struct gk_rec *rec, const struct gk_policyrec *ret)
{
	if (ret->is_signed || ret->overlay.has != SET_BIT ||
	    ret->overlay.disabled.n == 0)
		return gk_record_bad(rec, "baseline_b64 is missing");
	return 0;
}

static int
fold(struct gk_rec *rec, struct gk_policyrec *ret)
{
	struct gk_policyval deny;
	uint32_t looser;
	unsigned i;
	int r;

	(void)gk_policyval_defaults(&deny, ret->ctx);
	r = gk_policyval_fold(ret->has_baseline ? &ret->doc.policy : &deny,
	    &ret->overlay, &ret->effective);
	gk_policyval_done(&deny);
	if (r < 0)
		return gk_record_nomem(rec);
	if (!ret->has_baseline)
		return 0;
	looser = gk_policyval_looser(&ret->doc.policy, &ret->overlay);
	for (i = 0; i < GK_POLICY_NFIELDS; i++)
		if ((looser & GK_POLICY_BIT(i)) != 0)
			return gk_record_bad(rec, "the overlay loosens %s",
			    gk_policyval_field_name(i));
	return 0;
}

int
gk_policyrec_take(struct genkan_ctx *ctx, struct gk_rec *rec,
    const struct gk_policy_members *m, struct gk_policyrec **ret)
{
	struct gk_policyrec *p;
	int r = 0;

	if ((p = gk_calloc(ctx, 1, sizeof(*p))) == NULL)
		return gk_record_nomem(rec);
	p->ctx = ctx;
	gk_policyval_init(&p->doc.policy, ctx);
	gk_policyval_init(&p->overlay, ctx);
	gk_policyval_init(&p->effective, ctx);
	if (m->baseline.type != 0)
		r = parse_doc(rec, &m->baseline, p);
	if (r == 0)
		r = parse_signature(rec, &m->sig, &m->key_id, p);
	if (r == 0)
		r = parse_overlay(rec, &m->overlay, p);
	if (r == 0 && !p->has_baseline)
		r = check_kept(rec, p);
	if (r == 0)
		r = fold(rec, p);
	if (r < 0) {
		gk_policyrec_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

static int
parse_body(struct genkan_ctx *ctx, struct gk_rec *rec,
    struct gk_policyrec **ret)
{
	struct gk_policy_members part;
	struct gk_member m[P_N];
	int r;

	if ((r = gk_record_fields(rec, rec->text, "", fields, P_N, m)) < 0)
		return r;
	part.baseline = m[P_BASELINE];
	part.sig = m[P_SIG];
	part.key_id = m[P_KEY_ID];
	part.overlay = m[P_OVERLAY];
	return gk_policyrec_take(ctx, rec, &part, ret);
}

int
gk_policyrec_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_policyrec **ret, char *why, size_t whylen)
{
	struct gk_rec rec;
	int r;

	r = gk_record_open(ctx, &gk_ladder_policy, bytes, len,
	    gk_record_cap(GK_RECORD_POLICY), &rec, why, whylen);
	if (r == 0) {
		why[0] = '\0';
		r = parse_body(ctx, &rec, ret);
	}
	gk_record_done(&rec);
	return r;
}

void
gk_policyrec_free(struct gk_policyrec *p)
{
	if (p == NULL)
		return;
	gk_free(p->ctx, p->doc_bytes);
	gk_policydoc_done(&p->doc);
	gk_policyval_done(&p->overlay);
	gk_policyval_done(&p->effective);
	gk_free(p->ctx, p);
}

int
gk_policyrec_put_members(const struct gk_policyrec *p, struct gk_buf *out)
{
	int r;

	if (p->has_baseline && (r = gk_b64_put_member(out, GK_B64_STD,
	    "baseline_b64", p->doc_bytes, p->doc_len)) < 0)
		return r;
	if (p->is_signed && ((r = gk_b64_put_member(out, GK_B64_STD,
	    "sig_b64", p->sig, sizeof(p->sig))) < 0 ||
	    (r = gk_json_put_str_member(out, "key_id", p->key_id,
	    strlen(p->key_id))) < 0))
		return r;
	if (p->overlay.has == 0)
		return 0;
	if ((r = gk_json_put_key(out, "overlay")) < 0)
		return r;
	return gk_overlay_format(&p->overlay, out);
}

static int
put_record(struct gk_buf *out, const void *record)
{
	const struct gk_policyrec *p = record;
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_int_member(out, "version",
	    (int64_t)gk_ladder_current(&gk_ladder_policy))) < 0 ||
	    (r = gk_policyrec_put_members(p, out)) < 0)
		return r;
	return gk_buf_puts(out, "}\n");
}

static int
reads_back(struct genkan_ctx *ctx, const void *bytes, size_t len)
{
	struct gk_policyrec *back = NULL;
	char why[GK_WHY_MAX];
	int r;

	r = gk_policyrec_parse(ctx, bytes, len, &back, why, sizeof(why));
	gk_policyrec_free(back);
	return r;
}

int
gk_policyrec_format(const struct gk_policyrec *p, struct gk_buf *ret)
{
	return gk_record_format(p->ctx, gk_record_cap(GK_RECORD_POLICY),
	    put_record, p, reads_back, ret);
}
