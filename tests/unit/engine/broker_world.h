/*
 * A broker and what surrounds it: records in memory, an audit trail that can
 * be read back, peers whose legs are driven by hand.
 */
#ifndef GK_TESTS_BROKER_WORLD_H
#define GK_TESTS_BROKER_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "contract/schema.h"
#include "engine/broker.h"
#include "proto/machine.h"
#include "proto/mcp.h"
#include "proto/queue.h"
#include "records/store.h"
#include "trust/attest.h"
#include "util.h"

#define HASH_A	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define SECRET	"00112233445566778899aabbccddeeff"

#define TRUST(killed, clients) "{\"version\":0,\"epoch\":1,\"killed\":" killed \
	",\"kill_epoch\":0,\"host_key_epoch\":0,\"policy_epoch\":0," \
	"\"lang_epoch\":0,\"clients\":" clients ",\"enrollments\":[]}"
#define CLIENT(name, hash) "{\"name\":\"" name "\",\"anchor\":{\"kind\":" \
	"\"hash\",\"value\":\"" hash "\"},\"added_unix\":1}"
#define KILLED		TRUST("true", "null")
#define FRESH		TRUST("false", "null")
#define PAIRED_A	TRUST("false", "[" CLIENT("alpha", HASH_A) "]")
#define PAIRED_NONE	TRUST("false", "[]")
#define DISABLES(tools)	"{\"version\":0,\"overlay\":{\"disabledTools\":[" \
	tools "]}}"

#define MAX_AUDIT	256

struct audit_line {
	char	text[1024];	/* kind outcome tool code name detail req conn */
};

struct world {
	struct gk_test		 t;
	struct gk_store		 store;
	char			*record[GK_RECORD_END];	/* NULL: absent */
	int			 fails[GK_RECORD_END];	/* load answers this */
	uint64_t		 writes;		/* stamps follow it */
	size_t			 loads;
	/* Stamps asked for of the trust record; behind the turn-th of them it
	 * is written anew. */
	size_t			 looks, turn;
	const char		*then;
	bool			 no_secret;
	struct audit_line	 audit[MAX_AUDIT];
	size_t			 naudit;
	struct gk_broker	*b;
	/* the own harness, if there is one */
	struct gk_outq		 out;
	struct gk_mcp		*mcp;
	struct gk_broker_client	*own;
	char			*heard;		/* last line of own_hear() */
};

/* A leg's other end. */
struct peer {
	struct world		*w;
	struct genkan_leg	*leg;
	char			*got;		/* not yet taken by hear() */
	size_t			 len;
	char			*line;
};

void	world_init(struct world *);
void	world_done(struct world *);
/* NULL removes the record. */
void	world_write(struct world *, int record, const char *text);
void	world_time(struct world *, int64_t ms);
/* Advances to each deadline of the broker in turn, up to ms. */
void	world_run(struct world *, int64_t ms);
/* The i-th audit line from the end, 1 is the last; "" if there is none. */
const char *audited(struct world *, size_t i);
size_t	audits(struct world *, const char *start);

/* The own harness: opened legacy, at version 2025-06-18. */
void	world_own(struct world *);
void	own_say(struct world *, const char *line);
/* The next line for the harness, "" when there is none. */
const char *own_hear(struct world *);

/* Facts of a peer of ours with these roles, or of any program (0). */
struct gk_peer facts(unsigned roles, const char *hash);

/* Accepts without a word of the peer yet. */
void	peer_init(struct world *, struct peer *, const struct gk_peer *);
/* Challenge, response with label (NULL: none), attach frame. */
void	peer_attach(struct peer *, const char *label, const char *attach);
/* The three usual ones, "accepted" heard. */
void	browser(struct world *, struct peer *, const char *label);
void	hello(struct peer *, const char *caps);
void	relay(struct world *, struct peer *, const char *hash);
void	embedder(struct world *, struct peer *, const char *hash);
void	peer_free(struct peer *);

/* A line, LF added; true if all of it was taken. */
bool	tell(struct peer *, const char *line);
bool	tellf(struct peer *, const char *fmt, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
/* The next line of the leg without LF, "" when there is none. */
const char *hear(struct peer *);
/* Takes n bytes of the leg's output and forgets them. */
void	swallow(struct peer *, size_t n);
bool	closed(struct peer *);
/* Opens a client's connection legacy. */
void	client_open(struct peer *);

#define CALL(id, tool, args) "{\"jsonrpc\":\"2.0\",\"id\":" id "," \
	"\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"," \
	"\"arguments\":" args "}}"
#define TEXT(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{" \
	"\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]," \
	"\"isError\":false}}"
#define FAIL(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{" \
	"\"content\":[{\"type\":\"text\",\"text\":\"Error [" text "\"}]," \
	"\"isError\":true}}"

/* The last line heard fails with this code, and its text holds part. */
#define ck_fails(line, code, part) do {					\
	const char *l_ = (line);					\
	ck_assert_msg(strstr(l_, "Error [" code "]: ") != NULL &&	\
	    strstr(l_, part) != NULL && strstr(l_, "\"isError\":true") !=	\
	    NULL, "not a " code " with \"%s\": %s", part, l_);		\
} while (0)

#endif
