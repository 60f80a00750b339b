/*
 * Inside one genkan-server; for engine/server*.c alone.
 *
 * Every entry from outside ends in gk_server_settle(), which turns what has
 * changed below (broker, relay, the own leg) into roles and events.  It is not
 * re-entered: what happens inside it is seen by its own loop.
 */
#ifndef GK_ENGINE_SERVER_IMPL_H
#define GK_ENGINE_SERVER_IMPL_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "codec/line.h"
#include "contract/schema.h"
#include "engine/broker.h"
#include "engine/held.h"
#include "engine/relay.h"
#include "engine/server.h"
#include "proto/machine.h"
#include "proto/mcp.h"
#include "proto/queue.h"
#include "trust/admission.h"

#define GK_SERVER_TAG	"server"

enum gk_server_role {
	GK_AS_ELECTING,
	GK_AS_ATTACHED,
	GK_AS_BROKER,
	GK_AS_OUTDATED
};

/* Where the role "electing" stands. */
enum gk_round {
	GK_ROUND_NONE,		/* not ready yet, or not electing */
	GK_ROUND_WANTED,	/* ELECT is to be pulled */
	GK_ROUND_RUNNING,	/* ELECT was pulled, its answer is due */
	GK_ROUND_DIALLING,	/* the relay's set-up runs */
	GK_ROUND_PAUSE,		/* until .round_at */
	GK_ROUND_TRUST		/* record unreadable; read again at .round_at */
};

enum gk_own_state {
	GK_OWN_OPEN,
	GK_OWN_DRAINING,	/* input has ended (7.4) */
	GK_OWN_MUTE,		/* admission lost, others are served on (3.3) */
	GK_OWN_OVER		/* the leg wants CLOSE */
};

/* The leg of the harness.  It is the program's, so it may outlive the server,
 * and then .server is NULL. */
struct gk_own {
	struct genkan_leg	 leg;		/* first */
	struct gk_server	*server;
	enum gk_own_state	 state;
	struct gk_line		 in;
	struct gk_outq		 out;
	struct gk_mcp		*mcp;
	bool			 eof;
	int64_t			 drain_at;
};

struct gk_server {
	struct genkan_ctx	*ctx;
	const struct gk_store	*store;
	bool			 harness;	/* false: --broker */

	struct gk_own		*own;		/* NULL once freed */
	struct gk_heldq		 calls;		/* not in the role of broker */
	struct gk_relay		*relay;
	struct gk_broker	*broker;
	struct gk_broker_client	*client;

	struct gk_trust_cache	 trust;
	struct gk_measure	 measure;
	bool			 measured;
	bool			 judged;	/* by a readable record */
	enum gk_verdict		 verdict;	/* what it was admitted as */
	char			 name[GK_LABEL_MAX + 1];

	enum gk_server_role	 role;
	enum gk_round		 round;
	int			 rounds;	/* that failed in a row */
	int64_t			 round_at;
	bool			 installed;

	/* Events to be pulled. */
	bool			 want_measure;
	bool			 want_install;
	bool			 want_unlisten;
	bool			 leaving;
	bool			 left;		/* LEAVE was pulled */
	int			 status;
	int64_t			 leave_at;	/* at the latest */

	bool			 settling;
};

/* server.c */
void	gk_server_settle(struct gk_server *);
/* What is queued for the harness goes out first, for at most flush_ms. */
void	gk_server_leave(struct gk_server *, int status, int64_t flush_ms);

/* server_own.c */
struct gk_own *gk_own_new(struct gk_server *);
/* Calls are dropped without a reply.  keep_output: flush what is queued. */
void	gk_own_over(struct gk_own *, bool keep_output);
/* The same, but the leg stays open and silent. */
void	gk_own_mute(struct gk_own *);
void	gk_own_settle(struct gk_own *);
int64_t	gk_own_deadline(const struct gk_own *);

/* server_call.c; seen as in gk_broker_call() */
void	gk_server_call(struct gk_server *, struct gk_mcp_call *,
	    const struct gk_trust_view *seen);
/* Ends a call without a reply, wherever it is. */
void	gk_server_cancel(struct gk_server *, struct gk_mcp_call *);
void	gk_server_drop_calls(struct gk_server *);
/* Checks the call and, if it fits, answers it. */
void	gk_server_answer(struct gk_server *, struct gk_mcp_call *,
	    enum gk_code, const char *text);
/* The same for all that are held. */
void	gk_server_answer_held(struct gk_server *, enum gk_code,
	    const char *text);
void	gk_server_answer_killed(struct gk_server *, struct gk_mcp_call *,
	    const struct gk_trust_view *);
void	gk_server_call_ticks(struct gk_server *);
int64_t	gk_server_call_deadline(const struct gk_server *);

/* server_role.c */
const char *gk_server_role_name(enum gk_server_role);
/* First round, if everything for it is there. */
void	gk_server_elect(struct gk_server *);
void	gk_server_unreadable(struct gk_server *, const struct gk_trust_view *);
void	gk_server_role_settle(struct gk_server *);
void	gk_server_role_tick(struct gk_server *);
int64_t	gk_server_role_deadline(const struct gk_server *);
void	gk_server_set_role(struct gk_server *, enum gk_server_role);
/* A round ended without a broker: for a reason that may pass, or for good. */
void	gk_server_round_failed(struct gk_server *, const char *reason);
void	gk_server_denied(struct gk_server *, const char *reason);

/* server_relay.c; the leg to be served comes back, or NULL. */
void	gk_server_dialled(struct gk_server *, const uint8_t *secret,
	    struct genkan_leg **ret);
void	gk_server_relay_settle(struct gk_server *);

/* server_trust.c */
void	gk_server_look(struct gk_server *, struct gk_trust_view *ret);
/* Checks 2 and 3 of 7.2 over a fresh read, which is handed out; false:
 * admission is lost. */
bool	gk_server_judge(struct gk_server *, struct gk_trust_view *ret);
/* A list is there, but the harness is not measured yet. */
bool	gk_server_must_wait(struct gk_server *);
void	gk_server_lose_admission(struct gk_server *);
void	gk_server_start(struct gk_server *);

#endif
