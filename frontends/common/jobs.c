#include "common/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* One may wait for a lock and some hash images, while others must go on. */
#define THREADS_MAX	8
#define IDLE_S		5
#define STACK		(256 * 1024)

struct item {
	struct item	*next;
	genkan_job	*job;
};

struct queue {
	struct item	*head, **tail;
};

struct worker {
	struct jobs	*jobs;
	pthread_t	 id;
	int		 live;
};

struct jobs {
	struct loop	*loop;
	pthread_mutex_t	 mutex;
	pthread_cond_t	 work;		/* for idle threads */
	struct queue	 todo, done;
	struct worker	 worker[THREADS_MAX];
	int		 threads, idle;
	int		 pending;	/* todo, running and done */
	int		 closing;
};

static void
push(struct queue *q, struct item *it)
{
	it->next = NULL;
	*q->tail = it;
	q->tail = &it->next;
}

static struct item *
pop(struct queue *q)
{
	struct item *it = q->head;

	if (it != NULL) {
		q->head = it->next;
		if (q->head == NULL)
			q->tail = &q->head;
	}
	return it;
}

/* Mutex held.  NULL: nothing came for a while. */
static struct item *
wait_for_work(struct jobs *j)
{
	struct timespec until;
	int r = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_S;
	j->idle++;
	while (j->todo.head == NULL && !j->closing && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&j->work, &j->mutex, &until);
	j->idle--;
	return pop(&j->todo);
}

/* A thread that ends for want of work is forgotten; one that is told to end is
 * waited for, so that nothing of it is left when the process exits. */
static void *
thread(void *user)
{
	struct worker *w = user;
	struct jobs *j = w->jobs;
	struct item *it;

	(void)pthread_mutex_lock(&j->mutex);
	while ((it = wait_for_work(j)) != NULL) {
		(void)pthread_mutex_unlock(&j->mutex);
		genkan_job_run(it->job);
		(void)pthread_mutex_lock(&j->mutex);
		push(&j->done, it);
		loop_wake(j->loop);
	}
	if (!j->closing) {
		w->live = 0;
		j->threads--;
		(void)pthread_detach(pthread_self());
	}
	(void)pthread_mutex_unlock(&j->mutex);
	return NULL;
}

/* Mutex held. */
static void
more_threads(struct jobs *j)
{
	struct worker *w = j->worker;
	pthread_attr_t attr;

	if (j->idle > 0 || j->threads == THREADS_MAX ||
	    pthread_attr_init(&attr) != 0)
		return;
	while (w->live)
		w++;
	w->jobs = j;
	(void)pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&w->id, &attr, thread, w) == 0) {
		w->live = 1;
		j->threads++;
	}
	(void)pthread_attr_destroy(&attr);
}

void
jobs_submit(struct jobs *j, genkan_job *job)
{
	struct item *it = malloc(sizeof(*it));
	int alone;

	if (it != NULL) {
		it->job = job;
		(void)pthread_mutex_lock(&j->mutex);
		j->pending++;
		push(&j->todo, it);
		more_threads(j);
		alone = j->threads == 0;
		if (alone) {
			(void)pop(&j->todo);
			j->pending--;
		} else {
			(void)pthread_cond_signal(&j->work);
		}
		(void)pthread_mutex_unlock(&j->mutex);
		if (!alone)
			return;
		free(it);
	}
	genkan_job_done(job);
}

int
jobs_collect(struct jobs *j)
{
	struct item *it, *next;
	int n = 0;

	(void)pthread_mutex_lock(&j->mutex);
	it = j->done.head;
	j->done.head = NULL;
	j->done.tail = &j->done.head;
	(void)pthread_mutex_unlock(&j->mutex);
	for (; it != NULL; it = next, n++) {
		next = it->next;
		genkan_job_done(it->job);
		free(it);
	}
	if (n > 0) {
		(void)pthread_mutex_lock(&j->mutex);
		j->pending -= n;
		(void)pthread_mutex_unlock(&j->mutex);
	}
	return n;
}

int
jobs_idle(struct jobs *j)
{
	int idle;

	(void)pthread_mutex_lock(&j->mutex);
	idle = j->pending == 0;
	(void)pthread_mutex_unlock(&j->mutex);
	return idle;
}

struct jobs *
jobs_new(struct loop *loop)
{
	struct jobs *j = calloc(1, sizeof(*j));
	pthread_condattr_t attr;

	if (j == NULL)
		return NULL;
	j->loop = loop;
	j->todo.tail = &j->todo.head;
	j->done.tail = &j->done.head;
	(void)pthread_mutex_init(&j->mutex, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&j->work, &attr);
	(void)pthread_condattr_destroy(&attr);
	return j;
}

void
jobs_free(struct jobs *j)
{
	int i;

	if (j == NULL)
		return;
	(void)pthread_mutex_lock(&j->mutex);
	j->closing = 1;
	(void)pthread_cond_broadcast(&j->work);
	(void)pthread_mutex_unlock(&j->mutex);
	for (i = 0; i < THREADS_MAX; i++)	/* nobody changes it any more */
		if (j->worker[i].live)
			(void)pthread_join(j->worker[i].id, NULL);
	(void)pthread_cond_destroy(&j->work);
	(void)pthread_mutex_destroy(&j->mutex);
	free(j);
}
