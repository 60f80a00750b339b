/*
 * What time it is, for the verbs of the API: as the program says, or as the
 * clock says that it gave to the context.  Every verb that changes a state asks
 * at the door, before anything else is done with the time, and nobody asks
 * behind it: a machine sees one time from the beginning of a step to its end.
 */
#ifndef GK_API_NOW_H
#define GK_API_NOW_H

#include "base/clock.h"
#include "genkan/context.h"

/* Without a clock, nothing. */
static inline void
gk_api_now(struct genkan_ctx *ctx)
{
	if (ctx->hooks.clock != NULL)
		gk_clock_set(ctx, ctx->hooks.clock(ctx->hooks.user));
}

/* What a verb was given: 0, or GENKAN_E_INVAL for a time that is none. */
static inline int
gk_api_time(struct genkan_ctx *ctx, int64_t now_ms)
{
	if (now_ms < 0 &&
	    (now_ms != GENKAN_NOW || ctx->hooks.clock == NULL))
		return GENKAN_E_INVAL;
	gk_clock_set(ctx, now_ms);
	gk_api_now(ctx);
	return 0;
}

/* For ticks, which return nothing: true, or it was no time and that is said,
 * since nothing ends and nobody is dropped where time stands still. */
bool	gk_api_tick(struct genkan_ctx *, int64_t now_ms);

#endif
