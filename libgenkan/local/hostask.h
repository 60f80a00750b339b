/*
 * What the extension asks of a host and only the disk can answer: the health
 * report and the registration with browsers (control.md 2.5).  It hashes
 * programs and waits for a broker's word, so it is for jobs.
 */
#ifndef GK_LOCAL_HOSTASK_H
#define GK_LOCAL_HOSTASK_H

#include "engine/host.h"
#include "records/store.h"

/*
 * 0 and the finished value of the answer's "report" or "browsers", appended
 * to ret; or an error with the sentence for "error".
 */
int	gk_hostask_run(struct genkan_ctx *, const struct gk_host_ask *,
	    struct gk_buf *ret, char why[GK_WHY_FULL]);

#endif
