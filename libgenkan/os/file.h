#ifndef GK_OS_FILE_H
#define GK_OS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "os/why.h"

struct gk_buf;

/*
 * Files inside an open directory: bounded reads and atomic replacement.
 *
 * @dir is a descriptor of os/dirs.h and @name one component.  Nothing here
 * follows a symlink, waits for a FIFO, or reads more than it was told to.
 */
struct gk_fstat {
	uint64_t dev, ino, size, mtime_ns, ctime_ns;
	uint32_t uid, mode;		/* mode with the type bits */
};

#define GK_FILE_OWNED	1u	/* the owner must be the effective user */
#define GK_FILE_TRUSTED	2u	/* owner root or the effective user, not
				 * writable by group or others */
#define GK_FILE_TAIL	8u	/* gk_file_read(): of a larger file the end */

/* Opens for reading: a regular file, checked through the descriptor.
 * 0, GENKAN_E_NOENT, GENKAN_E_ACCESS, GENKAN_E_IO.  @ret is yours to close. */
int	gk_file_open(int dir, const char *name, unsigned flags, int *ret,
	    struct gk_fstat *st, struct gk_why *);

/* Appends the whole file to @ret, which is initialised and at least @cap + 1
 * wide; at most @cap + 1 bytes are read.  As gk_file_open(), and
 * GENKAN_E_TOO_LARGE over @cap, GENKAN_E_NOMEM.  @st may be NULL.  With
 * GK_FILE_TAIL no file is too large: @cap bytes of it are read, the last ones as
 * it was opened. */
int	gk_file_read(int dir, const char *name, size_t cap, unsigned flags,
	    struct gk_buf *ret, struct gk_fstat *st, struct gk_why *);

/* Looks at the name itself, without opening.  0, NOENT, IO. */
int	gk_file_stat(int dir, const char *name, struct gk_fstat *ret,
	    struct gk_why *);

/* A whole path, links followed: what a program would be started from. */
int	gk_file_stat_path(const char *path, struct gk_fstat *ret,
	    struct gk_why *);

/* The same of what is open. */
int	gk_file_stat_fd(int fd, struct gk_fstat *ret, struct gk_why *);

/* 1 if both are one file with one content, as far as a stat can tell. */
int	gk_file_stat_same(const struct gk_fstat *, const struct gk_fstat *);

/*
 * Replacement in two halves, so that a writer may look once more at what it is
 * about to replace: begin() puts the bytes beside @name, commit() renames,
 * cancel() removes.  cancel() after commit(), or on a zeroed struct, is fine.
 */
struct gk_file_new {
	int	dir;		/* borrowed */
	int	live;		/* a temporary file is there */
	unsigned flags;
	char	name[256];
	char	tmp[300];
};

#define GK_FILE_SYNC	4u	/* fsync the file and, after the rename, the
				 * directory */

/* Creates the temporary file exclusively with exactly @mode and writes all of
 * it.  @tmp names the temporary file, a leftover of that name is removed; NULL
 * makes up "<name>.<random>.tmp", for names that two writers may hold. */
int	gk_file_begin(int dir, const char *name, const char *tmp,
	    const void *buf, size_t len, unsigned mode, unsigned flags,
	    struct gk_file_new *ret, struct gk_why *);
int	gk_file_commit(struct gk_file_new *, struct gk_why *);
void	gk_file_cancel(struct gk_file_new *);

/* begin and commit, synced, with a made-up temporary name.  A symlink at
 * @name is replaced itself, never its target. */
int	gk_file_replace(int dir, const char *name, const void *buf, size_t len,
	    unsigned mode, struct gk_why *);

/* Any descriptor; -1 is fine. */
void	gk_file_close(int fd);

/* Removes a name.  0 also if it was absent; GENKAN_E_IO. */
int	gk_file_unlink(int dir, const char *name, struct gk_why *);
/* What was removed there stays so after a loss of power. */
int	gk_file_sync_dir(int dir, struct gk_why *);

/* Removes a name only if a socket lies there.  1 removed, 0 absent or
 * something else, GENKAN_E_IO. */
int	gk_file_unlink_socket(int dir, const char *name, struct gk_why *);

#endif
