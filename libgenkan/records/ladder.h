/*
 * Versions of a record.  A ladder holds the steps from the oldest version that
 * is still read to the current one; a rung carries no number, so dropping the
 * oldest and raising first leaves the meaning of every stored version alone.
 */
#ifndef GK_RECORDS_LADDER_H
#define GK_RECORDS_LADDER_H

#include "codec/json.h"

struct gk_ladder {
	unsigned	 first;			/* FIRST_VERSION */
	size_t		 n;			/* CURRENT = first + n */
	/* Changes the object in place; 0, or < 0 and the record is damaged. */
	int		(*const *rung)(json_t *);
};

/* Ladders of the five records, in records/migrations/. */
extern const struct gk_ladder gk_ladder_trust;
extern const struct gk_ladder gk_ladder_policy;
extern const struct gk_ladder gk_ladder_history;
extern const struct gk_ladder gk_ladder_lang;
extern const struct gk_ladder gk_ladder_hostkey;

static inline uint64_t
gk_ladder_current(const struct gk_ladder *l)
{
	return (uint64_t)l->first + l->n;
}

/*
 * Climbs from the given version.  0, GENKAN_E_RECORD_OLDER,
 * GENKAN_E_RECORD_NEWER, or GENKAN_E_RECORD_CORRUPT when a rung failed.
 */
int	gk_ladder_climb(const struct gk_ladder *, uint64_t version, json_t *);

#endif
