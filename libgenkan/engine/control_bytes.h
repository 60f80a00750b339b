/*
 * The byte members of a frame about an authenticator, decoded (control 2.7).
 */
#ifndef GK_ENGINE_CONTROL_BYTES_H
#define GK_ENGINE_CONTROL_BYTES_H

#include "engine/control_impl.h"

#define GK_CONTROL_BYTES	4

/* The byte members of one frame, decoded. */
struct gk_control_bytes {
	struct gk_buf	buf[GK_CONTROL_BYTES];
	size_t		n;
};

struct gk_control_member {
	const char	*name;
	size_t		 max;
};

/*
 * All of them, in their order: GK_REFUSAL_NONE, or the refusal and what it is
 * about.  gk_control_bytes_done() follows in every case.
 */
enum gk_refusal_id gk_control_bytes_get(struct gk_control *,
	    const struct gk_control_frame *, const struct gk_control_member *,
	    size_t n, struct gk_control_bytes *ret, const char **detail);
void	gk_control_bytes_done(struct gk_control_bytes *);

/* What a verifier says: its refusal, or what it could not do for a reason of
 * its own. */
enum gk_refusal_id gk_control_verdict(int r, enum gk_refusal_id refusal,
	    const char **detail);

#endif
