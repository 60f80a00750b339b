/*
 * Disposal of the host key: control.md 3.6, in its order.  It never loosens:
 * what the policy had disabled stays disabled.
 *
 * Under one hold of the record lock, so nothing here logs; what a person
 * should know besides comes back as a note.
 */
#ifndef GK_TRUST_DISPOSE_H
#define GK_TRUST_DISPOSE_H

#include "records/store.h"

struct gk_disposal {
	/*
	 * Step 2: deletes the key everywhere and looks again.  0: its absence
	 * is verified; else an error with the sentence in why.
	 */
	int	(*erase)(void *user, struct gk_hold *, char *why,
		    size_t whylen);
	void	 *user;
	/* What came of it. */
	bool	 absent;		/* step 2 was passed */
	char	 why[GK_WHY_FULL];	/* of an error */
	char	 note[GK_WHY_FULL];	/* else "" */
};

/*
 * 0, or an error and its sentence.  Without absent nothing has changed; with
 * it the key is gone, but the policy or the epochs could not be written.
 */
int	gk_dispose(struct genkan_ctx *, const struct gk_store *,
	    struct gk_hold *, struct gk_disposal *);

#endif
