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
		chain_forget_broker();
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

	chain_forget_broker();
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
	bench_idle(server.pid, host);
	bench_syscalls(&server, host);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		round_trips(&server, &floor, rows[i].size, rows[i].n);
	bench_stop(&server);
	waitpid(browser, NULL, 0);
	floor_stop(&floor);
	sched_setaffinity(0, sizeof(all), &all);

	bench_slope(bindir);
	bench_relays(bindir);
	free(bindir);
	return 0;
}
