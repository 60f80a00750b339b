/*
 * The roles of a genkan-server and the way between them: wire 3.1, 3.5, 7.1.
 */
#include "engine/server_impl.h"

#include <stdio.h>

const char *
gk_server_role_name(enum gk_server_role role)
{
	static const char *const name[] = {
		[GK_AS_ELECTING] = "electing",
		[GK_AS_ATTACHED] = "attached",
		[GK_AS_BROKER] = "broker",
		[GK_AS_OUTDATED] = "outdated",
	};

	return name[role];
}

void
gk_server_set_role(struct gk_server *s, enum gk_server_role role)
{
	if (s->role != role)
		gk_log(s->ctx, GK_LOG_INFO, GK_SERVER_TAG, "role", "%s -> %s",
		    gk_server_role_name(s->role), gk_server_role_name(role));
	s->role = role;
	s->round = GK_ROUND_NONE;
}

/* ------------------------------------------------------------------ rounds */

/* No call is held and no round runs while the record is unreadable (7.1). */
void
gk_server_unreadable(struct gk_server *s, const struct gk_trust_view *view)
{
	struct gk_mcp_call *call;

	while (s->calls.head != NULL) {
		call = s->calls.head->call;
		gk_heldq_remove(&s->calls, s->calls.head);
		gk_server_answer_killed(s, call, view);
	}
	/* One that runs already is seen through: its answer will come. */
	if (s->round == GK_ROUND_RUNNING || s->round == GK_ROUND_DIALLING)
		return;
	if (s->round != GK_ROUND_TRUST)
		gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, "trust-unreadable",
		    "%s", view->why);
	s->round = GK_ROUND_TRUST;
	s->round_at = gk_clock_after(s->ctx, GK_TRUST_RETRY_MS);
}

void
gk_server_elect(struct gk_server *s)
{
	struct gk_trust_view view;

	if (s->leaving || s->role != GK_AS_ELECTING ||
	    s->round == GK_ROUND_RUNNING || s->round == GK_ROUND_DIALLING)
		return;
	if (!s->installed || (s->harness && !s->measured)) {
		s->round = GK_ROUND_NONE;	/* asked again once they are */
		return;
	}
	if (s->harness) {
		gk_server_look(s, &view);
		if (view.state == GK_TRUST_UNREADABLE) {
			gk_server_unreadable(s, &view);
			return;
		}
		if ((s->round == GK_ROUND_TRUST || !s->judged) &&
		    !gk_server_judge(s, &view)) {
			gk_server_lose_admission(s);
			return;
		}
	}
	s->round = GK_ROUND_WANTED;
}

static void
failed(struct gk_server *s, const char *reason)
{
	char text[768];

	gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, "election-failed",
	    "could neither become the broker nor reach one: %s", reason);
	(void)snprintf(text, sizeof(text), "there is no broker: %s", reason);
	gk_server_answer_held(s, GK_CODE_CONNECTION_LOST, text);
	gk_server_leave(s, 1, GK_DRAIN_MS);
}

void
gk_server_denied(struct gk_server *s, const char *reason)
{
	gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, "election-denied", "%s",
	    reason);
	gk_server_drop_calls(s);
	gk_server_leave(s, 1, GK_LEAVE_LOCK_MS);
}

void
gk_server_round_failed(struct gk_server *s, const char *reason)
{
	s->rounds++;
	gk_log(s->ctx, GK_LOG_WARN, GK_SERVER_TAG, "round-failed",
	    "round %d of %d: %s", s->rounds, GK_ELECTION_ROUNDS, reason);
	if (s->rounds >= GK_ELECTION_ROUNDS) {
		failed(s, reason);
		return;
	}
	s->round = GK_ROUND_PAUSE;
	s->round_at = gk_clock_after(s->ctx, GK_ELECTION_PAUSE_MS);
}

/* ---------------------------------------------------------------- outcomes */

static void
become_outdated(struct gk_server *s)
{
	gk_log(s->ctx, GK_LOG_WARN, GK_SERVER_TAG, "outdated",
	    "genkan was upgraded while this server ran");
	if (!s->harness) {
		gk_server_leave(s, s->broker != NULL ? 0 : 1, 0);
		return;
	}
	if (s->broker != NULL) {
		/* Calls have ended; nothing of it is left (3.5). */
		if (s->client != NULL)
			gk_broker_release(s->client);
		s->client = NULL;
		gk_broker_free(s->broker);
		s->broker = NULL;
	}
	gk_server_set_role(s, GK_AS_OUTDATED);
	gk_server_answer_held(s, GK_CODE_PROTOCOL_MISMATCH,
	    "genkan was upgraded while this server ran; restart the MCP "
	    "client");
}

/* Held calls start in their order, each judged like a line of its own. */
static void
start_held(struct gk_server *s)
{
	struct gk_trust_view seen;
	struct gk_mcp_call *call;
	bool ok = true;

	while (s->calls.head != NULL) {
		call = s->calls.head->call;
		gk_heldq_remove(&s->calls, s->calls.head);
		if (ok)
			ok = gk_server_judge(s, &seen);
		if (ok)
			(void)gk_broker_call(s->client, call, &seen);
		else
			gk_mcp_forget(call);
	}
	if (!ok)
		gk_server_lose_admission(s);
}

static void
become_broker(struct gk_server *s)
{
	int r = 0;

	s->broker = gk_broker_new(s->ctx, s->store);
	if (s->broker == NULL)
		r = GENKAN_E_NOMEM;
	if (r == 0 && s->own != NULL && s->own->state != GK_OWN_OVER)
		r = gk_broker_own(s->broker, s->own->mcp, &s->measure,
		    &s->client);
	if (r < 0) {
		failed(s, gk_err_text(r));
		return;
	}
	s->rounds = 0;
	gk_server_set_role(s, GK_AS_BROKER);
	if (s->client != NULL)
		start_held(s);
}

void
gk_server_elected(struct gk_server *s, struct gk_election *e,
    struct genkan_leg **ret)
{
	*ret = NULL;
	if (s->leaving || s->role != GK_AS_ELECTING ||
	    s->round != GK_ROUND_RUNNING) {
		gk_wipe(e->secret, sizeof(e->secret));
		return;
	}
	s->round = GK_ROUND_NONE;
	switch (e->outcome) {
	case GK_ELECTED_BROKER:
		become_broker(s);
		break;
	case GK_ELECTED_DIALLED:
		gk_server_dialled(s, e->secret, ret);
		break;
	case GK_ELECTED_FOUND:
		gk_log(s->ctx, GK_LOG_WARN, GK_SERVER_TAG, "broker-found",
		    "a broker runs already%s%s", e->reason[0] != '\0' ? ": " :
		    "", e->reason);
		gk_server_leave(s, 0, 0);
		break;
	case GK_ELECTED_OUTDATED:
		become_outdated(s);
		break;
	case GK_ELECTED_RETRY:
		gk_server_round_failed(s, e->reason);
		break;
	case GK_ELECTED_DENIED:
		gk_server_denied(s, e->reason);
		break;
	case GK_ELECTED_FAILED:
		failed(s, e->reason);
		break;
	}
	gk_wipe(e->secret, sizeof(e->secret));
	gk_server_settle(s);
}

/* ------------------------------------------------------------------ broker */

static void
broker_settle(struct gk_server *s)
{
	switch (gk_broker_next(s->broker)) {
	case GK_BROKER_NOTHING:
		break;
	case GK_BROKER_LEAVE:
		gk_server_leave(s, 0, 0);
		break;
	case GK_BROKER_OUTDATED:
		become_outdated(s);
		break;
	}
}

void
gk_server_replaced(struct gk_server *s)
{
	if (s->leaving || s->role != GK_AS_BROKER ||
	    gk_broker_retired(s->broker))
		return;
	gk_log(s->ctx, GK_LOG_WARN, GK_SERVER_TAG, "replaced", "the program "
	    "on disk is no longer the one that runs; no new connections");
	gk_broker_retire(s->broker);
	s->want_unlisten = true;
	gk_server_settle(s);
}

void
gk_server_role_settle(struct gk_server *s)
{
	if (s->relay != NULL)
		gk_server_relay_settle(s);
	if (s->broker != NULL && !s->leaving)
		broker_settle(s);
}

/* -------------------------------------------------------------------- time */

void
gk_server_role_tick(struct gk_server *s)
{
	bool due = gk_now(s->ctx) >= s->round_at;

	if (s->relay != NULL)
		gk_relay_tick(s->relay);
	if (s->broker != NULL)
		gk_broker_tick(s->broker, gk_now(s->ctx));
	if (due && (s->round == GK_ROUND_PAUSE || s->round == GK_ROUND_TRUST))
		gk_server_elect(s);
}

int64_t
gk_server_role_deadline(const struct gk_server *s)
{
	int64_t at = GK_CLOCK_NEVER;

	if (s->relay != NULL)
		at = gk_clock_first(at, gk_relay_deadline(s->relay));
	if (s->broker != NULL)
		at = gk_clock_first(at, gk_broker_deadline(s->broker));
	if (s->round == GK_ROUND_PAUSE || s->round == GK_ROUND_TRUST)
		at = GK_MIN(at, s->round_at);
	return at;
}
