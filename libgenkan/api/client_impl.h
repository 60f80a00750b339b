/* An embedder's client: client.c, and the job that dials for it. */
#ifndef GK_API_CLIENT_IMPL_H
#define GK_API_CLIENT_IMPL_H

#include "genkan/client.h"

#include "api/dispatch.h"
#include "api/job.h"
#include "engine/embed.h"

struct genkan_client {
	struct genkan_ctx	*ctx;
	struct gk_dispatch	 dispatch;
	struct gk_embed		*m;
	struct gk_ground	*ground;
	struct gk_jobs		 jobs;
	struct gk_evq		 events;
	char			 self[65];	/* hash of the program, or "" */
};

/* The machine wants to be dialled; what comes of it is told to the machine. */
void	gk_client_dial(struct genkan_client *);

#endif
