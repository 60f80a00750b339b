/*
 * A browser leg (wire 8.3 to 8.7): frames of the extension in, requests and
 * cancels out.  Whatever the extension may not say severs the leg, because
 * after it nothing on the leg can be believed.
 */
#include "engine/broker_impl.h"

#include "base/str.h"
#include "codec/jstr.h"

/*
 * The leg is over: out of the registry, its calls answered, its bytes dropped.
 * No cancel goes out; the operations end with their connection.
 */
void
gk_browser_sever(struct gk_browser_leg *w, const char *how)
{
	struct gk_chain lost, unsent;
	struct gk_bleg *l = w->leg;
	struct gk_chain *n;
	char text[128];

	if (l->state != GK_BLEG_BROWSER)
		return;
	gk_log(l->leg.ctx, GK_LOG_INFO, "broker", "browser-gone",
	    "browser %s (connection %lld) is gone: %s", w->label,
	    (long long)w->generation, how);
	gk_registry_remove(w);
	gk_bleg_close(l);

	gk_chain_init(&lost);
	gk_chain_init(&unsent);
	gk_chain_move(&w->hello, &unsent);
	gk_chain_move(&w->queued, &unsent);
	gk_chain_move(&w->sent, &lost);
	for (n = lost.next; n != &lost; n = n->next)
		GK_OF(n, struct gk_call, place)->browser = NULL;
	for (n = unsent.next; n != &unsent; n = n->next)
		GK_OF(n, struct gk_call, place)->browser = NULL;
	snprintf(text, sizeof(text), "the connection to browser %s was lost "
	    "while waiting for its reply", w->label);
	gk_calls_fail(&lost, GK_CODE_CONNECTION_LOST, text);
	snprintf(text, sizeof(text), "the connection to browser %s was lost "
	    "before the request was written", w->label);
	gk_calls_fail(&unsent, GK_CODE_CONNECTION_LOST, text);
	gk_retire_settle(l->broker);
}

/* Turns the leg into a browser's and registers it.  Errors leave it as it was:
 * GENKAN_E_NOMEM, or GENKAN_E_LIMIT from the registry. */
int
gk_browser_begin(struct gk_bleg *l, const char *label)
{
	struct gk_broker *b = l->broker;
	struct gk_browser_leg *w;
	int r;

	w = gk_calloc(b->ctx, 1, sizeof(*w));
	if (w == NULL)
		return GENKAN_E_NOMEM;
	w->leg = l;
	gk_str_copy(w->label, sizeof(w->label), label, strlen(label));
	w->ready_at = gk_clock_after(b->ctx, GK_HELLO_WAIT_MS);
	w->protocol = GK_BRIDGE_PROTOCOL;
	w->caps = GK_CAPS_ALL;
	gk_chain_init(&w->hello);
	gk_chain_init(&w->queued);
	gk_chain_init(&w->sent);
	gk_line_init(&w->in, b->ctx, GK_BRIDGE_LINE_MAX, GK_LINE_SOCKET, true);
	r = gk_registry_add(w);
	if (r < 0) {
		gk_line_done(&w->in);
		gk_free(b->ctx, w);
		return r;
	}
	l->browser = w;
	l->state = GK_BLEG_BROWSER;
	gk_log(b->ctx, GK_LOG_INFO, "broker", "browser-attached",
	    "browser %s attached (connection %lld)", w->label,
	    (long long)w->generation);
	gk_admit_audit(b, "browser_attach", NULL, w->label, NULL);
	gk_route_waiting(b);
	return 0;
}

void
gk_browser_cancel(struct gk_browser_leg *w, int64_t id)
{
	struct gk_buf line;
	int r;

	gk_buf_init(&line, w->leg->leg.ctx, 256);
	r = gk_cancel_write(&line, id);
	if (r == 0)
		r = gk_outq_move(&w->leg->out, &line, NULL);
	gk_buf_done(&line);
	/* An operation that nobody can stop must not go on unseen. */
	if (r < 0)
		gk_browser_sever(w, "a cancel could not be written");
}

static void
response(struct gk_browser_leg *w, const struct gk_envelope *env)
{
	const struct gk_response *resp = &env->u.response;
	struct gk_broker *b = w->leg->broker;
	struct gk_buf text;
	struct gk_call *c;

	c = resp->id <= 0 ? NULL :
	    gk_umap_get(&b->pending, (uint64_t)resp->id);
	if (c == NULL) {
		gk_log(b->ctx, GK_LOG_DEBUG, "broker", "late-reply",
		    "browser %s: reply to %lld, which nobody waits for",
		    w->label, (long long)resp->id);
		return;
	}
	if (c->browser != w) {
		gk_browser_sever(w, "a reply to another connection's request");
		return;
	}
	if (resp->ok) {
		gk_call_success(c, resp->data, env->canonical);
		return;
	}
	gk_buf_init(&text, b->ctx, GK_BRIDGE_LINE_MAX);
	if (gk_jstr_decode(&text, resp->error) == 0)
		gk_call_failure(c, resp->code, gk_buf_span(&text));
	else
		gk_call_failure(c, resp->code,
		    gk_span_str("out of memory for the text"));
	gk_buf_done(&text);
}

static void
waiting(struct gk_browser_leg *w, int64_t id)
{
	struct gk_call *c;

	c = id <= 0 ? NULL :
	    gk_umap_get(&w->leg->broker->pending, (uint64_t)id);
	if (c == NULL)
		return;
	if (c->browser != w)
		gk_browser_sever(w, "waiting for another connection's request");
	else if (c->mcp != NULL)
		gk_mcp_progress(c->mcp);
}

/* Calls that were routed before the leg said what it speaks. */
static void
mismatch(struct gk_browser_leg *w)
{
	char text[128];

	snprintf(text, sizeof(text), "the extension of browser %s speaks "
	    "bridge protocol %lld, this server %d", w->label,
	    (long long)w->protocol, (int)GK_BRIDGE_PROTOCOL);
	gk_calls_fail(&w->hello, GK_CODE_PROTOCOL_MISMATCH, text);
	gk_calls_fail(&w->queued, GK_CODE_PROTOCOL_MISMATCH, text);
	gk_calls_fail(&w->sent, GK_CODE_PROTOCOL_MISMATCH, text);
}

static void
hello(struct gk_browser_leg *w, const struct gk_hello *h)
{
	w->protocol = h->protocol;
	if (h->protocol == GK_BRIDGE_PROTOCOL)
		w->caps = h->capabilities;
	else
		mismatch(w);
}

static void
frame(struct gk_browser_leg *w, struct gk_span line)
{
	struct genkan_ctx *ctx = w->leg->leg.ctx;
	struct gk_envelope env;
	bool first = !w->spoke;
	int r;

	r = gk_envelope_read(ctx, line, &env);
	if (r < 0) {
		gk_browser_sever(w, env.why);
		return;
	}
	if (env.kind == GK_ENV_HELLO && !first) {
		gk_browser_sever(w, "a hello that is not its first frame");
		return;
	}
	w->spoke = true;
	switch (env.kind) {
	case GK_ENV_RESPONSE:
		response(w, &env);
		break;
	case GK_ENV_HELLO:
		hello(w, &env.u.hello);
		break;
	case GK_ENV_WAITING:
		waiting(w, env.u.waiting);
		break;
	}
	if (first && w->leg->state == GK_BLEG_BROWSER)
		gk_route_hello(w);
}

int
gk_browser_feed(struct gk_bleg *l, const void *buf, size_t len, size_t *used)
{
	struct gk_browser_leg *w = l->browser;
	size_t n;
	int r;

	while (*used < len && l->state == GK_BLEG_BROWSER) {
		r = gk_line_feed(&w->in, (const char *)buf + *used,
		    len - *used, &n);
		*used += n;
		if (r < 0) {
			gk_browser_sever(w, r == GENKAN_E_LINE_SIZE ?
			    "a line over the limit" : "out of memory");
			return r;
		}
		if (r == 1) {
			frame(w, gk_line_get(&w->in));
			gk_line_over(&w->in);
		}
	}
	if (l->state != GK_BLEG_BROWSER)
		*used = len;
	return 0;
}

/* Requests that are wholly out have been sent. */
void
gk_browser_wrote(struct gk_bleg *l)
{
	struct gk_browser_leg *w = l->browser;
	struct gk_call *c;

	while (!gk_chain_empty(&w->queued)) {
		c = GK_OF(w->queued.next, struct gk_call, place);
		if (!gk_outq_written(&l->out, c->handle))
			break;
		c->state = GK_CALL_SENT;
		gk_call_uncount(c);
		gk_chain_remove(&c->place);
		gk_chain_append(&w->sent, &c->place);
	}
}
