/*
 * genkan/dispatch.h - events by callback
 *
 * For programs that would rather be called than ask: what genkan_server_next(),
 * genkan_host_next(), genkan_broker_next() and genkan_client_next() give out is
 * handed to functions of the program, one event after the other.
 *
 *	genkan_callbacks callbacks = GENKAN_CALLBACKS_INIT;
 *
 *	callbacks.user = app;
 *	callbacks.serve = connect_it;
 *	callbacks.result = show_it;
 *	genkan_client_set_callbacks(client, &callbacks);
 *	for (;;) {
 *		genkan_dispatch(ctx, client);
 *		move bytes, sleep, tick: as without callbacks
 *	}
 *
 * They are called by genkan_dispatch() alone, on its thread, with the library at
 * rest.  So everything may be called from inside, genkan_client_next() and
 * genkan_dispatch() of another object as well, and everything may be freed:
 *
 * The object that is dispatched stays valid until genkan_dispatch() returns, and
 * is freed then; freeing it a second time from inside does nothing.  So does its
 * context, if that is freed from inside.  No further event is handed out once
 * the object was freed.  Callbacks that were replaced from inside are not called
 * any more, and their .free_user is called at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_DISPATCH_H
#define GENKAN_DISPATCH_H

#include <genkan/broker.h>
#include <genkan/client.h>
#include <genkan/context.h>
#include <genkan/event.h>
#include <genkan/host.h>
#include <genkan/server.h>

GENKAN_BEGIN_DECLS

/**
 * genkan_event_fn - is told of one event
 * @user: .user of the callbacks
 * @ev:   the event, which is out of the queue already; borrowed for the call,
 *        and what it borrows itself until the next event of its object is
 *        pulled
 *
 * Must return: neither by longjmp() nor by an exception.
 */
typedef void genkan_event_fn(void *user, const genkan_event *ev);

/*
 * Start from GENKAN_CALLBACKS_INIT.  A member for each kind of
 * <genkan/event.h>, with which it shares the rules of who owns what.  One that
 * is NULL: a job is run on the spot, which blocks, and handed back; a connection
 * is closed and its leg freed; of other kinds nothing is told.
 *
 * free_user: called once with .user, when the callbacks are not needed any more:
 * behind the end of the object, when others took their place, or when they could
 * not be registered.  Only a table that cannot be read, because its .size is
 * unusable, is left alone.  Everything may be called from there that does not
 * need the object, unless they could not be registered because that was asked
 * for from inside a function of the context's or of a store: then nothing may.
 */
typedef struct genkan_callbacks {
	size_t		 size;		/* of this struct */
	void		*user;		/* for the functions below */
	void		(*free_user)(void *user);
	genkan_event_fn	*job;
	genkan_event_fn	*listen;
	genkan_event_fn	*unlisten;
	genkan_event_fn	*serve;
	genkan_event_fn	*exit;
	genkan_event_fn	*state;
	genkan_event_fn	*result;
	genkan_event_fn	*progress;
} genkan_callbacks;

#define GENKAN_CALLBACKS_INIT \
	{ sizeof(genkan_callbacks), NULL, NULL, NULL, NULL, NULL, NULL, \
	  NULL, NULL, NULL, NULL }

/**
 * genkan_server_set_callbacks - what to call for the events of a server
 * @server:    the server
 * @callbacks: copied, in the place of those that were set before; .listen,
 *             .unlisten and .serve are needed.  NULL: none from now on
 *
 * Events that wait already are among them.  Returns 0; GENKAN_E_INVAL or
 * GENKAN_E_ABI for the callbacks; GENKAN_E_NOMEM; on failure those that were set
 * before stay.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_server_set_callbacks(genkan_server *server,
    const genkan_callbacks *callbacks) GENKAN_CHECKED;

/**
 * genkan_host_set_callbacks - what to call for the events of a host
 * @host:      the host
 * @callbacks: as for a server; .serve is needed
 *
 * As genkan_server_set_callbacks().  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_host_set_callbacks(genkan_host *host,
    const genkan_callbacks *callbacks) GENKAN_CHECKED;

/**
 * genkan_broker_set_callbacks - what to call for the events of a broker
 * @broker:    the broker
 * @callbacks: as for a server; none is needed
 *
 * As genkan_server_set_callbacks().  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_broker_set_callbacks(genkan_broker *broker,
    const genkan_callbacks *callbacks) GENKAN_CHECKED;

/**
 * genkan_client_set_callbacks - what to call for the events of a client
 * @client:    the client
 * @callbacks: as for a server; none is needed, but genkan_client_attach() leads
 *             nowhere without .serve
 *
 * As genkan_server_set_callbacks().  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_client_set_callbacks(genkan_client *client,
    const genkan_callbacks *callbacks) GENKAN_CHECKED;

/**
 * genkan_dispatch - hand out all events of one object
 * @ctx: the context
 * @obj: a genkan_server, genkan_host, genkan_broker or genkan_client of @ctx
 *
 * Until there is no event, those included that the callbacks bring about.
 * Returns how many there were; GENKAN_E_STATE from inside a dispatch of @obj;
 * GENKAN_E_NOENT for what has no callbacks, or is none of @ctx: @obj is only
 * compared then; GENKAN_E_INVAL for NULL.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_dispatch(genkan_ctx *ctx, const void *obj);

GENKAN_END_DECLS

#endif
