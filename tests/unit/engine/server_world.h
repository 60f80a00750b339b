/*
 * A server and what surrounds it: a harness that writes and reads lines,
 * records in memory, and a scripted broker behind the relay's leg.
 */
#ifndef GK_TESTS_SERVER_WORLD_H
#define GK_TESTS_SERVER_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/server.h"
#include "memstore.h"
#include "proto/accept.h"
#include "proto/machine.h"
#include "proto/queue.h"
#include "trust/attest.h"
#include "util.h"

#define FRESH	MEM_TRUST(0, false, 0, 0, 0, 0, "null")
#define NOBODY	MEM_TRUST(1, false, 0, 0, 0, 0, "[]")
#define PAIRED	MEM_TRUST(1, false, 0, 0, 0, 0,				\
	"[" MEM_CLIENT("claude", MEM_HASH) "]")

#define INIT	"{\"jsonrpc\":\"2.0\",\"id\":\"init\",\"method\":"	\
	"\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","	\
	"\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":"	\
	"\"1\"}}}"
#define META	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"	\
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CALL(id, tool)	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":"	\
	"\"tools/call\",\"params\":{\"name\":\"" tool "\"}}"
#define CANCEL(id)	"{\"jsonrpc\":\"2.0\",\"method\":"			\
	"\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

struct world {
	struct gk_test		 t;
	struct memstore		 m;
	struct gk_server	*s;
	struct genkan_leg	*own;
	struct genkan_leg	*relay;		/* NULL while there is none */
	struct gk_measure	 harness;
	char			 line[1 << 16];
};

void	world_init(struct world *);
void	world_done(struct world *);
/* (Re)makes the server over the records as they are. */
void	world_server(struct world *, bool harness);
/* The next event is of this kind. */
void	expect(struct world *, enum gk_server_event_kind);
void	expect_leave(struct world *, int status);
/* MEASURE, INSTALL and their answers: the first ELECT is next. */
void	world_ready(struct world *);
/* One ELECT and its answer. */
void	elect(struct world *, enum gk_elected);
/* Answers without the ELECT having been pulled here. */
void	elected(struct world *, enum gk_elected);
/* Runs the clock to ms, stopping at every deadline. */
void	run_until(struct world *, int64_t ms);

/* The harness: a line with LF added, all of it taken. */
void	say(struct world *, const char *line);
/* Bytes; how many were taken. */
size_t	say_bytes(struct world *, const char *, size_t);
/* The next line for the harness without LF, "" when there is none. */
const char *hear(struct world *);

/* The broker behind the relay's leg: the whole set-up, then lines. */
void	attach(struct world *);
void	attach_with(struct world *, const char *reply);
/* The set-up up to, not including, the reply; what was attached. */
void	attach_until_reply(struct world *, struct gk_attach *ret);
void	broker_say(struct world *, const char *line);
/* The next line for the broker, its LF handed to the system; "" for none. */
const char *broker_hear(struct world *);

#endif
