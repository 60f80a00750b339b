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
	ctx->hooks.log(ctx->hooks.user, level, tag, id, text);
}

const char *
gk_log_level_name(int level)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };

	if (level < 0 || (size_t)level >= GK_ARRAY_LEN(names))
		return "none";
	return names[level];
}
