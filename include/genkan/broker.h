/*
 * genkan/broker.h - the broker alone, without files and sockets
 *
 * Browsers on one side, clients on the other, and between them every check that
 * genkan-server makes: attestation, handshake, admission, kill switch, policy.
 * Where genkan_server_new() finds its place among the servers of the user, this
 * is for a program that brings its own connections and its own way to meet:
 *
 *	genkan_broker_new(ctx, &options, &broker);
 *	a connection came in:
 *		genkan_peer_query(ctx, fd, dir, &peer);
 *		genkan_broker_accept(broker, peer, &leg);
 *		genkan_peer_free(peer);
 *		join the leg to the descriptor: <genkan/leg.h>
 *	sleep until the loop wakes or genkan_broker_deadline()
 *	genkan_broker_tick(broker, now);
 *
 * A peer attaches as what its image may be: genkan-host of the directory as a
 * browser, genkan-server as a relay, any other program as a client, if a
 * readable trust record names it.  That holds for connections within the
 * program too: genkan_client_join() takes the other end of one.
 *
 * Programs that find the broker by its lock file accept none but genkan-server;
 * a program that is to serve them is built on <genkan/server.h> and installed
 * under that name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_BROKER_H
#define GENKAN_BROKER_H

#include <genkan/context.h>
#include <genkan/event.h>
#include <genkan/leg.h>
#include <genkan/peer.h>
#include <genkan/store.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_broker genkan_broker;

/* Start from GENKAN_BROKER_OPTIONS_INIT. */
typedef struct genkan_broker_options {
	size_t			 size;		/* of this struct */
	/* What peers prove that they know: 32 lowercase hex characters, fresh
	 * for each broker. */
	const char		*secret;
	/* The records; NULL: those in the state directory of this user. */
	const genkan_store	*store;
	int			 stay;		/* not 0: serve on without
						 * clients */
	int			 reserved;	/* 0 */
} genkan_broker_options;

#define GENKAN_BROKER_OPTIONS_INIT \
	{ sizeof(genkan_broker_options), NULL, NULL, 0, 0 }

/**
 * genkan_broker_new - make a broker
 * @ctx:     the context; its time must be set: genkan_ctx_set_time()
 * @options: copied, .secret must be set
 * @ret:     [out] the broker, yours: genkan_broker_free()
 *
 * Without .store it reads HOME, and creates nothing but the audit trail once
 * there is something to tell.  Returns 0; GENKAN_E_INVAL or GENKAN_E_ABI for
 * the options; GENKAN_E_NOENT, GENKAN_E_ADDR, GENKAN_E_ACCESS or GENKAN_E_IO
 * for the state directory, as genkan_server_new(); GENKAN_E_NOMEM.  The
 * sentence that goes with it is in genkan_ctx_last_error().  Thread: that of
 * @ctx.  Since: 0.1
 */
GENKAN_API int genkan_broker_new(genkan_ctx *ctx,
    const genkan_broker_options *options, genkan_broker **ret) GENKAN_CHECKED;

/**
 * genkan_broker_free - free a broker
 * @broker: may be NULL
 *
 * Legs that are still there want nothing but to close; free them before or
 * after.  Frees nothing while the door is shut (<genkan/context.h>), and from
 * inside its own dispatch at the end of that (<genkan/dispatch.h>).  Thread:
 * that of the context.  Since: 0.1
 */
GENKAN_API void genkan_broker_free(genkan_broker *broker);

/**
 * genkan_broker_accept - a peer has connected
 * @broker: the broker
 * @peer:   who it is; borrowed for the call; of any context of this thread
 * @ret:    [out] its leg, yours: genkan_leg_free()
 *
 * A peer that may not attach gets a leg too, which wants to close without a
 * byte.  Returns 0; GENKAN_E_LIMIT when GENKAN_MAX_PENDING_ATTACH connections
 * are being set up: drop this one; GENKAN_E_INVAL, GENKAN_E_NOMEM or
 * GENKAN_E_RANDOM.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_broker_accept(genkan_broker *broker,
    const genkan_peer *peer, genkan_leg **ret) GENKAN_CHECKED;

/**
 * genkan_broker_next - pull one event
 * @broker: the broker
 * @ev:     [out] filled in when 1 is returned; .size must be set
 *
 * GENKAN_EV_EXIT, once: the last client has left, and no further one will be
 * admitted.  With .stay of the options there is no event.  Returns 1 for an
 * event, 0 when there is none, GENKAN_E_INVAL.  Thread: that of the context.
 * Since: 0.1
 */
GENKAN_API int genkan_broker_next(genkan_broker *broker, genkan_event *ev);

/**
 * genkan_broker_deadline - when genkan_broker_tick() is due at the latest
 * @broker: the broker
 * @ms:     [out] in the monotonic milliseconds that tick() is given
 *
 * For the broker and all its legs.  Returns 1, there is always a deadline, or
 * GENKAN_E_INVAL.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_broker_deadline(const genkan_broker *broker,
    int64_t *ms);

/**
 * genkan_broker_tick - what time it is
 * @broker: the broker
 * @now_ms: monotonic milliseconds, or GENKAN_NOW; a time before the last one
 *          is ignored
 *
 * Sets the time of the context; call it before anything is fed.  Once a second
 * the records are looked at, and whoever is revoked is dropped.  Thread: that
 * of the context.  Since: 0.1
 */
GENKAN_API void genkan_broker_tick(genkan_broker *broker, int64_t now_ms);

/**
 * genkan_broker_clients - how many clients are attached
 * @broker: the broker; NULL has none
 *
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API size_t genkan_broker_clients(const genkan_broker *broker);

/**
 * genkan_broker_browsers - how many browsers are attached
 * @broker: the broker; NULL has none
 *
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API size_t genkan_broker_browsers(const genkan_broker *broker);

GENKAN_END_DECLS

#endif
