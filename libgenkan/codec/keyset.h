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
#define GK_KEYSET_QUICK	64	/* longest name with a tag that can be aimed at */

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

/* Length, and a word from either end: names in one object differ there.  Of
 * less than a word, every byte. */
static inline uint32_t
gk_keyset_quick_tag(struct gk_span name)
{
	const uint8_t *p = (const uint8_t *)name.ptr;
	uint32_t head = 0, tail = 0;
	const size_t n = name.len;

	if (n >= sizeof(head)) {
		memcpy(&head, p, sizeof(head));
		memcpy(&tail, p + n - sizeof(tail), sizeof(tail));
	} else if (n > 0) {
		head = (uint32_t)p[0] | (uint32_t)p[n / 2] << 8;
		tail = p[n - 1];
	}
	return (head ^ tail * UINT32_C(0x9e3779b1)) + (uint32_t)n;
}

/* Any name, among any number of others. */
int	gk_keyset_add_any(struct gk_keyset *, struct gk_span name, bool escaped);

/*
 * name: between its quotes, inside text, which is shorter than 4 GiB; closed
 * and checked.  0, GENKAN_E_FRAME_DUP or GENKAN_E_NOMEM.
 *
 * Few plain names, none with the tag of another, need no more than this.
 */
static inline int
gk_keyset_add(struct gk_keyset *k, struct gk_span name, bool escaped)
{
	uint32_t tag, i;

	if (escaped || name.len > GK_KEYSET_QUICK || k->n >= GK_KEYSET_SMALL)
		return gk_keyset_add_any(k, name, escaped);
	tag = gk_keyset_quick_tag(name);
	for (i = 0; i < k->n; i++)
		if (k->few[i].tag == tag)
			return gk_keyset_add_any(k, name, escaped);
	k->few[k->n].at = (uint32_t)(name.ptr - k->text);
	k->few[k->n].tag = tag;
	k->n++;
	return 0;
}

void	gk_keyset_free_table(struct gk_keyset *);

static inline void
gk_keyset_done(struct gk_keyset *k)
{
	if (k->table != NULL)
		gk_keyset_free_table(k);
}

#endif
