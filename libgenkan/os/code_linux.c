#include "os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "genkan/contract.h"
#include "os/proctext.h"

/*
 * Which code runs in a process besides its image?
 *
 * The image is the code on disk; a preloaded library runs inside it all the
 * same.  Programs of ours map nothing executable but themselves, libraries of
 * root and what the kernel adds, so anything else is somebody else's code.
 */

static int
roots_alone(const struct stat *st)
{
	return st->st_uid == 0 && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Names mean the same in both processes only within one mount namespace. */
static int
one_namespace(int proc)
{
	struct stat theirs, ours;

	return fstatat(proc, "ns/mnt", &theirs, 0) == 0 &&
	    stat("/proc/self/ns/mnt", &ours) == 0 &&
	    theirs.st_ino == ours.st_ino;
}

/*
 * Whether the mapping is of the file that we see under its name.  In another
 * namespace a file system of anybody's may lie over that name, and the number
 * of its inode can be had by making files until it comes up: there the device
 * counts too.  Not at home, because some file systems report another one in
 * maps than in stat.
 */
static int
is_file(int proc, const struct gk_mapping *m, uint64_t dev, uint64_t ino)
{
	return m->ino == ino && (one_namespace(proc) ||
	    dev == makedev(m->major, m->minor));
}

/* A library that an upgrade replaced: its owner can no longer be read, but
 * only root can have put it into a directory of root's. */
static int
gone_but_roots(int proc, const char *path)
{
	static const char mark[] = " (deleted)";
	char dir[GK_PATH_MAX], real[PATH_MAX];
	const size_t len = strlen(path);
	struct stat st;
	char *slash;

	if (len >= sizeof(dir) || len < sizeof(mark) ||
	    strcmp(path + len - (sizeof(mark) - 1), mark) != 0)
		return 0;
	if (!one_namespace(proc))
		return 0;
	memcpy(dir, path, len + 1);
	slash = strrchr(dir, '/');
	if (slash == NULL || slash == dir)
		return 0;
	*slash = '\0';
	return realpath(dir, real) != NULL && strcmp(real, dir) == 0 &&
	    stat(real, &st) == 0 && roots_alone(&st);
}

/* Memory that is shared and of no file goes by this name: the kernel's, and no
 * library that was deleted from root's /dev. */
static int
no_file(const struct gk_mapping *m)
{
	return m->ino == 0 || m->path[0] != '/' ||
	    strcmp(m->path, "/dev/zero (deleted)") == 0;
}

static int
inside(const char *dir, const char *path)
{
	const size_t n = strlen(dir);

	return n > 1 && strncmp(path, dir, n) == 0 && path[n] == '/' &&
	    strchr(path + n + 1, '/') == NULL;
}

static int
judge(int proc, const struct gk_mapping *m, const struct gk_image *image,
    const char *dir, struct gk_why *why)
{
	struct stat st;

	if (!m->exec)
		return 0;
	if (m->ino == 0 && (strcmp(m->path, "[vdso]") == 0 ||
	    strcmp(m->path, "[vsyscall]") == 0))
		return 0;
	if (no_file(m))
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "executable memory without a file");
	if (gk_proctext_two_names(m->path))
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "code of a file whose name may be another's: %s", m->path);
	if (strcmp(m->path, image->path) == 0 &&
	    is_file(proc, m, image->st.dev, image->st.ino))
		return 0;
	if (lstat(m->path, &st) != 0 ||
	    !is_file(proc, m, st.st_dev, st.st_ino)) {
		if (gone_but_roots(proc, m->path))
			return 0;
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "code of a file that is gone: %s", m->path);
	}
	if (roots_alone(&st) || inside(dir, m->path))
		return 0;
	return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
	    "foreign code: %s", m->path);
}

int
gk_proc_code(const struct gk_proc *p, const struct gk_image *image,
    const char *dir, struct gk_why *why)
{
	struct gk_mapping m;
	char *line = NULL;
	size_t cap = 0, n = 0;
	ssize_t len;
	FILE *f = NULL;
	int r = 0, fd;

	fd = openat(p->dir, "maps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		f = fdopen(fd, "r");
	if (f == NULL) {
		r = gk_why_set(why, GENKAN_E_UNMEASURABLE, errno, "maps");
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	while (r == 0 && (len = getline(&line, &cap, f)) > 0) {
		n++;
		r = gk_proctext_mapping(line, (size_t)len, &m) == 0 ?
		    judge(p->dir, &m, image, dir, why) :
		    gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "maps: cannot parse");
	}
	/* All of it was read, or the rest may be what we look for; a zombie
	 * has no line. */
	if (r == 0 && !feof(f))
		r = gk_why_set(why, GENKAN_E_UNMEASURABLE, errno,
		    "maps: cannot read");
	else if (r == 0 && n == 0)
		r = gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "maps: cannot read");
	free(line);
	(void)fclose(f);
	if (r == 0 && !gk_proc_alive(p))
		r = gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "process %lld went away", (long long)p->pid);
	return r;
}
