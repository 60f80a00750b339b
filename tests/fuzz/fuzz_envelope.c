/*
 * Frames of the bridge as lines.  Property: what is read points into the line,
 * obeys 8.3 and 8.5, and says why when it is refused; a line in its one form
 * is read the same.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/buf.h"
#include "base/ctx.h"
#include "codec/scan.h"
#include "codec/walk.h"
#include "proto/envelope.h"

static bool
inside(struct gk_span s, struct gk_span line)
{
	return s.ptr >= line.ptr && s.ptr + s.len <= line.ptr + line.len;
}

/* Is there such a member?  null is none. */
static bool
has(struct genkan_ctx *ctx, struct gk_span line, const char *name)
{
	struct gk_member m;
	struct gk_scan scan;

	MUST(gk_scan(ctx, line.ptr, line.len, NULL, 0, &scan) == 0);
	return gk_scan_find(&scan, name, &m) && m.type != GK_J_NULL;
}

static void
check_response(struct genkan_ctx *ctx, const struct gk_response *r,
    struct gk_span line)
{
	const struct gk_code_row *row;

	MUST(has(ctx, line, "error") == !r->ok);
	MUST(!r->ok || !has(ctx, line, "code"));
	MUST(r->ok || !has(ctx, line, "data"));

	MUST(r->id >= -GK_INTEGER_MAX && r->id <= GK_INTEGER_MAX);
	if (r->ok) {
		MUST(r->data.len > 0);
		MUST(inside(r->data, line) || gk_span_is(r->data, "null"));
		return;
	}
	MUST(inside(r->error, line) && r->error.len >= 2);
	MUST(r->error.ptr[0] == '"' && r->error.ptr[r->error.len - 1] == '"');
	row = gk_schema_code((int)r->code);
	MUST(row != NULL && row->ext);
}

/* How many capabilities it lists. */
static size_t
names(struct genkan_ctx *ctx, struct gk_span line)
{
	struct gk_member m;
	struct gk_scan scan;

	MUST(gk_scan(ctx, line.ptr, line.len, NULL, 0, &scan) == 0);
	MUST(gk_scan_find(&scan, "capabilities", &m));
	return gk_walk_count(m.value);
}

static uint64_t
check(struct genkan_ctx *ctx, struct gk_span line, int *ret)
{
	struct gk_envelope e;
	uint64_t h = FOLD_START;

	*ret = gk_envelope_read(ctx, line, &e);
	MUST((*ret < 0) == (e.why != NULL));
	if (*ret < 0)
		return h;
	h = fold(h, &e.kind, sizeof(e.kind));
	switch (e.kind) {
	case GK_ENV_RESPONSE:
		check_response(ctx, &e.u.response, line);
		h = fold(h, &e.u.response.id, sizeof(e.u.response.id));
		h = fold(h, &e.u.response.code, sizeof(e.u.response.code));
		break;
	case GK_ENV_HELLO:
		MUST(e.u.hello.protocol == GK_BRIDGE_PROTOCOL ||
		    e.u.hello.capabilities == 0);
		MUST(e.u.hello.capabilities >> GK_CAP_END == 0);
		MUST(e.u.hello.protocol != GK_BRIDGE_PROTOCOL ||
		    names(ctx, line) <= GK_CAPABILITIES_MAX);
		h = fold(h, &e.u.hello, sizeof(e.u.hello));
		break;
	case GK_ENV_WAITING:
		h = fold(h, &e.u.waiting, sizeof(e.u.waiting));
		break;
	}
	return h;
}

static void
check_request(struct genkan_ctx *ctx, struct gk_span line)
{
	struct gk_request q, again;
	struct gk_buf out;
	int64_t id;

	if (gk_request_read(ctx, line, &q) == 0 && q.browser.ptr == NULL) {
		gk_buf_init(&out, ctx, line.len + 256);
		MUST(gk_request_write(&out, q.id, "op", "b", q.args) == 0);
		MUST(gk_request_read(ctx, gk_span(out.ptr, out.len - 1),
		    &again) == 0);
		MUST(again.id == q.id && gk_span_eq(again.args, q.args));
		gk_buf_done(&out);
	}
	if (gk_cancel_read(ctx, line, &id) == 0)
		MUST(id >= -GK_INTEGER_MAX && id <= GK_INTEGER_MAX);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_span line = gk_span(data, size);
	struct genkan_ctx *ctx;
	struct gk_scan scan;
	struct gk_buf compact;
	int r, again;
	uint64_t h;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	h = check(ctx, line, &r);
	check_request(ctx, line);
	if (gk_scan(ctx, data, size, NULL, 0, &scan) == 0) {
		gk_buf_init(&compact, ctx, size);
		MUST(gk_scan_compact(&compact, scan.text) == 0);
		MUST(h == check(ctx, gk_buf_span(&compact), &again));
		MUST(r == again);
		gk_buf_done(&compact);
	}
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
