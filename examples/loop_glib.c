/*
 * A client on GLib's main loop: makes the calls that its arguments name, all at
 * once, and prints what comes of them.
 *
 *   cc loop_glib.c $(pkg-config --cflags --libs genkan glib-2.0)
 *   loop_glib DIRECTORY-OF-GENKAN-SERVER TOOL ARGUMENTS ...
 *
 * One source for the socket, one for the deadline, and a thread for each job,
 * which comes back through an idle source: everything but genkan_job_run()
 * happens on the thread of the loop.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib.h>

#include <genkan/genkan.h>

#define CHUNK	65536

struct app {
	GMainLoop	*loop;
	genkan_client	*client;
	genkan_leg	*leg;
	int		 fd;
	guint		 socket;	/* sources; 0: none */
	guint		 timer;
	int		 status;
	int		 over;
	unsigned char	 buf[CHUNK];	/* what the leg did not take yet */
	size_t		 have;
};

static void turn(struct app *);

static int64_t
now(void)
{
	return g_get_monotonic_time() / 1000;
}

/* ------------------------------------------------------------------- events */

struct work {
	struct app	*app;
	genkan_job	*job;
};

static gboolean
work_done(gpointer data)
{
	struct work *w = data;

	genkan_job_done(w->job);
	turn(w->app);
	g_free(w);
	return G_SOURCE_REMOVE;
}

static gpointer
work_run(gpointer data)
{
	genkan_job_run(((struct work *)data)->job);
	g_idle_add(work_done, data);
	return NULL;
}

static void
start(struct app *a, genkan_job *job)
{
	struct work *w = g_new(struct work, 1);

	w->app = a;
	w->job = job;
	g_thread_unref(g_thread_new("genkan job", work_run, w));
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
		break;
	case GENKAN_EV_STATE:
		g_printerr("%s: %s\n", genkan_error_name(ev->code), ev->text);
		if (ev->status == GENKAN_CLIENT_DETACHED) {
			a->status = 1;
			a->over = 1;
		}
		break;
	case GENKAN_EV_RESULT:
		g_print("%" G_GUINT64_FORMAT " %s %s\n", ev->id,
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

static gboolean
on_socket(gint fd, GIOCondition what, gpointer data)
{
	struct app *a = data;

	(void)fd;
	a->socket = 0;			/* this source goes; turn() makes another */
	genkan_client_tick(a->client, now());
	if ((what & (G_IO_IN | G_IO_HUP | G_IO_ERR)) != 0)
		read_some(a);
	turn(a);
	return G_SOURCE_REMOVE;
}

static gboolean
on_time(gpointer data)
{
	struct app *a = data;

	a->timer = 0;
	genkan_client_tick(a->client, now());
	turn(a);
	return G_SOURCE_REMOVE;
}

static void
forget(guint *source)
{
	if (*source != 0)
		(void)g_source_remove(*source);
	*source = 0;
}

/* After anything happened: say what is to be said, then wait anew. */
static void
turn(struct app *a)
{
	int64_t at;
	int want;

	if (a->over)
		return;			/* a job came back late */
	events(a);
	forget(&a->socket);
	forget(&a->timer);
	if (a->leg != NULL) {
		write_all(a);
		events(a);
		want = genkan_leg_wants(a->leg);
		a->socket = g_unix_fd_add(a->fd,
		    ((want & GENKAN_WANT_READ) != 0 ? G_IO_IN : 0) |
		    ((want & GENKAN_WANT_WRITE) != 0 ? G_IO_OUT : 0) |
		    G_IO_HUP | G_IO_ERR, on_socket, a);
	}
	if (genkan_client_deadline(a->client, &at) == 1)
		a->timer = g_timeout_add((guint)CLAMP(at - now(), 0, 60000),
		    on_time, a);
	if (genkan_client_outstanding(a->client) == 0)
		a->over = 1;
	if (a->over)
		g_main_loop_quit(a->loop);
}

int
main(int argc, char **argv)
{
	genkan_client_options options = GENKAN_CLIENT_OPTIONS_INIT;
	struct app *a = g_new0(struct app, 1);
	genkan_ctx *ctx = NULL;
	uint64_t id;
	int r, i;

	if (argc < 4 || argc % 2 != 0)
		return 2;
	a->loop = g_main_loop_new(NULL, FALSE);
	a->fd = -1;
	options.program_dir = argv[1];
	r = genkan_ctx_new(NULL, &ctx);
	if (r == 0)
		r = genkan_ctx_set_time(ctx, now());
	if (r == 0)
		r = genkan_client_new(ctx, &options, &a->client);
	if (r == 0)
		r = genkan_client_attach(a->client);
	for (i = 2; r == 0 && i < argc; i += 2)
		r = genkan_client_call(a->client, argv[i], argv[i + 1],
		    strlen(argv[i + 1]), 0, &id);
	if (r == 0) {
		turn(a);
		g_main_loop_run(a->loop);
	} else {
		g_printerr("loop_glib: %s\n", genkan_error_text(r));
		a->status = 2;
	}
	r = a->status;
	forget(&a->socket);
	forget(&a->timer);
	genkan_leg_free(a->leg);
	if (a->fd >= 0)
		(void)close(a->fd);
	genkan_client_free(a->client);
	genkan_ctx_free(ctx);
	g_main_loop_unref(a->loop);
	g_free(a);
	return r;
}
