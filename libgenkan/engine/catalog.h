/*
 * The arguments of a call against the catalogue: gates 2 and 3 of wire 9.1,
 * by the rules of tools.md 1.2.
 */
#ifndef GK_ENGINE_CATALOG_H
#define GK_ENGINE_CATALOG_H

#include "base/buf.h"

struct gk_tool;

struct gk_arguments {
	struct gk_buf	args;	/* finished object without browser */
	struct gk_buf	label;	/* decoded text of browser */
	bool		named;	/* browser was a string */
	struct gk_buf	why;	/* of a refusal, one sentence */
};

/*
 * object: value span of an accepted text, or empty for {}.  1: they fit.  0:
 * INVALID_ARGUMENT, why says tool, argument and offence.  GENKAN_E_NOMEM.  ret
 * is initialised in any case, for gk_arguments_done().
 */
int	gk_arguments_check(struct genkan_ctx *, const struct gk_tool *,
	    struct gk_span object, struct gk_arguments *ret);
void	gk_arguments_done(struct gk_arguments *);

#endif
