/*
 * The life of one call (wire 9.4, 8.4).  However it ends, it passes detach()
 * once: the pending entry goes, a request that has not begun is taken back,
 * and one that has is cancelled, unless it was answered or its leg is gone.
 */
#include "engine/broker_impl.h"

#define TEXT_MAX	16384	/* of our own texts; labels and quotes are cut */

/* Near the end in almost every case: deadlines come in order of arrival. */
void
gk_call_start_timer(struct gk_call *c)
{
	struct gk_chain *head, *at;

	head = c->mcp != NULL ? &c->broker->timers : &c->broker->probes;
	for (at = head->prev; at != head; at = at->prev)
		if (GK_OF(at, struct gk_call, timer)->deadline <= c->deadline)
			break;
	gk_chain_insert(at, &c->timer);
}

struct gk_call *
gk_call_new(struct gk_broker *b, const struct gk_tool *tool, int64_t read_at,
    int64_t budget)
{
	struct gk_call *c;

	c = gk_calloc(b->ctx, 1, sizeof(*c));
	if (c == NULL)
		return NULL;
	c->broker = b;
	c->tool = tool;
	c->read_at = read_at;
	c->budget = budget;
	c->deadline = read_at > INT64_MAX - budget ? INT64_MAX :
	    read_at + budget;
	gk_buf_init(&c->args, b->ctx, GK_BRIDGE_LINE_MAX);
	gk_chain_init(&c->owner);
	gk_chain_init(&c->place);
	gk_chain_init(&c->timer);
	return c;
}

/* Arguments count from here until their line was handed to the system. */
void
gk_call_count(struct gk_call *c)
{
	c->counted = c->args.len;
	c->client->bytes += c->counted;
	c->broker->queued += c->counted;
}

void
gk_call_uncount(struct gk_call *c)
{
	if (c->counted == 0)
		return;
	c->client->bytes -= c->counted;
	c->broker->queued -= c->counted;
	c->counted = 0;
}

static void
detach(struct gk_call *c, bool replied)
{
	struct gk_browser_leg *w = c->browser;
	bool out = c->state == GK_CALL_SENT;

	if (c->state == GK_CALL_QUEUED || c->state == GK_CALL_SENT)
		gk_umap_del(&c->broker->pending, (uint64_t)c->id);
	if (c->state == GK_CALL_QUEUED && w != NULL)
		out = gk_outq_withdraw(&w->leg->out, c->handle) == 0;
	if (c->state == GK_CALL_PROBING) {
		gk_listing_free(c->listing);
		c->listing = NULL;
	}
	gk_chain_remove(&c->owner);
	gk_chain_remove(&c->place);
	gk_chain_remove(&c->timer);
	gk_call_uncount(c);
	if (out && !replied && w != NULL)
		gk_browser_cancel(w, c->id);
	c->browser = NULL;
}

/* A refusal is somebody saying no: policy, the kill switch, a person. */
static const char *
outcome_of(enum gk_code code)
{
	const struct gk_code_row *row = gk_schema_code((int)code);

	if (row == NULL)
		return "error";
	return strcmp(row->category, "PERMISSION") == 0 ||
	    strcmp(row->category, "USER") == 0 ? "refused" : "error";
}

static void
audit(const struct gk_call *c, const char *outcome, enum gk_code code,
    const char *detail)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	const struct gk_code_row *row = gk_schema_code((int)code);

	if (!c->audited)
		return;
	rec.kind = "tool_call";
	rec.surface = "broker";
	rec.outcome = outcome;
	rec.tool = c->tool->name;
	rec.code = row == NULL ? NULL : row->name;
	rec.name = c->label[0] == '\0' ? NULL : c->label;
	rec.detail = detail;
	rec.req = c->id > 0 ? c->id : -1;
	rec.conn = c->generation > 0 ? c->generation : -1;
	rec.dur_ms = gk_now(c->broker->ctx) - c->read_at;
	gk_store_audit(c->broker->store, &rec);
}

static void
finish(struct gk_call *c)
{
	struct gk_broker_client *client = c->client;
	struct genkan_ctx *ctx = c->broker->ctx;

	gk_buf_done(&c->args);
	gk_free(ctx, c);
	if (client != NULL)
		gk_client_settle(client);
}

void
gk_call_success(struct gk_call *c, struct gk_span data, bool canonical)
{
	detach(c, true);
	audit(c, "ok", GK_CODE_NONE, NULL);
	if (c->mcp != NULL)
		gk_mcp_success(c->mcp, data, canonical);
	else
		gk_listing_result(c, data);
	finish(c);
}

static void
end_failed(struct gk_call *c, enum gk_code code, struct gk_span text)
{
	audit(c, outcome_of(code), code, NULL);
	if (c->mcp != NULL)
		gk_mcp_failure(c->mcp, (int)code, text);
	else
		gk_listing_failed(c, code, text);
	finish(c);
}

/* As the extension said it: its reply is in. */
void
gk_call_failure(struct gk_call *c, enum gk_code code, struct gk_span text)
{
	detach(c, true);
	end_failed(c, code, text);
}

/* As we say it. */
void
gk_call_fail(struct gk_call *c, enum gk_code code, const char *fmt, ...)
{
	struct gk_buf text;
	va_list ap;
	int r;

	/* Before detach: the text may speak of the leg that is left. */
	gk_buf_init(&text, c->broker->ctx, TEXT_MAX);
	va_start(ap, fmt);
	r = gk_buf_vputf(&text, fmt, ap);
	va_end(ap);
	detach(c, false);
	end_failed(c, code, r == 0 ? gk_buf_span(&text) :
	    gk_span_str(gk_schema_code((int)code)->text));
	gk_buf_done(&text);
}

void
gk_call_cancel(struct gk_call *c)
{
	detach(c, false);
	audit(c, "error", GK_CODE_NONE, "cancelled");
	if (c->mcp != NULL)
		gk_mcp_forget(c->mcp);
	finish(c);
}

void
gk_calls_fail(struct gk_chain *list, enum gk_code code, const char *text)
{
	while (!gk_chain_empty(list))
		gk_call_fail(GK_OF(list->next, struct gk_call, place), code,
		    "%s", text);
}

/* The deadline of the call, or of a probe, has come. */
void
gk_call_timeout(struct gk_call *c)
{
	struct gk_browser_leg *w = c->browser;
	bool mute = w != NULL && !w->spoke;
	double s = (double)c->budget / 1000;

	if (c->state == GK_CALL_QUEUED && w != NULL &&
	    gk_outq_torn(&w->leg->out, c->handle)) {
		/* Nothing can follow a torn frame. */
		gk_chain_remove(&c->place);
		c->browser = NULL;
		gk_browser_sever(w, "it stopped reading inside a request");
	}
	if (mute)
		gk_call_fail(c, GK_CODE_EXTENSION_NOT_READY, "browser %s is "
		    "attached, but its extension has not said a word within "
		    "%g s", c->label, s);
	else
		gk_call_fail(c, GK_CODE_RESPONSE_TIMEOUT,
		    "no reply within %g s", s);
}
