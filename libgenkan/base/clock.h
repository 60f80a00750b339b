/*
 * Monotonic milliseconds, as told by whoever owns the loop.  The library never
 * asks the system, so a test replays a minute in no time.
 */
#ifndef GK_BASE_CLOCK_H
#define GK_BASE_CLOCK_H

#include "base/ctx.h"

#define GK_CLOCK_NEVER	INT64_MAX

static inline int64_t
gk_now(const struct genkan_ctx *ctx)
{
	return ctx->now_ms;
}

/* A time before the current one is ignored: deadlines must not come back. */
void	gk_clock_set(struct genkan_ctx *, int64_t ms);

/* The earlier one.  No macro: finding a deadline costs something. */
static inline int64_t
gk_clock_first(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Asks the clock of the context, if it was given one; for api/ alone. */
void	gk_clock_ask(struct genkan_ctx *);

/* now + ms without overflow; never beyond GK_CLOCK_NEVER. */
int64_t	gk_clock_after(const struct genkan_ctx *, int64_t ms);

#endif
