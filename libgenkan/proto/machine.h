/*
 * What all machines that own a byte stream share: the verbs of
 * <genkan/leg.h>, one table of functions for each kind.  A machine embeds
 * struct genkan_leg as its first member.
 *
 * Every verb may be called at any time, also after the end; a machine answers
 * calls that come too late by doing nothing.  No verb frees the machine but
 * .free, and that is called by the program alone, with the machine at rest.
 */
#ifndef GK_PROTO_MACHINE_H
#define GK_PROTO_MACHINE_H

#include "base/clock.h"
#include "genkan/leg.h"

/* With fewer bytes a copy is as good as a place to read to. */
#define GK_LEG_ROOM	4096

struct gk_leg_ops {
	const char *name;
	/* 0 or the sticky error.  *used is set by the machine, always. */
	int	(*feed)(struct genkan_leg *, const void *, size_t, size_t *used);
	/* How many bytes may be read to *ret, to be fed next; or 0. */
	size_t	(*room)(struct genkan_leg *, void **ret);
	void	(*eof)(struct genkan_leg *);
	void	(*broken)(struct genkan_leg *);
	/* 1 or 0; the rest of the queue's head. */
	int	(*output)(struct genkan_leg *, const void **, size_t *);
	/* 1 or 0; copies several of the queue. */
	int	(*gather)(struct genkan_leg *, void *, size_t, size_t *);
	void	(*wrote)(struct genkan_leg *, size_t);
	int	(*wants)(const struct genkan_leg *);
	/* Absolute, GK_CLOCK_NEVER for none. */
	int64_t	(*deadline)(const struct genkan_leg *);
	/* The context's clock is set already. */
	void	(*tick)(struct genkan_leg *);
	void	(*free)(struct genkan_leg *);
};

struct genkan_leg {
	const struct gk_leg_ops	*ops;
	struct genkan_ctx	*ctx;
};

static inline int
gk_leg_feed(struct genkan_leg *l, const void *buf, size_t len, size_t *used)
{
	*used = 0;
	return l->ops->feed(l, buf, len, used);
}

static inline int
gk_leg_room(struct genkan_leg *l, void **ptr, size_t *len)
{
	*ptr = NULL;
	*len = l->ops->room(l, ptr);
	return *len > 0;
}

static inline void
gk_leg_eof(struct genkan_leg *l)
{
	l->ops->eof(l);
}

static inline void
gk_leg_broken(struct genkan_leg *l)
{
	l->ops->broken(l);
}

static inline int
gk_leg_output(struct genkan_leg *l, const void **ptr, size_t *len)
{
	*ptr = NULL;
	*len = 0;
	return l->ops->output(l, ptr, len);
}

static inline int
gk_leg_gather(struct genkan_leg *l, void *buf, size_t size, size_t *len)
{
	*len = 0;
	return l->ops->gather(l, buf, size, len);
}

static inline void
gk_leg_wrote(struct genkan_leg *l, size_t n)
{
	l->ops->wrote(l, n);
}

static inline int
gk_leg_wants(const struct genkan_leg *l)
{
	return l->ops->wants(l);
}

static inline int64_t
gk_leg_deadline(const struct genkan_leg *l)
{
	return l->ops->deadline(l);
}

static inline void
gk_leg_tick(struct genkan_leg *l, int64_t now_ms)
{
	gk_clock_set(l->ctx, now_ms);
	l->ops->tick(l);
}

static inline void
gk_leg_free(struct genkan_leg *l)
{
	if (l != NULL)
		l->ops->free(l);
}

#endif
