/*
 * The own harness before the trust record: wire 4.4, 7.2 checks 2 and 3, and
 * the start of 10.1.
 */
#include "engine/server_impl.h"

#include <stdio.h>

#include "base/str.h"

void
gk_server_look(struct gk_server *s, struct gk_trust_view *ret)
{
	gk_trust_look(s->ctx, s->store, &s->trust, ret);
}

/* A list decides on a measurement, so whatever needs the verdict waits until
 * there is one. */
bool
gk_server_must_wait(struct gk_server *s)
{
	struct gk_trust_view view;

	if (!s->harness || s->measured)
		return false;
	gk_server_look(s, &view);
	return view.state != GK_TRUST_UNREADABLE && view.rec->paired;
}

/*
 * An unreadable record ends no leg of an own harness: what it was admitted as
 * is remembered, and the next readable one decides.
 */
static bool
decide(struct gk_server *s, const struct gk_trust_view *view,
    struct gk_admission *a)
{
	if (!s->harness || view->state == GK_TRUST_UNREADABLE) {
		a->reason = NULL;
		return true;
	}
	gk_admission_decide(view, s->measured ? &s->measure : NULL, a);
	if (a->verdict == GK_VERDICT_REFUSE)
		return false;
	if (s->judged && gk_admission_weakened(s->verdict, a->verdict)) {
		a->reason = "it was admitted by a list that is gone";
		return false;
	}
	s->judged = true;
	s->verdict = a->verdict;
	return true;
}

bool
gk_server_judge(struct gk_server *s, struct gk_trust_view *ret)
{
	struct gk_admission a;
	bool ok;

	gk_server_look(s, ret);
	ok = decide(s, ret, &a);
	if (!ok)
		gk_log(s->ctx, GK_LOG_WARN, GK_SERVER_TAG, "admission-lost",
		    "the MCP client is no longer admitted: %s",
		    a.reason != NULL ? a.reason : "refused");
	return ok;
}

/* The process lives on for others, if there are any (3.3). */
void
gk_server_lose_admission(struct gk_server *s)
{
	if (s->role != GK_AS_BROKER) {
		if (s->own != NULL)
			gk_own_over(s->own, false);
		gk_server_leave(s, 1, 0);
		return;
	}
	if (s->own != NULL)
		gk_own_mute(s->own);
	if (gk_broker_next(s->broker) == GK_BROKER_LEAVE)
		gk_server_leave(s, 1, 0);
}

/* ------------------------------------------------------------------- start */

static void
audit_refuse(struct gk_server *s, const char *reason)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	char anchor[GK_SIGNER_MAX + 16], detail[GK_SIGNER_MAX + 128];

	(void)snprintf(detail, sizeof(detail), "%s; %s", reason,
	    gk_measure_text(&s->measure, anchor, sizeof(anchor)));
	rec.kind = "harness_refuse";
	rec.surface = "broker";
	rec.outcome = "refused";
	rec.name = s->name[0] != '\0' ? s->name : NULL;
	rec.detail = detail;
	gk_store_audit(s->store, &rec);
}

/* What would admit it, ready to be typed. */
static void
log_anchor(struct gk_server *s, const char *id, const char *what)
{
	if (!s->measure.ok) {
		gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, id,
		    "%s; its program could not be measured", what);
		return;
	}
	gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, id,
	    "%s; measured: hash:%s (%s); to admit it: genkan pair-client "
	    "--name NAME --hash %s", what, s->measure.hash, s->measure.path,
	    s->measure.hash);
}

/* Step 3 with the measurement there: exit 1 before a byte on stdout. */
static void
first_verdict(struct gk_server *s)
{
	struct gk_trust_view view;
	struct gk_admission a;

	gk_server_look(s, &view);
	if (!decide(s, &view, &a)) {
		audit_refuse(s, a.reason != NULL ? a.reason : "refused");
		log_anchor(s, "harness-refused",
		    "this MCP client is not admitted");
		if (s->own != NULL)
			gk_own_over(s->own, false);
		gk_server_leave(s, 1, 0);
		return;
	}
	if (view.state != GK_TRUST_UNREADABLE && !view.rec->paired)
		log_anchor(s, "admission-open", "no client was ever paired, so "
		    "admission is not enforced for this MCP client");
}

void
gk_server_measured(struct gk_server *s, const struct gk_measure *m)
{
	if (s->measured || s->leaving)
		return;
	s->measure = *m;
	(void)gk_str_copy(s->measure.name, sizeof(s->measure.name), s->name,
	    strlen(s->name));
	s->measured = true;
	first_verdict(s);
	gk_server_elect(s);
	gk_server_settle(s);
}

/* 10.1 steps 2 and 3, and what steps 5 and 6 will ask for. */
void
gk_server_start(struct gk_server *s)
{
	struct gk_trust_view view;

	gk_server_look(s, &view);
	s->want_install = true;
	s->want_measure = s->harness;
	if (view.state != GK_TRUST_UNREADABLE)
		return;
	gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, "trust-unreadable",
	    "%s", view.why);
	if (!s->harness)
		gk_server_leave(s, 1, 0);
}
