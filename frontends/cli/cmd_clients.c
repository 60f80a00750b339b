#include <string.h>

#include "cli/cli.h"
#include "common/opt.h"

enum { P_NAME, P_PARENT, P_HASH, P_SIGNER, P_N };

static const char *
value(const struct opt *o)
{
	return o->count > 0 ? o->value[0] : NULL;
}

static int
run_pair(const struct opt *o)
{
	genkan_pair_options pair = GENKAN_PAIR_OPTIONS_INIT;
	genkan_report *report = NULL;
	genkan_ctx *ctx;
	int r;

	if ((ctx = cli_context_logging()) == NULL)
		return GENKAN_STATUS_FAILED;
	pair.name = value(&o[P_NAME]);
	pair.hash = value(&o[P_HASH]);
	pair.signer = value(&o[P_SIGNER]);
	pair.this_parent = o[P_PARENT].count > 0;
	r = genkan_trust_pair(ctx, &pair, &report);
	return cli_finish(ctx, r, report, 0);
}

int
cmd_pair_client(int argc, char *const *argv)
{
	struct opt o[P_N] = {
		[P_NAME] = { .name = "--name", .takes = 1 },
		[P_PARENT] = { .name = "--this-parent" },
		[P_HASH] = { .name = "--hash", .takes = 1 },
		[P_SIGNER] = { .name = "--signer", .takes = 1 },
	};
	char why[OPT_WHY_MAX];
	int status;

	if (opt_parse(o, P_N, argc, argv, why) < 0)
		status = cli_usage(why);
	else
		status = run_pair(o);
	opt_done(o, P_N);
	return status;
}

int
cmd_revoke_client(int argc, char *const *argv)
{
	struct opt name = { .name = "--name", .takes = 1 };
	genkan_report *report = NULL;
	char why[OPT_WHY_MAX];
	genkan_ctx *ctx;
	int status, r;

	if (opt_parse(&name, 1, argc, argv, why) < 0) {
		status = cli_usage(why);
	} else if (name.count == 0) {
		status = cli_usage("revoke-client needs --name");
	} else if ((ctx = cli_context_logging()) == NULL) {
		status = GENKAN_STATUS_FAILED;
	} else {
		r = genkan_trust_revoke(ctx, name.value[0], &report);
		status = cli_finish(ctx, r, report, 0);
	}
	opt_done(&name, 1);
	return status;
}

int
cmd_list_clients(int argc, char *const *argv)
{
	return cli_plain(argc, argv, genkan_trust_list);
}

int
cmd_revoke(int argc, char *const *argv)
{
	genkan_report *report = NULL;
	genkan_ctx *ctx;
	int r, all;

	if (argc != 1)
		return cli_usage("revoke needs a browser's label or --all");
	all = strcmp(argv[0], "--all") == 0;
	if (!all && argv[0][0] == '-')
		return cli_usage("revoke knows no flag but --all");
	if ((ctx = cli_context_logging()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = all ? genkan_trust_revoke_all(ctx, &report) :
	    genkan_trust_revoke_browser(ctx, argv[0], &report);
	return cli_finish(ctx, r, report, 0);
}
