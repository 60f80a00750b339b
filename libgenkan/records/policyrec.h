/*
 * policy.json: the signed document (control.md 4.3), the unsigned overlay that
 * only tightens it, and the fold of the two, which is the policy in force.
 *
 * The document's bytes are kept as they are: they are what is signed, sent and
 * verified.  Nothing here checks the signature; only the extension does.
 */
#ifndef GK_RECORDS_POLICYREC_H
#define GK_RECORDS_POLICYREC_H

#include "records/policyval.h"
#include "records/record.h"

#define GK_POLICY_SIG_BYTES	64

struct gk_policydoc {
	uint64_t		 revision;
	uint32_t		 touched;	/* bits of fields */
	struct gk_policyval	 policy;	/* full */
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
	struct gk_policyval	 overlay;	/* has == 0: none */
	struct gk_policyval	 effective;	/* full */
};

/* Exact bytes of a document, strictly parsed. */
int	gk_policydoc_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_policydoc *ret, char *why, size_t whylen);
void	gk_policydoc_done(struct gk_policydoc *);
/* The document of these values in normative order; appended. */
int	gk_policydoc_format(const struct gk_policydoc *, struct gk_buf *ret);

/* An overlay object inside an accepted text; *ret is initialised here and to
 * be freed in every case. */
int	gk_overlay_parse(struct genkan_ctx *, struct gk_span object,
	    struct gk_policyval *ret, char *why, size_t whylen);
/* Compact JSON in catalogue order; appended. */
int	gk_overlay_format(const struct gk_policyval *, struct gk_buf *ret);

/* What policy.json and a row of its history have in common; type 0: absent. */
struct gk_policy_members {
	struct gk_member	baseline, sig, key_id, overlay;
};

/* The record made of them: 0 and *ret yours, or RECORD_CORRUPT with the
 * reason, or GENKAN_E_NOMEM. */
int	gk_policyrec_take(struct genkan_ctx *, struct gk_rec *,
	    const struct gk_policy_members *, struct gk_policyrec **ret);

/* The same on the way out: written into an open object. */
int	gk_policyrec_put_members(const struct gk_policyrec *, struct gk_buf *);

void	gk_policyrec_free(struct gk_policyrec *);
int	gk_policyrec_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_policyrec **ret, char *why, size_t whylen);
int	gk_policyrec_format(const struct gk_policyrec *, struct gk_buf *ret);

#endif
