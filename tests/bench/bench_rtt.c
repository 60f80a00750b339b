/*
 * The round trip of one call, real and floor in turn, batch by batch, so that
 * both see the same weather.  Twice over:
 *
 * "cpus":"any": the processes run where the system puts them, as they do for
 * a user.  Waking one up on another processor costs both chains the same and
 * most of a short call; what the programs do beside that hardly shows, and
 * parts of it overlap.  This is how much longer a user waits.
 *
 * "cpus":"one": all of them share one processor.  Nothing overlaps and waking
 * is as cheap as it gets, so every instruction and every miss of the cache of
 * every process is added up.  This is how much more work is done, and the
 * stricter ratio for short calls.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "bench_chain.h"

#define ROUNDS	12	/* of new processes: each set lies elsewhere in the
			 * caches, and is put elsewhere by the scheduler, which
			 * for a megabyte decides more than anything else */

struct row {
	size_t		 size;
	size_t		 n;		/* of one round */
	uint64_t	*real, *floor;	/* of all */
};

static void
samples(struct bench_child *server, struct floor *floor, struct row *row,
    size_t at)
{
	unsigned long id = 1000;
	uint64_t *real = row->real + at, *base = row->floor + at;
	size_t i, j, batch = row->n < 200 ? 10 : 100;

	for (i = 0; i < batch; i++) {		/* warm both */
		chain_call(server, id++, row->size);
		floor_call(floor, id++, row->size);
	}
	for (i = 0; i < row->n; i += batch) {
		for (j = i; j < i + batch && j < row->n; j++) {
			real[j] = bench_now_ns();
			chain_call(server, id++, row->size);
			real[j] = bench_now_ns() - real[j];
		}
		for (j = i; j < i + batch && j < row->n; j++) {
			base[j] = bench_now_ns();
			floor_call(floor, id++, row->size);
			base[j] = bench_now_ns() - base[j];
		}
	}
}

/* Both chains, new, for all sizes. */
static void
one_round(const char *bindir, struct row *rows, size_t n, size_t round)
{
	struct bench_child server;
	struct floor floor;
	pid_t browser, host;
	size_t i;

	chain_forget_broker();
	floor_start(&floor);
	chain_server(&server, bindir, NULL);
	chain_open(&server);
	chain_wait_broker();
	browser = chain_browser(bindir, "bench", &host);
	chain_call(&server, 1, 100);
	for (i = 0; i < n; i++)
		samples(&server, &floor, &rows[i], round * rows[i].n);
	bench_stop(&server);
	waitpid(browser, NULL, 0);
	floor_stop(&floor);
}

static void
report(const char *cpus, const struct row *row)
{
	const size_t n = ROUNDS * row->n;
	uint64_t real, base;

	bench_report("bridge_rtt", cpus, row->size, row->real, n, &real);
	bench_report("floor_rtt", cpus, row->size, row->floor, n, &base);
	printf("{\"bench\":\"ratio\",\"cpus\":\"%s\",\"payload\":%zu,"
	    "\"p50\":%.3f}\n", cpus, row->size, (double)real / (double)base);
	fflush(stdout);
}

static void
placed(const char *bindir, const char *cpus)
{
	struct row rows[] = {
		{ 100, 800, NULL, NULL }, { 10240, 400, NULL, NULL },
		{ 1048576, 20, NULL, NULL },
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	size_t i;

	for (i = 0; i < n; i++) {
		rows[i].real = calloc(ROUNDS * rows[i].n, sizeof(uint64_t));
		rows[i].floor = calloc(ROUNDS * rows[i].n, sizeof(uint64_t));
		if (rows[i].real == NULL || rows[i].floor == NULL)
			bench_fail("out of memory");
	}
	for (i = 0; i < ROUNDS; i++)
		one_round(bindir, rows, n, i);
	for (i = 0; i < n; i++) {
		report(cpus, &rows[i]);
		free(rows[i].real);
		free(rows[i].floor);
	}
}

/* What is started from here on, and this process. */
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

void
bench_round_trips(const char *bindir)
{
	cpu_set_t all;

	placed(bindir, "any");
	one_processor(&all);
	placed(bindir, "one");
	sched_setaffinity(0, sizeof(all), &all);
}
