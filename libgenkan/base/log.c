#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

void
gk_log_at(struct genkan_ctx *ctx, int level, const char *tag, const char *id,
    const char *fmt, ...)
{
	char raw[GK_LOG_TEXT_MAX], text[GK_LOG_TEXT_MAX];
	va_list ap;
	int n;

	if (!gk_log_wants(ctx, level))
		return;
	va_start(ap, fmt);
	n = vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	gk_str_line(text, sizeof(text), raw, strlen(raw));
	gk_log_line(ctx, level, tag, id, text);
}

void
gk_log_line(struct genkan_ctx *ctx, int level, const char *tag,
    const char *id, const char *line)
{
	if (!gk_log_wants(ctx, level))
		return;
	gk_ctx_out(ctx);
	ctx->hooks.log(ctx->hooks.user, level, tag, id, line);
	gk_ctx_back(ctx);
}

const char *
gk_log_level_name(int level)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };

	if (level < 0 || (size_t)level >= GK_ARRAY_LEN(names))
		return "none";
	return names[level];
}
