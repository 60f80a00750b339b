/* See queue.h. */
#include "proto/queue.h"

#include "base/alloc.h"

void
gk_outq_init(struct gk_outq *q, struct genkan_ctx *ctx, size_t max)
{
	memset(q, 0, sizeof(*q));
	q->ctx = ctx;
	q->max = max;
}

/* A segment apart from its bytes; most queues have one at a time. */
static struct gk_seg *
seg_new(struct gk_outq *q)
{
	struct gk_seg *seg = q->spare;

	q->spare = NULL;
	if (seg == NULL)
		seg = gk_malloc(q->ctx, sizeof(*seg));
	if (seg != NULL)
		seg->inl = false;
	return seg;
}

static void
seg_free(struct gk_outq *q, struct gk_seg *seg)
{
	if (!seg->inl) {
		gk_free(q->ctx, seg->ptr);
		if (q->spare == NULL) {
			q->spare = seg;
			return;
		}
	}
	gk_free(q->ctx, seg);
}

static void
seg_unlink(struct gk_outq *q, struct gk_seg *seg)
{
	if (seg->prev != NULL)
		seg->prev->next = seg->next;
	else
		q->head = seg->next;
	if (seg->next != NULL)
		seg->next->prev = seg->prev;
	else
		q->tail = seg->prev;
	q->count--;
}

void
gk_outq_clear(struct gk_outq *q)
{
	struct gk_seg *seg;

	while ((seg = q->head) != NULL) {
		seg_unlink(q, seg);
		seg_free(q, seg);
	}
	gk_free(q->ctx, q->spare);
	q->spare = NULL;
	q->off = 0;
	q->gathered = 0;
	q->held = 0;
}

/* Room for a segment of len bytes: a line may pass the ceiling alone. */
static int
room(const struct gk_outq *q, size_t len)
{
	size_t sum;

	if (!gk_add(q->held, len, &sum))
		return GENKAN_E_FRAME_SIZE;
	if (sum > q->max && q->held > 0)
		return GENKAN_E_FRAME_SIZE;
	return 0;
}

static void
append(struct gk_outq *q, struct gk_seg *seg, uint64_t *ret)
{
	seg->no = ++q->last;
	seg->next = NULL;
	seg->prev = q->tail;
	if (q->tail != NULL)
		q->tail->next = seg;
	else
		q->head = seg;
	q->tail = seg;
	q->count++;
	q->held += seg->len;
	if (ret != NULL)
		*ret = seg->no;
}

/* The head is out, whole. */
static void
finish(struct gk_outq *q)
{
	struct gk_seg *seg = q->head;

	q->done = seg->no;
	q->off = 0;
	seg_unlink(q, seg);
	seg_free(q, seg);
}

/* Empty segments never reach output(), which would offer nothing for ever. */
static void
skip_empty(struct gk_outq *q)
{
	while (q->head != NULL && q->off == q->head->len)
		finish(q);
}

int
gk_outq_putv(struct gk_outq *q, const struct gk_span *v, size_t n,
    uint64_t *ret)
{
	struct gk_seg *seg;
	uint8_t *p;
	size_t i, len = 0, all;
	int r;

	for (i = 0; i < n; i++)
		if (!gk_add(len, v[i].len, &len))
			return GENKAN_E_FRAME_SIZE;
	if (!gk_add(len, sizeof(*seg), &all))
		return GENKAN_E_FRAME_SIZE;
	if ((r = room(q, len)) < 0)
		return r;
	seg = gk_malloc(q->ctx, all);
	if (seg == NULL)
		return GENKAN_E_NOMEM;

	p = (uint8_t *)(seg + 1);
	seg->ptr = p;
	seg->len = len;
	seg->inl = true;
	for (i = 0; i < n; i++) {
		if (v[i].len > 0)
			memcpy(p, v[i].ptr, v[i].len);
		p += v[i].len;
	}
	append(q, seg, ret);
	skip_empty(q);
	return 0;
}

int
gk_outq_put(struct gk_outq *q, const void *ptr, size_t len, uint64_t *ret)
{
	struct gk_span s = gk_span(ptr, len);

	return gk_outq_putv(q, &s, 1, ret);
}

int
gk_outq_puts(struct gk_outq *q, const char *s, uint64_t *ret)
{
	return gk_outq_put(q, s, strlen(s), ret);
}

int
gk_outq_take(struct gk_outq *q, uint8_t *ptr, size_t len, uint64_t *ret)
{
	struct gk_seg *seg;
	int r;

	if ((r = room(q, len)) < 0)
		return r;
	seg = seg_new(q);
	if (seg == NULL)
		return GENKAN_E_NOMEM;
	seg->ptr = ptr;
	seg->len = len;
	append(q, seg, ret);
	skip_empty(q);
	return 0;
}

int
gk_outq_move(struct gk_outq *q, struct gk_buf *b, uint64_t *ret)
{
	struct gk_seg *seg;
	uint8_t *ptr;
	size_t len;
	int r;

	if ((r = room(q, b->len)) < 0)
		return r;
	seg = seg_new(q);
	if (seg == NULL)
		return GENKAN_E_NOMEM;
	ptr = gk_buf_steal(b, &len);
	if (ptr == NULL) {
		q->spare = seg;
		return GENKAN_E_NOMEM;
	}
	seg->ptr = ptr;
	seg->len = len;
	append(q, seg, ret);
	skip_empty(q);
	return 0;
}

int
gk_outq_output(struct gk_outq *q, const void **ptr, size_t *len)
{
	q->gathered = 0;
	if (q->head == NULL) {
		*ptr = NULL;
		*len = 0;
		return 0;
	}
	*ptr = q->head->ptr + q->off;
	*len = q->head->len - q->off;
	return 1;
}

int
gk_outq_gather(struct gk_outq *q, void *buf, size_t size, size_t *len)
{
	const struct gk_seg *seg = q->head;
	uint8_t *to = buf;
	size_t n;

	q->gathered = *len = 0;
	if (seg == NULL || seg->next == NULL || seg->len - q->off > size ||
	    seg->next->len > size - (seg->len - q->off))
		return 0;
	n = seg->len - q->off;
	memcpy(to, seg->ptr + q->off, n);
	while ((seg = seg->next) != NULL && seg->len <= size - n) {
		memcpy(to + n, seg->ptr, seg->len);
		n += seg->len;
	}
	*len = q->gathered = n;
	return 1;
}

void
gk_outq_wrote(struct gk_outq *q, size_t n)
{
	size_t part;

	if (q->head == NULL)
		return;
	n = GK_MIN(n, q->gathered > 0 ? q->gathered : q->head->len - q->off);
	q->gathered = 0;
	while (n > 0 && q->head != NULL) {
		part = GK_MIN(n, q->head->len - q->off);
		q->off += part;
		q->held -= part;
		n -= part;
		skip_empty(q);
	}
}

int
gk_outq_withdraw(struct gk_outq *q, uint64_t handle)
{
	struct gk_seg *seg;

	/* What is withdrawn was put lately: look from the tail. */
	for (seg = q->tail; seg != NULL && seg->no > handle; seg = seg->prev)
		;
	if (seg == NULL || seg->no != handle ||
	    (seg == q->head && q->off > 0))
		return 0;
	q->gathered = 0;
	q->held -= seg->len;
	seg_unlink(q, seg);
	seg_free(q, seg);
	skip_empty(q);
	return 1;
}
