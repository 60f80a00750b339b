#include "codec/jsonrpc.h"

#include "codec/jstr.h"

#define HEAD	"{\"jsonrpc\":\"2.0\""

/* Appends the parts; on failure the buffer is as it was. */
static int
put_all(struct gk_buf *b, const struct gk_span *part, size_t n)
{
	size_t start = b->len, i;
	int r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = gk_buf_put_span(b, part[i]);
	if (r < 0)
		gk_buf_truncate(b, start);
	return r;
}

int
gk_jsonrpc_result_open(struct gk_buf *b, struct gk_span id)
{
	const struct gk_span part[] = {
		gk_span_str(HEAD ",\"id\":"), id, gk_span_str(",\"result\":"),
	};

	return put_all(b, part, GK_ARRAY_LEN(part));
}

int
gk_jsonrpc_result_close(struct gk_buf *b)
{
	return gk_buf_puts(b, "}\n");
}

int
gk_jsonrpc_result(struct gk_buf *b, struct gk_span id, struct gk_span result)
{
	const struct gk_span part[] = {
		gk_span_str(HEAD ",\"id\":"), id, gk_span_str(",\"result\":"),
		result, gk_span_str("}\n"),
	};

	return put_all(b, part, GK_ARRAY_LEN(part));
}

static int
put_id(struct gk_buf *b, struct gk_span id)
{
	return id.ptr == NULL ? 0 : gk_json_put_raw_member(b, "id", id);
}

static int
put_error(struct gk_buf *b, struct gk_span id, int code,
    struct gk_span message, struct gk_span data)
{
	int r;

	if ((r = gk_buf_puts(b, HEAD)) < 0 || (r = put_id(b, id)) < 0 ||
	    (r = gk_buf_puts(b, ",\"error\":{")) < 0 ||
	    (r = gk_json_put_int_member(b, "code", code)) < 0 ||
	    (r = gk_json_put_str_member(b, "message", message.ptr,
	    message.len)) < 0)
		return r;
	if (data.ptr != NULL &&
	    (r = gk_json_put_raw_member(b, "data", data)) < 0)
		return r;
	return gk_buf_puts(b, "}}\n");
}

int
gk_jsonrpc_error(struct gk_buf *b, struct gk_span id, int code,
    struct gk_span message, struct gk_span data)
{
	size_t start = b->len;
	int r;

	if ((r = put_error(b, id, code, message, data)) < 0)
		gk_buf_truncate(b, start);
	return r;
}

static int
put_request(struct gk_buf *b, struct gk_span id, const char *method,
    struct gk_span params)
{
	int r;

	if ((r = gk_buf_puts(b, HEAD)) < 0 || (r = put_id(b, id)) < 0 ||
	    (r = gk_json_put_str_member(b, "method", method,
	    strlen(method))) < 0)
		return r;
	if (params.ptr != NULL &&
	    (r = gk_json_put_raw_member(b, "params", params)) < 0)
		return r;
	return gk_buf_puts(b, "}\n");
}

int
gk_jsonrpc_request(struct gk_buf *b, struct gk_span id, const char *method,
    struct gk_span params)
{
	size_t start = b->len;
	int r;

	if ((r = put_request(b, id, method, params)) < 0)
		gk_buf_truncate(b, start);
	return r;
}
