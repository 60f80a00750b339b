/*
 * What a server asks the machine that it runs on: who started it, what is
 * installed, who is the broker, and whether the own image is the current one.
 */
#include "api/server_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"

/* ---------------------------------------------------------------- measuring */

static void
run_measure(struct genkan_job *job)
{
	gk_measure_harness(job->ctx, &job->u.measure);
}

static void
done_measure(void *owner, struct genkan_job *job)
{
	struct genkan_server *s = owner;

	if (s != NULL)
		gk_server_measured(s->m, &job->u.measure);
}

void
gk_serverjob_measure(struct genkan_server *s)
{
	struct gk_measure none = { .ok = false };

	if (gk_job_start(&s->jobs, run_measure, NULL, done_measure) == NULL)
		gk_server_measured(s->m, &none);
}

static void
done_install(void *owner, struct genkan_job *job)
{
	struct genkan_server *s = owner;

	if (s != NULL)
		gk_server_installed(s->m, gk_job_installed(job) < 0 ?
		    job->why.text : NULL);
}

void
gk_serverjob_install(struct genkan_server *s)
{
	if (gk_job_start(&s->jobs, gk_job_install_server,
	    gk_job_install_lost, done_install) == NULL)
		gk_server_installed(s->m, "no memory");
}

/* ----------------------------------------------------------------- election */

static void
run_elect(struct genkan_job *job)
{
	gk_rendezvous_round(job->ctx, &job->ground->rv, &job->replaced,
	    job->flag, &job->u.election, &job->fd, &job->notes);
}

static void
lost_elect(struct genkan_job *job)
{
	job->u.election.outcome = GK_ELECTED_RETRY;
	(void)snprintf(job->u.election.reason,
	    sizeof(job->u.election.reason), "%s", GK_JOB_LOST);
}

void
gk_server_give_up(struct genkan_server *s, int wait_ms)
{
	struct gk_notes notes = { 0 };

	s->give_up = s->bound && gk_rendezvous_leave(s->ctx,
	    &s->ground->place, s->secret, wait_ms, &notes) < 0;
	if (!s->give_up)
		s->bound = false;
	gk_notes_log(&notes, s->ctx);
}

static void
elected(struct genkan_server *s, struct genkan_job *job)
{
	const enum gk_elected outcome = job->u.election.outcome;
	struct genkan_leg *leg = NULL;

	s->replaced = job->replaced;
	if (outcome == GK_ELECTED_BROKER)
		s->bound = true;
	gk_server_elected(s->m, &job->u.election, &leg);
	if (leg != NULL) {
		gk_job_report(job, GENKAN_EV_SERVE, job->fd, leg);
		job->fd = -1;
	} else if (outcome == GK_ELECTED_BROKER && !s->leaving) {
		s->listener = job->fd;
		s->glanced = s->ctx->now_ms;
		gk_job_report(job, GENKAN_EV_LISTEN, job->fd, NULL);
		job->fd = -1;
	} else if (outcome == GK_ELECTED_BROKER) {
		gk_server_give_up(s, 0);	/* bound after we had left */
	}
}

static void
done_elect(void *owner, struct genkan_job *job)
{
	struct genkan_server *s = owner;

	if (s != NULL) {
		s->electing = false;
		elected(s, job);
	} else if (job->u.election.outcome == GK_ELECTED_BROKER) {
		/* Nobody is left to serve what was just bound. */
		(void)gk_rendezvous_leave(job->ctx, &job->ground->place,
		    job->u.election.secret, 0, NULL);
	}
	gk_wipe(job->u.election.secret, sizeof(job->u.election.secret));
}

void
gk_serverjob_elect(struct genkan_server *s, bool dial)
{
	struct gk_election none = { .outcome = GK_ELECTED_RETRY };
	struct genkan_leg *leg = NULL;
	struct genkan_job *job;

	job = gk_job_start(&s->jobs, run_elect, lost_elect, done_elect);
	if (job == NULL) {
		(void)snprintf(none.reason, sizeof(none.reason), "no memory");
		gk_server_elected(s->m, &none, &leg);
		return;
	}
	job->flag = dial;
	job->replaced = s->replaced;
	gk_rendezvous_secret(job->ctx, s->secret);
	memcpy(job->u.election.secret, s->secret, sizeof(s->secret));
	s->electing = true;
}

/* ---------------------------------------------------- the own image (3.5) */

static void
note_replaced(struct genkan_server *s)
{
	if (s->replaced.replaced)
		gk_server_replaced(s->m);
}

static void
run_look(struct genkan_job *job)
{
	(void)gk_replaced_look(job->ctx, &job->ground->install,
	    &job->replaced);
}

static void
done_look(void *owner, struct genkan_job *job)
{
	struct genkan_server *s = owner;

	if (s == NULL)
		return;
	s->hashing = false;
	s->replaced = job->replaced;
	note_replaced(s);
}

void
gk_server_glance(struct genkan_server *s)
{
	struct genkan_job *job;

	s->glanced = s->ctx->now_ms;
	if (s->give_up)
		gk_server_give_up(s, 0);
	if (s->hashing || s->listener < 0)
		return;
	if (gk_replaced_glance(&s->ground->install, &s->replaced) !=
	    GK_REPLACED_HASH) {
		note_replaced(s);
		return;
	}
	job = gk_job_start(&s->jobs, run_look, NULL, done_look);
	if (job != NULL) {
		job->replaced = s->replaced;
		s->hashing = true;
	}
}
