/*
 * The proof that a person is there: control.md 6.1.  Made here only, after the
 * answer was checked; it pays for one act, which marks it used.
 */
#ifndef GK_TRUST_PRESENCE_H
#define GK_TRUST_PRESENCE_H

#include "base/base.h"
#include "contract/schema.h"

struct gk_presence;

/* What a person types at a terminal. */
#define GK_PRESENCE_PHRASE	gk_schema_ident(GK_IDENT_GRANT_PHRASE)

/*
 * A line typed at a terminal, with or without its end: 0 and *ret yours if it
 * is the phrase and nothing else but spaces around it; 1: declined;
 * GENKAN_E_NOMEM.
 */
int	gk_presence_typed(struct genkan_ctx *, const char *line, size_t len,
	    struct gk_presence **ret);

/* The audit label of its path: "tty". */
const char *gk_presence_path(const struct gk_presence *);

/* true once, then false for ever; false for NULL. */
bool	gk_presence_use(struct gk_presence *);
void	gk_presence_free(struct gk_presence *);

#endif
