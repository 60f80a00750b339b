/*
 * policy.json: the signed document (control.md 4.3), the unsigned overlay that
 * only tightens it, and the fold of the two, which is the policy in force.
 *
 * The document's bytes are kept as they are: they are what is signed, sent and
 * verified.  Nothing here checks the signature; only the extension does.
 */
#ifndef GK_RECORDS_POLICYREC_H
#define GK_RECORDS_POLICYREC_H

#include "contract/schema.h"
#include "records/record.h"

#define GK_POLICY_NFIELDS	15
#define GK_POLICY_BIT(field)	(1u << (field))
#define GK_POLICY_ALL		((1u << GK_POLICY_NFIELDS) - 1)
#define GK_POLICY_SIG_BYTES	64

/* A set of tool names; the order of the list carries no meaning. */
struct gk_toolset {
	char	**name;
	size_t	  n;
};

/*
 * Values of the fields in has, by their index in contract/policy.def; a full
 * policy has them all.  Booleans are 0 and 1.
 */
struct gk_policy {
	struct genkan_ctx	*ctx;
	uint32_t		 has;
	uint64_t		 num[GK_POLICY_NFIELDS];
	struct gk_toolset	 disabled;
};

struct gk_policydoc {
	uint64_t		 revision;
	uint32_t		 touched;	/* bits of fields */
	struct gk_policy	 policy;	/* full */
};

struct gk_policyrec {
	struct genkan_ctx	*ctx;
	bool			 has_baseline;	/* false: overlay alone, 3.6 */
	uint8_t			*doc_bytes;
	size_t			 doc_len;
	struct gk_policydoc	 doc;
	bool			 is_signed;
	uint8_t			 sig[GK_POLICY_SIG_BYTES];
	char			 key_id[65];
	struct gk_policy	 overlay;	/* has == 0: none */
	struct gk_policy	 effective;	/* full */
};

/* Empty (has == 0), allocates nothing. */
void	gk_policy_init(struct gk_policy *, struct genkan_ctx *);
void	gk_policy_done(struct gk_policy *);
/* The deny baseline: every field at its default. */
int	gk_policy_defaults(struct gk_policy *, struct genkan_ctx *);
int	gk_policy_copy(const struct gk_policy *, struct gk_policy *ret);

bool	gk_policy_disables(const struct gk_policy *, const char *tool,
	    size_t len);
/* The value rule of one disabledTools entry. */
bool	gk_policy_tool_is_valid(const char *, size_t);
/* GENKAN_E_RANGE over the bound, GENKAN_E_EXIST for a repeat, GENKAN_E_INVAL
 * against the value rule. */
int	gk_policy_disable(struct gk_policy *, const char *tool, size_t len);

/* baseline with the fields of overlay replaced; *ret is initialised here. */
int	gk_policy_fold(const struct gk_policy *baseline,
	    const struct gk_policy *overlay, struct gk_policy *ret);
/* Fields of b that are strictly looser than in a, of those that both have. */
uint32_t gk_policy_looser(const struct gk_policy *a, const struct gk_policy *b);
/* Fields that differ, of those that both have. */
uint32_t gk_policy_differs(const struct gk_policy *a,
	    const struct gk_policy *b);

/* Exact bytes of a document, strictly parsed. */
int	gk_policydoc_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_policydoc *ret, char *why, size_t whylen);
void	gk_policydoc_done(struct gk_policydoc *);
/* The document of these values in normative order; appended. */
int	gk_policydoc_format(const struct gk_policydoc *, struct gk_buf *ret);

/* An overlay object; *ret is initialised here. */
int	gk_overlay_parse(struct genkan_ctx *, const json_t *,
	    struct gk_policy *ret, char *why, size_t whylen);
/* Compact JSON in catalogue order; appended. */
int	gk_overlay_format(const struct gk_policy *, struct gk_buf *ret);

void	gk_policyrec_free(struct gk_policyrec *);
int	gk_policyrec_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_policyrec **ret, char *why, size_t whylen);
int	gk_policyrec_format(const struct gk_policyrec *, struct gk_buf *ret);

#endif
