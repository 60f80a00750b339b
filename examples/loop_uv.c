/*
 * A client on libuv: makes the calls that its arguments name, all at once, and
 * prints what comes of them.
 *
 *   cc loop_uv.c $(pkg-config --cflags --libs genkan libuv)
 *   loop_uv DIRECTORY-OF-GENKAN-SERVER TOOL ARGUMENTS ...
 *
 * One uv_poll_t for the socket, one timer for the deadline, and the thread pool
 * for jobs: everything but genkan_job_run() happens on the thread of the loop.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include <genkan/genkan.h>

#define CHUNK	65536

struct app {
	uv_loop_t	 loop;
	uv_timer_t	 timer;
	uv_poll_t	 poll;		/* while there is a leg */
	genkan_client	*client;
	genkan_leg	*leg;
	int		 fd;
	int		 status;
	int		 over;
	unsigned char	 buf[CHUNK];	/* what the leg did not take yet */
	size_t		 have;
};

static void turn(struct app *);

static int64_t
now(struct app *a)
{
	uv_update_time(&a->loop);
	return (int64_t)uv_now(&a->loop);
}

/* ------------------------------------------------------------------- events */

struct work {
	uv_work_t	 req;		/* first */
	struct app	*app;
	genkan_job	*job;
};

static void
work_run(uv_work_t *req)
{
	genkan_job_run(((struct work *)req)->job);
}

static void
work_done(uv_work_t *req, int status)
{
	struct work *w = (struct work *)req;

	(void)status;			/* cancelled or not: it goes back */
	genkan_job_done(w->job);
	turn(w->app);
	free(w);
}

static void
start(struct app *a, genkan_job *job)
{
	struct work *w = calloc(1, sizeof(*w));

	if (w != NULL) {
		w->app = a;
		w->job = job;
		if (uv_queue_work(&a->loop, &w->req, work_run, work_done) == 0)
			return;
	}
	free(w);
	genkan_job_done(job);		/* not run: the attach has failed */
}

static void
handle(struct app *a, const genkan_event *ev)
{
	switch (ev->kind) {
	case GENKAN_EV_JOB:
		start(a, ev->job);
		break;
	case GENKAN_EV_SERVE:
		a->fd = ev->fd;
		a->leg = ev->leg;
		(void)uv_poll_init(&a->loop, &a->poll, a->fd);
		a->poll.data = a;
		break;
	case GENKAN_EV_STATE:
		fprintf(stderr, "%s: %s\n", genkan_error_name(ev->code),
		    ev->text);
		if (ev->status == GENKAN_CLIENT_DETACHED)
			a->over = a->status = 1;
		break;
	case GENKAN_EV_RESULT:
		printf("%" PRIu64 " %s %s\n", ev->id,
		    genkan_code_name(ev->code),
		    ev->text != NULL ? ev->text : ev->data);
		if (ev->code != 0)
			a->status = 1;
		break;
	default:
		break;
	}
}

static void
events(struct app *a)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	while (genkan_client_next(a->client, &ev) == 1)
		handle(a, &ev);
}

/* -------------------------------------------------------------------- bytes */

static void
read_some(struct app *a)
{
	int ended = 0;
	size_t used;
	ssize_t n;

	if (a->have < CHUNK) {
		n = read(a->fd, a->buf + a->have, CHUNK - a->have);
		ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
		a->have += n > 0 ? (size_t)n : 0;
	}
	while (a->have > 0 &&
	    (genkan_leg_wants(a->leg) & GENKAN_WANT_READ) != 0) {
		(void)genkan_leg_feed(a->leg, a->buf, a->have, &used);
		a->have -= used;
		memmove(a->buf, a->buf + used, a->have);
		events(a);
	}
	/* Behind what came before it. */
	if (ended)
		genkan_leg_eof(a->leg);
}

static void
write_all(struct app *a)
{
	const void *out;
	size_t len;
	ssize_t n;

	while (genkan_leg_output(a->leg, &out, &len) == 1) {
		n = write(a->fd, out, len);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			genkan_leg_broken(a->leg);
		if (n < 0)
			break;
		genkan_leg_wrote(a->leg, (size_t)n);
	}
}

static void
on_socket(uv_poll_t *poll, int status, int what)
{
	struct app *a = poll->data;

	genkan_client_tick(a->client, now(a));
	if (status < 0 || (what & (UV_READABLE | UV_DISCONNECT)) != 0)
		read_some(a);
	turn(a);
}

static void
on_time(uv_timer_t *timer)
{
	struct app *a = timer->data;

	genkan_client_tick(a->client, now(a));
	turn(a);
}

/* After anything happened: say what is to be said, then wait anew. */
static void
turn(struct app *a)
{
	int64_t at, wait;
	int want;

	if (a->over)
		return;			/* a job came back late */
	events(a);
	if (a->leg != NULL) {
		write_all(a);
		events(a);
		want = genkan_leg_wants(a->leg);
		(void)uv_poll_start(&a->poll, UV_DISCONNECT |
		    ((want & GENKAN_WANT_READ) != 0 ? UV_READABLE : 0) |
		    ((want & GENKAN_WANT_WRITE) != 0 ? UV_WRITABLE : 0),
		    on_socket);
	}
	(void)uv_timer_stop(&a->timer);
	if (genkan_client_deadline(a->client, &at) == 1) {
		wait = at - now(a);
		(void)uv_timer_start(&a->timer, on_time,
		    wait > 0 ? (uint64_t)wait : 0, 0);
	}
	if (genkan_client_outstanding(a->client) == 0)
		a->over = 1;
	if (a->over)
		uv_stop(&a->loop);
}

static void
run(struct app *a)
{
	turn(a);
	(void)uv_run(&a->loop, UV_RUN_DEFAULT);
	if (a->leg != NULL)
		uv_close((uv_handle_t *)&a->poll, NULL);
	uv_close((uv_handle_t *)&a->timer, NULL);
	(void)uv_run(&a->loop, UV_RUN_DEFAULT);
}

int
main(int argc, char **argv)
{
	genkan_client_options options = GENKAN_CLIENT_OPTIONS_INIT;
	struct app *a = calloc(1, sizeof(*a));
	genkan_ctx *ctx = NULL;
	uint64_t id;
	int r, i;

	if (a == NULL || argc < 4 || argc % 2 != 0)
		return 2;
	a->fd = -1;
	options.program_dir = argv[1];
	if (uv_loop_init(&a->loop) != 0)
		return 2;
	(void)uv_timer_init(&a->loop, &a->timer);
	a->timer.data = a;
	r = genkan_ctx_new(NULL, &ctx);
	if (r == 0)
		r = genkan_ctx_set_time(ctx, now(a));
	if (r == 0)
		r = genkan_client_new(ctx, &options, &a->client);
	if (r == 0)
		r = genkan_client_attach(a->client);
	for (i = 2; r == 0 && i < argc; i += 2)
		r = genkan_client_call(a->client, argv[i], argv[i + 1],
		    strlen(argv[i + 1]), 0, &id);
	if (r == 0) {
		run(a);
	} else {
		fprintf(stderr, "loop_uv: %s\n", genkan_error_text(r));
		a->status = 2;
	}
	(void)uv_loop_close(&a->loop);
	r = a->status;
	genkan_leg_free(a->leg);
	if (a->fd >= 0)
		(void)close(a->fd);
	genkan_client_free(a->client);
	genkan_ctx_free(ctx);
	free(a);
	return r;
}
