/* See held.h. */
#include "engine/held.h"

#include "base/alloc.h"
#include "proto/mcp.h"

void
gk_heldq_init(struct gk_heldq *q, struct genkan_ctx *ctx)
{
	memset(q, 0, sizeof(*q));
	q->ctx = ctx;
}

int
gk_heldq_add(struct gk_heldq *q, struct gk_mcp_call *call)
{
	struct gk_held *h;
	int r;

	h = gk_calloc(q->ctx, 1, sizeof(*h));
	if (h == NULL)
		return GENKAN_E_NOMEM;
	if ((r = gk_mcp_keep(call)) < 0) {
		gk_free(q->ctx, h);
		return r;
	}
	h->call = call;
	h->bytes = call->line.len;
	h->prev = q->tail;
	if (q->tail != NULL)
		q->tail->next = h;
	else
		q->head = h;
	q->tail = h;
	q->count++;
	q->unsent += h->bytes;
	call->user = h;
	return 0;
}

struct gk_held *
gk_heldq_find(const struct gk_heldq *q, uint64_t no)
{
	struct gk_held *h;

	for (h = q->head; h != NULL; h = h->next)
		if (h->state != GK_HELD && h->no == no)
			return h;
	return NULL;
}

void
gk_heldq_forwarded(struct gk_heldq *q, struct gk_held *h)
{
	h->state = GK_HELD_FORWARDED;
	q->unsent -= h->bytes;
	gk_mcp_shed(h->call);
}

void
gk_heldq_requeue(struct gk_heldq *q)
{
	struct gk_held *h;

	for (h = q->head; h != NULL; h = h->next)
		if (h->state == GK_HELD_QUEUED) {
			h->state = GK_HELD;
			h->no = 0;
			h->handle = 0;
		}
}

void
gk_heldq_remove(struct gk_heldq *q, struct gk_held *h)
{
	if (h->state != GK_HELD_FORWARDED)
		q->unsent -= h->bytes;
	if (h->prev != NULL)
		h->prev->next = h->next;
	else
		q->head = h->next;
	if (h->next != NULL)
		h->next->prev = h->prev;
	else
		q->tail = h->prev;
	q->count--;
	h->call->user = NULL;
	gk_free(q->ctx, h);
}
