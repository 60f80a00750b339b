/*
 * The client of an embedder as a pure machine: dials the broker (wire 5.2),
 * attaches as a client without harness (6.1), opens an MCP connection and
 * calls tools on it, with fewer than GK_MAX_INFLIGHT of them sent and unanswered,
 * so that the broker goes on reading and hears a cancellation.
 *
 * A call is held until its turn, queued on the leg, sent once its LF was handed
 * to the system, and answered; it is itself the node of its result, so that
 * telling how a call ended needs no memory.  When the leg is lost, what was
 * sent is answered CONNECTION_LOST, since it may have run, and what was not is
 * held for the next attach.
 *
 * Whoever drives it pulls events, does what DIAL asks for (it blocks) and
 * brings the answer back.  The leg belongs to the driver.
 */
#ifndef GK_ENGINE_EMBED_H
#define GK_ENGINE_EMBED_H

#include "base/base.h"

struct genkan_leg;
struct gk_dialling;
struct gk_embed;

enum gk_embed_state {
	GK_EMBED_DETACHED,
	GK_EMBED_DIALLING,	/* DIAL is due or under way */
	GK_EMBED_SETUP,		/* handshake and attach */
	GK_EMBED_OPENING,	/* the opener is out */
	GK_EMBED_ATTACHED,
	GK_EMBED_DRAINING	/* lost; what the socket holds is read */
};

enum gk_embed_event_kind {
	GK_EMBED_NOTHING,
	/* wire 5.2 steps 1 to 3: answer with gk_embed_dialled(). */
	GK_EMBED_DIAL,
	/* ATTACHED or DETACHED: .code, .text. */
	GK_EMBED_STATE,
	/* .id, .code, .data, .text; ptr NULL where there is none. */
	GK_EMBED_RESULT,
	/* .id, .count, .text. */
	GK_EMBED_PROGRESS
};

struct gk_embed_event {
	enum gk_embed_event_kind kind;
	bool		attached;
	int		code;		/* GENKAN_E_*, or of a result GK_CODE_* */
	int		count;
	uint64_t	id;
	/* Borrowed until the next gk_embed_next(); NUL behind them. */
	struct gk_span	data;
	struct gk_span	text;
};

struct gk_embed *gk_embed_new(struct genkan_ctx *);	/* NULL: no memory */
/* A leg that is left wants CLOSE from now on and nothing else. */
void	gk_embed_free(struct gk_embed *);

/* 0, or GENKAN_E_STATE unless it is detached. */
int	gk_embed_attach(struct gk_embed *);
/* *ret is the leg of the connection for OK; NULL: close it.  self: the hash of
 * the running program, for the sentence that says how to pair it, or "". */
void	gk_embed_dialled(struct gk_embed *, const struct gk_dialling *,
	    const char *self, struct genkan_leg **ret);

/* Both at once, over a connection that is there: the leg, GENKAN_E_STATE, or
 * GENKAN_E_NOMEM, and then it stays detached. */
int	gk_embed_join(struct gk_embed *, const struct gk_dialling *,
	    struct genkan_leg **ret);

/*
 * args: an object that gk_scan() accepted, compact; tool: UTF-8.  tool.ptr
 * NULL asks for the list of tools.  timeout_ms 0: none.  0 and *ret;
 * GENKAN_E_TOO_LARGE, GENKAN_E_LIMIT, GENKAN_E_NOMEM.
 */
int	gk_embed_call(struct gk_embed *, struct gk_span tool,
	    struct gk_span args, int64_t timeout_ms, uint64_t *ret);
/* 0, and nothing more is told of it; GENKAN_E_NOENT. */
int	gk_embed_cancel(struct gk_embed *, uint64_t id);

int64_t	gk_embed_deadline(const struct gk_embed *);
void	gk_embed_tick(struct gk_embed *, int64_t now_ms);

/* Results come before a change of state that they were answered by. */
enum gk_embed_event_kind gk_embed_next(struct gk_embed *,
	    struct gk_embed_event *ret);

enum gk_embed_state gk_embed_state(const struct gk_embed *);
size_t	gk_embed_outstanding(const struct gk_embed *);

#endif
