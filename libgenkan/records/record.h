/*
 * The one loader of all records: size, JSON object, version, climb.  What
 * comes out has the members of the current version, "version" taken away, and
 * is then parsed strictly by the record's own reader.  Loading never rewrites.
 */
#ifndef GK_RECORDS_RECORD_H
#define GK_RECORDS_RECORD_H

#include "records/ladder.h"

/*
 * Errors in this order: GENKAN_E_TOO_LARGE over cap; RECORD_CORRUPT for bad
 * UTF-8 or JSON, nesting, a repeated member, no object, a version that is
 * missing or no uint; RECORD_OLDER, RECORD_NEWER; RECORD_CORRUPT for a failing
 * rung; GENKAN_E_NOMEM.  why gets the reason on every failure.  *ret is yours
 * (json_decref).
 */
int	gk_record_open(struct genkan_ctx *, const struct gk_ladder *,
	    const void *bytes, size_t len, size_t cap, json_t **ret,
	    char *why, size_t whylen);

/* Puts the reason into why and returns code: "return gk_record_fail(...)". */
int	gk_record_fail(char *why, size_t whylen, int code, const char *fmt,
	    ...) GK_PRINTF(4, 5);

#endif
