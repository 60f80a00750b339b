/*
 * The one loader of all records: size, JSON object, version, climb.  What
 * comes out is one accepted JSON object of the current version, which the
 * record's own reader then takes apart strictly.  Loading never rewrites.
 *
 * A record of the current version never becomes a tree; only the rungs of a
 * ladder see one.
 */
#ifndef GK_RECORDS_RECORD_H
#define GK_RECORDS_RECORD_H

#include "base/buf.h"
#include "codec/field.h"
#include "records/ladder.h"

struct gk_rec {
	struct gk_span	text;	/* the object; in the caller's bytes or buf */
	struct gk_buf	buf;	/* what a climb produced */
	struct gk_buf	scratch;	/* decoded strings; see below */
	uint64_t	version;	/* as it was stored */
	char		*why;	/* borrowed from the caller of open */
	size_t		 whylen;
};

/*
 * Errors in this order: GENKAN_E_TOO_LARGE over cap; RECORD_CORRUPT for bad
 * UTF-8 or JSON, nesting, a repeated member, no object, a version that is
 * missing or no uint; RECORD_OLDER, RECORD_NEWER; RECORD_CORRUPT for a failing
 * rung; GENKAN_E_NOMEM.  why gets the reason on every failure and stays in use
 * until gk_record_done(), which has to follow in every case; so must bytes.
 */
int	gk_record_open(struct genkan_ctx *, const struct gk_ladder *,
	    const void *bytes, size_t len, size_t cap, struct gk_rec *ret,
	    char *why, size_t whylen);
/* The same for text that is no record of its own and has no version. */
int	gk_record_text(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_rec *ret, char *why, size_t whylen);
void	gk_record_done(struct gk_rec *);

/*
 * Members of an object inside the text, strictly; where names it in the
 * reason and is "" for the record itself.  0 or GENKAN_E_RECORD_CORRUPT.
 */
int	gk_record_fields(struct gk_rec *, struct gk_span object,
	    const char *where, const struct gk_field *tab, size_t n,
	    struct gk_member *ret);

/* A uint of control.md 1: no sign, not even that of -0, at most 2^53 - 1. */
int	gk_record_uint(struct gk_rec *, const struct gk_member *,
	    const char *where, uint64_t *ret);
/* Decoded text, borrowed until the next call of these. */
int	gk_record_string(struct gk_rec *, const struct gk_member *,
	    struct gk_span *ret);
/* Decoded text, copied with a NUL behind it.  What does not fit or holds a NUL
 * is damaged; so are the rest of the value rules, which stay with the caller.
 */
int	gk_record_copy(struct gk_rec *, const struct gk_member *,
	    const char *where, char *ret, size_t size);

/*
 * A record as it goes to disk, appended: what put writes, if it stays within
 * cap and reads() takes it back, for the reader is the judge of what may be
 * written.  GENKAN_E_TOO_LARGE; GENKAN_E_INVAL for what would not be read.
 */
int	gk_record_format(struct genkan_ctx *, size_t cap,
	    int (*put)(struct gk_buf *, const void *record),
	    const void *record,
	    int (*reads)(struct genkan_ctx *, const void *, size_t),
	    struct gk_buf *ret);

/* Puts the reason into why and returns GENKAN_E_RECORD_CORRUPT. */
int	gk_record_bad(struct gk_rec *, const char *fmt, ...)
	    GK_PRINTF(2, 3);
/* The same for want of memory: returns GENKAN_E_NOMEM. */
int	gk_record_nomem(struct gk_rec *);

#endif
