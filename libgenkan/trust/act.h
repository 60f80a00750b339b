/*
 * Acts on the trust record: control.md 5.3 to 5.5.  Each has this one
 * implementation and its failures one sentence, so that a page and a terminal
 * say the same.  Prechecks, proof and audit are the caller's; an act that
 * grants something takes the proof here and uses it up.
 */
#ifndef GK_TRUST_ACT_H
#define GK_TRUST_ACT_H

#include "trust/admission.h"
#include "trust/change.h"
#include "trust/presence.h"
#include "trust/webauthn.h"

struct gk_act {
	struct gk_change	 change;	/* .user is this struct */
	struct genkan_ctx	*ctx;
	bool			 grants;	/* needs a proof */
	struct gk_presence	*proof;		/* borrowed */
	/* What the act is about. */
	struct gk_client	 client;	/* pair */
	char			 name[GK_LABEL_MAX + 1];
	uint64_t		 kill_epoch;	/* unkill: as prechecked;
						 * enroll: as approved */
	struct gk_credential	 credential;	/* enroll, count */
	bool			 first_use;	/* enroll */
	bool			 counts;	/* it is a count */
	/* What came of it. */
	bool			 was;		/* kill: engaged before; pair:
						 * replaced an entry */
	size_t			 gone;		/* enrollments dropped */
	uint64_t		 epoch;		/* of the record now */
	bool			 counted;	/* count: it is on disk */
	enum gk_refusal_id	 refusal;	/* enroll, count: of an error,
						 * or NONE */
	char			 why[GK_WHY_FULL];
};

/* They must not move between being made and being run. */
void	gk_act_kill(struct gk_act *, struct genkan_ctx *);
void	gk_act_unkill(struct gk_act *, struct genkan_ctx *,
	    struct gk_presence *, uint64_t kill_epoch);
void	gk_act_pair(struct gk_act *, struct genkan_ctx *,
	    struct gk_presence *, const struct gk_client *);
/* name, label: any text; what is no label is unknown. */
void	gk_act_revoke_client(struct gk_act *, struct genkan_ctx *,
	    const char *name);
void	gk_act_revoke_browser(struct gk_act *, struct genkan_ctx *,
	    const char *label);
void	gk_act_revoke_all(struct gk_act *, struct genkan_ctx *);

/*
 * Enrolls under a label, in the place of an entry with the same id (7.6).
 * proof NULL is first use: the record must hold no enrollment then.  Else it
 * is an approval, which was kept for a while: what gave it must still be
 * enrolled, and the switch not have been engaged since.
 */
void	gk_act_enroll(struct gk_act *, struct genkan_ctx *,
	    struct gk_presence *proof, uint64_t kill_epoch, const char *label,
	    const struct gk_credential *);
/*
 * Persists the counter of a verified assertion, the credential being id, key
 * and the new count, enrolled under a label; the rule is applied to what is
 * stored by then (7.4).  Only what has run with success makes
 * gk_presence_tapped() a proof.
 */
void	gk_act_count(struct gk_act *, struct genkan_ctx *, const char *label,
	    const struct gk_credential *);

/*
 * Does it, under hold, or under a lock of its own for NULL (waits for it, so
 * only in a job or at a terminal).  0; 1: nothing was to be done, nothing
 * written; an error whose sentence is in act->why: those of
 * gk_trust_change(), GENKAN_E_NOENT (not on the list), GENKAN_E_REFUSED.
 */
int	gk_act_run(struct gk_act *, const struct gk_store *,
	    struct gk_hold *hold);

/* Beside the lock: for the kill switch alone. */
int	gk_act_run_unlocked(struct gk_act *, const struct gk_store *);

/*
 * Prechecks: 0, 1 for "nothing to do", or an error with a sentence.
 */
int	gk_act_check_unkill(const struct gk_trust_view *, uint64_t *kill_epoch,
	    char *why, size_t whylen);
int	gk_act_check_pair(const struct gk_trust_view *,
	    const struct gk_client *, char *why, size_t whylen);

#endif
