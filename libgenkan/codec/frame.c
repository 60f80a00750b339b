#include "codec/frame.h"

#define MORE	2	/* bytes behind a frame that is taken */
#define AHEAD	4	/* room for so many times what has come */

void
gk_frame_init(struct gk_frame *f, struct genkan_ctx *ctx, uint32_t max,
    bool borrow)
{
	memset(f, 0, sizeof(*f));
	gk_buf_init(&f->body, ctx, max);
	f->max = max;
	f->borrow = borrow;
}

void
gk_frame_done(struct gk_frame *f)
{
	gk_buf_done(&f->body);
	f->frame = gk_span(NULL, 0);
	f->ready = false;
}

/* The frame that was handed out is over. */
static void
next(struct gk_frame *f)
{
	gk_buf_clear(&f->body);
	f->frame = gk_span(NULL, 0);
	f->ready = false;
	f->nprefix = 0;
	f->size = 0;
}

/* Up to four bytes of the length; true when it is complete and acceptable. */
static bool
prefix(struct gk_frame *f, const uint8_t *p, size_t len, size_t *used)
{
	while (f->nprefix < GK_FRAME_PREFIX && *used < len)
		f->prefix[f->nprefix++] = p[(*used)++];
	if (f->nprefix < GK_FRAME_PREFIX)
		return false;
	f->size = (uint32_t)f->prefix[0] | (uint32_t)f->prefix[1] << 8 |
	    (uint32_t)f->prefix[2] << 16 | (uint32_t)f->prefix[3] << 24;
	if (f->size == 0)
		f->err = GENKAN_E_FRAME_EMPTY;
	else if (f->size > f->max)
		f->err = GENKAN_E_FRAME_SIZE;
	/* Growing ends there: no block larger than the frame and what
	 * gk_frame_take() promises. */
	f->body.max = (size_t)f->size + MORE;
	return f->err == 0;
}

/*
 * Room for the whole frame once a quarter of it has come, and for four times
 * what has come before that, so that a frame in small pieces is moved seldom;
 * what is reserved ahead never exceeds three times what has arrived.
 */
static int
reserve(struct gk_frame *f, size_t come)
{
	const size_t have = f->body.len;
	uint8_t *tail;

	return gk_buf_reserve(&f->body, GK_MIN(AHEAD * come, f->body.max) -
	    have, &tail);
}

static size_t
spare(const struct gk_frame *f)
{
	return f->body.cap - f->body.head - f->body.len;
}

static int
hold(struct gk_frame *f, const uint8_t *p, size_t n)
{
	int r;

	if (gk_buf_is_own(&f->body, p))
		return gk_buf_adopt(&f->body, p, n);
	if (n > spare(f) && (r = reserve(f, f->body.len + n)) < 0)
		return r;
	return gk_buf_put(&f->body, p, n);
}

size_t
gk_frame_room(struct gk_frame *f, size_t least, void **ret)
{
	const size_t have = f->body.len, rest = f->size - have;

	/* At the first bytes four times of them would be no place, and a block
	 * that grows before it is full would be more than that. */
	if (f->err < 0 || f->ready || have < least || rest < least)
		return 0;
	if (spare(f) < least && reserve(f, have) < 0)
		return 0;
	*ret = f->body.ptr + f->body.len;
	return GK_MIN(rest, spare(f));
}

static int
body(struct gk_frame *f, const uint8_t *p, size_t len, size_t *used)
{
	size_t n = GK_MIN(len - *used, f->size - f->body.len);

	if (f->borrow && n == f->size) {
		f->frame = gk_span(p + *used, n);
		*used += n;
	} else {
		if ((f->err = hold(f, p + *used, n)) < 0)
			return f->err;
		*used += n;
		if (f->body.len < f->size)
			return 0;
		f->frame = gk_buf_span(&f->body);
	}
	f->ready = true;
	return 1;
}

int
gk_frame_feed(struct gk_frame *f, const void *bytes, size_t len, size_t *used)
{
	*used = 0;
	if (f->err < 0)
		return f->err;
	if (f->ready)
		next(f);
	if (len == 0)
		return 0;
	if (f->nprefix < GK_FRAME_PREFIX && !prefix(f, bytes, len, used))
		return f->err;
	return body(f, bytes, len, used);
}

struct gk_span
gk_frame_get(const struct gk_frame *f)
{
	return f->frame;
}

bool
gk_frame_take(struct gk_frame *f, struct gk_buf *ret)
{
	if (!f->ready || f->body.len < f->size)
		return false;
	*ret = f->body;
	gk_buf_init(&f->body, ret->ctx, 0);
	f->frame = gk_span(NULL, 0);
	return true;
}

void
gk_frame_over(struct gk_frame *f)
{
	if (f->ready)
		next(f);
}

int
gk_frame_eof(const struct gk_frame *f)
{
	if (f->ready || f->nprefix == 0)
		return GK_FRAME_EOF_CLEAN;
	return f->nprefix < GK_FRAME_PREFIX ? GK_FRAME_EOF_PREFIX :
	    GK_FRAME_EOF_BODY;
}

void
gk_frame_header(uint8_t ret[GK_FRAME_PREFIX], uint32_t len)
{
	ret[0] = (uint8_t)len;
	ret[1] = (uint8_t)(len >> 8);
	ret[2] = (uint8_t)(len >> 16);
	ret[3] = (uint8_t)(len >> 24);
}

int
gk_frame_put(struct gk_buf *b, const void *json, size_t len, uint32_t max)
{
	size_t size;
	uint8_t *p;
	int r;

	if (len == 0)
		return GENKAN_E_FRAME_EMPTY;
	if (len > max || !gk_add(len, GK_FRAME_PREFIX, &size))
		return GENKAN_E_FRAME_SIZE;
	if ((r = gk_buf_reserve(b, size, &p)) < 0)
		return r;
	gk_frame_header(p, (uint32_t)len);
	memcpy(p + GK_FRAME_PREFIX, json, len);
	gk_buf_commit(b, size);
	return 0;
}
