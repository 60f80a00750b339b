/*
 * run.lock on disk (wire 2.3).  dir is the runtime directory, opened.
 */
#ifndef GK_LOCAL_LOCKFILE_H
#define GK_LOCAL_LOCKFILE_H

#include "os/why.h"
#include "records/runlock.h"

/* 0; GENKAN_E_NOENT when there is none; any other error: unreadable.  *ret
 * holds the secret: wipe it when done. */
int	gk_lockfile_read(struct genkan_ctx *, int dir, struct gk_runlock *ret,
	    struct gk_why *);

/* Replaces the file, by way of run.lock.tmp.  Not synced: it does not outlive
 * the boot. */
int	gk_lockfile_write(struct genkan_ctx *, int dir,
	    const struct gk_runlock *, struct gk_why *);

/*
 * The broker that a lock names, if it may be removed: the socket it records,
 * only where that is a socket inside the runtime directory, and the lock.
 */
int	gk_lockfile_remove(int dir, const char *runtime,
	    const struct gk_runlock *, struct gk_why *);

#endif
