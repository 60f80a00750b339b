/*
 * The images of this installation and what each is for: wire.md 4.1.  Data
 * only; who reads the disk (local/) fills it once, at program start.
 */
#ifndef GK_TRUST_INSTALLSET_H
#define GK_TRUST_INSTALLSET_H

#include "base/base.h"

#define GK_HASH_HEX	64	/* a SHA-256 as lowercase hex */

/* Bits: one image may stand under several names. */
#define GK_ROLE_SERVER	1u	/* genkan-server */
#define GK_ROLE_HOST	2u	/* genkan-host */
#define GK_ROLE_CLI	4u	/* genkan */

struct gk_installset {
	size_t	n;
	struct {
		char		hash[GK_HASH_HEX + 1];
		unsigned	roles;
	} item[4];		/* the own image and three siblings */
};

void	gk_installset_init(struct gk_installset *);
/* Roles of an equal hash are joined.  GENKAN_E_INVAL for no SHA-256,
 * GENKAN_E_LIMIT when full. */
int	gk_installset_add(struct gk_installset *, const char *hash,
	    unsigned roles);
/* 0 for an image that is not ours. */
unsigned gk_installset_roles(const struct gk_installset *, const char *hash);
/* Is there any image of that role? */
bool	gk_installset_has(const struct gk_installset *, unsigned role);

/* "genkan-server", ... for exactly one role bit; NULL otherwise. */
const char *gk_role_program(unsigned role);
/* The bit of a program's file name, 0 for any other. */
unsigned gk_role_of_program(const char *);

#endif
