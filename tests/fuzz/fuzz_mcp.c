/*
 * One MCP connection, fed line by line.  Properties: a line gets at most one
 * reply, and none without an id unless it is no JSON at all; every line that
 * goes out is one JSON object under the cap that says "jsonrpc":"2.0"; an id
 * comes back only while a request with that id waits for it, byte for byte;
 * and whatever is in flight, nothing but the three ends takes it away.
 *
 * The first byte picks how calls end, line by line; the rest are lines.
 */
#include "fuzz.h"

#include <string.h>

#include "base/ctx.h"
#include "codec/jstr.h"
#include "proto/mcp.h"
#include "proto/queue.h"

static struct genkan_ctx *ctx;
static struct gk_outq q;
static struct gk_mcp *m;
static unsigned how;

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

static void
end_call(struct gk_mcp_call *c, const struct gk_member *id)
{
	static const char data[] = "{ \"text\":\"\\u00e9\", \"a\":[1] }";
	struct gk_mcp_fit fit;
	size_t before = gk_mcp_inflight(m);

	switch (how++ % 5) {
	case 0:		/* stays in flight */
		return;
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
		if (gk_mcp_check(c, &fit) == 1)
			MUST(gk_mcp_success(c, gk_span(data,
			    sizeof(data) - 1), false) == 0);
	}
	MUST(replies(id, true) == 1);
	MUST(gk_mcp_inflight(m) == before - 1);
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
	switch (act.kind) {
	case GK_MCP_CALL:
		MUST(json && id.type != 0 && replies(&id, true) == 0);
		MUST(gk_span_eq(act.call->id, id.value));
		end_call(act.call, &id);
		break;
	case GK_MCP_CANCEL:
		MUST(id.type == 0 && replies(&id, true) == 0);
		gk_mcp_forget(act.call);
		break;
	case GK_MCP_END:
		MUST(replies(&id, true) == 1);
		break;
	case GK_MCP_NONE:
		n = replies(&id, false);
		if (array)
			MUST(n == 1 || gk_mcp_era(m) != GK_MCP_LEGACY);
		if (json && id.type == 0)
			MUST(n == 0);
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
