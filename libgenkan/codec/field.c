#include "codec/field.h"

#include "codec/jstr.h"
#include "codec/walk.h"

#define REPORTED	32	/* members that need no second walk */
#define NAMES		16	/* rows that are looked for at once */

const char *
gk_field_judge(const struct gk_field *f, uint8_t type, int64_t size)
{
	int64_t min = f->min, max = f->max;

	if ((type & f->types) == 0)
		return "wrong type";
	if (min == 0 && max == 0) {
		if (type != GK_J_INT)
			return NULL;
		min = -GK_INTEGER_MAX;
		max = GK_INTEGER_MAX;
	}
	if (type & (GK_J_INT | GK_J_STRING | GK_J_OBJECT | GK_J_ARRAY) &&
	    (size < min || size > max))
		return "out of range";
	return NULL;
}

/* What a row's range counts. */
static int64_t
measure(const struct gk_member *m)
{
	switch (m->type) {
	case GK_J_INT:
		return m->integer;
	case GK_J_STRING:
		return (int64_t)(m->escaped ? gk_jstr_len(m->value) :
		    m->value.len - 2);
	case GK_J_OBJECT:
	case GK_J_ARRAY:
		return (int64_t)gk_walk_count(m->value);
	default:
		return 0;
	}
}

const char *
gk_field_check(const struct gk_field *f, const struct gk_member *m)
{
	bool counts = f->min != 0 || f->max != 0 || m->type == GK_J_INT;

	return gk_field_judge(f, m->type, counts ? measure(m) : 0);
}

static const char *
judge(const struct gk_field *f, struct gk_member *ret)
{
	if (ret->type == 0)
		return f->flags & GK_F_OPTIONAL ? NULL : "missing";
	if (ret->type == GK_J_NULL && f->flags & GK_F_NULL) {
		memset(ret, 0, sizeof(*ret));
		return NULL;
	}
	return gk_field_check(f, ret);
}

/* A member for each row; how many there are. */
static size_t
pick(const struct gk_scan *s, const struct gk_field *tab, size_t n,
    struct gk_member *ret)
{
	const char *names[NAMES];
	size_t i, k, found = 0;

	for (; n > 0; n -= k, tab += k, ret += k) {
		k = GK_MIN(n, GK_ARRAY_LEN(names));
		for (i = 0; i < k; i++)
			names[i] = tab[i].name;
		found += gk_scan_pick(s, names, k, ret);
	}
	return found;
}

/* The first member that no row names. */
static struct gk_span
unknown_member(const struct gk_scan *s, const struct gk_field *tab, size_t n)
{
	struct gk_member m;
	struct gk_walk w;
	size_t i;

	gk_walk_init(&w, s->text);
	while (gk_walk_next(&w, &m)) {
		for (i = 0; i < n; i++)
			if (gk_jstr_eq(gk_span(m.key.ptr - 1, m.key.len + 2),
			    tab[i].name, strlen(tab[i].name)))
				break;
		if (i == n)
			return m.key;
	}
	return gk_span("", 0);
}

int
gk_fields_scan(const struct gk_scan *s, const struct gk_field *tab, size_t n,
    bool lenient, struct gk_member *ret, struct gk_field_why *why)
{
	struct gk_field_why none;
	size_t i, found;

	if (why == NULL)
		why = &none;
	memset(why, 0, sizeof(*why));
	found = pick(s, tab, n, ret);
	for (i = 0; i < n; i++) {
		why->text = judge(&tab[i], &ret[i]);
		if (why->text != NULL) {
			why->field = &tab[i];
			why->name = gk_span_str(tab[i].name);
			return GENKAN_E_FRAME_MEMBER;
		}
	}
	if (lenient || found == s->total)
		return 0;
	why->name = unknown_member(s, tab, n);
	why->text = "unknown";
	return GENKAN_E_FRAME_MEMBER;
}

int
gk_fields_span(struct gk_span value, const struct gk_field *tab, size_t n,
    bool lenient, struct gk_member *ret, struct gk_field_why *why)
{
	struct gk_member member[REPORTED];
	struct gk_scan s;

	if (value.len == 0 || *value.ptr != '{') {
		if (why != NULL) {
			memset(why, 0, sizeof(*why));
			why->text = "not an object";
		}
		return GENKAN_E_FRAME_MEMBER;
	}
	gk_scan_object(value, member, GK_ARRAY_LEN(member), &s);
	return gk_fields_scan(&s, tab, n, lenient, ret, why);
}
