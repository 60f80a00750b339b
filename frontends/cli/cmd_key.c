#include "cli/cli.h"
#include "common/opt.h"

enum { P_RESET, P_FILE, P_N };

int
cmd_pair(int argc, char *const *argv)
{
	struct opt o[P_N] = {
		[P_RESET] = { .name = "--reset" },
		[P_FILE] = { .name = "--file-store" },
	};
	genkan_report *report = NULL;
	char why[OPT_WHY_MAX];
	uint32_t flags = 0;
	genkan_ctx *ctx;
	int status, r;

	if (opt_parse(o, P_N, argc, argv, why) < 0) {
		status = cli_usage(why);
	} else if ((ctx = cli_context_logging()) == NULL) {
		status = GENKAN_STATUS_FAILED;
	} else {
		if (o[P_RESET].count > 0)
			flags |= GENKAN_KEY_RESET;
		if (o[P_FILE].count > 0)
			flags |= GENKAN_KEY_FILE;
		r = genkan_key_pair(ctx, flags, &report);
		status = cli_finish(ctx, r, report, 0);
	}
	opt_done(o, P_N);
	return status;
}

int
cmd_enclave_status(int argc, char *const *argv)
{
	return cli_read(argc, argv, genkan_key_status, CLI_JSON);
}
