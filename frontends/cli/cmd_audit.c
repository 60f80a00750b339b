#include <stdint.h>

#include "cli/cli.h"
#include "common/opt.h"

enum { O_LIMIT, O_JSON, O_N };

static int
run(const struct opt *o)
{
	genkan_report *report = NULL;
	uint64_t limit = GENKAN_AUDIT_PAGE;
	genkan_ctx *ctx;
	int r;

	if (o[O_LIMIT].count > 0 && (opt_uint(o[O_LIMIT].value[0],
	    &limit) < 0 || limit > SIZE_MAX))
		return cli_usage("--limit takes a number");
	if ((ctx = cli_context_logging()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = genkan_audit_read(ctx, (size_t)limit, o[O_JSON].count > 0, &report);
	return cli_finish(ctx, r, report, 0);
}

int
cmd_audit(int argc, char *const *argv)
{
	struct opt o[O_N] = {
		[O_LIMIT] = { .name = "--limit", .takes = 1 },
		[O_JSON] = { .name = "--json" },
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
