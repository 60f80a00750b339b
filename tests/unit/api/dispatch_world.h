/*
 * A program that is called for its events: what test_dispatch.c and
 * test_dispatch_inside.c are about.
 */
#ifndef GK_TESTS_DISPATCH_WORLD_H
#define GK_TESTS_DISPATCH_WORLD_H

#include "pair.h"

#define MAX	16

/* The program. */
extern struct dispatch {
	struct pair	 p;
	genkan_callbacks cb;
	size_t		 live, fail_at, allocs;
	int		 ctx_freed;	/* free_user of the context */
	int		 freed;		/* of callbacks */
	int		 other_freed;	/* of others that took their place */

	int		 kind[MAX];	/* what came, in order */
	int		 status[MAX];
	size_t		 n;
	int		 others;	/* told to those others */
	int		 fd;		/* of LISTEN */
	void		(*inside)(void);	/* at the first event */
	int		 said;		/* what was returned inside */
	int		 given;		/* registrations so far */
} W;

void	dispatch_setup(void);
void	dispatch_teardown(void);

/* 0, or what failed. */
int	dispatch_make_ctx(void);
/* 0 for broker and client, attached, in W.p, or what failed. */
int	dispatch_make_pair(void);
/* A client that has two events: its call has ended, and it is attached. */
void	dispatch_make(void);

/* .load of a store in which the client is paired. */
int	dispatch_load(void *user, int record, const void **ptr, size_t *len,
	    uint64_t *version);

/* What W.cb calls for every event. */
void	dispatch_note(void *user, const genkan_event *ev);
/* .free_user of W.cb, and callbacks that take the place of those. */
void	dispatch_gone(void *user);
genkan_callbacks dispatch_others(void);

#endif
