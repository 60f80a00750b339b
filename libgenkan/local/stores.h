/*
 * The record store of this user: the vtable of records/store.h over the state
 * directory, and the secret of run.lock.  A directory that was replaced or
 * damaged is noticed (local/statedir.h); a missing one is one without files.
 *
 * Stamps: a file younger than two seconds could be written again without its
 * times moving.  Its stamp gets GK_STAMP_YOUNG in .size, by which it equals no
 * look and is parsed again; replace() takes it for what it is.
 */
#ifndef GK_LOCAL_STORES_H
#define GK_LOCAL_STORES_H

#include "contract/schema.h"
#include "local/auditlog.h"
#include "local/place.h"
#include "local/statedir.h"
#include "records/store.h"

#define GK_STAMP_YOUNG	((uint64_t)1 << 63)

struct gk_stores {
	struct gk_store		 store;		/* .user is this struct */
	struct genkan_ctx	*ctx;
	const struct gk_place	*place;		/* borrowed */
	struct gk_statedir	 dir;
	char			*path[GK_RECORD_END];
	char			*trail;		/* path of the audit trail */
	struct gk_auditlog	 audit;
};

/* 0 or GENKAN_E_NOMEM.  The struct must not move afterwards. */
int	gk_stores_init(struct gk_stores *, struct genkan_ctx *,
	    const struct gk_place *);
void	gk_stores_done(struct gk_stores *);

#endif
