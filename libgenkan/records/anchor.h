/*
 * What a client is recognised by: the hash of its image or its signer.  The
 * value rules are those of control.md 5.2; frames and records are not forgiven
 * an upper-case digit, only the command line is.
 */
#ifndef GK_RECORDS_ANCHOR_H
#define GK_RECORDS_ANCHOR_H

#include "base/base.h"
#include "contract/schema.h"

enum gk_anchor_kind {
	GK_ANCHOR_HASH,
	GK_ANCHOR_SIGNER
};

struct gk_anchor {
	enum gk_anchor_kind	 kind;
	char			 value[GK_SIGNER_MAX + 1];
};

/* "hash" or "signer". */
const char *gk_anchor_kind_name(enum gk_anchor_kind);
bool	gk_anchor_kind_parse(const char *, size_t, enum gk_anchor_kind *ret);
bool	gk_anchor_is_valid(enum gk_anchor_kind, const char *value, size_t len);

/* As the trail records a pairing: KIND:VALUE; auth=PATH.  A long value is cut,
 * so that by what it was admitted is told in every case. */
void	gk_anchor_detail(const struct gk_anchor *, const char *auth,
	    char ret[GK_AUDIT_TEXT_MAX + 1]);

#endif
