/*
 * Tool calls of the own harness in every role: held, forwarded, handed to the
 * broker, or answered here (wire 7.1, 9.1 gates 0 and 1).
 */
#include "engine/server_impl.h"

#include <stdio.h>

#define TEXT_OUTDATED	"genkan was upgraded while this server ran; " \
			"restart the MCP client"

static inline struct gk_held *
held_of(const struct gk_mcp_call *call)
{
	return call->user;
}

void
gk_server_answer(struct gk_server *s, struct gk_mcp_call *call,
    enum gk_code code, const char *text)
{
	struct gk_mcp_fit fit;

	(void)s;
	if (gk_mcp_check(call, &fit) == 1)
		(void)gk_mcp_failure(call, (int)code, gk_span_str(text));
}

void
gk_server_answer_held(struct gk_server *s, enum gk_code code,
    const char *text)
{
	struct gk_mcp_call *call;

	while (s->calls.head != NULL) {
		call = s->calls.head->call;
		gk_heldq_remove(&s->calls, s->calls.head);
		gk_server_answer(s, call, code, text);
	}
}

/* Gate 1 over an unreadable record, by the own server (7.1). */
void
gk_server_answer_killed(struct gk_server *s, struct gk_mcp_call *call,
    const struct gk_trust_view *view)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	struct gk_mcp_fit fit;
	char text[GK_WHY_FULL + 64];
	int64_t read_at = call->read_at;

	if (gk_mcp_check(call, &fit) != 1)
		return;
	/* As the broker's own gate says it; why names the file, the way out
	 * and `genkan doctor`. */
	(void)snprintf(text, sizeof(text), "no tool runs while the kill "
	    "switch cannot be read: %s", view->why);
	rec.tool = fit.tool->name;
	(void)gk_mcp_failure(call, GK_CODE_BRIDGE_KILLED, gk_span_str(text));
	rec.kind = "tool_call";
	rec.surface = "broker";
	rec.outcome = "refused";
	rec.code = gk_schema_code(GK_CODE_BRIDGE_KILLED)->name;
	rec.dur_ms = gk_now(s->ctx) - read_at;
	gk_store_audit(s->store, &rec);
}

static void
hold(struct gk_server *s, struct gk_mcp_call *call)
{
	int r;

	r = gk_heldq_add(&s->calls, call);
	if (r < 0)
		gk_server_answer(s, call, GK_CODE_INTERNAL_ERROR,
		    gk_err_text(r));
	else if (s->role == GK_AS_ATTACHED)
		gk_relay_forward(s->relay, held_of(call));
}

/* Electing: held, unless the record cannot be read. */
static void
call_electing(struct gk_server *s, struct gk_mcp_call *call)
{
	struct gk_trust_view view;

	gk_server_look(s, &view);
	if (view.state != GK_TRUST_UNREADABLE) {
		hold(s, call);
		/* Readable again: no need to wait out the second. */
		if (s->round == GK_ROUND_TRUST)
			gk_server_elect(s);
		return;
	}
	gk_server_unreadable(s, &view);
	gk_server_answer_killed(s, call, &view);
}

void
gk_server_call(struct gk_server *s, struct gk_mcp_call *call,
    const struct gk_trust_view *seen)
{
	switch (s->role) {
	case GK_AS_ELECTING:
		call_electing(s, call);
		break;
	case GK_AS_ATTACHED:
		hold(s, call);
		break;
	case GK_AS_BROKER:
		if (s->client != NULL)
			(void)gk_broker_call(s->client, call, seen);
		else
			gk_mcp_forget(call);
		break;
	case GK_AS_OUTDATED:
		gk_server_answer(s, call, GK_CODE_PROTOCOL_MISMATCH,
		    TEXT_OUTDATED);
		break;
	}
}

void
gk_server_cancel(struct gk_server *s, struct gk_mcp_call *call)
{
	struct gk_held *h;

	if (s->role == GK_AS_BROKER && s->client != NULL) {
		gk_broker_cancel(s->client, call);
		return;
	}
	h = held_of(call);
	if (h != NULL) {
		if (s->relay != NULL)
			gk_relay_cancel(s->relay, h);
		gk_heldq_remove(&s->calls, h);
	}
	gk_mcp_forget(call);
}

void
gk_server_drop_calls(struct gk_server *s)
{
	struct gk_mcp_call *call;

	if (s->own == NULL)
		return;
	while ((call = gk_mcp_next(s->own->mcp, NULL)) != NULL)
		gk_server_cancel(s, call);
}

/* ------------------------------------------------------------------- time */

static int64_t
due(const struct gk_held *h)
{
	return h->call->read_at + (h->state == GK_HELD_FORWARDED ?
	    GK_RELAY_STUCK_MS : GK_RELAY_HELD_MS);
}

static void
time_out(struct gk_server *s, struct gk_held *h)
{
	struct gk_mcp_call *call = h->call;
	bool forwarded = h->state == GK_HELD_FORWARDED;
	char text[128];

	(void)snprintf(text, sizeof(text), forwarded ?
	    "no answer within %d s; the call may have run" :
	    "not sent: no broker could be reached within %d s",
	    (forwarded ? GK_RELAY_STUCK_MS : GK_RELAY_HELD_MS) / 1000);
	if (s->relay != NULL)
		gk_relay_cancel(s->relay, h);
	gk_heldq_remove(&s->calls, h);
	if (forwarded)
		(void)gk_mcp_lost(call, GK_CODE_RESPONSE_TIMEOUT,
		    gk_span_str(text));
	else
		gk_server_answer(s, call, GK_CODE_RESPONSE_TIMEOUT, text);
}

void
gk_server_call_ticks(struct gk_server *s)
{
	struct gk_held *h, *next;

	if (gk_now(s->ctx) < gk_server_call_deadline(s))
		return;
	for (h = s->calls.head; h != NULL; h = next) {
		next = h->next;
		if (gk_now(s->ctx) >= due(h))
			time_out(s, h);
	}
}

int64_t
gk_server_call_deadline(const struct gk_server *s)
{
	const struct gk_held *h = s->calls.head;
	int64_t at = GK_CLOCK_NEVER;

	/* All of them with the broker: the first one came first. */
	if (h != NULL && s->calls.unsent == 0)
		return due(h);
	for (; h != NULL; h = h->next)
		at = gk_clock_first(at, due(h));
	return at;
}
