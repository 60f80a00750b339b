#include "cli/cli.h"
#include "common/opt.h"

enum { O_JSON, O_LIST, O_PATHS, O_FIX, O_BROWSER, O_ALL, O_DIR, O_SYSTEM,
	O_N };

/* The rows of the command do not combine, and only --fix chooses browsers. */
static const char *
wrong(const struct opt *o)
{
	size_t modes = o[O_JSON].count + o[O_LIST].count + o[O_PATHS].count +
	    o[O_FIX].count;

	if (modes > 1)
		return "--json, --list, --paths and --fix exclude each other";
	if (o[O_FIX].count == 0 && (o[O_BROWSER].count > 0 ||
	    o[O_ALL].count > 0 || o[O_DIR].count > 0 ||
	    o[O_SYSTEM].count > 0))
		return "--browser, --all, --manifest-dir and --system go "
		    "with --fix";
	return NULL;
}

static int
run(const struct opt *o)
{
	genkan_register_options reg = GENKAN_REGISTER_OPTIONS_INIT;
	genkan_report *report = NULL;
	genkan_ctx *ctx;
	int r;

	if ((ctx = cli_context()) == NULL)
		return GENKAN_STATUS_FAILED;
	if (o[O_LIST].count > 0) {
		r = genkan_doctor_list(ctx, &report);
	} else if (o[O_PATHS].count > 0) {
		r = genkan_doctor_paths(ctx, &report);
	} else if (o[O_FIX].count > 0) {
		reg.browsers = o[O_BROWSER].count > 0 ?
		    o[O_BROWSER].value[0] : NULL;
		reg.all = o[O_ALL].count > 0;
		reg.dirs = o[O_DIR].value;
		reg.ndirs = o[O_DIR].count;
		reg.system = o[O_SYSTEM].count > 0;
		r = genkan_register_write(ctx, &reg, &report);
	} else {
		r = genkan_doctor_check(ctx, &report);
	}
	return cli_finish(ctx, r, report, o[O_JSON].count > 0);
}

int
cmd_doctor(int argc, char *const *argv)
{
	struct opt o[O_N] = {
		[O_JSON] = { .name = "--json" },
		[O_LIST] = { .name = "--list" },
		[O_PATHS] = { .name = "--paths" },
		[O_FIX] = { .name = "--fix" },
		[O_BROWSER] = { .name = "--browser", .takes = 1 },
		[O_ALL] = { .name = "--all" },
		[O_DIR] = { .name = "--manifest-dir", .takes = 1, .many = 1 },
		[O_SYSTEM] = { .name = "--system" },
	};
	char text[OPT_WHY_MAX];
	const char *why = text;
	int status;

	if (opt_parse(o, O_N, argc, argv, text) < 0 ||
	    (why = wrong(o)) != NULL)
		status = cli_usage(why);
	else
		status = run(o);
	opt_done(o, O_N);
	return status;
}

int
cmd_status(int argc, char *const *argv)
{
	return cli_read(argc, argv, genkan_doctor_check, CLI_JSON);
}
