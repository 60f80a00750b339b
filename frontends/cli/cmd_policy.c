#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "common/opt.h"
#include "common/out.h"

/* ------------------------------------------------------------ show, history */

static int
run_show(int argc, char *const *argv)
{
	return cli_read(argc, argv, genkan_policy_show, CLI_JSON_ALL);
}

static int
run_history(int argc, char *const *argv)
{
	return cli_read(argc, argv, genkan_policy_history, CLI_JSON_ALL);
}

/* ------------------------------------------------------------ set, restrict */

typedef int change_fn(genkan_ctx *, const char *const *, size_t,
    genkan_report **);

static size_t
count_fields(void)
{
	size_t n = 0;

	while (genkan_policy_flag(n) != NULL)
		n++;
	return n;
}

/* o: the flags of the fields and, behind them, perhaps --json. */
static int
run_parsed(const struct opt *o, size_t fields, int json, change_fn *fn)
{
	const char **values = calloc(fields, sizeof(*values));
	genkan_report *report = NULL;
	genkan_ctx *ctx;
	size_t i;
	int r, status = GENKAN_STATUS_FAILED;

	if (values != NULL && (ctx = cli_context_logging()) != NULL) {
		for (i = 0; i < fields; i++)
			if (o[i].count > 0)
				values[i] = o[i].value[0];
		r = fn(ctx, values, fields, &report);
		status = cli_finish(ctx, r, report, json);
	}
	free(values);
	return status;
}

static int
run_change(int argc, char *const *argv, int takes_json, change_fn *fn)
{
	const size_t fields = count_fields();
	const size_t n = fields + (takes_json ? 1 : 0);
	struct opt *o = calloc(fields + 1, sizeof(*o));
	char why[OPT_WHY_MAX];
	size_t i;
	int status;

	if (o == NULL)
		return GENKAN_STATUS_FAILED;
	for (i = 0; i < fields; i++) {
		o[i].name = genkan_policy_flag(i);
		o[i].takes = 1;
	}
	o[fields].name = "--json";
	if (opt_parse(o, n, argc, argv, why) < 0)
		status = cli_usage(why);
	else
		status = run_parsed(o, fields, o[fields].count > 0 ?
		    CLI_JSON_ALL : 0, fn);
	opt_done(o, n);
	free(o);
	return status;
}

static int
run_set(int argc, char *const *argv)
{
	return run_change(argc, argv, 1, genkan_policy_set);
}

static int
run_restrict(int argc, char *const *argv)
{
	return run_change(argc, argv, 0, genkan_policy_restrict);
}

/* ----------------------------------------------------------------- rollback */

enum { R_REVISION, R_ENTRY, R_JSON, R_N };

static int
roll_back(const struct opt *o)
{
	genkan_report *report = NULL;
	uint64_t revision;
	genkan_ctx *ctx;
	int r;

	if (o[R_REVISION].count == 0)
		return cli_usage("policy rollback needs --revision");
	if (opt_uint(o[R_REVISION].value[0], &revision) < 0 || revision == 0)
		return cli_usage("--revision takes a number, 1 or more");
	if ((ctx = cli_context_logging()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = genkan_policy_rollback(ctx, revision, o[R_ENTRY].count > 0 ?
	    o[R_ENTRY].value[0] : NULL, &report);
	return cli_finish(ctx, r, report, o[R_JSON].count > 0 ?
	    CLI_JSON_ALL : 0);
}

static int
run_rollback(int argc, char *const *argv)
{
	struct opt o[R_N] = {
		[R_REVISION] = { .name = "--revision", .takes = 1 },
		[R_ENTRY] = { .name = "--entry", .takes = 1 },
		[R_JSON] = { .name = "--json" },
	};
	char why[OPT_WHY_MAX];
	int status;

	if (opt_parse(o, R_N, argc, argv, why) < 0)
		status = cli_usage(why);
	else
		status = roll_back(o);
	opt_done(o, R_N);
	return status;
}

/* ------------------------------------------------------------------ command */

int
cmd_policy(int argc, char *const *argv)
{
	static const struct {
		const char	 *name;
		int		(*run)(int, char *const *);
	} sub[] = {
		{ "show", run_show }, { "history", run_history },
		{ "set", run_set }, { "restrict", run_restrict },
		{ "rollback", run_rollback },
	};
	size_t i;

	for (i = 0; argc > 0 && i < sizeof(sub) / sizeof(sub[0]); i++)
		if (strcmp(sub[i].name, argv[0]) == 0)
			return sub[i].run(argc - 1, argv + 1);
	return cli_usage("policy needs show, history, set, restrict or "
	    "rollback");
}

int
help_policy(void)
{
	static const struct {
		const char	*flag, *text, *looser;
	} fields[] = {
#define FIELD(name, flag, text, looser) { flag, text, looser },
		GENKAN_POLICY_FIELDS(FIELD)
#undef FIELD
	};
	size_t i;
	int r;

	r = out_text("\n  --json      the result as one JSON object\n"
	    "  --revision  back to what was in force then; `genkan policy "
	    "history` lists it\n"
	    "  --entry     which one, where there are several of it\n"
	    "\nfield flags (in brackets what allows more):\n");
	for (i = 0; r == 0 && i < sizeof(fields) / sizeof(fields[0]); i++) {
		(void)printf("  %-25s %s [%s]\n", fields[i].flag,
		    fields[i].text, fields[i].looser);
		r = out_text("");
	}
	return r == 0 ? out_text("values: on or off; milliseconds; names of "
	    "tools, as a,b, or \"\" for none\n") : r;
}

int
cmd_lang(int argc, char *const *argv)
{
	genkan_report *report = NULL;
	genkan_ctx *ctx;
	int r, set = argc == 2 && strcmp(argv[0], "set") == 0;

	if (!set && argc > 0 && (argc > 1 || strcmp(argv[0], "show") != 0))
		return cli_usage("lang takes show, or set and a value");
	if ((ctx = cli_context()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = set ? genkan_lang_set(ctx, argv[1], &report) :
	    genkan_lang_show(ctx, &report);
	return cli_finish(ctx, r, report, 0);
}
