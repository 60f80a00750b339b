/*
 * Makes one system call of a program fail: linked into it with --wrap.
 *
 *	GENKAN_FAULT=call,how,n	the n-th call of that name, from 1; how is
 *				the name of an error, or "short": of what was
 *				asked for, one byte is done; or of a signal,
 *				which comes right before the call is made
 *	GENKAN_FAULT_HIT=FILE	made when that call came
 *
 * Without the first of them nothing is different.  "malloc" is any allocation of
 * the program, "crypto" any of OpenSSL's: memory.h.  A thread may count past
 * another one, which does no harm.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

static const struct {
	const char	*name;
	int		 number;
} errors[] = {
	{ "EINTR", EINTR }, { "EAGAIN", EAGAIN }, { "EIO", EIO },
	{ "ENOSPC", ENOSPC }, { "EMFILE", EMFILE }, { "EPIPE", EPIPE },
	{ "ECONNRESET", ECONNRESET }, { "ECONNREFUSED", ECONNREFUSED },
	{ "ECONNABORTED", ECONNABORTED }, { "ENOMEM", ENOMEM },
	{ "EACCES", EACCES }, { "EROFS", EROFS }, { "EDQUOT", EDQUOT },
	{ "ENOLCK", ENOLCK }, { "short", -1 },
	{ "SIGTERM", -1 - SIGTERM }, { "SIGINT", -1 - SIGINT },
};

static char	  call[32];	/* "" : none */
static int	  how;
static atomic_int left;

static void
told(void)
{
	const char *hit = getenv("GENKAN_FAULT_HIT");
	int fd;

	if (hit != NULL && (fd = creat(hit, 0600)) >= 0)
		(void)close(fd);
}

static void
plan_memory(int n)
{
	struct memory *m = memory_process();

	if (m == NULL)
		return;		/* a sanitizer's: never reached */
	m->whose = strcmp(call, "crypto") == 0 ? OF_CRYPTO : OF_PROGRAM;
	m->told = told;
	m->fail_at = (size_t)n;
}

__attribute__((constructor)) static void
plan(void)
{
	const char *text = getenv("GENKAN_FAULT");
	char name[16];
	size_t i;
	int n;

	if (text == NULL ||
	    sscanf(text, "%31[a-z0-9],%15[A-Za-z],%d", call, name, &n) != 3) {
		call[0] = '\0';
		return;
	}
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(name, errors[i].name) == 0)
			how = errors[i].number;
	if (how == 0)
		abort();
	if (strcmp(call, "malloc") == 0 || strcmp(call, "crypto") == 0)
		plan_memory(n);
	else
		atomic_store(&left, n);
}

/* 0: go on; -1: short; else the error to fail with. */
static int
fault(const char *name)
{
	if (call[0] == '\0' || strcmp(call, name) != 0 ||
	    atomic_fetch_sub(&left, 1) != 1)
		return 0;
	told();
	if (how < -1) {
		(void)kill(getpid(), -1 - how);
		return 0;
	}
	return how;
}

/* The declaration of a wrapped call and of what is behind it. */
#define WRAP(type, name, params) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params

/* Fails where the plan says so; *short_ is set for a short one. */
#define FAIL(name, short_) \
	do { \
		const int e = fault(#name); \
		*(short_) = e == -1; \
		if (e > 0) { \
			errno = e; \
			return -1; \
		} \
	} while (0)

WRAP(ssize_t, read, (int fd, void *buf, size_t n))
{
	int one;

	FAIL(read, &one);
	return __real_read(fd, buf, one && n > 1 ? 1 : n);
}

WRAP(ssize_t, pread, (int fd, void *buf, size_t n, off_t at))
{
	int one;

	FAIL(pread, &one);
	return __real_pread(fd, buf, one && n > 1 ? 1 : n, at);
}

WRAP(ssize_t, recv, (int fd, void *buf, size_t n, int flags))
{
	int one;

	FAIL(recv, &one);
	return __real_recv(fd, buf, one && n > 1 ? 1 : n, flags);
}

WRAP(ssize_t, write, (int fd, const void *buf, size_t n))
{
	int one;

	FAIL(write, &one);
	return __real_write(fd, buf, one && n > 1 ? 1 : n);
}

WRAP(ssize_t, writev, (int fd, const struct iovec *iov, int n))
{
	int one;

	FAIL(writev, &one);
	return one && iov[0].iov_len > 1 ?
	    __real_write(fd, iov[0].iov_base, 1) : __real_writev(fd, iov, n);
}

WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *msg, int flags))
{
	int one;

	FAIL(sendmsg, &one);
	return __real_sendmsg(fd, msg, flags);
}

/* Time to finish after a signal, whatever else the machine does meanwhile: that
 * a command uses it is what is looked at, not how long it is. */
WRAP(int, nanosleep, (const struct timespec *t, struct timespec *rest))
{
	const struct timespec ample = { 15, 0 };

	return __real_nanosleep(how < -1 && gettid() != getpid() ? &ample : t,
	    rest);
}

WRAP(int, openat, (int dir, const char *path, int flags, ...))
{
	va_list ap;
	mode_t mode;
	int one;

	va_start(ap, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	FAIL(openat, &one);
	return __real_openat(dir, path, flags, mode);
}

WRAP(int, open, (const char *path, int flags, ...))
{
	va_list ap;
	mode_t mode;
	int one;

	va_start(ap, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	FAIL(open, &one);
	return __real_open(path, flags, mode);
}

#define SIMPLE(name, params, args) \
	WRAP(int, name, params) \
	{ \
		int one; \
 \
		FAIL(name, &one); \
		return __real_##name args; \
	}

SIMPLE(fsync, (int fd), (fd))
SIMPLE(flock, (int fd, int op), (fd, op))
SIMPLE(fchmod, (int fd, mode_t mode), (fd, mode))
SIMPLE(fstat, (int fd, struct stat *st), (fd, st))
SIMPLE(fstatat, (int dir, const char *path, struct stat *st, int flags),
    (dir, path, st, flags))
SIMPLE(mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
SIMPLE(unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
SIMPLE(renameat, (int from, const char *a, int to, const char *b),
    (from, a, to, b))
SIMPLE(socket, (int domain, int type, int protocol), (domain, type, protocol))
SIMPLE(bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
SIMPLE(listen, (int fd, int n), (fd, n))
SIMPLE(connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
SIMPLE(accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags),
    (fd, a, n, flags))
