/*
 * The attach frame and its reply (wire 6.1, 6.2), read strictly from one line
 * without its ending and written with LF.  Whether a role is allowed, and what
 * is answered, is decided elsewhere.
 */
#ifndef GK_PROTO_ATTACH_H
#define GK_PROTO_ATTACH_H

#include "base/buf.h"
#include "contract/schema.h"

enum gk_attach_role {
	GK_ATTACH_BROWSER,
	GK_ATTACH_CLIENT
};

struct gk_attach {
	enum gk_attach_role role;
	bool	has_harness;			/* client only */
	char	hash[64 + 1];			/* 40 or 64 lowercase hex */
	char	signer[GK_SIGNER_MAX + 1];	/* "" when absent */
	char	name[GK_LABEL_MAX + 1];		/* "" when absent */
};

int	gk_attach_write(struct gk_buf *, const struct gk_attach *);
/* 0, GENKAN_E_FRAME_MEMBER, or what gk_scan() says. */
int	gk_attach_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_attach *ret);

enum gk_attach_verdict {
	GK_ATTACH_ACCEPTED,
	GK_ATTACH_REFUSED,
	GK_ATTACH_UNAVAILABLE
};

struct gk_attach_reply {
	enum gk_attach_verdict verdict;
	char	reason[512];		/* escaped for people, "" if accepted */
};

/* reason is for people; NULL for accepted. */
int	gk_attach_reply_write(struct gk_buf *, enum gk_attach_verdict,
	    const char *reason);
int	gk_attach_reply_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_attach_reply *ret);

#endif
