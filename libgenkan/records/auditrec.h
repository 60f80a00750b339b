/*
 * One line of the audit trail (control.md 11.1): written in one place, read
 * strictly.  A line that a later version wrote, or anybody else, is shown as
 * what it is and never guessed at.
 */
#ifndef GK_RECORDS_AUDITREC_H
#define GK_RECORDS_AUDITREC_H

#include "base/buf.h"
#include "codec/scan.h"
#include "records/store.h"

/* Members in their order on disk. */
enum gk_audit_member_id {
#define GK_AUDIT_MEMBER(sym, name, type) GK_AUDIT_M_##sym,
#include "contract/audit.def"
	GK_AUDIT_MEMBERS
};

/* No line that the writer makes is longer: every string at its limit, every
 * character of it an escape. */
#define GK_AUDIT_LINE_MAX	(8 * 6 * GK_AUDIT_TEXT_MAX + 1024)

/* What the writer adds to what was done. */
struct gk_audit_when {
	uint64_t	ts_ms;		/* since 1970 */
	uint64_t	dropped;	/* records lost before; 0 is left out */
};

/*
 * Appends the line without LF: strings cut to GK_AUDIT_TEXT_MAX bytes,
 * what is left out left out.  Errors as gk_buf_put().
 */
int	gk_auditrec_put(struct gk_buf *, const struct gk_audit *,
	    const struct gk_audit_when *);

/* The echo on standard error: "ts=... kind=...", and the line as JSON with
 * "level":"audit" in front.  Neither has an LF. */
int	gk_auditrec_echo(struct gk_buf *, const struct gk_audit *,
	    const struct gk_audit_when *);
int	gk_auditrec_echo_json(struct gk_buf *, const struct gk_audit *,
	    const struct gk_audit_when *);

/* A line as read; .m points into it, type 0 where a member is absent. */
struct gk_auditrec {
	struct gk_member m[GK_AUDIT_MEMBERS];
};

/* 0; GENKAN_E_RECORD_CORRUPT: unrecognised; GENKAN_E_NOMEM. */
int	gk_auditrec_parse(struct genkan_ctx *, struct gk_span line,
	    struct gk_auditrec *ret);

/* Appends the record as `genkan audit` prints it (11.3), without LF. */
int	gk_auditrec_show(struct gk_buf *, const struct gk_auditrec *);

/* Appends "YYYY-MM-DD HH:MM:SS.mmmZ". */
int	gk_auditrec_time(struct gk_buf *, uint64_t ms);

/* ------------------------------------------------------------- whole trail */

/*
 * The last lines of a trail, at most limit of them; empty lines do not count.
 * older is how many were left out.
 */
struct gk_span gk_audit_tail(struct gk_span trail, size_t limit,
	    size_t *older);
/* The last line of a trail that is not empty, without its LF. */
bool	gk_audit_last(struct gk_span trail, struct gk_span *line);
/* Steps through lines: true and the next one without its LF. */
bool	gk_audit_next(struct gk_span *rest, struct gk_span *line);

#endif
