/*
 * Inside one MCP connection; for proto/mcp*.c alone.
 */
#ifndef GK_PROTO_MCP_IMPL_H
#define GK_PROTO_MCP_IMPL_H

#include "base/alloc.h"
#include "base/clock.h"
#include "codec/jsonrpc.h"
#include "codec/jstr.h"
#include "codec/scan.h"
#include "codec/walk.h"
#include "contract/schema.h"
#include "proto/mcp.h"
#include "proto/queue.h"

/* Versions are indices of the contract's list, oldest first. */
#define GK_MCP_MODERN	(GK_MCP_VERSIONS - 1)
/* Answered to an initialize that asks for anything else: the newest that has
 * initialize. */
#define GK_MCP_FALLBACK	(GK_MCP_VERSIONS - 2)

enum gk_mcp_method {
	GK_MCP_M_OTHER,
	GK_MCP_M_INITIALIZE,
	GK_MCP_M_DISCOVER,
	GK_MCP_M_PING,
	GK_MCP_M_LIST,
	GK_MCP_M_CALL
};

/* A frame whose top level is known: found in one go, told apart by name. */
struct gk_mcp_frame {
	union {
		struct gk_member	 top[6];
		struct {
			struct gk_member jsonrpc;
			struct gk_member id;		/* type 0: none */
			struct gk_member method;
			struct gk_member params;	/* 0: absent or null */
			struct gk_member result;
			struct gk_member error;
		};
	};
	enum gk_mcp_method	 which;
};

/* What params._meta claims (10.4, 10.5). */
struct gk_mcp_meta {
	struct gk_member version;	/* type 0: absent */
	struct gk_member caps;
	struct gk_member token;
	bool	bare;			/* no version that is a string */
	bool	complete;
	bool	unsupported;		/* a string outside the set */
	int	claims;			/* a supported version, or -1 */
};

/* Members of an object inside an accepted text, in which gk_scan_find() then
 * looks: for whoever wants more than one. */
struct gk_mcp_object {
	struct gk_scan	 scan;
	struct gk_member member[8];
};

/* A call with what its owner need not see. */
struct gk_mcp_item {
	struct gk_mcp_call	 call;		/* first */
	struct gk_mcp		*mcp;
	struct gk_mcp_item	*prev;		/* waiting, or answered */
	struct gk_mcp_item	*next;
	struct gk_member	 id;		/* value: own copy, behind us */
	uint64_t		 handle;	/* of the reply in the queue */
	size_t			 slot;		/* in the table of ids */
	char			*kept;		/* copy of the line */
	bool			 answered;
	bool			 checked;
	bool			 modern;
	const struct gk_tool	*tool;
	char			*token;		/* progress token, raw */
	size_t			 token_len;
	uint64_t		 progress;	/* lines so far */
	int64_t			 progress_at;
};

struct gk_mcp_list {
	struct gk_mcp_item	*first;
	struct gk_mcp_item	*last;
};

struct gk_mcp {
	struct genkan_ctx	*ctx;
	struct gk_outq		*out;
	enum gk_mcp_era		 era;
	int			 version;	/* legacy: negotiated */
	bool			 ended;
	int			 err;
	/* Times of the parse errors answered last, a ring. */
	int64_t			 parsed[GK_PARSE_ERRORS_PER_S];
	unsigned		 nparsed;
	struct gk_mcp_list	 waiting;	/* arrival order */
	struct gk_mcp_list	 answered;	/* queue order */
	/* Ids in flight, packed: a handful of words to look through. */
	uint64_t		*hash;
	struct gk_mcp_item	**item;
	size_t			 nids;
	size_t			 capids;
	struct gk_buf		 tools;		/* the array of tools/list */
};

/* mcp_ids.c */
int	gk_mcp_ids_add(struct gk_mcp *, const struct gk_member *id,
	    struct gk_mcp_item **ret);
/* 1 and *ret, 0 if no call has it, < 0 when that could not be found out. */
int	gk_mcp_ids_find(struct gk_mcp *, const struct gk_member *id,
	    struct gk_mcp_item **ret);
void	gk_mcp_ids_answered(struct gk_mcp_item *, uint64_t handle);
void	gk_mcp_ids_drop(struct gk_mcp_item *);
void	gk_mcp_ids_reap(struct gk_mcp *);

/* mcp_meta.c */
enum gk_mcp_method gk_mcp_method_find(const struct gk_member *);
/* Of a value that is no object: nothing is found. */
void	gk_mcp_object_open(struct gk_mcp_object *, const struct gk_member *);
bool	gk_mcp_object_get(const struct gk_member *object, const char *name,
	    struct gk_member *ret);
void	gk_mcp_meta_read(const struct gk_scan *params,
	    struct gk_mcp_meta *ret);
const char *gk_mcp_version_name(int);
int	gk_mcp_version_find(const struct gk_member *);	/* or -1 */
/* Bits of the keys of initialize that offend; 0: it fits. */
unsigned gk_mcp_init_offends(const struct gk_member *params);
bool	gk_mcp_is_modern(const struct gk_mcp *, const struct gk_mcp_meta *);

/* mcp_method.c */
int	gk_mcp_open(struct gk_mcp *, const struct gk_mcp_frame *,
	    struct gk_mcp_act *, bool *call);
int	gk_mcp_serve(struct gk_mcp *, const struct gk_mcp_frame *,
	    struct gk_mcp_act *);
int	gk_mcp_gate(struct gk_mcp *, struct gk_span id, bool discover,
	    const struct gk_mcp_meta *);

/* mcp_reply.c; each queues one line.  Sticky errors end up in m->err. */
int	gk_mcp_queue(struct gk_mcp *, struct gk_buf *, uint64_t *handle);
int	gk_mcp_error_reply(struct gk_mcp *, struct gk_span id, int code,
	    struct gk_span message, struct gk_span data);
int	gk_mcp_errorf(struct gk_mcp *, struct gk_span id, int code,
	    const char *fmt, ...) GK_PRINTF(4, 5) GK_COLD;
struct gk_span gk_mcp_no_id(const struct gk_mcp *);
int	gk_mcp_pong(struct gk_mcp *, struct gk_span id);
int	gk_mcp_initialized(struct gk_mcp *, struct gk_span id, int version);
int	gk_mcp_discovered(struct gk_mcp *, struct gk_span id, bool modern);
int	gk_mcp_listed(struct gk_mcp *, struct gk_span id, bool modern);

/* mcp_render.c */
int	gk_mcp_render(struct gk_buf *, const struct gk_tool *,
	    struct gk_span data, bool canonical);
int	gk_mcp_quote(struct gk_buf *, struct gk_span);

#endif
