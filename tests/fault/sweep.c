/* See sweep.h. */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN	5	/* failures of one flow */

/*
 * Faults of one flow in a test run, where they are not all.  OpenSSL asks for
 * memory ten thousand times in a flow, nearly always in the middle of making
 * its tables, of which we see the same end each time; all of these take
 * minutes, and are for `make faults`.
 */
#define SOME	24

static struct {
	const char	*what;		/* NULL: all is well */
	const char	*file;
	int		 line;
} wrong;

void
sweep_wrong(const char *what, const char *file, int line)
{
	const char *slash = strrchr(file, '/');

	if (wrong.what != NULL)
		return;
	wrong.what = what;
	wrong.file = slash != NULL ? slash + 1 : file;
	wrong.line = line;
	if (getenv("GENKAN_FAULT") != NULL)
		fprintf(stderr, "WRONG: %s:%d: %s\n", wrong.file, line, what);
}

static size_t
run(const struct sweep *s, size_t n, bool *failed)
{
	struct memory *m = s->process ? memory_process() : NULL;

	wrong.what = NULL;
	if (m != NULL)
		m->whose = s->whose;
	return s->run(s->arg, m, n, failed);
}

/*
 * A leak goes on when the same happens again; what is kept once does not.  Of
 * its own memory OpenSSL keeps some whenever it runs out of it, so that is not
 * held against us.
 */
static void
run_and_count(const struct sweep *s, size_t n, bool *failed)
{
	struct memory *m = memory_process();
	size_t live, grown = 1;
	bool again;
	int i;

	for (i = 0; i < 3 && grown > 0; i++) {
		live = m == NULL ? 0 : m->live;
		(void)run(s, n, i == 0 ? failed : &again);
		if (wrong.what != NULL)
			return;
		grown = m == NULL || m->live <= live ? 0 : m->live - live;
	}
	CHECK(grown == 0 || s->whose == OF_CRYPTO);
}

/* 0: all of them. */
static size_t
most(const struct sweep *s)
{
	const char *text = getenv("GENKAN_FAULTS");

	if (text != NULL)
		return strtoul(text, NULL, 10);
	return s->process && s->whose == OF_CRYPTO ? SOME : 0;
}

static void
complain(const struct sweep *s, const char *when, size_t n)
{
	printf("# %s, %s %zu: %s:%d: %s\n", s->name, when, n, wrong.file,
	    wrong.line, wrong.what);
	(void)fflush(stdout);
	if (s->mend != NULL)
		s->mend();
}

/* How many allocations there are, 0 if it does not even work with all. */
static size_t
measure(const struct sweep *s)
{
	bool failed;
	size_t all = 0;
	int i;

	/* Twice: some things are only made once. */
	for (i = 0; i < 2; i++) {
		all = run(s, 0, &failed);
		if (wrong.what == NULL)
			continue;
		complain(s, "without a fault", 0);
		return 0;
	}
	return all;
}

static int
sweep(int number, const struct sweep *s)
{
	size_t all, n, step, faults = 0, bad = 0, limit = most(s);
	bool failed = true;

	if (s->process && memory_process() == NULL) {
		printf("ok %d - %s # SKIP the allocator is a sanitizer's\n",
		    number, s->name);
		return 0;
	}
	all = measure(s);
	bad += all == 0;
	step = limit == 0 || all <= limit ? 1 : (all + limit - 1) / limit;
	for (n = 1; failed && all > 0 && bad < SHOWN; n += step) {
		run_and_count(s, n, &failed);
		if (wrong.what != NULL) {
			bad++;
			complain(s, "allocation", n);
		}
		faults += failed;
	}
	printf("%sok %d - %s: %zu of %zu %s\n", bad > 0 ? "not " : "", number,
	    s->name, faults, all, s->what != NULL ? s->what :
	    "allocations fail");
	(void)fflush(stdout);
	return bad > 0;
}

static int
one(const struct sweep *s, size_t count, const char *text)
{
	bool failed;
	size_t n, i;

	if (sscanf(text, "%zu,%zu", &i, &n) != 2 || i < 1 || i > count)
		return 2;
	if (n > 0 && measure(&s[i - 1]) == 0)
		return 1;
	(void)run(&s[i - 1], n, &failed);
	printf("%s: %s\n", failed ? "failed" : "not reached",
	    wrong.what != NULL ? wrong.what : "as it should be");
	return wrong.what != NULL;
}

int
sweep_all(const struct sweep *s, size_t n)
{
	const char *only = getenv("GENKAN_FAULT");
	int bad = 0;
	size_t i;

	if (only != NULL)
		return one(s, n, only);
	printf("1..%zu\n", n);
	for (i = 0; i < n; i++)
		bad += sweep((int)i + 1, &s[i]);
	return bad != 0;
}
