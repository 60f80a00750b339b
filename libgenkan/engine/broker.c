/* See broker.h: the object, its time, and the first gates of a call. */
#include "engine/broker_impl.h"

#include "base/str.h"
#include "engine/catalog.h"

struct gk_broker *
gk_broker_new(struct genkan_ctx *ctx, const struct gk_store *store)
{
	struct gk_broker *b;

	b = gk_calloc(ctx, 1, sizeof(*b));
	if (b == NULL)
		return NULL;
	b->ctx = ctx;
	b->store = store;
	gk_chain_init(&b->legs);
	gk_chain_init(&b->clients);
	gk_chain_init(&b->waiting);
	gk_chain_init(&b->timers);
	gk_chain_init(&b->probes);
	gk_umap_init(&b->pending, ctx);
	b->sweep_at = gk_clock_after(ctx, GK_SWEEP_MS);
	return b;
}

void
gk_broker_stay(struct gk_broker *b)
{
	b->stay = true;
}

void
gk_broker_free(struct gk_broker *b)
{
	struct gk_bleg *l;

	if (b == NULL)
		return;
	gk_broker_release(b->own);
	while (!gk_chain_empty(&b->legs)) {
		l = GK_OF(b->legs.next, struct gk_bleg, node);
		if (l->state == GK_BLEG_BROWSER)
			gk_browser_sever(l->browser, "the broker is gone");
		gk_bleg_close(l);
		gk_chain_remove(&l->node);
		l->broker = NULL;
	}
	gk_umap_done(&b->pending);
	gk_trust_cache_done(&b->trust);
	gk_policy_cache_done(&b->policy);
	gk_free(b->ctx, b);
}

/* Step 1 of 5.1. */
int
gk_broker_claim(struct gk_broker *b)
{
	if (b->npending + b->nsetup >= GK_MAX_PENDING_ATTACH) {
		gk_log(b->ctx, GK_LOG_WARN, "broker", "too-many-pending",
		    "connection dropped: %d are being set up already",
		    (int)GK_MAX_PENDING_ATTACH);
		return GENKAN_E_LIMIT;
	}
	b->npending++;
	return 0;
}

void
gk_broker_unclaim(struct gk_broker *b)
{
	if (b->npending > 0)
		b->npending--;
}

/* Gates 2 to 5, and what comes of them. */
static void
gates(struct gk_call *c, struct gk_span object,
    const struct gk_trust_view *seen)
{
	struct gk_broker *b = c->broker;
	struct gk_arguments a;
	int r;

	if (!gk_gate_kill(c, seen))
		return;
	r = gk_arguments_check(b->ctx, c->tool, object, &a);
	/* A held call has its line; from here on only its arguments count. */
	gk_mcp_shed(c->mcp);
	if (r > 0) {
		c->named = a.named;
		c->want_len = gk_utf8_cut((const char *)a.label.ptr,
		    a.label.len, GK_QUOTE_MAX);
		if (c->want_len > 0)
			memcpy(c->want, a.label.ptr, c->want_len);
		/* Moved, not copied. */
		c->args = a.args;
		gk_buf_init(&a.args, b->ctx, 0);
		gk_call_count(c);
		if (gk_gate_policy(c)) {
			c->id = ++b->id;
			if (c->tool->scope == GK_SCOPE_SERVER)
				gk_listing_begin(c);
			else
				gk_route(c);
		}
	} else if (r == 0)
		gk_call_fail(c, GK_CODE_INVALID_ARGUMENT, "%.*s",
		    (int)a.why.len, (const char *)a.why.ptr);
	else
		gk_call_fail(c, GK_CODE_INTERNAL_ERROR,
		    "out of memory for the arguments");
	gk_arguments_done(&a);
}

int
gk_broker_call(struct gk_broker_client *k, struct gk_mcp_call *mcp,
    const struct gk_trust_view *seen)
{
	struct gk_broker *b = k->broker;
	struct gk_mcp_fit fit;
	struct gk_call *c;
	int r;

	r = gk_mcp_check(mcp, &fit);
	if (r <= 0)
		return r;
	if (b->retired && b->nbrowsers == 0)
		return gk_mcp_failure(mcp, GK_CODE_PROTOCOL_MISMATCH,
		    gk_span_str(GK_BROKER_OUTDATED_TEXT));
	c = gk_call_new(b, fit.tool, mcp->read_at, GK_CALL_BUDGET_MS);
	if (c == NULL)
		return gk_mcp_failure(mcp, GK_CODE_INTERNAL_ERROR,
		    gk_span_str("out of memory for the call"));
	c->client = k;
	c->mcp = mcp;
	mcp->user = c;
	gk_chain_append(&k->calls, &c->owner);
	gk_call_start_timer(c);
	gates(c, fit.arguments, seen);
	return gk_mcp_error(k->mcp);
}

void
gk_broker_cancel(struct gk_broker_client *k, struct gk_mcp_call *mcp)
{
	(void)k;
	if (mcp->user == NULL)
		gk_mcp_forget(mcp);	/* never came this far */
	else
		gk_call_cancel(mcp->user);
}

/* ------------------------------------------------------------------ time */

static bool
expired(const struct gk_chain *list, int64_t now)
{
	return !gk_chain_empty(list) &&
	    GK_OF(list->next, struct gk_call, timer)->deadline <= now;
}

static void
tick_calls(struct gk_broker *b, int64_t now)
{
	struct gk_call *c;

	while (expired(&b->probes, now))
		gk_call_timeout(GK_OF(b->probes.next, struct gk_call, timer));
	while (expired(&b->timers, now))
		gk_call_timeout(GK_OF(b->timers.next, struct gk_call, timer));
	while (!gk_chain_empty(&b->waiting)) {
		c = GK_OF(b->waiting.next, struct gk_call, place);
		if (c->wait_until > now)
			break;
		gk_route_nobody(c);
	}
}

static void
tick_hello(struct gk_broker *b, int64_t now)
{
	struct gk_browser_leg *w[GK_MAX_BROWSERS];
	size_t i, n = b->nbrowsers;

	/* A list of our own: going on may end legs. */
	memcpy(w, b->browser, n * sizeof(w[0]));
	for (i = 0; i < n; i++)
		if (w[i]->leg->state == GK_BLEG_BROWSER &&
		    w[i]->ready_at <= now && !gk_chain_empty(&w[i]->hello))
			gk_route_hello(w[i]);
}

/* Only legs that are set up, that close, or that wait for tokens have a time
 * of their own: rarely any, however many are attached. */
static bool
are_timed(const struct gk_broker *b)
{
	return b->nsetup > 0 || b->nflush > 0 || b->dry;
}

static int64_t
legs_deadline(const struct gk_broker *b)
{
	const struct gk_chain *n;
	int64_t at = GK_CLOCK_NEVER;

	for (n = b->legs.next; n != &b->legs; n = n->next) {
		const struct gk_bleg *l = GK_OF(n, struct gk_bleg, node);

		at = gk_clock_first(at, l->leg.ops->deadline(&l->leg));
	}
	return at;
}

static void
tick_legs(struct gk_broker *b)
{
	struct gk_chain *n, *next;
	struct gk_bleg *l;

	if (!are_timed(b))
		return;
	for (n = b->legs.next; n != &b->legs; n = next) {
		next = n->next;
		l = GK_OF(n, struct gk_bleg, node);
		l->leg.ops->tick(&l->leg);
	}
	b->dry = legs_deadline(b) != GK_CLOCK_NEVER;
}

void
gk_broker_tick(struct gk_broker *b, int64_t now_ms)
{
	int64_t now;

	gk_clock_set(b->ctx, now_ms);
	now = gk_now(b->ctx);
	tick_calls(b, now);
	tick_hello(b, now);
	tick_legs(b);
	if (now >= b->sweep_at) {
		b->sweep_at = gk_clock_after(b->ctx, GK_SWEEP_MS);
		gk_sweep(b);
	}
}

int64_t
gk_broker_deadline(const struct gk_broker *b)
{
	int64_t at = b->sweep_at;
	size_t i;

	if (!gk_chain_empty(&b->timers))
		at = GK_MIN(at, GK_OF(b->timers.next, struct gk_call,
		    timer)->deadline);
	if (!gk_chain_empty(&b->probes))
		at = GK_MIN(at, GK_OF(b->probes.next, struct gk_call,
		    timer)->deadline);
	if (!gk_chain_empty(&b->waiting))
		at = GK_MIN(at, GK_OF(b->waiting.next, struct gk_call,
		    place)->wait_until);
	for (i = 0; i < b->nbrowsers; i++)
		if (!gk_chain_empty(&b->browser[i]->hello))
			at = GK_MIN(at, b->browser[i]->ready_at);
	return are_timed(b) ? gk_clock_first(at, legs_deadline(b)) : at;
}

enum gk_broker_event
gk_broker_next(struct gk_broker *b)
{
	if (b->outdated) {
		b->outdated = false;
		return GK_BROKER_OUTDATED;
	}
	if (b->leave) {
		b->leave = false;
		return GK_BROKER_LEAVE;
	}
	return GK_BROKER_NOTHING;
}

size_t
gk_broker_clients(const struct gk_broker *b)
{
	return b->nclients;
}

size_t
gk_broker_browsers(const struct gk_broker *b)
{
	return b->nbrowsers;
}

size_t
gk_broker_pending(const struct gk_broker *b)
{
	return b->npending + b->nsetup;
}
