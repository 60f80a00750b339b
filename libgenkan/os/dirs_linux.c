#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "genkan/contract.h"
#include "os/env.h"

/* The home that the system knows of, where the environment names none. */
static int
passwd_home(char ret[GK_PATH_MAX])
{
	struct passwd pw, *hit = NULL;
	char buf[16384];

	if (getpwuid_r(geteuid(), &pw, buf, sizeof(buf), &hit) != 0 ||
	    hit == NULL || hit->pw_dir == NULL || hit->pw_dir[0] != '/' ||
	    !gk_str_copy(ret, GK_PATH_MAX, hit->pw_dir, strlen(hit->pw_dir)))
		return GENKAN_E_NOENT;
	return 0;
}

int
gk_dirs_home(char ret[GK_PATH_MAX], struct gk_why *why)
{
	const char *home = gk_env_get("HOME");

	if (home != NULL && home[0] == '/') {
		if (gk_str_copy(ret, GK_PATH_MAX, home, strlen(home)))
			return 0;
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "HOME is longer than %d bytes", GK_PATH_MAX - 1);
	}
	if (passwd_home(ret) == 0)
		return 0;
	return gk_why_set(why, GENKAN_E_NOENT, 0,
	    "no home directory: HOME is not an absolute path and user %lu "
	    "has none in the passwd database", (unsigned long)geteuid());
}

static int
join(char ret[GK_PATH_MAX], const char *base, const char *rest,
    struct gk_why *why)
{
	int n = snprintf(ret, GK_PATH_MAX, "%s%s", base, rest);

	if (n < 0 || n >= GK_PATH_MAX)
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "path too long: %.200s...%s", base, rest);
	return 0;
}

static int
below_home(char ret[GK_PATH_MAX], const char *rest, struct gk_why *why)
{
	char home[GK_PATH_MAX];
	int r = gk_dirs_home(home, why);

	return r < 0 ? r : join(ret, home, rest, why);
}

static int
own_dir(const char *path)
{
	struct stat st;

	return path != NULL && path[0] == '/' && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

int
gk_dirs_runtime(char ret[GK_PATH_MAX], struct gk_why *why)
{
	const char *xdg = gk_env_get("XDG_RUNTIME_DIR");
	char run[64];

	if (own_dir(xdg))
		return join(ret, xdg, "/genkan", why);
	(void)snprintf(run, sizeof(run), "/run/user/%lu",
	    (unsigned long)geteuid());
	if (own_dir(run))
		return join(ret, run, "/genkan", why);
	return below_home(ret, "/.cache/genkan", why);
}

int
gk_dirs_state(char ret[GK_PATH_MAX], struct gk_why *why)
{
	return below_home(ret, "/.local/state/genkan", why);
}

/* What has been opened is judged, not what the name says now. */
static int
harden(int fd, const char *path, struct gk_why *why)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "%s", path);
	if (st.st_uid != geteuid())
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: belongs to user %lu", path, (unsigned long)st.st_uid);
	if ((st.st_mode & 07777) != 0700 && fchmod(fd, 0700) != 0)
		return gk_why_set(why, GENKAN_E_IO, errno,
		    "%s: cannot set mode 0700", path);
	return 0;
}

static int
open_error(const char *path, int err, struct gk_why *why)
{
	if (err == ENOENT)
		return gk_why_set(why, GENKAN_E_NOENT, err, "%s", path);
	if (err == ELOOP || err == ENOTDIR)
		return gk_why_set(why, GENKAN_E_ACCESS, 0,
		    "%s: is not a directory, or a symbolic link", path);
	return gk_why_set(why, GENKAN_E_IO, err, "%s", path);
}

static int
open_leaf(int parent, const char *name, const char *path, int *ret,
    struct gk_why *why)
{
	int r, fd;

	fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return open_error(path, errno, why);
	r = harden(fd, path, why);
	if (r < 0)
		(void)close(fd);
	else
		*ret = fd;
	return r;
}

int
gk_dirs_open(const char *path, int *ret, struct gk_why *why)
{
	return open_leaf(AT_FDCWD, path, path, ret, why);
}

int
gk_dirs_is(const char *path, uint64_t dev, uint64_t ino)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_dev == dev && st.st_ino == ino && st.st_uid == geteuid() &&
	    (st.st_mode & 07777) == 0700;
}

/* A directory that we make has exactly these bits, whatever the umask. */
static int
make_one(int parent, const char *name, unsigned mode)
{
	if (mkdirat(parent, name, (mode_t)mode) != 0)
		return errno == EEXIST ? 0 : -1;
	return fchmodat(parent, name, (mode_t)mode, 0);
}

/* Opens a directory above the leaf, made if it is missing.  Links are fine
 * here: a home may lie anywhere. */
static int
step(int parent, const char *name, unsigned mode)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int fd = openat(parent, name, flags);

	if (fd >= 0 || errno != ENOENT || make_one(parent, name, mode) != 0)
		return fd;
	return openat(parent, name, flags);
}

/* Walks to the parent of the leaf.  *name is the leaf, inside @copy. */
static int
walk(char copy[GK_PATH_MAX], unsigned mode, const char **name, int *ret)
{
	char *at = copy, *end;
	int fd, next;

	fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0) {
		at += strspn(at, "/");
		end = at + strcspn(at, "/");
		if (end[strspn(end, "/")] == '\0')
			break;		/* nothing behind it: the leaf */
		*end = '\0';
		next = step(fd, at, mode);
		(void)close(fd);
		fd = next;
		at = end + 1;
	}
	if (fd < 0)
		return -1;
	at[strcspn(at, "/")] = '\0';
	*name = *at == '\0' ? "." : at;
	*ret = fd;
	return 0;
}

static int
make(const char *path, unsigned mode, int hard, int *ret, struct gk_why *why)
{
	char copy[GK_PATH_MAX];
	const char *name;
	int r, dir;

	if (path[0] != '/' ||
	    !gk_str_copy(copy, sizeof(copy), path, strlen(path)))
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "%.200s: not an absolute path, or too long", path);
	if (walk(copy, mode, &name, &dir) != 0)
		return gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot create %s", path);
	if (make_one(dir, name, mode) != 0) {
		r = gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot create %s", path);
	} else if (hard) {
		r = open_leaf(dir, name, path, ret, why);
	} else {
		r = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (r < 0) {
			r = open_error(path, errno, why);
		} else {
			*ret = r;
			r = 0;
		}
	}
	(void)close(dir);
	return r;
}

int
gk_dirs_make(const char *path, int *ret, struct gk_why *why)
{
	/* Nearly always it is there; walking its path is for when it is not. */
	int r = path[0] == '/' ? gk_dirs_open(path, ret, why) :
	    GENKAN_E_NOENT;

	return r != GENKAN_E_NOENT ? r : make(path, 0700, 1, ret, why);
}

int
gk_dirs_make_plain(const char *path, unsigned mode, int *ret,
    struct gk_why *why)
{
	return make(path, mode, 0, ret, why);
}

int
gk_dirs_same(const char *a, const char *b)
{
	struct stat sa, sb;

	if (strcmp(a, b) == 0)
		return 1;
	return stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	    S_ISDIR(sa.st_mode) && sa.st_dev == sb.st_dev &&
	    sa.st_ino == sb.st_ino;
}

/* ----------------------------------------------------------- links resolved */

/* Moves the last name of path in front of rest: false when there is none. */
static bool
shift(char *path, char rest[GK_PATH_MAX])
{
	char name[GK_PATH_MAX];
	char *slash = strrchr(path, '/');

	if (slash == NULL || slash[1] == '\0' ||
	    snprintf(name, sizeof(name), "%s%s", slash, rest) >=
	    (int)sizeof(name))
		return false;
	memcpy(rest, name, strlen(name) + 1);
	while (slash > path && slash[-1] == '/')
		slash--;
	*slash = '\0';
	return true;
}

int
gk_dirs_real(const char *path, char ret[GK_PATH_MAX], struct gk_why *why)
{
	char head[GK_PATH_MAX], rest[GK_PATH_MAX] = "", real[PATH_MAX];

	if (path[0] != '/' || !gk_str_copy(head, sizeof(head), path,
	    strlen(path)))
		return gk_why_set(why, GENKAN_E_NOENT, 0,
		    "no absolute path, or too long a one");
	while (realpath(head[0] != '\0' ? head : "/", real) == NULL) {
		if (errno != ENOENT)
			return gk_why_set(why, errno == EACCES ?
			    GENKAN_E_ACCESS : GENKAN_E_IO, errno, "%s", head);
		if (!shift(head, rest))
			return gk_why_set(why, GENKAN_E_NOENT, 0,
			    "%.200s: no such directory", path);
	}
	if (strcmp(real, "/") == 0 && rest[0] != '\0')
		real[0] = '\0';
	return join(ret, real, rest, why);
}
