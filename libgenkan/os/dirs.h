#ifndef GK_OS_DIRS_H
#define GK_OS_DIRS_H

#include <stddef.h>
#include <stdint.h>

#include "os/why.h"

/*
 * The two directories of one user, and how a directory is opened so that it
 * can be trusted (wire.md 2.1).
 *
 * Resolving only computes a path and creates nothing.  Opening hands out a
 * descriptor; all files in there are then reached by *at() calls through it,
 * so that nobody can swap the directory between the check and the use.
 * Failures are closed: there is no fall-back to another row once a directory
 * was chosen.
 */
#define GK_PATH_MAX	4096

/* $HOME if absolute, else the home of the effective user's passwd entry.
 * 0 or GENKAN_E_NOENT (no absolute home). */
int	gk_dirs_home(char ret[GK_PATH_MAX], struct gk_why *);

/* The path of the runtime directory.  0 or GENKAN_E_NOENT (no absolute home). */
int	gk_dirs_runtime(char ret[GK_PATH_MAX], struct gk_why *);

/* The path of the state directory.  0 or GENKAN_E_NOENT (no absolute home). */
int	gk_dirs_state(char ret[GK_PATH_MAX], struct gk_why *);

/* @path with its links resolved; what does not exist yet is kept as it is
 * spelled.  0; GENKAN_E_NOENT (not absolute, or too long); GENKAN_E_ACCESS;
 * GENKAN_E_IO. */
int	gk_dirs_real(const char *path, char ret[GK_PATH_MAX], struct gk_why *);

/* Opens a hardened directory: the leaf is no symlink, owned by the effective
 * user, and set to 0700 even if it existed with wider bits.
 * 0; GENKAN_E_NOENT when it is missing (a directory without files);
 * GENKAN_E_ACCESS; GENKAN_E_IO. */
int	gk_dirs_open(const char *path, int *ret, struct gk_why *);

/* A look without opening: 1 if gk_dirs_open() would find this very directory,
 * and nothing to refuse or to change. */
int	gk_dirs_is(const char *path, uint64_t dev, uint64_t ino);

/* gk_dirs_open(), creating it and what is missing above it, 0700.  For
 * programs that are about to write. */
int	gk_dirs_make(const char *path, int *ret, struct gk_why *);

/* Creates what is missing, 0700 or 0755 as @mode says, and opens the leaf
 * without any rule about owner or bits: the browser's directories. */
int	gk_dirs_make_plain(const char *path, unsigned mode, int *ret,
	    struct gk_why *);

/* 1 if both name one directory: equal strings, or one existing directory by
 * device and inode (wire.md 2.4). */
int	gk_dirs_same(const char *a, const char *b);

#endif
