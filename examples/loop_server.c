/*
 * An MCP server with its broker on poll(2): all that genkan-server does, in a
 * loop of one's own.  An agent host has such a loop already, and the connection
 * to its agent need not be standard input and output.
 *
 * Browsers and other servers accept this program in the place of genkan-server
 * if it is installed as that, in the directory of genkan-host:
 *
 *   cc -o DIRECTORY/genkan-server loop_server.c $(pkg-config --cflags --libs genkan)
 *
 * Slow work is done on the spot, which holds up everybody for as long as it
 * takes to read a program once or to wait for a lock; with threads,
 * genkan_job_run() belongs into one of them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <genkan/genkan.h>

/* 64 clients, 16 browsers, 32 that are being set up. */
#define CONNS	112
#define CHUNK	65536
#define PIPE	(256 * 1024)
/* poll's places: two of each connection, and two more. */
#define LISTENER	(2 * CONNS)
#define STOP		(LISTENER + 1)
#define PLACES		(STOP + 1)
#define PAUSE	100		/* ms without accepting, when short of something */

struct conn {
	genkan_leg	*leg;		/* NULL: a free place */
	int		 in, out;
	int		 ended;		/* the input has, and then that was */
	int		 told;		/* said; nobody reads the output */
	int		 broken;
	unsigned char	*buf;		/* what the leg did not take yet */
	size_t		 have;
};

struct app {
	genkan_server	*server;
	struct conn	 conn[CONNS];
	int		 listener;	/* -1: none */
	int64_t		 accept_at;	/* not before */
	int		 status;	/* -1: runs */
};

/* Written to by the handler: poll() returns, whenever the signal came. */
static int stop_pipe[2];

static void
on_signal(int sig)
{
	int kept = errno;

	(void)sig;
	(void)!write(stop_pipe[1], "", 1);	/* full: it was told already */
	errno = kept;
}

static int
catch_signals(void)
{
	if (pipe(stop_pipe) < 0 ||
	    fcntl(stop_pipe[0], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(stop_pipe[1], F_SETFL, O_NONBLOCK) < 0)
		return -1;
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	return 0;
}

static int64_t
now(void *user)
{
	struct timespec t;

	(void)user;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
say(void *user, int level, const char *tag, const char *id, const char *text)
{
	(void)user;
	(void)level;
	(void)id;
	fprintf(stderr, "%s: %s\n", tag, text);
}

/* ------------------------------------------------------------- connections */

static void
hang_up(struct conn *c)
{
	genkan_leg_free(c->leg);
	(void)close(c->in);
	if (c->out != c->in)
		(void)close(c->out);
	free(c->buf);
	memset(c, 0, sizeof(*c));
}

/* If it is a pipe: large messages pass in fewer pieces, see <genkan/leg.h>. */
static void
widen(int fd)
{
#ifdef F_SETPIPE_SZ
	if (fcntl(fd, F_GETPIPE_SZ) < PIPE)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE);
#else
	(void)fd;
#endif
}

/* The leg is freed and the descriptors are closed where there is no room. */
static void
join(struct app *a, genkan_leg *leg, int in, int out)
{
	struct conn none = { 0 }, *c = &none;
	size_t i;

	for (i = 0; i < CONNS && c == &none; i++)
		if (a->conn[i].leg == NULL)
			c = &a->conn[i];
	c->leg = leg;
	c->in = in;
	c->out = out;
	c->buf = malloc(CHUNK);
	(void)fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	(void)fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
	widen(in);
	widen(out);
	if (c == &none || c->buf == NULL)
		hang_up(c);
}

static void
receive(struct conn *c)
{
	ssize_t n = read(c->in, c->buf + c->have, CHUNK - c->have);

	if (n > 0)
		c->have += (size_t)n;
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		c->ended = 1;
}

/* What was read goes in as far as it is wanted, its end behind it.  How much. */
static size_t
feed(struct conn *c)
{
	size_t used, all = 0;

	while (c->have > 0 &&
	    (genkan_leg_wants(c->leg) & GENKAN_WANT_READ) != 0) {
		(void)genkan_leg_feed(c->leg, c->buf, c->have, &used);
		c->have -= used;
		memmove(c->buf, c->buf + used, c->have);
		all += used;
		if (used == 0)
			break;
	}
	if (c->ended && !c->told && c->have == 0) {
		c->told = 1;
		genkan_leg_eof(c->leg);
	}
	return all;
}

static void
broke(struct conn *c)
{
	c->broken = 1;
	genkan_leg_broken(c->leg);
}

static size_t
transmit(struct conn *c)
{
	const void *ptr;
	size_t len, all = 0;
	ssize_t n;

	while (genkan_leg_output(c->leg, &ptr, &len) == 1) {
		n = write(c->out, ptr, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			broke(c);
		if (n < 0)
			break;
		genkan_leg_wrote(c->leg, (size_t)n);
		all += (size_t)n;
	}
	return all;
}

/* Nothing more is to come, and what was to be written is. */
static int
is_over(const struct conn *c)
{
	int want = genkan_leg_wants(c->leg);

	return (want & GENKAN_WANT_CLOSE) != 0 &&
	    (c->broken || (want & GENKAN_WANT_WRITE) == 0);
}

/* ------------------------------------------------------------------ events */

static void
handle(struct app *a, const genkan_event *ev)
{
	switch (ev->kind) {
	case GENKAN_EV_JOB:
		genkan_job_run(ev->job);
		genkan_job_done(ev->job);
		break;
	case GENKAN_EV_LISTEN:
		a->listener = ev->fd;
		break;
	case GENKAN_EV_UNLISTEN:
		(void)close(ev->fd);
		a->listener = -1;
		break;
	case GENKAN_EV_SERVE:
		join(a, ev->leg, ev->fd, ev->fd);
		break;
	case GENKAN_EV_EXIT:
		a->status = ev->status;
		break;
	default:
		break;
	}
}

static void
events(struct app *a)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	while (a->status < 0 && genkan_server_next(a->server, &ev) == 1)
		handle(a, &ev);
}

/* What goes into one leg may come out of another, and what went out may let
 * more in, so all are asked again until nothing moves any more. */
static void
settle(struct app *a)
{
	size_t i, moved;

	do {
		events(a);
		for (moved = i = 0; i < CONNS; i++)
			if (a->conn[i].leg != NULL)
				moved += feed(&a->conn[i]);
		events(a);
		for (i = 0; i < CONNS; i++)
			if (a->conn[i].leg != NULL)
				moved += transmit(&a->conn[i]);
	} while (moved > 0);
	for (i = 0; i < CONNS; i++)
		if (a->conn[i].leg != NULL && is_over(&a->conn[i]))
			hang_up(&a->conn[i]);
	events(a);
}

/* -------------------------------------------------------------------- loop */

static int
timeout(const struct app *a)
{
	int64_t at, t = now(NULL);

	if (genkan_server_deadline(a->server, &at) != 1)
		at = t + 60000;
	if (a->listener >= 0 && a->accept_at > t && a->accept_at < at)
		at = a->accept_at;
	return at <= t ? 0 : at - t > 60000 ? 60000 : (int)(at - t);
}

/* Two of poll's places for each connection: what comes in, what goes out. */
static void
watch(const struct conn *c, struct pollfd p[2])
{
	int want = c->leg == NULL ? 0 : genkan_leg_wants(c->leg);

	p[0].fd = p[1].fd = -1;
	if (c->leg == NULL)
		return;
	if (!c->ended && c->have < CHUNK)
		p[0].fd = c->in;
	p[0].events = POLLIN;
	/* Without events a reader that is gone is told of all the same. */
	if (!c->broken)
		p[1].fd = c->out;
	p[1].events = (want & GENKAN_WANT_WRITE) != 0 ? POLLOUT : 0;
}

/* All that may happen, until it does.  An interrupted poll() has said nothing
 * about anybody. */
static void
wait_for(struct app *a, struct pollfd p[PLACES])
{
	size_t i;

	for (i = 0; i < CONNS; i++)
		watch(&a->conn[i], &p[2 * i]);
	p[LISTENER].fd = now(NULL) >= a->accept_at ? a->listener : -1;
	p[STOP].fd = stop_pipe[0];
	p[LISTENER].events = p[STOP].events = POLLIN;
	if (poll(p, PLACES, timeout(a)) >= 0)
		return;
	if (errno != EINTR)
		abort();
	for (i = 0; i < PLACES; i++)
		p[i].revents = 0;
}

static void
turn(struct app *a)
{
	struct pollfd p[PLACES];
	char told[64];
	size_t i;
	int r;

	wait_for(a, p);
	genkan_server_tick(a->server, GENKAN_NOW);
	if ((p[STOP].revents & POLLIN) != 0 &&
	    read(stop_pipe[0], told, sizeof(told)) > 0)
		genkan_server_stop(a->server);
	for (i = 0; i < CONNS; i++) {
		if (a->conn[i].leg == NULL)
			continue;
		if ((p[2 * i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
			receive(&a->conn[i]);
		else if ((p[2 * i + 1].revents & (POLLHUP | POLLERR)) != 0)
			broke(&a->conn[i]);
	}
	if ((p[LISTENER].revents & POLLIN) != 0) {
		while ((r = genkan_server_accept(a->server)) == 1)
			continue;
		if (r < 0)
			a->accept_at = now(NULL) + PAUSE;
	}
	settle(a);
}

int
main(int argc, char **argv)
{
	genkan_ctx_options copts = GENKAN_CTX_OPTIONS_INIT;
	genkan_server_options sopts = GENKAN_SERVER_OPTIONS_INIT;
	struct app *a = calloc(1, sizeof(*a));
	genkan_ctx *ctx = NULL;
	size_t i;
	int r;

	if (a == NULL || catch_signals() < 0) {
		free(a);
		return 1;
	}
	a->listener = a->status = -1;
	copts.clock_fn = now;
	copts.log_fn = say;
	copts.log_level = GENKAN_LOG_WARN;
	sopts.broker_only = argc > 1 && strcmp(argv[1], "--broker") == 0;
	r = genkan_ctx_new(&copts, &ctx);
	if (r == 0)
		r = genkan_server_new(ctx, &sopts, &a->server);
	if (r < 0) {
		fprintf(stderr, "loop_server: %s\n", ctx == NULL ?
		    genkan_error_text(r) : genkan_ctx_last_error(ctx));
		a->status = 1;
	} else if (!sopts.broker_only) {
		join(a, genkan_server_stdio(a->server), STDIN_FILENO,
		    STDOUT_FILENO);
	}
	if (r == 0)
		settle(a);
	while (a->status < 0)
		turn(a);
	for (i = 0; i < CONNS; i++)
		if (a->conn[i].leg != NULL)
			hang_up(&a->conn[i]);
	genkan_server_free(a->server);
	genkan_ctx_free(ctx);
	r = a->status;
	free(a);
	return r;
}
