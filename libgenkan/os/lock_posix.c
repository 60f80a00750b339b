#include "os/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "genkan/contract.h"
#include "os/clock.h"

static int
open_lock(int dir, const char *name, int *ret, struct gk_why *why)
{
	struct stat st;
	int fd;

	fd = openat(dir, name,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return gk_why_set(why, errno == ELOOP || errno == EISDIR ||
		    errno == ENXIO ? GENKAN_E_ACCESS : GENKAN_E_IO, errno,
		    "lock file %s", name);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid()) {
		(void)close(fd);
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "lock file %s: not a regular file of this user", name);
	}
	if ((st.st_mode & 07777) != 0600)
		(void)fchmod(fd, 0600);
	*ret = fd;
	return 0;
}

/* 1 while the name still leads to what was locked: somebody may have removed
 * the file, and then the next comer locks another one. */
static int
still_there(int dir, const char *name, int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 &&
	    fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* There is no flock with a time limit, and a signal would be everybody's
 * business; so a bounded wait asks again every few milliseconds. */
static int
wait_for(int fd, int ms, uint64_t start)
{
	const int op = ms == GK_LOCK_FOREVER ? LOCK_EX : LOCK_EX | LOCK_NB;

	while (flock(fd, op) != 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return GENKAN_E_IO;
		if (gk_clock_mono_ms() - start >= (uint64_t)ms)
			return GENKAN_E_LOCKED;
		gk_clock_sleep_ms(2);
	}
	return 0;
}

int
gk_lock_take(int dir, const char *name, int ms, int *ret, struct gk_why *why)
{
	const uint64_t start = gk_clock_mono_ms();
	int r, fd = -1;

	for (;;) {
		r = open_lock(dir, name, &fd, why);
		if (r < 0)
			return r;
		r = wait_for(fd, ms, start);
		if (r < 0) {
			(void)gk_why_set(why, r, r == GENKAN_E_IO ? errno : 0,
			    r == GENKAN_E_IO ? "lock file %s" :
			    "%s is held by another program", name);
			(void)close(fd);
			return r;
		}
		if (still_there(dir, name, fd))
			break;
		(void)close(fd);
	}
	*ret = fd;
	return 0;
}

void
gk_lock_drop(int lock)
{
	if (lock >= 0)
		(void)close(lock);	/* the lock goes with the open file */
}
