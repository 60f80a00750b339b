/*
 * What the commands about trust share: the records of this user, opened after
 * the check of wire 2.4, and the report that they fill.
 */
#ifndef GK_LOCAL_DESK_H
#define GK_LOCAL_DESK_H

#include "local/report.h"
#include "local/stores.h"
#include "trust/act.h"

struct gk_desk {
	struct genkan_ctx	*ctx;
	struct genkan_report	*report;	/* borrowed */
	struct gk_place		 place;
	struct gk_stores	 stores;
	struct gk_trust_cache	 cache;
};

/* 0; 1: refused, and the report says why; an error without a report.  The
 * struct must not move afterwards; gk_desk_done() only after 0. */
int	gk_desk_open(struct gk_desk *, struct genkan_ctx *,
	    struct genkan_report *);
/* The same without the check: for the kill switch. */
int	gk_desk_open_unchecked(struct gk_desk *, struct genkan_ctx *,
	    struct genkan_report *);
void	gk_desk_done(struct gk_desk *);

/* A sentence for standard error, and the command has failed. */
void	gk_desk_fail(struct gk_desk *, const char *fmt, ...) GK_PRINTF(2, 3);

void	gk_desk_look(struct gk_desk *, struct gk_trust_view *ret);

/* Surface "cli"; name and detail may be NULL. */
void	gk_desk_audit(struct gk_desk *, const char *kind, const char *outcome,
	    const char *name, const char *detail);

/*
 * 1: another state directory than ours is in the hands of a living broker; with
 * the sentence and, if state is not NULL, the path.  0: it is not.  An error,
 * with the sentence: that cannot be told.
 */
int	gk_desk_mismatch(struct genkan_ctx *, const struct gk_place *,
	    char reason[512], char state[GK_PATH_MAX]);

#endif
