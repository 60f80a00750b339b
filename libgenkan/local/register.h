/*
 * Registration of genkan-host with one browser: the state of a manifest, its
 * writing and its removal (control.md 10).  What we did not write ourselves is
 * never replaced and never removed.
 */
#ifndef GK_LOCAL_REGISTER_H
#define GK_LOCAL_REGISTER_H

#include "local/browsers.h"
#include "os/why.h"

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

/* The genkan-host beside the running program. */
struct gk_reg_host {
	char	dir[GK_PATH_MAX];	/* of the program */
	char	path[GK_PATH_MAX];
	char	hash[65];		/* "" where it cannot be used */
	uint64_t size;			/* 0: unknown */
	char	why[512];		/* then the reason */
	bool	passing;		/* lies where it will not stay */
};

/* 0, or an error when not even the own path can be learnt.  Hashes. */
int	gk_reg_host(struct genkan_ctx *, struct gk_reg_host *ret,
	    struct gk_why *);

/* Where the unpacked extension of this installation lies: share/genkan/extension
 * under the prefix.  false: there is none, and ret names where it would be. */
bool	gk_reg_extension(const struct gk_reg_host *, char ret[GK_PATH_MAX]);

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
