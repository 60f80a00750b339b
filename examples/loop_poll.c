/*
 * A client on poll(2): every line of standard input is a call, "TOOL ARGUMENTS"
 * or "TOOL" alone, and every result a line of standard output, "ID CODE TEXT".
 * Two more words: "tools" asks for the list of tools, "cancel ID" gives a call
 * up.  A lost broker is looked for again, twice a second; what was not sent by
 * then waits.  Ends when the input has ended and nothing is outstanding.
 *
 *   cc loop_poll.c $(pkg-config --cflags --libs genkan)
 *   loop_poll [DIRECTORY-OF-GENKAN-SERVER]
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <genkan/genkan.h>

#define RETRY_MS	500
#define CHUNK		65536

struct app {
	genkan_client	*client;
	genkan_leg	*leg;		/* NULL: not connected */
	int		 fd;
	int64_t		 retry_at;	/* -1: not detached */
	int		 input_ended;
	char		*line;		/* of the input, unfinished */
	size_t		 len, cap;
	/* What the leg did not take yet. */
	unsigned char	 buf[CHUNK];
	size_t		 have;
	int		 ended;		/* and nothing comes behind it */
};

static int64_t
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------- input */

static void
command(struct app *a, char *line)
{
	char *args = strchr(line, ' ');
	uint64_t id = 0;
	int r;

	if (args != NULL)
		*args++ = '\0';
	if (strcmp(line, "cancel") == 0 && args != NULL) {
		r = genkan_client_cancel(a->client, strtoull(args, NULL, 10));
		printf("%s %s %s\n", args, line, genkan_error_name(r));
		return;
	}
	if (strcmp(line, "tools") == 0)
		r = genkan_client_tools(a->client, &id);
	else
		r = genkan_client_call(a->client, line, args,
		    args == NULL ? 0 : strlen(args), 0, &id);
	if (r < 0)
		printf("0 %s %s\n", genkan_error_name(r), line);
}

static void
read_input(struct app *a)
{
	ssize_t n;

	if (a->cap - a->len < CHUNK) {
		a->cap = a->len + 2 * CHUNK;
		a->line = realloc(a->line, a->cap);
		if (a->line == NULL)
			abort();
	}
	n = read(STDIN_FILENO, a->line + a->len, a->cap - a->len);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		a->input_ended = 1;
	else
		a->len += (size_t)n;
}

static int
has_room(const struct app *a)
{
	return genkan_client_outstanding(a->client) < GENKAN_CLIENT_CALLS_MAX;
}

/* Whole lines, as far as calls may be made. */
static void
take_lines(struct app *a)
{
	char *end, *next = a->line;

	while (a->len > 0 && has_room(a) &&
	    (end = memchr(next, '\n', a->len)) != NULL) {
		*end = '\0';
		a->len -= (size_t)(end + 1 - next);
		command(a, next);
		next = end + 1;
	}
	if (a->len > 0)
		memmove(a->line, next, a->len);
}

/* ------------------------------------------------------------------ broker */

static void
hang_up(struct app *a)
{
	genkan_leg_free(a->leg);
	if (a->fd >= 0)
		(void)close(a->fd);
	a->leg = NULL;
	a->fd = -1;
	a->have = 0;
	a->ended = 0;
}

static void
handle(struct app *a, const genkan_event *ev)
{
	switch (ev->kind) {
	case GENKAN_EV_JOB:
		/* Waits for the disk, and for a busy broker up to 2 s: a
		 * program that must not stand still gives it to a thread. */
		genkan_job_run(ev->job);
		genkan_job_done(ev->job);
		break;
	case GENKAN_EV_SERVE:
		hang_up(a);
		a->leg = ev->leg;
		a->fd = ev->fd;
		break;
	case GENKAN_EV_STATE:
		a->retry_at = ev->status == GENKAN_CLIENT_DETACHED ?
		    now() + RETRY_MS : -1;
		fprintf(stderr, "%s: %s\n", genkan_error_name(ev->code),
		    ev->text);
		break;
	case GENKAN_EV_PROGRESS:
		fprintf(stderr, "%" PRIu64 ": %s\n", ev->id, ev->text);
		break;
	case GENKAN_EV_RESULT:
		printf("%" PRIu64 " %s %s\n", ev->id,
		    genkan_code_name(ev->code),
		    ev->text != NULL ? ev->text : ev->data);
		break;
	default:
		break;		/* of a newer library */
	}
}

static void
events(struct app *a)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	while (genkan_client_next(a->client, &ev) == 1)
		handle(a, &ev);
}

/* What was read, to the leg; and what the leg has, to the socket. */
static void
move(struct app *a)
{
	const void *out;
	size_t len, used;
	ssize_t n;

	while (a->have > 0 &&
	    (genkan_leg_wants(a->leg) & GENKAN_WANT_READ) != 0) {
		(void)genkan_leg_feed(a->leg, a->buf, a->have, &used);
		a->have -= used;
		memmove(a->buf, a->buf + used, a->have);
		events(a);
	}
	if (a->ended && a->have == 0) {
		a->ended = 0;
		genkan_leg_eof(a->leg);
	}
	while (genkan_leg_output(a->leg, &out, &len) == 1) {
		n = write(a->fd, out, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			genkan_leg_broken(a->leg);
		if (n < 0)
			break;
		genkan_leg_wrote(a->leg, (size_t)n);
	}
	if ((genkan_leg_wants(a->leg) & GENKAN_WANT_CLOSE) != 0)
		hang_up(a);
}

static void
read_broker(struct app *a)
{
	ssize_t n;

	n = read(a->fd, a->buf + a->have, sizeof(a->buf) - a->have);
	if (n > 0)
		a->have += (size_t)n;
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		a->ended = 1;
}

/* --------------------------------------------------------------------- loop */

static int
timeout(const struct app *a)
{
	int64_t at, t = now();

	if (genkan_client_deadline(a->client, &at) != 1)
		at = t + 60000;
	if (a->retry_at >= 0 && a->retry_at < at)
		at = a->retry_at;
	return at <= t ? 0 : at - t > 60000 ? 60000 : (int)(at - t);
}

static void
turn(struct app *a)
{
	struct pollfd p[2] = { { -1, POLLIN, 0 }, { -1, 0, 0 } };
	int want;

	if (!a->input_ended && has_room(a))
		p[0].fd = STDIN_FILENO;
	if (a->leg != NULL) {
		want = genkan_leg_wants(a->leg);
		if ((want & GENKAN_WANT_READ) != 0 && a->have < CHUNK)
			p[1].events |= POLLIN;
		if ((want & GENKAN_WANT_WRITE) != 0)
			p[1].events |= POLLOUT;
		/* A hang-up that nobody reads would wake us for ever. */
		p[1].fd = p[1].events != 0 ? a->fd : -1;
	}
	(void)fflush(stdout);
	(void)poll(p, 2, timeout(a));
	genkan_client_tick(a->client, now());
	if (a->retry_at >= 0 && now() >= a->retry_at) {
		a->retry_at = -1;
		(void)genkan_client_attach(a->client);
	}
	if ((p[0].revents & (POLLIN | POLLHUP)) != 0)
		read_input(a);
	take_lines(a);
	if (a->leg != NULL && a->have < CHUNK &&
	    (p[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
		read_broker(a);
	if (a->leg != NULL)
		move(a);
	events(a);
}

int
main(int argc, char **argv)
{
	genkan_client_options options = GENKAN_CLIENT_OPTIONS_INIT;
	struct app *a = calloc(1, sizeof(*a));
	genkan_ctx *ctx = NULL;
	int r;

	if (a == NULL || argc > 2)
		return 2;
	a->fd = -1;
	if (argc == 2)
		options.program_dir = argv[1];
	r = genkan_ctx_new(NULL, &ctx);
	if (r == 0)
		r = genkan_ctx_set_time(ctx, now());
	if (r == 0)
		r = genkan_client_new(ctx, &options, &a->client);
	if (r == 0)
		r = genkan_client_attach(a->client);
	while (r == 0 && (!a->input_ended || a->len > 0 ||
	    genkan_client_outstanding(a->client) > 0))
		turn(a);
	if (r < 0)
		fprintf(stderr, "loop_poll: %s\n", ctx == NULL ?
		    genkan_error_text(r) : genkan_ctx_last_error(ctx));
	hang_up(a);
	genkan_client_free(a->client);
	genkan_ctx_free(ctx);
	free(a->line);
	free(a);
	return r < 0;
}
