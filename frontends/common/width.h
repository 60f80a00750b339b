/*
 * How much a pipe holds.  One of the usual size passes a megabyte in sixteen
 * pieces, for each of which two processes are woken; a wide one in a single
 * write.  What a user's pipes may hold all together is limited, so they are
 * wide only while there is something large to pass.  Nothing depends on it:
 * what is no pipe, holds more already or may not grow stays as it is.
 */
#ifndef GK_FRONTENDS_WIDTH_H
#define GK_FRONTENDS_WIDTH_H

#define WIDTH_USUAL	(64 * 1024)	/* of a pipe, in bytes */

/* A side of a pump: zeroed, later what width_restore() needs. */
struct width {
	int	before;		/* 0: as it came */
	int	asked;		/* it was tried already */
};

void	width_grow(struct width *, int fd);
/* 1 if there is something to restore. */
int	width_is_wide(const struct width *);
/* As it was.  Where more lies in the pipe than that holds, once that is gone
 * and this is called again. */
void	width_restore(struct width *, int fd);

#endif
