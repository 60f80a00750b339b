/*
 * A genkan-server that is no broker: its leg to the one that is (wire 7.1).
 */
#include "engine/server_impl.h"

#include <stdio.h>

static void
attach_frame(const struct gk_server *s, struct gk_attach *a)
{
	memset(a, 0, sizeof(*a));
	a->role = GK_ATTACH_CLIENT;
	if (!s->measure.ok)
		return;
	a->has_harness = true;
	memcpy(a->hash, s->measure.hash, sizeof(a->hash));
	memcpy(a->signer, s->measure.signer, sizeof(a->signer));
	memcpy(a->name, s->name, sizeof(a->name));
}

static void
relay_wakes(void *owner)
{
	gk_server_settle(owner);
}

/* The program has closed its leg. */
static void
relay_freed(void *owner)
{
	struct gk_server *s = owner;

	gk_server_settle(s);
	if (s->relay != NULL)
		gk_relay_drop(s->relay);
	s->relay = NULL;
}

void
gk_server_dialled(struct gk_server *s, const uint8_t *secret,
    struct genkan_leg **ret)
{
	struct gk_relay_opts o;
	struct gk_attach a;

	if (s->own == NULL)
		return;
	attach_frame(s, &a);
	memset(&o, 0, sizeof(o));
	o.secret = secret;
	o.attach = &a;
	o.calls = &s->calls;
	o.mcp = s->own->mcp;
	o.harness = &s->own->out;
	o.wake = relay_wakes;
	o.freed = relay_freed;
	o.owner = s;
	s->relay = gk_relay_new(s->ctx, &o);
	if (s->relay == NULL) {
		gk_server_round_failed(s, gk_err_text(GENKAN_E_NOMEM));
		return;
	}
	s->round = GK_ROUND_DIALLING;
	*ret = gk_relay_leg(s->relay);
}

static void
let_relay_go(struct gk_server *s)
{
	gk_relay_drop(s->relay);
	s->relay = NULL;
}

static void
relay_refused(struct gk_server *s, const char *reason)
{
	struct gk_trust_view view;

	gk_server_look(s, &view);
	let_relay_go(s);
	s->round = GK_ROUND_NONE;
	if (view.state == GK_TRUST_UNREADABLE)
		gk_server_unreadable(s, &view);
	else
		gk_server_denied(s, reason);
}

static void
relay_replied(struct gk_server *s)
{
	const struct gk_attach_reply *reply = gk_relay_reply(s->relay);
	char reason[sizeof(reply->reason)];

	memcpy(reason, reply->reason, sizeof(reason));
	switch (reply->verdict) {
	case GK_ATTACH_ACCEPTED:
		gk_server_set_role(s, GK_AS_ATTACHED);
		gk_relay_attach(s->relay);
		break;
	case GK_ATTACH_REFUSED:
		relay_refused(s, reason);
		break;
	case GK_ATTACH_UNAVAILABLE:
		let_relay_go(s);
		gk_server_round_failed(s, reason);
		break;
	}
}

/* 7.1, the leg is lost.  Step 1 is the relay's. */
static void
relay_lost(struct gk_server *s)
{
	int64_t lived = gk_now(s->ctx) - gk_relay_accepted_at(s->relay);
	struct gk_held *h, *next;
	struct gk_mcp_call *call;
	struct gk_trust_view view;
	char text[384], why[256];

	(void)snprintf(why, sizeof(why), "%s", gk_relay_why(s->relay));
	let_relay_go(s);
	gk_log(s->ctx, GK_LOG_WARN, GK_SERVER_TAG, "broker-lost", "%s", why);

	(void)snprintf(text, sizeof(text), "the broker was lost (%s); the "
	    "call may have run", why);
	for (h = s->calls.head; h != NULL; h = next) {
		next = h->next;
		if (h->state != GK_HELD_FORWARDED)
			continue;
		call = h->call;
		gk_heldq_remove(&s->calls, h);
		(void)gk_mcp_lost(call, GK_CODE_CONNECTION_LOST,
		    gk_span_str(text));
	}
	gk_heldq_requeue(&s->calls);

	gk_server_set_role(s, GK_AS_ELECTING);
	if (!gk_server_judge(s, &view)) {
		gk_server_drop_calls(s);
		gk_server_leave(s, 1, GK_LEAVE_LOCK_MS);
		return;
	}
	if (lived < GK_TAKEOVER_MS) {
		gk_server_round_failed(s, why);
		return;
	}
	s->rounds = 0;
	gk_server_elect(s);
}

void
gk_server_relay_settle(struct gk_server *s)
{
	char why[256];

	switch (gk_relay_state(s->relay)) {
	case GK_RELAY_REPLIED:
		relay_replied(s);
		break;
	case GK_RELAY_OVER:
		if (s->role == GK_AS_ATTACHED) {
			relay_lost(s);
			break;
		}
		(void)snprintf(why, sizeof(why), "%s",
		    gk_relay_why(s->relay));
		let_relay_go(s);
		gk_server_round_failed(s, why);
		break;
	case GK_RELAY_DIALLING:
	case GK_RELAY_ATTACHED:
	case GK_RELAY_DRAINING:
		break;
	}
}
