/* The connections of a broker: taken, measured, admitted. */
#include "api/server_impl.h"

#include "api/door.h"
#include "base/log.h"
#include "os/file.h"
#include "os/sock.h"
#include "proto/machine.h"

static void
admit(struct genkan_server *s, struct genkan_job *job)
{
	struct genkan_leg *leg = NULL;

	if (job->fd < 0) {
		gk_server_unclaim(s->m);
		return;
	}
	if (gk_server_accept(s->m, &job->u.peer, &leg) < 0 || leg == NULL)
		return;		/* the job closes its descriptor */
	gk_job_report(job, GENKAN_EV_SERVE, job->fd, leg);
	job->fd = -1;
}

static void
lost_peer(struct genkan_job *job)
{
	gk_file_close(job->fd);
	job->fd = -1;
}

static void slow_next(struct genkan_server *);

static void
run_slow(struct genkan_job *job)
{
	gk_measure_peer(job->ctx, job->fd, &job->ground->install,
	    &job->u.peer);
}

static void
done_slow(void *owner, struct genkan_job *job)
{
	struct genkan_server *s = owner;

	if (s == NULL)
		return;
	s->slow_busy = false;
	admit(s, job);
	slow_next(s);
}

static void
slow_next(struct genkan_server *s)
{
	struct genkan_job *job;
	int fd;

	while (s->nslow > 0 && !s->slow_busy) {
		fd = s->slow[0];
		s->nslow--;
		memmove(s->slow, s->slow + 1, s->nslow * sizeof(s->slow[0]));
		job = gk_job_start(&s->jobs, run_slow, lost_peer, done_slow);
		if (job == NULL) {
			gk_server_unclaim(s->m);
			gk_file_close(fd);
			continue;
		}
		job->fd = fd;
		s->slow_busy = true;
	}
}

static void
slow_down(struct genkan_server *s, struct genkan_job *job)
{
	if (s->nslow == SLOW_MAX) {
		gk_log(s->ctx, GK_LOG_WARN, "server", "slow-dropped",
		    "a connection is dropped: its program is large, and %d "
		    "of that kind wait to be measured (pid %lld)", SLOW_MAX,
		    (long long)job->u.peer.pid);
		gk_server_unclaim(s->m);
		return;
	}
	s->slow[s->nslow++] = job->fd;
	job->fd = -1;
	slow_next(s);
}

static void
run_peer(struct genkan_job *job)
{
	job->r = gk_measure_peer_quick(job->ctx, job->fd,
	    &job->ground->install, &job->u.peer);
}

static void
done_peer(void *owner, struct genkan_job *job)
{
	struct genkan_server *s = owner;

	if (s == NULL)
		return;
	if (job->r == GENKAN_E_LIMIT)
		slow_down(s, job);
	else
		admit(s, job);
}

int
genkan_server_accept(genkan_server *s)
{
	struct genkan_job *job;
	int r, fd;

	if ((r = GK_DOOR_IN(s)) < 0)
		return r;
	if (s->listener < 0 || s->unlisten || s->over)
		return 0;
	r = gk_sock_accept(s->listener, &fd, NULL);
	if (r < 0)
		return r == GENKAN_E_AGAIN ? 0 : r;
	if (gk_server_claim(s->m) < 0) {
		gk_file_close(fd);
		return 1;
	}
	job = gk_job_start(&s->jobs, run_peer, lost_peer, done_peer);
	if (job == NULL) {
		gk_server_unclaim(s->m);
		gk_file_close(fd);
		return GENKAN_E_LIMIT;
	}
	job->fd = fd;
	return 1;
}
