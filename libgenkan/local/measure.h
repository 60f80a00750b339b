/*
 * Who is that?  A process looked at through os/ and turned into the facts that
 * trust/ judges (wire 4.2, 4.4).  Everything here hashes an image: for jobs.
 */
#ifndef GK_LOCAL_MEASURE_H
#define GK_LOCAL_MEASURE_H

#include "trust/attest.h"

struct gk_install;

/* The program that started this one; not ok where it could not be learnt, or
 * changed meanwhile. */
void	gk_measure_harness(struct genkan_ctx *, struct gk_measure *ret);

/*
 * The other end of a connected socket.  An image of ours is not ok unless its
 * mapped code passes; one of another user is not measured at all.
 */
void	gk_measure_peer(struct genkan_ctx *, int fd,
	    const struct gk_install *, struct gk_peer *ret);
/* The same for an image that is hashed quickly: 0, or GENKAN_E_LIMIT for a
 * larger one, of which nothing is known then. */
int	gk_measure_peer_quick(struct genkan_ctx *, int fd,
	    const struct gk_install *, struct gk_peer *ret);

/* A process by number, as a lock file names it. */
void	gk_measure_pid(struct genkan_ctx *, int64_t pid,
	    const struct gk_install *, struct gk_peer *ret);

#endif
