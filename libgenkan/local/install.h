/*
 * The installation that the running program belongs to (wire 4.1), looked at
 * once and pinned, and whether the own image was replaced since (3.5).
 */
#ifndef GK_LOCAL_INSTALL_H
#define GK_LOCAL_INSTALL_H

#include "local/notes.h"
#include "os/image.h"
#include "trust/installset.h"

struct gk_install {
	struct gk_installset	set;
	struct gk_image		self;	/* .path: where the image lay at start */
	char			dir[GK_PATH_MAX];
};

/*
 * role is that of the running program.  0, or an error when the own image
 * cannot be measured.  Blocks, for jobs.  A sibling that fails is left out and
 * noted, unless it is we who are short of memory or descriptors.
 */
int	gk_install_scan(struct genkan_ctx *, unsigned role,
	    struct gk_install *ret, struct gk_notes *, struct gk_why *);

/* The programs that lie in a directory, for one who is none of them: an
 * embedder.  As above. */
int	gk_install_siblings(struct genkan_ctx *, const char *dir,
	    struct gk_install *ret, struct gk_notes *, struct gk_why *);

/*
 * The look of 3.5.  What lies at the path is hashed only when it is not the
 * running image itself, and again only when its size or times changed; what
 * was found replaced stays so.  Zeroed is a look that never was.
 */
struct gk_replaced {
	bool		replaced;
	bool		judged;		/* last was hashed and was ours */
	struct gk_fstat	last;
};

enum gk_replaced_verdict {
	GK_REPLACED_NO,
	GK_REPLACED_YES,
	GK_REPLACED_HASH	/* only hashing tells: gk_replaced_look() */
};

/* One stat: for a loop. */
enum gk_replaced_verdict gk_replaced_glance(const struct gk_install *,
	    struct gk_replaced *);
/* Hashes if need be: for jobs. */
bool	gk_replaced_look(struct genkan_ctx *, const struct gk_install *,
	    struct gk_replaced *);

#endif
