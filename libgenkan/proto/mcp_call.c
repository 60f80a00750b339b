/* The life of one call on its connection: kept, checked, ended. */
#include "proto/mcp_impl.h"

#include <stdio.h>

#include "base/str.h"

#define SHORT	4096	/* bytes of a result */
#define ROUND	256	/* what goes around it */

static inline struct gk_mcp_item *
item_of(struct gk_mcp_call *call)
{
	return (struct gk_mcp_item *)call;	/* its first member */
}

static struct gk_span
moved(struct gk_span s, const char *from, const char *to)
{
	return s.ptr == NULL ? s : gk_span(to + (s.ptr - from), s.len);
}

int
gk_mcp_keep(struct gk_mcp_call *call)
{
	struct gk_mcp_item *i = item_of(call);
	const char *from = call->line.ptr;

	if (i->kept != NULL)
		return 0;
	i->kept = gk_memdup(i->mcp->ctx, from, call->line.len);
	if (i->kept == NULL)
		return GENKAN_E_NOMEM;
	call->line.ptr = i->kept;
	call->id = moved(call->id, from, i->kept);
	call->params = moved(call->params, from, i->kept);
	return 0;
}

void
gk_mcp_shed(struct gk_mcp_call *call)
{
	struct gk_mcp_item *i = item_of(call);

	gk_free(i->mcp->ctx, i->kept);
	i->kept = NULL;
	call->line = call->id = call->params = gk_span(NULL, 0);
}

static int
unfit(struct gk_mcp_item *i, const char *what, struct gk_span name)
{
	struct gk_mcp *m = i->mcp;
	int r;

	r = gk_mcp_errorf(m, i->id.value, GK_JSONRPC_INVALID_PARAMS, "%s%.*s",
	    what, (int)gk_utf8_cut(name.ptr, name.len, GK_QUOTE_MAX),
	    name.ptr == NULL ? "" : name.ptr);
	gk_mcp_ids_drop(i);
	return r < 0 ? r : 0;
}

/* The catalogue has it: 1, else answered. */
static int
find_tool(struct gk_mcp_item *i, const struct gk_member *name)
{
	struct gk_buf scratch;
	struct gk_span s;
	int r;

	gk_buf_init(&scratch, i->mcp->ctx, name->value.len);
	r = gk_jstr_text(name, &scratch, &s);
	if (r == 0) {
		i->tool = gk_schema_tool(gk_schema_tool_find(s.ptr, s.len));
		r = i->tool != NULL ? 1 : unfit(i, "unknown tool: ", s);
	} else {
		r = gk_mcp_errorf(i->mcp, i->id.value, GK_JSONRPC_INTERNAL,
		    "out of memory");
		gk_mcp_ids_drop(i);
	}
	gk_buf_done(&scratch);
	return r;
}

static int
fit(struct gk_mcp_item *i, const struct gk_member *params,
    const struct gk_mcp_object *o, struct gk_mcp_fit *ret)
{
	struct gk_member name, args;
	struct gk_span none = { NULL, 0 };
	int r;

	if (params->type == 0)
		return unfit(i, "tools/call: params are missing, and with "
		    "them name", none);
	if (params->type != GK_J_OBJECT)
		return unfit(i, "tools/call: params is not an object", none);
	gk_scan_find(&o->scan, "name", &name);
	if (name.type != GK_J_STRING)
		return unfit(i, name.type == 0 ? "tools/call: name is missing" :
		    "tools/call: name is not a string", none);
	gk_scan_find(&o->scan, "arguments", &args);
	if (args.type != 0 && args.type != GK_J_NULL &&
	    args.type != GK_J_OBJECT)
		return unfit(i, "tools/call: arguments is not an object", none);
	r = find_tool(i, &name);
	if (r <= 0)
		return r;
	ret->tool = i->tool;
	ret->arguments = args.type == GK_J_OBJECT ? args.value : none;
	return 1;
}

/* A token as long as no id may be is not kept: it would be the one thing of a
 * call that nothing bounds. */
static void
keep_token(struct gk_mcp_item *i, const struct gk_member *token)
{
	if ((token->type == GK_J_STRING &&
	    token->value.len <= GK_RPC_ID_MAX) ||
	    (token->type == GK_J_INT && token->integer <= GK_INTEGER_MAX &&
	    token->integer >= -GK_INTEGER_MAX)) {
		/* Without memory the call merely shows no progress. */
		i->token = gk_memdup(i->mcp->ctx, token->value.ptr,
		    token->value.len);
		i->token_len = i->token == NULL ? 0 : token->value.len;
	}
}

int
gk_mcp_check(struct gk_mcp_call *call, struct gk_mcp_fit *ret)
{
	struct gk_mcp_item *i = item_of(call);
	struct gk_mcp_object o;
	struct gk_mcp_meta meta;
	struct gk_member params;
	int r;

	memset(&params, 0, sizeof(params));
	if (call->params.ptr != NULL)
		gk_walk_whole(call->params, &params);
	gk_mcp_object_open(&o, &params);
	gk_mcp_meta_read(&o.scan, &meta);
	r = gk_mcp_gate(i->mcp, i->id.value, false, &meta);
	if (r <= 0) {
		gk_mcp_ids_drop(i);
		return r;
	}
	i->modern = gk_mcp_is_modern(i->mcp, &meta);
	r = fit(i, &params, &o, ret);
	if (r <= 0)
		return r;
	i->checked = true;
	keep_token(i, &meta.token);
	return 1;
}

static int
end(struct gk_mcp_item *i, struct gk_buf *b)
{
	struct gk_mcp *m = i->mcp;
	uint64_t handle;
	int r;

	r = gk_mcp_queue(m, b, &handle);
	if (r < 0)
		gk_mcp_ids_drop(i);
	else
		gk_mcp_ids_answered(i, handle);
	return r;
}

static int
open_result(struct gk_buf *b, const struct gk_mcp_item *i, bool modern)
{
	int r;

	r = gk_jsonrpc_result_open(b, i->id.value);
	if (r == 0)
		r = gk_buf_puts(b, modern ?
		    "{\"resultType\":\"complete\",\"content\":[" :
		    "{\"content\":[");
	return r;
}

static int
close_result(struct gk_buf *b, bool error)
{
	int r;

	r = gk_buf_puts(b, error ? "],\"isError\":true}" :
	    "],\"isError\":false}");
	return r == 0 ? gk_jsonrpc_result_close(b) : r;
}

static int
failure_line(struct gk_buf *b, const struct gk_mcp_item *i, bool modern,
    int code, struct gk_span text)
{
	const struct gk_code_row *row = gk_schema_code(code);
	struct gk_buf t;
	int r;

	gk_buf_init(&t, b->ctx, GK_MCP_LINE_OUT_MAX);
	r = gk_buf_putf(&t, "Error [%s]: ", row == NULL ? "INTERNAL_ERROR" :
	    row->name);
	if (r == 0)
		r = gk_buf_put_span(&t, text);
	if (r == 0)
		r = open_result(b, i, modern);
	if (r == 0)
		r = gk_buf_puts(b, "{\"type\":\"text\",\"text\":");
	if (r == 0)
		r = gk_json_put_string(b, (const char *)t.ptr, t.len);
	if (r == 0)
		r = gk_buf_putc(b, '}');
	if (r == 0)
		r = close_result(b, true);
	gk_buf_done(&t);
	return r;
}

static int
fail(struct gk_mcp_item *i, bool modern, int code, struct gk_span text)
{
	struct gk_mcp *m = i->mcp;
	struct gk_buf b;
	char note[128];
	int r;

	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	r = failure_line(&b, i, modern, code, text);
	if (r == GENKAN_E_FRAME_SIZE) {
		gk_buf_clear(&b);
		snprintf(note, sizeof(note), "the result is larger than the "
		    "limit of %d bytes", (int)GK_MCP_LINE_OUT_MAX);
		r = failure_line(&b, i, modern, GK_CODE_PAYLOAD_TOO_LARGE,
		    gk_span_str(note));
	}
	if (r == 0)
		return end(i, &b);
	m->err = r;
	gk_buf_done(&b);
	gk_mcp_ids_drop(i);
	return r;
}

/* Where nobody looked inside the call: as for a bare request, but modern on a
 * stateless connection, which has no bare ones. */
static bool
lost_shape(const struct gk_mcp *m)
{
	return m->era == GK_MCP_STATELESS || m->version == GK_MCP_MODERN;
}

int
gk_mcp_failure(struct gk_mcp_call *call, int code, struct gk_span text)
{
	struct gk_mcp_item *i = item_of(call);

	return fail(i, i->checked ? i->modern : lost_shape(i->mcp), code,
	    text);
}

int
gk_mcp_lost(struct gk_mcp_call *call, int code, struct gk_span text)
{
	struct gk_mcp_item *i = item_of(call);

	return fail(i, lost_shape(i->mcp), code, text);
}

int
gk_mcp_success(struct gk_mcp_call *call, struct gk_span data, bool canonical)
{
	struct gk_mcp_item *i = item_of(call);
	struct gk_mcp *m = i->mcp;
	struct gk_buf b;
	uint8_t *whole;
	char note[128];
	int r;

	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	/* A short one at once: each byte of it may have to be quoted. */
	if (data.len <= SHORT)
		(void)gk_buf_reserve(&b, 2 * data.len + ROUND +
		    i->id.value.len, &whole);
	r = open_result(&b, i, i->modern);
	if (r == 0)
		r = gk_mcp_render(&b, i->tool, data, canonical);
	if (r == 0)
		r = close_result(&b, false);
	if (r == 0)
		return end(i, &b);
	gk_buf_done(&b);
	if (r == GENKAN_E_FRAME_SIZE) {
		snprintf(note, sizeof(note), "the result of %zu bytes does "
		    "not fit the limit of %d bytes", data.len,
		    (int)GK_MCP_LINE_OUT_MAX);
		return fail(i, i->modern, GK_CODE_PAYLOAD_TOO_LARGE,
		    gk_span_str(note));
	}
	return fail(i, i->modern, GK_CODE_INTERNAL_ERROR,
	    gk_span_str("out of memory for the result"));
}

int
gk_mcp_relayed(struct gk_mcp_call *call, struct gk_span line,
    struct gk_span id)
{
	struct gk_mcp_item *i = item_of(call);
	struct gk_mcp *m = i->mcp;
	size_t before = (size_t)(id.ptr - line.ptr);
	size_t behind = line.len - before - id.len;
	struct gk_span v[4];
	uint64_t handle;

	if (before + behind + i->id.value.len + 1 > GK_MCP_LINE_OUT_MAX)
		return gk_mcp_lost(call, GK_CODE_PAYLOAD_TOO_LARGE,
		    gk_span_str("the result is larger than the limit of a "
		    "line"));
	v[0] = gk_span(line.ptr, before);
	v[1] = i->id.value;
	v[2] = gk_span(id.ptr + id.len, behind);
	v[3] = gk_span("\n", 1);
	if (gk_outq_putv(m->out, v, GK_ARRAY_LEN(v), &handle) < 0)
		return gk_mcp_lost(call, GK_CODE_INTERNAL_ERROR,
		    gk_span_str("out of memory for the result"));
	gk_mcp_ids_answered(i, handle);
	return 0;
}

void
gk_mcp_forget(struct gk_mcp_call *call)
{
	gk_mcp_ids_drop(item_of(call));
}

int
gk_mcp_progress(struct gk_mcp_call *call)
{
	struct gk_mcp_item *i = item_of(call);
	struct gk_mcp *m = i->mcp;
	int64_t now = gk_now(m->ctx);
	struct gk_buf b;
	int r;

	if (i->token == NULL || (i->progress > 0 &&
	    now - i->progress_at < GK_PROGRESS_MS))
		return 0;
	i->progress_at = now;
	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	r = gk_buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/progress\",\"params\":{\"progressToken\":");
	if (r == 0)
		r = gk_buf_put(&b, i->token, i->token_len);
	if (r == 0)
		r = gk_buf_putf(&b, ",\"progress\":%llu,\"message\":\"waiting "
		    "for the user to approve in the browser\"}}\n",
		    (unsigned long long)++i->progress);
	if (r == 0)
		return gk_mcp_queue(m, &b, NULL);
	/* Progress is a courtesy; the reply will show what is wrong. */
	gk_buf_done(&b);
	return 0;
}
