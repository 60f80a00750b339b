/*
 * make bench: figures of the whole chain as JSON lines on stdout.
 *
 * usage: bench BINDIR
 *
 * bridge_rtt and floor_rtt are taken in turn, batch by batch and on one
 * processor, so that both see the same weather; ratio is what to compare
 * between machines.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "bench_chain.h"

#define RELAYS	8
#define WINDOW	4	/* calls in flight, each relay */

static const char discover[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
    "\"server/discover\",\"params\":{\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

static char tmpdir[] = "/tmp/genkan-bench-XXXXXX";

static void
own_home(void)
{
	char path[128];

	if (mkdtemp(tmpdir) == NULL || chdir(tmpdir) != 0)
		bench_fail("%s: %s", tmpdir, strerror(errno));
	if (mkdir("home", 0700) != 0 || mkdir("run", 0700) != 0)
		bench_fail("mkdir: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/home", tmpdir);
	setenv("HOME", path, 1);
	snprintf(path, sizeof(path), "%s/run", tmpdir);
	setenv("XDG_RUNTIME_DIR", path, 1);
	setenv("GENKAN_LOG", "error", 1);
}

static void
remove_home(void)
{
	char command[64];

	if (chdir("/") != 0)
		return;
	snprintf(command, sizeof(command), "rm -rf %s", tmpdir);
	if (system(command) != 0)
		fprintf(stderr, "bench: %s remains\n", tmpdir);
}

static void
start_times(const char *bindir)
{
	uint64_t ns[40], p50, began;
	struct bench_child server;
	const size_t n = sizeof(ns) / sizeof(ns[0]);
	size_t i, len;

	for (i = 0; i < n; i++) {
		began = bench_now_ns();
		chain_server(&server, bindir, NULL);
		bench_write(server.to, discover, sizeof(discover) - 1);
		if (bench_line(&server.from, &len) == NULL)
			bench_fail("no answer to server/discover");
		ns[i] = bench_now_ns() - began;
		bench_stop(&server);
	}
	p50 = bench_percentile(ns, n, 50);
	printf("{\"bench\":\"start_to_discover_ms\",\"n\":%zu,\"p50\":%.2f,"
	    "\"p95\":%.2f}\n", n, (double)p50 / 1e6,
	    (double)bench_percentile(ns, n, 95) / 1e6);
}

/* From nothing to the first answer out of a browser that comes at once. */
static void
first_call(const char *bindir)
{
	uint64_t ns[20], began;
	struct bench_child server;
	const size_t n = sizeof(ns) / sizeof(ns[0]);
	pid_t browser, host;
	size_t i;

	for (i = 0; i < n; i++) {
		unlink("run/genkan/run.lock");
		began = bench_now_ns();
		chain_server(&server, bindir, NULL);
		chain_open(&server);
		chain_wait_broker();
		browser = chain_browser(bindir, "bench", &host);
		chain_call(&server, 1, 100);
		ns[i] = bench_now_ns() - began;
		bench_stop(&server);
		waitpid(browser, NULL, 0);
	}
	printf("{\"bench\":\"start_to_first_call_ms\",\"n\":%zu,\"p50\":%.2f,"
	    "\"p95\":%.2f}\n", n, (double)bench_percentile(ns, n, 50) / 1e6,
	    (double)bench_percentile(ns, n, 95) / 1e6);
}

static void
round_trips(struct bench_child *server, struct floor *floor, size_t size,
    size_t n)
{
	uint64_t *real = calloc(n, sizeof(*real));
	uint64_t *base = calloc(n, sizeof(*base)), r50, b50;
	unsigned long id = 1000;
	size_t i, j, batch = n < 200 ? 10 : 100;

	if (real == NULL || base == NULL)
		bench_fail("out of memory");
	for (i = 0; i < batch; i++) {		/* warm both */
		chain_call(server, id++, size);
		floor_call(floor, id++, size);
	}
	for (i = 0; i < n; i += batch) {
		for (j = i; j < i + batch && j < n; j++) {
			real[j] = bench_now_ns();
			chain_call(server, id++, size);
			real[j] = bench_now_ns() - real[j];
		}
		for (j = i; j < i + batch && j < n; j++) {
			base[j] = bench_now_ns();
			floor_call(floor, id++, size);
			base[j] = bench_now_ns() - base[j];
		}
	}
	bench_report("bridge_rtt", size, real, n, &r50);
	bench_report("floor_rtt", size, base, n, &b50);
	printf("{\"bench\":\"ratio\",\"payload\":%zu,\"p50\":%.3f}\n", size,
	    (double)r50 / (double)b50);
	fflush(stdout);
	free(real);
	free(base);
}

/*
 * Everything started from here on shares one processor.  A round trip has one
 * process at work at a time, so nothing is lost; but where the scheduler puts
 * the two chains decides more than what they do, and it decides anew each run.
 */
static void
one_processor(cpu_set_t *before)
{
	cpu_set_t one;
	int i;

	if (sched_getaffinity(0, sizeof(*before), before) != 0)
		bench_fail("affinity: %s", strerror(errno));
	CPU_ZERO(&one);
	for (i = 0; i < CPU_SETSIZE && !CPU_ISSET(i, before); i++)
		;
	CPU_SET(i, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		bench_fail("affinity: %s", strerror(errno));
}

static void
memory(const char *what, pid_t pid)
{
	char path[64], line[256];
	long kib = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "VmRSS: %ld", &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	printf("{\"bench\":\"rss_kib\",\"program\":\"%s\",\"value\":%ld}\n",
	    what, kib);
}

static void
send_call(struct bench_child *server, unsigned long id)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%lu,"
	    "\"method\":\"tools/call\",\"params\":{\"name\":\"page_text\","
	    "\"arguments\":{\"selector\":\"#s100\"}}}\n", id);

	bench_write(server->to, line, (size_t)n);
}

/* Calls a second over those servers together, each with a full window. */
static double
throughput(struct bench_child *servers, size_t n, size_t window, double seconds)
{
	struct pollfd fds[RELAYS];
	uint64_t began, until;
	unsigned long id = 1, done = 0, open = 0;
	size_t i, len;

	for (i = 0; i < n; i++) {
		fds[i] = (struct pollfd){ servers[i].from.fd, POLLIN, 0 };
		for (len = 0; len < window; len++, open++)
			send_call(&servers[i], id++);
	}
	began = bench_now_ns();
	until = began + (uint64_t)(seconds * 1e9);
	while (open > 0) {
		if (poll(fds, n, 5000) <= 0)
			bench_fail("throughput: nothing came for 5 s");
		for (i = 0; i < n; i++) {
			if (fds[i].revents == 0)
				continue;
			do {
				if (bench_line(&servers[i].from, &len) == NULL)
					bench_fail("throughput: a server ended");
				done++;
				open--;
				if (bench_now_ns() < until) {
					send_call(&servers[i], id++);
					open++;
				}
			} while (memchr(servers[i].from.buf +
			    servers[i].from.off, '\n', servers[i].from.len -
			    servers[i].from.off) != NULL);
		}
	}
	return (double)done / ((double)(bench_now_ns() - began) / 1e9);
}

static void
relays(const char *bindir)
{
	struct bench_child server[RELAYS], broker;
	double one, all;
	pid_t browser, host;
	size_t i;

	unlink("run/genkan/run.lock");
	chain_server(&server[0], bindir, NULL);
	chain_open(&server[0]);
	chain_wait_broker();
	browser = chain_browser(bindir, "bench", &host);
	chain_call(&server[0], 1, 100);
	one = throughput(server, 1, RELAYS * WINDOW, 2.0);
	bench_stop(&server[0]);
	waitpid(browser, NULL, 0);

	unlink("run/genkan/run.lock");
	chain_server(&broker, bindir, "--broker");
	chain_wait_broker();
	browser = chain_browser(bindir, "bench", &host);
	for (i = 0; i < RELAYS; i++) {
		chain_server(&server[i], bindir, NULL);
		chain_open(&server[i]);
		chain_call(&server[i], 1, 100);
	}
	all = throughput(server, RELAYS, WINDOW, 2.0);
	for (i = 0; i < RELAYS; i++)
		bench_stop(&server[i]);
	bench_stop(&broker);
	waitpid(browser, NULL, 0);
	printf("{\"bench\":\"relay_throughput\",\"relays\":%d,"
	    "\"calls_per_s\":%.0f,\"direct_calls_per_s\":%.0f,"
	    "\"ratio\":%.3f}\n", RELAYS, all, one, all / one);
}

int
main(int argc, char *argv[])
{
	static const struct { size_t size, n; } rows[] = {
		{ 100, 4000 }, { 10240, 2000 }, { 1048576, 100 },
	};
	struct bench_child server;
	struct floor floor;
	cpu_set_t all;
	pid_t browser, host;
	char *bindir;
	size_t i;

	if (argc != 2 || (bindir = realpath(argv[1], NULL)) == NULL) {
		fputs("usage: bench BINDIR\n", stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	own_home();
	atexit(remove_home);
	start_times(bindir);
	first_call(bindir);

	unlink("run/genkan/run.lock");
	one_processor(&all);
	floor_start(&floor);
	chain_server(&server, bindir, NULL);
	chain_open(&server);
	chain_wait_broker();
	browser = chain_browser(bindir, "bench", &host);
	chain_call(&server, 1, 100);
	usleep(500000);
	memory("genkan-server", server.pid);
	memory("genkan-host", host);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		round_trips(&server, &floor, rows[i].size, rows[i].n);
	bench_stop(&server);
	waitpid(browser, NULL, 0);
	floor_stop(&floor);
	sched_setaffinity(0, sizeof(all), &all);

	relays(bindir);
	free(bindir);
	return 0;
}
