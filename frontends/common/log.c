#include "common/log.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/hygiene.h"

static const char *const upper[] = { "ERROR", "WARN", "INFO", "DEBUG" };
static const char *const lower[] = { "error", "warn", "info", "debug" };

static int
level_of(const char *value)
{
	int i;

	for (i = GENKAN_LOG_ERROR; value != NULL && i <= GENKAN_LOG_DEBUG; i++)
		if (strcmp(value, upper[i]) == 0 ||
		    strcmp(value, lower[i]) == 0)
			return i;
	return GENKAN_LOG_INFO;
}

/*
 * Nobody may read our stderr, and a full pipe must not stop the program: what
 * does not fit is lost.  A line is shorter than what a pipe takes in one piece,
 * so none is cut.
 */
static int
log_fd(void)
{
	static int fd = -1;
	struct stat st;

	if (fd >= 0)
		return fd;
	fd = STDERR_FILENO;
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
		fd = hygiene_private(STDERR_FILENO, 1);
		if (fd < 0)
			fd = STDERR_FILENO;
	}
	return fd;
}

static void
emit(const struct iovec *iov, size_t n)
{
	struct msghdr msg;

	memset(&msg, 0, sizeof(msg));
	msg.msg_iov = (struct iovec *)(uintptr_t)iov;
	msg.msg_iovlen = n;
	if (sendmsg(log_fd(), &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
	    errno == ENOTSOCK && writev(log_fd(), iov, (int)n) < 0)
		return;		/* lost */
}

void
log_line(int level, const char *tag, const char *text)
{
	char line[4000];
	struct iovec iov = { line, 0 };
	int n;

	n = snprintf(line, sizeof(line) - 1, "[%s] [%s] %s", upper[level],
	    tag, text);
	if (n < 0)
		return;
	if ((size_t)n > sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	iov.iov_len = (size_t)n;
	emit(&iov, 1);
}

/* The echo of an audit record (control 11.1) has a form of its own, and is
 * never cut: as JSON it would not be JSON any more. */
static void
audit_line(const char *mark, const char *text)
{
	const struct iovec iov[3] = {
		{ (void *)(uintptr_t)mark, strlen(mark) },
		{ (void *)(uintptr_t)text, strlen(text) },
		{ (void *)(uintptr_t)"\n", 1 },
	};

	emit(iov, 3);
}

static void
on_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	(void)user;
	if (strcmp(id, "audit-text") == 0)
		audit_line("[AUDIT] ", text);
	else if (strcmp(id, "audit-json") == 0)
		audit_line("", text);
	else if (level >= GENKAN_LOG_ERROR && level <= GENKAN_LOG_DEBUG)
		log_line(level, tag, text);
}

void
log_options(genkan_ctx_options *opts)
{
	opts->log_fn = on_log;
	opts->log_level = level_of(getenv("GENKAN_LOG"));
}

void
log_by_hand(int in, const char *tag, const char *text)
{
	if (isatty(in) && level_of(getenv("GENKAN_LOG")) >= GENKAN_LOG_INFO)
		log_line(GENKAN_LOG_INFO, tag, text);
}
