/*
 * Slow work of a server or a host, and the events that come of it.
 *
 * A job has a context of its own, with the C library's memory and the system's
 * randomness, so that running it touches nothing of its owner's; what it reads
 * besides is the ground, which stays as it is while jobs run.  Jobs, ground and
 * event nodes are made and freed on the owner's thread only.
 *
 * Every job carries the node of its event, and gets it back when the event was
 * pulled: so the result of a job can always be reported, memory or not.
 */
#ifndef GK_API_JOB_H
#define GK_API_JOB_H

#include "genkan/event.h"
#include "base/buf.h"
#include "engine/control.h"
#include "local/measure.h"
#include "local/rendezvous.h"
#include "records/store.h"

struct gk_evnode {
	struct gk_evnode	*next;
	genkan_event		 ev;
};

/* Events not pulled yet, in order. */
struct gk_evq {
	struct gk_evnode	*head, **tail;
};

void	gk_evq_init(struct gk_evq *);
void	gk_evq_push(struct gk_evq *, struct gk_evnode *);
/* The first one, to the caller of next(): 1, 0 when there is none, or INVAL. */
int	gk_evq_give(struct gk_evq *, struct genkan_ctx *, genkan_event *ret);
/* What nobody pulled, when the owner is gone: connections are closed, jobs
 * never run. */
void	gk_evq_drop(struct gk_evq *, struct genkan_ctx *);
/* What the caller of next() gave is one that events fit into. */
bool	gk_event_fits(const genkan_event *);
/* Copies an event there: 1, or INVAL. */
int	gk_event_give(const genkan_event *, genkan_event *ret);

/* What jobs read. */
struct gk_ground {
	struct genkan_ctx	*ctx;
	size_t			 refs;
	bool			 installed;
	struct gk_place		 place;
	struct gk_install	 install;
	struct gk_rendezvous	 rv;		/* the two above */
};

/*
 * Resolves the directories.  A state directory that cannot be trusted ends the
 * start of a program (10.1 step 2, 12.2 step 1); a missing one is one without
 * files.  0, GENKAN_E_NOMEM, as gk_place_resolve() and gk_dirs_open().
 */
int	gk_ground_new(struct genkan_ctx *, struct gk_ground **ret,
	    struct gk_why *);
void	gk_ground_unref(struct gk_ground *);

struct gk_jobs {
	struct genkan_ctx	*ctx;
	void			*owner;
	struct gk_ground	*ground;
	struct gk_evq		*events;
	struct genkan_job	*live;
	size_t			 n;
};

/* What a job says that nobody ran. */
#define GK_JOB_LOST	"no thread could be had for it"

/*
 * run does it.  lost fills in the answer where it was not run, which is a
 * failure like any other: somebody waits for it.  NULL where an answer of
 * zeros says as much.
 */
typedef void gk_job_fn(struct genkan_job *);
/* owner is NULL when it is gone: free what the job brought. */
typedef void gk_job_done_fn(void *owner, struct genkan_job *);

struct genkan_job {
	struct genkan_job	*next, **prev;	/* among the owner's */
	struct gk_jobs		*set;		/* NULL: the owner is gone */
	struct gk_ground	*ground;
	struct gk_evnode	*node;		/* NULL while it is queued */
	struct genkan_ctx	*ctx;		/* its own */
	gk_job_fn		*run;
	gk_job_fn		*lost;
	gk_job_done_fn		*done;
	bool			 ran;
	struct gk_notes		 notes;
	/* Question and answer; which of them is the job's business. */
	bool			 flag;		/* dial, connect */
	int			 fd;		/* -1: none; else the job's */
	int			 r;
	struct gk_why		 why;
	struct gk_replaced	 replaced;
	struct gk_key_ask	*ask;		/* host key; ours while set */
	union {
		struct gk_measure	measure;
		struct gk_install	install;
		struct gk_election	election;
		struct gk_peer		peer;
		struct {
			struct gk_dialling	d;
			char			endpoint[GK_RUNLOCK_PATH_MAX];
			char			self[65];	/* own hash, or "" */
		} dial;
		struct {
			enum gk_probe		probe;
			char			reason[512];
		} probe;
		struct {
			struct gk_host_ask	ask;
			struct gk_buf		value;
			char			why[GK_WHY_FULL];
		} ask;
	} u;
};

/* Queues a GENKAN_EV_JOB.  NULL on lack of memory. */
struct genkan_job *gk_job_start(struct gk_jobs *, gk_job_fn *run,
	    gk_job_fn *lost, gk_job_done_fn *);
/* The owner goes; its jobs end without effect. */
void	gk_jobs_detach(struct gk_jobs *);

/* The node of a job that is done, for another event of the owner's. */
void	gk_job_report(struct genkan_job *, int kind, int fd,
	    struct genkan_leg *);

/* The install set, wanted by both: .r and .why, .u.install. */
void	gk_job_install_server(struct genkan_job *);
void	gk_job_install_host(struct genkan_job *);
void	gk_job_install_lost(struct genkan_job *);
/* Takes the answer over into the ground: its .r. */
int	gk_job_installed(struct genkan_job *);

#endif
