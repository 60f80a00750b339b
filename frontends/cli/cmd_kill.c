#include "cli/cli.h"

int
cmd_kill(int argc, char *const *argv)
{
	return cli_plain(argc, argv, genkan_kill_engage);
}

int
cmd_unkill(int argc, char *const *argv)
{
	return cli_plain(argc, argv, genkan_kill_release);
}
