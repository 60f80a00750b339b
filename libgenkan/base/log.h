/*
 * Log records go to the context's callback and nowhere else.  tag names the
 * subsystem, id the message: both stable, for programs; the text is for
 * people.  No payload, key, cookie, or URL beyond its origin.  Foreign text
 * passes gk_str_escape() first; what is left of control characters in the
 * finished text is escaped here, so that a record is always one line.
 */
#ifndef GK_BASE_LOG_H
#define GK_BASE_LOG_H

#include "base/ctx.h"

#define GK_LOG_NONE	(-1)
#define GK_LOG_ERROR	0
#define GK_LOG_WARN	1
#define GK_LOG_INFO	2
#define GK_LOG_DEBUG	3

#define GK_LOG_TEXT_MAX	2048	/* longer texts are cut on a UTF-8 boundary */

void	gk_log_at(struct genkan_ctx *, int level, const char *tag,
	    const char *id, const char *fmt, ...) GK_PRINTF(5, 6) GK_COLD;

/* A line that is finished already, however long. */
void	gk_log_line(struct genkan_ctx *, int level, const char *tag,
	    const char *id, const char *line);

static inline bool
gk_log_wants(const struct genkan_ctx *ctx, int level)
{
	return ctx->hooks.log != NULL && level <= ctx->log_level;
}

/* A macro, so that arguments of a silenced record are not even computed. */
#define gk_log(ctx, level, tag, id, ...) do {				\
	if (gk_log_wants((ctx), (level)))				\
		gk_log_at((ctx), (level), (tag), (id), __VA_ARGS__);	\
} while (0)

/* "error", "warn", "info", "debug"; "none" for anything else. */
const char *gk_log_level_name(int level);

#endif
