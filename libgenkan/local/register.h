/*
 * Registration of genkan-host with one browser: the state of a manifest, its
 * writing and its removal (control.md 10).  What we did not write ourselves is
 * never replaced and never removed.
 */
#ifndef GK_LOCAL_REGISTER_H
#define GK_LOCAL_REGISTER_H

#include "local/browsers.h"
#include "local/register_host.h"

enum gk_reg_kind {
	GK_REG_MISSING,
	GK_REG_OK,
	GK_REG_STALE,		/* ours, but it would not start our host */
	GK_REG_FOREIGN,
	GK_REG_UNREADABLE
};

struct gk_reg_state {
	enum gk_reg_kind	kind;
	char			detail[512];	/* of STALE and below; raw */
};

const char *gk_reg_kind_name(enum gk_reg_kind);

/* State of the manifest at a path.  Hashes the program that it starts. */
void	gk_reg_look(struct genkan_ctx *, const struct gk_reg_host *,
	    const char *manifest, struct gk_reg_state *ret);

/*
 * Wrapper first, manifest second, so that no manifest ever names a wrapper
 * that is not there.  0; GENKAN_E_NOT_OURS (refused, nothing was written);
 * another error.
 */
int	gk_reg_write(struct genkan_ctx *, const struct gk_reg_host *,
	    const struct gk_target *, struct gk_why *);

/* The manifest: 1 removed, 0 there was none, GENKAN_E_NOT_OURS left alone,
 * another error. */
int	gk_reg_remove(struct genkan_ctx *, const struct gk_target *,
	    struct gk_why *);

/* One wrapper by path; as above. */
int	gk_reg_remove_wrapper(struct genkan_ctx *, const char *dir,
	    const char *name, struct gk_why *);

#endif
