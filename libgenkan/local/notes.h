/*
 * Log lines that slow work brings home.  A job runs on any thread and must not
 * touch the context of its owner, so what it has to say is noted here and
 * logged when the job is handed back.
 */
#ifndef GK_LOCAL_NOTES_H
#define GK_LOCAL_NOTES_H

#include "base/base.h"

#define GK_NOTES_MAX	8

struct gk_note {
	int	level;
	char	tag[16];
	char	id[32];
	char	text[600];
};

struct gk_notes {
	size_t		n;
	struct gk_note	note[GK_NOTES_MAX];
};

/* Beyond GK_NOTES_MAX the last one is replaced.  notes may be NULL. */
void	gk_notes_add(struct gk_notes *, int level, const char *tag,
	    const char *id, const char *fmt, ...) GK_PRINTF(5, 6);
/* Logs all of them, foreign text escaped, and forgets them. */
void	gk_notes_log(struct gk_notes *, struct genkan_ctx *);

#endif
