/* What a host asks the machine that it runs on. */
#include "api/host_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/err.h"
#include "local/hostask.h"
#include "local/hostkey.h"

static void
run_probe(struct genkan_job *job)
{
	job->u.probe.probe = gk_rendezvous_probe(job->ctx, &job->ground->rv,
	    job->flag, job->u.probe.reason);
}

static void
lost_probe(struct genkan_job *job)
{
	job->u.probe.probe = GK_PROBE_NONE;
}

static void
done_probe(void *owner, struct genkan_job *job)
{
	struct genkan_host *h = owner;

	if (h != NULL)
		gk_host_probed(h->m, job->u.probe.probe,
		    job->u.probe.probe == GK_PROBE_MISMATCH ?
		    job->u.probe.reason : NULL);
}

void
gk_hostjob_probe(struct genkan_host *h, bool connect)
{
	struct genkan_job *job;

	job = gk_job_start(&h->jobs, run_probe, lost_probe, done_probe);
	if (job == NULL)
		gk_host_probed(h->m, GK_PROBE_NONE, NULL);
	else
		job->flag = connect;
}

static void
run_dial(struct genkan_job *job)
{
	gk_rendezvous_dial(job->ctx, &job->ground->rv, &job->u.dial.d,
	    job->u.dial.endpoint, &job->fd, &job->notes);
}

static void
lost_dial(struct genkan_job *job)
{
	job->u.dial.d.outcome = GK_DIALLED_NONE;
	(void)snprintf(job->u.dial.d.reason, sizeof(job->u.dial.d.reason),
	    "%s", GK_JOB_LOST);
}

static void
done_dial(void *owner, struct genkan_job *job)
{
	struct genkan_host *h = owner;
	struct genkan_leg *leg = NULL;

	if (h != NULL)
		gk_host_dialled(h->m, &job->u.dial.d, &leg);
	if (leg != NULL) {
		gk_job_report(job, GENKAN_EV_SERVE, job->fd, leg);
		job->fd = -1;
	}
	gk_wipe(job->u.dial.d.secret, sizeof(job->u.dial.d.secret));
}

void
gk_hostjob_dial(struct genkan_host *h)
{
	struct gk_dialling none = { .outcome = GK_DIALLED_NONE,
	    .reason = "no memory" };
	struct genkan_leg *leg = NULL;

	if (gk_job_start(&h->jobs, run_dial, lost_dial, done_dial) == NULL)
		gk_host_dialled(h->m, &none, &leg);
}

void
gk_hostjob_look(struct genkan_host *h)
{
	char endpoint[GK_RUNLOCK_PATH_MAX];
	struct gk_broker_id id = { .endpoint = endpoint };

	if (gk_rendezvous_look(h->ctx, &h->ground->place, &id.pid,
	    endpoint) == 0)
		gk_host_looked(h->m, &id);
	else
		gk_host_looked(h->m, NULL);
}

static void
run_ask(struct genkan_job *job)
{
	gk_buf_init(&job->u.ask.value, job->ctx, GK_NATIVE_OUT_MAX);
	job->r = gk_hostask_run(job->ctx, &job->u.ask.ask, &job->u.ask.value,
	    job->u.ask.why);
}

static void
lost_ask(struct genkan_job *job)
{
	gk_buf_init(&job->u.ask.value, job->ctx, GK_NATIVE_OUT_MAX);
	job->r = GENKAN_E_LIMIT;
	(void)snprintf(job->u.ask.why, sizeof(job->u.ask.why), "%s",
	    GK_JOB_LOST);
}

static void
done_ask(void *owner, struct genkan_job *job)
{
	struct genkan_host *h = owner;

	if (h != NULL)
		gk_host_told(h->m, job->r, gk_buf_span(&job->u.ask.value),
		    job->u.ask.why);
	gk_buf_done(&job->u.ask.value);
}

void
gk_hostjob_ask(struct genkan_host *h, const struct gk_host_ask *ask)
{
	struct genkan_job *job;

	job = gk_job_start(&h->jobs, run_ask, lost_ask, done_ask);
	if (job == NULL)
		gk_host_told(h->m, GENKAN_E_NOMEM, gk_span(NULL, 0),
		    gk_err_text(GENKAN_E_NOMEM));
	else
		job->u.ask.ask = *ask;
}

static void
run_key(struct genkan_job *job)
{
	struct gk_key_ask *ask = job->ask;

	gk_hostkey_ask(job->ctx, &job->ground->place, ask->kind, ask + 1,
	    ask->len, &ask->answer);
}

static void
no_answer(struct gk_key_ask *ask, const char *why)
{
	ask->answer.code = GK_KEY_ERROR;
	(void)snprintf(ask->answer.why, sizeof(ask->answer.why), "%s", why);
}

static void
lost_key(struct genkan_job *job)
{
	no_answer(job->ask, GK_JOB_LOST);
}

static void
done_key(void *owner, struct genkan_job *job)
{
	struct genkan_host *h = owner;

	if (h == NULL)
		return;
	gk_host_keyed(h->m, job->ask);
	job->ask = NULL;
}

void
gk_hostjob_key(struct genkan_host *h, struct gk_key_ask *ask)
{
	struct genkan_job *job;

	job = gk_job_start(&h->jobs, run_key, lost_key, done_key);
	if (job != NULL) {
		job->ask = ask;
		return;
	}
	no_answer(ask, gk_err_text(GENKAN_E_NOMEM));
	gk_host_keyed(h->m, ask);
}
