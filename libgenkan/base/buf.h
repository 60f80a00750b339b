/*
 * A byte queue with a hard ceiling: append at the tail, drop from the head.
 *
 * The ceiling is given once, by whoever knows the protocol, so that no append
 * has to be preceded by a check and no peer can choose how much we allocate.
 * Bytes are wiped when dropped; that costs little and spares every caller the
 * question of whether this particular buffer ever held a token.  Only a buffer
 * that is said to hold traffic, which other buffers hold as well before and
 * after it, is not: of a megabyte it would be a good part of the work.
 *
 * Dropping moves an offset.  Bytes are moved only when the tail has run out of
 * room and at least half as many were dropped as would have to move, so a
 * queue costs constant time a byte however it is used.  For that the memory
 * may exceed the ceiling by half while the live bytes never do.  An emptied
 * buffer gives large blocks back: an idle peer holds at most GK_BUF_KEEP.
 */
#ifndef GK_BASE_BUF_H
#define GK_BASE_BUF_H

#include <stdarg.h>

#include "base/base.h"

#define GK_BUF_KEEP	16384

struct gk_buf {
	struct genkan_ctx	*ctx;
	uint8_t			*ptr;	/* first live byte, NULL without memory */
	size_t			 len;	/* live bytes, <= max */
	size_t			 head;	/* dropped bytes before ptr */
	size_t			 cap;	/* allocated, counted from ptr - head */
	size_t			 max;	/* ceiling, fixed by gk_buf_init() */
	bool			 traffic;	/* not wiped */
};

/* Allocates nothing, cannot fail. */
void	gk_buf_init(struct gk_buf *, struct genkan_ctx *, size_t max);
void	gk_buf_init_traffic(struct gk_buf *, struct genkan_ctx *, size_t max);
/* Wipes and frees; the buffer is empty and usable again. */
void	gk_buf_done(struct gk_buf *);

/*
 * These append.  0, GENKAN_E_NOMEM, or GENKAN_E_FRAME_SIZE at the ceiling; on
 * failure the buffer is unchanged.  Most of what is put is short and has room,
 * and a message is some twenty of it: that much happens without a call.
 */
int	gk_buf_append(struct gk_buf *, const void *, size_t);

static inline bool
gk_buf_has_room(const struct gk_buf *b, size_t n)
{
	return n <= b->cap - b->head - b->len && n <= b->max - b->len;
}

static inline int
gk_buf_put(struct gk_buf *b, const void *src, size_t n)
{
	if (n == 0 || !gk_buf_has_room(b, n))
		return gk_buf_append(b, src, n);
	memcpy(b->ptr + b->len, src, n);
	b->len += n;
	return 0;
}

static inline int
gk_buf_putc(struct gk_buf *b, char c)
{
	return gk_buf_put(b, &c, 1);
}

static inline int
gk_buf_puts(struct gk_buf *b, const char *s)
{
	return gk_buf_put(b, s, strlen(s));
}

static inline int
gk_buf_put_span(struct gk_buf *b, struct gk_span s)
{
	return gk_buf_put(b, s.ptr, s.len);
}

int	gk_buf_putf(struct gk_buf *, const char *fmt, ...) GK_PRINTF(2, 3);
int	gk_buf_vputf(struct gk_buf *, const char *fmt, va_list)
	    GK_PRINTF(2, 0);

/*
 * Room for n more bytes at the tail, for a read() straight into the buffer.
 * *ret is borrowed until the next call; gk_buf_commit() makes the first of
 * them live.  Errors as for gk_buf_put().
 */
int	gk_buf_make_room(struct gk_buf *, size_t n, uint8_t **ret);

static inline int
gk_buf_reserve(struct gk_buf *b, size_t n, uint8_t **ret)
{
	if (b->ptr == NULL || !gk_buf_has_room(b, n))
		return gk_buf_make_room(b, n, ret);
	*ret = b->ptr + b->len;
	return 0;
}

static inline void
gk_buf_commit(struct gk_buf *b, size_t n)
{
	b->len += n;
}

/*
 * For bytes that were read to where gk_buf_reserve() said.  is_own: p lies in
 * the buffer's memory, behind what is live.  adopt: n bytes at p, which is own,
 * are appended; they are moved only if they do not follow what is live, and
 * there is something live.  restart: nothing is live any more, and what p
 * points to, which is own, stays where it is: for bytes behind them that are
 * still to be looked at.  Errors as for gk_buf_put(), but for lack of memory.
 */
static inline bool
gk_buf_is_own(const struct gk_buf *b, const void *p)
{
	const uintptr_t at = (uintptr_t)p, tail = (uintptr_t)b->ptr + b->len;

	return b->ptr != NULL && at >= tail &&
	    at < (uintptr_t)b->ptr - b->head + b->cap;
}

int	gk_buf_adopt(struct gk_buf *, const void *p, size_t n);
void	gk_buf_restart(struct gk_buf *, const void *p);

/* Removes up to n bytes at the head, or everything behind the first n. */
void	gk_buf_drop(struct gk_buf *, size_t n);
void	gk_buf_truncate(struct gk_buf *, size_t n);
void	gk_buf_clear(struct gk_buf *);

/*
 * The live bytes, with a NUL behind them that does not count; yours, freed
 * with gk_free().  The buffer is empty afterwards.  NULL on lack of memory,
 * and then nothing has changed.
 */
uint8_t	*gk_buf_steal(struct gk_buf *, size_t *len);

static inline struct gk_span
gk_buf_span(const struct gk_buf *b)
{
	return gk_span(b->ptr, b->len);
}

#endif
