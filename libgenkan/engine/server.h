/*
 * A genkan-server as a pure machine (wire 3, 7.1 to 7.4, 9, 10.1): the own
 * server that faces the harness, and the roles of the process behind it -
 * electing, attached to a broker, broker itself, outdated.
 *
 * Whoever drives it pulls events, does what they ask for (on any thread: a
 * round of an election blocks) and brings the answer back.  All legs belong to
 * the driver, which frees them once they want CLOSE, or before the server.
 *
 *	gk_server_new(ctx, &opts, &s);
 *	join gk_server_stdio(s) to descriptors 0 and 1, if there is a harness
 *	for (;;) {
 *		while (gk_server_next(s, &ev) != GK_SERVER_NOTHING)
 *			...
 *		turn of the loop; gk_server_tick(s, now)
 *	}
 */
#ifndef GK_ENGINE_SERVER_H
#define GK_ENGINE_SERVER_H

#include "base/base.h"
#include "engine/election.h"

struct genkan_leg;
struct gk_measure;
struct gk_peer;
struct gk_server;
struct gk_store;

enum gk_server_event_kind {
	GK_SERVER_NOTHING,
	/* Measure the harness and call gk_server_measured().  Asked for at
	 * once where a list decides (10.1 step 3), and the harness is not read
	 * before the answer; else with the install set (step 5). */
	GK_SERVER_MEASURE,
	/* Make the install set and call gk_server_installed(). */
	GK_SERVER_INSTALL,
	/* Run one round of 3.1 and call gk_server_elected().  .dial is false
	 * for --broker: a broker that is found is only reported. */
	GK_SERVER_ELECT,
	/* The image was replaced (3.5): close the listener, drop connections
	 * that were not accepted yet, give up the lock as far as 3.3 lets you,
	 * and try again at every sweep until that was done. */
	GK_SERVER_UNLISTEN,
	/* Over.  A broker takes its leave of 3.3; then exit with .status. */
	GK_SERVER_LEAVE
};

struct gk_server_event {
	enum gk_server_event_kind kind;
	bool	dial;
	int	status;
};

struct gk_server_opts {
	const struct gk_store	*store;		/* borrowed */
	bool			 harness;	/* false: --broker */
	const char		*name;		/* GENKAN_CLIENT_NAME, or NULL;
						 * checked here (4.4) */
};

/* 0 or GENKAN_E_NOMEM. */
int	gk_server_new(struct genkan_ctx *, const struct gk_server_opts *,
	    struct gk_server **ret);
/* Legs that are left want CLOSE from now on and nothing else. */
void	gk_server_free(struct gk_server *);

/* The leg of the harness; NULL with --broker.  Asked for once. */
struct genkan_leg *gk_server_stdio(struct gk_server *);

/* Answers to events.  m as measured, not ok where it could not be. */
void	gk_server_measured(struct gk_server *, const struct gk_measure *m);
/* why NULL: done.  Else the own image could not be measured: exit 1. */
void	gk_server_installed(struct gk_server *, const char *why);
/*
 * The secret in e is wiped.  For DIALLED *ret is the leg of the connection, or
 * NULL when it is not wanted any more: close the connection.  For BROKER, give
 * what the listener accepts to the three functions below.
 */
void	gk_server_elected(struct gk_server *, struct gk_election *e,
	    struct genkan_leg **ret);

/* Connections of a broker, as in engine/broker.h; GENKAN_E_UNAVAILABLE in any
 * other role. */
int	gk_server_claim(struct gk_server *);
void	gk_server_unclaim(struct gk_server *);
int	gk_server_accept(struct gk_server *, const struct gk_peer *,
	    struct genkan_leg **ret);

/* A sweep found the own image replaced; what was found stays so. */
void	gk_server_replaced(struct gk_server *);
/* SIGTERM or SIGINT: LEAVE with 0 is the next event, nothing is answered. */
void	gk_server_stop(struct gk_server *);

/* Time, for everything behind the server; its legs need no tick besides. */
int64_t	gk_server_deadline(const struct gk_server *);
void	gk_server_tick(struct gk_server *, int64_t now_ms);

enum gk_server_event_kind gk_server_next(struct gk_server *,
	    struct gk_server_event *ret);

/* "electing", "attached", "broker", "outdated": for logs and tests. */
const char *gk_server_role(const struct gk_server *);

#endif
