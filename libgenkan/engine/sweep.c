/*
 * The sweep (wire 7.3): once a second everything that stands is held against
 * the record.  And the end of a retired broker (3.5).
 */
#include "engine/broker_impl.h"

static void
sever_browsers(struct gk_broker *b, const char *how)
{
	/* Each end shortens the list. */
	while (b->nbrowsers > 0)
		gk_browser_sever(b->browser[b->nbrowsers - 1], how);
}

/* Calls that wait for a browser: none will be admitted, so they are told now
 * and not at the end of their wait. */
static void
end_waiting(struct gk_broker *b)
{
	while (!gk_chain_empty(&b->waiting))
		if (gk_gate_kill(GK_OF(b->waiting.next, struct gk_call,
		    place), NULL))
			break;		/* released this very moment */
}

/*
 * Ends the attached clients that the record refuses.  One end may end others,
 * the next in line among them, so the walk begins anew after each.
 */
static void
drop_clients(struct gk_broker *b, const struct gk_trust_view *view)
{
	struct gk_broker_client *k;
	struct gk_admission a;
	struct gk_chain *n;

	for (n = b->clients.next; n != &b->clients;) {
		k = GK_OF(n, struct gk_broker_client, node);
		n = n->next;
		if (k->leg == NULL)
			continue;
		gk_client_judge(k, view, &a);
		if (a.verdict != GK_VERDICT_REFUSE)
			continue;
		gk_log(b->ctx, GK_LOG_WARN, "broker", "client-dropped",
		    "a client lost its admission: %s", a.reason);
		gk_client_drop(k->leg);
		n = b->clients.next;
	}
}

void
gk_sweep(struct gk_broker *b)
{
	struct gk_trust_view view;

	gk_broker_look(b, &view);
	/* An unreadable record refuses every attached client. */
	drop_clients(b, &view);
	if (view.state == GK_TRUST_UNREADABLE)
		sever_browsers(b, "the trust record cannot be read");
	else if (view.kill != GK_KILL_CLEAR)
		sever_browsers(b, "the kill switch is engaged");
	if (view.kill != GK_KILL_CLEAR)
		end_waiting(b);
}

static bool
has_attached(const struct gk_broker *b)
{
	return b->nclients > (b->own != NULL ? 1u : 0u);
}

/*
 * With its last browser a retired broker has nothing left to serve: calls that
 * wait are answered, attached clients closed once their replies are out, and
 * then the server is told.
 */
void
gk_retire_settle(struct gk_broker *b)
{
	struct gk_broker_client *k;
	struct gk_chain *n, *next;

	if (!b->retired || b->nbrowsers > 0)
		return;
	gk_calls_fail(&b->waiting, GK_CODE_PROTOCOL_MISMATCH,
	    GK_BROKER_OUTDATED_TEXT);
	for (n = b->clients.next; n != &b->clients; n = next) {
		next = n->next;
		k = GK_OF(n, struct gk_broker_client, node);
		if (k->leg != NULL && k->leg->leg->state == GK_BLEG_CLIENT)
			gk_bleg_flush(k->leg->leg);
	}
	if (!has_attached(b) && !b->told_outdated) {
		b->told_outdated = true;
		b->outdated = true;
	}
}

void
gk_broker_retire(struct gk_broker *b)
{
	struct gk_chain *n, *next;
	struct gk_bleg *l;

	if (b->retired)
		return;
	b->retired = true;
	gk_log(b->ctx, GK_LOG_INFO, "broker", "retired", "genkan was upgraded; "
	    "this broker serves what it has and takes nothing new");
	for (n = b->legs.next; n != &b->legs; n = next) {
		next = n->next;
		l = GK_OF(n, struct gk_bleg, node);
		if (l->state == GK_BLEG_SETUP)
			gk_bleg_close(l);
	}
	gk_retire_settle(b);
}

bool
gk_broker_retired(const struct gk_broker *b)
{
	return b->retired;
}
