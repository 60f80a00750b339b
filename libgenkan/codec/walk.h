/*
 * Steps through text that gk_scan() has accepted, without checking it again:
 * several times as fast as the scan itself, and wrong on anything else.
 */
#ifndef GK_CODEC_WALK_H
#define GK_CODEC_WALK_H

#include "codec/scan.h"

struct gk_walk {
	const char	*p;
	const char	*end;
	bool		 object;
};

/* container: value span of an object or array. */
void	gk_walk_init(struct gk_walk *, struct gk_span container);
/* The same, but beginning behind a member or element of it. */
void	gk_walk_behind(struct gk_walk *, struct gk_span container,
	    const struct gk_member *);
/* true and the next member or element, false at the end. */
bool	gk_walk_next(struct gk_walk *, struct gk_member *ret);
/* Members or elements of a container; costs a walk. */
size_t	gk_walk_count(struct gk_span container);
/* The value that begins at p, whitespace skipped: type, span, integer. */
const char *gk_walk_value(const char *p, const char *end,
	    struct gk_member *ret);
/* The same for a span that is one value, as those of members are: the end of a
 * container need not be looked for. */
void	gk_walk_whole(struct gk_span value, struct gk_member *ret);

#endif
