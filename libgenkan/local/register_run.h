/*
 * The commands over registration that change it: write, remove (control.md 8,
 * 10).
 */
#ifndef GK_LOCAL_REGISTER_RUN_H
#define GK_LOCAL_REGISTER_RUN_H

#include "local/register.h"
#include "local/report.h"

struct gk_reg_options {
	const char		*browsers;	/* "chrome,edge"; NULL */
	bool			 all;
	bool			 system;
	const char *const	*dirs;		/* absolute */
	size_t			 ndirs;
};

/* control.md 10.6: files of root must not end up in the home of a person.  The
 * reason not to write there, or NULL. */
const char *gk_reg_refusal(const char *home);

/*
 * 0 and the report is filled, its status included; GENKAN_E_INVAL for options
 * that are wrong (usage), with the sentence in gk_err_set(); or another error
 * that kept the command from starting.
 */
int	gk_reg_run_fix(struct genkan_ctx *, const struct gk_reg_options *,
	    struct genkan_report *);
int	gk_reg_run_remove(struct genkan_ctx *, const struct gk_reg_options *,
	    struct genkan_report *);

#endif
