/*
 * policy-history.json: earlier policies, oldest first, bounded by bytes.  It is
 * data for a rollback and never authority: nothing in it is written back as it
 * is.
 *
 * A row whose values do not read (its document, say) keeps its place and its
 * id, and nothing is held for it; it is carried along until it is evicted.
 */
#ifndef GK_RECORDS_HISTORYREC_H
#define GK_RECORDS_HISTORYREC_H

#include "records/policyrec.h"

#define GK_HISTORY_ID	64	/* characters, without a NUL */

struct gk_history_row {
	char			 id[GK_HISTORY_ID + 1];
	bool			 is_signed;	/* a signature is present */
	bool			 has_overlay;
	bool			 has_time;	/* else it is out of range */
	uint64_t		 superseded_unix;
	struct gk_policyrec	*held;		/* NULL: damaged */
	char			*text;		/* the row as compact JSON */
	size_t			 len;
};

struct gk_historyrec {
	struct genkan_ctx	*ctx;
	struct gk_history_row	*row;
	size_t			 n;
};

/* Without rows.  NULL on lack of memory. */
struct gk_historyrec *gk_historyrec_new(struct genkan_ctx *);
void	gk_historyrec_free(struct gk_historyrec *);

int	gk_historyrec_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_historyrec **ret, char *why, size_t whylen);

/* A record with a baseline becomes the newest row. */
int	gk_historyrec_push(struct gk_historyrec *, const struct gk_policyrec *,
	    uint64_t superseded_unix);

/*
 * As it goes to disk, with LF; appended.  The oldest rows are left out until
 * the rest fits the cap.
 */
int	gk_historyrec_format(const struct gk_historyrec *, struct gk_buf *ret);

#endif
