/*
 * The client of the browser rows: an MCP client that does nothing but hand
 * lines to a server and take lines from it, and looks at the clock right
 * before and right after.  What the script around it takes is nobody's time.
 *
 *   line_client SERVER
 *
 * A line on stdin goes to the server, its first byte left out: after `?` the
 * next line of the server is its answer, given out behind the microseconds
 * that it took and a space; after `!` there is none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

int
main(int argc, char *argv[])
{
	struct bench_in in;
	struct bench_child server;
	char *command[] = { NULL, NULL }, *line, *answer;
	uint64_t from, took;
	size_t len;

	if (argc != 2)
		bench_fail("usage: line_client SERVER");
	command[0] = argv[1];
	bench_spawn(&server, command, "/dev/null");
	bench_in_init(&in, 0);
	while ((line = bench_line(&in, &len)) != NULL && len > 0) {
		line[len] = '\n';
		from = bench_now_ns();
		bench_write(server.to, line + 1, len);
		if (line[0] == '!')
			continue;
		answer = bench_line(&server.from, &len);
		took = bench_now_ns() - from;
		if (answer == NULL)
			bench_fail("the server ended");
		printf("%" PRIu64 " %s\n", took / 1000, answer);
		fflush(stdout);
	}
	bench_stop(&server);
	bench_in_done(&in);
	return 0;
}
