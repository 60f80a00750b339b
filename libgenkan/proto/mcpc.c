/* See mcpc.h.  A reply is read as text; nothing here builds a tree. */
#include "proto/mcpc.h"

#include "base/str.h"
#include "codec/jsonrpc.h"
#include "codec/jstr.h"
#include "codec/walk.h"
#include "contract/schema.h"
#include "genkan/version.h"

/* The newest version that `initialize` negotiates (10.6). */
#define VERSION	"2025-11-25"

/* -------------------------------------------------------------------- out */

static int
request(struct gk_buf *b, uint64_t id, const char *method,
    struct gk_span params)
{
	struct gk_buf token;
	int r;

	gk_buf_init(&token, b->ctx, 32);
	r = gk_buf_putf(&token, "%llu", (unsigned long long)id);
	if (r == 0)
		r = gk_jsonrpc_request(b, gk_buf_span(&token), method, params);
	gk_buf_done(&token);
	return r;
}

int
gk_mcpc_open(struct gk_buf *b)
{
	return request(b, 0, "initialize", gk_span_str(
	    "{\"protocolVersion\":\"" VERSION "\",\"capabilities\":{},"
	    "\"clientInfo\":{\"name\":\"libgenkan\",\"version\":\""
	    GENKAN_VERSION "\"}}"));
}

/* The number is the token of progress as well: a call says when it waits. */
static int
put_call(struct gk_buf *b, uint64_t id, struct gk_span tool,
    struct gk_span args)
{
	const unsigned long long no = id;
	int r;

	r = gk_buf_putf(b, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":"
	    "\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":%llu},"
	    "\"name\":", no, no);
	if (r == 0)
		r = gk_json_put_string(b, tool.ptr, tool.len);
	if (r == 0 && args.len > 0)
		r = gk_json_put_raw_member(b, "arguments", args);
	return r == 0 ? gk_buf_puts(b, "}}\n") : r;
}

int
gk_mcpc_call(struct gk_buf *b, uint64_t id, struct gk_span tool,
    struct gk_span args)
{
	const size_t start = b->len;
	int r;

	r = put_call(b, id, tool, args);
	if (r < 0)
		gk_buf_truncate(b, start);
	return r;
}

int
gk_mcpc_list(struct gk_buf *b, uint64_t id)
{
	return request(b, id, "tools/list", gk_span(NULL, 0));
}

int
gk_mcpc_cancel(struct gk_buf *b, uint64_t id)
{
	return gk_buf_putf(b, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":%llu}}\n",
	    (unsigned long long)id);
}

/* --------------------------------------------------------------------- in */

static bool
is_id(const struct gk_member *m)
{
	return m->type == GK_J_INT && m->integer >= 0 &&
	    m->integer <= GK_INTEGER_MAX;
}

static int
read_notification(const struct gk_member *method,
    const struct gk_member *params, struct gk_mcpc_line *ret)
{
	struct gk_member token;
	struct gk_scan in;

	ret->kind = GK_MCPC_IGNORED;
	if (!gk_jstr_is(method, "notifications/progress") ||
	    params->type != GK_J_OBJECT)
		return 0;
	gk_scan_object(params->value, NULL, 0, &in);
	if (gk_scan_find(&in, "progressToken", &token) && is_id(&token)) {
		ret->kind = GK_MCPC_PROGRESS;
		ret->id = (uint64_t)token.integer;
	}
	return 0;
}

static int
read_error(const struct gk_member *error, struct gk_mcpc_line *ret)
{
	struct gk_member code, message;
	struct gk_scan in;

	if (error->type != GK_J_OBJECT)
		return GENKAN_E_PROTOCOL;
	gk_scan_object(error->value, NULL, 0, &in);
	if (!gk_scan_find(&in, "code", &code) || code.type != GK_J_INT ||
	    !gk_scan_find(&in, "message", &message) ||
	    message.type != GK_J_STRING)
		return GENKAN_E_PROTOCOL;
	ret->kind = GK_MCPC_ERROR;
	ret->code = code.integer;
	ret->value = message.value;
	return 0;
}

int
gk_mcpc_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_mcpc_line *ret)
{
	struct gk_member top[8], version, id, method, params, result, error;
	struct gk_scan scan;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = gk_scan(ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top), &scan);
	if (r < 0)
		return r;
	gk_scan_find(&scan, "jsonrpc", &version);
	gk_scan_find(&scan, "id", &id);
	gk_scan_find(&scan, "method", &method);
	gk_scan_find(&scan, "params", &params);
	gk_scan_find(&scan, "result", &result);
	gk_scan_find(&scan, "error", &error);
	if (!gk_jstr_is(&version, "2.0"))
		return GENKAN_E_PROTOCOL;
	if (id.type == 0)
		return method.type == GK_J_STRING && result.type == 0 &&
		    error.type == 0 ? read_notification(&method, &params,
		    ret) : GENKAN_E_PROTOCOL;
	if (!is_id(&id) || method.type != 0 ||
	    (result.type != 0) == (error.type != 0))
		return GENKAN_E_PROTOCOL;
	ret->id = (uint64_t)id.integer;
	if (error.type != 0)
		return read_error(&error, ret);
	if (result.type != GK_J_OBJECT)
		return GENKAN_E_PROTOCOL;
	ret->kind = GK_MCPC_RESULT;
	ret->value = result.value;
	return 0;
}

/* ----------------------------------------------------------------- results */

int
gk_mcpc_opened(struct gk_span result, char *ret, size_t size)
{
	struct gk_member version, info, release;
	struct gk_scan in;

	ret[0] = '\0';
	gk_scan_object(result, NULL, 0, &in);
	if (!gk_scan_find(&in, "protocolVersion", &version) ||
	    version.type != GK_J_STRING)
		return GENKAN_E_PROTOCOL;
	if (!gk_scan_find(&in, "serverInfo", &info) ||
	    info.type != GK_J_OBJECT)
		return 0;
	gk_scan_object(info.value, NULL, 0, &in);
	if (gk_scan_find(&in, "version", &release) &&
	    release.type == GK_J_STRING)
		(void)gk_str_escaped(ret, size, release.value.ptr + 1,
		    release.value.len - 2, size - 8);
	return 0;
}

/* The first text block: a string token. */
static bool
find_text(struct gk_span content, struct gk_member *ret)
{
	struct gk_member member[4], block, type;
	struct gk_walk w;
	struct gk_scan in;

	gk_walk_init(&w, content);
	while (gk_walk_next(&w, &block)) {
		if (block.type != GK_J_OBJECT)
			continue;
		gk_scan_object(block.value, member, GK_ARRAY_LEN(member), &in);
		if (gk_scan_find(&in, "type", &type) &&
		    gk_jstr_is(&type, "text") &&
		    gk_scan_find(&in, "text", ret) &&
		    ret->type == GK_J_STRING)
			return true;
	}
	return false;
}

/* "Error [CODE]: text" from start on, taken apart in place. */
static int
split_error(struct gk_buf *text, size_t start)
{
	static const char head[] = "Error [";
	const char *p = gk_bytes(text->ptr) + start, *name, *end, *close;
	const size_t len = text->len - start, n = sizeof(head) - 1;
	size_t skip;
	int code;

	if (len < n || memcmp(p, head, n) != 0)
		return GK_CODE_EXECUTION_FAILED;
	name = p + n;
	end = p + len;
	close = memchr(name, ']', (size_t)(end - name));
	if (close == NULL || end - close < 3 || close[1] != ':' ||
	    close[2] != ' ')
		return GK_CODE_EXECUTION_FAILED;
	code = gk_schema_code_find(name, (size_t)(close - name));
	if (code < 0)
		return GK_CODE_EXECUTION_FAILED;
	skip = (size_t)(close + 3 - p);
	memmove(text->ptr + start, text->ptr + start + skip, len - skip);
	gk_buf_truncate(text, text->len - skip);
	return code;
}

int
gk_mcpc_outcome(struct gk_span result, struct gk_buf *text, bool *has,
    int *code)
{
	struct gk_member top[8], content, error, block;
	const size_t start = text->len;
	struct gk_scan in;
	int r;

	gk_scan_object(result, top, GK_ARRAY_LEN(top), &in);
	if (!gk_scan_find(&in, "content", &content) ||
	    content.type != GK_J_ARRAY)
		return GENKAN_E_PROTOCOL;
	if (gk_scan_find(&in, "isError", &error) &&
	    (error.type & GK_J_BOOL) == 0)
		return GENKAN_E_PROTOCOL;
	*has = find_text(content.value, &block);
	if (*has) {
		r = gk_jstr_decode(text, block.value);
		if (r < 0)
			return r;
	}
	*code = error.type == GK_J_TRUE ? split_error(text, start) : 0;
	return 0;
}

int
gk_mcpc_error_code(int64_t rpc)
{
	switch (rpc) {
	case GK_JSONRPC_INVALID_PARAMS:
		return GK_CODE_INVALID_ARGUMENT;
	case GK_JSONRPC_NO_METHOD:
		return GK_CODE_PROTOCOL_MISMATCH;
	default:
		return GK_CODE_INTERNAL_ERROR;
	}
}
