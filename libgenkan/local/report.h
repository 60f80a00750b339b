/*
 * What a command of genkan has to say: finished text for standard output and
 * standard error, for some commands JSON, and the exit status.  The front-end
 * prints it; an embedder may show it elsewhere.
 */
#ifndef GK_LOCAL_REPORT_H
#define GK_LOCAL_REPORT_H

#include "base/buf.h"

#define GK_REPORT_MAX	((size_t)64 << 20)	/* a whole audit trail */

/* Exit statuses of control.md 8. */
#define GK_EXIT_OK	0
#define GK_EXIT_FAILED	1
#define GK_EXIT_USAGE	2
#define GK_EXIT_NOTHING	3	/* doctor --fix: no browser was found */

struct genkan_report {
	struct genkan_ctx	*ctx;
	struct gk_buf		 text;		/* lines, each with LF */
	struct gk_buf		 warnings;	/* the same, for stderr */
	struct gk_buf		 json;		/* one object, no LF; or empty */
	int			 status;
	int			 failed;	/* sticky: memory ran out */
};

/* NULL on lack of memory. */
struct genkan_report *gk_report_new(struct genkan_ctx *);
void	gk_report_free(struct genkan_report *);

/* One line of foreign-safe text: control characters are escaped, once, so a
 * part that was escaped before stays as it is. */
void	gk_report_line(struct genkan_report *, const char *fmt, ...)
	    GK_PRINTF(2, 3);
void	gk_report_warn(struct genkan_report *, const char *fmt, ...)
	    GK_PRINTF(2, 3);

/* {"v":1,"error":text} in the place of JSON, unless there is some already. */
void	gk_report_error(struct genkan_report *, const char *text);

/* Ends every text with a NUL that does not count.  0, or GENKAN_E_NOMEM if
 * something was lost on the way. */
int	gk_report_finish(struct genkan_report *);

#endif
