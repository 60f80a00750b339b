/*
 * The member names of one object while it is scanned, to notice a second one.
 *
 * Few names are compared with each other, in place; many go into a table under
 * the keyed hash of the context.  Either way a name is its offset in the text
 * and what it decodes to, so "a" and "\u0061" are one.
 */
#ifndef GK_CODEC_KEYSET_H
#define GK_CODEC_KEYSET_H

#include "base/base.h"

#define GK_KEYSET_SMALL	16

struct gk_keyset_slot {
	uint32_t	at;	/* offset behind the opening quote; 0: free */
	uint32_t	tag;	/* differs, so do the names */
};

struct gk_keyset {
	struct genkan_ctx	*ctx;
	const char		*text;
	struct gk_keyset_slot	*table;	/* cap of them; NULL while few */
	uint32_t		 n;
	uint32_t		 cap;	/* a power of two */
	struct gk_keyset_slot	 few[GK_KEYSET_SMALL];
};

/* Leaves .few as it is: this runs once for every object of a text. */
static inline void
gk_keyset_init(struct gk_keyset *k, struct genkan_ctx *ctx, const char *text)
{
	k->ctx = ctx;
	k->text = text;
	k->table = NULL;
	k->n = k->cap = 0;
}

/*
 * name: between its quotes, inside text, which is shorter than 4 GiB; closed
 * and checked.  0, GENKAN_E_FRAME_DUP or GENKAN_E_NOMEM.
 */
int	gk_keyset_add(struct gk_keyset *, struct gk_span name, bool escaped);

void	gk_keyset_free_table(struct gk_keyset *);

static inline void
gk_keyset_done(struct gk_keyset *k)
{
	if (k->table != NULL)
		gk_keyset_free_table(k);
}

#endif
