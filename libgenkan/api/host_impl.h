/* Inside <genkan/host.h>; for api/host*.c alone. */
#ifndef GK_API_HOST_IMPL_H
#define GK_API_HOST_IMPL_H

#include "genkan/host.h"

#include "api/dispatch.h"
#include "api/job.h"
#include "engine/host.h"
#include "local/parent.h"
#include "local/stores.h"

struct genkan_host {
	struct genkan_ctx	*ctx;
	struct gk_dispatch	 dispatch;
	struct gk_host		*m;
	struct genkan_leg	*stdio;		/* until it was asked for */
	struct gk_ground	*ground;
	struct gk_stores	 stores;
	struct gk_jobs		 jobs;
	struct gk_evq		 events;
	struct gk_parent	 parent;	/* as it was at start */
	bool			 installing;	/* nothing is asked before */
	bool			 leaving;
	bool			 over;
	int			 status;
};

/* What the machine asks for: each is told to it, at once or by a job. */
void	gk_hostjob_probe(struct genkan_host *, bool connect);
void	gk_hostjob_dial(struct genkan_host *);
void	gk_hostjob_look(struct genkan_host *);
void	gk_hostjob_ask(struct genkan_host *, const struct gk_host_ask *);
void	gk_hostjob_key(struct genkan_host *, struct gk_key_ask *);

#endif
