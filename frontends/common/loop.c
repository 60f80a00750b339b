#include "common/loop.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <uv.h>

struct timer {
	loop_fn		*fn;
	void		*user;
	int64_t		 at;		/* -1: not set */
};

/*
 * The timers are one descriptor of the system, and none of libuv's: with one
 * of those running, every wait for input would be a wait with a time limit,
 * which the system sets up and takes down each time, four times in a call.
 */
struct loop {
	uv_loop_t	 uv;
	uv_async_t	 wake;
	loop_fn		*wake_fn;
	void		*wake_user;
	uv_check_t	 round;		/* behind each wait and its calls */
	loop_fn		*round_fn;
	void		*round_user;
	uv_poll_t	 due;		/* of clock */
	int		 clock;
	int64_t		 armed;		/* what it is set to, -1: nothing */
	struct timer	 timer[LOOP_TIMERS];
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
	(void)l;
	return (int64_t)(uv_hrtime() / 1000000);
}

/* Earlier only: a timer that was put off is noticed when the clock strikes,
 * which costs one wake-up and not one call of the system each time. */
static void
arm(struct loop *l, int64_t at)
{
	struct itimerspec when = { { 0, 0 }, { 0, 0 } };

	if (l->armed >= 0 && l->armed <= at)
		return;
	l->armed = at;
	when.it_value.tv_sec = (time_t)(at / 1000);
	when.it_value.tv_nsec = (long)(at % 1000) * 1000000;
	if (at == 0)
		when.it_value.tv_nsec = 1;	/* 0 would mean never */
	(void)timerfd_settime(l->clock, TFD_TIMER_ABSTIME, &when, NULL);
}

static void
on_due(uv_poll_t *uv, int status, int events)
{
	struct loop *l = uv->data;
	const int64_t now = loop_now(l);
	uint64_t strikes;
	struct timer *t;
	int i;

	(void)status;
	(void)events;
	if (read(l->clock, &strikes, sizeof(strikes)) < 0)
		return;			/* set anew meanwhile */
	l->armed = -1;
	for (i = 0; i < LOOP_TIMERS; i++) {
		t = &l->timer[i];
		if (t->at < 0 || t->at > now)
			continue;
		t->at = -1;
		t->fn(t->user);
	}
	for (i = 0; i < LOOP_TIMERS; i++)
		if (l->timer[i].at >= 0)
			arm(l, l->timer[i].at);
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

	if (at == t->at)
		return;
	t->at = at;
	if (at >= 0)
		arm(l, at);
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

/* ------------------------------------------------------------------- rounds */

static void
on_round(uv_check_t *uv)
{
	struct loop *l = uv->data;

	l->round_fn(l->round_user);
}

void
loop_on_round(struct loop *l, loop_fn *fn, void *user)
{
	l->round_fn = fn;
	l->round_user = user;
	(void)uv_check_start(&l->round, on_round);
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

/*
 * libuv aborts in the middle of things when it has no memory, without a word.
 * It asks for little, and seldom, so the process ends here instead, and says
 * why.  What it leaves behind, the next one to start removes.
 */
static void *
or_end(void *p)
{
	static const char text[] = "[ERROR] [loop] out of memory\n";

	if (p != NULL)
		return p;
	/* Not heard, it ends all the same. */
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

static void *
malloc_or_end(size_t size)
{
	return or_end(malloc(size));
}

static void *
realloc_or_end(void *p, size_t size)
{
	return or_end(realloc(p, size));
}

static void *
calloc_or_end(size_t n, size_t size)
{
	return or_end(calloc(n, size));
}

static int
set_up(struct loop *l)
{
	int i;

	for (i = 0; i < LOOP_TIMERS; i++)
		l->timer[i].at = -1;
	l->armed = -1;
	l->wake.data = l;
	l->due.data = l;
	(void)uv_check_init(&l->uv, &l->round);
	l->round.data = l;
	if (uv_async_init(&l->uv, &l->wake, on_wake) != 0)
		goto out;
	if (uv_poll_init(&l->uv, &l->due, l->clock) == 0) {
		if (uv_poll_start(&l->due, UV_READABLE, on_due) == 0)
			return 0;
		uv_close((uv_handle_t *)&l->due, NULL);
	}
	uv_close((uv_handle_t *)&l->wake, NULL);
out:
	uv_close((uv_handle_t *)&l->round, NULL);
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
	return -1;
}

struct loop *
loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	(void)uv_replace_allocator(malloc_or_end, realloc_or_end,
	    calloc_or_end, free);
	l->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->clock >= 0 && uv_loop_init(&l->uv) == 0) {
		if (set_up(l) == 0)
			return l;
		(void)uv_loop_close(&l->uv);
	}
	if (l->clock >= 0)
		(void)close(l->clock);
	free(l);
	return NULL;
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
	if (l == NULL)
		return;
	uv_close((uv_handle_t *)&l->wake, NULL);
	uv_close((uv_handle_t *)&l->due, NULL);
	uv_close((uv_handle_t *)&l->round, NULL);
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
	(void)uv_loop_close(&l->uv);
	(void)close(l->clock);
	free(l);
}
