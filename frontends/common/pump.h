/*
 * Bytes between descriptors and legs.  One read and one write for a line that
 * fits: what a leg has to say is written before anybody is asked whether the
 * descriptor would take it.
 */
#ifndef GK_FRONTENDS_PUMP_H
#define GK_FRONTENDS_PUMP_H

#include <stdint.h>

#include <genkan/leg.h>

#include "common/loop.h"

struct pumps;

/* before is called ahead of bytes that are fed: the time is told there.  What
 * they brought about is for pumps_write(), once in a round of the loop. */
struct pumps *pumps_new(struct loop *, loop_fn *before, void *user);
void	pumps_free(struct pumps *);

/*
 * Joins a leg to descriptors, which may be one and the same.  All three are
 * taken, on failure too.  keep: the output stays open when the leg ends by
 * itself, until the process ends.  0, or -1 on lack of memory.
 */
int	pumps_join(struct pumps *, int in, int out, genkan_leg *, int keep);

/* Writes what the legs have. */
void	pumps_write(struct pumps *);
/* Offers what was left over, asks what the legs want, ends those that are over.
 * Returns 1 if that may have given some leg something to do or to say. */
int	pumps_settle(struct pumps *);

/* There was nothing to do for some time: what was taken for large messages is
 * given back. */
void	pumps_rest(struct pumps *);
/* 1 if there is something to give back, however little has passed: also after
 * pumps_rest(), where more lies in a pipe than it held before. */
int	pumps_wide(const struct pumps *);

/* Bytes read and written so far. */
uint64_t pumps_bytes(const struct pumps *);

#endif
