#include "common/pump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/width.h"

/* What one read takes at most, but for the rest of a large message, which is
 * read to where its leg has it. */
#define CHUNK		(64 * 1024)
/* What is no short message any more: its leg may have a place for the rest. */
#define MUCH		4096
/* And there: a place may be as large as a message, and others wait. */
#define LARGE		(1024 * 1024)
/* So many reads in a row: a megabyte and what is in front of it. */
#define PIECES		5
/* What is copied at most, to be one write. */
#define TOGETHER	(32 * 1024)

struct pump {
	struct pump		*next;
	struct pumps		*all;
	genkan_leg		*leg;
	int			 in, out;
	struct width		 inw, outw;	/* of the pipes that they are */
	struct loop_watch	*win, *wout;	/* one and the same for a socket */
	unsigned char		*rest;		/* read, but not taken yet */
	size_t			 at, len;
	int			 keep;
	int			 ended;		/* no more input */
	int			 told;		/* and the leg knows */
	int			 broken;	/* no more output */
	int			 full;		/* the last write did not fit */
	int			 much;		/* came with the last read */
};

struct pumps {
	struct loop	*loop;
	loop_fn		*before;
	void		*user;
	struct pump	*first;
	unsigned char	*buf;		/* CHUNK, shared */
	uint64_t	 bytes;		/* in and out */
};

/* -------------------------------------------------------------------- input */

/* Offers bytes until the leg takes no more, which it knows by itself; returns
 * how many it took. */
static size_t
offer(struct pump *p, const unsigned char *buf, size_t len)
{
	size_t done = 0, used;

	while (done < len) {
		(void)genkan_leg_feed(p->leg, buf + done, len - done, &used);
		if (used == 0)
			break;
		done += used;
	}
	return done;
}

/* What the leg left is kept until it wants to read again. */
static void
keep_rest(struct pump *p, const unsigned char *buf, size_t len)
{
	p->rest = malloc(len);
	if (p->rest == NULL) {
		/* Without memory for it the stream is torn. */
		p->ended = 1;
		return;
	}
	memcpy(p->rest, buf, len);
	p->at = 0;
	p->len = len;
}

static int
offer_rest(struct pump *p)
{
	size_t n;

	if (p->rest == NULL)
		return 0;
	n = offer(p, p->rest + p->at, p->len - p->at);
	p->at += n;
	if (p->at == p->len) {
		free(p->rest);
		p->rest = NULL;
	}
	return n > 0;
}

/* At once, once nothing is left in front of it: who comes next may need the
 * place. */
static int
tell_end(struct pump *p)
{
	if (!p->ended || p->rest != NULL || p->told)
		return 0;
	p->told = 1;
	genkan_leg_eof(p->leg);
	return 1;
}

/* 1 if it may be worth while to read again at once. */
static int
read_once(struct pump *p)
{
	size_t used, size;
	void *to;
	ssize_t n;

	if (p->ended || p->rest != NULL)
		return 0;
	if (!p->much || genkan_leg_room(p->leg, &to, &size) != 1) {
		to = p->all->buf;
		size = CHUNK;
	}
	if (size > LARGE)
		size = LARGE;
	do
		n = read(p->in, to, size);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n <= 0) {		/* an error is as good as the end */
		p->ended = 1;
		(void)tell_end(p);
		return 0;
	}
	p->all->bytes += (uint64_t)n;
	used = offer(p, to, (size_t)n);
	if (used < (size_t)n)
		keep_rest(p, (unsigned char *)to + used, (size_t)n - used);
	p->much = n >= MUCH;
	if (n < WIDTH_USUAL)
		return 0;
	width_grow(&p->inw, p->in);
	/* Less than asked for is all that there was: only who waits for the
	 * rest of a message may find it there by now. */
	return (size_t)n == size || genkan_leg_room(p->leg, &to, &size) == 1;
}

/* A large message without a wait for each of its pieces, as long as the leg
 * takes them; then the others have their turn. */
static void
read_some(struct pump *p)
{
	int i;

	for (i = 0; i < PIECES && read_once(p); i++)
		if ((genkan_leg_wants(p->leg) & GENKAN_WANT_READ) == 0)
			break;
}

/* ------------------------------------------------------------------- output */

static void
mark_broken(struct pump *p)
{
	if (p->broken)
		return;
	p->broken = 1;
	genkan_leg_broken(p->leg);
}

/* Short messages go out together; nothing is being read into the buffer. */
static int
next_output(struct pump *p, const void **ptr, size_t *len)
{
	if (genkan_leg_gather(p->leg, p->all->buf, TOGETHER, len) == 1) {
		*ptr = p->all->buf;
		return 1;
	}
	return genkan_leg_output(p->leg, ptr, len) == 1;
}

static void
write_all(struct pump *p)
{
	const void *ptr;
	size_t len;
	ssize_t n;

	p->full = 0;
	while (!p->broken && next_output(p, &ptr, &len)) {
		n = write(p->out, ptr, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			p->full = 1;
			break;
		}
		if (n < 0) {
			mark_broken(p);
			break;
		}
		p->all->bytes += (uint64_t)n;
		genkan_leg_wrote(p->leg, (size_t)n);
		if ((size_t)n < len && n >= WIDTH_USUAL / 2)
			width_grow(&p->outw, p->out);
	}
}

/* -------------------------------------------------------------------- watch */

static void
ready(struct pump *p, int can_read, int gone)
{
	p->all->before(p->all->user);
	if (can_read)
		read_some(p);
	if (gone)
		mark_broken(p);
}

static void
on_input(void *user, unsigned what)
{
	ready(user, (what & LOOP_READ) != 0, 0);
}

static void
on_output(void *user, unsigned what)
{
	ready(user, 0, (what & LOOP_GONE) != 0);
}

static void
on_both(void *user, unsigned what)
{
	ready(user, (what & LOOP_READ) != 0, (what & LOOP_GONE) != 0);
}

static void
watch(struct pump *p, int wants)
{
	unsigned in = 0, out = 0;

	if ((wants & GENKAN_WANT_READ) != 0 && !p->ended && p->rest == NULL)
		in = LOOP_READ;
	if (!p->broken)
		out = p->full ? LOOP_WRITE | LOOP_GONE : LOOP_GONE;
	if (p->win == p->wout) {
		loop_watch_set(p->win, in | out);
		return;
	}
	loop_watch_set(p->win, in);
	loop_watch_set(p->wout, out);
}

/* ----------------------------------------------------------------- the legs */

static void
pump_free(struct pump *p, int keep_out)
{
	loop_watch_free(p->win);
	if (p->wout != p->win)
		loop_watch_free(p->wout);
	if (p->in != p->out)
		(void)close(p->in);
	if (!keep_out)
		(void)close(p->out);
	genkan_leg_free(p->leg);
	free(p->rest);
	free(p);
}

int
pumps_join(struct pumps *all, int in, int out, genkan_leg *leg, int keep)
{
	struct pump *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		genkan_leg_free(leg);
		(void)close(in);
		if (out != in)
			(void)close(out);
		return -1;
	}
	p->all = all;
	p->leg = leg;
	p->in = in;
	p->out = out;
	p->keep = keep;
	p->win = loop_watch_new(all->loop, in,
	    in == out ? on_both : on_input, p);
	p->wout = in == out ? p->win :
	    loop_watch_new(all->loop, out, on_output, p);
	if (p->win == NULL || p->wout == NULL) {
		pump_free(p, 0);
		return -1;
	}
	p->next = all->first;
	all->first = p;
	return 0;
}

static int
is_over(const struct pump *p, int wants)
{
	return (wants & GENKAN_WANT_CLOSE) != 0 &&
	    (p->broken || (wants & GENKAN_WANT_WRITE) == 0);
}

/* Output that nobody tried to write: it came after pumps_write(). */
static int
is_fresh(const struct pump *p, int wants)
{
	return (wants & GENKAN_WANT_WRITE) != 0 && !p->full && !p->broken;
}

void
pumps_write(struct pumps *all)
{
	struct pump *p;

	for (p = all->first; p != NULL; p = p->next)
		write_all(p);
}

int
pumps_settle(struct pumps *all)
{
	struct pump **at = &all->first, *p;
	int wants, moved = 0;

	while ((p = *at) != NULL) {
		if (p->rest != NULL)
			moved |= offer_rest(p);
		moved |= tell_end(p);
		wants = genkan_leg_wants(p->leg);
		if (is_over(p, wants)) {
			*at = p->next;
			pump_free(p, p->keep && !p->told && !p->broken);
			moved = 1;
			continue;
		}
		moved |= is_fresh(p, wants);
		watch(p, wants);
		at = &p->next;
	}
	return moved;
}

void
pumps_rest(struct pumps *all)
{
	struct pump *p;

	for (p = all->first; p != NULL; p = p->next) {
		width_restore(&p->inw, p->in);
		width_restore(&p->outw, p->out);
	}
}

int
pumps_wide(const struct pumps *all)
{
	const struct pump *p;

	for (p = all->first; p != NULL; p = p->next)
		if (width_is_wide(&p->inw) || width_is_wide(&p->outw))
			return 1;
	return 0;
}

uint64_t
pumps_bytes(const struct pumps *all)
{
	return all->bytes;
}

struct pumps *
pumps_new(struct loop *loop, loop_fn *before, void *user)
{
	struct pumps *all = calloc(1, sizeof(*all));

	if (all == NULL || (all->buf = malloc(CHUNK)) == NULL) {
		free(all);
		return NULL;
	}
	all->loop = loop;
	all->before = before;
	all->user = user;
	return all;
}

void
pumps_free(struct pumps *all)
{
	struct pump *p;

	if (all == NULL)
		return;
	while ((p = all->first) != NULL) {
		all->first = p->next;
		pump_free(p, 0);
	}
	free(all->buf);
	free(all);
}
