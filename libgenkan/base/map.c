#include "base/map.h"

#include <sodium.h>

#include "base/alloc.h"
#include "base/ctx.h"

/*
 * Open addressing with linear probing.  val NULL is a free slot, GRAVE one
 * whose entry went: probing goes on behind it, and a rebuild buries them all.
 * A numeric key lies in num; bytes lie in own memory behind key, and num is
 * their hash.
 */
struct gk_map_slot {
	uint64_t	 num;
	char		*key;
	size_t		 keylen;
	void		*val;
};

static const char grave_mark;
#define GRAVE	((void *)&grave_mark)
#define FIRST	8	/* slots of the smallest table */

uint64_t
gk_hash(const struct genkan_ctx *ctx, const void *data, size_t len)
{
	uint64_t h;

	(void)crypto_shorthash((unsigned char *)&h, data, len, ctx->hash_key);
	return h;
}

/* The first slot for a number: the upper bits of its product with a factor that
 * nobody knows.  Of any two numbers that were picked without knowing it, few
 * factors bring both to one slot. */
static size_t
spread(const struct gk_map *m, uint64_t num)
{
	uint64_t factor;

	memcpy(&factor, m->ctx->hash_key, sizeof(factor));
	num *= factor | 1;
	/* cap is a power of two: as many bits as it takes. */
	return (size_t)((num >> 32) * m->cap >> 32);
}

static size_t
start(const struct gk_map *m, uint64_t num, bool bytes)
{
	return bytes ? (size_t)num & (m->cap - 1) : spread(m, num);
}

static bool
same(const struct gk_map_slot *s, uint64_t num, struct gk_span key)
{
	return s->num == num && (key.ptr == NULL ||
	    gk_span_eq(gk_span(s->key, s->keylen), key));
}

/* The slot of the key, or NULL. */
static struct gk_map_slot *
find(const struct gk_map *m, uint64_t num, struct gk_span key)
{
	size_t i;

	if (m->len == 0)
		return NULL;
	for (i = start(m, num, key.ptr != NULL); m->slot[i].val != NULL;
	    i = (i + 1) & (m->cap - 1))
		if (m->slot[i].val != GRAVE && same(&m->slot[i], num, key))
			return &m->slot[i];
	return NULL;
}

/* The first slot that can take a key which is not in the map. */
static struct gk_map_slot *
vacancy(const struct gk_map *m, uint64_t num, bool bytes)
{
	size_t i = start(m, num, bytes);

	while (m->slot[i].val != NULL && m->slot[i].val != GRAVE)
		i = (i + 1) & (m->cap - 1);
	return &m->slot[i];
}

/* Keeps at least a quarter of the slots free of entries and graves. */
static int
make_room(struct gk_map *m, bool bytes)
{
	struct gk_map new = *m;
	size_t i;

	if (m->cap != 0 && m->used + 1 <= m->cap - m->cap / 4)
		return 0;
	/* Mostly graves: the same size again is enough. */
	if (m->cap == 0)
		new.cap = FIRST;
	else if (m->len + 1 > m->cap / 2 && !gk_mul(m->cap, 2, &new.cap))
		return GENKAN_E_NOMEM;
	new.slot = gk_calloc(m->ctx, new.cap, sizeof(*new.slot));
	if (new.slot == NULL)
		return GENKAN_E_NOMEM;
	for (i = 0; i < m->cap; i++)
		if (m->slot[i].val != NULL && m->slot[i].val != GRAVE)
			*vacancy(&new, m->slot[i].num, bytes) = m->slot[i];
	new.used = new.len;
	gk_free(m->ctx, m->slot);
	*m = new;
	return 0;
}

static int
put(struct gk_map *m, uint64_t num, struct gk_span key, void *val, void **old)
{
	bool bytes = key.ptr != NULL;
	struct gk_map_slot *s;
	char *copy = NULL;
	void *was = NULL;

	if ((s = find(m, num, key)) != NULL) {
		was = s->val;
		s->val = val;
	} else {
		if (bytes &&
		    (copy = gk_strndup(m->ctx, key.ptr, key.len)) == NULL)
			return GENKAN_E_NOMEM;
		if (make_room(m, bytes) < 0) {
			gk_free(m->ctx, copy);
			return GENKAN_E_NOMEM;
		}
		s = vacancy(m, num, bytes);
		if (s->val == NULL)
			m->used++;
		m->len++;
		s->num = num;
		s->key = copy;
		s->keylen = key.len;
		s->val = val;
	}
	if (old != NULL)
		*old = was;
	return 0;
}

static void *
get(const struct gk_map *m, uint64_t num, struct gk_span key)
{
	struct gk_map_slot *s = find(m, num, key);

	return s == NULL ? NULL : s->val;
}

static void *
del(struct gk_map *m, uint64_t num, struct gk_span key)
{
	struct gk_map_slot *s = find(m, num, key);
	void *val;

	if (s == NULL)
		return NULL;
	val = s->val;
	gk_free(m->ctx, s->key);
	s->key = NULL;
	s->val = GRAVE;
	m->len--;
	return val;
}

static struct gk_map_slot *
at(const struct gk_map *m, size_t *pos)
{
	struct gk_map_slot *s;

	while (*pos < m->cap) {
		s = &m->slot[(*pos)++];
		if (s->val != NULL && s->val != GRAVE)
			return s;
	}
	return NULL;
}

static void
init(struct gk_map *m, struct genkan_ctx *ctx)
{
	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
}

static void
done(struct gk_map *m)
{
	struct gk_map_slot *s;
	size_t pos = 0;

	while ((s = at(m, &pos)) != NULL)
		gk_free(m->ctx, s->key);
	gk_free(m->ctx, m->slot);
	init(m, m->ctx);
}

void
gk_umap_init(struct gk_umap *m, struct genkan_ctx *ctx)
{
	init(&m->m, ctx);
}

void
gk_umap_done(struct gk_umap *m)
{
	done(&m->m);
}

int
gk_umap_put(struct gk_umap *m, uint64_t key, void *val, void **old)
{
	return put(&m->m, key, gk_span(NULL, 0), val, old);
}

void *
gk_umap_get(const struct gk_umap *m, uint64_t key)
{
	return get(&m->m, key, gk_span(NULL, 0));
}

void *
gk_umap_del(struct gk_umap *m, uint64_t key)
{
	return del(&m->m, key, gk_span(NULL, 0));
}

void *
gk_umap_at(const struct gk_umap *m, size_t *pos, uint64_t *key)
{
	struct gk_map_slot *s = at(&m->m, pos);

	if (s == NULL)
		return NULL;
	if (key != NULL)
		*key = s->num;
	return s->val;
}

/* An empty key must still be told from a numeric one. */
static struct gk_span
bytes_key(struct gk_span key)
{
	return key.ptr == NULL ? gk_span("", 0) : key;
}

static uint64_t
hash_key(const struct gk_smap *m, struct gk_span key)
{
	return gk_hash(m->m.ctx, key.ptr, key.len);
}

void
gk_smap_init(struct gk_smap *m, struct genkan_ctx *ctx)
{
	init(&m->m, ctx);
}

void
gk_smap_done(struct gk_smap *m)
{
	done(&m->m);
}

int
gk_smap_put(struct gk_smap *m, struct gk_span key, void *val, void **old)
{
	key = bytes_key(key);
	return put(&m->m, hash_key(m, key), key, val, old);
}

void *
gk_smap_get(const struct gk_smap *m, struct gk_span key)
{
	key = bytes_key(key);
	return get(&m->m, hash_key(m, key), key);
}

void *
gk_smap_del(struct gk_smap *m, struct gk_span key)
{
	key = bytes_key(key);
	return del(&m->m, hash_key(m, key), key);
}

void *
gk_smap_at(const struct gk_smap *m, size_t *pos, struct gk_span *key)
{
	struct gk_map_slot *s = at(&m->m, pos);

	if (s == NULL)
		return NULL;
	if (key != NULL)
		*key = gk_span(s->key, s->keylen);
	return s->val;
}
