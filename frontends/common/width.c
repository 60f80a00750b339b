/* For the size of a pipe. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "common/width.h"

#include <fcntl.h>

/* What everybody may ask for, by the system's default. */
#define WIDE	(1024 * 1024)

void
width_grow(struct width *w, int fd)
{
	int size;

	if (w->asked)
		return;
	w->asked = 1;
	size = fcntl(fd, F_GETPIPE_SZ);
	if (size > 0 && size < WIDE && fcntl(fd, F_SETPIPE_SZ, WIDE) >= 0)
		w->before = size;
}

int
width_is_wide(const struct width *w)
{
	return w->before != 0;
}

void
width_restore(struct width *w, int fd)
{
	if (w->before != 0 && fcntl(fd, F_SETPIPE_SZ, w->before) < 0)
		return;
	w->before = 0;
	w->asked = 0;
}
