/*
 * An MCP connection as its client sees it: lines out, replies in (wire 10).
 * It is opened legacy, by `initialize`: then a call is its name, its arguments
 * and a number, without metadata to repeat, and the answer says who is there.
 *
 * Ids are numbers, 0 for the opener and the caller's own from 1.  What is read
 * comes from a measured genkan-server, perhaps a newer one: members that are
 * not known are ignored, a line that fits nothing is an error.
 */
#ifndef GK_PROTO_MCPC_H
#define GK_PROTO_MCPC_H

#include "base/base.h"

struct gk_buf;

/* Lines with their LF, appended.  Errors as gk_buf_put(). */
int	gk_mcpc_open(struct gk_buf *);
/* tool: text in UTF-8; args: one compact JSON object, or empty. */
int	gk_mcpc_call(struct gk_buf *, uint64_t id, struct gk_span tool,
	    struct gk_span args);
int	gk_mcpc_list(struct gk_buf *, uint64_t id);
int	gk_mcpc_cancel(struct gk_buf *, uint64_t id);

enum gk_mcpc_kind {
	GK_MCPC_IGNORED,	/* a notification that nobody waits for */
	GK_MCPC_RESULT,		/* .id, .value: an object */
	GK_MCPC_ERROR,		/* .id, .code, .value: a string token */
	GK_MCPC_PROGRESS	/* .id of the call that waits */
};

struct gk_mcpc_line {
	enum gk_mcpc_kind	 kind;
	uint64_t		 id;
	int64_t			 code;		/* of JSON-RPC */
	struct gk_span		 value;		/* inside the line */
};

/* One line without its LF: 0; GENKAN_E_NOMEM; what gk_scan() says; or
 * GENKAN_E_PROTOCOL for JSON that no server sends to its client. */
int	gk_mcpc_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_mcpc_line *ret);

/* What the opener was answered: the release of the server, "" where it does
 * not say.  0, GENKAN_E_PROTOCOL. */
int	gk_mcpc_opened(struct gk_span result, char *ret, size_t size);

/*
 * What a call was answered: *code is 0 or GK_CODE_*; text gets, appended, the
 * text of the first text block, of a failure without its "Error [CODE]: ".
 * *has is false where there is no text block.  A code that this library does
 * not have is EXECUTION_FAILED, and its text stays whole.  0, GENKAN_E_PROTOCOL
 * where it is no such answer, or as gk_buf_put().
 */
int	gk_mcpc_outcome(struct gk_span result, struct gk_buf *text, bool *has,
	    int *code);

/* The code for an answer of JSON-RPC that is an error. */
int	gk_mcpc_error_code(int64_t rpc);

#endif
