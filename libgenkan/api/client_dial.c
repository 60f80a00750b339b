/* Finding the broker, and measuring it: a job. */
#include "api/client_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"
#include "os/image.h"

static void
not_run(struct gk_dialling *d, int err)
{
	d->outcome = GK_DIALLED_NONE;
	d->err = err;
	(void)snprintf(d->reason, sizeof(d->reason), "%s", gk_err_text(err));
}

/*
 * The programs are measured at each attach, not once for all: who embeds lives
 * on when they are upgraded, and looks for the new broker then.
 */
static void
run_dial(struct genkan_job *job)
{
	struct gk_rendezvous rv = { &job->ground->place, NULL };
	struct gk_dialling *d = &job->u.dial.d;
	struct gk_install in;
	struct gk_image self;
	int r;

	if (job->flag && gk_image_self(job->ctx, &self, NULL) == 0)
		memcpy(job->u.dial.self, self.hash, sizeof(self.hash));
	r = gk_install_siblings(job->ctx, job->ground->install.dir, &in,
	    &job->notes, NULL);
	if (r < 0) {
		not_run(d, r);
		return;
	}
	rv.install = &in;
	gk_rendezvous_dial(job->ctx, &rv, d, job->u.dial.endpoint, &job->fd,
	    &job->notes);
	if (d->outcome == GK_DIALLED_FOREIGN &&
	    !gk_installset_has(&in.set, GK_ROLE_SERVER)) {
		d->err = GENKAN_E_NOENT;
		(void)snprintf(d->reason, sizeof(d->reason), "there is no %s "
		    "to be trusted in %.400s", gk_role_program(GK_ROLE_SERVER),
		    in.dir);
	}
}

static void
lost_dial(struct genkan_job *job)
{
	not_run(&job->u.dial.d, GENKAN_E_CANCELED);
	job->flag = false;
}

static void
done_dial(void *owner, struct genkan_job *job)
{
	struct genkan_client *c = owner;
	struct genkan_leg *leg = NULL;

	if (c != NULL) {
		if (job->flag)
			memcpy(c->self, job->u.dial.self, sizeof(c->self));
		gk_embed_dialled(c->m, &job->u.dial.d, c->self, &leg);
	}
	if (leg != NULL) {
		gk_job_report(job, GENKAN_EV_SERVE, job->fd, leg);
		job->fd = -1;
	}
	gk_wipe(job->u.dial.d.secret, sizeof(job->u.dial.d.secret));
}

void
gk_client_dial(struct genkan_client *c)
{
	struct genkan_leg *leg = NULL;
	struct gk_dialling none;
	struct genkan_job *job;

	job = gk_job_start(&c->jobs, run_dial, lost_dial, done_dial);
	if (job == NULL) {
		not_run(&none, GENKAN_E_NOMEM);
		gk_embed_dialled(c->m, &none, c->self, &leg);
		return;
	}
	job->flag = c->self[0] == '\0';
}
