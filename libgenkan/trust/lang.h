/*
 * The language of the user interface: control.md 12.3.  Unsigned; it touches
 * no decision about security.
 */
#ifndef GK_TRUST_LANG_H
#define GK_TRUST_LANG_H

#include "records/langrec.h"
#include "records/store.h"

/* What is set: 0; an error and the sentence, which names the file. */
int	gk_lang_look(struct genkan_ctx *, const struct gk_store *,
	    struct gk_langrec *ret, char *why, size_t whylen);

/*
 * Under the record lock; value is one of the roster (gk_lang_lookup()).  0 and
 * what is set now; 1: it was that already, and nothing was written; an error
 * and its sentence.
 */
int	gk_lang_set(struct genkan_ctx *, const struct gk_store *,
	    struct gk_hold *, const char *value, struct gk_langrec *ret,
	    char *why, size_t whylen);

#endif
