#include "api/host_impl.h"

#include "api/door.h"
#include "base/alloc.h"
#include "base/err.h"
#include "base/log.h"
#include "proto/machine.h"

#define TAG	"host"

static void
end(struct genkan_host *h, int status)
{
	h->leaving = true;
	h->status = status;
}

/* ------------------------------------------------- install set (12.2 step 1) */

static void
done_install(void *owner, struct genkan_job *job)
{
	struct genkan_host *h = owner;

	if (h == NULL)
		return;
	h->installing = false;
	if (gk_job_installed(job) < 0) {
		gk_log(h->ctx, GK_LOG_ERROR, TAG, "own-image", "%s",
		    job->why.text);
		end(h, 1);
	}
}

/* ------------------------------------------------------------------- events */

/* 0 when the machine has nothing to say. */
static int
pull(struct genkan_host *h)
{
	struct gk_host_event ev;

	switch (gk_host_next(h->m, &ev)) {
	case GK_HOST_PROBE:
		gk_hostjob_probe(h, ev.connect);
		return 1;
	case GK_HOST_DIAL:
		gk_hostjob_dial(h);
		return 1;
	case GK_HOST_LOOK:
		gk_hostjob_look(h);
		return 1;
	case GK_HOST_ASK:
		gk_hostjob_ask(h, &ev.ask);
		return 1;
	case GK_HOST_KEY:
		gk_hostjob_key(h, ev.key);
		return 1;
	case GK_HOST_LEAVE:
		end(h, ev.status);
		return 1;
	case GK_HOST_NOTHING:
	default:
		return 0;
	}
}

static int
give_exit(struct genkan_host *h, genkan_event *ret)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	h->over = true;
	ev.kind = GENKAN_EV_EXIT;
	ev.status = h->status;
	return gk_event_give(&ev, ret);
}

int
genkan_host_next(genkan_host *h, genkan_event *ret)
{
	int r;

	if (!gk_event_fits(ret))
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(h)) < 0)
		return r;
	if (h->over)
		return 0;
	do {
		if (h->leaving)
			return give_exit(h, ret);
		if (gk_evq_give(&h->events, h->ctx, ret) == 1)
			return 1;
	} while (!h->installing && pull(h));
	return 0;
}

/* ------------------------------------------------------------------- object */

GK_DISPATCH_OPS(genkan_host, GENKAN_EV_SERVE);

int
genkan_host_set_callbacks(genkan_host *h, const genkan_callbacks *callbacks)
{
	return gk_dispatch_set(h == NULL ? NULL : &h->dispatch, callbacks);
}

static bool
parent_still(void *user)
{
	const struct genkan_host *h = user;

	return gk_parent_is_browser_still(&h->parent);
}

/* The parent is looked at in any case: presence asks what it is. */
static int
make_machine(struct genkan_host *h, const struct gk_host_args *args)
{
	struct gk_host_opts opts = { 0 };
	struct gk_why why = { 0, "" };

	gk_parent_look(&h->parent, &why);
	opts.store = &h->stores.store;
	opts.label = args->has_label ? args->label : h->parent.key;
	opts.parent_is_browser = h->parent.by_image;
	opts.parent_still = parent_still;
	opts.parent_user = h;
	if (h->parent.key == NULL)
		gk_log(h->ctx, GK_LOG_DEBUG, TAG, "parent",
		    "the parent is no known browser%s%s",
		    why.text[0] == '\0' ? "" : ": ", why.text);
	return gk_host_new(h->ctx, &opts, &h->m);
}

static int
set_up(struct genkan_host *h, int argc, const char *const *argv,
    struct gk_why *why)
{
	struct gk_host_args args;
	int r;

	r = gk_host_args(argc, argv, &args, why->text, sizeof(why->text));
	if (r == 0)
		r = gk_ground_new(h->ctx, &h->ground, why);
	if (r < 0)
		return r;
	h->jobs.ground = h->ground;
	r = gk_stores_init(&h->stores, h->ctx, &h->ground->place);
	if (r == 0)
		r = make_machine(h, &args);
	if (r < 0)
		return gk_why_set(why, r, 0, "%s", gk_err_text(r));
	h->stdio = gk_host_browser(h->m);
	if (gk_job_start(&h->jobs, gk_job_install_host, gk_job_install_lost,
	    done_install) == NULL)
		return gk_why_set(why, GENKAN_E_NOMEM, 0, "no memory");
	h->installing = true;
	return 0;
}

int
genkan_host_new(genkan_ctx *ctx, int argc, const char *const *argv,
    genkan_host **ret)
{
	struct genkan_host *h;
	struct gk_why why = { 0, "" };
	int r, i;

	if (ret == NULL || argc < 0 || (argc > 0 && argv == NULL))
		return GENKAN_E_INVAL;
	for (i = 0; i < argc; i++)
		if (argv[i] == NULL)
			return GENKAN_E_INVAL;
	if ((r = gk_door_in(ctx)) < 0)
		return r;
	h = gk_calloc(ctx, 1, sizeof(*h));
	if (h == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "no memory");
	h->ctx = ctx;
	gk_dispatch_init(&h->dispatch, ctx, h, &dispatch_ops);
	gk_evq_init(&h->events);
	h->jobs.ctx = ctx;
	h->jobs.owner = h;
	h->jobs.events = &h->events;
	r = set_up(h, argc, argv, &why);
	if (r < 0) {
		genkan_host_free(h);
		return gk_err_set(ctx, r, "%s", why.text);
	}
	*ret = h;
	return 0;
}

void
genkan_host_free(genkan_host *h)
{
	genkan_callbacks callbacks;
	struct genkan_ctx *ctx;

	if (GK_DOOR(h) < 0 || gk_dispatch_later(&h->dispatch))
		return;
	ctx = h->ctx;
	gk_dispatch_end(&h->dispatch, &callbacks);
	gk_jobs_detach(&h->jobs);
	gk_evq_drop(&h->events, h->ctx);
	gk_leg_free(h->stdio);
	if (h->m != NULL)
		gk_host_free(h->m);
	if (h->stores.ctx != NULL)
		gk_stores_done(&h->stores);
	gk_ground_unref(h->ground);
	gk_free(ctx, h);
	gk_callbacks_free(&callbacks);
}

genkan_leg *
genkan_host_stdio(genkan_host *h)
{
	struct genkan_leg *leg;

	if (!GK_OPEN(h))
		return NULL;
	leg = h->stdio;
	h->stdio = NULL;
	return leg;
}

void
genkan_host_stop(genkan_host *h)
{
	if (GK_DOOR_IN(h) == 0)
		gk_host_stop(h->m);
}

int
genkan_host_deadline(const genkan_host *h, int64_t *ms)
{
	int64_t at;
	int r;

	if (ms == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(h)) < 0)
		return r;
	at = gk_host_deadline(h->m);
	if (at == GK_CLOCK_NEVER)
		return 0;
	*ms = at;
	return 1;
}

void
genkan_host_tick(genkan_host *h, int64_t now_ms)
{
	if (h != NULL && gk_door_tick(h->ctx, now_ms))
		gk_host_tick(h->m, gk_now(h->ctx));
}

const char *
genkan_host_state(const genkan_host *h)
{
	return GK_OPEN(h) ? gk_host_state(h->m) : "";
}
