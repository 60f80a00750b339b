/*
 * What the exported functions about trust share: a report that is made and
 * handed over, the records of this user behind it, and the question to a
 * person.
 */
#ifndef GK_API_ATDESK_H
#define GK_API_ATDESK_H

#include "genkan/local.h"
#include "local/desk.h"

/* Makes a report, has it filled, and hands it over if that went well. */
int	gk_api_report(genkan_ctx *, int (*fill)(genkan_ctx *, void *arg,
	    genkan_report *), void *arg, genkan_report **ret);

/* The same at a desk, which on a directory mismatch is not opened: then the
 * report says so and fn is not called. */
int	gk_api_at_desk(genkan_ctx *, int (*fn)(struct gk_desk *, void *arg),
	    void *arg, genkan_report **ret);

/* Asks; a refusal is audited under the kind of the act.  0 and the proof,
 * yours; or 1, and the report says why. */
int	gk_api_ask(struct gk_desk *, const char *reason, const char *kind,
	    const char *name, struct gk_presence **ret);
/* Could a person be asked at all?  The same, without asking. */
int	gk_api_can_ask(struct gk_desk *, const char *kind, const char *name);

#endif
