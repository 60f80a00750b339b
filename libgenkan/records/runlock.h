/*
 * run.lock: where the current broker listens, and the secret of its run.  It
 * has no version and is read leniently, so that a newer broker stays
 * readable; an incompatible change takes a new file name.
 *
 * The secret is cut out of the raw bytes and never enters a json_t, whose
 * strings cannot be wiped.
 */
#ifndef GK_RECORDS_RUNLOCK_H
#define GK_RECORDS_RUNLOCK_H

#include "contract/schema.h"
#include "base/base.h"

struct gk_buf;

#define GK_RUNLOCK_PATH_MAX	4096

struct gk_runlock {
	char		endpoint[GK_RUNLOCK_PATH_MAX];
	char		state_dir[GK_RUNLOCK_PATH_MAX];
	uint32_t	pid;
	char		secret[GK_SECRET_HEX];	/* not terminated */
};

/*
 * 0; GENKAN_E_TOO_LARGE, GENKAN_E_RECORD_CORRUPT, GENKAN_E_NOMEM with the
 * reason in why.  The caller wipes bytes and *ret when done with them
 * (gk_wipe()); on failure *ret holds no secret.
 */
int	gk_runlock_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_runlock *ret, char *why, size_t whylen);

/* One line with LF, appended; GENKAN_E_INVAL for values that would not be
 * read back. */
int	gk_runlock_format(const struct gk_runlock *, struct gk_buf *ret);

#endif
