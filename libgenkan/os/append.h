#ifndef GK_OS_APPEND_H
#define GK_OS_APPEND_H

#include "os/file.h"

/*
 * Files that only grow, a line at a time, from several processes.
 *
 * @dir is a descriptor of os/dirs.h and @name one component.  No symlink is
 * followed and nothing waits, whatever lies under the name.
 */

/* Creates the file 0600 where it is missing; a regular file of the effective
 * user, its bits set to 0600.  0, GENKAN_E_ACCESS, GENKAN_E_IO. */
int	gk_append_open(int dir, const char *name, int *ret,
	    struct gk_fstat *st, struct gk_why *);

/* 1 if the file ends in the middle of a line, as a full disk leaves it. */
int	gk_append_is_torn(int fd);

/* Adds one line, whose LF is part of it, in one write, behind what is there at
 * that moment; torn: and an LF in front.  The bytes written, or GENKAN_E_IO
 * when it is not there as a whole. */
int	gk_append_line(int fd, const void *line, size_t len, int torn,
	    struct gk_why *);

/* Within one directory; what has the new name is replaced.  0, GENKAN_E_IO. */
int	gk_append_rotate(int dir, const char *from, const char *to,
	    struct gk_why *);

#endif
