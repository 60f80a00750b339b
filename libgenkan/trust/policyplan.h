/*
 * What a change of the policy would write: control.md 4.5 and 4.6.  Pure: the
 * records as they were read go in, and a plan comes out or one sentence about
 * why there is none.  Carrying it out is trust/policyact.h.
 */
#ifndef GK_TRUST_POLICYPLAN_H
#define GK_TRUST_POLICYPLAN_H

#include "records/historyrec.h"
#include "trust/admission.h"
#include "trust/policy.h"

/* The errors of 4.5.  A person reads the sentence; this is for programs. */
enum gk_policy_error {
	GK_POLICY_FINE,
	GK_POLICY_INVALID,
	GK_POLICY_REFUSED,
	GK_POLICY_NO_SIGNING_KEY,
	GK_POLICY_NO_BASELINE,
	GK_POLICY_NOT_A_RESTRICTION,
	GK_POLICY_REVISION_OVERFLOW,
	GK_POLICY_CONFLICT,
	GK_POLICY_IO
};

/* "NotARestriction": the name in the specification; for logs and tests. */
const char *gk_policy_error_name(enum gk_policy_error);

enum gk_policy_lane {
	GK_LANE_NONE,		/* nothing is to be written */
	GK_LANE_FREE,		/* no proof, no signature */
	GK_LANE_GRANT		/* a proof and a signature */
};

/* What a plan is made from, as read for it. */
struct gk_policy_now {
	const struct gk_trust_view	*trust;
	const struct gk_policy_view	*policy;
};

struct gk_policy_plan {
	struct genkan_ctx	*ctx;
	enum gk_policy_lane	 lane;
	uint32_t		 fields;	/* touched, or restricted */
	uint64_t		 target;	/* rollback: the revision asked
						 * for; else 0 */
	/* What the record was, to be found again under the lock. */
	struct gk_policyrec	*seen;		/* NULL: absent */
	uint64_t		 host_key_epoch;	/* grant lane */
	/* What it becomes; unsigned yet in the grant lane. */
	struct gk_policyrec	*next;
};

void	gk_policy_plan_free(struct gk_policy_plan *);

/*
 * Each gives GK_POLICY_FINE and *ret, yours, or an error and its sentence.
 * change: the fields that are named, values judged by their reader.
 */
enum gk_policy_error gk_policy_plan_set(struct genkan_ctx *,
	    const struct gk_policy_now *, const struct gk_policyval *change,
	    struct gk_policy_plan **ret, char *why, size_t whylen);
enum gk_policy_error gk_policy_plan_restrict(struct genkan_ctx *,
	    const struct gk_policy_now *, const struct gk_policyval *change,
	    struct gk_policy_plan **ret, char *why, size_t whylen);
/* entry.ptr NULL: none was named. */
enum gk_policy_error gk_policy_plan_rollback(struct genkan_ctx *,
	    const struct gk_policy_now *, const struct gk_historyrec *,
	    uint64_t revision, struct gk_span entry,
	    struct gk_policy_plan **ret, char *why, size_t whylen);

/* The bytes to be signed: control.md 3.2; appended. */
int	gk_policy_plan_message(const struct gk_policy_plan *, struct gk_buf *);
/* The signature over them, by the key of this name. */
void	gk_policy_plan_sign(struct gk_policy_plan *,
	    const uint8_t sig[GK_POLICY_SIG_BYTES], const char *key_id);

/* "cdpMode=on,disabledTools=[a,b]" of the plan's fields, as they will be in
 * force; appended. */
int	gk_policy_plan_summary(const struct gk_policy_plan *, struct gk_buf *);
/* "cdpMode,disabledTools"; appended. */
int	gk_policy_put_names(uint32_t fields, struct gk_buf *);
/* What the audit trail says of it, with a NUL; path NULL: without a proof. */
int	gk_policy_plan_detail(const struct gk_policy_plan *, const char *path,
	    struct gk_buf *);
/* One value as text: on, off, a number, [a,b]; appended. */
int	gk_policy_put_value(const struct gk_policyval *, unsigned field,
	    struct gk_buf *);

/* The record is still what the plan was made from. */
bool	gk_policy_plan_holds(const struct gk_policy_plan *,
	    const struct gk_policyrec *now);

/* Between the files that plan: an empty plan, and the first checks. */
int	gk_policy_plan_new(struct genkan_ctx *, const struct gk_policy_now *,
	    enum gk_policy_lane, uint32_t fields, struct gk_policy_plan **ret);
enum gk_policy_error gk_policy_check_readable(const struct gk_policy_now *,
	    char *why, size_t whylen);

/* The sentence: how the error begins, and the detail.  Returns the error. */
enum gk_policy_error gk_policy_no_memory(char *why, size_t whylen);
enum gk_policy_error gk_policy_fail(enum gk_policy_error, char *why,
	    size_t whylen, const char *fmt, ...) GK_PRINTF(4, 5);

#endif
