/*
 * `pair`: a host key is made (control 3.5), and an old one disposed of.
 */
#ifndef GK_LOCAL_HOSTPAIR_H
#define GK_LOCAL_HOSTPAIR_H

#include "local/hostkey.h"
#include "trust/presence.h"

struct gk_hostpair {
	bool			 reset;
	bool			 file;		/* --file-store */
	struct gk_keyring	 keys;
};

/*
 * Step 2, which may wait for a person to unlock the credential store.  0; 1:
 * over, the report says why and the refusal is on record.
 */
int	gk_hostpair_check(struct gk_hostpair *, struct gk_desk *);
/* What is about to be done, for the person who is asked. */
const char *gk_hostpair_reason(const struct gk_hostpair *);
/* Steps 4 and 5; the proof is used up. */
void	gk_hostpair_run(struct gk_hostpair *, struct gk_desk *,
	    struct gk_presence *);

#endif
