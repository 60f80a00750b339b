/*
 * A whole chain in one process and one thread: servers, a host with a browser,
 * a client, each a public object with a context of its own, joined by the real
 * bridge socket.  Its clock runs ahead when nobody has anything to do, so
 * nothing here waits.
 *
 * The program runs as genkan-server out of a directory of its own, with a link
 * to itself as genkan-host beside it: so it is who it says it is.
 */
#ifndef GK_FAULT_WORLD_H
#define GK_FAULT_WORLD_H

#include <stdbool.h>

#include <genkan/genkan.h>

#include "memory.h"

#define JOINED_MAX	6
#define SAID_MAX	(1u << 19)
#define RESULTS_MAX	16
#define TOLD_MAX	16

/* One connection; what the leg did not take yet is kept. */
struct joined {
	int		 fd;		/* -1: a free place */
	genkan_leg	*leg;
	bool		 eof;
	size_t		 have;
	char		 in[65536];
};

struct actor {
	bool		 elsewhere;	/* in a process of its own, it believes:
					 * there is one server in each */
	struct memory	 mem;
	genkan_ctx	*ctx;		/* NULL: not there */
	genkan_server	*server;	/* one of the three */
	genkan_host	*host;
	genkan_client	*client;

	genkan_leg	*stdio;
	struct joined	 conn[JOINED_MAX];
	int		 listener;
	bool		 over;		/* EXIT came, or stdio is at its end */

	/* What is done to it in the middle of handling an event. */
	size_t		 events;	/* so far */
	size_t		 free_at;	/* freed at this one, from 1; 0: never */
	bool		 first;		/* before what the event brought is dealt
					 * with, or after */
	void		(*reenter)(struct actor *);	/* at each; NULL */

	/* what stdio said: lines of a server; of a host, frames not complete */
	size_t		 nsaid;
	char		 said[SAID_MAX];

	/* of a host: the types of what its browser was told */
	char		 told[TOLD_MAX][32];
	size_t		 ntold;

	/* of a client */
	uint64_t	 result[RESULTS_MAX];
	int		 code[RESULTS_MAX];
	size_t		 nresults;
};

/* Directories, environment, and the program as genkan-server in them: runs it
 * and returns its status, -1 where that is this very process. */
int	world_enter(const char *self);
/* Below the directory of the test; eight of them live at a time. */
const char *world_at(const char *name);
/* An empty home and runtime directory. */
void	world_fresh(void);

/* All that take part, NULL at the end. */
extern struct actor *const world_cast[];

/* 0 or GENKAN_E_*; nothing is there then. */
int	world_server(struct actor *, bool only_broker);
int	world_host(struct actor *);
int	world_client(struct actor *);
/* Frees what there is, in an order that embedders may use. */
void	world_free(struct actor *);

/* Until fn says so; false when minutes of the clock have passed. */
bool	world_until(bool (*fn)(void *), void *arg);

/* Gives a line to the server, as far as it takes one. */
void	world_say(struct actor *, const char *line);
/* The answer with this id, NULL while there is none; more than one: abort. */
const char *world_answer(struct actor *, int id);

/* What a page of the extension asks its host; has it been told such a frame
 * since? */
void	world_page(struct actor *, const char *json);
bool	world_told(const struct actor *, const char *type);

#endif
