#include "codec/walk.h"

#include "codec/num.h"
#include "codec/runs.h"

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *
skip_space(const char *p, const char *end)
{
	while (p < end && is_space(*p))
		p++;
	return p;
}

/* p behind the opening quote; the result on the closing one. */
static const char *
string_end(const char *p, const char *end, bool *escaped)
{
	*escaped = false;
	while ((p = gk_runs_quote(p, end)) < end && *p == '\\') {
		*escaped = true;
		p += 2;
	}
	return p;
}

/* p on the opening bracket; the result behind the closing one. */
static const char *
container_end(const char *p, const char *end)
{
	size_t depth = 0;
	bool escaped;

	for (; p < end; p++) {
		switch (*p) {
		case '"':
			p = string_end(p + 1, end, &escaped);
			break;
		case '{': case '[':
			depth++;
			break;
		case '}': case ']':
			if (--depth == 0)
				return p + 1;
			break;
		default:
			break;
		}
	}
	return p;
}

static const char *
number_end(const char *p, const char *end, bool *real)
{
	*real = false;
	for (; p < end; p++) {
		if (*p == '.' || *p == 'e' || *p == 'E')
			*real = true;
		else if (*p != '-' && *p != '+' && (*p < '0' || *p > '9'))
			break;
	}
	return p;
}

const char *
gk_walk_value(const char *p, const char *end, struct gk_member *ret)
{
	const char *q;
	bool real;

	p = skip_space(p, end);
	ret->integer = 0;
	ret->escaped = false;
	switch (*p) {
	case '{':
	case '[':
		ret->type = *p == '{' ? GK_J_OBJECT : GK_J_ARRAY;
		q = container_end(p, end);
		break;
	case '"':
		ret->type = GK_J_STRING;
		q = string_end(p + 1, end, &ret->escaped) + 1;
		break;
	case 't':
		ret->type = GK_J_TRUE;
		q = p + 4;
		break;
	case 'f':
		ret->type = GK_J_FALSE;
		q = p + 5;
		break;
	case 'n':
		ret->type = GK_J_NULL;
		q = p + 4;
		break;
	default:
		q = number_end(p, end, &real);
		ret->type = GK_J_REAL;
		if (!real && gk_num_int(gk_span(p, (size_t)(q - p)),
		    &ret->integer))
			ret->type = GK_J_INT;
	}
	ret->value = gk_span(p, (size_t)(q - p));
	return q;
}

void
gk_walk_whole(struct gk_span value, struct gk_member *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (*value.ptr == '{' || *value.ptr == '[') {
		ret->type = *value.ptr == '{' ? GK_J_OBJECT : GK_J_ARRAY;
		ret->value = value;
	} else {
		(void)gk_walk_value(value.ptr, value.ptr + value.len, ret);
	}
}

void
gk_walk_init(struct gk_walk *w, struct gk_span container)
{
	w->p = container.ptr + 1;
	w->end = container.ptr + container.len - 1;
	w->object = *container.ptr == '{';
}

void
gk_walk_behind(struct gk_walk *w, struct gk_span container,
    const struct gk_member *m)
{
	gk_walk_init(w, container);
	w->p = m->value.ptr + m->value.len;
}

bool
gk_walk_next(struct gk_walk *w, struct gk_member *ret)
{
	const char *p = w->p;

	/* Between two values stand whitespace and one comma; the end is the
	 * closing bracket, where nothing else can follow a value. */
	while (p < w->end && (*p == ',' || is_space(*p)))
		p++;
	if (p == w->end) {
		w->p = p;
		return false;
	}
	memset(ret, 0, sizeof(*ret));
	if (w->object) {
		ret->key.ptr = p + 1;
		p = string_end(p + 1, w->end, &ret->key_escaped);
		ret->key.len = (size_t)(p - ret->key.ptr);
		p = skip_space(p + 1, w->end) + 1;
	}
	w->p = gk_walk_value(p, w->end, ret);
	return true;
}

size_t
gk_walk_count(struct gk_span container)
{
	struct gk_member m;
	struct gk_walk w;
	size_t n = 0;

	gk_walk_init(&w, container);
	while (gk_walk_next(&w, &m))
		n++;
	return n;
}
