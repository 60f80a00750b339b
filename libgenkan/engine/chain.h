/*
 * Intrusive lists.  A head links to itself while empty; a node that is in no
 * list links to itself too, so removing is always safe and removing twice
 * does nothing.
 */
#ifndef GK_ENGINE_CHAIN_H
#define GK_ENGINE_CHAIN_H

#include "base/base.h"

struct gk_chain {
	struct gk_chain	*prev;
	struct gk_chain	*next;
};

/* The object that holds the node. */
#define GK_OF(node, type, member) \
	((type *)(void *)((char *)(node) - offsetof(type, member)))

static inline void
gk_chain_init(struct gk_chain *c)
{
	c->prev = c->next = c;
}

static inline bool
gk_chain_empty(const struct gk_chain *c)
{
	return c->next == c;
}

static inline void
gk_chain_remove(struct gk_chain *c)
{
	c->prev->next = c->next;
	c->next->prev = c->prev;
	gk_chain_init(c);
}

/* Right behind at, which may be the head: then it comes first. */
static inline void
gk_chain_insert(struct gk_chain *at, struct gk_chain *c)
{
	c->prev = at;
	c->next = at->next;
	at->next->prev = c;
	at->next = c;
}

static inline void
gk_chain_append(struct gk_chain *head, struct gk_chain *c)
{
	gk_chain_insert(head->prev, c);
}

/* All nodes of from, in order, to the end of to. */
static inline void
gk_chain_move(struct gk_chain *from, struct gk_chain *to)
{
	if (gk_chain_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	gk_chain_init(from);
}

#endif
