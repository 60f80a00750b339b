/*
 * One round of wire 3.1, as facts and verdict.  Who holds the runtime lock
 * (local/) gathers the facts, asks what to do, does it, and hands the outcome
 * to the server.
 */
#ifndef GK_ENGINE_ELECTION_H
#define GK_ENGINE_ELECTION_H

#include "base/base.h"
#include "contract/schema.h"

/* What is seen under the runtime lock, steps 1 and 2. */
struct gk_election_facts {
	bool	replaced;	/* the own image (3.5) */
	bool	readable;	/* run.lock is there and readable */
	bool	own_pid;	/* it names us, and is no server's here */
	bool	alive;		/* the process that it names */
	bool	image_ok;	/* and is acceptable as a broker (4.3) */
	bool	same_dir;	/* state directories agree (2.4) */
};

enum gk_election_act {
	GK_ELECT_OUTDATED,	/* step 1: take part in nothing */
	GK_ELECT_DIAL,		/* step 2: a broker lives, go to 4 */
	GK_ELECT_MISMATCH,	/* step 2: another state directory, denied */
	GK_ELECT_BIND		/* step 3 */
};

/* *supersede (may be NULL): a living process stands there that is no broker of
 * ours; WARN, and never signal it. */
enum gk_election_act gk_election_decide(const struct gk_election_facts *,
	    bool *supersede);

/* How the round ended. */
enum gk_elected {
	GK_ELECTED_BROKER,	/* bound, listening, lock written */
	GK_ELECTED_DIALLED,	/* connected, server checked: secret is set */
	GK_ELECTED_FOUND,	/* a broker lives, and nobody wanted a dial */
	GK_ELECTED_OUTDATED,
	GK_ELECTED_RETRY,	/* dial failed, server unmeasurable */
	GK_ELECTED_DENIED,	/* foreign server, state directory mismatch */
	GK_ELECTED_FAILED	/* bind, listen or lock write failed */
};

struct gk_election {
	enum gk_elected	outcome;
	uint8_t		secret[GK_SECRET_HEX];	/* ours; DIALLED: the broker's;
						 * wiped by us */
	char		reason[512];		/* all others, for people */
};

const char *gk_elected_name(enum gk_elected);

#endif
