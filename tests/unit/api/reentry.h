/*
 * What test_reentry.c and its table share: the program, and what is tried from
 * inside of its functions.
 */
#ifndef GK_TESTS_REENTRY_H
#define GK_TESTS_REENTRY_H

#include <stdbool.h>

#include "pair.h"

enum kind { NEVER, ALLOC, FREE, LOG, RANDOM, CLOCK, LOAD, VERSION, AUDIT,
    UNIX_MS, STORE_FREE, ENDS };

/* What the library asked the program for. */
struct counts {
	size_t	allocs, frees, logs, randoms, clocks, loads, others;
};

/* The program whose functions are called, and what it has made. */
extern struct reentry {
	struct pair	 p;
	genkan_server	*server;
	genkan_host	*host;
	genkan_client	*dialler;	/* never gets through */
	genkan_native	*dec;
	genkan_report	*report;
	genkan_credential *cred;
	genkan_job	*job;

	struct counts	 n;
	uint64_t	 version;	/* of the records */
	size_t		 live;		/* blocks of the context */
	int		 freed;		/* calls of its free_user */
	size_t		 fail_at;	/* the n-th allocation from now; 0 */

	enum kind	 armed;		/* when to come in, with row */
	size_t		 row;
	bool		 all;		/* always, with all rows; or */
	bool		 each;		/* with the next one every time */
	bool		 loose;		/* not all that rows name is there */
	bool		 inside;
	size_t		 came_in;
} W;

#define CTX	W.p.ctx

/* Outputs of what is refused: nothing writes there. */
extern struct reentry_out {
	void		*ptr;
	int64_t		 ms;
	uint64_t	 id;
	size_t		 len;
	uint32_t	 count;
	char		 text[GENKAN_CHALLENGE_SIZE];
} reentry_out;
extern genkan_event reentry_ev;
extern genkan_authdata reentry_authdata;
extern size_t reentry_zeroed;	/* one that is set whatever is returned */

/* One for each function of libgenkan/genkan.map. */
struct reentry_row {
	const char	*name;
	void		(*try)(void);
};
extern const struct reentry_row reentry_rows[];
extern const size_t reentry_nrows;

/* Another context, which has nothing to do with W's: 0 if it works. */
int	reentry_another(void);

#endif
