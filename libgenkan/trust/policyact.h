/*
 * Changing the policy record: control.md 4.5, under the record lock, and what
 * a disposal of the host key leaves of it (3.6).
 *
 * Nothing here logs, since the lock is held; what went wrong on the side comes
 * back as a flag.
 */
#ifndef GK_TRUST_POLICYACT_H
#define GK_TRUST_POLICYACT_H

#include "trust/policyplan.h"
#include "trust/presence.h"

/*
 * The history as it lies there, empty where there is none; *ret is yours.
 * GK_POLICY_IO and the sentence, which names the file, if it cannot be read.
 */
enum gk_policy_error gk_policy_load_history(struct genkan_ctx *,
	    const struct gk_store *, struct gk_historyrec **ret, char *why,
	    size_t whylen);

struct gk_policy_done {
	bool	written;	/* is there, or may be; also after an error */
	bool	history_lost;	/* the old record may not be in the history */
};

/*
 * Carries a plan out that writes something (its lane is not GK_LANE_NONE);
 * one of the grant lane has been signed, and uses up the proof.  ret is set in
 * any case.
 */
enum gk_policy_error gk_policy_commit(const struct gk_policy_plan *,
	    const struct gk_store *, struct gk_hold *, struct gk_presence *,
	    struct gk_policy_done *ret, char *why, size_t whylen);

/*
 * 3.6 step 3: a record with a baseline goes into the history and leaves only
 * its disabled tools, if there are any.  One without a baseline stays, and so
 * does one that cannot be read: *unreadable, with the sentence in why.  The
 * epochs are the caller's.  0, or an error and its sentence.
 */
int	gk_policy_dispose(struct genkan_ctx *, const struct gk_store *,
	    struct gk_hold *, bool *unreadable, char *why, size_t whylen);

#endif
