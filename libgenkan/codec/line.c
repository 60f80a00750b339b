#include "codec/line.h"

/* What is reserved at most for bytes that have not come. */
#define AHEAD	((size_t)2 << 20)

void
gk_line_init(struct gk_line *l, struct genkan_ctx *ctx, size_t cap,
    enum gk_line_mode mode, bool borrow)
{
	memset(l, 0, sizeof(*l));
	if (mode == GK_LINE_SETUP)
		gk_buf_init(&l->held, ctx, cap);
	else
		gk_buf_init_traffic(&l->held, ctx, cap);
	l->cap = cap;
	l->mode = (uint8_t)mode;
	l->borrow = borrow;
}

void
gk_line_done(struct gk_line *l)
{
	gk_buf_done(&l->held);
	l->line = gk_span(NULL, 0);
	l->ready = false;
}

void
gk_line_set_cap(struct gk_line *l, size_t cap)
{
	l->cap = cap;
	l->held.max = cap;
}

/* What is held is over.  The fed bytes may lie behind it. */
static void
forget(struct gk_line *l, const char *fed)
{
	if (gk_buf_is_own(&l->held, fed))
		gk_buf_restart(&l->held, fed);
	else
		gk_buf_clear(&l->held);
}

static int
hold(struct gk_line *l, struct gk_span s)
{
	return gk_buf_is_own(&l->held, s.ptr) ?
	    gk_buf_adopt(&l->held, s.ptr, s.len) :
	    gk_buf_put_span(&l->held, s);
}

/* The line that was handed out, or a blank one, is over. */
static void
next(struct gk_line *l, const char *fed)
{
	forget(l, fed);
	l->line = gk_span(NULL, 0);
	l->ready = false;
	l->seen = 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Blanks in front of a line are counted by the caller and not kept. */
static struct gk_span
cut_front(struct gk_span s)
{
	while (s.len > 0 && is_blank(*s.ptr)) {
		s.ptr++;
		s.len--;
	}
	return s;
}

static bool
finish(struct gk_line *l, struct gk_span s)
{
	while (s.len > 0 && s.ptr[s.len - 1] == '\r')
		s.len--;
	if (s.len == 0) {
		next(l, s.ptr);
		return false;
	}
	l->line = s;
	l->ready = true;
	return true;
}

/* The rest of the current line, its LF not among it.  1: a line is ready. */
static int
complete(struct gk_line *l, struct gk_span rest)
{
	int r;

	if (l->held.len == 0)
		rest = cut_front(rest);
	if (l->held.len == 0 && l->borrow)
		return finish(l, rest);
	if ((r = hold(l, rest)) < 0)
		return r;
	l->last = l->held.len;
	return finish(l, gk_buf_span(&l->held));
}

/* Who sent a large line sends another, a little longer perhaps: it is not moved
 * each time its buffer grows.  Only a hint. */
static void
expect(struct gk_line *l)
{
	uint8_t *p;

	(void)gk_buf_reserve(&l->held, GK_MIN(l->last + l->last / 16,
	    AHEAD), &p);
}

static int
partial(struct gk_line *l, struct gk_span part)
{
	l->seen += part.len;
	if (l->held.len == 0) {
		part = cut_front(part);
		if (part.len > 0 && part.len < l->last &&
		    !gk_buf_is_own(&l->held, part.ptr))
			expect(l);
	}
	return hold(l, part);
}

/* The cap was passed. */
static int
too_long(struct gk_line *l, const char *fed)
{
	forget(l, fed);
	l->seen = 0;
	if (l->mode == GK_LINE_STDIO)
		l->skipping = true;
	else
		l->err = GENKAN_E_LINE_SIZE;
	return GENKAN_E_LINE_SIZE;
}

/* Bytes up to the next LF, or all; *lf tells which. */
static size_t
span_to_lf(const char *p, size_t len, bool *lf)
{
	const char *hit = len == 0 ? NULL : memchr(p, '\n', len);

	*lf = hit != NULL;
	return hit == NULL ? len : (size_t)(hit - p);
}

/* One line or the beginning of one.  1, 0 or an error; *used moves on. */
static int
step(struct gk_line *l, const char *p, size_t len, size_t *used)
{
	size_t room, n;
	bool lf;
	int r;

	if (l->skipping) {
		n = span_to_lf(p, len, &lf);
		*used += n + lf;
		l->skipping = !lf;
		return 0;
	}
	/* Nothing is looked at beyond the byte that passes the cap. */
	room = l->cap > l->seen ? l->cap - l->seen : 0;
	n = span_to_lf(p, len > room ? room + 1 : len, &lf);
	if (n > room || (lf && n == room)) {
		*used += room + 1;
		r = too_long(l, p);
		if (lf)
			l->skipping = false;
		return r;
	}
	*used += n + lf;
	r = lf ? complete(l, gk_span(p, n)) : partial(l, gk_span(p, n));
	if (r < 0)
		l->err = r;
	return r;
}

int
gk_line_feed(struct gk_line *l, const void *bytes, size_t len, size_t *used)
{
	const char *p = bytes;
	int r = 0;

	*used = 0;
	if (l->err < 0)
		return l->err;
	if (l->ready)
		next(l, p);
	while (r == 0 && *used < len)
		r = step(l, p + *used, len - *used, used);
	l->behind = *used < len && gk_buf_is_own(&l->held, p + *used);
	/* What was blank or over-long, behind a large line, is not waited for
	 * in its memory. */
	if (!l->ready && !l->behind && l->held.len == 0)
		gk_buf_clear(&l->held);
	return r;
}

void
gk_line_over(struct gk_line *l)
{
	if (l->ready && !l->behind)
		next(l, NULL);
}

size_t
gk_line_room(struct gk_line *l, size_t least, void **ret)
{
	struct gk_buf *b = &l->held;
	uint8_t *p;

	if (l->err < 0 || l->ready || l->mode == GK_LINE_SETUP ||
	    b->len < least || l->cap - l->seen < least)
		return 0;
	/* As much again as has come. */
	if (b->cap - b->head - b->len < least && gk_buf_reserve(b,
	    GK_MIN(b->len, b->max - b->len), &p) < 0)
		return 0;
	*ret = b->ptr + b->len;
	return GK_MIN(b->cap - b->head - b->len, l->cap - l->seen);
}

int
gk_line_eof(struct gk_line *l)
{
	int r = 0;

	if (l->err < 0)
		return l->err;
	if (l->ready)
		next(l, NULL);
	if (l->mode == GK_LINE_STDIO && l->held.len > 0)
		r = finish(l, gk_buf_span(&l->held));
	else
		next(l, NULL);
	l->skipping = false;
	return r;
}

struct gk_span
gk_line_get(const struct gk_line *l)
{
	return l->line;
}

bool
gk_line_partial(const struct gk_line *l)
{
	return !l->ready && (l->seen > 0 || l->skipping);
}
