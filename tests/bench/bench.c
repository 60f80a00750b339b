/*
 * make bench: figures of the whole chain as JSON lines on stdout.
 *
 * usage: bench BINDIR [PART...]
 *
 * Without a PART all of them.  What is compared is taken in turn, in one run;
 * the ratios are what to compare between machines.
 */
#include <errno.h>
#include <malloc.h>
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
at_rest(const char *bindir)
{
	struct bench_child server;
	pid_t browser, host;

	chain_forget_broker();
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
	bench_stop(&server);
	waitpid(browser, NULL, 0);
}

static void
starts(const char *bindir)
{
	start_times(bindir);
	first_call(bindir);
}

static const struct {
	const char	*name;
	void		(*run)(const char *bindir);
} parts[] = {
	{ "start", starts },
	{ "rest", at_rest },
	{ "rtt", bench_round_trips },
	{ "slope", bench_slope },
	{ "relays", bench_relays },
};

static int
is_wanted(const char *part, char *const *wanted)
{
	if (*wanted == NULL)
		return 1;
	for (; *wanted != NULL; wanted++)
		if (strcmp(*wanted, part) == 0)
			return 1;
	return 0;
}

int
main(int argc, char *argv[])
{
	char *bindir;
	size_t i;

	if (argc < 2 || (bindir = realpath(argv[1], NULL)) == NULL) {
		fputs("usage: bench BINDIR [start|rest|rtt|slope|relays]...\n",
		    stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	/* The ends keep their memory, as the programs do: whether a megabyte is
	 * cleared by the system for each call would depend on what lay behind
	 * it, and be most of what the floor takes. */
	(void)mallopt(M_MMAP_THRESHOLD, 16 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
	own_home();
	atexit(remove_home);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (is_wanted(parts[i].name, argv + 2))
			parts[i].run(bindir);
	free(bindir);
	return 0;
}
