#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/ends.h"
#include "common/hygiene.h"
#include "common/log.h"
#include "common/opt.h"
#include "common/out.h"

static const struct cli_command commands[] = {
	{ "doctor", cmd_doctor,
	  "  genkan doctor [--json]\n"
	  "  genkan doctor --list\n"
	  "  genkan doctor --paths\n"
	  "  genkan doctor --fix [--browser K,K | --all | --manifest-dir DIR...] "
	  "[--system]\n",
	  "say what works and what is missing; --fix registers browsers",
	  "  --json          the report as one JSON object\n"
	  "  --list          a line for each browser: key, scope, detected or "
	  "not, state, path\n"
	  "  --paths         where socket, lock and records lie\n"
	  "  --fix           register genkan with the browsers that were "
	  "started at least once\n"
	  "  --browser       with these instead: chrome, chromium, brave, "
	  "edge, vivaldi, opera\n"
	  "  --all           with all of these\n"
	  "  --manifest-dir  in this folder, for a browser that is not one of "
	  "them\n"
	  "  --system        for all users of the machine; needs root\n",
	  NULL },
	{ "status", cmd_status,
	  "  genkan status [--json]\n",
	  "the same report as doctor", NULL, NULL },
	{ "pair", cmd_pair,
	  "  genkan pair [--reset] [--file-store]\n",
	  "make the key by which the extension knows this machine; asks at the "
	  "terminal",
	  "  --reset       replace the key that is there, and with it the "
	  "policy it signed\n"
	  "  --file-store  keep it in a file, not in the credential store of "
	  "the desktop\n",
	  NULL },
	{ "enclave-status", cmd_enclave_status,
	  "  genkan enclave-status [--json]\n",
	  "show whether there is such a key, and its fingerprint", NULL, NULL },
	{ "pair-client", cmd_pair_client,
	  "  genkan pair-client --name NAME (--this-parent | --hash HEX | "
	  "--signer ID)\n",
	  "let an MCP client in; asks at the terminal",
	  "  --name         what to call it\n"
	  "  --this-parent  the program that started this command\n"
	  "  --hash         the program with this SHA-256; `genkan audit` shows "
	  "that of each\n"
	  "                 client that called a tool\n"
	  "  --signer       its signer; not measured on Linux\n",
	  NULL },
	{ "revoke-client", cmd_revoke_client,
	  "  genkan revoke-client --name NAME\n",
	  "let an MCP client in no longer", NULL, NULL },
	{ "list-clients", cmd_list_clients,
	  "  genkan list-clients\n",
	  "show which MCP clients are let in", NULL, NULL },
	{ "revoke", cmd_revoke,
	  "  genkan revoke (BROWSER | --all)\n",
	  "drop the security keys of a browser; or those of all, all clients "
	  "and the host key",
	  NULL, NULL },
	{ "kill", cmd_kill,
	  "  genkan kill\n",
	  "engage the kill switch: nobody drives the browser any more",
	  NULL, NULL },
	{ "unkill", cmd_unkill,
	  "  genkan unkill\n",
	  "release the kill switch; asks at the terminal", NULL, NULL },
	{ "policy", cmd_policy,
	  "  genkan policy show [--json]\n"
	  "  genkan policy history [--json]\n"
	  "  genkan policy set FIELD-FLAGS... [--json]\n"
	  "  genkan policy restrict FIELD-FLAGS...\n"
	  "  genkan policy rollback --revision N [--entry ID] [--json]\n",
	  "what agents may do; to allow more asks at the terminal",
	  NULL, help_policy },
	{ "lang", cmd_lang,
	  "  genkan lang [show | set (auto | en | zh_CN | zh_TW)]\n",
	  "the language of the extension", NULL, NULL },
	{ "audit", cmd_audit,
	  "  genkan audit [--limit N] [--json]\n",
	  "what was done and decided last",
	  "  --limit  so many records; 200 without it\n"
	  "  --json   the records as they lie on disk, one a line\n",
	  NULL },
	{ "uninstall", cmd_uninstall,
	  "  genkan uninstall [--manifest-dir DIR...] [--system]\n",
	  "undo the registration of browsers",
	  "  --manifest-dir  look into this folder as well\n"
	  "  --system        what was registered for all users; needs root\n",
	  NULL },
};

static const char no_room[] = "genkan: cannot write the output\n";

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

int
cli_usage(const char *why)
{
	out_error("genkan: ");
	out_error(why);
	out_error("\n");
	return GENKAN_STATUS_USAGE;
}

static genkan_ctx *
new_context(const genkan_ctx_options *opts)
{
	genkan_ctx *ctx = NULL;
	int r = genkan_ctx_new(opts, &ctx);

	if (r < 0) {
		out_error("genkan: ");
		out_error(genkan_error_text(r));
		out_error("\n");
	}
	return ctx;
}

genkan_ctx *
cli_context(void)
{
	return new_context(NULL);
}

genkan_ctx *
cli_context_logging(void)
{
	genkan_ctx_options opts = GENKAN_CTX_OPTIONS_INIT;

	log_options(&opts);
	return new_context(&opts);
}

int
cli_plain(int argc, char *const *argv,
    int (*fn)(genkan_ctx *, genkan_report **))
{
	genkan_report *report = NULL;
	char why[200];
	genkan_ctx *ctx;
	int r;

	if (argc > 0) {
		(void)snprintf(why, sizeof(why), "%.100s: %s", argv[0],
		    strncmp(argv[0], "--", 2) == 0 ? "unknown flag" :
		    "unexpected argument");
		return cli_usage(why);
	}
	if ((ctx = cli_context_logging()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = fn(ctx, &report);
	return cli_finish(ctx, r, report, 0);
}

int
cli_read(int argc, char *const *argv,
    int (*fn)(genkan_ctx *, genkan_report **), int form)
{
	struct opt json = { .name = "--json" };
	genkan_report *report = NULL;
	char why[OPT_WHY_MAX];
	genkan_ctx *ctx;
	int r;

	if (opt_parse(&json, 1, argc, argv, why) < 0)
		return cli_usage(why);
	if ((ctx = cli_context()) == NULL)
		return GENKAN_STATUS_FAILED;
	r = fn(ctx, &report);
	return cli_finish(ctx, r, report, json.count > 0 ? form : 0);
}

/* There is no report; in JSON the text of the code has to do, which needs no
 * quoting. */
static int
cli_failed(genkan_ctx *ctx, int r, int json)
{
	const char *text = genkan_ctx_last_error(ctx);
	char line[256];

	if (text[0] == '\0')
		text = genkan_error_text(r);
	if (r == GENKAN_E_INVAL)
		return cli_usage(text);
	out_error("genkan: ");
	out_error(text);
	out_error("\n");
	(void)snprintf(line, sizeof(line), "{\"v\":1,\"error\":\"%s\"}",
	    genkan_error_text(r));
	if (json == CLI_JSON_ALL)
		(void)out_line(line);
	return GENKAN_STATUS_FAILED;
}

int
cli_finish(genkan_ctx *ctx, int r, genkan_report *report, int json)
{
	int status;

	if (r < 0) {
		status = cli_failed(ctx, r, json);
	} else {
		status = genkan_report_status(report);
		out_error(genkan_report_warnings(report));
		if ((json ? out_line(genkan_report_json(report)) :
		    out_text(genkan_report_text(report))) < 0) {
			out_error(no_room);
			status = GENKAN_STATUS_FAILED;
		}
		genkan_report_free(report);
	}
	genkan_ctx_free(ctx);
	return status;
}

static int
help(void)
{
	size_t i;
	int r;

	r = out_text("genkan - front door between AI agents and your browser"
	    "\n\nusage:\n");
	for (i = 0; i < COMMANDS && r == 0; i++)
		r = out_text(commands[i].usage);
	if (r == 0)
		r = out_text("  genkan --version\n  genkan [COMMAND] --help\n\n");
	for (i = 0; i < COMMANDS && r == 0; i++) {
		(void)printf("  %-14s %s\n", commands[i].name,
		    commands[i].text);
		r = out_text("");
	}
	return r == 0 ? GENKAN_STATUS_OK : GENKAN_STATUS_FAILED;
}

static int
help_of(const struct cli_command *c)
{
	return out_text("usage:\n") < 0 || out_text(c->usage) < 0 ||
	    out_text("\n  ") < 0 || out_line(c->text) < 0 ||
	    (c->flags != NULL && (out_text("\n") < 0 ||
	    out_text(c->flags) < 0)) || (c->more != NULL && c->more() < 0) ?
	    GENKAN_STATUS_FAILED : GENKAN_STATUS_OK;
}

static int
version(void)
{
	return out_text("genkan ") < 0 || out_line(genkan_version()) < 0 ?
	    GENKAN_STATUS_FAILED : GENKAN_STATUS_OK;
}

/* What a usage error leads to: the help of the command, where there is one. */
static int
wrong(int status, const char *name)
{
	if (status == GENKAN_STATUS_USAGE) {
		out_error("try: genkan ");
		out_error(name);
		out_error(name[0] != '\0' ? " --help\n" : "--help\n");
	}
	return status;
}

/* --help at the end asks for help whatever stands before it, so that nobody
 * acts by asking how to. */
static int
run(const struct cli_command *c, int argc, char *const *argv)
{
	int status;

	if (argc == 0 || strcmp(argv[argc - 1], "--help") != 0)
		return wrong(c->run(argc, argv), c->name);
	status = help_of(c);
	if (status != GENKAN_STATUS_OK)
		out_error(no_room);
	return status;
}

/* --help and --version stand alone, and their output may have no room. */
static int
alone(const char *name, int argc, int (*fn)(void))
{
	char why[200];
	int status;

	if (argc > 2) {
		(void)snprintf(why, sizeof(why), "%.20s stands alone", name);
		return wrong(cli_usage(why), "");
	}
	status = fn();
	if (status != GENKAN_STATUS_OK)
		out_error(no_room);
	return status;
}

static int
unknown(const char *name)
{
	char why[200];

	(void)snprintf(why, sizeof(why), "unknown command \"%.100s\"", name);
	return wrong(cli_usage(why), "");
}

int
main(int argc, char **argv)
{
	size_t i;

	hygiene();
	ends_start();
	if (argc < 2)
		return wrong(cli_usage("a command is needed"), "");
	if (strcmp(argv[1], "--help") == 0)
		return alone(argv[1], argc, help);
	if (strcmp(argv[1], "--version") == 0)
		return alone(argv[1], argc, version);
	for (i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return run(&commands[i], argc - 2, argv + 2);
	return unknown(argv[1]);
}
