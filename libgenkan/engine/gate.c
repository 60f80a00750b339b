/*
 * Gates that ask a record: kill (1) and policy (4) of wire 9.1, looked at for
 * each call once its line has come, and what a leg said of itself (7).  Each
 * answers true, or has ended the call.
 */
#include "engine/broker_impl.h"

/* The first call of a client leg with a readable record (10.1). */
static void
audit_admission(struct gk_broker_client *k, const struct gk_trust_view *view)
{
	char detail[GK_SIGNER_MAX + 16];
	struct gk_admission a;

	if (k->audited || view->state == GK_TRUST_UNREADABLE)
		return;
	gk_client_judge(k, view, &a);
	if (a.verdict == GK_VERDICT_REFUSE)
		return;
	k->audited = true;
	gk_measure_text(&k->as, detail, sizeof(detail));
	gk_admit_audit(k->broker, "harness_admit",
	    a.verdict == GK_VERDICT_TRUSTED ? "ok" : "unenrolled",
	    a.client != NULL ? a.client->name : k->as.name, detail);
}

bool
gk_gate_kill(struct gk_call *c, const struct gk_trust_view *seen)
{
	struct gk_trust_view now;

	c->audited = c->client != NULL;
	if (seen == NULL) {
		gk_broker_look(c->broker, &now);
		seen = &now;
	}
	if (c->client != NULL)
		audit_admission(c->client, seen);
	switch (seen->kill) {
	case GK_KILL_CLEAR:
		return true;
	case GK_KILL_ENGAGED:
		gk_call_fail(c, GK_CODE_BRIDGE_KILLED, "the kill switch is "
		    "engaged, no tool runs; %s releases it",
		    c->broker->store->programs ? "the program that runs this "
		    "broker" : "`genkan unkill`");
		return false;
	case GK_KILL_UNREADABLE:
		break;
	}
	/* Names the file, the reason, the way out and `genkan doctor`. */
	gk_call_fail(c, GK_CODE_BRIDGE_KILLED, "no tool runs while the kill "
	    "switch cannot be read: %s", seen->why);
	return false;
}

static uint32_t
grants_of(const struct gk_tool *tool)
{
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(tool->grant); i++)
		if (tool->grant[i] != GK_POLICY_NONE)
			bits |= GK_POLICY_BIT(tool->grant[i]);
	return bits;
}

bool
gk_gate_policy(struct gk_call *c)
{
	struct gk_broker *b = c->broker;
	struct gk_policy_view view;
	char why[GK_WHY_FULL];

	gk_policy_look(b->ctx, b->store, &b->policy, &view);
	if (gk_policy_gate(&view, c->tool->name, grants_of(c->tool), why,
	    sizeof(why)))
		return true;
	gk_call_fail(c, GK_CODE_TOOL_DISABLED, "%s", why);
	return false;
}

/* Gates 1 and 4 again, after a wait. */
bool
gk_gate_records(struct gk_call *c)
{
	return gk_gate_kill(c, NULL) && gk_gate_policy(c);
}

bool
gk_gate_hello(struct gk_call *c)
{
	const struct gk_browser_leg *w = c->browser;
	int cap = c->tool->cap;

	if (w->protocol != GK_BRIDGE_PROTOCOL) {
		gk_call_fail(c, GK_CODE_PROTOCOL_MISMATCH, "the extension of "
		    "browser %s speaks bridge protocol %lld, this server %d",
		    w->label, (long long)w->protocol, (int)GK_BRIDGE_PROTOCOL);
		return false;
	}
	if (cap != GK_CAP_NONE && (w->caps & UINT32_C(1) << cap) == 0) {
		gk_call_fail(c, GK_CODE_TOOL_DISABLED, "%s needs the "
		    "capability %s, which browser %s has not announced",
		    c->tool->name, gk_schema_cap(cap), w->label);
		return false;
	}
	return true;
}
