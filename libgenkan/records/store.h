/*
 * How pure code reaches what lies on disk.  Whoever owns the files (local/, a
 * test, an embedder) fills in this table; records/ and trust/ know no path and
 * open nothing.  Every decision asks afresh: what saves work is the stamp, by
 * which an unchanged file need not be parsed again.
 *
 * Texts that come back in why are one line of plain UTF-8 for people, already
 * escaped, without the path: readers put it in front with gk_store_name().
 */
#ifndef GK_RECORDS_STORE_H
#define GK_RECORDS_STORE_H

#include "base/base.h"
#include "contract/schema.h"

struct gk_buf;

#define GK_WHY_MAX	256	/* a reason without path and recovery */
#define GK_WHY_FULL	1024	/* file, reason and the way out */

/*
 * Which file was read.  The stamp of a file read and the stamp of a file
 * looked at are equal only if their bytes are the same; where that cannot be
 * promised (the file is so young that one more write might not move its
 * times), load marks its stamp so that it equals nothing that stamp returns.
 * All zero is "no file".
 */
struct gk_stamp {
	uint64_t	dev;
	uint64_t	ino;
	uint64_t	size;
	uint64_t	mtime_ns;
	uint64_t	ctime_ns;
};

/*
 * One line of the audit trail: control.md 11.1, members in that order.  NULL,
 * and -1 for numbers, is "left out".  Borrowed for the call.
 */
struct gk_audit {
	const char	*kind;
	const char	*surface;
	const char	*outcome;
	const char	*tool;
	const char	*code;
	const char	*name;
	const char	*detail;
	const char	*cid;
	int64_t		 req;
	int64_t		 conn;
	int64_t		 dur_ms;
};

#define GK_AUDIT_INIT	{ .req = -1, .conn = -1, .dur_ms = -1 }

/* Both generations of the audit trail, far beyond what rotation leaves. */
#define GK_TRAIL_MAX	((size_t)4 << 20)

/* The record lock while somebody holds it; only the store looks inside. */
struct gk_hold;

/*
 * The callbacks may be called from inside any decision and must not re-enter
 * the machine that asked.  Members marked "optional" may be NULL.
 */
struct gk_store {
	void	*user;
	bool	 programs;	/* kept by a program that embeds the library:
				 * `genkan` neither shows nor changes them */

	/*
	 * The whole record, read to at most its cap + 1 bytes, no link
	 * followed; appended to ret, whose ceiling is cap + 1 or more.  0;
	 * GENKAN_E_NOENT when there is no file; anything else negative with
	 * the reason in why, of the transient class where nothing was learnt
	 * of what lies there.  stamp as above, zeroed on failure.
	 */
	int	(*load)(void *user, int record, struct gk_buf *ret,
		    struct gk_stamp *stamp, char *why, size_t whylen);
	/* The stamp alone: 0, GENKAN_E_NOENT, or another error. */
	int	(*stamp)(void *user, int record, struct gk_stamp *ret);
	/* The 32 characters for the handshake: told, or of the lock file. */
	const uint8_t *told;					/* optional */
	int	(*secret)(void *user, uint8_t secret[32]);	/* optional */
	/* Never fails the act that is recorded. */
	void	(*audit)(void *user, const struct gk_audit *);	/* optional */
	/* Full path for messages, borrowed. */
	const char *(*path)(void *user, int record);		/* optional */

	/*
	 * Writing; all four or none.  hold waits at most wait_ms for the
	 * record lock: 0, GENKAN_E_LOCKED, another error.  Blocks, so it
	 * belongs into a job.  No log, no audit and no second lock before
	 * drop.
	 *
	 * replace is atomic and durable.  seen is the stamp that load gave
	 * the writer (all zero or NULL: there was no file), passed on
	 * untouched: if the file is another one right before the rename,
	 * nothing is written and GENKAN_E_AGAIN returned.  hold is NULL only
	 * for the kill latch, which must not depend on a lock.
	 *
	 * remove is durable too, and succeeds when there is nothing to remove.
	 *
	 * Both are called through gk_store_replace().
	 */
	int	(*hold)(void *user, int wait_ms, struct gk_hold **ret,
		    char *why, size_t whylen);
	void	(*drop)(void *user, struct gk_hold *);
	int	(*replace)(void *user, struct gk_hold *, int record,
		    const void *bytes, size_t len, const struct gk_stamp *seen,
		    char *why, size_t whylen);
	int	(*remove)(void *user, struct gk_hold *, int record,
		    char *why, size_t whylen);

	/*
	 * The whole audit trail, oldest line first, appended to ret, whose
	 * ceiling is GK_TRAIL_MAX; 0, also where there is none, or an error
	 * with the reason in why.  trail_path is for messages, borrowed.
	 */
	int	(*trail)(void *user, struct gk_buf *ret, char *why,
		    size_t whylen);			/* optional */
	const char *(*trail_path)(void *user);		/* optional */
	/* Seconds since 1970, for what is recorded. */
	uint64_t (*unix_time)(void *user);		/* optional */
};

/* A zero stamp equals nothing, itself included. */
bool	gk_stamp_equal(const struct gk_stamp *, const struct gk_stamp *);
bool	gk_stamp_is_zero(const struct gk_stamp *);

/* File name and size limit of a record: GK_RECORD_TRUST, ... */
const char *gk_record_file(int record);
size_t	gk_record_cap(int record);

/* The path if the store tells one, else the file name; never NULL. */
const char *gk_store_name(const struct gk_store *, int record);

/* The secret that is told, or else what .secret says; GENKAN_E_NOENT for a store
 * that has neither. */
int	gk_store_secret(const struct gk_store *, uint8_t ret[32]);

/*
 * A whole record, or why not.  ret is initialised here, to be freed by the
 * caller with gk_buf_done() in every case.  0, GENKAN_E_NOENT,
 * GENKAN_E_TOO_LARGE over the cap, or the store's own error.
 */
int	gk_store_load(struct genkan_ctx *, const struct gk_store *, int record,
	    struct gk_buf *ret, struct gk_stamp *stamp, char *why,
	    size_t whylen);

/*
 * The sentence about a record that cannot be read: file, reason, and what a
 * person can do.  Always terminated; cut if it does not fit.
 */
void	gk_store_unreadable(const struct gk_store *, int record,
	    const char *why, char *ret, size_t len);

/*
 * The record lock, had within GK_RECORD_LOCK_MS; store->drop() gives it back.
 * 0; GENKAN_E_LOCKED or another error, whose sentence names the lock;
 * GENKAN_E_UNSUPPORTED for a store that cannot write.
 */
int	gk_store_hold(const struct gk_store *, struct gk_hold **ret,
	    char *why, size_t whylen);

/* The sentence about a lock that was not had, for who asked hold() himself and
 * may have come more than once: r and reason are hold()'s. */
void	gk_store_lock_why(int r, const char *reason, char *why,
	    size_t whylen);

/* What a write has come to. */
enum gk_wrote {
	GK_WROTE_NOTHING,	/* what was to be written is not there */
	GK_WROTE_PERHAPS,	/* nobody knows, or one more has written */
	GK_WROTE_IT		/* it is there */
};

/*
 * Replaces a record, whole, by bytes that were formatted from what load gave
 * with seen; NULL for bytes deletes it.  hold as for .replace.  In every case
 * *ret says what lies there now, and for an error why is the whole sentence,
 * which begins with the path or names it.
 *
 *	0		GK_WROTE_IT, and it lasts.  That is the store's word,
 *			unless what was read lies there still, or nothing does,
 *			or what was deleted is there: then it is GENKAN_E_IO.
 *	GENKAN_E_AGAIN	GK_WROTE_NOTHING: another program has written since
 *			seen.  Read, and decide, again.
 *	GENKAN_E_TOO_LARGE, GENKAN_E_UNSUPPORTED
 *			GK_WROTE_NOTHING: over the cap, a store that cannot
 *			write; it was not asked.
 *	other errors	The record was looked at again, since a write can fail
 *			behind its rename.
 *			GK_WROTE_NOTHING: it is the file that was read, or
 *			there is none.  Whatever was written on the way to this
 *			write can be taken back.
 *			GK_WROTE_IT: in force, though it may be gone with the
 *			next loss of power.  What has to follow such a write
 *			must follow this one; the act is an error all the same.
 *			GK_WROTE_PERHAPS: it cannot be read, or is a third
 *			thing.  Nothing may be taken back, and who has to know
 *			of a change must be told to look.
 *
 * A record is never half of one thing: that is the promise of .replace, and
 * where it is broken the strict readers find it.
 */
int	gk_store_replace(struct genkan_ctx *, const struct gk_store *,
	    struct gk_hold *, int record, const struct gk_buf *bytes,
	    const struct gk_stamp *seen, enum gk_wrote *ret, char *why,
	    size_t whylen);

/* Hands a record to the audit sink; a store without one loses it. */
void	gk_store_audit(const struct gk_store *, const struct gk_audit *);

#endif
