#include "api/dispatch.h"

#include "api/door.h"
#include "api/sized.h"
#include "base/alloc.h"
#include "os/file.h"

#define CALLBACKS_V1	GK_SIZED_TO(genkan_callbacks, progress)

struct gk_handler {
	struct gk_handler	*next;		/* among those replaced */
	genkan_callbacks	 cb;
};

static genkan_event_fn *
function(const genkan_callbacks *cb, int kind)
{
	switch (kind) {
	case GENKAN_EV_JOB:
		return cb->job;
	case GENKAN_EV_LISTEN:
		return cb->listen;
	case GENKAN_EV_UNLISTEN:
		return cb->unlisten;
	case GENKAN_EV_SERVE:
		return cb->serve;
	case GENKAN_EV_EXIT:
		return cb->exit;
	case GENKAN_EV_STATE:
		return cb->state;
	case GENKAN_EV_RESULT:
		return cb->result;
	case GENKAN_EV_PROGRESS:
		return cb->progress;
	default:
		return NULL;
	}
}

/* ------------------------------------------------------------- registration */

void
gk_dispatch_init(struct gk_dispatch *d, struct genkan_ctx *ctx, void *obj,
    const struct gk_dispatch_ops *ops)
{
	memset(d, 0, sizeof(*d));
	d->ctx = ctx;
	d->obj = obj;
	d->ops = ops;
}

void
gk_callbacks_free(const genkan_callbacks *cb)
{
	if (cb->free_user != NULL)
		cb->free_user(cb->user);
}

/* Takes the callbacks out of what may be NULL. */
static void
empty(struct genkan_ctx *ctx, struct gk_handler *h, genkan_callbacks *ret)
{
	static const genkan_callbacks none = GENKAN_CALLBACKS_INIT;

	*ret = h != NULL ? h->cb : none;
	gk_free(ctx, h);
}

static void
unlink_from_context(struct gk_dispatch *d)
{
	if (d->prev == NULL)
		return;
	*d->prev = d->next;
	if (d->next != NULL)
		d->next->prev = d->prev;
	d->next = NULL;
	d->prev = NULL;
}

static void
link_to_context(struct gk_dispatch *d)
{
	d->next = d->ctx->dispatched;
	d->prev = &d->ctx->dispatched;
	if (d->next != NULL)
		d->next->prev = &d->next;
	d->ctx->dispatched = d;
}

/* The object may be gone afterwards: free_user of what was there before. */
static void
replace(struct gk_dispatch *d, struct gk_handler *h)
{
	struct gk_handler *was = d->handler;
	genkan_callbacks cb;

	unlink_from_context(d);
	d->handler = h;
	if (h != NULL)
		link_to_context(d);
	if (d->running && was != NULL) {
		was->next = d->replaced;
		d->replaced = was;
		return;
	}
	empty(d->ctx, was, &cb);
	gk_callbacks_free(&cb);
}

static int
check(struct gk_dispatch *d, const genkan_callbacks *cb)
{
	size_t i;

	for (i = 0; d->ops->needs[i] != 0; i++)
		if (function(cb, d->ops->needs[i]) == NULL)
			return gk_err_set(d->ctx, GENKAN_E_INVAL,
			    "callbacks: one that is needed is NULL");
	return 0;
}

/* taken: what became of the look at its size. */
static int
make(struct gk_dispatch *d, const genkan_callbacks *cb, int taken,
    struct gk_handler **ret)
{
	int r = d == NULL ? GENKAN_E_INVAL : gk_door_fresh(d->ctx);

	if (r < 0)
		return r;
	if (taken < 0)
		return gk_err_set(d->ctx, taken,
		    "callbacks: made for a newer libgenkan");
	if ((r = check(d, cb)) < 0)
		return r;
	*ret = gk_malloc(d->ctx, sizeof(**ret));
	if (*ret == NULL)
		return gk_err_set(d->ctx, GENKAN_E_NOMEM, "no memory");
	(*ret)->next = NULL;
	(*ret)->cb = *cb;
	return 0;
}

int
gk_dispatch_set(struct gk_dispatch *d, const genkan_callbacks *src)
{
	genkan_callbacks cb = GENKAN_CALLBACKS_INIT;
	struct gk_handler *h = NULL;
	int r;

	if (src == NULL) {
		if ((r = GK_DOOR(d)) < 0)
			return r;
		replace(d, NULL);
		return 0;
	}
	r = gk_sized_take(&cb, sizeof(cb), src, CALLBACKS_V1);
	if (r == GENKAN_E_INVAL)
		return r;
	r = make(d, &cb, r, &h);
	if (r < 0) {
		gk_callbacks_free(&cb);
		return r;
	}
	replace(d, h);
	return 0;
}

/* ------------------------------------------------------------------ freeing */

bool
gk_dispatch_later(struct gk_dispatch *d)
{
	d->freed |= d->running;
	return d->running;
}

void
gk_dispatch_end(struct gk_dispatch *d, genkan_callbacks *ret)
{
	struct gk_handler *h = d->handler;

	unlink_from_context(d);
	d->handler = NULL;
	empty(d->ctx, h, ret);
}

/* ----------------------------------------------------------------- dispatch */

/* A kind that the program has no function for. */
static void
unwanted(const genkan_event *ev)
{
	if (ev->kind == GENKAN_EV_JOB) {
		genkan_job_run(ev->job);
		genkan_job_done(ev->job);
	} else if (ev->kind == GENKAN_EV_SERVE) {
		genkan_leg_free(ev->leg);
		gk_file_close(ev->fd);
	}
}

static void
hand_out(const struct gk_handler *h, const genkan_event *ev)
{
	genkan_event_fn *fn = function(&h->cb, ev->kind);

	if (fn != NULL)
		fn(h->cb.user, ev);
	else
		unwanted(ev);
}

/* What was put off meanwhile.  The context last: each free_user may still use
 * it. */
static void
settle(struct genkan_ctx *ctx, struct gk_dispatch *d)
{
	struct gk_handler *h, *replaced = d->replaced;
	genkan_callbacks cb;

	d->running = false;
	d->replaced = NULL;
	if (d->freed)
		d->ops->free(d->obj);
	while ((h = replaced) != NULL) {
		replaced = h->next;
		empty(ctx, h, &cb);
		gk_callbacks_free(&cb);
	}
	if (--ctx->dispatching == 0 && ctx->freed)
		genkan_ctx_free(ctx);
}

int
genkan_dispatch(genkan_ctx *ctx, const void *obj)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	struct gk_dispatch *d;
	int r, n = 0;

	if (obj == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	for (d = ctx->dispatched; d != NULL && d->obj != obj; d = d->next)
		continue;
	if (d == NULL)
		return GENKAN_E_NOENT;
	if (d->running)
		return GENKAN_E_STATE;
	d->running = true;
	ctx->dispatching++;
	while (!d->freed && d->handler != NULL &&
	    d->ops->next(d->obj, &ev) == 1) {
		hand_out(d->handler, &ev);
		n++;
	}
	settle(ctx, d);
	return n;
}
