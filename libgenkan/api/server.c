#include "api/server_impl.h"

#include "api/door.h"
#include "api/sized.h"
#include "base/alloc.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "os/file.h"
#include "proto/machine.h"

/* The broker's sweep wakes us every second; the look at the own image rides on
 * it, and asks for a wake-up of its own only if none came. */
#define GLANCE_MIN_MS	900
#define GLANCE_MAX_MS	1250

#define OPTIONS_V1	GK_SIZED_TO(genkan_server_options, store)

/* ------------------------------------------------------------------- events */

static bool
glances(const struct genkan_server *s)
{
	return s->listener >= 0 || s->give_up;
}

static void
unlisten(struct genkan_server *s)
{
	if (s->listener >= 0)
		s->unlisten = true;
	gk_server_give_up(s, 0);
}

static void
leave(struct genkan_server *s, int status)
{
	s->leaving = true;
	s->status = status;
	/* A round under way may bind at this very moment. */
	if (s->electing)
		s->bound = true;
	gk_server_give_up(s, GK_LEAVE_LOCK_MS);
}

/* 0 when the machine has nothing to say. */
static int
pull(struct genkan_server *s)
{
	struct gk_server_event ev;

	switch (gk_server_next(s->m, &ev)) {
	case GK_SERVER_MEASURE:
		gk_serverjob_measure(s);
		return 1;
	case GK_SERVER_INSTALL:
		gk_serverjob_install(s);
		return 1;
	case GK_SERVER_ELECT:
		gk_serverjob_elect(s, ev.dial);
		return 1;
	case GK_SERVER_UNLISTEN:
		unlisten(s);
		return 1;
	case GK_SERVER_LEAVE:
		leave(s, ev.status);
		return 1;
	case GK_SERVER_NOTHING:
	default:
		return 0;
	}
}

static int
give_simple(int kind, int fd, int status, genkan_event *ret)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	ev.kind = kind;
	ev.fd = fd;
	ev.status = status;
	return gk_event_give(&ev, ret);
}

int
genkan_server_next(genkan_server *s, genkan_event *ret)
{
	int r, fd;

	if (!gk_event_fits(ret))
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(s)) < 0)
		return r;
	if (s->over)
		return 0;
	do {
		if (s->leaving) {
			s->over = true;
			return give_simple(GENKAN_EV_EXIT, -1, s->status, ret);
		}
		if (s->unlisten && s->events.head == NULL) {
			fd = s->listener;
			s->listener = -1;
			s->unlisten = false;
			return give_simple(GENKAN_EV_UNLISTEN, fd, 0, ret);
		}
		if (gk_evq_give(&s->events, s->ctx, ret) == 1)
			return 1;
	} while (pull(s));
	return 0;
}

/* ------------------------------------------------------------------- object */

GK_DISPATCH_OPS(genkan_server, GENKAN_EV_LISTEN, GENKAN_EV_UNLISTEN,
    GENKAN_EV_SERVE);

int
genkan_server_set_callbacks(genkan_server *s, const genkan_callbacks *callbacks)
{
	return gk_dispatch_set(s == NULL ? NULL : &s->dispatch, callbacks);
}

static int
set_up(struct genkan_server *s, const genkan_server_options *opts,
    struct gk_why *why)
{
	struct gk_server_opts mo = { 0 };
	int r;

	r = gk_ground_new(s->ctx, &s->ground, why);
	if (r < 0)
		return r;
	s->jobs.ground = s->ground;
	r = gk_stores_init(&s->stores, s->ctx, &s->ground->place);
	if (r < 0)
		return gk_why_set(why, r, 0, "no memory");
	mo.store = s->own.given.load != NULL ?
	    gk_userstore_over(&s->own, &s->stores.store) : &s->stores.store;
	mo.harness = opts->broker_only == 0;
	mo.name = opts->client_name;
	r = gk_server_new(s->ctx, &mo, &s->m);
	if (r < 0)
		return gk_why_set(why, r, 0, "%s", gk_err_text(r));
	if (mo.store->programs)
		gk_log(s->ctx, GK_LOG_WARN, "server", "own-records", "%s",
		    "this server goes by records of its own: what genkan or "
		    "the extension kills, revokes or permits does not reach "
		    "it");
	s->stdio = gk_server_stdio(s->m);
	return 0;
}

int
genkan_server_new(genkan_ctx *ctx, const genkan_server_options *options,
    genkan_server **ret)
{
	genkan_server_options opts = GENKAN_SERVER_OPTIONS_INIT;
	struct gk_userstore own;
	struct genkan_server *s;
	struct gk_why why = { 0, "" };
	int r, shut;

	if (ctx == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	shut = gk_door_in(ctx);
	r = gk_options_take(ctx, &opts, sizeof(opts), options, OPTIONS_V1,
	    &opts.reserved, 1);
	if (r == GENKAN_E_INVAL)
		return shut < 0 ? shut : r;
	r = gk_userstore_take(&own, ctx, opts.store, shut < 0 ? shut : r);
	if (r < 0)
		return r;
	s = gk_calloc(ctx, 1, sizeof(*s));
	if (s == NULL) {
		gk_userstore_done(&own);
		return gk_err_set(ctx, GENKAN_E_NOMEM, "no memory");
	}
	s->own = own;
	s->ctx = ctx;
	gk_dispatch_init(&s->dispatch, ctx, s, &dispatch_ops);
	s->listener = -1;
	gk_evq_init(&s->events);
	s->jobs.ctx = ctx;
	s->jobs.owner = s;
	s->jobs.events = &s->events;
	r = set_up(s, &opts, &why);
	if (r < 0) {
		genkan_server_free(s);
		return gk_err_set(ctx, r, "%s", why.text);
	}
	*ret = s;
	return 0;
}

void
genkan_server_free(genkan_server *s)
{
	genkan_callbacks callbacks;
	struct genkan_ctx *ctx;

	if (GK_DOOR(s) < 0 || gk_dispatch_later(&s->dispatch))
		return;
	ctx = s->ctx;
	gk_dispatch_end(&s->dispatch, &callbacks);
	gk_jobs_detach(&s->jobs);
	gk_evq_drop(&s->events, s->ctx);
	while (s->nslow > 0)
		gk_file_close(s->slow[--s->nslow]);
	gk_leg_free(s->stdio);
	if (s->m != NULL)
		gk_server_free(s->m);
	if (s->stores.ctx != NULL)
		gk_stores_done(&s->stores);
	gk_userstore_done(&s->own);
	gk_ground_unref(s->ground);
	gk_free_wiped(ctx, s, sizeof(*s));
	gk_callbacks_free(&callbacks);
}

genkan_leg *
genkan_server_stdio(genkan_server *s)
{
	struct genkan_leg *leg;

	if (!GK_OPEN(s))
		return NULL;
	leg = s->stdio;
	s->stdio = NULL;
	return leg;
}

void
genkan_server_stop(genkan_server *s)
{
	if (GK_DOOR_IN(s) == 0)
		gk_server_stop(s->m);
}

int
genkan_server_deadline(const genkan_server *s, int64_t *ms)
{
	int64_t at;
	int r;

	if (ms == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(s)) < 0)
		return r;
	at = gk_server_deadline(s->m);
	if (glances(s))
		at = GK_MIN(at, s->glanced + GLANCE_MAX_MS);
	if (at == GK_CLOCK_NEVER)
		return 0;
	*ms = at;
	return 1;
}

void
genkan_server_tick(genkan_server *s, int64_t now_ms)
{
	if (s == NULL || !gk_door_tick(s->ctx, now_ms))
		return;
	gk_server_tick(s->m, gk_now(s->ctx));
	if (glances(s) && s->ctx->now_ms - s->glanced >= GLANCE_MIN_MS)
		gk_server_glance(s);
}

const char *
genkan_server_role(const genkan_server *s)
{
	return GK_OPEN(s) ? gk_server_role(s->m) : "";
}
