/*
 * Hash maps from u64 or bytes to void*.  Under a key of the context, SipHash for
 * bytes and a multiplication for numbers, so a peer that picks the keys cannot
 * pick the collisions.  Keys of gk_smap are copied; values are the caller's.
 *
 * Iteration: for (i = 0; (v = gk_umap_at(m, &i, &key)) != NULL; ) ... in no
 * particular order; the current entry may be deleted, nothing else changed.
 */
#ifndef GK_BASE_MAP_H
#define GK_BASE_MAP_H

#include "base/base.h"

struct gk_map_slot;

struct gk_map {
	struct genkan_ctx	*ctx;
	struct gk_map_slot	*slot;	/* cap of them, NULL while empty */
	size_t			 cap;	/* 0 or a power of two */
	size_t			 len;	/* live entries */
	size_t			 used;	/* live entries and graves */
};

struct gk_umap { struct gk_map m; };
struct gk_smap { struct gk_map m; };

void	 gk_umap_init(struct gk_umap *, struct genkan_ctx *);
void	 gk_umap_done(struct gk_umap *);
/* val must not be NULL; replaces.  *old (may be NULL) gets what was there.
 * 0 or GENKAN_E_NOMEM, and then the map is unchanged. */
int	 gk_umap_put(struct gk_umap *, uint64_t key, void *val, void **old);
void	*gk_umap_get(const struct gk_umap *, uint64_t key);
void	*gk_umap_del(struct gk_umap *, uint64_t key);
void	*gk_umap_at(const struct gk_umap *, size_t *pos, uint64_t *key);
static inline size_t gk_umap_len(const struct gk_umap *m) { return m->m.len; }

void	 gk_smap_init(struct gk_smap *, struct genkan_ctx *);
void	 gk_smap_done(struct gk_smap *);
int	 gk_smap_put(struct gk_smap *, struct gk_span key, void *val, void **old);
void	*gk_smap_get(const struct gk_smap *, struct gk_span key);
void	*gk_smap_del(struct gk_smap *, struct gk_span key);
/* *key is borrowed until the entry goes; it has a NUL behind it. */
void	*gk_smap_at(const struct gk_smap *, size_t *pos, struct gk_span *key);
static inline size_t gk_smap_len(const struct gk_smap *m) { return m->m.len; }

/* The keyed hash itself, for tables of another shape. */
uint64_t gk_hash(const struct genkan_ctx *, const void *, size_t);

#endif
