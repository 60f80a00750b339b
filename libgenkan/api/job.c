#include "api/job.h"

#include "api/door.h"
#include "base/alloc.h"
#include "base/ctx.h"
#include "base/log.h"
#include "crypto/ossl.h"
#include "os/file.h"
#include "proto/machine.h"

/* ------------------------------------------------------------------ events */

void
gk_evq_init(struct gk_evq *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

void
gk_evq_push(struct gk_evq *q, struct gk_evnode *node)
{
	node->next = NULL;
	*q->tail = node;
	q->tail = &node->next;
}

static struct gk_evnode *
pop(struct gk_evq *q)
{
	struct gk_evnode *node = q->head;

	if (node == NULL)
		return NULL;
	q->head = node->next;
	if (q->head == NULL)
		q->tail = &q->head;
	return node;
}

/* The caller's struct may be that of an older header, and is then shorter. */
#define EVENT_V1	(offsetof(genkan_event, textlen) + sizeof(size_t))

bool
gk_event_fits(const genkan_event *ret)
{
	return ret != NULL && ret->size >= EVENT_V1 && ret->size <= 4096;
}

int
gk_event_give(const genkan_event *ev, genkan_event *ret)
{
	const size_t size = ret->size;
	genkan_event copy = *ev;

	if (!gk_event_fits(ret))
		return GENKAN_E_INVAL;
	copy.size = size;
	memset(ret, 0, size);
	memcpy(ret, &copy, GK_MIN(size, sizeof(copy)));
	return 1;
}

int
gk_evq_give(struct gk_evq *q, struct genkan_ctx *ctx, genkan_event *ret)
{
	struct gk_evnode *node = pop(q);
	int r;

	if (node == NULL)
		return 0;
	r = gk_event_give(&node->ev, ret);
	if (node->ev.kind == GENKAN_EV_JOB)
		node->ev.job->node = node;
	else
		gk_free(ctx, node);
	return r;
}

void
gk_evq_drop(struct gk_evq *q, struct genkan_ctx *ctx)
{
	struct gk_evnode *node;

	while ((node = pop(q)) != NULL) {
		if (node->ev.kind == GENKAN_EV_JOB) {
			node->ev.job->node = node;
			genkan_job_done(node->ev.job);
			continue;
		}
		gk_file_close(node->ev.fd);
		gk_leg_free(node->ev.leg);
		gk_free(ctx, node);
	}
}

/* ------------------------------------------------------------------ ground */

static int
check_state(const struct gk_place *place, struct gk_why *why)
{
	int r, fd;

	r = gk_dirs_open(place->state, &fd, why);
	if (r == 0)
		gk_file_close(fd);
	else if (r == GENKAN_E_NOENT)
		r = 0;
	else
		gk_why_prefix(why, "state directory");
	return r;
}

int
gk_ground_new(struct genkan_ctx *ctx, struct gk_ground **ret,
    struct gk_why *why)
{
	struct gk_ground *g;
	int r;

	g = gk_calloc(ctx, 1, sizeof(*g));
	if (g == NULL)
		return gk_why_set(why, GENKAN_E_NOMEM, 0, "no memory");
	g->ctx = ctx;
	g->refs = 1;
	g->rv.place = &g->place;
	g->rv.install = &g->install;
	r = gk_place_resolve(&g->place, why);
	if (r == 0)
		r = check_state(&g->place, why);
	if (r < 0) {
		gk_ground_unref(g);
		return r;
	}
	*ret = g;
	return 0;
}

void
gk_ground_unref(struct gk_ground *g)
{
	if (g != NULL && --g->refs == 0)
		gk_free(g->ctx, g);
}

/* -------------------------------------------------------------------- jobs */

static void
job_free(struct genkan_job *job)
{
	struct gk_ground *ground = job->ground;
	struct genkan_ctx *ctx = ground->ctx;

	if (job->prev != NULL) {
		*job->prev = job->next;
		if (job->next != NULL)
			job->next->prev = job->prev;
		job->set->n--;
	}
	if (job->ctx != NULL) {
		gk_ossl_free(job->ctx);
		gk_ctx_free(job->ctx);
	}
	gk_key_ask_free(ctx, job->ask);
	gk_free(ctx, job->node);
	/* Secrets of handshakes; of the rest the door asks to the last. */
	gk_wipe(&job->u, sizeof(job->u));
	gk_free(ctx, job);
	gk_ground_unref(ground);
}

struct genkan_job *
gk_job_start(struct gk_jobs *set, gk_job_fn *run, gk_job_fn *lost,
    gk_job_done_fn *done)
{
	struct genkan_job *job;

	job = gk_calloc(set->ctx, 1, sizeof(*job));
	if (job == NULL)
		return NULL;
	job->ground = set->ground;
	job->ground->refs++;
	job->run = run;
	job->lost = lost;
	job->done = done;
	job->fd = -1;
	job->node = gk_calloc(set->ctx, 1, sizeof(*job->node));
	if (job->node == NULL ||
	    gk_ctx_new(NULL, GK_LOG_NONE, &job->ctx) < 0 ||
	    (set->ctx->program_dir != NULL && (job->ctx->program_dir =
	    gk_strdup(job->ctx, set->ctx->program_dir)) == NULL)) {
		job_free(job);
		return NULL;
	}
	job->set = set;
	job->next = set->live;
	job->prev = &set->live;
	if (job->next != NULL)
		job->next->prev = &job->next;
	set->live = job;
	set->n++;
	gk_job_report(job, GENKAN_EV_JOB, -1, NULL);
	return job;
}

void
gk_job_report(struct genkan_job *job, int kind, int fd,
    struct genkan_leg *leg)
{
	struct gk_evnode *node = job->node;

	job->node = NULL;
	node->ev.kind = kind;
	node->ev.fd = fd;
	node->ev.leg = leg;
	node->ev.job = kind == GENKAN_EV_JOB ? job : NULL;
	gk_evq_push(job->set->events, node);
}

void
gk_jobs_detach(struct gk_jobs *set)
{
	struct genkan_job *job;

	while ((job = set->live) != NULL) {
		set->live = job->next;
		job->set = NULL;
		job->prev = NULL;
		job->next = NULL;
	}
	set->n = 0;
}

void
genkan_job_run(genkan_job *job)
{
	if (job == NULL || job->ran)
		return;
	job->run(job);
	job->ran = true;
}

void
genkan_job_done(genkan_job *job)
{
	bool ran;

	if (job == NULL || GK_DOOR_IN(job->ground) < 0)
		return;
	ran = job->ran;
	job->ran = true;	/* too late to be run from inside a log */
	if (!ran && job->set != NULL) {
		gk_log(job->set->ctx, GK_LOG_ERROR, "job", "lost", "slow work "
		    "is given up: %s", GK_JOB_LOST);
		if (job->lost != NULL)
			job->lost(job);
		ran = true;
	}
	if (job->set != NULL)
		gk_notes_log(&job->notes, job->set->ctx);
	if (ran)
		job->done(job->set != NULL ? job->set->owner : NULL, job);
	gk_file_close(job->fd);
	job_free(job);
}

/* ------------------------------------------------------------- install set */

static void
install(struct genkan_job *job, unsigned role)
{
	job->r = gk_install_scan(job->ctx, role, &job->u.install, &job->notes,
	    &job->why);
}

void
gk_job_install_server(struct genkan_job *job)
{
	install(job, GK_ROLE_SERVER);
}

void
gk_job_install_host(struct genkan_job *job)
{
	install(job, GK_ROLE_HOST);
}

void
gk_job_install_lost(struct genkan_job *job)
{
	job->r = gk_why_set(&job->why, GENKAN_E_LIMIT, 0, "%s", GK_JOB_LOST);
}

int
gk_job_installed(struct genkan_job *job)
{
	if (job->r < 0)
		return job->r;
	job->ground->install = job->u.install;
	job->ground->installed = true;
	return 0;
}
