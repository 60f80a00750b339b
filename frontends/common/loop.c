#include "common/loop.h"

#include <stdlib.h>
#include <uv.h>

struct timer {
	uv_timer_t	 uv;
	loop_fn		*fn;
	void		*user;
	int64_t		 at;		/* armed for, -1: not */
};

struct loop {
	uv_loop_t	 uv;
	uv_async_t	 wake;
	loop_fn		*wake_fn;
	void		*wake_user;
	struct timer	 timer[LOOP_TIMERS];
	int		 closing;	/* handles still to be closed */
};

struct loop_watch {
	union {
		uv_handle_t	handle;
		uv_poll_t	poll;
		uv_idle_t	idle;	/* of a plain file */
	} u;
	loop_watch_fn	*fn;
	void		*user;
	unsigned	 what;
	int		 is_file;
};

/* ------------------------------------------------------------------ timers */

int64_t
loop_now(struct loop *l)
{
	uv_update_time(&l->uv);
	return (int64_t)uv_now(&l->uv);
}

static void
on_timer(uv_timer_t *uv)
{
	struct timer *t = uv->data;

	t->at = -1;
	t->fn(t->user);
}

void
loop_on_timer(struct loop *l, int timer, loop_fn *fn, void *user)
{
	l->timer[timer].fn = fn;
	l->timer[timer].user = user;
}

void
loop_set_timer(struct loop *l, int timer, int64_t at)
{
	struct timer *t = &l->timer[timer];
	int64_t now;

	if (at == t->at)
		return;
	t->at = at;
	if (at < 0) {
		(void)uv_timer_stop(&t->uv);
		return;
	}
	now = (int64_t)uv_now(&l->uv);
	(void)uv_timer_start(&t->uv, on_timer,
	    at > now ? (uint64_t)(at - now) : 0, 0);
}

/* ----------------------------------------------------------------- wake-ups */

static void
on_wake(uv_async_t *uv)
{
	struct loop *l = uv->data;

	if (l->wake_fn != NULL)
		l->wake_fn(l->wake_user);
}

void
loop_on_wake(struct loop *l, loop_fn *fn, void *user)
{
	l->wake_fn = fn;
	l->wake_user = user;
}

void
loop_wake(struct loop *l)
{
	(void)uv_async_send(&l->wake);
}

/* -------------------------------------------------------------- descriptors */

/*
 * libuv has no name for "only tell me when the other end is gone", which the
 * system reports whatever was asked for.  Priority data is what these
 * descriptors never carry, so asking for that asks for nothing else; a peer
 * that sends some all the same is told to be gone, rather than waking us for
 * ever.
 */
static void
on_poll(uv_poll_t *uv, int status, int events)
{
	struct loop_watch *w = uv->data;
	unsigned what = 0;

	if (status < 0) {		/* libuv has stopped the handle */
		what = LOOP_GONE | LOOP_READ;
		w->what = 0;
	} else {
		if ((events & UV_READABLE) != 0)
			what |= LOOP_READ;
		if ((events & UV_WRITABLE) != 0)
			what |= LOOP_WRITE;
		if ((events & UV_PRIORITIZED) != 0)
			what |= LOOP_GONE;
	}
	w->fn(w->user, what);
}

static void
on_idle(uv_idle_t *uv)
{
	struct loop_watch *w = uv->data;

	w->fn(w->user, w->what & (LOOP_READ | LOOP_WRITE));
}

struct loop_watch *
loop_watch_new(struct loop *l, int fd, loop_watch_fn *fn, void *user)
{
	struct loop_watch *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->fn = fn;
	w->user = user;
	if (uv_poll_init(&l->uv, &w->u.poll, fd) != 0) {
		(void)uv_idle_init(&l->uv, &w->u.idle);
		w->is_file = 1;
	}
	w->u.handle.data = w;
	return w;
}

static void
set_poll(struct loop_watch *w)
{
	int events = 0;

	if ((w->what & LOOP_GONE) != 0)
		events |= UV_PRIORITIZED;
	if ((w->what & LOOP_READ) != 0)
		events |= UV_READABLE;
	if ((w->what & LOOP_WRITE) != 0)
		events |= UV_WRITABLE;
	if (w->what == 0)
		(void)uv_poll_stop(&w->u.poll);
	else
		(void)uv_poll_start(&w->u.poll, events, on_poll);
}

void
loop_watch_set(struct loop_watch *w, unsigned what)
{
	if (w->what == what)
		return;
	w->what = what;
	if (!w->is_file)
		set_poll(w);
	else if ((what & (LOOP_READ | LOOP_WRITE)) != 0)
		(void)uv_idle_start(&w->u.idle, on_idle);
	else
		(void)uv_idle_stop(&w->u.idle);
}

static void
on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void
loop_watch_free(struct loop_watch *w)
{
	if (w != NULL)
		uv_close(&w->u.handle, on_closed);
}

/* ------------------------------------------------------------------- object */

struct loop *
loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));
	int i;

	if (l == NULL)
		return NULL;
	if (uv_loop_init(&l->uv) != 0) {
		free(l);
		return NULL;
	}
	if (uv_async_init(&l->uv, &l->wake, on_wake) != 0) {
		(void)uv_loop_close(&l->uv);
		free(l);
		return NULL;
	}
	l->wake.data = l;
	for (i = 0; i < LOOP_TIMERS; i++) {
		(void)uv_timer_init(&l->uv, &l->timer[i].uv);
		l->timer[i].uv.data = &l->timer[i];
		l->timer[i].at = -1;
	}
	return l;
}

void
loop_run(struct loop *l)
{
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
}

void
loop_stop(struct loop *l)
{
	uv_stop(&l->uv);
}

/* Handles close in a turn of the loop; watches must be gone by now. */
void
loop_free(struct loop *l)
{
	int i;

	if (l == NULL)
		return;
	uv_close((uv_handle_t *)&l->wake, NULL);
	for (i = 0; i < LOOP_TIMERS; i++)
		uv_close((uv_handle_t *)&l->timer[i].uv, NULL);
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
	(void)uv_loop_close(&l->uv);
	free(l);
}
