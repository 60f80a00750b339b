/*
 * The broker: browsers on one side, clients on the other, and the gates
 * between them (wire sections 5 to 9).  A pure machine: connections come with
 * the facts about their peer, bytes are fed to legs, records are read through
 * the store, time is what the context says.
 *
 * Every leg that gk_broker_accept() makes belongs to the program, which frees
 * it with genkan_leg_free() once it wants CLOSE; legs may outlive the broker,
 * and then want nothing else.  Bytes fed to one leg wake others: after a step
 * ask every leg again.
 */
#ifndef GK_ENGINE_BROKER_H
#define GK_ENGINE_BROKER_H

#include "base/base.h"

struct genkan_leg;
struct gk_broker;
struct gk_broker_client;	/* a counted client */
struct gk_mcp;
struct gk_mcp_call;
struct gk_measure;
struct gk_peer;
struct gk_store;
struct gk_trust_view;

enum gk_broker_event {
	GK_BROKER_NOTHING,
	/* The last counted client is gone, and the latch set: leave (3.3). */
	GK_BROKER_LEAVE,
	/* Retired, and neither browsers nor calls nor attached clients are
	 * left: the own harness's server is outdated now, a broker without
	 * one leaves (3.5). */
	GK_BROKER_OUTDATED
};

/* store is borrowed.  NULL on lack of memory. */
struct gk_broker *gk_broker_new(struct genkan_ctx *, const struct gk_store *);
/* The latch of 3.3 is never set: there is no LEAVE. */
void	gk_broker_stay(struct gk_broker *);
/* Legs lose their broker and want CLOSE.  The own client goes with it: its
 * calls are cancelled without a reply. */
void	gk_broker_free(struct gk_broker *);

/*
 * Connections.  claim takes a pending slot (5.1 step 1) before the peer is
 * measured, which is a job: 0, or GENKAN_E_LIMIT and the connection is to be
 * dropped unseen.  The slot is given back by accept, or by unclaim if the
 * connection does not get that far.
 *
 * accept runs steps 2 to 8.  A peer that fails 2 or 3 is served a leg all the
 * same, one that wants CLOSE and has no output.  0, GENKAN_E_NOMEM, or
 * GENKAN_E_UNAVAILABLE from a retired broker.
 */
int	gk_broker_claim(struct gk_broker *);
void	gk_broker_unclaim(struct gk_broker *);
int	gk_broker_accept(struct gk_broker *, const struct gk_peer *,
	    struct genkan_leg **ret);

/*
 * The own harness.  own counts it (GENKAN_E_LIMIT over MAX_CLIENTS) and says
 * how it was measured and called, for the audit; facts is copied.  The server
 * feeds its struct gk_mcp itself and hands the calls over, held ones with
 * their old read_at; it makes the checks of 7.2 that are the server's.
 *
 * call takes the call: it ends by itself, on the connection it came from.
 * seen is the record as it was looked at for the checks of this very line,
 * after it had come in: gate 1 of the call goes by the same look.  NULL: none
 * was made, so gate 1 looks.
 * cancel ends one that call took, without a reply.  full: the input of this
 * client is not to be read now (MAX_INFLIGHT, MAX_QUEUED).
 *
 * release gives the slot back and cancels what is in flight.
 */
int	gk_broker_own(struct gk_broker *, struct gk_mcp *,
	    const struct gk_measure *facts, struct gk_broker_client **ret);
int	gk_broker_call(struct gk_broker_client *, struct gk_mcp_call *,
	    const struct gk_trust_view *seen);
void	gk_broker_cancel(struct gk_broker_client *, struct gk_mcp_call *);
bool	gk_broker_full(const struct gk_broker_client *);
void	gk_broker_release(struct gk_broker_client *);

/*
 * The own image was replaced (3.5): connections not yet admitted are dropped
 * and none is accepted any more; what stands is served on.  The listener and
 * the lock are the caller's to give up.
 */
void	gk_broker_retire(struct gk_broker *);
bool	gk_broker_retired(const struct gk_broker *);

/* Time: call tick at the latest at deadline (GK_CLOCK_NEVER: no need). */
int64_t	gk_broker_deadline(const struct gk_broker *);
void	gk_broker_tick(struct gk_broker *, int64_t now_ms);
enum gk_broker_event gk_broker_next(struct gk_broker *);

/* For tests, status and logs. */
size_t	gk_broker_clients(const struct gk_broker *);
size_t	gk_broker_browsers(const struct gk_broker *);
size_t	gk_broker_pending(const struct gk_broker *);

#endif
