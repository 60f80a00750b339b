/* <genkan/local.h>: checks the arguments, then calls down. */
#include "genkan/local.h"

#include "base/err.h"
#include "local/doctor.h"
#include "local/register_run.h"
#include "local/report.h"

#define OPTIONS_V1	sizeof(genkan_register_options)
#define OPTIONS_MAX	4096

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
	return report != NULL ? text(&report->text) : "";
}

const char *
genkan_report_warnings(const genkan_report *report)
{
	return report != NULL ? text(&report->warnings) : "";
}

const char *
genkan_report_json(const genkan_report *report)
{
	return report != NULL ? text(&report->json) : "";
}

int
genkan_report_status(const genkan_report *report)
{
	return report != NULL ? report->status : GENKAN_STATUS_FAILED;
}

void
genkan_report_free(genkan_report *report)
{
	gk_report_free(report);
}

/* Makes a report, has it filled, and hands it over if that went well. */
static int
run(genkan_ctx *ctx, int (*fill)(genkan_ctx *, const void *, genkan_report *),
    const void *arg, genkan_report **ret)
{
	genkan_report *report;
	int r;

	if (ctx == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	gk_err_clear(ctx);
	report = gk_report_new(ctx);
	r = report != NULL ? fill(ctx, arg, report) : GENKAN_E_NOMEM;
	if (r == 0)
		r = gk_report_finish(report);
	if (r < 0) {
		gk_report_free(report);
		return r == GENKAN_E_NOMEM ?
		    gk_err_set(ctx, r, "out of memory") : r;
	}
	*ret = report;
	return 0;
}

static int
fill_check(genkan_ctx *ctx, const void *arg, genkan_report *report)
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
fill_list(genkan_ctx *ctx, const void *arg, genkan_report *report)
{
	(void)arg;
	return gk_reg_run_list(ctx, report);
}

static int
fill_paths(genkan_ctx *ctx, const void *arg, genkan_report *report)
{
	(void)arg;
	return gk_doctor_paths(ctx, report);
}

int
genkan_doctor_check(genkan_ctx *ctx, genkan_report **ret)
{
	return run(ctx, fill_check, NULL, ret);
}

int
genkan_doctor_list(genkan_ctx *ctx, genkan_report **ret)
{
	return run(ctx, fill_list, NULL, ret);
}

int
genkan_doctor_paths(genkan_ctx *ctx, genkan_report **ret)
{
	return run(ctx, fill_paths, NULL, ret);
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
copy_options(struct gk_reg_options *dst, const genkan_register_options *src)
{
	size_t n;

	memset(dst, 0, sizeof(*dst));
	if (src == NULL)
		return 0;
	if (src->size < OPTIONS_V1 || src->size > OPTIONS_MAX)
		return GENKAN_E_INVAL;
	for (n = sizeof(*src); n < src->size; n++)
		if (((const unsigned char *)src)[n] != 0)
			return GENKAN_E_ABI;
	dst->browsers = src->browsers;
	dst->all = src->all != 0;
	dst->system = src->system != 0;
	dst->dirs = src->dirs;
	dst->ndirs = src->ndirs;
	return check_dirs(src);
}

static int
fill_write(genkan_ctx *ctx, const void *arg, genkan_report *report)
{
	return gk_reg_run_fix(ctx, arg, report);
}

static int
fill_remove(genkan_ctx *ctx, const void *arg, genkan_report *report)
{
	return gk_reg_run_remove(ctx, arg, report);
}

int
genkan_register_write(genkan_ctx *ctx, const genkan_register_options *options,
    genkan_report **ret)
{
	struct gk_reg_options own;
	int r;

	if (ctx == NULL)
		return GENKAN_E_INVAL;
	if ((r = copy_options(&own, options)) < 0)
		return gk_err_set(ctx, r, "malformed options");
	return run(ctx, fill_write, &own, ret);
}

int
genkan_register_remove(genkan_ctx *ctx,
    const genkan_register_options *options, genkan_report **ret)
{
	struct gk_reg_options own;
	int r;

	if (ctx == NULL)
		return GENKAN_E_INVAL;
	if ((r = copy_options(&own, options)) < 0)
		return gk_err_set(ctx, r, "malformed options");
	if (own.browsers != NULL || own.all)
		return gk_err_set(ctx, GENKAN_E_INVAL, "browsers are not "
		    "chosen when removing");
	return run(ctx, fill_remove, &own, ret);
}
