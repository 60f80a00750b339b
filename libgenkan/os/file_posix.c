#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "genkan/contract.h"

static uint64_t
ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

static void
convert(const struct stat *st, struct gk_fstat *ret)
{
	ret->dev = (uint64_t)st->st_dev;
	ret->ino = (uint64_t)st->st_ino;
	ret->size = (uint64_t)st->st_size;
	ret->mtime_ns = ns(&st->st_mtim);
	ret->ctime_ns = ns(&st->st_ctim);
	ret->uid = (uint32_t)st->st_uid;
	ret->mode = (uint32_t)st->st_mode;
}

int
gk_file_stat_fd(int fd, struct gk_fstat *ret, struct gk_why *why)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "cannot stat");
	convert(&st, ret);
	return 0;
}

int
gk_file_stat(int dir, const char *name, struct gk_fstat *ret,
    struct gk_why *why)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return gk_why_set(why, errno == ENOENT ? GENKAN_E_NOENT :
		    GENKAN_E_IO, errno, "%s", name);
	convert(&st, ret);
	return 0;
}

int
gk_file_stat_path(const char *path, struct gk_fstat *ret, struct gk_why *why)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return gk_why_set(why, errno == ENOENT || errno == ENOTDIR ?
		    GENKAN_E_NOENT : GENKAN_E_IO, errno, "%s", path);
	convert(&st, ret);
	return 0;
}

int
gk_file_stat_same(const struct gk_fstat *a, const struct gk_fstat *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	    a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static int
acceptable(const char *name, const struct gk_fstat *st, unsigned flags,
    struct gk_why *why)
{
	if (!S_ISREG(st->mode))
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: not a regular file", name);
	if ((flags & GK_FILE_OWNED) != 0 && st->uid != geteuid())
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: belongs to user %lu", name, (unsigned long)st->uid);
	if ((flags & GK_FILE_TRUSTED) == 0)
		return 0;
	if (st->uid != 0 && st->uid != geteuid())
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: belongs to user %lu", name, (unsigned long)st->uid);
	if ((st->mode & (S_IWGRP | S_IWOTH)) != 0)
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: writable by group or others", name);
	return 0;
}

static int
open_error(const char *name, int err, struct gk_why *why)
{
	switch (err) {
	case ENOENT:
		return gk_why_set(why, GENKAN_E_NOENT, err, "%s", name);
	case ELOOP:
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: is a symbolic link", name);
	case ENXIO:		/* a socket, or a device without a driver */
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: not a regular file", name);
	case EACCES:
	case EPERM:
		return gk_why_set(why, GENKAN_E_ACCESS, err, "%s", name);
	default:
		return gk_why_set(why, GENKAN_E_IO, err, "%s", name);
	}
}

int
gk_file_open(int dir, const char *name, unsigned flags, int *ret,
    struct gk_fstat *st, struct gk_why *why)
{
	struct gk_fstat own;
	int r, fd;

	/* Non-blocking, or a FIFO in its place would hold us up for ever. */
	fd = openat(dir, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return open_error(name, errno, why);
	r = gk_file_stat_fd(fd, &own, why);
	if (r == 0)
		r = acceptable(name, &own, flags, why);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	if (st != NULL)
		*st = own;
	*ret = fd;
	return 0;
}

static ssize_t
read_some(int fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(fd, buf, len);
	while (n < 0 && errno == EINTR);
	return n;
}

static int
slurp(int fd, const char *name, size_t cap, uint64_t hint, struct gk_buf *ret,
    struct gk_why *why)
{
	size_t got = 0, want;
	uint8_t *at;
	ssize_t n;
	int r;

	while (got <= cap) {
		want = hint >= got && hint < cap ? (size_t)hint - got + 1 :
		    GK_MIN((size_t)65536, cap + 1 - got);
		r = gk_buf_reserve(ret, want, &at);
		if (r < 0)
			return gk_why_set(why, r, 0, "%s: no memory", name);
		n = read_some(fd, at, want);
		if (n < 0)
			return gk_why_set(why, GENKAN_E_IO, errno, "%s", name);
		if (n == 0)
			return 0;
		gk_buf_commit(ret, (size_t)n);
		got += (size_t)n;
	}
	return gk_why_set(why, GENKAN_E_TOO_LARGE, 0,
	    "%s: larger than %zu bytes", name, cap);
}

/* What was appended since the look is not the end that was asked for. */
static int
slurp_tail(int fd, const char *name, size_t cap, uint64_t size,
    struct gk_buf *ret, struct gk_why *why)
{
	const size_t before = ret->len;
	int r;

	if (size > cap && lseek(fd, (off_t)(size - cap), SEEK_SET) < 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "%s", name);
	r = slurp(fd, name, cap, GK_MIN(size, (uint64_t)cap), ret, why);
	if (r != GENKAN_E_TOO_LARGE)
		return r;
	gk_buf_truncate(ret, before + cap);
	return 0;
}

int
gk_file_read(int dir, const char *name, size_t cap, unsigned flags,
    struct gk_buf *ret, struct gk_fstat *st, struct gk_why *why)
{
	struct gk_fstat own;
	int r, fd;

	r = gk_file_open(dir, name, flags, &fd, &own, why);
	if (r < 0)
		return r;
	r = ((flags & GK_FILE_TAIL) != 0 ? slurp_tail : slurp)(fd, name, cap,
	    own.size, ret, why);
	if (r == 0 && st != NULL)
		*st = own;
	(void)close(fd);
	return r;
}

void
gk_file_close(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

int
gk_file_unlink(int dir, const char *name, struct gk_why *why)
{
	if (unlinkat(dir, name, 0) != 0 && errno != ENOENT)
		return gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot remove %s", name);
	return 0;
}

int
gk_file_unlink_socket(int dir, const char *name, struct gk_why *why)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : gk_why_set(why, GENKAN_E_IO,
		    errno, "%s", name);
	if (!S_ISSOCK(st.st_mode))
		return 0;
	if (unlinkat(dir, name, 0) != 0)
		return errno == ENOENT ? 0 : gk_why_set(why, GENKAN_E_IO,
		    errno, "cannot remove %s", name);
	return 1;
}

int
gk_file_sync_dir(int dir, struct gk_why *why)
{
	return fsync(dir) == 0 ? 0 : gk_why_set(why, GENKAN_E_IO, errno,
	    "cannot sync the directory");
}

/* ---------------------------------------------------------- replacement */

static int
write_all(int fd, const void *buf, size_t len)
{
	const uint8_t *at = buf;
	ssize_t n;

	while (len > 0) {
		n = write(fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Opens the temporary file; a made-up name is tried again when taken. */
static int
open_tmp(int dir, const char *name, const char *tmp, struct gk_file_new *f)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	uint64_t rnd;
	int fd = -1, tries;

	if (tmp != NULL) {
		(void)snprintf(f->tmp, sizeof(f->tmp), "%s", tmp);
		if (unlinkat(dir, tmp, 0) != 0 && errno != ENOENT)
			return -1;
		return openat(dir, tmp, flags, 0600);
	}
	for (tries = 0; tries < 8; tries++) {
		if (getrandom(&rnd, sizeof(rnd), 0) != (ssize_t)sizeof(rnd))
			return -1;
		(void)snprintf(f->tmp, sizeof(f->tmp), "%s.%016llx.tmp", name,
		    (unsigned long long)rnd);
		fd = openat(dir, f->tmp, flags, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

int
gk_file_begin(int dir, const char *name, const char *tmp, const void *buf,
    size_t len, unsigned mode, unsigned flags, struct gk_file_new *ret,
    struct gk_why *why)
{
	struct gk_file_new f = { .dir = dir, .flags = flags };
	int fd, bad, err;

	if (!gk_str_copy(f.name, sizeof(f.name), name, strlen(name)))
		return gk_why_set(why, GENKAN_E_INVAL, 0, "name too long");
	fd = open_tmp(dir, name, tmp, &f);
	if (fd < 0)
		return gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot create a file for %s", name);
	f.live = 1;
	bad = fchmod(fd, (mode_t)mode) != 0 || write_all(fd, buf, len) != 0 ||
	    ((flags & GK_FILE_SYNC) != 0 && fsync(fd) != 0);
	err = errno;
	if (close(fd) != 0 && !bad) {	/* some file systems fail only here */
		bad = 1;
		err = errno;
	}
	if (bad) {
		gk_file_cancel(&f);
		return gk_why_set(why, GENKAN_E_IO, err,
		    "cannot write %s", name);
	}
	*ret = f;
	return 0;
}

int
gk_file_commit(struct gk_file_new *f, struct gk_why *why)
{
	if (renameat(f->dir, f->tmp, f->dir, f->name) != 0) {
		(void)gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot replace %s", f->name);
		gk_file_cancel(f);
		return GENKAN_E_IO;
	}
	f->live = 0;
	if ((f->flags & GK_FILE_SYNC) != 0 && fsync(f->dir) != 0)
		return gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot sync the directory of %s", f->name);
	return 0;
}

void
gk_file_cancel(struct gk_file_new *f)
{
	if (f->live)
		(void)unlinkat(f->dir, f->tmp, 0);
	f->live = 0;
}

int
gk_file_replace(int dir, const char *name, const void *buf, size_t len,
    unsigned mode, struct gk_why *why)
{
	struct gk_file_new f;
	int r;

	r = gk_file_begin(dir, name, NULL, buf, len, mode, GK_FILE_SYNC, &f,
	    why);
	return r < 0 ? r : gk_file_commit(&f, why);
}
