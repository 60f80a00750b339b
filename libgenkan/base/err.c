#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#ifdef GK_DEBUG
#include <stdlib.h>
#endif

#include "base/ctx.h"
#include "base/log.h"
#include "base/str.h"
#include "contract/schema.h"

const char *
gk_err_name(int code)
{
	const struct gk_error *row;

	if (code >= 0)
		return "ok";
	row = gk_schema_error(code);
	return row == NULL ? "unknown" : row->wire;
}

const char *
gk_err_text(int code)
{
	const struct gk_error *row;

	if (code >= 0)
		return "success";
	row = gk_schema_error(code);
	return row == NULL ? "unknown error" : row->text;
}

int
gk_err_class(int code)
{
	const struct gk_error *row;

	row = code < 0 ? gk_schema_error(code) : NULL;
	return row == NULL ? GENKAN_E_INVAL : (int)row->cls;
}

int
gk_err_set(struct genkan_ctx *ctx, int code, const char *fmt, ...)
{
	char text[GK_ERRTEXT_MAX];
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	/* Cut by vsnprintf() at a byte, which may be inside a character. */
	len = strlen(text);
	if (len == sizeof(text) - 1)
		len = gk_utf8_prefix(text, len);
	gk_str_line(ctx->err_text, sizeof(ctx->err_text), text, len);
	ctx->err_code = code;
	return code;
}

void
gk_err_clear(struct genkan_ctx *ctx)
{
	ctx->err_code = 0;
	ctx->err_text[0] = '\0';
}

int
gk_bug_at(struct genkan_ctx *ctx, const char *file, int line,
    const char *what)
{
	gk_log(ctx, GK_LOG_ERROR, "bug", "invariant", "%s (%s:%d)", what, file,
	    line);
#ifdef GK_DEBUG
	abort();
#endif
	return gk_err_set(ctx, GENKAN_E_INTERNAL, "%s (%s:%d)", what, file,
	    line);
}
