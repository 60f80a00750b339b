#include "common/drive.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/hygiene.h"
#include "common/jobs.h"
#include "common/log.h"
#include "common/loop.h"
#include "common/pump.h"
#include "common/signals.h"

#define ACCEPT_PAUSE_MS	100
#define ACCEPT_BURST	16
#define REST_BYTES	(1024 * 1024)	/* traffic after which there is
					 * something to give back */
#define REST_MS		2000		/* without any, before it is */

struct drive {
	struct loop		*loop;
	struct jobs		*jobs;
	struct pumps		*pumps;
	const struct drive_ops	*ops;
	void			*obj;
	struct loop_watch	*listener;
	int			 listen_fd;
	uint64_t		 rested;	/* bytes moved until then */
	uint64_t		 busy;		/* until the timer was set */
	int			 told;		/* the time, in this round */
	int			 stopped;	/* the signal was passed on */
	int			 over;
	int			 status;
};

static void
tick(void *user)
{
	struct drive *d = user;

	if (d->told)
		return;
	d->told = 1;
	d->ops->tick(d->obj, loop_now(d->loop));
}

/* ------------------------------------------------------------------- rest */

static void
rest(struct drive *d)
{
	d->rested = pumps_bytes(d->pumps);
	d->busy = 0;
	loop_set_timer(d->loop, LOOP_REST, -1);
	pumps_rest(d->pumps);
	hygiene_rest();
}

/* Every so often while there is traffic, and once when it has ended. */
static void
plan_rest(struct drive *d)
{
	if (d->busy != 0 || (!pumps_wide(d->pumps) &&
	    pumps_bytes(d->pumps) - d->rested < REST_BYTES))
		return;
	d->busy = pumps_bytes(d->pumps);
	loop_set_timer(d->loop, LOOP_REST, loop_now(d->loop) + REST_MS);
}

static void
on_rest(void *user)
{
	struct drive *d = user;

	if (pumps_bytes(d->pumps) == d->busy) {
		rest(d);
		return;
	}
	d->busy = 0;
	plan_rest(d);
}

/* --------------------------------------------------------------- listener */

static void
resume(void *user)
{
	struct drive *d = user;

	if (d->listener != NULL)
		loop_watch_set(d->listener, LOOP_READ);
}

static void
on_listener(void *user, unsigned what)
{
	struct drive *d = user;
	int i, r = 1;

	(void)what;
	tick(d);
	for (i = 0; i < ACCEPT_BURST && r == 1; i++)
		r = d->ops->accept(d->obj);
	if (r < 0) {
		/* Short of descriptors or memory: looking again at once would
		 * only spin. */
		loop_watch_set(d->listener, 0);
		loop_set_timer(d->loop, LOOP_PAUSE,
		    loop_now(d->loop) + ACCEPT_PAUSE_MS);
	}
}

static void
listen_on(struct drive *d, int fd)
{
	d->listen_fd = fd;
	d->listener = loop_watch_new(d->loop, fd, on_listener, d);
	if (d->listener != NULL)
		loop_watch_set(d->listener, LOOP_READ);
	else
		log_line(GENKAN_LOG_ERROR, "loop", "no memory to listen");
}

static void
unlisten(struct drive *d)
{
	loop_set_timer(d->loop, LOOP_PAUSE, -1);
	loop_watch_free(d->listener);
	d->listener = NULL;
	(void)close(d->listen_fd);
	d->listen_fd = -1;
}

/* ------------------------------------------------------------------ events */

static void
handle(struct drive *d, const genkan_event *ev)
{
	switch (ev->kind) {
	case GENKAN_EV_JOB:
		jobs_submit(d->jobs, ev->job);
		break;
	case GENKAN_EV_LISTEN:
		listen_on(d, ev->fd);
		break;
	case GENKAN_EV_UNLISTEN:
		unlisten(d);
		break;
	case GENKAN_EV_SERVE:
		(void)pumps_join(d->pumps, ev->fd, ev->fd, ev->leg, 0);
		break;
	case GENKAN_EV_EXIT:
		d->over = 1;
		d->status = ev->status;
		loop_stop(d->loop);
		break;
	default:
		break;
	}
}

/* What one leg was fed can give work to any other, so this goes round until
 * nothing moves. */
static void
turn(void *user)
{
	struct drive *d = user;
	genkan_event ev = GENKAN_EVENT_INIT;
	int64_t at;
	int moved;

	d->told = 0;
	do {
		/* An answer goes out before anything else is done about it. */
		pumps_write(d->pumps);
		moved = 0;
		while (!d->over && d->ops->next(d->obj, &ev) == 1) {
			handle(d, &ev);
			moved = 1;
		}
		if (!d->over)
			moved |= pumps_settle(d->pumps);
	} while (moved && !d->over);
	plan_rest(d);
	if (d->ops->deadline(d->obj, &at) != 1)
		at = -1;
	loop_set_timer(d->loop, LOOP_DEADLINE, at);
}

static void
on_wake(void *user)
{
	struct drive *d = user;

	tick(d);
	if (signals_came() && !d->stopped) {
		d->stopped = 1;
		d->ops->stop(d->obj);
	}
	if (jobs_collect(d->jobs) > 0 && jobs_idle(d->jobs))
		rest(d);
}

/* -------------------------------------------------------------------- end */

/* A job under way in another thread has a context of its own and touches nothing
 * of the object; but the jobs cannot be ended under it.  So the process just
 * ends, once the calls that end with it have been recorded. */
static void
clean_up(struct drive *d)
{
	if (!jobs_idle(d->jobs)) {
		d->ops->free(d->obj);
		_exit(d->status);
	}
	if (d->listener != NULL)
		unlisten(d);
	pumps_free(d->pumps);
	d->ops->free(d->obj);
	jobs_free(d->jobs);
	loop_free(d->loop);
}

int
drive(struct loop *loop, const struct drive_ops *ops, void *obj,
    genkan_leg *stdio, int in, int out)
{
	struct drive d = { .loop = loop, .ops = ops, .obj = obj,
	    .listen_fd = -1, .status = 1 };

	d.jobs = jobs_new(loop);
	d.pumps = pumps_new(loop, tick, &d);
	if (d.jobs == NULL || d.pumps == NULL ||
	    (stdio != NULL && pumps_join(d.pumps, in, out, stdio, 1) != 0)) {
		log_line(GENKAN_LOG_ERROR, "loop", "no memory");
		_exit(1);
	}
	loop_on_wake(loop, on_wake, &d);
	loop_on_round(loop, turn, &d);
	loop_on_timer(loop, LOOP_DEADLINE, tick, &d);
	loop_on_timer(loop, LOOP_PAUSE, resume, &d);
	loop_on_timer(loop, LOOP_REST, on_rest, &d);
	turn(&d);
	if (!d.over)
		loop_run(loop);
	clean_up(&d);
	return d.status;
}
