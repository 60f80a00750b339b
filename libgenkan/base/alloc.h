/*
 * Memory of the context.  Every own allocation of the library passes here,
 * which is what lets the fault sweep fail the i-th of them, for every i.
 * A size of 0 is served as 1, so that NULL always means failure.
 */
#ifndef GK_BASE_ALLOC_H
#define GK_BASE_ALLOC_H

#include "base/base.h"

void	*gk_malloc(struct genkan_ctx *, size_t) GK_CHECKED;
void	*gk_calloc(struct genkan_ctx *, size_t n, size_t size) GK_CHECKED;
/* On failure the old block is untouched and still yours. */
void	*gk_realloc(struct genkan_ctx *, void *, size_t) GK_CHECKED;
/* Like gk_realloc() for n elements, with the product checked. */
void	*gk_reallocarray(struct genkan_ctx *, void *, size_t n, size_t size)
	    GK_CHECKED;
void	 gk_free(struct genkan_ctx *, void *);
/* Wiped first.  NULL is fine. */
void	 gk_free_wiped(struct genkan_ctx *, void *, size_t);

char	*gk_strdup(struct genkan_ctx *, const char *) GK_CHECKED;
/* len bytes and a NUL behind them. */
char	*gk_strndup(struct genkan_ctx *, const char *, size_t len) GK_CHECKED;
void	*gk_memdup(struct genkan_ctx *, const void *, size_t) GK_CHECKED;

/* The default of gk_ctx_hooks.realloc: the C library. */
void	*gk_alloc_libc(void *user, void *ptr, size_t size);

/* Overwrites memory in a way the compiler keeps. */
void	 gk_wipe(void *, size_t);

#endif
