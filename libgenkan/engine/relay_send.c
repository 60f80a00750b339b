/*
 * Calls of the harness, on their way to the broker.  Of a line only the id
 * token is exchanged, everything else passes byte for byte.
 */
#include "engine/relay_impl.h"

#include <stdio.h>

#include "base/err.h"
#include "codec/num.h"

void
gk_relay_open(struct gk_relay *r)
{
	struct gk_buf line;
	int e;

	if (r->state != GK_RELAY_ATTACHED ||
	    gk_mcp_era(r->o.mcp) == GK_MCP_UNOPENED)
		return;
	gk_buf_init(&line, r->leg.ctx, GK_SETUP_LINE_MAX);
	e = gk_mcp_opener(r->o.mcp, &line);
	if (e == 0)
		e = gk_outq_move(&r->out, &line, NULL);
	gk_buf_done(&line);
	if (e < 0)
		gk_relay_fail(r, gk_err_text(e));
}

/* The call's line with the number in the place of its id. */
static int
queue_call(struct gk_relay *r, struct gk_held *h)
{
	const struct gk_mcp_call *call = h->call;
	size_t before = (size_t)(call->id.ptr - call->line.ptr);
	struct gk_span v[4];
	char no[GK_NUM_TEXT];

	v[0] = gk_span(call->line.ptr, before);
	v[1] = gk_span(no, gk_num_text(r->last + 1, no));
	v[2] = gk_span(call->id.ptr + call->id.len,
	    call->line.len - before - call->id.len);
	v[3] = gk_span("\n", 1);
	if (v[0].len + v[1].len + v[2].len + 1 > GK_BRIDGE_LINE_MAX)
		return GENKAN_E_LINE_SIZE;
	return gk_outq_putv(&r->out, v, 4, &h->handle);
}

/* Answered here: it cannot pass. */
static void
refuse_call(struct gk_relay *r, struct gk_held *h, int e)
{
	struct gk_mcp_call *call = h->call;
	char text[128];

	gk_heldq_remove(r->o.calls, h);
	if (e == GENKAN_E_LINE_SIZE) {
		(void)snprintf(text, sizeof(text), "the call of %zu bytes "
		    "does not fit the limit of %d bytes on its way to the "
		    "broker", call->line.len + 1, (int)GK_BRIDGE_LINE_MAX);
		(void)gk_mcp_lost(call, GK_CODE_PAYLOAD_TOO_LARGE,
		    gk_span_str(text));
		return;
	}
	(void)gk_mcp_lost(call, GK_CODE_INTERNAL_ERROR,
	    gk_span_str(gk_err_text(e)));
}

void
gk_relay_forward(struct gk_relay *r, struct gk_held *h)
{
	int e;

	if (r->state != GK_RELAY_ATTACHED || h->state != GK_HELD)
		return;
	e = queue_call(r, h);
	if (e < 0) {
		refuse_call(r, h, e);
		return;
	}
	h->no = ++r->last;
	h->state = GK_HELD_QUEUED;
}

void
gk_relay_cancel(struct gk_relay *r, struct gk_held *h)
{
	char line[128];
	int e;

	if (r->state != GK_RELAY_ATTACHED || h->state == GK_HELD)
		return;
	if (h->state == GK_HELD_QUEUED &&
	    gk_outq_withdraw(&r->out, h->handle))
		return;
	/* Forwarded, or half out: then this is what follows it. */
	(void)snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":%llu}}\n",
	    (unsigned long long)h->no);
	e = gk_outq_puts(&r->out, line, NULL);
	if (e < 0)
		gk_relay_fail(r, gk_err_text(e));
}

void
gk_relay_attach(struct gk_relay *r)
{
	struct gk_held *h, *next;

	if (r->state != GK_RELAY_REPLIED)
		return;
	gk_dial_done(&r->dial);
	r->accepted_at = gk_now(r->leg.ctx);
	gk_relay_set_state(r, GK_RELAY_ATTACHED);
	gk_relay_open(r);
	for (h = r->o.calls->head; h != NULL; h = next) {
		next = h->next;
		gk_relay_forward(r, h);
	}
}
