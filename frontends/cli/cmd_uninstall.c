#include "cli/cli.h"
#include "common/opt.h"

enum { O_DIR, O_SYSTEM, O_N };

static int
run(const struct opt *o)
{
	genkan_register_options reg = GENKAN_REGISTER_OPTIONS_INIT;
	genkan_report *report = NULL;
	genkan_ctx *ctx;
	int r;

	if ((ctx = cli_context()) == NULL)
		return GENKAN_STATUS_FAILED;
	reg.dirs = o[O_DIR].value;
	reg.ndirs = o[O_DIR].count;
	reg.system = o[O_SYSTEM].count > 0;
	r = genkan_register_remove(ctx, &reg, &report);
	return cli_finish(ctx, r, report, 0);
}

int
cmd_uninstall(int argc, char *const *argv)
{
	struct opt o[O_N] = {
		[O_DIR] = { .name = "--manifest-dir", .takes = 1, .many = 1 },
		[O_SYSTEM] = { .name = "--system" },
	};
	char why[OPT_WHY_MAX];
	int status;

	if (opt_parse(o, O_N, argc, argv, why) < 0)
		status = cli_usage(why);
	else
		status = run(o);
	opt_done(o, O_N);
	return status;
}
