/* See catalog.h. */
#include "engine/catalog.h"

#include "base/str.h"
#include "codec/jstr.h"
#include "codec/walk.h"
#include "contract/schema.h"

#define REPORTED	4	/* members that need no second walk */

/* 0, or the error of the buffer: the call is refused either way. */
static int
refuse(struct gk_arguments *a, const struct gk_tool *tool, struct gk_span name,
    const char *what)
{
	int r;

	gk_buf_clear(&a->why);
	r = gk_buf_putf(&a->why, "%s: argument ", tool->name);
	if (r == 0)
		r = gk_buf_put(&a->why, name.ptr,
		    gk_utf8_cut(name.ptr, name.len, GK_QUOTE_MAX));
	if (r == 0)
		r = gk_buf_putf(&a->why, " %s", what);
	return r;
}

/* Told apart by its address: it is no fault of the caller. */
static const char no_memory[] = "cannot be examined";

/* Unicode code points of a string token; -1 without memory to decode it. */
static int64_t
code_points(const struct gk_member *m, struct gk_buf *scratch)
{
	struct gk_span s;
	int64_t n = 0;
	size_t i;

	gk_buf_clear(scratch);
	if (gk_jstr_text(m, scratch, &s) < 0)
		return -1;
	for (i = 0; i < s.len; i++)
		n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
	return n;
}

static bool
is_value(const char *const *values, const struct gk_member *m)
{
	for (; *values != NULL; values++)
		if (gk_jstr_is(m, *values))
			return true;
	return false;
}

/* The checks answer NULL, or what is wrong. */
static const char *
check_string(const struct gk_arg *arg, const struct gk_member *m,
    struct gk_buf *scratch)
{
	int64_t n;

	if (m->type != GK_J_STRING)
		return "must be a string";
	if (arg->values != NULL && !is_value(arg->values, m))
		return "is not one of its values";
	if (arg->lo <= 0 && arg->hi == GK_ANY)
		return NULL;
	n = code_points(m, scratch);
	if (n < 0)
		return no_memory;
	if (arg->lo != GK_ANY && n < arg->lo)
		return n == 0 ? "must not be empty" : "is too short";
	if (arg->hi != GK_ANY && n > arg->hi)
		return "is too long";
	return NULL;
}

static const char *
check_integer(const struct gk_arg *arg, const struct gk_member *m)
{
	if (m->type != GK_J_INT)
		return "must be an integer";
	if ((arg->lo != GK_ANY && m->integer < arg->lo) ||
	    (arg->hi != GK_ANY && m->integer > arg->hi) ||
	    m->integer < -GK_INTEGER_MAX || m->integer > GK_INTEGER_MAX)
		return "is out of range";
	return NULL;
}

static const char *
check_array(const struct gk_arg *arg, const struct gk_member *m)
{
	struct gk_member item;
	struct gk_walk w;
	int64_t n = 0;

	if (m->type != GK_J_ARRAY)
		return "must be an array of strings";
	gk_walk_init(&w, m->value);
	while (gk_walk_next(&w, &item)) {
		if (arg->hi != GK_ANY && ++n > arg->hi)
			return "has too many items";
		if (item.type != GK_J_STRING)
			return "must be an array of strings";
		if (arg->values != NULL && !is_value(arg->values, &item))
			return "has an item that is not one of its values";
	}
	return NULL;
}

static const char *
check_value(const struct gk_arg *arg, const struct gk_member *m,
    struct gk_buf *scratch)
{
	switch (arg->type) {
	case GK_ARG_STRING:
		return check_string(arg, m, scratch);
	case GK_ARG_INTEGER:
		return check_integer(arg, m);
	case GK_ARG_BOOLEAN:
		return (m->type & GK_J_BOOL) != 0 ? NULL : "must be a boolean";
	case GK_ARG_ARRAY:
		return check_array(arg, m);
	}
	return "cannot be checked";
}

static int
put_argument(struct gk_buf *b, const struct gk_arg *arg,
    const struct gk_member *m)
{
	int r;

	r = gk_json_put_key(b, arg->name);
	return r == 0 ? gk_scan_compact(b, m->value) : r;
}

/* Gate 2: 1, 0 refused, < 0. */
static int
take_browser(struct gk_arguments *a, const struct gk_tool *tool,
    const struct gk_member *m)
{
	int r;

	if (m->type == 0 || m->type == GK_J_NULL)
		return 1;
	if (m->type == GK_J_STRING) {
		a->named = true;
		r = gk_jstr_decode(&a->label, m->value);
		return r < 0 ? r : 1;
	}
	r = gk_buf_putf(&a->why, "%s: argument browser must be a string, not ",
	    tool->name);
	if (r == 0)
		r = gk_buf_put(&a->why, m->value.ptr,
		    gk_utf8_cut(m->value.ptr, m->value.len, GK_QUOTE_MAX));
	if (r == 0)
		r = gk_buf_puts(&a->why,
		    "; list_browsers tells the labels in use");
	return r;
}

/* One member of the object: 1, 0 refused, < 0. */
static int
take_member(struct gk_arguments *a, const struct gk_tool *tool,
    const struct gk_member *m, struct gk_buf *scratch, uint32_t *seen)
{
	const struct gk_arg *arg;
	struct gk_span name;
	const char *what;
	int r;

	name = m->key;
	if (m->key_escaped) {
		struct gk_span token = gk_span(m->key.ptr - 1, m->key.len + 2);

		gk_buf_clear(scratch);
		r = gk_jstr_decode(scratch, token);
		if (r < 0)
			return r;
		name = gk_buf_span(scratch);
	}
	if (tool->browser && gk_span_is(name, "browser"))
		return 1;
	arg = gk_schema_arg_find(tool, name.ptr, name.len);
	if (arg == NULL)
		return refuse(a, tool, name, "is unknown");
	what = check_value(arg, m, scratch);
	if (what == no_memory)
		return GENKAN_E_NOMEM;
	if (what != NULL)
		return refuse(a, tool, gk_span_str(arg->name), what);
	*seen |= UINT32_C(1) << (arg - tool->args);
	r = put_argument(&a->args, arg, m);
	return r < 0 ? r : 1;
}

static int
check_required(struct gk_arguments *a, const struct gk_tool *tool,
    uint32_t seen)
{
	const struct gk_arg *arg;

	for (arg = tool->args; arg != NULL && arg->name != NULL; arg++)
		if (arg->required &&
		    (seen & UINT32_C(1) << (arg - tool->args)) == 0)
			return refuse(a, tool, gk_span_str(arg->name),
			    "is missing");
	return 1;
}

static int
check_object(struct genkan_ctx *ctx, const struct gk_tool *tool,
    struct gk_span object, struct gk_arguments *a, uint32_t *seen)
{
	struct gk_member m, top[REPORTED];
	struct gk_buf scratch;
	struct gk_scan s;
	struct gk_walk w;
	size_t i;
	int r = 1;

	gk_scan_object(object, top, REPORTED, &s);
	if (tool->browser) {
		gk_scan_find(&s, "browser", &m);
		r = take_browser(a, tool, &m);
	}
	gk_buf_init(&scratch, ctx, GK_BRIDGE_LINE_MAX);
	for (i = 0; r > 0 && i < s.n; i++)
		r = take_member(a, tool, &top[i], &scratch, seen);
	if (r > 0 && s.total > s.n) {
		gk_walk_behind(&w, object, &top[s.n - 1]);
		while (r > 0 && gk_walk_next(&w, &m))
			r = take_member(a, tool, &m, &scratch, seen);
	}
	gk_buf_done(&scratch);
	return r;
}

int
gk_arguments_check(struct genkan_ctx *ctx, const struct gk_tool *tool,
    struct gk_span object, struct gk_arguments *ret)
{
	uint32_t seen = 0;
	uint8_t *whole;
	int r;

	memset(ret, 0, sizeof(*ret));
	gk_buf_init(&ret->args, ctx, GK_BRIDGE_LINE_MAX);
	gk_buf_init(&ret->label, ctx, GK_BRIDGE_LINE_MAX);
	gk_buf_init(&ret->why, ctx, 4096);
	/* Never longer than what came, so never copied on the way. */
	r = gk_buf_reserve(&ret->args, object.len + 2, &whole);
	if (r == 0)
		r = gk_buf_putc(&ret->args, '{');
	if (r == 0)
		r = object.ptr == NULL ? 1 :
		    check_object(ctx, tool, object, ret, &seen);
	if (r > 0)
		r = check_required(ret, tool, seen);
	if (r > 0) {
		r = gk_buf_putc(&ret->args, '}');
		r = r < 0 ? r : 1;
	}
	return r;
}

void
gk_arguments_done(struct gk_arguments *a)
{
	gk_buf_done(&a->args);
	gk_buf_done(&a->label);
	gk_buf_done(&a->why);
}
