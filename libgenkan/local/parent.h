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
	/* What it was, for a second look.  pid 0: nothing is known. */
	int64_t		 pid;
	uint64_t	 started;
	uint64_t	 dev;
	uint64_t	 ino;
};

/* Looks at the parent of this process, once at start: reads no file but a
 * link, so it is quick.  An unknown parent is no failure. */
void	gk_parent_look(struct gk_parent *ret, struct gk_why *);

/*
 * A second look (control 6.2): true if it is still the parent, the process
 * that it was and of the image that it had, and a browser by that image.  A
 * parent that ended, or runs something else by now, starts no browser's host;
 * one that is asked for the first time here never did.
 */
bool	gk_parent_is_browser_still(const struct gk_parent *);

/* The rule alone, over a path as /proc names it and the stat of the file. */
void	gk_parent_judge(const struct gk_image *, struct gk_parent *ret);

#endif
