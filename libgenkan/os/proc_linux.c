#include "os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "genkan/contract.h"
#include "os/proctext.h"
#include "os/sock.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77	/* Linux 6.5; glibc 2.36 has no name for it */
#endif

int64_t
gk_proc_self(void)
{
	return getpid();
}

int
gk_proc_exists(int64_t pid)
{
	if (pid <= 0 || pid > 2147483647)
		return 0;
	return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

int
gk_proc_alive(const struct gk_proc *p)
{
	struct pollfd pfd = { p->pidfd, POLLIN, 0 };

	return p->pidfd < 0 || poll(&pfd, 1, 0) == 0;
}

/* The pid behind a pidfd; "Pid: -1" once the process was reaped.  0: it cannot
 * be read, and errno says why. */
static int64_t
pidfd_pid(int pidfd)
{
	char path[64], line[128];
	int64_t pid = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	errno = 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (gk_proctext_pid(line, &pid) == 0)
			break;
	(void)fclose(f);
	return pid;
}

/* The directory first, then the question: if the pidfd's process still runs,
 * the directory opened before is its own. */
static int
pin(struct gk_proc *p, struct gk_why *why)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%lld", (long long)p->pid);
	p->dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->dir < 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno, "%s",
		    path);
	if (!gk_proc_alive(p))
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "process %lld is gone", (long long)p->pid);
	return 0;
}

static int
done_if(int r, struct gk_proc *p, struct gk_proc *ret)
{
	if (r < 0)
		gk_proc_done(p);
	else
		*ret = *p;
	return r;
}

int
gk_proc_peer(int sock, struct gk_proc *ret, struct gk_why *why)
{
	struct gk_proc p = GK_PROC_INIT;
	socklen_t len = sizeof(p.pidfd);
	int64_t pid;
	int r;

	r = gk_sock_cred(sock, &p.uid, &p.pid, why);
	if (r < 0)
		return r;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &p.pidfd, &len) != 0) {
		p.pidfd = -1;
		/* An old kernel leaves a narrow race; all else is a refusal. */
		if (errno != ENOPROTOOPT)
			return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno,
			    "no pidfd of the peer");
	} else if ((pid = pidfd_pid(p.pidfd)) != p.pid) {
		r = gk_why_set(why, GENKAN_E_UNMEASURABLE, pid == 0 ? errno :
		    0, "process %lld is gone", (long long)p.pid);
	}
	if (r == 0)
		r = pin(&p, why);
	return done_if(r, &p, ret);
}

static int
open_pidfd(struct gk_proc *p, struct gk_why *why)
{
	p->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)p->pid, 0);
	if (p->pidfd >= 0)
		return 0;
	p->pidfd = -1;
	if (errno == ENOSYS || errno == EPERM)	/* old kernel, or a filter */
		return 0;
	return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno, "process %lld",
	    (long long)p->pid);
}

int
gk_proc_pid(int64_t pid, struct gk_proc *ret, struct gk_why *why)
{
	struct gk_proc p = GK_PROC_INIT;
	int r;

	if (pid <= 0 || pid > 2147483647)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "no process has the number %lld", (long long)pid);
	p.pid = pid;
	r = open_pidfd(&p, why);
	if (r == 0)
		r = pin(&p, why);
	return done_if(r, &p, ret);
}

static int
parent_still(const struct gk_proc *p, struct gk_why *why)
{
	if (!p->parent || getppid() == p->pid)
		return 0;
	return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
	    "the parent process changed");
}

int
gk_proc_parent(struct gk_proc *ret, struct gk_why *why)
{
	struct gk_proc p = GK_PROC_INIT;
	int r;

	r = gk_proc_pid(getppid(), &p, why);
	if (r < 0)
		return r;
	p.parent = 1;
	return done_if(parent_still(&p, why), &p, ret);
}

/* A program run from memory has the right bytes and no file that anybody
 * could look at: it is nobody's installed program. */
static int
has_no_file(const char *path)
{
	return path[0] != '/' || strncmp(path, "/memfd:", 7) == 0;
}

static int
open_exe(const struct gk_proc *p, struct gk_image *ret, int *fd,
    struct gk_why *why)
{
	ssize_t n;
	int r;

	ret->hash[0] = '\0';
	n = readlinkat(p->dir, "exe", ret->path, sizeof(ret->path) - 1);
	if (n < 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno,
		    "image of process %lld", (long long)p->pid);
	ret->path[n] = '\0';
	if (has_no_file(ret->path))
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "image of process %lld lies in no file",
		    (long long)p->pid);
	*fd = openat(p->dir, "exe", O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno,
		    "image of process %lld", (long long)p->pid);
	r = gk_file_stat_fd(*fd, &ret->st, why);
	if (r < 0)
		(void)close(*fd);
	return r < 0 ? GENKAN_E_UNMEASURABLE : 0;
}

static int
still_there(const struct gk_proc *p, struct gk_why *why)
{
	if (!gk_proc_alive(p))
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "process %lld went away", (long long)p->pid);
	return parent_still(p, why);
}

int
gk_proc_look(const struct gk_proc *p, struct gk_image *ret,
    struct gk_why *why)
{
	int r, fd;

	r = open_exe(p, ret, &fd, why);
	if (r < 0)
		return r;
	(void)close(fd);
	return still_there(p, why);
}

int
gk_proc_started(const struct gk_proc *p, uint64_t *ret, struct gk_why *why)
{
	char text[1024];
	ssize_t n;
	int fd;

	fd = openat(p->dir, "stat", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		(void)gk_why_set(why, GENKAN_E_UNMEASURABLE, errno,
		    "start of process %lld", (long long)p->pid);
	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return GENKAN_E_UNMEASURABLE;
	text[n] = '\0';
	if (gk_proctext_started(text, (size_t)n, ret) < 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "start of process %lld cannot be read",
		    (long long)p->pid);
	return still_there(p, why);
}

int
gk_proc_measure(struct genkan_ctx *ctx, const struct gk_proc *p,
    struct gk_image *ret, struct gk_why *why)
{
	return gk_proc_measure_most(ctx, p, GK_IMAGE_MAX, ret, why);
}

int
gk_proc_measure_most(struct genkan_ctx *ctx, const struct gk_proc *p,
    int64_t most, struct gk_image *ret, struct gk_why *why)
{
	int r, fd;

	r = open_exe(p, ret, &fd, why);
	if (r < 0)
		return r;
	r = still_there(p, why);
	if (r == 0)
		r = gk_image_fd_most(ctx, fd, most, ret->hash, why);
	/* What says something about us, and not about the process, stays. */
	if (r < 0 && r != GENKAN_E_LIMIT && r != GENKAN_E_NOMEM &&
	    r != GENKAN_E_CRYPTO)
		r = GENKAN_E_UNMEASURABLE;
	(void)close(fd);
	if (r == 0)
		r = still_there(p, why);
	if (r < 0)
		ret->hash[0] = '\0';
	return r;
}

void
gk_proc_done(struct gk_proc *p)
{
	if (p->pidfd >= 0)
		(void)close(p->pidfd);
	if (p->dir >= 0)
		(void)close(p->dir);
	p->pidfd = -1;
	p->dir = -1;
}
