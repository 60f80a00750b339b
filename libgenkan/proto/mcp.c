#include "proto/mcp_impl.h"

#define NMEMBERS	8	/* of a frame that clients send; more are found too */

struct gk_mcp *
gk_mcp_new(struct genkan_ctx *ctx, struct gk_outq *out)
{
	struct gk_mcp *m;

	m = gk_calloc(ctx, 1, sizeof(*m));
	if (m == NULL)
		return NULL;
	m->ctx = ctx;
	m->out = out;
	m->version = -1;
	gk_buf_init(&m->tools, ctx, GK_MCP_LINE_OUT_MAX);
	return m;
}

void
gk_mcp_free(struct gk_mcp *m)
{
	if (m == NULL)
		return;
	while (m->nids > 0)
		gk_mcp_ids_drop(m->item[m->nids - 1]);
	gk_free(m->ctx, m->hash);
	gk_free(m->ctx, m->item);
	gk_buf_done(&m->tools);
	gk_free(m->ctx, m);
}

enum gk_mcp_era
gk_mcp_era(const struct gk_mcp *m)
{
	return m->era;
}

const char *
gk_mcp_version(const struct gk_mcp *m)
{
	return m->era == GK_MCP_LEGACY ? gk_mcp_version_name(m->version) : NULL;
}

int
gk_mcp_error(const struct gk_mcp *m)
{
	return m->err;
}

/* At most so many in any second: the oldest of the last ten must be that old. */
static bool
may_answer_parse_error(struct gk_mcp *m)
{
	int64_t now = gk_now(m->ctx);
	unsigned i = m->nparsed % GK_PARSE_ERRORS_PER_S;

	if (m->nparsed >= GK_PARSE_ERRORS_PER_S && now - m->parsed[i] < 1000)
		return false;
	m->parsed[i] = now;
	/* Only whether the ring is full and where it stands matter. */
	if (++m->nparsed == 2 * GK_PARSE_ERRORS_PER_S)
		m->nparsed = GK_PARSE_ERRORS_PER_S;
	return true;
}

static int
refuse_text(struct gk_mcp *m, const struct gk_scan *s)
{
	if (s->why == GK_SCAN_TOP && s->top == GK_J_ARRAY)
		return gk_mcp_errorf(m, gk_mcp_no_id(m),
		    GK_JSONRPC_INVALID_REQUEST,
		    "invalid request: a batch is not supported");
	if (!may_answer_parse_error(m))
		return 0;
	return gk_mcp_errorf(m, gk_mcp_no_id(m), GK_JSONRPC_PARSE,
	    "parse error: %s at byte %zu", gk_scan_why_text(s->why), s->at);
}

int
gk_mcp_overlong(struct gk_mcp *m)
{
	if (m->err < 0 || m->ended)
		return m->err;
	return gk_mcp_errorf(m, gk_mcp_no_id(m), GK_JSONRPC_PARSE,
	    "parse error: line longer than %d bytes", (int)GK_MCP_LINE_IN_MAX);
}

/* NULL for an id that can be echoed, or the reason why it cannot. */
static const char *
id_offence(const struct gk_member *id)
{
	if (id->type == GK_J_STRING)
		return id->value.len - 2 > GK_RPC_ID_MAX &&
		    gk_jstr_len(id->value) > GK_RPC_ID_MAX ?
		    "id is too long" : NULL;
	if (id->type != GK_J_INT)
		return "id is neither a string nor an integer";
	if (id->integer > GK_INTEGER_MAX || id->integer < -GK_INTEGER_MAX)
		return "id is out of range";
	return NULL;
}

/* Rows of 10.3 below the id's own; NULL for a frame that is a valid one. */
static const char *
offence(const struct gk_mcp_frame *f)
{
	if (!gk_jstr_is(&f->jsonrpc, "2.0"))
		return "jsonrpc is not \"2.0\"";
	if (f->result.type != 0 || f->error.type != 0)
		return "a response is not expected here";
	if (f->method.type != GK_J_STRING)
		return "method is missing or no string";
	return NULL;
}

static void
frame_read(const struct gk_scan *s, struct gk_mcp_frame *f)
{
	static const char *const names[GK_ARRAY_LEN(f->top)] = {
		"jsonrpc", "id", "method", "params", "result", "error"
	};

	(void)gk_scan_pick(s, names, GK_ARRAY_LEN(names), f->top);
	if (f->id.type == GK_J_NULL)
		memset(&f->id, 0, sizeof(f->id));
	if (f->params.type == GK_J_NULL)
		memset(&f->params, 0, sizeof(f->params));
	f->which = gk_mcp_method_find(&f->method);
}

static int
request_invalid(struct gk_mcp *m, struct gk_span id, const char *why)
{
	return gk_mcp_errorf(m, id, GK_JSONRPC_INVALID_REQUEST,
	    "invalid request: %s", why);
}

/* 1: a valid frame; 0: dealt with; < 0. */
static int
frame_check(struct gk_mcp *m, const struct gk_mcp_frame *f)
{
	struct gk_mcp_item *item;
	const char *why;
	int r;

	if (f->id.type != 0 && (why = id_offence(&f->id)) != NULL)
		return request_invalid(m, gk_mcp_no_id(m), why);
	why = offence(f);
	if (f->id.type == 0)
		return why == NULL;
	if (why != NULL)
		return request_invalid(m, f->id.value, why);
	r = gk_mcp_ids_find(m, &f->id, &item);
	if (r < 0)
		return gk_mcp_errorf(m, f->id.value, GK_JSONRPC_INTERNAL,
		    "out of memory");
	if (r > 0)
		return request_invalid(m, f->id.value,
		    "a call with this id is in flight");
	return 1;
}

static void
notification(struct gk_mcp *m, const struct gk_mcp_frame *f,
    struct gk_mcp_act *ret)
{
	struct gk_mcp_item *item;
	struct gk_member id;

	if (!gk_jstr_is(&f->method, "notifications/cancelled") ||
	    !gk_mcp_object_get(&f->params, "requestId", &id) ||
	    (id.type != GK_J_STRING && id.type != GK_J_INT) ||
	    gk_mcp_ids_find(m, &id, &item) != 1 || item->answered)
		return;
	ret->kind = GK_MCP_CANCEL;
	ret->call = &item->call;
}

static int
call_begin(struct gk_mcp *m, struct gk_span line, const struct gk_mcp_frame *f,
    struct gk_mcp_act *ret)
{
	struct gk_mcp_item *item;
	int r;

	r = gk_mcp_ids_add(m, &f->id, &item);
	if (r < 0)
		return gk_mcp_errorf(m, f->id.value, GK_JSONRPC_INTERNAL,
		    "out of memory");
	item->call.read_at = gk_now(m->ctx);
	item->call.line = line;
	item->call.id = f->id.value;
	item->call.params = f->params.value;
	ret->kind = GK_MCP_CALL;
	ret->call = &item->call;
	return 0;
}

static int
request(struct gk_mcp *m, struct gk_span line, const struct gk_mcp_frame *f,
    struct gk_mcp_act *ret)
{
	bool call = f->which == GK_MCP_M_CALL;
	int r;

	if (m->era == GK_MCP_UNOPENED) {
		r = gk_mcp_open(m, f, ret, &call);
		if (r < 0 || !call)
			return r;
	}
	return call ? call_begin(m, line, f, ret) : gk_mcp_serve(m, f, ret);
}

int
gk_mcp_line(struct gk_mcp *m, const void *line, size_t len,
    struct gk_mcp_act *ret)
{
	struct gk_member member[NMEMBERS];
	struct gk_mcp_frame f;
	struct gk_scan s;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (m->err < 0 || m->ended)
		return m->err;
	gk_mcp_ids_reap(m);
	r = gk_scan(m->ctx, line, len, member, NMEMBERS, &s);
	if (r == GENKAN_E_NOMEM)
		return gk_mcp_errorf(m, gk_mcp_no_id(m), GK_JSONRPC_INTERNAL,
		    "out of memory");
	if (r < 0)
		return refuse_text(m, &s);
	frame_read(&s, &f);
	r = frame_check(m, &f);
	if (r <= 0)
		return r;
	if (f.id.type == 0) {
		notification(m, &f, ret);
		return 0;
	}
	r = request(m, gk_span(line, len), &f, ret);
	if (m->ended)
		ret->kind = GK_MCP_END;
	return r;
}
