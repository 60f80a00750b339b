/*
 * Errors are negative numbers; contract/errors.def is their only list.  The
 * number must do for programs, the text of the context is for people.
 */
#ifndef GK_BASE_ERR_H
#define GK_BASE_ERR_H

#include "base/base.h"

/* Wire name, class and sentence of a code; never NULL, 0 is "ok". */
const char *gk_err_name(int code);
const char *gk_err_text(int code);
int	gk_err_class(int code);		/* GENKAN_CLASS_* */

/* Remembers code and detail for genkan_ctx_last_error(), and returns code, so
 * that "return gk_err_set(...)" reads well.  Foreign text goes in escaped. */
int	gk_err_set(struct genkan_ctx *, int code, const char *fmt, ...)
	    GK_PRINTF(3, 4) GK_COLD;
void	gk_err_clear(struct genkan_ctx *);

/*
 * An invariant of ours is broken.  Aborts under --enable-debug; an installed
 * library never does: it logs, remembers the text and returns
 * GENKAN_E_INTERNAL, and the object that noticed goes dead with it.
 */
int	gk_bug_at(struct genkan_ctx *, const char *file, int line,
	    const char *what);
#define gk_bug(ctx, what)	gk_bug_at((ctx), __FILE__, __LINE__, (what))

#endif
