/*
 * An object against its row of members in contract/frames.def: the strict
 * parse of control frames, without a tree.
 */
#ifndef GK_ENGINE_SHAPE_H
#define GK_ENGINE_SHAPE_H

#include "base/base.h"
#include "contract/schema.h"

/* What does not fit, for a message: "<member> <text>"; the member is "it" for
 * one that the table does not have, since a foreign name is not repeated. */
struct gk_shape_why {
	const char	*text;
	const char	*member;
};

/*
 * object: the span of an object inside a text that gk_scan() has accepted.
 * type: a member of this name is passed over, since frames imply it; may be
 * NULL.  true if every member fits; lack of memory is a misfit.  GK_MF_ACT
 * and GK_MF_TOOLSET members are checked for their JSON type alone.
 */
bool	gk_shape_fits(struct genkan_ctx *, struct gk_span object,
	    const struct gk_shape_member *, bool lenient, const char *type,
	    struct gk_shape_why *why);

#endif
