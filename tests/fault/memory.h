/*
 * Memory that fails when it is told to, and is counted.
 *
 * Two of them: the allocator that a context is given, one for each context; and
 * the C library's, in whose place memory.c puts its own, so that everything in
 * the process may fail, jobs and foreign libraries as well.  A sanitizer has its
 * own in that place: then there is the first alone.
 */
#ifndef GK_FAULT_MEMORY_H
#define GK_FAULT_MEMORY_H

#include <stddef.h>

struct memory {
	size_t	live;		/* blocks that were not freed yet */
	size_t	asked;		/* allocations and growths so far */
	size_t	fail_at;	/* the n-th from now fails; 0: none */
	size_t	failed;		/* how many did */

	/* Of the process alone: whose allocations are meant. */
	enum { OF_PROGRAM, OF_CRYPTO } whose;
	void	(*told)(void);	/* when one fails; NULL */
};

/* A genkan_realloc_fn; user is a struct memory. */
void	*memory_realloc(void *user, void *ptr, size_t size);

/* That of the process; NULL where it is somebody else's. */
struct memory *memory_process(void);

#endif
