#include "codec/keyset.h"

#include "base/alloc.h"
#include "base/map.h"
#include "codec/jstr.h"
#include "codec/runs.h"

#define FIRST	64	/* slots of the smallest table */

/*
 * Of the decoded name.  Keyed where names of one tag, which a peer could make
 * up, would cost something: in a table, and where comparing them is long.
 */
static int
tag_of(struct gk_keyset *k, struct gk_span name, bool escaped, bool keyed,
    uint32_t *ret)
{
	struct gk_buf plain;
	int r = 0;

	gk_buf_init(&plain, k->ctx, name.len);
	if (escaped) {
		r = gk_jstr_decode(&plain, gk_span(name.ptr - 1,
		    name.len + 2));
		name = gk_buf_span(&plain);
	}
	if (r == 0)
		*ret = keyed || name.len > GK_KEYSET_QUICK ?
		    (uint32_t)gk_hash(k->ctx, name.ptr, name.len) :
		    gk_keyset_quick_tag(name);
	gk_buf_done(&plain);
	return r;
}

/* Both closed by a quote, at least one of them maybe escaped. */
static bool
same(const char *a, const char *b)
{
	char x[4], y[4];
	size_t nx, ny, used;

	for (;;) {
		if (*a == '"' || *b == '"')
			return *a == *b;
		if (*a != '\\' && *b != '\\') {
			if (*a++ != *b++)
				return false;
			continue;
		}
		/* One side may spell as bytes what the other escapes. */
		nx = gk_jstr_char(a, &used, x);
		a += used;
		ny = gk_jstr_char(b, &used, y);
		b += used;
		if (nx != ny || memcmp(x, y, nx) != 0)
			return false;
	}
}

static struct gk_span
name_at(const struct gk_keyset *k, uint32_t at, bool *escaped)
{
	const char *p = k->text + at, *q = p;

	*escaped = false;
	/* The end is not known here, but a quote comes for certain. */
	while (*q != '"') {
		if (*q == '\\') {
			*escaped = true;
			q++;
		}
		q++;
	}
	return gk_span(p, (size_t)(q - p));
}

/* The slot of the name, or the free one where it belongs. */
static struct gk_keyset_slot *
probe(const struct gk_keyset *k, const struct gk_keyset_slot *want,
    bool compare)
{
	uint32_t i = want->tag & (k->cap - 1);

	while (k->table[i].at != 0) {
		if (compare && k->table[i].tag == want->tag &&
		    same(k->text + k->table[i].at, k->text + want->at))
			break;
		i = (i + 1) & (k->cap - 1);
	}
	return &k->table[i];
}

static int
resize(struct gk_keyset *k, uint32_t cap)
{
	struct gk_keyset old = *k;
	uint32_t i;

	k->table = gk_calloc(k->ctx, cap, sizeof(*k->table));
	if (k->table == NULL) {
		k->table = old.table;
		return GENKAN_E_NOMEM;
	}
	k->cap = cap;
	for (i = 0; i < old.cap; i++)
		if (old.table[i].at != 0)
			*probe(k, &old.table[i], false) = old.table[i];
	gk_free(k->ctx, old.table);
	return 0;
}

/* From few to many: the same names under keyed tags. */
static int
spill(struct gk_keyset *k)
{
	struct gk_span name;
	uint32_t i;
	bool escaped;
	int r;

	for (i = 0; i < k->n; i++) {
		name = name_at(k, k->few[i].at, &escaped);
		r = tag_of(k, name, escaped, true, &k->few[i].tag);
		if (r < 0)
			return r;
	}
	if ((r = resize(k, FIRST)) < 0)
		return r;
	for (i = 0; i < k->n; i++)
		*probe(k, &k->few[i], false) = k->few[i];
	return 0;
}

static int
add_many(struct gk_keyset *k, struct gk_span name, bool escaped)
{
	struct gk_keyset_slot new, *slot;
	int r;

	if (k->table == NULL && (r = spill(k)) < 0)
		return r;
	if (k->n >= k->cap / 4 * 3) {
		/* 4 GiB of text cannot hold 2^30 distinct names. */
		if ((r = resize(k, k->cap * 2)) < 0)
			return r;
	}
	new.at = (uint32_t)(name.ptr - k->text);
	if ((r = tag_of(k, name, escaped, true, &new.tag)) < 0)
		return r;
	slot = probe(k, &new, true);
	if (slot->at != 0)
		return GENKAN_E_FRAME_DUP;
	*slot = new;
	k->n++;
	return 0;
}

int
gk_keyset_add_any(struct gk_keyset *k, struct gk_span name, bool escaped)
{
	uint32_t tag, i;
	int r;

	if (k->n >= GK_KEYSET_SMALL)
		return add_many(k, name, escaped);
	if ((r = tag_of(k, name, escaped, false, &tag)) < 0)
		return r;
	for (i = 0; i < k->n; i++)
		if (k->few[i].tag == tag &&
		    same(k->text + k->few[i].at, name.ptr))
			return GENKAN_E_FRAME_DUP;
	k->few[k->n].at = (uint32_t)(name.ptr - k->text);
	k->few[k->n].tag = tag;
	k->n++;
	return 0;
}

void
gk_keyset_free_table(struct gk_keyset *k)
{
	gk_free(k->ctx, k->table);
	k->table = NULL;
}
