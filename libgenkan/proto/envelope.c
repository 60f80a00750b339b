/* See envelope.h. */
#include "proto/envelope.h"

#include "codec/field.h"
#include "codec/jstr.h"
#include "codec/walk.h"

#define TOP_MAX	8	/* members of the widest envelope, and some */

static int
fail(struct gk_envelope *ret, int r, const char *why)
{
	ret->why = r == GENKAN_E_NOMEM ? "out of memory" : why;
	return r;
}

/* ------------------------------------------------ extension to broker */

/* The code of a failure: one that an extension may send, or a
 * contradiction. */
static int
read_code(struct genkan_ctx *ctx, const struct gk_member *m,
    enum gk_code *ret)
{
	const struct gk_code_row *row;
	struct gk_buf scratch;
	struct gk_span text;
	int r, code = -1;

	if (m->type == 0) {
		*ret = GK_CODE_EXECUTION_FAILED;
		return 0;
	}
	gk_buf_init(&scratch, ctx, GK_CAPABILITY_MAX);
	r = gk_jstr_text(m, &scratch, &text);
	if (r == 0)
		code = gk_schema_code_find(text.ptr, text.len);
	gk_buf_done(&scratch);
	if (r == GENKAN_E_NOMEM)
		return r;
	row = r == 0 && code > 0 ? gk_schema_code(code) : NULL;
	if (row == NULL || !row->ext)
		return GENKAN_E_PROTOCOL;
	*ret = row->code;
	return 0;
}

static int
read_response(struct genkan_ctx *ctx, const struct gk_scan *scan,
    struct gk_envelope *ret)
{
	static const struct gk_field tab[] = {
		{ "id",    GK_J_INT, 0, 0, 0 },
		{ "ok",    GK_J_BOOL, 0, 0, 0 },
		{ "data",  GK_J_ANY, GK_F_OPTIONAL | GK_F_NULL, 0, 0 },
		{ "error", GK_J_STRING, GK_F_OPTIONAL | GK_F_NULL, 0, 0 },
		{ "code",  GK_J_STRING, GK_F_OPTIONAL | GK_F_NULL, 0, 0 },
	};
	struct gk_response *resp = &ret->u.response;
	struct gk_member m[GK_ARRAY_LEN(tab)];
	int r;

	ret->kind = GK_ENV_RESPONSE;
	r = gk_fields_scan(scan, tab, GK_ARRAY_LEN(tab), false, m, NULL);
	if (r < 0)
		return fail(ret, r, "a response with an unknown, missing or "
		    "mistyped member");
	memset(resp, 0, sizeof(*resp));
	resp->id = m[0].integer;
	resp->ok = m[1].type == GK_J_TRUE;
	if (resp->ok) {
		if (m[3].type != 0 || m[4].type != 0)
			return fail(ret, GENKAN_E_PROTOCOL,
			    "a success with error or code");
		resp->data = m[2].type != 0 ? m[2].value :
		    gk_span("null", 4);
		return 0;
	}
	if (m[2].type != 0 || m[3].type == 0)
		return fail(ret, GENKAN_E_PROTOCOL,
		    "a failure with data or without error");
	resp->error = m[3].value;
	r = read_code(ctx, &m[4], &resp->code);
	return r < 0 ? fail(ret, r, "a failure with a code that is not the "
	    "extension's") : 0;
}

/* One announced name: unknown ones count for nothing, but must be names. */
static int
read_capability(struct genkan_ctx *ctx, const struct gk_member *m,
    uint32_t *bits)
{
	static const struct gk_field name = {
		"capability", GK_J_STRING, 0, 1, GK_CAPABILITY_MAX
	};
	struct gk_buf scratch;
	struct gk_span text;
	int r, cap;

	if (gk_field_check(&name, m) != NULL)
		return GENKAN_E_FRAME_MEMBER;
	gk_buf_init(&scratch, ctx, GK_CAPABILITY_MAX);
	r = gk_jstr_text(m, &scratch, &text);
	if (r == 0 && (cap = gk_schema_cap_find(text.ptr, text.len)) >= 0)
		*bits |= UINT32_C(1) << cap;
	gk_buf_done(&scratch);
	return r;
}

static int
read_hello(struct genkan_ctx *ctx, const struct gk_scan *scan,
    struct gk_envelope *ret)
{
	static const struct gk_field tab[] = {
		{ "type",         GK_J_STRING, 0, 0, 0 },
		{ "protocol",     GK_J_INT, 0, 0, 0 },
		{ "capabilities", GK_J_ARRAY, 0, 0, 0 },
	};
	struct gk_hello *hello = &ret->u.hello;
	struct gk_member m[GK_ARRAY_LEN(tab)], e;
	struct gk_walk walk;
	size_t n = 0;
	int r;

	ret->kind = GK_ENV_HELLO;
	memset(hello, 0, sizeof(*hello));
	/* Of another protocol the number is all that is looked at. */
	r = gk_fields_scan(scan, tab, 2, true, m, NULL);
	if (r < 0)
		return fail(ret, r, "a hello without an integer protocol");
	hello->protocol = m[1].integer;
	if (hello->protocol != GK_BRIDGE_PROTOCOL)
		return 0;

	r = gk_fields_scan(scan, tab, GK_ARRAY_LEN(tab), false, m, NULL);
	if (r == 0) {
		gk_walk_init(&walk, m[2].value);
		while (r == 0 && gk_walk_next(&walk, &e))
			r = ++n > GK_CAPABILITIES_MAX ? GENKAN_E_FRAME_MEMBER :
			    read_capability(ctx, &e, &hello->capabilities);
	}
	return r < 0 ? fail(ret, r, "a malformed hello") : 0;
}

static int
read_waiting(const struct gk_scan *scan, struct gk_envelope *ret)
{
	static const struct gk_field tab[] = {
		{ "type", GK_J_STRING, 0, 0, 0 },
		{ "id",   GK_J_INT, 0, 0, 0 },
	};
	struct gk_member m[GK_ARRAY_LEN(tab)];
	int r;

	ret->kind = GK_ENV_WAITING;
	r = gk_fields_scan(scan, tab, GK_ARRAY_LEN(tab), false, m, NULL);
	if (r < 0)
		return fail(ret, r, "a malformed waiting");
	ret->u.waiting = m[1].integer;
	return 0;
}

int
gk_envelope_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_envelope *ret)
{
	struct gk_member top[TOP_MAX], type;
	struct gk_scan scan;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = gk_scan(ctx, line.ptr, line.len, top, TOP_MAX, &scan);
	if (r < 0)
		return fail(ret, r, "a frame that is no JSON object");
	ret->canonical = scan.canonical;
	if (!gk_scan_find(&scan, "type", &type) || type.type != GK_J_STRING)
		return read_response(ctx, &scan, ret);
	if (gk_jstr_is(&type, "hello"))
		return read_hello(ctx, &scan, ret);
	if (gk_jstr_is(&type, "waiting"))
		return read_waiting(&scan, ret);
	return fail(ret, GENKAN_E_FRAME_TYPE,
	    "a frame of a type that no extension sends");
}

/* ------------------------------------------------ broker to extension */

int
gk_request_write(struct gk_buf *b, int64_t id, const char *op,
    const char *browser, struct gk_span args)
{
	size_t before = b->len;
	int r;

	r = gk_buf_puts(b, "{\"id\":");
	if (r == 0)
		r = gk_json_put_int(b, id);
	if (r == 0)
		r = gk_buf_puts(b, ",\"op\":");
	if (r == 0)
		r = gk_json_put_cstr(b, op);
	if (r == 0)
		r = gk_buf_puts(b, ",\"browser\":");
	if (r == 0)
		r = gk_json_put_cstr(b, browser);
	if (r == 0)
		r = gk_buf_puts(b, ",\"args\":");
	if (r == 0)
		r = gk_buf_put_span(b, args);
	if (r == 0)
		r = gk_buf_puts(b, "}\n");
	if (r < 0)
		gk_buf_truncate(b, before);
	return r;
}

int
gk_cancel_write(struct gk_buf *b, int64_t id)
{
	return gk_buf_putf(b, "{\"type\":\"cancel\",\"id\":%lld}\n",
	    (long long)id);
}

int
gk_request_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_request *ret)
{
	static const struct gk_field tab[] = {
		{ "id",      GK_J_INT, 0, 0, 0 },
		{ "op",      GK_J_STRING, 0, 0, 0 },
		{ "browser", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
		{ "args",    GK_J_OBJECT, 0, 0, 0 },
	};
	struct gk_member top[TOP_MAX], m[GK_ARRAY_LEN(tab)];
	struct gk_scan scan;
	int r;

	r = gk_scan(ctx, line.ptr, line.len, top, TOP_MAX, &scan);
	if (r == 0)
		r = gk_fields_scan(&scan, tab, GK_ARRAY_LEN(tab), false, m,
		    NULL);
	if (r < 0)
		return r;
	ret->id = m[0].integer;
	ret->op = m[1].value;
	ret->browser = m[2].type != 0 ? m[2].value : gk_span(NULL, 0);
	ret->args = m[3].value;
	return 0;
}

int
gk_cancel_read(struct genkan_ctx *ctx, struct gk_span line, int64_t *id)
{
	static const struct gk_field tab[] = {
		{ "type", GK_J_STRING, 0, 0, 0 },
		{ "id",   GK_J_INT, 0, 0, 0 },
	};
	struct gk_member top[TOP_MAX], m[GK_ARRAY_LEN(tab)];
	struct gk_scan scan;
	int r;

	r = gk_scan(ctx, line.ptr, line.len, top, TOP_MAX, &scan);
	if (r == 0)
		r = gk_fields_scan(&scan, tab, GK_ARRAY_LEN(tab), false, m,
		    NULL);
	if (r < 0)
		return r;
	if (!gk_jstr_is(&m[0], "cancel"))
		return GENKAN_E_FRAME_TYPE;
	*id = m[1].integer;
	return 0;
}

/* -------------------------------------------- extension, host, scripts */

int
gk_failure_write(struct gk_buf *b, int64_t id, enum gk_code code,
    const char *text)
{
	const struct gk_code_row *row = gk_schema_code((int)code);
	size_t before = b->len;
	int r;

	r = gk_buf_puts(b, "{\"id\":");
	if (r == 0)
		r = gk_json_put_int(b, id);
	if (r == 0)
		r = gk_json_put_bool_member(b, "ok", false);
	if (r == 0)
		r = gk_json_put_str_member(b, "error", text, strlen(text));
	if (r == 0 && row != NULL)
		r = gk_json_put_str_member(b, "code", row->name,
		    strlen(row->name));
	if (r == 0)
		r = gk_buf_puts(b, "}\n");
	if (r < 0)
		gk_buf_truncate(b, before);
	return r;
}
