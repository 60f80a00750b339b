/*
 * genkan/event.h - what a server, a host or a client tells its program
 *
 * Events are pulled, one at a time, until there is none:
 *
 *	genkan_event ev = GENKAN_EVENT_INIT;
 *
 *	while (genkan_server_next(server, &ev) == 1)
 *		switch (ev.kind) { ... }
 *
 * or handed to functions of the program, if it prefers that:
 * <genkan/dispatch.h>.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_EVENT_H
#define GENKAN_EVENT_H

#include <genkan/context.h>
#include <genkan/leg.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_job genkan_job;

/* An unknown kind is one of a newer library: ignore it. */
#define GENKAN_EV_NONE		0
/* .job: run it on any thread, then hand it back on this one. */
#define GENKAN_EV_JOB		1
/* .fd, yours: a listening socket; whenever it is readable, call
 * genkan_server_accept(). */
#define GENKAN_EV_LISTEN	2
/* .fd, one of LISTEN: stop watching it and close it. */
#define GENKAN_EV_UNLISTEN	3
/* .fd and .leg, both yours: a connected socket, to be joined to the leg.  Once
 * the leg wants to close, close the descriptor and free the leg. */
#define GENKAN_EV_SERVE		4
/* .status: over.  End with this exit status; nothing else will come. */
#define GENKAN_EV_EXIT		5
/* Of a client alone, see genkan_client_next().  .status, .code, .text. */
#define GENKAN_EV_STATE		6
/* .id, .code, .data, .text. */
#define GENKAN_EV_RESULT	7
/* .id, .status, .text. */
#define GENKAN_EV_PROGRESS	8

/* Filled in by the library up to .size, which the caller sets. */
typedef struct genkan_event {
	size_t		 size;
	int		 kind;		/* GENKAN_EV_* */
	int		 fd;		/* -1 where the kind has none */
	int		 status;
	int		 code;		/* GENKAN_E_* or GENKAN_CODE_*; 0: none */
	genkan_leg	*leg;
	genkan_job	*job;
	uint64_t	 id;		/* of a call; 0 where there is none */
	const char	*data;		/* JSON; NULL where there is none */
	size_t		 len;
	const char	*text;		/* UTF-8; NULL where there is none */
	size_t		 textlen;
} genkan_event;

#define GENKAN_EVENT_INIT \
	{ sizeof(genkan_event), GENKAN_EV_NONE, -1, 0, 0, NULL, NULL, 0, \
	  NULL, 0, NULL, 0 }

/**
 * genkan_job_run - do slow work
 * @job: of an event, not run yet
 *
 * May block: for a file lock, for a disk, for a socket.  Touches the job alone
 * and never the context of its owner, so any thread will do, and any moment;
 * memory and randomness come from the C library and the system.  One that was
 * run, or is being handed back, is not run again; with NULL nothing is done.
 * Since: 0.1
 */
GENKAN_API void genkan_job_run(genkan_job *job);

/**
 * genkan_job_done - hand a job back
 * @job: one that was run, or one that will not be; taken; may be NULL
 *
 * Gives the result to the server, host or client that asked, so pull events
 * and look at the legs afterwards.  A job that was not run has failed: whoever
 * waits for it is told so, with a code of its own.  One whose owner is gone ends
 * without effect.  While the door is shut (<genkan/context.h>) it is not taken.
 * Thread: that of the owner's context.  Since: 0.1
 */
GENKAN_API void genkan_job_done(genkan_job *job);

GENKAN_END_DECLS

#endif
