/*
 * The output of one leg: whole lines or frames, in order, each an owned block
 * that is moved in or copied once, never joined with its neighbours but in the
 * copy that gk_outq_gather() makes for a writer.
 *
 * Every segment has a number, from 1, never reused: its handle.  "The LF of
 * this line was handed to the system" is gk_outq_written(q, handle), whatever
 * was withdrawn meanwhile.  A segment of which no byte went out yet can be
 * withdrawn; one half out cannot, since nothing can follow a torn line.
 *
 * The ceiling counts bytes that wait.  A single segment may pass it when the
 * queue is empty, so that a ceiling below the largest line still lets that line
 * through; callers use gk_outq_room() to stop reading long before.
 */
#ifndef GK_PROTO_QUEUE_H
#define GK_PROTO_QUEUE_H

#include "base/buf.h"

struct gk_seg {
	struct gk_seg	*next;
	struct gk_seg	*prev;
	uint64_t	 no;		/* the handle */
	uint8_t		*ptr;		/* owned, or behind this struct */
	size_t		 len;
	bool		 inl;		/* ptr lies behind this struct */
};

struct gk_outq {
	struct genkan_ctx *ctx;
	struct gk_seg	*head;
	struct gk_seg	*tail;
	size_t		 off;		/* bytes of the head that went out */
	size_t		 gathered;	/* bytes of the last gather(), or 0 */
	size_t		 held;		/* bytes not yet out, over all */
	size_t		 max;
	size_t		 count;		/* segments */
	uint64_t	 last;		/* number given last, 0 for none */
	uint64_t	 done;		/* highest number that is wholly out */
	struct gk_seg	*spare;		/* that went out, for the next one */
};

/* Allocates nothing. */
void	gk_outq_init(struct gk_outq *, struct genkan_ctx *, size_t max);
/* Frees everything; the queue is empty, its numbers go on. */
void	gk_outq_clear(struct gk_outq *);

/*
 * Append one segment.  put copies; puts adds nothing, a line ends in its own
 * LF; putv joins n pieces into one segment, so that one line is one write.
 * move takes the buffer's memory, which is empty afterwards; take takes
 * a block of gk_malloc(); on failure both are still yours.
 *
 * 0, GENKAN_E_NOMEM, or GENKAN_E_FRAME_SIZE at the ceiling.  *ret, the handle,
 * may be NULL.  Empty segments are accepted and are written at once.
 */
int	gk_outq_put(struct gk_outq *, const void *, size_t, uint64_t *ret);
int	gk_outq_putv(struct gk_outq *, const struct gk_span *, size_t n,
	    uint64_t *ret);
int	gk_outq_puts(struct gk_outq *, const char *, uint64_t *ret);
int	gk_outq_move(struct gk_outq *, struct gk_buf *, uint64_t *ret);
int	gk_outq_take(struct gk_outq *, uint8_t *, size_t, uint64_t *ret);

/* The rest of the head: 1, or 0 when the queue is empty. */
int	gk_outq_output(struct gk_outq *, const void **ptr, size_t *len);
/*
 * The same for several: copies the rest of the head and the segments behind it,
 * whole ones, as many as size takes.  1 and how much, or 0 when fewer than two
 * fit; then the head is to be had from output().
 */
int	gk_outq_gather(struct gk_outq *, void *buf, size_t size, size_t *len);
/* At most what output() or gather() offered, whichever was asked last; more is
 * cut down to that. */
void	gk_outq_wrote(struct gk_outq *, size_t);

/* Removes a segment of which no byte went out: 1, else 0. */
int	gk_outq_withdraw(struct gk_outq *, uint64_t handle);

static inline bool
gk_outq_empty(const struct gk_outq *q)
{
	return q->head == NULL;
}

/* Wholly handed to the system?  Not for a handle that was withdrawn. */
static inline bool
gk_outq_written(const struct gk_outq *q, uint64_t handle)
{
	return handle <= q->done;
}

/* Some of its bytes went out, but not all. */
static inline bool
gk_outq_torn(const struct gk_outq *q, uint64_t handle)
{
	return q->head != NULL && q->off > 0 && q->head->no == handle;
}

/* Bytes that can be put before the ceiling. */
static inline size_t
gk_outq_room(const struct gk_outq *q)
{
	return q->held < q->max ? q->max - q->held : 0;
}

#endif
