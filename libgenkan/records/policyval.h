/*
 * The fifteen values of a policy, in full or in part, and their order: what is
 * looser than what.  No JSON and no record here.
 */
#ifndef GK_RECORDS_POLICYVAL_H
#define GK_RECORDS_POLICYVAL_H

#include "base/base.h"
#include "contract/schema.h"

#define GK_POLICY_NFIELDS	GK_POLICY_END
#define GK_POLICY_BIT(field)	(1u << (field))
#define GK_POLICY_ALL		((1u << GK_POLICY_END) - 1)

/* A set of tool names; the order of the list carries no meaning. */
struct gk_toolset {
	char	**name;
	size_t	  n;
};

/*
 * Values of the fields in has, by their index in contract/policy.def; a full
 * policy has them all.  Booleans are 0 and 1.
 */
struct gk_policyval {
	struct genkan_ctx	*ctx;
	uint32_t		 has;
	uint64_t		 num[GK_POLICY_NFIELDS];
	struct gk_toolset	 disabled;
};

/* "pageEvalEnabled" of a field by index. */
const char *gk_policyval_field_name(unsigned field);

/* Empty (has == 0), allocates nothing. */
void	gk_policyval_init(struct gk_policyval *, struct genkan_ctx *);
void	gk_policyval_done(struct gk_policyval *);
/* The deny baseline: every field at its default. */
int	gk_policyval_defaults(struct gk_policyval *, struct genkan_ctx *);
/* Fields that are there no longer. */
void	gk_policyval_drop(struct gk_policyval *, uint32_t fields);
int	gk_policyval_copy(const struct gk_policyval *, struct gk_policyval *ret);

bool	gk_policyval_disables(const struct gk_policyval *, const char *tool,
	    size_t len);
/* The value rule of one disabledTools entry. */
bool	gk_policyval_tool_is_valid(const char *, size_t);
/* GENKAN_E_RANGE over the bound, GENKAN_E_EXIST for a repeat, GENKAN_E_INVAL
 * against the value rule. */
int	gk_policyval_disable(struct gk_policyval *, const char *tool, size_t len);

/* baseline with the fields of overlay replaced; *ret is initialised here. */
int	gk_policyval_fold(const struct gk_policyval *baseline,
	    const struct gk_policyval *overlay, struct gk_policyval *ret);
/* Fields of b that are strictly looser than in a, of those that both have. */
uint32_t gk_policyval_looser(const struct gk_policyval *a, const struct gk_policyval *b);
/* Fields that differ, of those that both have. */
uint32_t gk_policyval_differs(const struct gk_policyval *a,
	    const struct gk_policyval *b);

#endif
