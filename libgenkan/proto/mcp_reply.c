/*
 * Reply lines (10.7), each built once and moved into the queue.  A reply that
 * cannot be made leaves the client waiting for ever, so that ends the
 * connection: m->err.
 */
#include "proto/mcp_impl.h"

#include "genkan/version.h"

#define SERVER_INFO	"{\"name\":\"genkan\",\"version\":\"" GENKAN_VERSION "\"}"
#define CAPABILITIES	"\"capabilities\":{\"tools\":{}}"

/* Takes the buffer whatever comes of it. */
int
gk_mcp_queue(struct gk_mcp *m, struct gk_buf *b, uint64_t *handle)
{
	int r;

	r = gk_outq_move(m->out, b, handle);
	if (r < 0)
		m->err = r;
	gk_buf_done(b);
	return r;
}

/* r: how building went. */
static int
finish(struct gk_mcp *m, struct gk_buf *b, int r)
{
	if (r == 0)
		return gk_mcp_queue(m, b, NULL);
	m->err = r;
	gk_buf_done(b);
	return r;
}

/* An id that cannot be echoed: null, and on a stateless connection nothing. */
struct gk_span
gk_mcp_no_id(const struct gk_mcp *m)
{
	return m->era == GK_MCP_STATELESS ? gk_span(NULL, 0) :
	    gk_span_str("null");
}

int
gk_mcp_error_reply(struct gk_mcp *m, struct gk_span id, int code,
    struct gk_span message, struct gk_span data)
{
	struct gk_buf b;

	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	return finish(m, &b, gk_jsonrpc_error(&b, id, code, message, data));
}

int
gk_mcp_errorf(struct gk_mcp *m, struct gk_span id, int code,
    const char *fmt, ...)
{
	struct gk_buf text;
	va_list ap;
	int r;

	gk_buf_init(&text, m->ctx, 4096);
	va_start(ap, fmt);
	r = gk_buf_vputf(&text, fmt, ap);
	va_end(ap);
	if (r < 0)
		m->err = r;
	else
		r = gk_mcp_error_reply(m, id, code, gk_buf_span(&text),
		    gk_span(NULL, 0));
	gk_buf_done(&text);
	return r;
}

static int
result(struct gk_mcp *m, struct gk_span id, const char *body)
{
	struct gk_buf b;

	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	return finish(m, &b, gk_jsonrpc_result(&b, id, gk_span_str(body)));
}

int
gk_mcp_pong(struct gk_mcp *m, struct gk_span id)
{
	return result(m, id, "{}");
}

int
gk_mcp_initialized(struct gk_mcp *m, struct gk_span id, int version)
{
	struct gk_buf b;
	int r;

	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	r = gk_jsonrpc_result_open(&b, id);
	if (r == 0)
		r = gk_buf_putf(&b, "{\"protocolVersion\":\"%s\"," CAPABILITIES
		    ",\"serverInfo\":" SERVER_INFO "}",
		    gk_mcp_version_name(version));
	if (r == 0)
		r = gk_jsonrpc_result_close(&b);
	return finish(m, &b, r);
}

/* How long a client may keep it: the answers never change. */
static int
put_cache_hint(struct gk_buf *b)
{
	return gk_buf_putf(b, "\"ttlMs\":%d,\"cacheScope\":\"%s\",",
	    (int)GK_CACHE_TTL_MS, gk_schema_ident(GK_IDENT_CACHE_SCOPE));
}

static int
put_versions(struct gk_buf *b)
{
	int i, r = 0;

	for (i = 0; r == 0 && i < GK_MCP_VERSIONS; i++)
		r = gk_buf_putf(b, "%s\"%s\"",
		    i == 0 ? "\"supportedVersions\":[" : ",",
		    gk_mcp_version_name(i));
	return r == 0 ? gk_buf_puts(b, "]," CAPABILITIES ",") : r;
}

int
gk_mcp_discovered(struct gk_mcp *m, struct gk_span id, bool modern)
{
	struct gk_buf b;
	int r;

	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	r = gk_jsonrpc_result_open(&b, id);
	if (r == 0)
		r = gk_buf_puts(&b, modern ? "{\"resultType\":\"complete\"," :
		    "{");
	if (r == 0)
		r = put_versions(&b);
	if (r == 0 && modern)
		r = put_cache_hint(&b);
	if (r == 0)
		r = gk_buf_putf(&b, "\"_meta\":{\"%s\":" SERVER_INFO "}}",
		    gk_schema_ident(GK_IDENT_META_SERVER_INFO));
	if (r == 0)
		r = gk_jsonrpc_result_close(&b);
	return finish(m, &b, r);
}

static int
tools_write(struct gk_buf *b)
{
	const char *text;
	size_t len;
	int i, r = 0;

	for (i = 0; r == 0 && i < GK_TOOL_END; i++) {
		text = gk_schema_tool_json(i, &len);
		r = gk_buf_putc(b, i == 0 ? '[' : ',');
		if (r == 0)
			r = gk_buf_put(b, text, len);
	}
	return r == 0 ? gk_buf_putc(b, ']') : r;
}

/* The catalogue never changes, so its text is made once for a connection;
 * the two shapes differ only in what stands in front of it. */
int
gk_mcp_listed(struct gk_mcp *m, struct gk_span id, bool modern)
{
	struct gk_buf b;
	int r = 0;

	if (m->tools.len == 0)
		r = tools_write(&m->tools);
	gk_buf_init(&b, m->ctx, GK_MCP_LINE_OUT_MAX);
	if (r == 0)
		r = gk_jsonrpc_result_open(&b, id);
	if (r == 0)
		r = gk_buf_putc(&b, '{');
	if (r == 0 && modern)
		r = gk_buf_puts(&b, "\"resultType\":\"complete\",");
	if (r == 0 && modern)
		r = put_cache_hint(&b);
	if (r == 0)
		r = gk_buf_puts(&b, "\"tools\":");
	if (r == 0)
		r = gk_buf_put_span(&b, gk_buf_span(&m->tools));
	if (r == 0)
		r = gk_buf_putc(&b, '}');
	if (r == 0)
		r = gk_jsonrpc_result_close(&b);
	return finish(m, &b, r);
}

/* The line by which a relay opens its own leg as its harness opened this. */
int
gk_mcp_opener(const struct gk_mcp *m, struct gk_buf *ret)
{
	if (m->era == GK_MCP_LEGACY)
		return gk_buf_putf(ret, "{\"jsonrpc\":\"2.0\",\"id\":0,"
		    "\"method\":\"initialize\",\"params\":{"
		    "\"protocolVersion\":\"%s\",\"capabilities\":{},"
		    "\"clientInfo\":" SERVER_INFO "}}\n",
		    gk_mcp_version_name(m->version));
	if (m->era == GK_MCP_STATELESS)
		return gk_buf_putf(ret, "{\"jsonrpc\":\"2.0\",\"id\":0,"
		    "\"method\":\"server/discover\",\"params\":{\"_meta\":{"
		    "\"%s\":\"%s\",\"%s\":{}}}}\n",
		    gk_schema_ident(GK_IDENT_META_VERSION),
		    gk_mcp_version_name(GK_MCP_MODERN),
		    gk_schema_ident(GK_IDENT_META_CAPABILITIES));
	return GENKAN_E_STATE;
}
