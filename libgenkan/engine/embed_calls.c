/* The calls of a client: held, queued, sent, answered. */
#include "engine/embed_impl.h"

#include "proto/mcpc.h"

/* ------------------------------------------------------------------- lists */

static void
append(struct gk_ecalls *l, struct gk_ecall *c)
{
	c->next = NULL;
	c->prev = l->tail;
	if (l->tail != NULL)
		l->tail->next = c;
	else
		l->head = c;
	l->tail = c;
	l->n++;
}

static void
prepend(struct gk_ecalls *l, struct gk_ecall *c)
{
	c->prev = NULL;
	c->next = l->head;
	if (l->head != NULL)
		l->head->prev = c;
	else
		l->tail = c;
	l->head = c;
	l->n++;
}

static void
take_out(struct gk_ecalls *l, struct gk_ecall *c)
{
	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		l->head = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	else
		l->tail = c->prev;
	c->next = NULL;
	c->prev = NULL;
	l->n--;
}

static struct gk_ecalls *
list_of(struct gk_embed *e, const struct gk_ecall *c)
{
	switch (c->state) {
	case GK_ECALL_HELD:
		return &e->held;
	case GK_ECALL_QUEUED:
	case GK_ECALL_SENT:
		return &e->flight;
	case GK_ECALL_ANSWERED:
	default:
		return &e->answered;
	}
}

static void
drop_line(struct gk_embed *e, struct gk_ecall *c)
{
	if (c->line == NULL)
		return;
	e->unsent -= c->len;
	gk_free_wiped(e->ctx, c->line, c->len);
	c->line = NULL;
	c->len = 0;
}

static void
forget_asked(struct gk_embed *e, struct gk_ecall *c)
{
	if (c->asked)
		e->asked--;
	c->asked = false;
}

/* One that is in no list and not in the map any more. */
void
gk_ecall_free(struct gk_embed *e, struct gk_ecall *c)
{
	if (c == NULL)
		return;
	drop_line(e, c);
	forget_asked(e, c);
	if (c->result != NULL)
		gk_free_wiped(e->ctx, c->result, c->result_len);
	gk_buf_done(&c->text);
	gk_free(e->ctx, c);
}

static void
drop(struct gk_embed *e, struct gk_ecall *c)
{
	take_out(list_of(e, c), c);
	(void)gk_umap_del(&e->by_id, c->id);
	if (c->state == GK_ECALL_ANSWERED)
		e->unpulled -= c->result_len;
	gk_ecall_free(e, c);
}

void
gk_embed_drop_calls(struct gk_embed *e)
{
	struct gk_ecalls *all[] = { &e->held, &e->flight, &e->answered };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(all); i++)
		while (all[i]->head != NULL)
			drop(e, all[i]->head);
	gk_ecall_free(e, e->pulled);
	e->pulled = NULL;
}

/* --------------------------------------------------------------------- new */

static int
write_line(struct gk_embed *e, struct gk_ecall *c, struct gk_span tool,
    struct gk_span args)
{
	struct gk_buf b;
	int r;

	gk_buf_init(&b, e->ctx, GK_BRIDGE_LINE_MAX);
	r = tool.ptr == NULL ? gk_mcpc_list(&b, c->id) :
	    gk_mcpc_call(&b, c->id, tool, args);
	if (r == 0 && (c->line = gk_buf_steal(&b, &c->len)) == NULL)
		r = GENKAN_E_NOMEM;
	gk_buf_done(&b);
	return r == GENKAN_E_FRAME_SIZE ? GENKAN_E_TOO_LARGE : r;
}

static void
limit(struct gk_embed *e, struct gk_ecall *c, int64_t ms)
{
	c->at = gk_clock_first(c->at, gk_clock_after(e->ctx, ms));
	e->soonest = GK_MIN(e->soonest, c->at);
}

int
gk_embed_call(struct gk_embed *e, struct gk_span tool, struct gk_span args,
    int64_t timeout_ms, uint64_t *ret)
{
	struct gk_ecall *c;
	int r;

	if (gk_embed_outstanding(e) >= GK_CLIENT_CALLS_MAX)
		return GENKAN_E_LIMIT;
	c = gk_calloc(e->ctx, 1, sizeof(*c));
	if (c == NULL)
		return GENKAN_E_NOMEM;
	gk_buf_init(&c->text, e->ctx, GK_MCP_LINE_OUT_MAX);
	c->id = e->last + 1;
	c->list = tool.ptr == NULL;
	c->at = GK_CLOCK_NEVER;
	r = write_line(e, c, tool, args);
	e->unsent += c->len;
	if (r == 0 && e->unsent > GK_CLIENT_BYTES_MAX)
		r = GENKAN_E_LIMIT;
	if (r == 0)
		r = gk_umap_put(&e->by_id, c->id, c, NULL);
	if (r < 0) {
		gk_ecall_free(e, c);
		return r;
	}
	e->last = c->id;
	append(&e->held, c);
	if (timeout_ms > 0)
		limit(e, c, timeout_ms);
	*ret = c->id;
	gk_embed_pump(e);
	return 0;
}

/* -------------------------------------------------------------------- send */

void
gk_embed_pump(struct gk_embed *e)
{
	struct gk_ecall *c;
	struct gk_outq *out;
	int r;

	if (e->state != GK_EMBED_ATTACHED)
		return;
	out = &e->leg->out;
	while ((c = e->held.head) != NULL && e->flight.n < GK_EMBED_INFLIGHT &&
	    out->held < GK_EMBED_BACKLOG) {
		r = gk_outq_put(out, c->line, c->len, &c->handle);
		if (r < 0) {
			gk_embed_answer(e, c, GK_CODE_INTERNAL_ERROR,
			    gk_span(NULL, 0), gk_err_text(r));
			continue;
		}
		take_out(&e->held, c);
		append(&e->flight, c);
		c->state = GK_ECALL_QUEUED;
	}
}

void
gk_embed_sent(struct gk_embed *e)
{
	struct gk_ecall *c;

	for (c = e->flight.head; c != NULL; c = c->next) {
		if (c->state != GK_ECALL_QUEUED ||
		    !gk_outq_written(&e->leg->out, c->handle))
			continue;
		c->state = GK_ECALL_SENT;
		drop_line(e, c);
		limit(e, c, GK_CLIENT_STUCK_MS);
	}
	gk_embed_pump(e);
}

/* ------------------------------------------------------------------ answer */

void
gk_embed_answer(struct gk_embed *e, struct gk_ecall *c, int code,
    struct gk_span reply, const char *why)
{
	take_out(list_of(e, c), c);
	drop_line(e, c);
	forget_asked(e, c);
	c->state = GK_ECALL_ANSWERED;
	c->code = code;
	c->why = why;
	if (reply.ptr != NULL) {
		c->result = gk_malloc(e->ctx, reply.len + 1);
		if (c->result == NULL) {
			c->code = GK_CODE_INTERNAL_ERROR;
			c->why = "no memory for the result";
		} else {
			memcpy(c->result, reply.ptr, reply.len);
			c->result[reply.len] = '\0';
			c->result_len = reply.len;
		}
	}
	e->unpulled += c->result_len;
	append(&e->answered, c);
}

void
gk_embed_requeue(struct gk_embed *e)
{
	struct gk_ecall *c, *prev;

	/* From behind, so that they stand in front of the others in order. */
	for (c = e->flight.tail; c != NULL; c = prev) {
		prev = c->prev;
		if (c->state != GK_ECALL_QUEUED)
			continue;
		take_out(&e->flight, c);
		c->state = GK_ECALL_HELD;
		prepend(&e->held, c);
	}
	while ((c = e->flight.head) != NULL)
		gk_embed_answer(e, c, GK_CODE_CONNECTION_LOST,
		    gk_span(NULL, 0), "the connection to the broker was lost; "
		    "the call may have run");
}

/* At the broker, as far as it knows of the call: true if it may. */
static bool
withdraw(struct gk_embed *e, struct gk_ecall *c)
{
	struct gk_buf line;
	int r;

	if (c->state != GK_ECALL_QUEUED && c->state != GK_ECALL_SENT)
		return false;
	if (e->state != GK_EMBED_ATTACHED)
		return c->state == GK_ECALL_SENT;
	if (c->state == GK_ECALL_QUEUED &&
	    gk_outq_withdraw(&e->leg->out, c->handle))
		return false;
	/* Sent, or half out: then this is what follows it. */
	gk_buf_init(&line, e->ctx, GK_SETUP_LINE_MAX);
	r = gk_mcpc_cancel(&line, c->id);
	if (r == 0)
		r = gk_outq_move(&e->leg->out, &line, NULL);
	gk_buf_done(&line);
	if (r < 0)
		gk_log(e->ctx, GK_LOG_WARN, GK_EMBED_TAG, "cancel-lost",
		    "a cancellation was lost: %s", gk_err_text(r));
	return true;
}

int
gk_embed_cancel(struct gk_embed *e, uint64_t id)
{
	struct gk_ecall *c = gk_umap_get(&e->by_id, id);

	if (c == NULL)
		return GENKAN_E_NOENT;
	(void)withdraw(e, c);
	drop(e, c);
	gk_embed_pump(e);
	return 0;
}

/* -------------------------------------------------------------------- time */

static void
expire_list(struct gk_embed *e, struct gk_ecalls *l)
{
	struct gk_ecall *c, *next;
	bool sent;

	for (c = l->head; c != NULL; c = next) {
		next = c->next;
		if (gk_now(e->ctx) < c->at) {
			e->soonest = GK_MIN(e->soonest, c->at);
			continue;
		}
		sent = withdraw(e, c);
		gk_embed_answer(e, c, GK_CODE_RESPONSE_TIMEOUT,
		    gk_span(NULL, 0), sent ?
		    "no reply in time; the call may have run" :
		    "the call was not sent in time");
	}
}

void
gk_embed_expire(struct gk_embed *e)
{
	if (gk_now(e->ctx) < e->soonest)
		return;
	e->soonest = GK_CLOCK_NEVER;
	expire_list(e, &e->flight);
	expire_list(e, &e->held);
	gk_embed_pump(e);
}
