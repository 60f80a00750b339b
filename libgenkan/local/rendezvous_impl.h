/* What the two halves of local/rendezvous share: electing and dialling. */
#ifndef GK_LOCAL_RENDEZVOUS_IMPL_H
#define GK_LOCAL_RENDEZVOUS_IMPL_H

#include "local/measure.h"
#include "local/rendezvous.h"
#include "os/why.h"

enum gk_connect {
	GK_CONNECT_OK,
	GK_CONNECT_NONE,		/* nobody there; 3.2 was applied */
	GK_CONNECT_UNMEASURABLE,	/* somebody, but nothing can be said */
	GK_CONNECT_FOREIGN		/* another user or program */
};

/* 5.2 steps 2 and 3 without the state directory.  *fd is -1 unless OK. */
enum gk_connect gk_rendezvous_connect(struct genkan_ctx *,
	    const struct gk_rendezvous *, const struct gk_runlock *, int *fd,
	    struct gk_why *, struct gk_notes *);

/* The sentence of 2.4. */
void	gk_rendezvous_mismatch(const struct gk_runlock *,
	    const struct gk_place *, char ret[512]);

#endif
