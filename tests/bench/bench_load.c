/*
 * How it scales: eight relays beside one direct client, and what a call costs
 * the broker while more and more clients and browsers are attached that have
 * nothing to do with it.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "bench_chain.h"

#define RELAYS	8
#define SLICES	7	/* in turn, so that both see the same weather */
#define SLICE_S	0.2
#define MOST	16	/* clients, browsers */
#define CALLS	500
#define TIMES	10	/* the cheapest counts: other load only adds */

/* -------------------------------------------------------------- throughput */

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

/* A directory of its own, or there would be one broker for both. */
static void
runtime_dir(const char *name)
{
	char path[256], cwd[200];

	if (getcwd(cwd, sizeof(cwd)) == NULL)
		bench_fail("no working directory");
	snprintf(path, sizeof(path), "%s/%s", cwd, name);
	(void)mkdir(path, 0700);
	setenv("XDG_RUNTIME_DIR", path, 1);
	chain_forget_broker();
}

static double
median(double *v, size_t n)
{
	size_t i, j;
	double x;

	for (i = 1; i < n; i++) {
		x = v[i];
		for (j = i; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
	return v[n / 2];
}

/*
 * Eight relays beside one direct client, in two ways: with as many calls in
 * flight as that has, an eighth for each; and with as many for each, eight
 * times as many.  The first tells what the way through a relay costs: of few
 * calls how long one takes, which passes one more process twice; of as many as
 * one client may have what the processors do for it.  The second tells what
 * eight clients get that are as busy as the one.
 */
static void
relays_at(struct bench_child *direct, struct bench_child *server,
    size_t in_flight, size_t direct_in_flight)
{
	double one[SLICES], all[SLICES], ratio[SLICES];
	size_t i;

	for (i = 0; i < SLICES; i++) {
		one[i] = throughput(direct, 1, direct_in_flight, SLICE_S);
		all[i] = throughput(server, RELAYS, in_flight / RELAYS, SLICE_S);
		ratio[i] = all[i] / one[i];
	}
	printf("{\"bench\":\"relay_throughput\",\"relays\":%d,"
	    "\"in_flight\":%zu,\"direct_in_flight\":%zu,"
	    "\"calls_per_s\":%.0f,\"direct_calls_per_s\":%.0f,"
	    "\"ratio\":%.3f}\n", RELAYS, in_flight, direct_in_flight, median(all, SLICES), median(one, SLICES),
	    median(ratio, SLICES));
	fflush(stdout);
}

void
bench_relays(const char *bindir)
{
	static const size_t all[] = { 8, 32, 64, 128 };
	static const size_t each[] = { 1, 8, 64, 128 };
	struct bench_child direct, server[RELAYS], broker;
	pid_t browser[2], host;
	size_t i;

	runtime_dir("direct");
	chain_server(&direct, bindir, NULL);
	chain_open(&direct);
	chain_wait_broker();
	browser[0] = chain_browser(bindir, "bench", &host);
	chain_call(&direct, 1, 100);

	runtime_dir("relays");
	chain_server(&broker, bindir, "--broker");
	chain_wait_broker();
	browser[1] = chain_browser(bindir, "bench", &host);
	for (i = 0; i < RELAYS; i++) {
		chain_server(&server[i], bindir, NULL);
		chain_open(&server[i]);
		chain_call(&server[i], 1, 100);
	}
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		relays_at(&direct, server, all[i], all[i]);
	for (i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		relays_at(&direct, server, RELAYS * each[i], each[i]);
	for (i = 0; i < RELAYS; i++)
		bench_stop(&server[i]);
	bench_stop(&broker);
	bench_stop(&direct);
	waitpid(browser[0], NULL, 0);
	waitpid(browser[1], NULL, 0);
	runtime_dir("run");
}

/* ------------------------------------------------------------------- slope */

struct crowd {
	struct bench_child	 broker;
	struct bench_child	 client[MOST];
	pid_t			 browser[MOST];
	size_t			 clients, browsers;
	unsigned long		 id;
};

/* What the process has had of the processors, in microseconds: other load
 * does not count. */
static double
cpu_us(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &ts) != 0)
		bench_fail("no processor time of a process");
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static void
grow(struct crowd *c, const char *bindir, size_t clients, size_t browsers)
{
	char label[32];
	pid_t host;

	for (; c->browsers < browsers; c->browsers++) {
		snprintf(label, sizeof(label), "b%zu", c->browsers);
		c->browser[c->browsers] = chain_browser(bindir, label, &host);
		chain_call_to(&c->broker, ++c->id, 100,
		    c->browsers == 0 ? NULL : "b0");
		usleep(100000);
	}
	for (; c->clients < clients; c->clients++) {
		chain_server(&c->client[c->clients], bindir, NULL);
		chain_open(&c->client[c->clients]);
		chain_call_to(&c->client[c->clients], ++c->id, 100, "b0");
	}
	usleep(300000);
}

static double
calls_cost(struct crowd *c, uint64_t ns[CALLS])
{
	double cpu = cpu_us(c->broker.pid);
	size_t i;

	for (i = 0; i < CALLS; i++) {
		ns[i] = bench_now_ns();
		chain_call_to(&c->broker, ++c->id, 100, "b0");
		ns[i] = bench_now_ns() - ns[i];
	}
	return (cpu_us(c->broker.pid) - cpu) / CALLS;
}

static double
cost(struct crowd *c)
{
	static uint64_t ns[TIMES * CALLS];
	double cpu = 1e9, once;
	size_t i;

	(void)calls_cost(c, ns);
	for (i = 0; i < TIMES; i++) {
		once = calls_cost(c, ns + i * CALLS);
		cpu = once < cpu ? once : cpu;
	}
	printf("{\"bench\":\"call_cost\",\"clients\":%zu,\"browsers\":%zu,"
	    "\"p50_us\":%.1f,\"broker_cpu_us\":%.2f}\n", c->clients + 1,
	    c->browsers, (double)bench_percentile(ns, TIMES * CALLS, 50) / 1e3,
	    cpu);
	fflush(stdout);
	return cpu;
}

static void
slope(const char *what, double one, double most)
{
	printf("{\"bench\":\"call_cost_slope\",\"per\":\"%s\","
	    "\"broker_cpu_ns\":%.1f,\"growth_at_%d\":%.3f}\n", what,
	    (most - one) * 1e3 / (MOST - 1), MOST, most / one);
	fflush(stdout);
}

/* The broker's own harness calls; everybody else is attached and idle. */
void
bench_slope(const char *bindir)
{
	static const size_t many[] = { 1, 4, MOST };
	struct crowd c = { .id = 0 };
	double clients[3], browsers[3];
	size_t i;

	runtime_dir("crowd");
	chain_server(&c.broker, bindir, NULL);
	chain_open(&c.broker);
	chain_wait_broker();
	for (i = 0; i < 3; i++) {
		grow(&c, bindir, 0, many[i]);
		browsers[i] = cost(&c);
	}
	slope("browser", browsers[0], browsers[2]);
	clients[0] = browsers[2];
	for (i = 1; i < 3; i++) {
		grow(&c, bindir, many[i] - 1, MOST);
		clients[i] = cost(&c);
	}
	slope("client", clients[0], clients[2]);
	for (i = 0; i < c.clients; i++)
		bench_stop(&c.client[i]);
	bench_stop(&c.broker);
	for (i = 0; i < c.browsers; i++)
		waitpid(c.browser[i], NULL, 0);
	runtime_dir("run");
}
