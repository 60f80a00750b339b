/*
 * The trust record as every decision sees it, and the verdict over a measured
 * client: control.md 5.1 and 5.2, wire.md 4.4.
 */
#ifndef GK_TRUST_ADMISSION_H
#define GK_TRUST_ADMISSION_H

#include "records/store.h"
#include "records/trustrec.h"
#include "trust/attest.h"

enum gk_trust_state {
	GK_TRUST_ABSENT,	/* fresh machine: not killed, never paired */
	GK_TRUST_OK,
	GK_TRUST_UNREADABLE	/* fail closed; why says file and way out */
};

enum gk_kill {
	GK_KILL_CLEAR,
	GK_KILL_ENGAGED,
	GK_KILL_UNREADABLE
};

/* The last record parsed.  Zeroed is empty; gk_trust_cache_done() frees. */
struct gk_trust_cache {
	struct gk_stamp		 stamp;
	int			 state;		/* enum gk_trust_state */
	struct gk_trustrec	*rec;
	char			 why[GK_WHY_FULL];
};

/* Borrowed from the cache until its next look. */
struct gk_trust_view {
	enum gk_trust_state		 state;
	enum gk_kill			 kill;
	/* Never NULL unless unreadable; an absent file shows as the record of
	 * a fresh machine. */
	const struct gk_trustrec	*rec;
	const char			*why;	/* "" unless unreadable */
};

/*
 * Looks at the record now.  Parsed again unless the file is the very one
 * parsed last.  Cannot fail: what goes wrong here, lack of memory included,
 * is an unreadable record.
 */
void	gk_trust_look(struct genkan_ctx *, const struct gk_store *,
	    struct gk_trust_cache *, struct gk_trust_view *ret);
void	gk_trust_cache_done(struct gk_trust_cache *);

enum gk_verdict {
	GK_VERDICT_REFUSE,
	GK_VERDICT_UNENROLLED,	/* no list exists: everybody is admitted */
	GK_VERDICT_TRUSTED
};

struct gk_admission {
	enum gk_verdict		 verdict;
	const struct gk_client	*client;	/* iff TRUSTED; borrowed */
	const char		*reason;	/* iff REFUSE: static, for people */
	bool			 unreadable;	/* REFUSE because of the record */
};

/*
 * decide() of control.md 5.2 over a readable record; an unreadable one
 * refuses and says so in .unreadable, for those to whom that is not final
 * (the own harness).  m may be NULL: no measurement.
 */
void	gk_admission_decide(const struct gk_trust_view *,
	    const struct gk_measure *, struct gk_admission *ret);

/* The same for an embedder: refused while there is no list. */
void	gk_admission_embedder(const struct gk_trust_view *,
	    const struct gk_measure *, struct gk_admission *ret);

/*
 * Check 3 of wire.md 7.2: admitted as trusted, now unenrolled.  before is what
 * the client was admitted with.
 */
bool	gk_admission_weakened(enum gk_verdict before, enum gk_verdict now);

/* "<kind>:<value>" as measured, or "unmeasured"; for audit and log. */
#define GK_MEASURE_TEXT	(GK_SIGNER_MAX + 16)
const char *gk_measure_text(const struct gk_measure *, char *ret, size_t len);

#endif
