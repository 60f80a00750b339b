/* <genkan/local.h>: checks the arguments, then calls down. */
#include "genkan/local.h"

#include "api/atdesk.h"
#include "api/door.h"
#include "api/sized.h"
#include "local/doctor.h"
#include "local/register_rows.h"
#include "local/register_run.h"
#include "local/report.h"

#define OPTIONS_V1	GK_SIZED_TO(genkan_register_options, system)

_Static_assert(GENKAN_STATUS_OK == GK_EXIT_OK &&
    GENKAN_STATUS_FAILED == GK_EXIT_FAILED &&
    GENKAN_STATUS_USAGE == GK_EXIT_USAGE &&
    GENKAN_STATUS_NOTHING == GK_EXIT_NOTHING, "exit statuses are one list");

static const char *
text(const struct gk_buf *b)
{
	return b->len > 0 ? (const char *)b->ptr : "";
}

const char *
genkan_report_text(const genkan_report *report)
{
	return GK_OPEN(report) ? text(&report->text) : "";
}

const char *
genkan_report_warnings(const genkan_report *report)
{
	return GK_OPEN(report) ? text(&report->warnings) : "";
}

const char *
genkan_report_json(const genkan_report *report)
{
	return GK_OPEN(report) ? text(&report->json) : "";
}

int
genkan_report_status(const genkan_report *report)
{
	return GK_OPEN(report) ? report->status : GENKAN_STATUS_FAILED;
}

void
genkan_report_free(genkan_report *report)
{
	if (GK_OPEN(report))
		gk_report_free(report);
}

static int
fill_check(genkan_ctx *ctx, void *arg, genkan_report *report)
{
	struct gk_doctor *d;
	int r;

	(void)arg;
	if ((r = gk_doctor_collect(ctx, GK_ROLE_CLI, &d)) < 0)
		return r;
	gk_doctor_text(d, report);
	r = gk_doctor_json(d, &report->json);
	gk_doctor_free(d);
	return r < 0 ? GENKAN_E_NOMEM : 0;
}

static int
fill_list(genkan_ctx *ctx, void *arg, genkan_report *report)
{
	(void)arg;
	return gk_reg_run_list(ctx, report);
}

static int
fill_paths(genkan_ctx *ctx, void *arg, genkan_report *report)
{
	(void)arg;
	return gk_doctor_paths(ctx, report);
}

int
genkan_doctor_check(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_report(ctx, fill_check, NULL, ret);
}

int
genkan_doctor_list(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_report(ctx, fill_list, NULL, ret);
}

int
genkan_doctor_paths(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_report(ctx, fill_paths, NULL, ret);
}

/* ------------------------------------------------------- registration */

static int
check_dirs(const genkan_register_options *o)
{
	size_t i;

	if (o->ndirs > 0 && o->dirs == NULL)
		return GENKAN_E_INVAL;
	for (i = 0; i < o->ndirs; i++)
		if (o->dirs[i] == NULL)
			return GENKAN_E_INVAL;
	return 0;
}

static int
copy_options(struct genkan_ctx *ctx, struct gk_reg_options *dst,
    const genkan_register_options *src)
{
	genkan_register_options o = GENKAN_REGISTER_OPTIONS_INIT;
	int r;

	memset(dst, 0, sizeof(*dst));
	r = gk_options_take(ctx, &o, sizeof(o), src, OPTIONS_V1, NULL, 0);
	if (r < 0)
		return r;
	dst->browsers = o.browsers;
	dst->all = o.all != 0;
	dst->system = o.system != 0;
	dst->dirs = o.dirs;
	dst->ndirs = o.ndirs;
	if (check_dirs(&o) < 0)
		return gk_err_set(ctx, GENKAN_E_INVAL, "options: no directory");
	return 0;
}

static int
fill_write(genkan_ctx *ctx, void *arg, genkan_report *report)
{
	return gk_reg_run_fix(ctx, arg, report);
}

static int
fill_remove(genkan_ctx *ctx, void *arg, genkan_report *report)
{
	return gk_reg_run_remove(ctx, arg, report);
}

int
genkan_register_write(genkan_ctx *ctx, const genkan_register_options *options,
    genkan_report **ret)
{
	struct gk_reg_options own;
	int r;

	if ((r = gk_door_fresh(ctx)) < 0 ||
	    (r = copy_options(ctx, &own, options)) < 0)
		return r;
	return gk_api_report(ctx, fill_write, &own, ret);
}

int
genkan_register_remove(genkan_ctx *ctx,
    const genkan_register_options *options, genkan_report **ret)
{
	struct gk_reg_options own;
	int r;

	if ((r = gk_door_fresh(ctx)) < 0 ||
	    (r = copy_options(ctx, &own, options)) < 0)
		return r;
	if (own.browsers != NULL || own.all)
		return gk_err_set(ctx, GENKAN_E_INVAL, "browsers are not "
		    "chosen when removing");
	return gk_api_report(ctx, fill_remove, &own, ret);
}
