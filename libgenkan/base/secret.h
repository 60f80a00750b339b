/*
 * A key in guarded memory: between inaccessible pages, out of core dumps and
 * swap, read-only once filled, wiped when freed.  Costs 3 to 4 pages each, so
 * it is for keys only.  Not from the context's allocator: that one could
 * neither lock nor guard it.
 */
#ifndef GK_BASE_SECRET_H
#define GK_BASE_SECRET_H

#include "base/base.h"

struct gk_secret {
	uint8_t	*ptr;
	size_t	 len;
};

/* Room to fill; gk_secret_seal() when done.  0 or GENKAN_E_NOMEM. */
int	gk_secret_init(struct gk_secret *, size_t len);
/* Copied and sealed; the caller wipes its own copy. */
int	gk_secret_set(struct gk_secret *, const void *, size_t len);
void	gk_secret_seal(struct gk_secret *);
/* A zeroed struct is fine. */
void	gk_secret_done(struct gk_secret *);

#endif
