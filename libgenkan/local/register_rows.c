#include "local/register_rows.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"

int
gk_reg_row_of(struct genkan_ctx *ctx, const struct gk_browsers *b,
    const struct gk_reg_host *host, int browser, bool system,
    struct gk_target *t, struct gk_reg_row *ret, struct gk_why *why)
{
	size_t n;
	int r;

	r = system ? gk_browsers_system(gk_browsers_system_of(browser), t,
	    why) : gk_browsers_user(b, browser, t, why);
	if (r < 0)
		return r;
	ret->key = gk_schema_browsers(&n)[browser].key;
	ret->system = system;
	ret->detected = t->detected;
	(void)snprintf(ret->location, sizeof(ret->location), "%s",
	    t->manifest);
	gk_reg_look(ctx, host, t->manifest, &ret->state);
	return 0;
}

int
gk_reg_rows(struct genkan_ctx *ctx, const struct gk_browsers *b,
    const struct gk_reg_host *host, struct gk_reg_row ret[GK_REG_ROWS],
    struct gk_why *why)
{
	struct gk_target *t = gk_malloc(ctx, sizeof(*t));
	int i, r = 0;

	if (t == NULL)
		return gk_why_set(why, GENKAN_E_NOMEM, 0, "out of memory");
	for (i = 0; i < GK_REG_ROWS && r == 0; i++)
		r = gk_reg_row_of(ctx, b, host, i / 2, i % 2 != 0, t,
		    &ret[i], why);
	gk_free(ctx, t);
	return r;
}

bool
gk_reg_rows_ok(const struct gk_reg_row rows[GK_REG_ROWS])
{
	size_t i;

	for (i = 0; i < GK_REG_ROWS; i++)
		if (rows[i].detected && rows[i].state.kind == GK_REG_OK)
			return true;
	return false;
}

struct listing {
	struct gk_browsers	 browsers;
	struct gk_reg_host	 host;
	struct gk_reg_row	 row[GK_REG_ROWS];
};

int
gk_reg_run_list(struct genkan_ctx *ctx, struct genkan_report *report)
{
	struct gk_why why = { 0, "out of memory" };
	struct listing *l = gk_calloc(ctx, 1, sizeof(*l));
	size_t i;
	int r = GENKAN_E_NOMEM;

	if (l == NULL || (r = gk_browsers_init(&l->browsers, &why)) < 0 ||
	    (r = gk_reg_host(ctx, &l->host, &why)) < 0 ||
	    (r = gk_reg_rows(ctx, &l->browsers, &l->host, l->row,
	    &why)) < 0) {
		gk_free(ctx, l);
		return gk_err_set(ctx, r, "%s", why.text);
	}
	for (i = 0; i < GK_REG_ROWS; i++)
		gk_report_line(report, "%-8s  %-6s  %-12s  %-10s  %s",
		    l->row[i].key, l->row[i].system ? "system" : "user",
		    l->row[i].detected ? "detected" : "not detected",
		    gk_reg_kind_name(l->row[i].state.kind),
		    l->row[i].location);
	report->status = gk_reg_rows_ok(l->row) ? GK_EXIT_OK : GK_EXIT_FAILED;
	gk_free(ctx, l);
	return 0;
}
