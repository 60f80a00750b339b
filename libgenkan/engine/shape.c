/* See shape.h. */
#include "engine/shape.h"

#include "base/buf.h"
#include "base/str.h"
#include "codec/b64.h"
#include "codec/jstr.h"
#include "codec/walk.h"

/* Content that the act judges, and answers in its own frame (control 2.1):
 * marked so, or a value of an overlay that has rules of its own. */
#define BY_ACT	(GK_MF_ACT | GK_MF_TOOLSET)

static bool
misfit(struct gk_shape_why *why, const char *text, const char *member)
{
	/* The innermost offence is the one to name. */
	if (why->text == NULL) {
		why->text = text;
		why->member = member;
	}
	return false;
}

static uint8_t
types_of(enum gk_kind kind)
{
	switch (kind) {
	case GK_KIND_OK:
	case GK_KIND_BOOL:
		return GK_J_BOOL;
	case GK_KIND_INT:
	case GK_KIND_UINT:
		return GK_J_INT;
	case GK_KIND_OBJECT:
	case GK_KIND_ANY_OBJECT:
		return GK_J_OBJECT;
	case GK_KIND_ANY:
		return GK_J_ANY;
	case GK_KIND_TEXT:
	case GK_KIND_LABEL:
	case GK_KIND_ENUM:
	case GK_KIND_HEX:
	case GK_KIND_HEX_LOWER:
	case GK_KIND_B64:
	case GK_KIND_B64URL:
		break;
	}
	return GK_J_STRING;
}

static bool
within(const struct gk_shape_member *row, size_t n)
{
	return n >= (size_t)row->lo && (row->hi == 0 || n <= (size_t)row->hi);
}

static bool
number_fits(const struct gk_shape_member *row, const struct gk_member *m)
{
	int64_t lo = row->lo, hi = row->hi;

	if (hi == 0)
		hi = GK_INTEGER_MAX;
	if (row->kind == GK_KIND_INT && row->lo == 0 && row->hi == 0)
		lo = -GK_INTEGER_MAX;
	/* A uint has no sign, not even that of -0. */
	if (row->kind == GK_KIND_UINT && m->value.ptr[0] == '-')
		return false;
	return m->integer >= lo && m->integer <= hi;
}

static bool
base64_fits(struct genkan_ctx *ctx, const struct gk_shape_member *row,
    struct gk_span s)
{
	struct gk_buf bytes;
	bool ok;

	gk_buf_init(&bytes, ctx, gk_b64_max(s.len));
	ok = gk_b64_put_decoded(&bytes, row->kind == GK_KIND_B64 ?
	    GK_B64_STD : GK_B64_URL, s.ptr, s.len) == 0 &&
	    within(row, bytes.len);
	gk_buf_done(&bytes);
	return ok;
}

/* The decoded text of a string. */
static bool
text_fits(struct genkan_ctx *ctx, const struct gk_shape_member *row,
    struct gk_span s)
{
	switch (row->kind) {
	case GK_KIND_LABEL:
		return gk_str_is_label(s.ptr, s.len);
	case GK_KIND_ENUM:
		return gk_schema_set_find(row->ref, s.ptr, s.len) >= 0;
	case GK_KIND_HEX:
	case GK_KIND_HEX_LOWER:
		if ((row->flags & GK_MF_40OR64) && s.len != 40 && s.len != 64)
			return false;
		return within(row, s.len) && (row->kind == GK_KIND_HEX ?
		    gk_str_is_hex(s.ptr, s.len) :
		    gk_str_is_hex_lower(s.ptr, s.len));
	case GK_KIND_B64:
	case GK_KIND_B64URL:
		return base64_fits(ctx, row, s);
	default:
		break;
	}
	if ((row->flags & GK_MF_NONUL) && memchr(s.ptr, '\0', s.len) != NULL)
		return false;
	if ((row->flags & GK_MF_NOCTL) && !gk_str_is_plain(s.ptr, s.len))
		return false;
	return within(row, s.len);
}

static bool
string_fits(struct genkan_ctx *ctx, const struct gk_shape_member *row,
    const struct gk_member *m)
{
	struct gk_buf scratch;
	struct gk_span s;
	bool ok;

	gk_buf_init(&scratch, ctx, m->value.len);
	ok = gk_jstr_text(m, &scratch, &s) == 0 && text_fits(ctx, row, s);
	gk_buf_done(&scratch);
	return ok;
}

/* One of the shapes that stand under the reference. */
static bool
object_fits(struct genkan_ctx *ctx, const struct gk_shape_member *row,
    const struct gk_member *m, struct gk_shape_why *why)
{
	const struct gk_shape *shape;
	int i;

	for (i = row->ref; (shape = gk_schema_shape(i)) != NULL &&
	    shape->first == row->ref; i++) {
		why->text = NULL;
		if (gk_shape_fits(ctx, m->value, shape->members,
		    shape->lenient != 0, NULL, why))
			return true;
	}
	return false;
}

/* One value: a member's, or an element of an array. */
static bool
value_fits(struct genkan_ctx *ctx, const struct gk_shape_member *row,
    const struct gk_member *m, struct gk_shape_why *why)
{
	bool ok = true;

	if ((m->type & types_of(row->kind)) == 0)
		return misfit(why, "has the wrong type", row->name);
	/* Inside an object whose content is the act's, types still count. */
	if (row->kind == GK_KIND_OBJECT)
		ok = object_fits(ctx, row, m, why);
	else if (row->flags & BY_ACT)
		return true;
	else if (m->type == GK_J_INT)
		ok = row->kind == GK_KIND_ANY || number_fits(row, m);
	else if (m->type == GK_J_STRING)
		ok = row->kind == GK_KIND_ANY || string_fits(ctx, row, m);
	return ok || misfit(why, "has a value that is not allowed",
	    row->name);
}

static bool
array_fits(struct genkan_ctx *ctx, const struct gk_shape_member *row,
    const struct gk_member *m, struct gk_shape_why *why)
{
	struct gk_member e;
	struct gk_walk walk;
	size_t n = 0;

	if (m->type != GK_J_ARRAY)
		return misfit(why, "has the wrong type", row->name);
	gk_walk_init(&walk, m->value);
	while (gk_walk_next(&walk, &e)) {
		n++;
		if (!value_fits(ctx, row, &e, why))
			return false;
	}
	if (row->flags & BY_ACT)
		return true;
	if (n < (size_t)row->fewest ||
	    (row->most != 0 && n > (size_t)row->most))
		return misfit(why, "has too few or too many elements",
		    row->name);
	return true;
}

/* Whether a row belongs there: 1 it must, 0 it may, -1 it must not.  ok: the
 * deciding boolean, if the object has one. */
static int
due(const struct gk_shape_member *row, bool ok)
{
	switch (row->when) {
	case GK_WHEN_REQ:
		return 1;
	case GK_WHEN_OPT:
		return 0;
	case GK_WHEN_OK:
		return ok ? 1 : -1;
	case GK_WHEN_OK_OPT:
		return ok ? 0 : -1;
	case GK_WHEN_NOTOK:
		return ok ? -1 : 1;
	case GK_WHEN_NOTOK_OPT:
		return ok ? -1 : 0;
	}
	return -1;
}

static bool
name_is(const struct gk_member *m, const char *name)
{
	struct gk_span token = { m->key.ptr - 1, m->key.len + 2 };

	return m->key_escaped ? gk_jstr_eq(token, name, strlen(name)) :
	    gk_span_is(m->key, name);
}

static const struct gk_shape_member *
row_of(const struct gk_shape_member *rows, const struct gk_member *m,
    size_t *ret)
{
	size_t i;

	for (i = 0; rows != NULL && rows[i].name != NULL; i++)
		if (name_is(m, rows[i].name)) {
			*ret = i;
			return &rows[i];
		}
	return NULL;
}

/* Every member by its row; which rows were seen, and what OK says. */
static bool
members_fit(struct genkan_ctx *ctx, struct gk_span object,
    const struct gk_shape_member *rows, bool lenient, const char *type,
    uint64_t *seen, bool *ok, struct gk_shape_why *why)
{
	const struct gk_shape_member *row;
	struct gk_member m;
	struct gk_walk walk;
	size_t i = 0;

	gk_walk_init(&walk, object);
	while (gk_walk_next(&walk, &m)) {
		row = row_of(rows, &m, &i);
		if (row == NULL) {
			if (lenient || (type != NULL && name_is(&m, type)))
				continue;
			return misfit(why, "has an unknown member", "it");
		}
		if ((row->flags & GK_MF_NULL) && m.type == GK_J_NULL)
			continue;
		if (row->array ? !array_fits(ctx, row, &m, why) :
		    !value_fits(ctx, row, &m, why))
			return false;
		*seen |= UINT64_C(1) << i;
		if (row->kind == GK_KIND_OK)
			*ok = m.type == GK_J_TRUE;
	}
	return true;
}

bool
gk_shape_fits(struct genkan_ctx *ctx, struct gk_span object,
    const struct gk_shape_member *rows, bool lenient, const char *type,
    struct gk_shape_why *why)
{
	uint64_t seen = 0;
	bool ok = true, there;
	size_t i;

	if (!members_fit(ctx, object, rows, lenient, type, &seen, &ok, why))
		return false;
	for (i = 0; rows != NULL && rows[i].name != NULL; i++) {
		there = (seen >> i & 1) != 0;
		if (!there && due(&rows[i], ok) > 0)
			return misfit(why, "is missing", rows[i].name);
		if (there && due(&rows[i], ok) < 0)
			return misfit(why, "does not belong there",
			    rows[i].name);
	}
	return true;
}
