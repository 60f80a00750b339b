#include "codec/json.h"

#include "base/err.h"
#include "codec/jstr.h"
#include "codec/walk.h"

#define DUMP_FLAGS	(JSON_COMPACT | JSON_ENCODE_ANY)

static json_t *
build_string(struct genkan_ctx *ctx, const struct gk_member *m)
{
	struct gk_buf scratch;
	struct gk_span text;
	json_t *v = NULL;

	gk_buf_init(&scratch, ctx, m->value.len);
	if (gk_jstr_text(m, &scratch, &text) == 0)
		v = json_stringn_nocheck(text.len == 0 ? "" : text.ptr,
		    text.len);
	gk_buf_done(&scratch);
	return v;
}

/* Jansson's own reading of one number, since it minds the locale. */
static json_t *
build_real(struct gk_span token)
{
	return json_loadb(token.ptr, token.len,
	    JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
}

static json_t	*build(struct genkan_ctx *, const struct gk_member *);

static int
add_member(struct genkan_ctx *ctx, json_t *object, const struct gk_member *m)
{
	struct gk_buf scratch;
	struct gk_span key = m->key;
	json_t *v;
	int r = -1;

	gk_buf_init(&scratch, ctx, key.len);
	if (m->key_escaped) {
		if (gk_jstr_decode(&scratch, gk_span(key.ptr - 1,
		    key.len + 2)) < 0)
			goto out;
		key = gk_buf_span(&scratch);
	}
	/* Takes the value, also when it fails. */
	if ((v = build(ctx, m)) != NULL)
		r = json_object_setn_new_nocheck(object, key.ptr, key.len, v);
out:
	gk_buf_done(&scratch);
	return r;
}

static json_t *
build_container(struct genkan_ctx *ctx, const struct gk_member *m)
{
	bool object = m->type == GK_J_OBJECT;
	json_t *c = object ? json_object() : json_array(), *v;
	struct gk_member e;
	struct gk_walk w;
	int r = c == NULL ? -1 : 0;

	gk_walk_init(&w, m->value);
	while (r == 0 && gk_walk_next(&w, &e)) {
		if (object)
			r = add_member(ctx, c, &e);
		else if ((v = build(ctx, &e)) == NULL)
			r = -1;
		else
			r = json_array_append_new(c, v);
	}
	if (r == 0)
		return c;
	json_decref(c);
	return NULL;
}

/* Recursion is bounded by the scan's limit of depth. */
static json_t *
build(struct genkan_ctx *ctx, const struct gk_member *m)
{
	switch (m->type) {
	case GK_J_OBJECT:
	case GK_J_ARRAY:
		return build_container(ctx, m);
	case GK_J_STRING:
		return build_string(ctx, m);
	case GK_J_INT:
		return json_integer(m->integer);
	case GK_J_REAL:
		return build_real(m->value);
	case GK_J_TRUE:
		return json_true();
	case GK_J_FALSE:
		return json_false();
	default:
		return json_null();
	}
}

json_t *
gk_json_build(struct genkan_ctx *ctx, struct gk_span value)
{
	struct gk_member m;

	memset(&m, 0, sizeof(m));
	(void)gk_walk_value(value.ptr, value.ptr + value.len, &m);
	return build(ctx, &m);
}

int
gk_json_parse(struct genkan_ctx *ctx, const void *text, size_t len,
    json_t **ret)
{
	struct gk_scan s;
	json_t *tree;
	int r;

	if ((r = gk_scan(ctx, text, len, NULL, 0, &s)) == GENKAN_E_NOMEM)
		return gk_err_set(ctx, r, "out of memory");
	if (r < 0)
		return gk_err_set(ctx, r, "%s at byte %zu",
		    gk_scan_why_text(s.why), s.at);
	if ((tree = gk_json_build(ctx, s.text)) == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "out of memory");
	*ret = tree;
	return 0;
}

static bool
shallow(const json_t *v, unsigned depth)
{
	const json_t *child;
	const char *key;
	size_t i;

	if (!json_is_object(v) && !json_is_array(v))
		return true;
	if (depth == GK_JSON_DEPTH)
		return false;
	/* The iterators take no const, but leave the tree alone. */
	if (json_is_array(v)) {
		for (i = 0; i < json_array_size(v); i++)
			if (!shallow(json_array_get(v, i), depth + 1))
				return false;
		return true;
	}
	json_object_foreach((json_t *)(uintptr_t)v, key, child)
		if (!shallow(child, depth + 1))
			return false;
	return true;
}

struct sink {
	struct gk_buf	*buf;
	int		 err;
};

static int
sink_put(const char *bytes, size_t len, void *user)
{
	struct sink *s = user;

	s->err = gk_buf_put(s->buf, bytes, len);
	return s->err == 0 ? 0 : -1;
}

int
gk_json_dump(struct gk_buf *b, const json_t *v)
{
	struct sink s = { b, 0 };
	size_t start = b->len;

	if (v == NULL || !shallow(v, 0))
		return GENKAN_E_INTERNAL;
	if (json_dump_callback(v, sink_put, &s, DUMP_FLAGS) == 0)
		return 0;
	gk_buf_truncate(b, start);
	/* Jansson fails by itself for want of memory only. */
	return s.err < 0 ? s.err : GENKAN_E_NOMEM;
}

uint8_t
gk_json_type(const json_t *v)
{
	if (v == NULL)
		return 0;
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return GK_J_OBJECT;
	case JSON_ARRAY:
		return GK_J_ARRAY;
	case JSON_STRING:
		return GK_J_STRING;
	case JSON_INTEGER:
		return GK_J_INT;
	case JSON_REAL:
		return GK_J_REAL;
	case JSON_TRUE:
		return GK_J_TRUE;
	case JSON_FALSE:
		return GK_J_FALSE;
	default:
		return GK_J_NULL;
	}
}

/* What a row's range counts in a value of the tree. */
static int64_t
measure(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_INTEGER:
		return json_integer_value(v);
	case JSON_STRING:
		return (int64_t)json_string_length(v);
	case JSON_OBJECT:
		return (int64_t)json_object_size(v);
	case JSON_ARRAY:
		return (int64_t)json_array_size(v);
	default:
		return 0;
	}
}

static const char *
judge(const struct gk_field *f, json_t **v, size_t *found)
{
	if (*v == NULL)
		return f->flags & GK_F_OPTIONAL ? NULL : "missing";
	++*found;
	if (json_is_null(*v) && f->flags & GK_F_NULL) {
		*v = NULL;
		return NULL;
	}
	return gk_field_judge(f, gk_json_type(*v), measure(*v));
}

static const char *
unknown_member(const json_t *object, const struct gk_field *tab, size_t n)
{
	const json_t *v;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)object, key, v) {
		for (i = 0; i < n && strcmp(tab[i].name, key) != 0; i++)
			continue;
		if (i == n)
			return key;
	}
	return "";
}

int
gk_fields_json(const json_t *object, const struct gk_field *tab, size_t n,
    bool lenient, json_t **ret, struct gk_field_why *why)
{
	struct gk_field_why none;
	size_t i, found = 0;

	if (why == NULL)
		why = &none;
	memset(why, 0, sizeof(*why));
	memset(ret, 0, n * sizeof(*ret));
	if (!json_is_object(object)) {
		why->text = "not an object";
		return GENKAN_E_FRAME_MEMBER;
	}
	for (i = 0; i < n; i++) {
		ret[i] = json_object_get(object, tab[i].name);
		why->text = judge(&tab[i], &ret[i], &found);
		if (why->text != NULL) {
			why->field = &tab[i];
			why->name = gk_span_str(tab[i].name);
			return GENKAN_E_FRAME_MEMBER;
		}
	}
	if (lenient || found == json_object_size(object))
		return 0;
	why->name = gk_span_str(unknown_member(object, tab, n));
	why->text = "unknown";
	return GENKAN_E_FRAME_MEMBER;
}
