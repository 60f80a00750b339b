/*
 * How the programs of one user find each other (wire 3, 5.2): one round of an
 * election, dialling, leaving.  Everything here touches files and sockets and
 * may wait: for the runtime lock, for a full backlog, for a hash.  So it is
 * called from jobs, with a context that no other thread uses; what it has to
 * say is noted, not logged.
 */
#ifndef GK_LOCAL_RENDEZVOUS_H
#define GK_LOCAL_RENDEZVOUS_H

#include "engine/election.h"
#include "engine/host.h"
#include "local/install.h"
#include "local/place.h"
#include "records/runlock.h"

/* Constant while jobs run: both are read by several threads. */
struct gk_rendezvous {
	const struct gk_place	*place;
	const struct gk_install	*install;
};

/*
 * A fresh one, for the lock that a round may write.  It is drawn before, so
 * that its owner can tell that lock from another's of this process whatever
 * became of the round.  Zeroes without randomness: a round that has to write
 * fails.
 */
void	gk_rendezvous_secret(struct genkan_ctx *, uint8_t ret[GK_SECRET_HEX]);

/*
 * Steps 1 to 4 of 3.1, without handshake and attach.  *fd is the listener of
 * BROKER or the connection of DIALLED, else -1.  A broker in this very process
 * is dialled like any other.  dial false: a broker that is found is only
 * reported.  e->secret is set before, and with DIALLED it becomes that of the
 * broker; it is the caller's to wipe.
 */
void	gk_rendezvous_round(struct genkan_ctx *, const struct gk_rendezvous *,
	    struct gk_replaced *, bool dial, struct gk_election *e, int *fd,
	    struct gk_notes *);

/*
 * 3.3: under the runtime lock, had within wait_ms, lock and socket are removed
 * if the lock still names this process and has the secret that a round was
 * given, so that it is not another server's of this process.  0: done, or there
 * was nothing of ours; GENKAN_E_LOCKED: both stay, and may be ours.
 */
int	gk_rendezvous_leave(struct genkan_ctx *, const struct gk_place *,
	    const uint8_t secret[GK_SECRET_HEX], int wait_ms,
	    struct gk_notes *);

/* 5.2 steps 1 to 3 for a host. */
void	gk_rendezvous_dial(struct genkan_ctx *, const struct gk_rendezvous *,
	    struct gk_dialling *ret, char endpoint[GK_RUNLOCK_PATH_MAX],
	    int *fd, struct gk_notes *);

/* 2.4 for a host, and whether somebody answers (control 2.10): connects and
 * closes without a byte.  reason is set with MISMATCH. */
enum gk_probe gk_rendezvous_probe(struct genkan_ctx *,
	    const struct gk_rendezvous *, bool connect, char reason[512]);

/* Which living broker the lock names: 0, or an error and nothing is known.
 * Does not wait. */
int	gk_rendezvous_look(struct genkan_ctx *, const struct gk_place *,
	    uint32_t *pid, char endpoint[GK_RUNLOCK_PATH_MAX]);

#endif
