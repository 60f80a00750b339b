/*
 * The audit trail of this user: audit.log and, one generation back,
 * audit.log.1 in the state directory (control.md 11.1).
 *
 * What is recorded has been decided and done; so nothing here waits, and a
 * trail that cannot be written costs the record and nothing else.
 *
 * That the name still leads to the file that is open is looked at once for
 * each millisecond, as with the directory (statedir.h).  What is moved away,
 * by a rotation of another program's too, may be given the lines of the rest of
 * that millisecond.
 */
#ifndef GK_LOCAL_AUDITLOG_H
#define GK_LOCAL_AUDITLOG_H

#include "local/place.h"
#include "local/statedir.h"
#include "records/store.h"

/* File names of control.md 11.1. */
#define GK_AUDITLOG_FILE	gk_schema_file(GK_FILE_AUDIT_LOG)
#define GK_AUDITLOG_OLD		gk_schema_file(GK_FILE_AUDIT_OLD)
#define GK_AUDITLOG_LOCK	gk_schema_file(GK_FILE_AUDIT_LOCK)

/* Rotation is put off while its lock is held or cannot be had; of a file that
 * outgrew this the last lines are read, the first of them maybe in part. */
#define GK_AUDITLOG_READ_MAX	((GK_TRAIL_MAX - 2) / 2)

struct gk_auditlog {
	struct genkan_ctx	*ctx;
	struct gk_statedir	*dir;		/* borrowed */
	/* The file, kept open while the name leads to it. */
	int			 fd;		/* -1: not open */
	uint64_t		 dev, ino;
	uint64_t		 end;		/* where our last line ended */
	uint64_t		 looked;	/* at the name, wall clock; 0: do */
	uint64_t		 dropped;	/* lost since the last good
						 * one */
	bool			 json;		/* form of the echo */
};

/* The form of the echo is that of GENKAN_LOG_FORMAT. */
void	gk_auditlog_init(struct gk_auditlog *, struct genkan_ctx *,
	    struct gk_statedir *);
void	gk_auditlog_done(struct gk_auditlog *);

/* Appends, and echoes through the log at info, under the tag "audit" and the
 * id "audit-text" or "audit-json".  Never fails. */
void	gk_auditlog_put(struct gk_auditlog *, const struct gk_audit *);

/*
 * Both files, the older one first, appended to ret, whose ceiling is
 * GK_TRAIL_MAX.  0, also where there is nothing; an error with its reason in
 * why.  An older one that cannot be read is a line that says so.
 */
int	gk_auditlog_read(const struct gk_place *, struct gk_buf *ret,
	    struct gk_why *why);

#endif
