/* Inside <genkan/server.h>; for api/server*.c alone. */
#ifndef GK_API_SERVER_IMPL_H
#define GK_API_SERVER_IMPL_H

#include "genkan/server.h"

#include "api/dispatch.h"
#include "api/job.h"
#include "api/userstore.h"
#include "engine/server.h"
#include "local/stores.h"

/* Connections whose image takes long to hash wait here, one is looked at at a
 * time; whoever finds no place is dropped.  They leave most of the 32 places
 * of set-up, and the processor, to others. */
#define SLOW_MAX	8

struct genkan_server {
	struct genkan_ctx	*ctx;
	struct gk_dispatch	 dispatch;
	struct gk_server	*m;
	struct genkan_leg	*stdio;		/* until it was asked for */
	struct gk_ground	*ground;
	struct gk_stores	 stores;
	struct gk_userstore	 own;		/* over them, if one was given */
	struct gk_jobs		 jobs;
	struct gk_evq		 events;
	struct gk_replaced	 replaced;
	int			 listener;	/* the program's; -1: none */
	int64_t			 glanced;	/* last look at the image */
	int			 slow[SLOW_MAX];	/* descriptors */
	size_t			 nslow;
	bool			 slow_busy;
	bool			 electing;	/* a round is under way */
	bool			 hashing;	/* a look at the image is */
	uint8_t			 secret[GK_SECRET_HEX];	/* of a lock of ours */
	bool			 bound;		/* lock and socket may be ours */
	bool			 give_up;	/* they are to be given up */
	bool			 unlisten;	/* to be reported */
	bool			 leaving;
	bool			 over;		/* EXIT was reported */
	int			 status;
};

/* What the machine asks for: each is told to it, at once or by a job. */
void	gk_serverjob_measure(struct genkan_server *);
void	gk_serverjob_install(struct genkan_server *);
void	gk_serverjob_elect(struct genkan_server *, bool dial);

/* Lock and socket are removed if they are ours; not had the lock, it is tried
 * again at the next sweep. */
void	gk_server_give_up(struct genkan_server *, int wait_ms);

/* Looks at the own image (3.5), and hashes it if need be. */
void	gk_server_glance(struct genkan_server *);

#endif
