/*
 * A directory of the test's own, and what tests of os/ and local/ plant in it.
 */
#ifndef GK_TESTS_SCRATCH_H
#define GK_TESTS_SCRATCH_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Another user than ours, for what root can give away. */
#define OTHER_UID	12345

static char scratch[64];

static inline void
scratch_make(void)
{
	(void)snprintf(scratch, sizeof(scratch), "/tmp/gk-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static inline int
scratch_rm_one(const char *path, const struct stat *st, int type,
    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void
scratch_drop(void)
{
	ck_assert_int_eq(nftw(scratch, scratch_rm_one, 16,
	    FTW_DEPTH | FTW_PHYS), 0);
}

/* Valgrind runs the program inside one of its own, with code of its own mapped
 * beside it: nobody who is looked at there is what they are. */
static inline int
under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

/* A path below the scratch directory; eight of them live at a time. */
static inline const char *
at(const char *name)
{
	static char path[8][4096];
	static unsigned i;

	i = (i + 1) % 8;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", scratch, name);
	return path[i];
}

/* A home and a runtime directory of the process's own, in there. */
static inline void
scratch_home(void)
{
	ck_assert_int_eq(mkdir(at("home"), 0700), 0);
	ck_assert_int_eq(mkdir(at("run"), 0700), 0);
	ck_assert_int_eq(setenv("HOME", at("home"), 1), 0);
	ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", at("run"), 1), 0);
}

static inline void
put(const char *name, const char *text, mode_t mode)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)),
	    (ssize_t)strlen(text));
	ck_assert_int_eq(fchmod(fd, mode), 0);
	ck_assert_int_eq(close(fd), 0);
}

static inline int
dir_fd(const char *name)
{
	int fd = open(at(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static inline mode_t
mode_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(lstat(at(name), &st), 0);
	return st.st_mode & 07777;
}

static inline int
exists(const char *name)
{
	struct stat st;

	return lstat(at(name), &st) == 0;
}

/* How a child ended, as its exit status; a signal fails the test. */
static inline int
reap(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#endif
