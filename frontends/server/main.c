/*
 * genkan-server - the MCP server on stdio
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <genkan/genkan.h>

#include "common/confine.h"
#include "common/hygiene.h"
#include "common/log.h"
#include "server/server.h"

static const char usage[] =
    "usage: genkan-server [--broker | --version | --help]\n";

static const char help[] =
    "usage: genkan-server [--broker | --version | --help]\n"
    "\n"
    "MCP server on stdin and stdout; started by an MCP client, without\n"
    "arguments.  The first one of a user talks to the browsers, every other\n"
    "one to the first, and takes over when that ends.\n"
    "\n"
    "  --broker   talk to the browsers for other programs, without MCP on\n"
    "             stdio; ends when the last of them has gone\n"
    "  --version  print the version\n"
    "  --help     print this\n";

/* To the private copy of stdout: descriptor 1 is stderr by now. */
static int
say(int out, const char *text)
{
	const size_t len = strlen(text);

	return write(out, text, len) == (ssize_t)len ? 0 : 1;
}

int
main(int argc, char **argv)
{
	char version[64];
	int in, out;

	hygiene();
	hygiene_stdio(&in, &out);
	if (argc == 1)
		log_by_hand(in, "server", "an MCP client starts this program "
		    "and speaks to it here: see genkan-server(1)");
	confine("server");
	if (argc == 1)
		return serve(in, out, 0);
	if (argc == 2 && strcmp(argv[1], "--broker") == 0)
		return serve(in, out, 1);
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return say(out, help);
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		(void)snprintf(version, sizeof(version), "genkan-server %s\n",
		    genkan_version());
		return say(out, version);
	}
	(void)fputs(usage, stderr);
	return 2;
}
