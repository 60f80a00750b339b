/*
 * What is registered: the genkan-host of this installation, and where it lies.
 */
#ifndef GK_LOCAL_REGISTER_HOST_H
#define GK_LOCAL_REGISTER_HOST_H

#include "base/base.h"
#include "os/dirs.h"
#include "os/why.h"

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

#endif
