/*
 * Mutators that know what JSON looks like: members are doubled, dropped, moved
 * and renamed, values change their type, numbers go to their edges, strings
 * are spelt in another way or hold what no string may, and what is nested gets
 * deeper.  What plain mutation does to a byte mostly ends at the scanner.
 *
 * The text need not be JSON: whatever looks like a value is one.  Only with
 * libFuzzer; -DGK_FUZZ_PLAIN leaves plain mutation, to compare.
 */
#ifndef GK_TESTS_FUZZ_MUTATE_JSON_H
#define GK_TESTS_FUZZ_MUTATE_JSON_H

#include "mutate.h"

#ifdef GK_FUZZING

#include "json_text.h"
#include "codec/b64.h"

/* With one comma, of those around it. */
static inline void
fz_drop(struct fz_text *t, const struct fz_value *v)
{
	size_t a = v->from, b = v->end;

	if (b < t->n && t->p[b] == ',')
		b++;
	else if (a > 0 && t->p[a - 1] == ',')
		a--;
	fz_splice(t, a, b, NULL, 0);
}

/* Behind v, with a comma. */
static inline void
fz_add(struct fz_text *t, const struct fz_value *v, const void *with,
    size_t len)
{
	const size_t n = t->n;

	fz_splice(t, v->end, v->end, with, len);
	if (t->n > n)
		fz_splice_text(t, v->end, v->end, ",");
}

static inline void
fz_swap(struct fz_text *t, const struct fz_value *a, const struct fz_value *b)
{
	const struct fz_value *x = a->from < b->from ? a : b;
	const struct fz_value *y = x == a ? b : a;
	uint8_t *copy;
	size_t nx = x->end - x->from, ny = y->end - y->from, mid;

	if (x->end > y->from)
		return;		/* one is in the other */
	mid = y->from - x->end;
	copy = malloc(nx + mid + ny + 1);
	MUST(copy != NULL);
	memcpy(copy, t->p + y->from, ny);
	memcpy(copy + ny, t->p + x->end, mid);
	memcpy(copy + ny + mid, t->p + x->from, nx);
	memcpy(t->p + x->from, copy, nx + mid + ny);
	free(copy);
}

/* One more member, of words. */
static inline void
fz_add_words(struct fz_text *t, const struct fz_value *v)
{
	static const char *const value[] = { "1", "0", "true", "false",
		"null", "{}", "[]" };
	char member[2 * FZ_WORD_MAX + 16];
	const char *name = fz_draw_word(t);
	int n;

	if (fz_draw(t, 2))
		n = snprintf(member, sizeof(member), "\"%s\":\"%s\"", name,
		    fz_draw_word(t));
	else
		n = snprintf(member, sizeof(member), "\"%s\":%s", name,
		    FZ_ONE_OF(t, value));
	fz_add(t, v, member, (size_t)n);
}

static inline void
fz_deeper(struct fz_text *t, const struct fz_value *v)
{
	static const unsigned depths[] = { 1, 2, 8, 63, 126, 127, 128 };
	unsigned n = FZ_ONE_OF(t, depths), i;
	bool arrays = fz_draw(t, 2);
	char open[128 * 5], close[128];

	for (i = 0; i < n; i++) {
		memcpy(open + i * (arrays ? 1 : 5), arrays ? "[" : "{\"a\":",
		    arrays ? 1 : 5);
		close[i] = arrays ? ']' : '}';
	}
	if (t->n + n * 6 > t->max)
		return;
	fz_splice(t, v->end, v->end, close, n);
	fz_splice(t, v->start, v->start, open, n * (arrays ? 1 : 5));
}

static inline void
fz_blank(struct fz_text *t, const struct fz_value *v)
{
	static const char *const blank[] = { " ", "\t", "\r", "\n", "\r\n  ",
		"\v", "\xc2\xa0", "," };
	const size_t at = fz_draw(t, 2) ? v->start : v->end;

	fz_splice_text(t, at, at, FZ_ONE_OF(t, blank));
}

static inline void	fz_mutate_text(struct fz_text *);

static inline size_t
fz_encode(char *to, const uint8_t *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
	    "mnopqrstuvwxyz0123456789+/";
	size_t i, k, at = 0;
	uint32_t three;

	for (i = 0; i < n; i += 3) {
		three = (uint32_t)p[i] << 16;
		three |= i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0;
		three |= i + 2 < n ? (uint32_t)p[i + 2] : 0;
		for (k = 0; k < 4; k++)
			to[at++] = k > n - i ? '=' :
			    digits[three >> (18 - 6 * k) & 63];
	}
	return at;
}

/* A string that is base64 of a JSON text: that text is mutated.  False if it
 * is none. */
static inline bool
fz_in_base64(struct fz_text *t, size_t start, size_t end)
{
	const size_t len = end - start - 2;
	struct fz_text in;
	char *text;
	bool ok;

	if (t->within || end - start < 10)
		return false;
	memset(&in, 0, sizeof(in));
	in.within = true;
	in.seed = t->seed | 1;
	in.max = t->max - (t->n - len);
	in.p = malloc(in.max + 4);
	text = malloc(2 * in.max + 8);
	MUST(in.p != NULL && text != NULL);
	ok = gk_b64_decode(GK_B64_STD, (const char *)t->p + start + 1, len,
	    in.p, in.max, &in.n) == 0 && in.p[0] == '{';
	if (ok) {
		fz_mutate_text(&in);
		fz_splice(t, start + 1, end - 1, text,
		    fz_encode(text, in.p, in.n));
	}
	free(text);
	free(in.p);
	return ok;
}

static inline void
fz_plain_part(struct fz_text *t, size_t a, size_t b)
{
	(void)fz_mutate_part(t->p, &t->n, t->max, a, b - a, 0);
}

static inline void
fz_mutate_value(struct fz_text *t, const struct fz_value *v,
    const struct fz_value *w)
{
	const bool string = t->p[v->start] == '"' && v->end > v->start + 1;

	if (string && fz_draw(t, 4) > 0 &&
	    fz_in_base64(t, v->start, v->end))
		return;
	switch (fz_draw(t, 18)) {
	case 0: case 1:
		fz_drop(t, v);
		break;
	case 2:
		fz_add(t, v, t->p + v->from, v->end - v->from);
		break;
	case 3:		/* a member from elsewhere */
		fz_add(t, v, t->p + w->from, w->end - w->from);
		break;
	case 4:		/* a value from elsewhere */
		fz_splice(t, v->start, v->end, t->p + w->start,
		    w->end - w->start);
		break;
	case 5:		/* a name from elsewhere */
		if (v->from < v->start && w->from < w->start)
			fz_splice(t, v->from, v->start, t->p + w->from,
			    w->start - w->from);
		break;
	case 6:
		fz_swap(t, v, w);
		break;
	case 7:
		if (v->from < v->start) {
			fz_string(t, v->from, fz_string_end(t, v->from));
			break;
		}
		/* FALLTHROUGH */
	case 8: case 9:
		if (string)
			fz_string(t, v->start, v->end);
		else
			fz_number(t, v);
		break;
	case 10: case 11:
		fz_other_value(t, v);
		break;
	case 12:
		fz_deeper(t, v);
		break;
	case 13:
		fz_blank(t, v);
		break;
	case 14:
		t->n = fz_draw(t, 2) ? v->start : v->end;
		break;
	case 15: case 16:
		fz_add_words(t, v);
		break;
	default:	/* what is in the quotes, with the dictionary */
		fz_plain_part(t, v->start + string, v->end - string);
	}
}

/* ------------------------------------------------------------------- entries */

/* The first other value from there on that has the name of v. */
static inline const struct fz_value *
fz_namesake(const struct fz_text *t, const struct fz_value *v, size_t from)
{
	const size_t len = v->start - v->from;
	const struct fz_value *w;
	size_t i;

	for (i = 0; i < (size_t)t->count; i++) {
		w = &t->v[(from + i) % (size_t)t->count];
		if (w != v && w->start - w->from == len &&
		    memcmp(t->p + w->from, t->p + v->from, len) == 0)
			return w;
	}
	return &t->v[from];
}

static inline void
fz_mutate_text(struct fz_text *t)
{
	const struct fz_value *v;
	size_t i, times, other;

	times = 1 + (fz_draw(t, 8) == 0);
	for (i = 0; i < times && t->n > 0; i++) {
		fz_find(t);
		if (t->count == 0)
			break;
		v = &t->v[fz_draw(t, (size_t)t->count)];
		other = fz_draw(t, (size_t)t->count);
		fz_mutate_value(t, v, fz_draw(t, 2) ? &t->v[other] :
		    fz_namesake(t, v, other));
	}
}

/* One JSON text in the n bytes at data + at; returns how many they are now. */
static inline size_t
fz_mutate_json(uint8_t *data, size_t *size, size_t max, size_t at, size_t n,
    unsigned seed)
{
	const size_t tail = *size - at - n;
	struct fz_text t;

#ifdef GK_FUZZ_PLAIN
	return fz_mutate_part(data, size, max, at, n, seed);
#endif
	if (n == 0)
		return fz_mutate_part(data, size, max, at, n, seed);
	memset(&t, 0, sizeof(t));
	t.max = max - at - tail;
	t.seed = seed * 2654435761u | 1;
	t.p = malloc(t.max + 1);
	MUST(t.p != NULL);
	memcpy(t.p, data + at, n);
	t.n = n;
	fz_mutate_text(&t);
	memmove(data + at + t.n, data + at + n, tail);
	memcpy(data + at, t.p, t.n);
	*size = at + t.n + tail;
	free(t.p);
	return t.n;
}

/* Lines from data + at to the end: one of them is mutated, doubled, dropped,
 * moved to the end, or loses its line feed. */
static inline void
fz_mutate_lines(uint8_t *data, size_t *size, size_t max, size_t at,
    unsigned seed)
{
	size_t starts[FZ_FRAMES], n = 0, i, a, b;
	struct fz_text t;

#ifdef GK_FUZZ_PLAIN
	(void)fz_mutate_part(data, size, max, at, *size - at, seed);
	return;
#endif
	memset(&t, 0, sizeof(t));
	t.p = data;
	t.n = *size;
	t.max = max;
	t.seed = seed * 2654435761u | 1;
	for (i = at; i < *size && n < FZ_FRAMES; i++)
		if (i == at || data[i - 1] == '\n')
			starts[n++] = i;
	if (n == 0)
		return;
	i = fz_draw(&t, n);
	a = starts[i];
	b = i + 1 < n ? starts[i + 1] : *size;
	switch (fz_draw(&t, 12)) {
	case 0:
		fz_splice(&t, a, b, NULL, 0);
		break;
	case 1:
		fz_splice(&t, a, a, data + a, b - a);
		break;
	case 2:
		if (*size + b - a <= max && data[b - 1] == '\n') {
			fz_splice(&t, t.n, t.n, data + a, b - a);
			fz_splice(&t, a, b, NULL, 0);
		}
		break;
	case 3:
		fz_splice_text(&t, b, b, "\n");
		break;
	default:
		b -= data[b - 1] == '\n';
		(void)fz_mutate_json(data, &t.n, max, a, b - a,
		    (unsigned)fz_draw(&t, 1u << 30));
	}
	*size = t.n;
}

/* The mutator of a target whose input is one JSON text, or lines of them
 * behind `skip` bytes. */
#ifdef GK_FUZZ_PLAIN
#define FZ_JSON_MUTATOR
#define FZ_LINES_MUTATOR(skip)
#else
#define FZ_JSON_MUTATOR							\
size_t									\
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,		\
    unsigned seed)							\
{									\
	if (size == 0 || seed % 4 == 0)					\
		return LLVMFuzzerMutate(data, size, max);		\
	(void)fz_mutate_json(data, &size, max, 0, size, seed / 4);	\
	return size;							\
}

#define FZ_LINES_MUTATOR(skip)						\
size_t									\
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,		\
    unsigned seed)							\
{									\
	if (size <= (skip) || seed % 4 == 0)				\
		return LLVMFuzzerMutate(data, size, max);		\
	fz_mutate_lines(data, &size, max, (skip), seed / 4);		\
	return size;							\
}
#endif

#else
#define FZ_JSON_MUTATOR
#define FZ_LINES_MUTATOR(skip)
#endif
#endif
