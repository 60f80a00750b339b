/*
 * genkan/server.h - the MCP server, as broker or as relay
 *
 * A server answers one MCP client on its stdio leg.  Behind that it finds its
 * role among the servers of the user: the first one is the broker, which has
 * the bridge socket and the browsers; the others relay to it and one of them
 * takes over when it is gone.
 *
 * The program owns the loop and the descriptors:
 *
 *	genkan_server_new(ctx, &options, &server);
 *	join genkan_server_stdio(server) to descriptors 0 and 1
 *	for (;;) {
 *		while (genkan_server_next(server, &ev) == 1)
 *			handle it: see <genkan/event.h>
 *		move bytes between descriptors and legs: see <genkan/leg.h>
 *		sleep until the loop wakes or genkan_server_deadline()
 *		genkan_server_tick(server, now);
 *	}
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_SERVER_H
#define GENKAN_SERVER_H

#include <genkan/context.h>
#include <genkan/event.h>
#include <genkan/leg.h>
#include <genkan/store.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_server genkan_server;

/* Start from GENKAN_SERVER_OPTIONS_INIT. */
typedef struct genkan_server_options {
	size_t		 size;		/* of this struct */
	const char	*client_name;	/* log label of the client, or NULL */
	int		 broker_only;	/* not 0: no stdio leg, only a broker
					 * for other programs */
	int		 reserved;	/* 0 */
	/* The records; NULL: those in the state directory of this user. */
	const genkan_store *store;
} genkan_server_options;

#define GENKAN_SERVER_OPTIONS_INIT \
	{ sizeof(genkan_server_options), NULL, 0, 0, NULL }

/**
 * genkan_server_new - make a server
 * @ctx:     the context; its time must be set: genkan_ctx_set_time()
 * @options: copied; NULL for defaults
 * @ret:     [out] the server, yours: genkan_server_free()
 *
 * Reads HOME and XDG_RUNTIME_DIR and the trust record; creates nothing yet.
 * With .store of the options the records are those of the program, and the
 * directories of this user serve to meet alone: what `genkan` or the extension
 * kills, revokes or permits does not reach this broker, as a warning in the log
 * says.  Returns 0; GENKAN_E_INVAL or GENKAN_E_ABI for the options;
 * GENKAN_E_NOENT without a home directory; GENKAN_E_ADDR where a path is too
 * long; GENKAN_E_ACCESS or GENKAN_E_IO for a state directory that cannot be
 * trusted or opened; GENKAN_E_NOMEM.  The sentence that goes with it is in
 * genkan_ctx_last_error().  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_server_new(genkan_ctx *ctx,
    const genkan_server_options *options, genkan_server **ret) GENKAN_CHECKED;

/**
 * genkan_server_free - free a server
 * @server: may be NULL
 *
 * Legs that are still there want nothing but to close; free them before or
 * after.  Jobs that run go on, and end without effect when they are handed
 * back.  A listener that was handed out is the program's to close.  Lock and
 * socket of a broker stay: they are removed before GENKAN_EV_EXIT.  Frees
 * nothing while the door is shut (<genkan/context.h>), and from inside its own
 * dispatch at the end of that (<genkan/dispatch.h>).  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API void genkan_server_free(genkan_server *server);

/**
 * genkan_server_stdio - the leg of the MCP client
 * @server: the server
 *
 * Returns the leg, yours from the first call on: genkan_leg_free(); NULL for a
 * server without one, and at every later call.  Thread: that of the context.
 * Since: 0.1
 */
GENKAN_API genkan_leg *genkan_server_stdio(genkan_server *server);

/**
 * genkan_server_next - pull one event
 * @server: the server
 * @ev:     [out] filled in when 1 is returned; .size must be set
 *
 * Returns 1 for an event, 0 when there is none, GENKAN_E_INVAL.  Before it
 * reports GENKAN_EV_EXIT, the server of a broker takes its leave: it waits up
 * to 250 ms for the lock under which it removes its files.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API int genkan_server_next(genkan_server *server, genkan_event *ev);

/**
 * genkan_server_accept - take one connection from the listener
 * @server: the server
 *
 * Never waits.  The connection is measured in a job before anything is read
 * from it.  Returns 1 when one was taken, or dropped because too many wait for
 * admission; 0 when there is none; GENKAN_E_LIMIT when descriptors or memory
 * are short: watch the listener again after a pause, of 100 ms say, instead of
 * spinning; GENKAN_E_IO when the listener is broken; GENKAN_E_INVAL.  Thread:
 * that of the context.  Since: 0.1
 */
GENKAN_API int genkan_server_accept(genkan_server *server);

/**
 * genkan_server_stop - leave now
 * @server: the server
 *
 * For SIGTERM and SIGINT.  Calls go unanswered; GENKAN_EV_EXIT with status 0
 * is the next event.  Thread: that of the context, so not in a signal handler.
 * Since: 0.1
 */
GENKAN_API void genkan_server_stop(genkan_server *server);

/**
 * genkan_server_deadline - when genkan_server_tick() is due at the latest
 * @server: the server
 * @ms:     [out] in the monotonic milliseconds that tick() is given
 *
 * For the server and all its legs.  Returns 1 when there is a deadline, 0 when
 * there is none and @ms is untouched, or GENKAN_E_INVAL.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API int genkan_server_deadline(const genkan_server *server,
    int64_t *ms);

/**
 * genkan_server_tick - what time it is
 * @server: the server
 * @now_ms: monotonic milliseconds, or GENKAN_NOW; a time before the last one
 *          is ignored
 *
 * Sets the time of the context; call it before anything is fed.  Thread: that
 * of the context.  Since: 0.1
 */
GENKAN_API void genkan_server_tick(genkan_server *server, int64_t now_ms);

/**
 * genkan_server_role - what the process is at present
 * @server: the server
 *
 * Returns "electing", "attached", "broker" or "outdated": static, for people;
 * "" for NULL.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_server_role(const genkan_server *server);

GENKAN_END_DECLS

#endif
