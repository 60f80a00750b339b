/*
 * A record store of the program's, <genkan/store.h>, as the machines see one.
 * What the program does not keep, such as the secret of run.lock, is asked of
 * the store below, if there is one.
 */
#ifndef GK_API_USERSTORE_H
#define GK_API_USERSTORE_H

#include "genkan/store.h"
#include "records/store.h"

struct gk_userstore {
	struct genkan_ctx	*ctx;
	genkan_store		 given;		/* .load NULL: none was */
	struct gk_store		 store;
	const struct gk_store	*below;		/* borrowed, or NULL */
	uint64_t		 dropped;	/* lines lost since the last one */
};

/*
 * Copies what the caller gave, NULL for nothing.  0; GENKAN_E_INVAL or
 * GENKAN_E_ABI, or failed if that is an error already: free_user was called
 * then, wherever the table could be read.  A copy by value is as good, until
 * gk_userstore_over().
 */
int	gk_userstore_take(struct gk_userstore *, struct genkan_ctx *,
	    const genkan_store *, int failed);
/* The store for a machine; below may be NULL.  The struct must not move
 * afterwards. */
struct gk_store *gk_userstore_over(struct gk_userstore *,
	    const struct gk_store *below);
void	gk_userstore_done(struct gk_userstore *);

#endif
