#include "os/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "genkan/contract.h"

int
gk_append_open(int dir, const char *name, int *ret, struct gk_fstat *st,
    struct gk_why *why)
{
	int fd, r;

	/* Readable too, to see how the last line ended. */
	fd = openat(dir, name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0)
		return gk_why_set(why, errno == ELOOP || errno == EISDIR ||
		    errno == ENXIO ? GENKAN_E_ACCESS : GENKAN_E_IO, errno,
		    "%s", name);
	r = gk_file_stat_fd(fd, st, why);
	if (r == 0 && (!S_ISREG(st->mode) || st->uid != geteuid()))
		r = gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: not a regular file of this user", name);
	if (r == 0 && (st->mode & 07777) != 0600 && fchmod(fd, 0600) != 0)
		r = gk_why_set(why, GENKAN_E_IO, errno, "%s", name);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	*ret = fd;
	return 0;
}

int
gk_append_is_torn(int fd)
{
	struct stat st;
	char last;

	return fstat(fd, &st) == 0 && st.st_size > 0 &&
	    pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n';
}

static ssize_t
append(int fd, const void *line, size_t len, int torn)
{
	static const char lf[] = "\n";
	struct iovec iov[2];

	if (!torn)
		return write(fd, line, len);
	iov[0].iov_base = (void *)(uintptr_t)lf;
	iov[0].iov_len = 1;
	iov[1].iov_base = (void *)(uintptr_t)line;
	iov[1].iov_len = len;
	return writev(fd, iov, 2);
}

int
gk_append_line(int fd, const void *line, size_t len, int torn,
    struct gk_why *why)
{
	const size_t want = len + (torn ? 1 : 0);
	ssize_t n;

	do
		n = append(fd, line, len, torn);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "cannot append");
	if ((size_t)n != want)
		return gk_why_set(why, GENKAN_E_IO, 0,
		    "only %zd of %zu bytes were appended", n, want);
	return (int)want;
}

int
gk_append_rotate(int dir, const char *from, const char *to,
    struct gk_why *why)
{
	if (renameat(dir, from, dir, to) != 0)
		return gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot rename %s to %s", from, to);
	return 0;
}
