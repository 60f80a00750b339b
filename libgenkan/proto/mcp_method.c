/*
 * The opener (10.4), the version gate (10.5) and the methods that the server
 * answers by itself (10.6), in the order of those tables.
 */
#include "proto/mcp_impl.h"

#include "base/str.h"

/*
 * Bare as the opener rule has it: no version at all.  A version that is
 * mistyped does not open a connection, though later it counts as bare.
 */
static bool
is_keyless(const struct gk_mcp_meta *meta)
{
	return meta->version.type == 0;
}

static int
meta_missing(struct gk_mcp *m, struct gk_span id,
    const struct gk_mcp_meta *meta)
{
	bool version = meta->version.type != GK_J_STRING;
	bool caps = meta->caps.type != GK_J_OBJECT;

	return gk_mcp_errorf(m, id, GK_JSONRPC_INVALID_PARAMS,
	    "request _meta is missing or has malformed required fields: "
	    "%s%s%s", version ? gk_schema_ident(GK_IDENT_META_VERSION) : "",
	    version && caps ? ", " : "",
	    caps ? gk_schema_ident(GK_IDENT_META_CAPABILITIES) : "");
}

static int
init_missing(struct gk_mcp *m, struct gk_span id, unsigned bits)
{
	static const char *const key[] = {
		"protocolVersion", "capabilities", "clientInfo"
	};
	const char *part[3] = { "", "", "" };
	size_t i, n = 0;

	for (i = 0; i < GK_ARRAY_LEN(key); i++)
		if (bits & 1u << i)
			part[n++] = key[i];
	return gk_mcp_errorf(m, id, GK_JSONRPC_INVALID_PARAMS,
	    "initialize params are missing or have malformed required fields: "
	    "%s%s%s%s%s", part[0], n > 1 ? ", " : "", part[1],
	    n > 2 ? ", " : "", part[2]);
}

/* Answered with what was asked for where that is supported. */
static int
negotiate(struct gk_mcp *m, const struct gk_mcp_frame *f,
    struct gk_mcp_act *ret)
{
	struct gk_member v;
	int version;

	gk_mcp_object_get(&f->params, "protocolVersion", &v);
	version = gk_mcp_version_find(&v);
	if (version < 0)
		version = GK_MCP_FALLBACK;
	if (m->era != GK_MCP_STATELESS) {
		ret->opened = m->version != version;
		m->era = GK_MCP_LEGACY;
		m->version = version;
	}
	return gk_mcp_initialized(m, f->id.value, version);
}

static bool
params_fit(const struct gk_mcp_frame *f)
{
	switch (f->which) {
	case GK_MCP_M_INITIALIZE:
		return gk_mcp_init_offends(&f->params) == 0;
	case GK_MCP_M_DISCOVER:
		return f->params.type == GK_J_OBJECT;
	case GK_MCP_M_PING:
	case GK_MCP_M_LIST:
		return f->params.type == 0 || f->params.type == GK_J_OBJECT;
	default:
		return false;
	}
}

/*
 * The first request of a connection that is not a bare ping.  *call stays set
 * if the connection is open now and the frame a call; a frame that opened a
 * connection and is something else has been served here.
 */
int
gk_mcp_open(struct gk_mcp *m, const struct gk_mcp_frame *f,
    struct gk_mcp_act *ret, bool *call)
{
	bool init = f->which == GK_MCP_M_INITIALIZE;
	struct gk_mcp_object params;
	struct gk_mcp_meta meta;

	*call = false;
	gk_mcp_object_open(&params, &f->params);
	gk_mcp_meta_read(&params.scan, &meta);
	if (f->which == GK_MCP_M_PING && params_fit(f) && is_keyless(&meta))
		return gk_mcp_pong(m, f->id.value);
	if (init && params_fit(f))
		return negotiate(m, f, ret);
	if (!init && meta.complete) {
		m->era = GK_MCP_STATELESS;
		ret->opened = true;
		*call = f->which == GK_MCP_M_CALL;
		return *call ? 0 : gk_mcp_serve(m, f, ret);
	}
	m->ended = true;
	return init ? init_missing(m, f->id.value,
	    gk_mcp_init_offends(&f->params)) :
	    meta_missing(m, f->id.value, &meta);
}

static int
unsupported(struct gk_mcp *m, struct gk_span id, const struct gk_member *v)
{
	struct gk_buf data, text;
	struct gk_span s;
	int i, r;

	gk_buf_init(&data, m->ctx, 4096);
	gk_buf_init(&text, m->ctx, v->value.len);
	r = gk_jstr_text(v, &text, &s);
	if (r == 0)
		r = gk_buf_puts(&data, "{\"requested\":");
	if (r == 0)
		r = gk_json_put_string(&data, s.ptr,
		    gk_utf8_cut(s.ptr, s.len, GK_QUOTE_REQUESTED_MAX));
	for (i = 0; r == 0 && i < GK_MCP_VERSIONS; i++)
		r = gk_buf_putf(&data, "%s\"%s\"",
		    i == 0 ? ",\"supported\":[" : ",", gk_mcp_version_name(i));
	if (r == 0)
		r = gk_buf_puts(&data, "]}");
	r = r < 0 ? gk_mcp_errorf(m, id, GK_JSONRPC_INTERNAL,
	    "out of memory") : gk_mcp_error_reply(m, id, -32022,
	    gk_span_str("Unsupported protocol version"), gk_buf_span(&data));
	gk_buf_done(&text);
	gk_buf_done(&data);
	return r;
}

/* 1: on to 10.6; 0: answered; < 0.  discover: a server/discover that fits. */
int
gk_mcp_gate(struct gk_mcp *m, struct gk_span id, bool discover,
    const struct gk_mcp_meta *meta)
{
	if (meta->unsupported)
		return unsupported(m, id, &meta->version);
	if ((m->era == GK_MCP_STATELESS || discover ||
	    meta->claims == GK_MCP_MODERN) && !meta->complete)
		return meta_missing(m, id, meta);
	return 1;
}

static int
no_method(struct gk_mcp *m, const struct gk_mcp_frame *f)
{
	struct gk_buf scratch;
	struct gk_span s;
	int r;

	gk_buf_init(&scratch, m->ctx, f->method.value.len);
	r = gk_jstr_text(&f->method, &scratch, &s);
	if (r == 0)
		r = gk_mcp_error_reply(m, f->id.value, GK_JSONRPC_NO_METHOD,
		    gk_span(s.ptr, gk_utf8_cut(s.ptr, s.len, GK_QUOTE_MAX)),
		    gk_span(NULL, 0));
	else
		r = gk_mcp_errorf(m, f->id.value, GK_JSONRPC_INTERNAL,
		    "out of memory");
	gk_buf_done(&scratch);
	return r;
}

/* A request other than tools/call on an open connection. */
int
gk_mcp_serve(struct gk_mcp *m, const struct gk_mcp_frame *f,
    struct gk_mcp_act *ret)
{
	bool fits = params_fit(f), modern;
	struct gk_mcp_object params;
	struct gk_mcp_meta meta;
	int r;

	if (fits && f->which == GK_MCP_M_INITIALIZE)
		return negotiate(m, f, ret);
	gk_mcp_object_open(&params, &f->params);
	gk_mcp_meta_read(&params.scan, &meta);
	r = gk_mcp_gate(m, f->id.value,
	    fits && f->which == GK_MCP_M_DISCOVER, &meta);
	if (r <= 0)
		return r;
	modern = gk_mcp_is_modern(m, &meta);
	if (!fits)
		return no_method(m, f);
	switch (f->which) {
	case GK_MCP_M_DISCOVER:
		return gk_mcp_discovered(m, f->id.value, modern);
	case GK_MCP_M_LIST:
		return gk_mcp_listed(m, f->id.value, modern);
	case GK_MCP_M_PING:
		/* Gone from the modern revision and from every stateless
		 * connection. */
		if (!modern && m->era == GK_MCP_LEGACY)
			return gk_mcp_pong(m, f->id.value);
		/* FALLTHROUGH */
	default:
		return no_method(m, f);
	}
}
