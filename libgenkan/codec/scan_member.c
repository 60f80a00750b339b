#include "codec/jstr.h"
#include "codec/scan.h"
#include "codec/walk.h"

void
gk_scan_object(struct gk_span object, struct gk_member *member, size_t cap,
    struct gk_scan *ret)
{
	struct gk_member m;
	struct gk_walk w;

	memset(ret, 0, sizeof(*ret));
	ret->member = member;
	ret->text = object;
	ret->top = GK_J_OBJECT;
	gk_walk_init(&w, object);
	while (gk_walk_next(&w, &m))
		if (ret->total++ < cap)
			member[ret->total - 1] = m;
	ret->n = GK_MIN(ret->total, cap);
}

/* Behind the last one that was reported. */
static void
walk_rest(const struct gk_scan *s, struct gk_walk *w)
{
	if (s->n > 0)
		gk_walk_behind(w, s->text, &s->member[s->n - 1]);
	else
		gk_walk_init(w, s->text);
}

static bool
is_named(const struct gk_member *m, struct gk_span name)
{
	if (!m->key_escaped)
		return gk_span_eq(m->key, name);
	return gk_jstr_eq(gk_span(m->key.ptr - 1, m->key.len + 2), name.ptr,
	    name.len);
}

bool
gk_scan_find_span(const struct gk_scan *s, struct gk_span name,
    struct gk_member *ret)
{
	struct gk_walk w;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (is_named(&s->member[i], name)) {
			*ret = s->member[i];
			return true;
		}
	if (s->total > s->n) {
		walk_rest(s, &w);
		while (gk_walk_next(&w, ret))
			if (is_named(ret, name))
				return true;
	}
	memset(ret, 0, sizeof(*ret));
	return false;
}

/* A name as it is spelled holds no byte 0, so that it ends where ours does. */
static inline bool
is_spelled(struct gk_span key, const char *name)
{
	size_t i;

	for (i = 0; i < key.len; i++)
		if (key.ptr[i] != name[i])
			return false;
	return name[i] == '\0';
}

/* Puts the member in its place: 1, or 0 if nobody asked for it. */
static inline size_t
pick(const struct gk_member *m, const char *const *names, size_t n,
    struct gk_member *ret)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (GK_UNLIKELY(m->key_escaped) ?
		    is_named(m, gk_span_str(names[i])) :
		    is_spelled(m->key, names[i])) {
			ret[i] = *m;
			return 1;
		}
	return 0;
}

size_t
gk_scan_pick(const struct gk_scan *s, const char *const *names, size_t n,
    struct gk_member *ret)
{
	struct gk_member m;
	struct gk_walk w;
	size_t i, found = 0;

	memset(ret, 0, n * sizeof(*ret));
	for (i = 0; i < s->n && found < n; i++)
		found += pick(&s->member[i], names, n, ret);
	if (found < n && s->total > s->n) {
		walk_rest(s, &w);
		while (found < n && gk_walk_next(&w, &m))
			found += pick(&m, names, n, ret);
	}
	return found;
}

static const struct {
	const char	*name;
	const char	*text;
} whys[] = {
	[GK_SCAN_OK] = { "ok", "valid JSON" },
	[GK_SCAN_SYNTAX] = { "syntax", "not valid JSON" },
	[GK_SCAN_UTF8] = { "utf8", "not valid UTF-8" },
	[GK_SCAN_ESCAPE] = { "escape", "unknown escape or lone surrogate" },
	[GK_SCAN_NUL_KEY] = { "nul-key", "U+0000 in a member name" },
	[GK_SCAN_DEPTH] = { "depth", "nested too deeply" },
	[GK_SCAN_DUPLICATE] = { "duplicate", "member repeated" },
	[GK_SCAN_RANGE] = { "range", "number out of range" },
	[GK_SCAN_TOP] = { "top", "not an object" },
	[GK_SCAN_SIZE] = { "size", "too large" },
};

const char *
gk_scan_why_text(enum gk_scan_why why)
{
	return whys[why].text;
}

const char *
gk_scan_why_name(enum gk_scan_why why)
{
	return whys[why].name;
}

const char *
gk_json_type_name(unsigned type)
{
	switch (type) {
	case GK_J_OBJECT:
		return "object";
	case GK_J_ARRAY:
		return "array";
	case GK_J_STRING:
		return "string";
	case GK_J_INT:
		return "integer";
	case GK_J_REAL:
		return "real";
	case GK_J_TRUE:
	case GK_J_FALSE:
		return "boolean";
	case GK_J_NULL:
		return "null";
	default:
		return "nothing";
	}
}
