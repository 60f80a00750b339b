/* See server.h. */
#include "engine/server_impl.h"

#include "base/str.h"

int
gk_server_new(struct genkan_ctx *ctx, const struct gk_server_opts *o,
    struct gk_server **ret)
{
	struct gk_server *s;
	char shown[4 * GK_QUOTE_MAX];

	s = gk_calloc(ctx, 1, sizeof(*s));
	if (s == NULL)
		return GENKAN_E_NOMEM;
	s->ctx = ctx;
	s->store = o->store;
	s->harness = o->harness;
	s->leave_at = GK_CLOCK_NEVER;
	gk_heldq_init(&s->calls, ctx);
	if (s->harness && (s->own = gk_own_new(s)) == NULL) {
		gk_free(ctx, s);
		return GENKAN_E_NOMEM;
	}
	if (o->name != NULL && o->name[0] != '\0') {
		if (gk_str_is_label(o->name, strlen(o->name)))
			(void)gk_str_copy(s->name, sizeof(s->name), o->name,
			    strlen(o->name));
		else
			gk_log(ctx, GK_LOG_WARN, GK_SERVER_TAG, "bad-name",
			    "GENKAN_CLIENT_NAME is ignored, it is no label: "
			    "%s", gk_str_escaped(shown, sizeof(shown),
			    o->name, strlen(o->name), GK_QUOTE_MAX));
	}
	gk_server_start(s);
	*ret = s;
	return 0;
}

void
gk_server_free(struct gk_server *s)
{
	if (s == NULL)
		return;
	s->settling = true;		/* nothing may come of what follows */
	if (s->own != NULL) {
		gk_own_over(s->own, false);
		s->own->server = NULL;
	}
	if (s->relay != NULL)
		gk_relay_drop(s->relay);
	gk_broker_free(s->broker);
	gk_trust_cache_done(&s->trust);
	gk_free(s->ctx, s);
}

struct genkan_leg *
gk_server_stdio(struct gk_server *s)
{
	return s->own != NULL ? &s->own->leg : NULL;
}

const char *
gk_server_role(const struct gk_server *s)
{
	return gk_server_role_name(s->role);
}

void
gk_server_installed(struct gk_server *s, const char *why)
{
	if (s->installed || s->leaving)
		return;
	if (why != NULL) {
		gk_log(s->ctx, GK_LOG_ERROR, GK_SERVER_TAG, "unmeasurable",
		    "the own program cannot be measured: %s", why);
		gk_server_leave(s, 1, GK_LEAVE_LOCK_MS);
		return;
	}
	s->installed = true;
	gk_server_elect(s);
	gk_server_settle(s);
}

int
gk_server_claim(struct gk_server *s)
{
	if (s->broker == NULL || s->leaving)
		return GENKAN_E_UNAVAILABLE;
	return gk_broker_claim(s->broker);
}

void
gk_server_unclaim(struct gk_server *s)
{
	if (s->broker != NULL)
		gk_broker_unclaim(s->broker);
}

int
gk_server_accept(struct gk_server *s, const struct gk_peer *peer,
    struct genkan_leg **ret)
{
	if (s->broker == NULL || s->leaving)
		return GENKAN_E_UNAVAILABLE;
	return gk_broker_accept(s->broker, peer, ret);
}

/* ------------------------------------------------------------------ leaving */

void
gk_server_leave(struct gk_server *s, int status, int64_t flush_ms)
{
	if (s->leaving)
		return;
	s->leaving = true;
	s->status = status;
	s->leave_at = gk_clock_after(s->ctx, flush_ms);
	s->want_measure = s->want_install = s->want_unlisten = false;
	gk_log(s->ctx, GK_LOG_INFO, GK_SERVER_TAG, "leave",
	    "leaving with status %d", status);
}

void
gk_server_stop(struct gk_server *s)
{
	gk_server_leave(s, 0, 0);
	s->leave_at = gk_now(s->ctx);
	s->status = 0;
}

/* The output of the harness is out, or it has had its time. */
static bool
may_leave(const struct gk_server *s)
{
	return s->own == NULL || gk_outq_empty(&s->own->out) ||
	    gk_now(s->ctx) >= s->leave_at;
}

/* ------------------------------------------------------------------- turns */

static void
settle_once(struct gk_server *s)
{
	if (s->own != NULL)
		gk_own_settle(s->own);
	gk_server_role_settle(s);
	/* 7.4: without its own leg only a broker has something left to do. */
	if (s->harness && s->role != GK_AS_BROKER &&
	    (s->own == NULL || s->own->state == GK_OWN_OVER))
		gk_server_leave(s, 0, GK_LEAVE_LOCK_MS);
}

void
gk_server_settle(struct gk_server *s)
{
	if (s->settling || s->leaving)
		return;
	s->settling = true;
	settle_once(s);
	s->settling = false;
}

void
gk_server_tick(struct gk_server *s, int64_t now_ms)
{
	gk_clock_set(s->ctx, now_ms);
	if (s->leaving)
		return;
	gk_server_call_ticks(s);
	gk_server_role_tick(s);
	gk_server_settle(s);
}

int64_t
gk_server_deadline(const struct gk_server *s)
{
	int64_t at;

	if (s->left)
		return GK_CLOCK_NEVER;
	if (s->leaving)
		return may_leave(s) ? gk_now(s->ctx) : s->leave_at;
	at = gk_clock_first(gk_server_role_deadline(s),
	    gk_server_call_deadline(s));
	if (s->own != NULL)
		at = gk_clock_first(at, gk_own_deadline(s->own));
	return at;
}

enum gk_server_event_kind
gk_server_next(struct gk_server *s, struct gk_server_event *ret)
{
	memset(ret, 0, sizeof(*ret));
	/* The broker's legs are fed past us. */
	gk_server_settle(s);
	if (s->leaving) {
		if (s->left || !may_leave(s))
			return ret->kind;
		s->left = true;
		ret->status = s->status;
		return ret->kind = GK_SERVER_LEAVE;
	}
	if (s->want_measure) {
		s->want_measure = false;
		return ret->kind = GK_SERVER_MEASURE;
	}
	/* With a list, only who is admitted goes beyond step 3. */
	if (s->want_install && !gk_server_must_wait(s)) {
		s->want_install = false;
		return ret->kind = GK_SERVER_INSTALL;
	}
	if (s->want_unlisten) {
		s->want_unlisten = false;
		return ret->kind = GK_SERVER_UNLISTEN;
	}
	if (s->round == GK_ROUND_WANTED) {
		s->round = GK_ROUND_RUNNING;
		ret->dial = s->harness;
		return ret->kind = GK_SERVER_ELECT;
	}
	return ret->kind;
}
