/*
 * Changing the trust record: control.md 5.1 and 12.1.  One place reads,
 * changes, stamps and writes, so that no act can forget an epoch.
 *
 * Takes the record lock and so may wait for two seconds: for jobs and for the
 * command line.  The audit comes after the lock is dropped, from the caller.
 */
#ifndef GK_TRUST_CHANGE_H
#define GK_TRUST_CHANGE_H

#include "records/store.h"
#include "records/trustrec.h"

/* Which markers a change stamps.  Clients and enrollments move only epoch. */
#define GK_SCOPE_KILL		1u
#define GK_SCOPE_HOST_KEY	2u
#define GK_SCOPE_POLICY		4u
#define GK_SCOPE_LANG		8u

#define GK_CHANGE_NOTHING	1	/* of apply: no write is needed */

/* What a grant leaves free in the record, so that all epochs can grow to their
 * longest and whoever takes power away is never told that it is full. */
#define GK_TRUST_SPARE		128

struct gk_change {
	unsigned	  scopes;
	/*
	 * Edits the record as it is now: 0; GK_CHANGE_NOTHING; or an error of
	 * its own, and nothing is written.  Called again, with a fresh record,
	 * when another writer was faster.  May be NULL: only stamps.
	 */
	int		(*apply)(void *user, struct gk_trustrec *);
	void		 *user;
	size_t		  spare;	/* bytes to be left free */
};

/*
 * 0 and the new epoch, or GK_CHANGE_NOTHING and the present one (epoch may be
 * NULL).  Errors, each with a sentence in why: GENKAN_E_LOCKED, naming the
 * lock; those of an unreadable record, which is never touched; GENKAN_E_RANGE
 * when the epoch would pass the integer bound; GENKAN_E_TOO_LARGE;
 * GENKAN_E_UNSUPPORTED for a store that cannot write; what apply said.
 */
int	gk_trust_change(struct genkan_ctx *, const struct gk_store *,
	    const struct gk_change *, uint64_t *epoch, char *why,
	    size_t whylen);

/* The same for a caller who holds the lock and writes more than this. */
int	gk_trust_change_held(struct genkan_ctx *, const struct gk_store *,
	    struct gk_hold *, const struct gk_change *, uint64_t *epoch,
	    char *why, size_t whylen);

#endif
