/*
 * Clients: what counts, what they are judged on, and the leg of those that
 * attached (wire 7, 7.2, 7.4).
 *
 * Back-pressure never parks a finished line: before bytes are taken it is
 * clear that a line may be served, and if not, they stay with the program.
 */
#include "engine/broker_impl.h"

#include "base/err.h"

#define TOKEN		1000	/* levels count thousandths */

void
gk_client_init(struct gk_broker_client *k, struct gk_broker *b)
{
	memset(k, 0, sizeof(*k));
	k->broker = b;
	gk_chain_init(&k->node);
	gk_chain_init(&k->calls);
}

/* Takes a place among the counted.  0, or GENKAN_E_LIMIT. */
int
gk_client_count(struct gk_broker_client *k)
{
	struct gk_broker *b = k->broker;

	if (b->latch || b->nclients == GK_MAX_CLIENTS)
		return GENKAN_E_LIMIT;
	gk_chain_append(&b->clients, &k->node);
	b->nclients++;
	return 0;
}

static void
cancel_calls(struct gk_broker_client *k)
{
	while (!gk_chain_empty(&k->calls))
		gk_call_cancel(GK_OF(k->calls.next, struct gk_call, owner));
}

/* Gives the place back; the last one out sets the latch (3.3). */
void
gk_client_release(struct gk_broker_client *k)
{
	struct gk_broker *b = k->broker;

	if (b == NULL || gk_chain_empty(&k->node))
		return;
	/* Out of the sweep first, then uncounted. */
	gk_chain_remove(&k->node);
	cancel_calls(k);
	k->broker = NULL;
	if (--b->nclients == 0 && !b->stay) {
		b->latch = true;
		b->leave = true;
	}
	gk_retire_settle(b);
}

void
gk_client_judge(struct gk_broker_client *k, const struct gk_trust_view *view,
    struct gk_admission *ret)
{
	if (k->embedder)
		gk_admission_embedder(view, &k->as, ret);
	else
		gk_admission_decide(view, k->as.ok ? &k->as : NULL, ret);
}

/* ------------------------------------------------------ attached clients */

int
gk_client_begin(struct gk_bleg *l, const struct gk_broker_client *as)
{
	struct gk_client_leg *c;
	int r;

	c = gk_calloc(l->leg.ctx, 1, sizeof(*c));
	if (c == NULL)
		return GENKAN_E_NOMEM;
	c->leg = l;
	gk_client_init(&c->base, l->broker);
	c->base.leg = c;
	c->base.as = as->as;
	c->base.embedder = as->embedder;
	c->base.admitted = as->admitted;
	c->level = (int64_t)GK_RATE_BUCKET * TOKEN;
	c->level_at = gk_now(l->leg.ctx);
	c->base.mcp = gk_mcp_new(l->leg.ctx, &l->out);
	r = c->base.mcp == NULL ? GENKAN_E_NOMEM : gk_client_count(&c->base);
	if (r < 0) {
		gk_mcp_free(c->base.mcp);
		gk_free(l->leg.ctx, c);
		return r;
	}
	gk_line_init(&c->in, l->leg.ctx, GK_MCP_LINE_IN_MAX, GK_LINE_STDIO,
	    true);
	l->client = c;
	l->state = GK_BLEG_CLIENT;
	return 0;
}

void
gk_client_drop(struct gk_client_leg *c)
{
	gk_bleg_close(c->leg);
}

/* The level as it is now; a bucket of 8,192 gains 8.192 tokens in 1 ms. */
static int64_t
level_now(const struct gk_client_leg *c)
{
	int64_t full = (int64_t)GK_RATE_BUCKET * TOKEN;
	int64_t ms = gk_now(c->leg->leg.ctx) - c->level_at;

	if (ms >= 1000 * (int64_t)GK_RATE_BUCKET / GK_RATE_PER_S)
		return full;
	return GK_MIN(full, c->level + ms * GK_RATE_PER_S * TOKEN / 1000);
}

static void
take_token(struct gk_client_leg *c)
{
	c->level = level_now(c) - TOKEN;
	c->level_at = gk_now(c->leg->leg.ctx);
	if (c->level < TOKEN)
		c->base.broker->dry = true;
}

static bool
is_full(const struct gk_broker_client *k)
{
	return gk_mcp_inflight(k->mcp) >= GK_MAX_INFLIGHT ||
	    k->bytes >= GK_MAX_INFLIGHT_BYTES ||
	    k->broker->queued >= GK_MAX_QUEUED_BYTES;
}

bool
gk_broker_full(const struct gk_broker_client *k)
{
	return is_full(k);
}

static bool
may_read(const struct gk_client_leg *c)
{
	return !is_full(&c->base) && c->leg->out.held < GK_CLIENT_BACKLOG;
}

bool
gk_client_wants_read(const struct gk_client_leg *c)
{
	return !c->eof && level_now(c) >= TOKEN && may_read(c);
}

int64_t
gk_client_deadline(const struct gk_client_leg *c)
{
	if (c->eof || level_now(c) >= TOKEN)
		return GK_CLOCK_NEVER;
	return gk_clock_after(c->leg->leg.ctx, 1);
}

/* Checks 2 and 3 of 7.2: true, or the leg has been dropped. */
static bool
still_admitted(struct gk_client_leg *c, struct gk_trust_view *ret)
{
	struct gk_admission a;

	gk_broker_look(c->base.broker, ret);
	gk_client_judge(&c->base, ret, &a);
	if (a.verdict != GK_VERDICT_REFUSE &&
	    !gk_admission_weakened(c->base.admitted, a.verdict))
		return true;
	gk_log(c->leg->leg.ctx, GK_LOG_WARN, "broker", "client-dropped",
	    "a client lost its admission: %s", a.reason != NULL ? a.reason :
	    "the record that admitted it is gone");
	gk_client_drop(c);
	return false;
}

static int
line(struct gk_client_leg *c, struct gk_span text,
    const struct gk_trust_view *seen)
{
	struct gk_mcp_act act;
	int r;

	r = gk_mcp_line(c->base.mcp, text.ptr, text.len, &act);
	if (r < 0)
		return r;
	switch (act.kind) {
	case GK_MCP_CALL:
		return gk_broker_call(&c->base, act.call, seen);
	case GK_MCP_CANCEL:
		gk_broker_cancel(&c->base, act.call);
		break;
	case GK_MCP_END:
		/* 10.4: the refusal still goes out, nothing else does. */
		cancel_calls(&c->base);
		gk_bleg_flush(c->leg);
		break;
	case GK_MCP_NONE:
		break;
	}
	return gk_mcp_error(c->base.mcp);
}

/* What the reader made of the bytes: a line, or one that is too long. */
static int
serve(struct gk_client_leg *c, int r)
{
	struct gk_trust_view seen;

	take_token(c);
	if (!still_admitted(c, &seen))
		return 0;
	return r == GENKAN_E_LINE_SIZE ? gk_mcp_overlong(c->base.mcp) :
	    line(c, gk_line_get(&c->in), &seen);
}

int
gk_client_feed(struct gk_bleg *l, const void *buf, size_t len, size_t *used)
{
	struct gk_client_leg *c = l->client;
	size_t n;
	int r = 0;

	while (*used < len && l->state == GK_BLEG_CLIENT &&
	    gk_client_wants_read(c)) {
		r = gk_line_feed(&c->in, (const char *)buf + *used,
		    len - *used, &n);
		*used += n;
		if (r == 1 || r == GENKAN_E_LINE_SIZE) {
			r = serve(c, r);
			gk_line_over(&c->in);
		}
		if (r < 0) {
			gk_log(l->leg.ctx, GK_LOG_WARN, "broker",
			    "client-failed", "a client's connection failed: "
			    "%s", gk_err_text(r));
			gk_client_drop(c);
			return r;
		}
	}
	if (l->state != GK_BLEG_CLIENT)
		*used = len;
	return 0;
}

/* Calls run on, each within its deadline (7.4). */
void
gk_client_eof(struct gk_bleg *l)
{
	l->client->eof = true;
	gk_client_settle(&l->client->base);
}

void
gk_client_settle(struct gk_broker_client *k)
{
	struct gk_client_leg *c = k->leg;

	if (c == NULL || c->leg->state != GK_BLEG_CLIENT)
		return;
	if (gk_mcp_error(k->mcp) < 0)
		gk_client_drop(c);
	else if (c->eof && gk_chain_empty(&k->calls))
		gk_bleg_flush(c->leg);
}

/* -------------------------------------------------------- the own harness */

int
gk_broker_own(struct gk_broker *b, struct gk_mcp *mcp,
    const struct gk_measure *facts, struct gk_broker_client **ret)
{
	struct gk_broker_client *k;
	int r;

	if (b->own != NULL)
		return GENKAN_E_STATE;
	k = gk_malloc(b->ctx, sizeof(*k));
	if (k == NULL)
		return GENKAN_E_NOMEM;
	gk_client_init(k, b);
	k->mcp = mcp;
	if (facts != NULL)
		k->as = *facts;
	r = gk_client_count(k);
	if (r < 0) {
		gk_free(b->ctx, k);
		return r;
	}
	*ret = b->own = k;
	return 0;
}

void
gk_broker_release(struct gk_broker_client *k)
{
	struct gk_broker *b;

	if (k == NULL || (b = k->broker) == NULL || b->own != k)
		return;
	b->own = NULL;
	gk_client_release(k);
	gk_free(b->ctx, k);
}
