/*
 * Threads for slow work.  Started when there is a job and nobody is idle, gone
 * after a few seconds without one, so that a program at rest is one thread.
 * What a thread touches is the job it runs and nothing else.
 */
#ifndef GK_FRONTENDS_JOBS_H
#define GK_FRONTENDS_JOBS_H

#include <genkan/event.h>

#include "common/loop.h"

struct jobs;

/* NULL on lack of memory. */
struct jobs *jobs_new(struct loop *);
/*
 * Takes the job.  Where there is no thread for it, it is handed back as it is
 * and has failed: it may wait for others, and the loop must not.
 */
void	jobs_submit(struct jobs *, genkan_job *);
/* On the loop's thread, when it was woken: hands finished jobs back.  Returns
 * how many. */
int	jobs_collect(struct jobs *);
/* 1 when no job is under way: then jobs_free() may be called. */
int	jobs_idle(struct jobs *);
void	jobs_free(struct jobs *);

#endif
