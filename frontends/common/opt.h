/*
 * Command-line options: long names, a value as the next argument, nothing
 * else.  A flag that is given twice is an error unless its row says that it
 * may be.
 */
#ifndef FRONTENDS_COMMON_OPT_H
#define FRONTENDS_COMMON_OPT_H

#include <stddef.h>
#include <stdint.h>

#define OPT_WHY_MAX	256

struct opt {
	const char	 *name;		/* "--json" */
	int		  takes;	/* a value follows */
	int		  many;		/* may be repeated */
	/* Filled in: */
	size_t		  count;
	const char	**value;	/* count of them, borrowed from argv */
};

/*
 * Takes all of argv[0..argc-1] apart; a stray argument is an error.  0, or -1
 * with one sentence in why.  opt_done() has to follow in both cases.
 */
int	opt_parse(struct opt *tab, size_t n, int argc, char *const *argv,
	    char why[OPT_WHY_MAX]);
/* A uint of the contract: digits, at most 2^53 - 1.  0 or -1. */
int	opt_uint(const char *text, uint64_t *ret);
void	opt_done(struct opt *tab, size_t n);

#endif
