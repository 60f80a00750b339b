#ifndef GK_OS_TTY_H
#define GK_OS_TTY_H

#include "os/why.h"

/*
 * A terminal and whoever sits at it.
 */

/* 1 if the descriptor is a terminal. */
int	gk_tty_is(int fd);

/* All of the text.  0 or GENKAN_E_IO. */
int	gk_tty_put(int fd, const char *text, struct gk_why *);

/* One line with its end; waits for a person.  The length, 0 at the end of
 * input; GENKAN_E_IO.  A longer one than @size is read to its end all the same
 * and fills @ret without a line feed. */
int	gk_tty_line(int fd, char *ret, size_t size, struct gk_why *);

#endif
