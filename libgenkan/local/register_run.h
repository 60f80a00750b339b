/*
 * The commands over registration: write, remove, list (control.md 8, 10).
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

/* One manifest of one browser in one scope. */
struct gk_reg_row {
	const char		*key;
	bool			 system;
	bool			 detected;
	struct gk_reg_state	 state;
	char			 location[GK_PATH_MAX];
};

#define GK_REG_ROWS	(2 * GK_BROWSER_END)

/* One of them; t is room for what is looked at on the way. */
int	gk_reg_row_of(struct genkan_ctx *, const struct gk_browsers *,
	    const struct gk_reg_host *, int browser, bool system,
	    struct gk_target *t, struct gk_reg_row *ret, struct gk_why *);
/* All of them: per browser the user's, then the machine's.  0 or an error. */
int	gk_reg_rows(struct genkan_ctx *, const struct gk_browsers *,
	    const struct gk_reg_host *, struct gk_reg_row ret[GK_REG_ROWS],
	    struct gk_why *);
/* Whether some detected browser would start our host. */
bool	gk_reg_rows_ok(const struct gk_reg_row rows[GK_REG_ROWS]);

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
int	gk_reg_run_list(struct genkan_ctx *, struct genkan_report *);

#endif
