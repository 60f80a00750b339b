/*
 * Runs a flow with its first allocation failing, its second, and so on, until a
 * run goes through without.
 */
#ifndef GK_FAULT_SWEEP_H
#define GK_FAULT_SWEEP_H

#include <stdbool.h>

#include "memory.h"

struct sweep {
	const char	*name;
	/*
	 * The flow, with the n-th allocation failing, 0 for none: m is the
	 * memory of the process, or NULL for that of a context of its own.
	 * Returns how many allocations there were; *failed if one did.
	 */
	size_t		(*run)(const void *arg, struct memory *m, size_t n,
			    bool *failed);
	const void	*arg;
	bool		 process;
	int		 whose;		/* of the process; see memory.h */
	void		(*mend)(void);	/* after something went wrong; NULL */
	const char	*what;		/* of n, if no allocations; NULL */
};

/* The first thing of a run that was not as it should be. */
void	sweep_wrong(const char *what, const char *file, int line);

#define CHECK(cond) \
	do { \
		if (!(cond)) \
			sweep_wrong(#cond, __FILE__, __LINE__); \
	} while (0)

/*
 * All of them, with TAP; the exit status.  Each flow is swept to its end, but
 * for those whose memory is OpenSSL's.  GENKAN_FAULTS is the most faults of any
 * flow, spread over it, 0 for all; GENKAN_FAULT=flow,n is one of them.
 */
int	sweep_all(const struct sweep *, size_t n);

#endif
