/*
 * JSON-RPC 2.0 lines, LF included.  Ids are raw tokens, echoed byte for byte.
 * All of these leave the buffer unchanged when they fail, as gk_buf_put().
 */
#ifndef GK_CODEC_JSONRPC_H
#define GK_CODEC_JSONRPC_H

#include "base/buf.h"

#define GK_JSONRPC_PARSE		(-32700)
#define GK_JSONRPC_INVALID_REQUEST	(-32600)
#define GK_JSONRPC_NO_METHOD		(-32601)
#define GK_JSONRPC_INVALID_PARAMS	(-32602)
#define GK_JSONRPC_INTERNAL		(-32603)

/* {"jsonrpc":"2.0","id":ID,"result":RESULT}; both are finished JSON. */
int	gk_jsonrpc_result(struct gk_buf *, struct gk_span id,
	    struct gk_span result);
/* The same in pieces, the result written in between by the caller. */
int	gk_jsonrpc_result_open(struct gk_buf *, struct gk_span id);
int	gk_jsonrpc_result_close(struct gk_buf *);

/*
 * {"jsonrpc":"2.0","id":ID,"error":{"code":N,"message":TEXT,"data":DATA}}
 * id.ptr NULL leaves the member out (give "null" for null), data.ptr NULL too.
 * message is text, not JSON.
 */
int	gk_jsonrpc_error(struct gk_buf *, struct gk_span id, int code,
	    struct gk_span message, struct gk_span data);

/* {"jsonrpc":"2.0","id":ID,"method":NAME,"params":PARAMS}; id.ptr NULL makes it
 * a notification, params.ptr NULL leaves them out. */
int	gk_jsonrpc_request(struct gk_buf *, struct gk_span id,
	    const char *method, struct gk_span params);

#endif
