#ifndef GK_OS_LOOK_H
#define GK_OS_LOOK_H

#include "os/file.h"
#include "os/image.h"

/*
 * Looking at paths that may not be ours: what registration and doctor see of
 * the machine.  A look changes nothing: it creates no directory, sets no mode,
 * takes no lock.  Unlike os/file.h it follows symlinks, since browsers and
 * shells do too.
 */

/* For gk_look_dir(): the leaf is no symlink and the effective user's own. */
#define GK_LOOK_OURS	1u

/* An existing directory.  0; GENKAN_E_NOENT; GENKAN_E_ACCESS (no directory,
 * not permitted, or GK_LOOK_OURS does not hold); GENKAN_E_IO. */
int	gk_look_dir(const char *path, unsigned flags, int *ret,
	    struct gk_why *);

/* What the name itself is, a symlink included.  0, NOENT, ACCESS, IO. */
int	gk_look_lstat(const char *path, struct gk_fstat *ret, struct gk_why *);

/* Appends a whole regular file to @ret, which is initialised and at least
 * @cap + 1 wide.  Never waits.  0; GENKAN_E_NOENT (nothing has that name);
 * GENKAN_E_ACCESS (a dangling link, no regular file, not permitted);
 * GENKAN_E_TOO_LARGE over @cap; GENKAN_E_IO; GENKAN_E_NOMEM.  @st may be
 * NULL. */
int	gk_look_file(const char *path, size_t cap, struct gk_buf *ret,
	    struct gk_fstat *st, struct gk_why *);

/* 0 if it is a regular file that we may execute; NOENT, ACCESS, IO. */
int	gk_look_executable(const char *path, struct gk_why *);

/* The hash of an executable; owner and bits are not judged.  Reads it all. */
int	gk_look_program(struct genkan_ctx *, const char *path,
	    char ret[65], struct gk_why *);

/* The system puts a mark behind the path of a program whose file was replaced
 * or removed since it started.  What counts is where it lay: the mark is taken
 * off, unless a file has that very name. */
void	gk_look_unmark(char *path);

/* Path of the running program, links resolved, without that mark. */
int	gk_look_self(char ret[GK_PATH_MAX], struct gk_why *);

/* The effective user. */
uint32_t gk_look_euid(void);

/* "linux" and "x86_64", as uname says it, in lower case. */
void	gk_look_platform(char os[32], char arch[32]);

/* Waits until a socket has something to read, and leaves it there: 1; 0 once
 * @ms have passed; GENKAN_E_EOF when the other end closed; GENKAN_E_IO.
 * Blocks. */
int	gk_look_wait(int fd, int ms, struct gk_why *);

/* No look, but what tidies up after one: removes an empty directory.
 * 1 removed, 0 absent or not empty, GENKAN_E_IO. */
int	gk_look_rmdir(const char *path, struct gk_why *);

#endif
