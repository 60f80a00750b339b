/*
 * The state directory, held open between two decisions.
 *
 * Every decision looks at its record afresh.  That the directory is still the
 * one that was opened, ours alone and under its name, is looked at once for
 * each millisecond of the context's time: walking its path costs more than the
 * look at the record, and a program tells the time before it feeds anything.
 */
#ifndef GK_LOCAL_STATEDIR_H
#define GK_LOCAL_STATEDIR_H

#include "base/clock.h"
#include "os/why.h"

struct gk_statedir {
	struct genkan_ctx	*ctx;
	const char		*path;		/* borrowed */
	int			 fd;		/* -1: not open */
	int64_t			 looked;	/* when, by gk_now() */
	uint64_t		 dev, ino;
};

void	gk_statedir_init(struct gk_statedir *, struct genkan_ctx *,
	    const char *path);
void	gk_statedir_done(struct gk_statedir *);

/* 0 and a descriptor that is borrowed until the next call; or as
 * gk_dirs_open(): GENKAN_E_NOENT is a directory without files. */
int	gk_statedir_get(struct gk_statedir *, int *ret, struct gk_why *);

#endif
