/* What the commands of genkan share. */
#ifndef FRONTENDS_CLI_CLI_H
#define FRONTENDS_CLI_CLI_H

#include <genkan/genkan.h>
#include <genkan/local.h>

/* argv[0] is the first argument behind the command's name.  Returns the exit
 * status. */
struct cli_command {
	const char	 *name;
	int		(*run)(int argc, char *const *argv);
	const char	 *usage;	/* lines behind "usage:", each with LF */
	const char	 *text;		/* what it does, one line */
	const char	 *flags;	/* its flags, lines with LF, or NULL */
	int		(*more)(void);	/* prints the rest of its help, or NULL */
};

int	cmd_audit(int argc, char *const *argv);
int	cmd_doctor(int argc, char *const *argv);
int	cmd_enclave_status(int argc, char *const *argv);
int	cmd_kill(int argc, char *const *argv);
int	cmd_lang(int argc, char *const *argv);
int	cmd_list_clients(int argc, char *const *argv);
int	cmd_pair(int argc, char *const *argv);
int	cmd_pair_client(int argc, char *const *argv);
int	cmd_policy(int argc, char *const *argv);
int	help_policy(void);
int	cmd_revoke(int argc, char *const *argv);
int	cmd_revoke_client(int argc, char *const *argv);
int	cmd_status(int argc, char *const *argv);
int	cmd_uninstall(int argc, char *const *argv);
int	cmd_unkill(int argc, char *const *argv);

/* Prints a sentence about wrong arguments; returns 2, on which the way to the
 * help follows. */
int	cli_usage(const char *why);

#define CLI_JSON	1	/* the report's, where there is one */
#define CLI_JSON_ALL	2	/* an error without a report has an object too */

/*
 * Ends a command: r is what the library returned, report what it made if r is
 * 0.  Prints one or the other, frees both, returns the exit status.
 */
int	cli_finish(genkan_ctx *ctx, int r, genkan_report *report, int json);

/* A context, or NULL after a message. */
genkan_ctx *cli_context(void);
/* The same for commands that act: what they record is echoed on stderr. */
genkan_ctx *cli_context_logging(void);

/* A command without arguments over one function of the library. */
int	cli_plain(int argc, char *const *argv,
	    int (*fn)(genkan_ctx *, genkan_report **));
/* One that takes --json, and then has that form, over one function that only
 * reads. */
int	cli_read(int argc, char *const *argv,
	    int (*fn)(genkan_ctx *, genkan_report **), int form);

#endif
