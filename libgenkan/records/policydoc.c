/* Policy values as JSON: the signed document and overlays. */
#include <stdio.h>

#include "base/alloc.h"
#include "codec/jstr.h"
#include "codec/walk.h"
#include "records/policyrec.h"

#define TYPE_GRANT	GK_J_BOOL
#define TYPE_BOOL	GK_J_BOOL
#define TYPE_MS		GK_J_INT
#define TYPE_SET	GK_J_ARRAY
#define MAX_GRANT	0
#define MAX_BOOL	0
#define MAX_MS		GK_INTEGER_MAX
#define MAX_SET		GK_DISABLED_TOOLS_MAX

enum { D_V, D_REVISION, D_TOUCHED, D_FIELDS,
	D_N = D_FIELDS + GK_POLICY_NFIELDS };

static const struct gk_field doc_fields[D_N] = {
	{ "v", GK_J_INT, 0, 1, 1 },
	{ "revision", GK_J_INT, 0, 1, GK_INTEGER_MAX },
	{ "touched", GK_J_ARRAY, 0, 0, GK_POLICY_NFIELDS },
#define GK_POLICY(sym, name, kind, def, looser, flag, text)		\
	{ name, TYPE_##kind, 0, 0, MAX_##kind },
#include "contract/policy.def"
#undef GK_POLICY
};

static const struct gk_field overlay_fields[GK_POLICY_NFIELDS] = {
#define GK_POLICY(sym, name, kind, def, looser, flag, text)		\
	{ name, TYPE_##kind, GK_F_OPTIONAL, 0, MAX_##kind },
#include "contract/policy.def"
#undef GK_POLICY
};

/* ------------------------------------------------------------- parsing */

static int
parse_tools(struct gk_rec *rec, struct gk_span array, const char *where,
    struct gk_policyval *ret)
{
	struct gk_member v;
	struct gk_walk w;
	struct gk_span text;
	int r;

	gk_walk_init(&w, array);
	while (gk_walk_next(&w, &v)) {
		if (v.type != GK_J_STRING)
			return gk_record_bad(rec, "%s: not a list of names",
			    where);
		if ((r = gk_record_string(rec, &v, &text)) < 0)
			return r;
		r = gk_policyval_disable(ret, text.ptr, text.len);
		if (r == GENKAN_E_NOMEM)
			return gk_record_nomem(rec);
		if (r == GENKAN_E_EXIST)
			return gk_record_bad(rec, "%s: a name occurs twice",
			    where);
		if (r < 0)
			return gk_record_bad(rec, "%s: invalid name", where);
	}
	return 0;
}

/* m: one member for each field, absent ones of type 0. */
static int
parse_values(struct gk_rec *rec, const struct gk_member *m,
    struct gk_policyval *ret)
{
	const char *name;
	unsigned i;
	size_t n;
	int r = 0;

	for (i = 0; i < GK_POLICY_NFIELDS && r == 0; i++) {
		if (m[i].type == 0)
			continue;
		name = gk_policyval_field_name(i);
		switch (gk_schema_policy(&n)[i].kind) {
		case GK_PKIND_GRANT:
		case GK_PKIND_BOOL:
			ret->num[i] = m[i].type == GK_J_TRUE;
			break;
		case GK_PKIND_MS:
			r = gk_record_uint(rec, &m[i], name, &ret->num[i]);
			break;
		case GK_PKIND_SET:
			r = parse_tools(rec, m[i].value, name, ret);
			break;
		}
		ret->has |= GK_POLICY_BIT(i);
	}
	return r;
}

/* Distinct names of fields in catalogue order. */
static int
parse_touched(struct gk_rec *rec, struct gk_span array, uint32_t *ret)
{
	struct gk_member v;
	struct gk_walk w;
	struct gk_span text;
	int field, last = -1, r;

	*ret = 0;
	gk_walk_init(&w, array);
	while (gk_walk_next(&w, &v)) {
		if (v.type != GK_J_STRING)
			return gk_record_bad(rec, "touched: not a list of "
			    "names");
		if ((r = gk_record_string(rec, &v, &text)) < 0)
			return r;
		field = gk_schema_policy_find(text.ptr, text.len);
		if (field < 0)
			return gk_record_bad(rec, "touched: unknown field");
		if (field <= last)
			return gk_record_bad(rec, "touched: not distinct and "
			    "in order");
		*ret |= GK_POLICY_BIT((unsigned)field);
		last = field;
	}
	return 0;
}

static int
parse_doc(struct gk_rec *rec, struct gk_policydoc *ret)
{
	struct gk_member m[D_N];
	uint64_t v;
	int r;

	if ((r = gk_record_fields(rec, rec->text, "", doc_fields, D_N,
	    m)) < 0 || (r = gk_record_uint(rec, &m[D_V], "v", &v)) < 0 ||
	    (r = gk_record_uint(rec, &m[D_REVISION], "revision",
	    &ret->revision)) < 0 ||
	    (r = parse_touched(rec, m[D_TOUCHED].value,
	    &ret->touched)) < 0)
		return r;
	return parse_values(rec, &m[D_FIELDS], &ret->policy);
}

int
gk_policydoc_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_policydoc *ret, char *why, size_t whylen)
{
	struct gk_rec rec;
	int r;

	memset(ret, 0, sizeof(*ret));
	gk_policyval_init(&ret->policy, ctx);
	r = gk_record_text(ctx, bytes, len, &rec, why, whylen);
	if (r == 0)
		r = parse_doc(&rec, ret);
	gk_record_done(&rec);
	if (r < 0)
		gk_policydoc_done(ret);
	return r;
}

void
gk_policydoc_done(struct gk_policydoc *doc)
{
	gk_policyval_done(&doc->policy);
	doc->revision = 0;
	doc->touched = 0;
}

int
gk_overlay_parse(struct genkan_ctx *ctx, struct gk_span object,
    struct gk_policyval *ret, char *why, size_t whylen)
{
	struct gk_member m[GK_POLICY_NFIELDS];
	struct gk_rec rec;
	int r;

	gk_policyval_init(ret, ctx);
	r = gk_record_text(ctx, object.ptr, object.len, &rec, why, whylen);
	if (r == 0)
		r = gk_record_fields(&rec, rec.text, "overlay",
		    overlay_fields, GK_POLICY_NFIELDS, m);
	if (r == 0)
		r = parse_values(&rec, m, ret);
	gk_record_done(&rec);
	if (r < 0)
		gk_policyval_done(ret);
	return r;
}

/* ------------------------------------------------------------- writing */

static int
put_tools(struct gk_buf *out, const struct gk_toolset *set)
{
	size_t i;
	int r;

	if ((r = gk_buf_putc(out, '[')) < 0)
		return r;
	for (i = 0; i < set->n; i++)
		if ((i > 0 && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = gk_json_put_cstr(out, set->name[i])) < 0)
			return r;
	return gk_buf_putc(out, ']');
}

static int
put_value(struct gk_buf *out, const struct gk_policyval *p, unsigned i)
{
	const char *name = gk_policyval_field_name(i);
	size_t n;
	int r;

	switch (gk_schema_policy(&n)[i].kind) {
	case GK_PKIND_GRANT:
	case GK_PKIND_BOOL:
		return gk_json_put_bool_member(out, name, p->num[i] != 0);
	case GK_PKIND_MS:
		return gk_json_put_int_member(out, name,
		    (int64_t)p->num[i]);
	case GK_PKIND_SET:
		if ((r = gk_json_put_key(out, name)) < 0)
			return r;
		return put_tools(out, &p->disabled);
	}
	return GENKAN_E_INTERNAL;
}

static int
put_values(struct gk_buf *out, const struct gk_policyval *p)
{
	unsigned i;
	int r;

	for (i = 0; i < GK_POLICY_NFIELDS; i++)
		if ((p->has & GK_POLICY_BIT(i)) != 0 &&
		    (r = put_value(out, p, i)) < 0)
			return r;
	return 0;
}

static int
put_touched(struct gk_buf *out, uint32_t touched)
{
	bool first = true;
	unsigned i;
	int r;

	if ((r = gk_json_put_key(out, "touched")) < 0 ||
	    (r = gk_buf_putc(out, '[')) < 0)
		return r;
	for (i = 0; i < GK_POLICY_NFIELDS; i++) {
		if ((touched & GK_POLICY_BIT(i)) == 0)
			continue;
		if ((!first && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = gk_json_put_cstr(out, gk_policyval_field_name(i))) < 0)
			return r;
		first = false;
	}
	return gk_buf_putc(out, ']');
}

int
gk_policydoc_format(const struct gk_policydoc *doc, struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if (doc->policy.has != GK_POLICY_ALL || doc->revision < 1 ||
	    doc->revision > (uint64_t)GK_INTEGER_MAX ||
	    (doc->touched & ~GK_POLICY_ALL) != 0)
		return GENKAN_E_INVAL;
	if ((r = gk_buf_putc(ret, '{')) < 0 ||
	    (r = gk_json_put_int_member(ret, "v", 1)) < 0 ||
	    (r = gk_json_put_int_member(ret, "revision",
	    (int64_t)doc->revision)) < 0 ||
	    (r = put_touched(ret, doc->touched)) < 0 ||
	    (r = put_values(ret, &doc->policy)) < 0 ||
	    (r = gk_buf_putc(ret, '}')) < 0)
		gk_buf_truncate(ret, at);
	return r;
}

int
gk_overlay_format(const struct gk_policyval *overlay, struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if ((r = gk_buf_putc(ret, '{')) < 0 ||
	    (r = put_values(ret, overlay)) < 0 ||
	    (r = gk_buf_putc(ret, '}')) < 0)
		gk_buf_truncate(ret, at);
	return r;
}
