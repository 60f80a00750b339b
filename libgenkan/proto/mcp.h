/*
 * One MCP connection as its server sees it: section 10 of the wire
 * specification without policy, bridge or browser.
 *
 * It eats one non-blank line at a time (where lines end, what a client may
 * send in a second and who it is are the leg's business) and puts the replies
 * that it owes at once on the leg's queue.  A tools/call is handed to the
 * owner as a struct gk_mcp_call, in flight from then on; exactly one of
 * gk_mcp_success(), gk_mcp_failure(), gk_mcp_lost(), gk_mcp_relayed() and
 * gk_mcp_forget() ends it, and the call is gone for the owner with that.  The
 * id stays taken until the reply was handed to the system, which the queue's
 * running totals tell.
 *
 * Nothing here builds a JSON tree for an envelope: members are spans of the
 * line.  Only gk_mcp_check() looks inside the params of a call, so a relay
 * that never asks for it forwards what it does not understand.
 */
#ifndef GK_PROTO_MCP_H
#define GK_PROTO_MCP_H

#include "base/base.h"

struct gk_buf;
struct gk_mcp;
struct gk_outq;
struct gk_tool;

enum gk_mcp_era {
	GK_MCP_UNOPENED,
	GK_MCP_LEGACY,		/* opened by initialize */
	GK_MCP_STATELESS	/* opened by a request with complete metadata */
};

enum gk_mcp_kind {
	GK_MCP_NONE,		/* answered, or nothing to answer */
	GK_MCP_CALL,		/* act.call: a valid tools/call, in flight */
	GK_MCP_CANCEL,		/* act.call: to be forgotten, unanswered */
	GK_MCP_END		/* close once the queue is empty (10.4) */
};

struct gk_mcp_act {
	enum gk_mcp_kind	 kind;
	struct gk_mcp_call	*call;
	/* The line opened the connection, or an initialize changed its
	 * version: a relay repeats that on its leg, ahead of act.call. */
	bool			 opened;
};

struct gk_mcp_call {
	void			*user;		/* the owner's, NULL at first */
	int64_t			 read_at;	/* gk_now() when it was read */
	/*
	 * Borrowed from the caller of gk_mcp_line() until that returns to its
	 * own caller; gk_mcp_keep() makes a copy that lives with the call.
	 * Without LF.
	 */
	struct gk_span		 line;
	struct gk_span		 id;		/* token, inside line */
	struct gk_span		 params;	/* inside line; empty: absent */
};

/* What gk_mcp_check() found; spans lie in call->line. */
struct gk_mcp_fit {
	const struct gk_tool	*tool;
	struct gk_span		 arguments;	/* an object; empty: {} */
};

/* out is borrowed for the connection's life.  NULL on lack of memory. */
struct gk_mcp *gk_mcp_new(struct genkan_ctx *, struct gk_outq *out);
/* Calls still in flight go unanswered with it. */
void	gk_mcp_free(struct gk_mcp *);

/*
 * One line without its LF, not blank, within the cap.  0, or < 0 when a reply
 * could not be made or queued: the connection is then beyond repair.
 */
int	gk_mcp_line(struct gk_mcp *, const void *line, size_t len,
	    struct gk_mcp_act *ret);
/* A line passed the cap; its remainder is thrown away by the leg. */
int	gk_mcp_overlong(struct gk_mcp *);

enum gk_mcp_era gk_mcp_era(const struct gk_mcp *);
/* The version that initialize negotiated; NULL on other connections. */
const char *gk_mcp_version(const struct gk_mcp *);
/* Appends the line with LF by which a relay opens its leg alike, with id 0. */
int	gk_mcp_opener(const struct gk_mcp *, struct gk_buf *ret);

/* 0, or the sticky error that made the connection useless: a reply that could
 * not be made or queued.  Close it. */
int	gk_mcp_error(const struct gk_mcp *);

/* Calls that hold their id: not answered yet, or the answer not yet out. */
size_t	gk_mcp_inflight(struct gk_mcp *);
/* Calls not answered yet, in arrival order.  NULL starts, and ends. */
struct gk_mcp_call *gk_mcp_next(const struct gk_mcp *,
	    const struct gk_mcp_call *);

/* Copies the line.  0 or GENKAN_E_NOMEM, and then the call still borrows. */
int	gk_mcp_keep(struct gk_mcp_call *);
/* Frees that copy, or forgets what was borrowed: line, id and params are empty
 * from here on.  The reply needs none of them. */
void	gk_mcp_shed(struct gk_mcp_call *);

/*
 * Version gate and fit (10.5, 10.6).  1: it fits, ret is set, and the call
 * knows its shape and progress token.  0: answered and over.  < 0 as for
 * gk_mcp_line(), the call is over too.
 */
int	gk_mcp_check(struct gk_mcp_call *, struct gk_mcp_fit *ret);

/*
 * The ends of a call.  Each takes the call; 0, or < 0 as for gk_mcp_line().
 *
 * success: data is JSON that passed codec/scan, rendered as the tool asks;
 * canonical: it is known to be in the compact form already (gk_scan.canonical).
 * failure: "Error [CODE]: text".  Both in the shape that gk_mcp_check() found,
 * and replaced by PAYLOAD_TOO_LARGE over the cap of a line.
 * lost: a failure in the shape of a bare request, on a stateless connection
 * the modern one, for calls that were never checked.
 * relayed: the broker's reply with this call's id in the place of the token
 * id, which lies inside line; without LF.
 * forget: no reply, and the id is free at once.
 */
int	gk_mcp_success(struct gk_mcp_call *, struct gk_span data,
	    bool canonical);
int	gk_mcp_failure(struct gk_mcp_call *, int code, struct gk_span text);
int	gk_mcp_lost(struct gk_mcp_call *, int code, struct gk_span text);
int	gk_mcp_relayed(struct gk_mcp_call *, struct gk_span line,
	    struct gk_span id);
void	gk_mcp_forget(struct gk_mcp_call *);

/* The call waits for a person: one progress line, unless it has no token or
 * had one within the last second (10.9). */
int	gk_mcp_progress(struct gk_mcp_call *);

#endif
