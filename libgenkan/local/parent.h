/*
 * Which browser started this host (wire 12.1, control 10.1).
 */
#ifndef GK_LOCAL_PARENT_H
#define GK_LOCAL_PARENT_H

#include "base/base.h"
#include "os/why.h"

struct gk_image;

struct gk_parent {
	const char	*key;		/* of the browser, by image or by name;
					 * NULL: unknown, no label */
	bool		 by_image;	/* what presence takes */
};

/* Looks at the parent of this process, once at start: reads no file but a
 * link, so it is quick.  An unknown parent is no failure. */
void	gk_parent_look(struct gk_parent *ret, struct gk_why *);

/* The rule alone, over a path as /proc names it and the stat of the file. */
void	gk_parent_judge(const struct gk_image *, struct gk_parent *ret);

#endif
