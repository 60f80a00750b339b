/*
 * One MCP connection, fed line by line.  Properties: what has an id gets one
 * reply, at once unless it is a call; an object without one gets none, a batch
 * one; nothing is answered or handed on once the connection was closed; every
 * line that goes out is one JSON object under the cap that says
 * "jsonrpc":"2.0"; an id comes back only while a request with that id waits for
 * it, byte for byte; progress names the token that was asked for; and whatever
 * is in flight, nothing but the three ends takes it away.
 *
 * The first byte says which calls stay in flight, a bit each; the rest are
 * lines.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "codec/jstr.h"
#include "proto/mcp.h"
#include "proto/queue.h"

static struct genkan_ctx *ctx;
static struct gk_outq q;
static struct gk_mcp *m;
static unsigned how, calls;
static bool closed;
static struct gk_span flying[64];	/* ids of calls that were left so */
static size_t nflying;

/* What the line itself says; type 0 where it has none. */
static struct gk_member
id_of(const char *line, size_t len, bool *json, bool *array)
{
	struct gk_member top[8], id;
	struct gk_scan s;

	memset(&id, 0, sizeof(id));
	*json = gk_scan(ctx, line, len, top, 8, &s) == 0;
	*array = !*json && s.why == GK_SCAN_TOP && s.top == GK_J_ARRAY;
	if (*json && gk_scan_find(&s, "id", &id) && id.type == GK_J_NULL)
		memset(&id, 0, sizeof(id));
	return id;
}

/* Takes what went out: at most one reply, for this id. */
static size_t
replies(const struct gk_member *want, bool must_have_id)
{
	struct gk_member top[8], v;
	struct gk_scan s;
	const void *p;
	size_t len, n = 0;

	while (gk_outq_output(&q, &p, &len)) {
		MUST(len <= GK_MCP_LINE_OUT_MAX);
		MUST(((const char *)p)[len - 1] == '\n');
		MUST(memchr(p, '\n', len - 1) == NULL);
		MUST(gk_scan(ctx, p, len - 1, top, 8, &s) == 0);
		MUST(gk_scan_find(&s, "jsonrpc", &v) && gk_jstr_is(&v, "2.0"));
		MUST(gk_scan_find(&s, "result", &v) !=
		    gk_scan_find(&s, "error", &v));
		if (gk_scan_find(&s, "id", &v) && v.type != GK_J_NULL)
			MUST(gk_span_eq(v.value, want->value));
		else
			MUST(!must_have_id);
		gk_outq_wrote(&q, len);
		n++;
	}
	MUST(n <= 1);
	return n;
}

/* The token of a call's _meta as it stands there, if it may be one. */
static struct gk_span
token_of(const struct gk_mcp_call *c)
{
	struct gk_member meta, token;
	struct gk_scan s;

	if (c->params.ptr == NULL || *c->params.ptr != '{')
		return gk_span(NULL, 0);
	gk_scan_object(c->params, NULL, 0, &s);
	if (!gk_scan_find(&s, "_meta", &meta) || meta.type != GK_J_OBJECT)
		return gk_span(NULL, 0);
	gk_scan_object(meta.value, NULL, 0, &s);
	if (!gk_scan_find(&s, "progressToken", &token) ||
	    (token.type != GK_J_STRING && (token.type != GK_J_INT ||
	    token.integer > GK_INTEGER_MAX ||
	    token.integer < -GK_INTEGER_MAX)))
		return gk_span(NULL, 0);
	return token.value;
}

/* May gk_mcp_check() find that it fits?  Only names and types. */
static bool
may_fit(const struct gk_mcp_call *c)
{
	struct gk_member v;
	struct gk_scan s;

	if (c->params.ptr == NULL || *c->params.ptr != '{')
		return false;
	gk_scan_object(c->params, NULL, 0, &s);
	if (!gk_scan_find(&s, "name", &v) || v.type != GK_J_STRING)
		return false;
	return !gk_scan_find(&s, "arguments", &v) ||
	    (v.type & (GK_J_OBJECT | GK_J_NULL)) != 0;
}

static int
check(struct gk_mcp_call *c, struct gk_mcp_fit *ret)
{
	const bool may = may_fit(c);
	const int r = gk_mcp_check(c, ret);

	MUST(r == 0 || (r == 1 && may && ret->tool != NULL));
	return r;
}

/* At most one line, with the token of the call. */
static void
progress(struct gk_mcp_call *c)
{
	const struct gk_span token = token_of(c);
	struct gk_member top[8], params, v;
	struct gk_scan s;
	const void *p;
	size_t len;

	MUST(gk_mcp_progress(c) == 0);
	if (!gk_outq_output(&q, &p, &len))
		return;
	MUST(gk_scan(ctx, p, len - 1, top, 8, &s) == 0);
	MUST(gk_scan_find(&s, "method", &v) &&
	    gk_jstr_is(&v, "notifications/progress"));
	MUST(gk_scan_find(&s, "params", &params));
	gk_scan_object(params.value, NULL, 0, &s);
	MUST(gk_scan_find(&s, "progressToken", &v) && token.ptr != NULL &&
	    gk_span_eq(v.value, token));
	gk_outq_wrote(&q, len);
	MUST(!gk_outq_output(&q, &p, &len));
}

static void
end_call(struct gk_mcp_call *c, const struct gk_member *id)
{
	static const char data[] = "{ \"text\":\"\\u00e9\", \"a\":[1] }";
	struct gk_mcp_fit fit;
	size_t before = gk_mcp_inflight(m);

	if ((how >> calls++ % 8 & 1) != 0) {	/* stays in flight */
		progress(c);
		if (check(c, &fit) == 1) {
			progress(c);
			if (nflying < GK_ARRAY_LEN(flying))
				flying[nflying++] = id->value;
		} else {
			MUST(replies(id, true) == 1);
		}
		return;
	}
	switch (calls % 4) {
	case 1:
		gk_mcp_forget(c);
		MUST(gk_mcp_inflight(m) == before - 1);
		MUST(replies(id, true) == 0);
		return;
	case 2:
		MUST(gk_mcp_lost(c, GK_CODE_CONNECTION_LOST,
		    gk_span("\xff\"", 2)) == 0);
		break;
	case 3:
		MUST(gk_mcp_keep(c) == 0);
		/* FALLTHROUGH */
	default:
		if (check(c, &fit) == 1)
			MUST(gk_mcp_success(c, gk_span(data,
			    sizeof(data) - 1), false) == 0);
	}
	MUST(replies(id, true) == 1);
	MUST(gk_mcp_inflight(m) == before - 1);
}

/* The call with this id does not fly any more. */
static void
land(struct gk_span id)
{
	size_t i;

	for (i = 0; i < nflying; i++)
		if (gk_span_eq(flying[i], id)) {
			flying[i] = flying[--nflying];
			return;
		}
}

static void
one_line(const char *line, size_t len)
{
	struct gk_mcp_act act;
	struct gk_member id;
	bool json, array;
	size_t n;

	id = id_of(line, len, &json, &array);
	MUST(gk_mcp_line(m, line, len, &act) == 0);
	MUST(!closed || act.kind == GK_MCP_NONE);
	switch (act.kind) {
	case GK_MCP_CALL:
		MUST(json && id.type != 0 && replies(&id, true) == 0);
		MUST(gk_span_eq(act.call->id, id.value));
		for (n = 0; n < nflying; n++)
			MUST(!gk_span_eq(flying[n], id.value));
		end_call(act.call, &id);
		break;
	case GK_MCP_CANCEL:
		MUST(id.type == 0 && replies(&id, true) == 0);
		land(act.call->id);
		gk_mcp_forget(act.call);
		break;
	case GK_MCP_END:
		MUST(replies(&id, true) == 1);
		closed = true;
		break;
	case GK_MCP_NONE:
		n = replies(&id, false);
		MUST(!array || n == !closed);
		MUST(!json || n == (id.type != 0 && !closed));
		MUST(!closed || n == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p, *end, *lf;
	size_t len;

	if (size < 1 || gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	gk_outq_init(&q, ctx, SIZE_MAX);
	m = gk_mcp_new(ctx, &q);
	MUST(m != NULL);
	how = data[0];
	calls = 0;
	closed = false;
	nflying = 0;
	end = (const char *)data + size;
	for (p = (const char *)data + 1; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (lf == NULL)
			lf = end;
		len = (size_t)(lf - p);
		if (len > 0)
			one_line(p, len);
	}
	gk_mcp_free(m);
	gk_outq_clear(&q);
	gk_ctx_free(ctx);
	return 0;
}

FZ_LINES_MUTATOR(1)
