/* Inside one client; for engine/embed*.c alone. */
#ifndef GK_ENGINE_EMBED_IMPL_H
#define GK_ENGINE_EMBED_IMPL_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/map.h"
#include "contract/schema.h"
#include "engine/embed.h"
#include "proto/dial.h"
#include "proto/machine.h"
#include "proto/queue.h"

#define GK_EMBED_TAG	"client"

/*
 * Calls that are with the broker at once.  One that has GK_MAX_INFLIGHT of a
 * client does not read from it (wire 10.8), so a cancellation would wait behind
 * the very calls that it is about.  One place stays free, and it is heard.
 */
#define GK_EMBED_INFLIGHT	(GK_MAX_INFLIGHT - 1)

/* Bytes on the leg's queue beyond which no further call is put there: what is
 * held costs its line once, what is queued twice. */
#define GK_EMBED_BACKLOG	(1024 * 1024)

enum gk_ecall_state {
	GK_ECALL_HELD,		/* its turn has not come */
	GK_ECALL_QUEUED,	/* on the leg's queue, its LF not out */
	GK_ECALL_SENT,		/* its LF was handed to the system */
	GK_ECALL_ANSWERED	/* waits to be pulled */
};

struct gk_ecall {
	struct gk_ecall		*next;
	struct gk_ecall		*prev;
	uint64_t		 id;
	enum gk_ecall_state	 state;
	bool			 list;		/* tools/list */
	bool			 asked;		/* a person is; to be told */
	int			 count;		/* how often that was told */
	int64_t			 at;		/* GK_CLOCK_NEVER: no limit */
	uint64_t		 handle;	/* QUEUED: in the leg's queue */
	uint8_t			*line;		/* until SENT */
	size_t			 len;
	/* ANSWERED: */
	int			 code;
	const char		*why;		/* ours, static; or NULL */
	uint8_t			*result;	/* what came, or NULL */
	size_t			 result_len;
	struct gk_buf		 text;		/* decoded when it is pulled */
};

struct gk_ecalls {
	struct gk_ecall	*head;
	struct gk_ecall	*tail;
	size_t		 n;
};

struct gk_eleg {
	struct genkan_leg	 leg;		/* first */
	struct gk_embed		*e;		/* NULL: over */
	struct gk_dial		 dial;
	struct gk_line		 in;
	struct gk_outq		 out;
};

struct gk_embed {
	struct genkan_ctx	*ctx;
	enum gk_embed_state	 state;
	struct gk_eleg		*leg;		/* NULL: none */
	int64_t			 state_at;	/* OPENING, DRAINING end */
	char			 self[65];	/* own hash, or "" */
	char			 release[64];	/* of the server */

	bool			 want_dial;
	bool			 tell;		/* the state is news */
	int			 code;		/* why it is DETACHED */
	char			 why[768];

	struct gk_umap		 by_id;		/* all in the three lists */
	struct gk_ecalls	 held;
	struct gk_ecalls	 flight;	/* QUEUED and SENT, in order */
	struct gk_ecalls	 answered;
	struct gk_ecall		*pulled;	/* lent to the caller of next */
	uint64_t		 last;		/* number given last */
	size_t			 unsent;	/* bytes of lines */
	size_t			 unpulled;	/* bytes of results */
	size_t			 asked;		/* calls with .asked */
	int64_t			 soonest;	/* no call's .at is earlier */
};

/* embed.c */
/* The connection is over; code and sentence say why. */
void	gk_embed_lost(struct gk_embed *, int code, const char *fmt, ...)
	    GK_PRINTF(3, 4);
/* The attach was accepted, or answered otherwise. */
void	gk_embed_replied(struct gk_embed *, const struct gk_attach_reply *);
/* One line, without its LF. */
void	gk_embed_line(struct gk_embed *, struct gk_span);

/* embed_calls.c */
void	gk_ecall_free(struct gk_embed *, struct gk_ecall *);
/* Queues what may be sent. */
void	gk_embed_pump(struct gk_embed *);
/* Bytes went out. */
void	gk_embed_sent(struct gk_embed *);
/* reply, inside a line, is copied; ptr NULL: why, static, stands for it. */
void	gk_embed_answer(struct gk_embed *, struct gk_ecall *, int code,
	    struct gk_span reply, const char *why);
/* The leg is gone: in order, what was sent is answered, the rest held. */
void	gk_embed_requeue(struct gk_embed *);
void	gk_embed_expire(struct gk_embed *);
void	gk_embed_drop_calls(struct gk_embed *);

/* embed_leg.c */
struct gk_eleg *gk_eleg_new(struct gk_embed *,
	    const uint8_t secret[GK_SECRET_HEX]);
/* It wants CLOSE from now on. */
void	gk_eleg_over(struct gk_embed *);

#endif
