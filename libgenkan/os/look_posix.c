#include "os/look.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "genkan/contract.h"
#include "os/clock.h"

#define READ_STEP	16384

static int
failed(const char *path, int err, struct gk_why *why)
{
	switch (err) {
	case ENOENT:
		return gk_why_set(why, GENKAN_E_NOENT, err, "%s", path);
	case EACCES:
	case EPERM:
	case ELOOP:
	case ENOTDIR:
	case ENXIO:
		return gk_why_set(why, GENKAN_E_ACCESS, err, "%s", path);
	default:
		return gk_why_set(why, GENKAN_E_IO, err, "%s", path);
	}
}

int
gk_look_dir(const char *path, unsigned flags, int *ret, struct gk_why *why)
{
	int ours = (flags & GK_LOOK_OURS) != 0, fd;
	struct stat st;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    (ours ? O_NOFOLLOW : 0));
	if (fd < 0)
		return failed(path, errno, why);
	if (ours && (fstat(fd, &st) != 0 || st.st_uid != geteuid())) {
		(void)close(fd);
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: belongs to another user", path);
	}
	*ret = fd;
	return 0;
}

static void
convert(const struct stat *st, struct gk_fstat *ret)
{
	ret->dev = (uint64_t)st->st_dev;
	ret->ino = (uint64_t)st->st_ino;
	ret->size = (uint64_t)st->st_size;
	ret->mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
	    (uint64_t)st->st_mtim.tv_nsec;
	ret->ctime_ns = (uint64_t)st->st_ctim.tv_sec * 1000000000u +
	    (uint64_t)st->st_ctim.tv_nsec;
	ret->uid = (uint32_t)st->st_uid;
	ret->mode = (uint32_t)st->st_mode;
}

int
gk_look_lstat(const char *path, struct gk_fstat *ret, struct gk_why *why)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOTDIR ?
		    gk_why_set(why, GENKAN_E_NOENT, errno, "%s", path) :
		    failed(path, errno, why);
	convert(&st, ret);
	return 0;
}

/* ENOENT of an open may mean a link that leads nowhere: that is not absence. */
static int
absent(const char *path, struct gk_why *why)
{
	struct gk_fstat st;
	int r = gk_look_lstat(path, &st, why);

	if (r != 0)
		return r;
	return gk_why_set(why, GENKAN_E_ACCESS, 0,
	    "%s: a symbolic link to nothing", path);
}

static int
open_regular(const char *path, int *ret, struct gk_fstat *st,
    struct gk_why *why)
{
	int fd, r;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return absent(path, why);
	if (fd < 0)
		return failed(path, errno, why);
	r = gk_file_stat_fd(fd, st, why);
	if (r == 0 && !S_ISREG(st->mode))
		r = gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: not a regular file", path);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	*ret = fd;
	return 0;
}

static int
slurp(int fd, const char *path, size_t cap, struct gk_buf *ret,
    struct gk_why *why)
{
	size_t want, start = ret->len;
	uint8_t *room;
	ssize_t n;
	int r;

	for (;;) {
		want = cap + 1 - (ret->len - start);
		if (want > READ_STEP)
			want = READ_STEP;
		if ((r = gk_buf_reserve(ret, want, &room)) < 0)
			return gk_why_set(why, r, 0, "%s: no memory", path);
		n = read(fd, room, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gk_why_set(why, GENKAN_E_IO, errno, "%s", path);
		if (n == 0)
			return 0;
		gk_buf_commit(ret, (size_t)n);
		if (ret->len - start > cap)
			return gk_why_set(why, GENKAN_E_TOO_LARGE, 0,
			    "%s: larger than %zu bytes", path, cap);
	}
}

int
gk_look_file(const char *path, size_t cap, struct gk_buf *ret,
    struct gk_fstat *st, struct gk_why *why)
{
	size_t start = ret->len;
	struct gk_fstat own;
	int fd = -1, r;

	if ((r = open_regular(path, &fd, &own, why)) < 0)
		return r;
	r = slurp(fd, path, cap, ret, why);
	(void)close(fd);
	if (r < 0)
		gk_buf_truncate(ret, start);
	else if (st != NULL)
		*st = own;
	return r;
}

int
gk_look_executable(const char *path, struct gk_why *why)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOTDIR ?
		    gk_why_set(why, GENKAN_E_NOENT, errno, "%s", path) :
		    failed(path, errno, why);
	if (!S_ISREG(st.st_mode))
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: not a regular file", path);
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return gk_why_set(why, GENKAN_E_ACCESS, errno,
		    "%s: not executable", path);
	return 0;
}

int
gk_look_program(struct genkan_ctx *ctx, const char *path, char ret[65],
    struct gk_why *why)
{
	struct gk_fstat st;
	int fd = -1, r;

	if ((r = gk_look_executable(path, why)) < 0 ||
	    (r = open_regular(path, &fd, &st, why)) < 0)
		return r;
	r = gk_image_fd(ctx, fd, ret, why);
	(void)close(fd);
	return r;
}

void
gk_look_unmark(char *path)
{
	static const char mark[] = " (deleted)";
	const size_t len = strlen(path), n = sizeof(mark) - 1;
	struct stat st;

	if (len > n && strcmp(path + len - n, mark) == 0 &&
	    lstat(path, &st) != 0)
		path[len - n] = '\0';
}

int
gk_look_self(char ret[GK_PATH_MAX], struct gk_why *why)
{
	ssize_t n = readlink("/proc/self/exe", ret, GK_PATH_MAX - 1);

	if (n < 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "/proc/self/exe");
	ret[n] = '\0';
	if (ret[0] != '/')
		return gk_why_set(why, GENKAN_E_IO, 0,
		    "/proc/self/exe names no path");
	gk_look_unmark(ret);
	return 0;
}

uint32_t
gk_look_euid(void)
{
	return (uint32_t)geteuid();
}

static void
lower(char ret[32], const char *s)
{
	size_t i;

	for (i = 0; i < 31 && s[i] != '\0'; i++)
		ret[i] = (char)tolower((unsigned char)s[i]);
	ret[i] = '\0';
}

void
gk_look_platform(char os[32], char arch[32])
{
	struct utsname u;

	if (uname(&u) != 0)
		memset(&u, 0, sizeof(u));
	lower(os, u.sysname[0] != '\0' ? u.sysname : "unknown");
	lower(arch, u.machine[0] != '\0' ? u.machine : "unknown");
}

static int
peek(int fd, struct gk_why *why)
{
	char c;
	ssize_t n = recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);

	if (n > 0)
		return 1;
	if (n == 0 || errno == ECONNRESET)
		return gk_why_set(why, GENKAN_E_EOF, 0,
		    "the other end closed");
	return gk_why_set(why, GENKAN_E_IO, errno, "recv");
}

int
gk_look_wait(int fd, int ms, struct gk_why *why)
{
	uint64_t now = gk_clock_mono_ms(), end = now + (uint64_t)ms;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	for (;;) {
		n = poll(&p, 1, now < end ? (int)(end - now) : 0);
		if (n > 0)
			return peek(fd, why);
		if (n == 0)
			return 0;
		if (errno != EINTR)
			return gk_why_set(why, GENKAN_E_IO, errno, "poll");
		now = gk_clock_mono_ms();
	}
}

int
gk_look_rmdir(const char *path, struct gk_why *why)
{
	if (rmdir(path) == 0)
		return 1;
	switch (errno) {
	case ENOENT:
	case ENOTEMPTY:
	case EEXIST:
	case ENOTDIR:		/* a link, or a file: not ours to remove */
		return 0;
	default:
		return gk_why_set(why, GENKAN_E_IO, errno, "%s", path);
	}
}
