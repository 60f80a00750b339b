/*
 * The door of the library: what every exported function that takes a context,
 * or something made from one, does before anything else.
 *
 * It is shut while a function of the program's runs in the middle of an
 * operation: the allocator, the log, the randomness and the clock of the
 * context, and all of a store.  Whoever comes in from there is refused, without
 * memory, log or last error being touched, and finds everything as it was.
 *
 * What time it is, is asked here as well, by the verbs that change a state, and
 * nobody asks behind it: a machine sees one time from the beginning of a step to
 * its end.
 */
#ifndef GK_API_DOOR_H
#define GK_API_DOOR_H

#include "base/clock.h"
#include "base/err.h"
#include "genkan/context.h"

/* 0, GENKAN_E_INVAL for NULL, GENKAN_E_STATE while it is shut. */
static inline int
gk_door(const struct genkan_ctx *ctx)
{
	if (ctx == NULL)
		return GENKAN_E_INVAL;
	return GK_UNLIKELY(ctx->out > 0) ? GENKAN_E_STATE : 0;
}

/* The same for who may fail without a word about it: what was said of an earlier
 * error does not stand for it. */
static inline int
gk_door_fresh(struct genkan_ctx *ctx)
{
	int r = gk_door(ctx);

	if (r == 0 && GK_UNLIKELY(ctx->err_code != 0))
		gk_err_clear(ctx);
	return r;
}

/* The same, and then the time, from the clock if the context has one. */
static inline int
gk_door_in(struct genkan_ctx *ctx)
{
	int r = gk_door_fresh(ctx);

	if (r == 0)
		gk_clock_ask(ctx);
	return r;
}

/* Of something with a .ctx, which may be NULL. */
#define GK_DOOR(obj)	gk_door((obj) == NULL ? NULL : (obj)->ctx)
#define GK_DOOR_FRESH(obj) \
	gk_door_fresh((obj) == NULL ? NULL : (obj)->ctx)
#define GK_DOOR_IN(obj)	gk_door_in((obj) == NULL ? NULL : (obj)->ctx)
/* For readers, which have no code to return: is it open? */
#define GK_OPEN(obj)	(GK_DOOR(obj) == 0)

/* For ticks, which return nothing: true; or the door is shut; or it was no time
 * and that is said, since nothing ends and nobody is dropped where time stands
 * still. */
bool	gk_door_tick(struct genkan_ctx *, int64_t now_ms);

#endif
