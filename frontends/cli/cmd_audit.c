#include <stdint.h>

#include "cli/cli.h"
#include "common/opt.h"

#define INTEGER_MAX	9007199254740991u	/* 2^53 - 1 */

enum { O_LIMIT, O_JSON, O_N };

/* A uint of the contract: digits, at most 2^53 - 1.  0 or -1. */
static int
to_size(const char *text, size_t *ret)
{
	uint64_t n = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > INTEGER_MAX)
			return -1;
	}
	if (p == text || *p != '\0' || n > SIZE_MAX)
		return -1;
	*ret = (size_t)n;
	return 0;
}

static int
run(const struct opt *o)
{
	genkan_report *report = NULL;
	size_t limit = GENKAN_AUDIT_PAGE;
	genkan_ctx *ctx;
	int r;

	if (o[O_LIMIT].count > 0 && to_size(o[O_LIMIT].value[0], &limit) < 0)
		return cli_usage("--limit takes a number");
	if ((ctx = cli_context_logging()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = genkan_audit_read(ctx, limit, o[O_JSON].count > 0, &report);
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
