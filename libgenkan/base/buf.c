#include "base/buf.h"

#include <stdio.h>

#include "base/alloc.h"

#define FIRST	256	/* smallest block */

static uint8_t *
block(const struct gk_buf *b)
{
	return b->ptr == NULL ? NULL : b->ptr - b->head;
}

void
gk_buf_init(struct gk_buf *b, struct genkan_ctx *ctx, size_t max)
{
	memset(b, 0, sizeof(*b));
	b->ctx = ctx;
	b->max = max;
}

void
gk_buf_init_traffic(struct gk_buf *b, struct genkan_ctx *ctx, size_t max)
{
	gk_buf_init(b, ctx, max);
	b->traffic = true;
}

static void
wipe(const struct gk_buf *b, void *p, size_t n)
{
	if (!b->traffic)
		gk_wipe(p, n);
}

void
gk_buf_done(struct gk_buf *b)
{
	if (b->ptr == NULL)
		return;
	/* What was dropped is wiped already. */
	wipe(b, b->ptr, b->len);
	gk_free(b->ctx, block(b));
	b->ptr = NULL;
	b->len = b->head = b->cap = 0;
}

/* Live bytes to the start of the block. */
static void
slide(struct gk_buf *b)
{
	uint8_t *start = block(b);
	size_t stale;

	if (b->head == 0)
		return;
	memmove(start, b->ptr, b->len);
	stale = GK_MIN(b->head, b->len);
	wipe(b, start + b->head + b->len - stale, stale);
	b->ptr = start;
	b->head = 0;
}

/* Not realloc(): that would leave a copy of the bytes behind. */
static int
grow(struct gk_buf *b, size_t need)
{
	size_t cap, limit;
	uint8_t *p;

	/* Half the ceiling as slack, once that is reached, keeps a full queue,
	 * drained and filled a little at a time, from sliding every time. */
	limit = b->max;
	if (b->cap >= b->max && !gk_add(b->max, b->max / 2, &limit))
		limit = SIZE_MAX;
	cap = b->cap > limit / 2 ? limit : GK_MAX(b->cap * 2, FIRST);
	cap = GK_MAX(GK_MIN(cap, limit), need);
	if ((p = gk_malloc(b->ctx, cap)) == NULL)
		return GENKAN_E_NOMEM;
	if (b->ptr != NULL) {
		memcpy(p, b->ptr, b->len);
		wipe(b, b->ptr, b->len);
		gk_free(b->ctx, block(b));
	}
	b->ptr = p;
	b->head = 0;
	b->cap = cap;
	return 0;
}

int
gk_buf_make_room(struct gk_buf *b, size_t n, uint8_t **ret)
{
	int r;

	if (n > b->max - b->len)
		return GENKAN_E_FRAME_SIZE;
	if (b->ptr == NULL || n > b->cap - b->head - b->len) {
		if (b->ptr != NULL && b->head >= b->len / 2 &&
		    b->len + n <= b->cap)
			slide(b);
		else if ((r = grow(b, b->len + n)) < 0)
			return r;
	}
	*ret = b->ptr + b->len;
	return 0;
}

int
gk_buf_append(struct gk_buf *b, const void *src, size_t n)
{
	uint8_t *p;
	int r;

	if (n == 0)
		return 0;
	if ((r = gk_buf_make_room(b, n, &p)) < 0)
		return r;
	memcpy(p, src, n);
	b->len += n;
	return 0;
}

int
gk_buf_putf(struct gk_buf *b, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = gk_buf_vputf(b, fmt, ap);
	va_end(ap);
	return r;
}

int
gk_buf_vputf(struct gk_buf *b, const char *fmt, va_list ap)
{
	char small[256], *big;
	va_list again;
	int n, r;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0) {
		r = GENKAN_E_INTERNAL;
	} else if ((size_t)n < sizeof(small)) {
		r = gk_buf_put(b, small, (size_t)n);
	} else if ((big = gk_malloc(b->ctx, (size_t)n + 1)) == NULL) {
		r = GENKAN_E_NOMEM;
	} else {
		(void)vsnprintf(big, (size_t)n + 1, fmt, again);
		r = gk_buf_put(b, big, (size_t)n);
		gk_free_wiped(b->ctx, big, (size_t)n);
	}
	va_end(again);
	gk_wipe(small, sizeof(small));
	return r;
}

/* No live byte is left; an idle buffer keeps little. */
static void
rest(struct gk_buf *b)
{
	if (b->cap > GK_BUF_KEEP) {
		gk_buf_done(b);
		return;
	}
	b->ptr = block(b);
	b->head = 0;
}

void
gk_buf_restart(struct gk_buf *b, const void *p)
{
	const size_t n = (size_t)((const uint8_t *)p - b->ptr);

	wipe(b, b->ptr, b->len);
	b->ptr += n;
	b->head += n;
	b->len = 0;
}

int
gk_buf_adopt(struct gk_buf *b, const void *p, size_t n)
{
	if (n > b->max - b->len)
		return GENKAN_E_FRAME_SIZE;
	if (b->len == 0)
		gk_buf_restart(b, p);
	else if (p != b->ptr + b->len)
		memmove(b->ptr + b->len, p, n);
	b->len += n;
	return 0;
}

void
gk_buf_drop(struct gk_buf *b, size_t n)
{
	n = GK_MIN(n, b->len);
	if (n == 0)
		return;
	wipe(b, b->ptr, n);
	b->ptr += n;
	b->head += n;
	b->len -= n;
	if (b->len == 0)
		rest(b);
}

void
gk_buf_truncate(struct gk_buf *b, size_t n)
{
	if (n >= b->len)
		return;
	wipe(b, b->ptr + n, b->len - n);
	b->len = n;
	if (n == 0)
		rest(b);
}

void
gk_buf_clear(struct gk_buf *b)
{
	if (b->ptr == NULL)
		return;
	wipe(b, b->ptr, b->len);
	b->len = 0;
	rest(b);
}

uint8_t *
gk_buf_steal(struct gk_buf *b, size_t *len)
{
	size_t size;
	uint8_t *p;

	if (!gk_add(b->len, 1, &size))
		return NULL;
	if (b->cap >= size) {
		slide(b);
		p = b->ptr;
		b->ptr = NULL;
	} else {
		if ((p = gk_malloc(b->ctx, size)) == NULL)
			return NULL;
		if (b->len > 0)
			memcpy(p, b->ptr, b->len);
	}
	p[b->len] = '\0';
	*len = b->len;
	gk_buf_done(b);
	b->len = b->head = b->cap = 0;
	return p;
}
