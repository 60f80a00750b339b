#include "local/report.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "codec/jstr.h"

#define LINE_MAX_BYTES	16384

struct genkan_report *
gk_report_new(struct genkan_ctx *ctx)
{
	struct genkan_report *r = gk_calloc(ctx, 1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->ctx = ctx;
	gk_buf_init(&r->text, ctx, GK_REPORT_MAX);
	gk_buf_init(&r->warnings, ctx, GK_REPORT_MAX);
	gk_buf_init(&r->json, ctx, GK_REPORT_MAX);
	return r;
}

void
gk_report_free(struct genkan_report *r)
{
	if (r == NULL)
		return;
	gk_buf_done(&r->text);
	gk_buf_done(&r->warnings);
	gk_buf_done(&r->json);
	gk_free(r->ctx, r);
}

static void add(struct genkan_report *, struct gk_buf *, const char *, va_list)
    __attribute__((format(printf, 3, 0)));

static void
add(struct genkan_report *r, struct gk_buf *to, const char *fmt, va_list ap)
{
	struct gk_buf raw;

	gk_buf_init(&raw, r->ctx, LINE_MAX_BYTES);
	if (gk_buf_vputf(&raw, fmt, ap) < 0 ||
	    gk_str_put_line(to, (const char *)raw.ptr, raw.len,
	    LINE_MAX_BYTES) < 0 || gk_buf_putc(to, '\n') < 0)
		r->failed = 1;
	gk_buf_done(&raw);
}

void
gk_report_line(struct genkan_report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(r, &r->text, fmt, ap);
	va_end(ap);
}

void
gk_report_warn(struct genkan_report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(r, &r->warnings, fmt, ap);
	va_end(ap);
}

void
gk_report_error(struct genkan_report *r, const char *text)
{
	if (r->json.len > 0)
		return;
	if (gk_buf_puts(&r->json, "{\"v\":1") < 0 ||
	    gk_json_put_str_member(&r->json, "error", text,
	    strlen(text)) < 0 || gk_buf_putc(&r->json, '}') < 0)
		r->failed = 1;
}

static int
terminate(struct gk_buf *b)
{
	int r = gk_buf_putc(b, '\0');

	if (r == 0)
		gk_buf_truncate(b, b->len - 1);
	return r;
}

int
gk_report_finish(struct genkan_report *r)
{
	if (r->failed || terminate(&r->text) < 0 ||
	    terminate(&r->warnings) < 0 || terminate(&r->json) < 0)
		return GENKAN_E_NOMEM;
	return 0;
}
