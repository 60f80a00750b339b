#ifndef GK_OS_IMAGE_H
#define GK_OS_IMAGE_H

#include "os/dirs.h"
#include "os/file.h"

struct genkan_ctx;

/*
 * Program images by their SHA-256 (wire.md 4.1).
 *
 * A file is checked and hashed through one descriptor, so that what was
 * checked is what was hashed.  Hashing reads everything: for jobs.
 */
struct gk_image {
	char	hash[65];		/* lowercase hex */
	char	path[GK_PATH_MAX];	/* link target of /proc/<pid>/exe, or the
					 * path it was opened by */
	struct gk_fstat st;		/* of the descriptor that was hashed */
};

/* Nobody's program is larger.  Whoever connects chooses the file that we hash,
 * and a file with holes costs him nothing. */
#define GK_IMAGE_MAX	(INT64_C(1) << 30)
/* Hashed in some milliseconds; what is larger can wait for its turn. */
#define GK_IMAGE_QUICK	(INT64_C(16) << 20)

/* Hashes what lies behind a descriptor, from its start.  GENKAN_E_TOO_LARGE
 * over GK_IMAGE_MAX, without reading; GENKAN_E_IO, GENKAN_E_NOMEM. */
int	gk_image_fd(struct genkan_ctx *, int fd, char ret[65],
	    struct gk_why *);
/* The same; GENKAN_E_LIMIT, without reading, for one over most bytes that is
 * not too large altogether. */
int	gk_image_fd_most(struct genkan_ctx *, int fd, int64_t most,
	    char ret[65], struct gk_why *);

/* The running program: the bytes behind /proc/self/exe. */
int	gk_image_self(struct genkan_ctx *, struct gk_image *ret,
	    struct gk_why *);

/* A sibling program: no symlink, regular, owned by root or the effective
 * user, not writable by group or others.  0, NOENT, ACCESS, IO. */
int	gk_image_file(struct genkan_ctx *, int dir, const char *name,
	    struct gk_image *ret, struct gk_why *);

#endif
