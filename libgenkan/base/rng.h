/*
 * Randomness: the context's source, by default the system's.  A source that
 * fails leaves zeroes and an error, never bytes that look random.
 */
#ifndef GK_BASE_RNG_H
#define GK_BASE_RNG_H

#include "base/base.h"

/* 0 or GENKAN_E_RANDOM, and then ret is zeroed. */
int	gk_rng_bytes(struct genkan_ctx *, void *ret, size_t len) GK_CHECKED;

#endif
