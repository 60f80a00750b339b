/*
 * Strings.  Properties: any bytes written as a JSON string scan; valid UTF-8
 * is read back as it was, by every way of reading; and the fast check of UTF-8
 * agrees with one character at a time.
 */
#include "fuzz.h"

#include "base/ctx.h"
#include "base/str.h"
#include "codec/jstr.h"

static size_t
slow_prefix(const char *s, size_t len)
{
	size_t at = 0, n;

	while (at < len && (n = gk_utf8_next(s + at, s + len, NULL)) != 0)
		at += n;
	return at;
}

static void
check(struct genkan_ctx *ctx, const char *s, size_t len)
{
	struct gk_buf text, back;
	struct gk_scan scan;
	struct gk_member m;
	struct gk_span out;

	gk_buf_init(&text, ctx, 6 * len + 16);
	gk_buf_init(&back, ctx, 6 * len + 16);
	MUST(gk_buf_putc(&text, '{') == 0);
	MUST(gk_json_put_str_member(&text, "s", s, len) == 0);
	MUST(gk_buf_putc(&text, '}') == 0);
	MUST(gk_scan(ctx, text.ptr, text.len, &m, 1, &scan) == 0);
	MUST(scan.canonical && m.type == GK_J_STRING);
	MUST(gk_jstr_text(&m, &back, &out) == 0);
	MUST(gk_utf8_valid(out.ptr, out.len));
	MUST(gk_jstr_len(m.value) == out.len);
	MUST(gk_jstr_eq(m.value, out.ptr, out.len));
	if (gk_utf8_valid(s, len))
		MUST(gk_span_eq(out, gk_span(s, len)));
	gk_buf_done(&text);
	gk_buf_done(&back);
}

static void
check_escape(struct genkan_ctx *ctx, const char *s, size_t len)
{
	struct gk_buf b;
	char small[40];
	size_t cut;

	gk_buf_init(&b, ctx, 8 * len + 16);
	MUST(gk_str_escape(&b, s, len, len / 2) == 0);
	MUST(gk_str_is_plain((const char *)b.ptr, b.len));
	(void)gk_str_escaped(small, sizeof(small), s, len, len);
	MUST(strlen(small) < sizeof(small));
	MUST(gk_str_is_plain(small, strlen(small)));
	cut = gk_utf8_cut(s, len, len / 2);
	MUST(cut <= len / 2);
	MUST(!gk_utf8_valid(s, len) || gk_utf8_valid(s, cut));
	gk_buf_done(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct genkan_ctx *ctx;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	MUST(gk_utf8_prefix(s, size) == slow_prefix(s, size));
	check(ctx, s, size);
	check_escape(ctx, s, size);
	gk_ctx_free(ctx);
	return 0;
}
