/*
 * Registration as it is: a row for each browser and scope, for the doctor, the
 * page and the command that lists them (control.md 8, 10).
 */
#ifndef GK_LOCAL_REGISTER_ROWS_H
#define GK_LOCAL_REGISTER_ROWS_H

#include "local/register.h"
#include "local/report.h"

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

/* 0 and the report is filled, its status included; or an error that kept the
 * command from starting. */
int	gk_reg_run_list(struct genkan_ctx *, struct genkan_report *);

#endif
