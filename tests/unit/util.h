/*
 * What every unit test shares: a runner that speaks TAP, and contexts whose
 * memory, time, randomness and log the test controls.
 */
#ifndef GK_TESTS_UTIL_H
#define GK_TESTS_UTIL_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"

/*
 *	int
 *	main(void)
 *	{
 *		Suite *s = suite_create("line");
 *		...
 *		return gk_test_main(s);
 *	}
 *
 * Runs the suite, prints TAP to stdout, returns the exit status.
 */
int	gk_test_main(Suite *);

/* One context, its hooks, and what they saw. */
struct gk_test {
	struct genkan_ctx *ctx;

	/* memory: */
	size_t		 live;		/* blocks not freed yet */
	size_t		 bytes;		/* in them */
	size_t		 peak;		/* most bytes at once */
	size_t		 allocs;	/* allocations and growths so far */
	size_t		 fail_at;	/* the n-th from now fails, 1 is the
					 * next; 0 never */
	bool		 fail_after;	/* and so do all later ones */
	size_t		 failed;	/* how many did */

	/* log: the last record, and how many there were */
	size_t		 logs;
	int		 log_level;
	char		 log_tag[32];
	char		 log_id[64];
	char		 log_text[4096];

	uint64_t	 seed;		/* of the deterministic randomness */
	bool		 random_fails;
	int64_t		 clock_ms;	/* of gk_test_clock() */
	unsigned	 user_freed;	/* calls of free_user */
};

/* A context at debug level, time 1000, randomness from seed 1.  Aborts the
 * test if it cannot be made. */
void	gk_test_init(struct gk_test *);
/* Frees the context and asserts that every block came back. */
void	gk_test_done(struct gk_test *);
/* Gives the context a clock, at its time, for whoever asks it at the door. */
void	gk_test_clock(struct gk_test *);
/* An hour passes on that clock, and nobody is told: what it says then. */
int64_t	gk_test_hour(struct gk_test *);
/* The hooks alone, for tests that make the context themselves. */
void	gk_test_hooks(struct gk_test *, struct gk_ctx_hooks *ret);
void	gk_test_time(struct gk_test *, int64_t ms);

/*
 * Allocation-failure sweep: calls fn with the first, second, ... allocation
 * failing, until a run passes without reaching the failing one.  fn returns 0
 * on success or GENKAN_E_*; it must return GENKAN_E_NOMEM (checked) whenever
 * an allocation failed, and free all it made (checked).  Returns the number of
 * runs, so that a test can assert that there was something to fail.
 */
size_t	gk_test_sweep(struct gk_test *, int (*fn)(struct gk_test *, void *),
	    void *arg);

/* $GENKAN_SRCDIR/tests/golden/<module>; "." based when run by hand. */
const char *gk_test_golden(const char *module);
/* Whole file, NUL behind it, free(); aborts the test if unreadable. */
char	*gk_test_read(const char *path, size_t *len);

#endif
