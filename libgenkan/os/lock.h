#ifndef GK_OS_LOCK_H
#define GK_OS_LOCK_H

#include "os/why.h"

/*
 * An exclusive flock on an empty file of a hardened directory: the runtime
 * lock and the record lock.  It belongs to the open file, so two holders in
 * one process exclude each other too.
 */
#define GK_LOCK_FOREVER	(-1)

/* Waits at most @ms, or GK_LOCK_FOREVER.  0 and a descriptor to drop, or
 * GENKAN_E_LOCKED, GENKAN_E_ACCESS (a symlink or something else lies there),
 * GENKAN_E_IO.  Blocks: for jobs. */
int	gk_lock_take(int dir, const char *name, int ms, int *ret,
	    struct gk_why *);

/* Unlocks and closes; -1 is fine. */
void	gk_lock_drop(int lock);

#endif
