/* See attach.h. */
#include "proto/attach.h"

#include "base/str.h"
#include "codec/field.h"
#include "codec/jstr.h"

#define REASON_MAX	256	/* bytes of a foreign reason that are kept */

static int
write_harness(struct gk_buf *line, const struct gk_attach *a)
{
	int r;

	r = gk_buf_putf(line, ",\"harness\":{\"hash\":\"%s\"", a->hash);
	if (r == 0 && a->signer[0] != '\0')
		r = gk_json_put_str_member(line, "signer", a->signer,
		    strlen(a->signer));
	if (r == 0 && a->name[0] != '\0')
		r = gk_json_put_str_member(line, "name", a->name,
		    strlen(a->name));
	if (r == 0)
		r = gk_buf_putc(line, '}');
	return r;
}

int
gk_attach_write(struct gk_buf *b, const struct gk_attach *a)
{
	struct gk_buf line;
	int r;

	gk_buf_init(&line, b->ctx, GK_SETUP_LINE_MAX);
	r = gk_buf_puts(&line, a->role == GK_ATTACH_BROWSER ?
	    "{\"attach\":\"browser\"" : "{\"attach\":\"client\"");
	if (r == 0 && a->role == GK_ATTACH_CLIENT && a->has_harness)
		r = write_harness(&line, a);
	if (r == 0)
		r = gk_buf_puts(&line, "}\n");
	if (r == 0)
		r = gk_buf_put_span(b, gk_buf_span(&line));
	gk_buf_done(&line);
	return r;
}

/* The decoded text of a string member into a fixed array; too long, or a NUL
 * inside, is a fault of the frame. */
static int
copy_text(struct genkan_ctx *ctx, const struct gk_member *m, char *ret,
    size_t size)
{
	struct gk_buf text;
	struct gk_span s;
	int r;

	gk_buf_init(&text, ctx, GK_SETUP_LINE_MAX);
	r = gk_jstr_text(m, &text, &s);
	if (r == 0 && (memchr(s.ptr, '\0', s.len) != NULL ||
	    !gk_str_copy(ret, size, s.ptr, s.len)))
		r = GENKAN_E_FRAME_MEMBER;
	gk_buf_done(&text);
	return r;
}

static int
read_harness(struct genkan_ctx *ctx, const struct gk_member *harness,
    struct gk_attach *ret)
{
	static const struct gk_field tab[] = {
		{ "hash",   GK_J_STRING, 0, 40, 64 },
		{ "signer", GK_J_STRING, GK_F_OPTIONAL, 1, GK_SIGNER_MAX },
		{ "name",   GK_J_STRING, GK_F_OPTIONAL, 1, GK_LABEL_MAX },
	};
	struct gk_member m[GK_ARRAY_LEN(tab)];
	size_t len;
	int r;

	r = gk_fields_span(harness->value, tab, GK_ARRAY_LEN(tab), false, m,
	    NULL);
	if (r == 0)
		r = copy_text(ctx, &m[0], ret->hash, sizeof(ret->hash));
	if (r == 0 && m[1].type != 0)
		r = copy_text(ctx, &m[1], ret->signer, sizeof(ret->signer));
	if (r == 0 && m[2].type != 0)
		r = copy_text(ctx, &m[2], ret->name, sizeof(ret->name));
	if (r < 0)
		return r;

	len = strlen(ret->hash);
	if ((len != 40 && len != 64) || !gk_str_is_hex_lower(ret->hash, len))
		return GENKAN_E_FRAME_MEMBER;
	if (!gk_str_is_plain(ret->signer, strlen(ret->signer)))
		return GENKAN_E_FRAME_MEMBER;
	if (m[2].type != 0 && !gk_str_is_label(ret->name, strlen(ret->name)))
		return GENKAN_E_FRAME_MEMBER;
	ret->has_harness = true;
	return 0;
}

int
gk_attach_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_attach *ret)
{
	static const struct gk_field tab[] = {
		{ "attach",  GK_J_STRING, 0, 0, 0 },
		{ "harness", GK_J_OBJECT, GK_F_OPTIONAL, 0, 0 },
	};
	struct gk_member top[4], m[GK_ARRAY_LEN(tab)];
	struct gk_attach a;
	struct gk_scan scan;
	int r;

	r = gk_scan(ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top), &scan);
	if (r == 0)
		r = gk_fields_scan(&scan, tab, GK_ARRAY_LEN(tab), false, m,
		    NULL);
	if (r < 0)
		return r;

	memset(&a, 0, sizeof(a));
	if (gk_jstr_is(&m[0], "client"))
		a.role = GK_ATTACH_CLIENT;
	else if (gk_jstr_is(&m[0], "browser") && m[1].type == 0)
		a.role = GK_ATTACH_BROWSER;
	else
		return GENKAN_E_FRAME_MEMBER;
	if (m[1].type != 0 && (r = read_harness(ctx, &m[1], &a)) < 0)
		return r;
	*ret = a;
	return 0;
}

static const char *const verdicts[] = {
	[GK_ATTACH_ACCEPTED] = "accepted",
	[GK_ATTACH_REFUSED] = "refused",
	[GK_ATTACH_UNAVAILABLE] = "unavailable",
};

int
gk_attach_reply_write(struct gk_buf *b, enum gk_attach_verdict verdict,
    const char *reason)
{
	struct gk_buf line;
	int r;

	gk_buf_init(&line, b->ctx, GK_SETUP_LINE_MAX);
	r = gk_buf_putf(&line, "{\"attach_reply\":\"%s\"", verdicts[verdict]);
	if (r == 0 && verdict != GK_ATTACH_ACCEPTED)
		r = gk_json_put_str_member(&line, "reason",
		    reason != NULL ? reason : "",
		    reason != NULL ? strlen(reason) : 0);
	if (r == 0)
		r = gk_buf_puts(&line, "}\n");
	if (r == 0)
		r = gk_buf_put_span(b, gk_buf_span(&line));
	gk_buf_done(&line);
	return r;
}

int
gk_attach_reply_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_attach_reply *ret)
{
	static const struct gk_field tab[] = {
		{ "attach_reply", GK_J_STRING, 0, 0, 0 },
		{ "reason",       GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	};
	struct gk_member top[4], m[GK_ARRAY_LEN(tab)];
	struct gk_scan scan;
	struct gk_buf text;
	struct gk_span reason;
	size_t v;
	int r;

	r = gk_scan(ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top), &scan);
	if (r == 0)
		r = gk_fields_scan(&scan, tab, GK_ARRAY_LEN(tab), false, m,
		    NULL);
	if (r < 0)
		return r;
	for (v = 0; v < GK_ARRAY_LEN(verdicts); v++)
		if (gk_jstr_is(&m[0], verdicts[v]))
			break;
	if (v == GK_ARRAY_LEN(verdicts) ||
	    (m[1].type != 0) != (v != GK_ATTACH_ACCEPTED))
		return GENKAN_E_FRAME_MEMBER;

	ret->verdict = (enum gk_attach_verdict)v;
	ret->reason[0] = '\0';
	if (m[1].type == 0)
		return 0;
	gk_buf_init(&text, ctx, GK_SETUP_LINE_MAX);
	r = gk_jstr_text(&m[1], &text, &reason);
	if (r == 0)
		(void)gk_str_escaped(ret->reason, sizeof(ret->reason),
		    reason.ptr, reason.len, REASON_MAX);
	gk_buf_done(&text);
	return r;
}
