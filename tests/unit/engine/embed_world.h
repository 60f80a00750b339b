/*
 * A client of an embedder, with memory, time and log of its own, and what
 * drives it: a broker played by hand, line by line, or the real one.
 */
#ifndef GK_TESTS_EMBED_WORLD_H
#define GK_TESTS_EMBED_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "contract/schema.h"
#include "engine/embed.h"
#include "engine/host.h"
#include "proto/machine.h"
#include "util.h"

#define EMBED_SECRET	"00112233445566778899aabbccddeeff"
#define EMBED_SELF	"dddddddddddddddddddddddddddddddddddddddddddddddddd" \
	"dddddddddddddd"

struct embed {
	struct gk_test		 t;
	struct gk_embed		*e;
	struct genkan_leg	*leg;
	struct gk_embed_event	 ev;
	char			*line;
};

/* The one of a test that embed_tcase() started. */
extern struct embed EW;
TCase	*embed_tcase(Suite *, const char *name);

void	embed_init(struct embed *);
void	embed_done(struct embed *);
void	embed_time(struct embed *, int64_t ms);

/* Attach, and the dial went well: the leg is in its set-up. */
void	embed_dial(struct embed *);
/* The dial failed. */
void	embed_dial_fails(struct embed *, enum gk_dialled, int err,
	    const char *reason);
/* The next event is of this kind. */
void	embed_expect(struct embed *, enum gk_embed_event_kind);
/* ... a result, of this call, with this code and text. */
void	embed_result(struct embed *, uint64_t id, int code, const char *text);
/* ... DETACHED with this code; the sentence holds part. */
void	embed_lost(struct embed *, int code, const char *part);
void	embed_frees_leg(struct embed *);

/* The broker's part, by hand.  A line without its LF. */
void	embed_say(struct embed *, const char *line);
void	embed_sayf(struct embed *, const char *fmt, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
/* The next line that the client sent, "" when there is none. */
const char *embed_hear(struct embed *);
/* From the challenge to the reply of the opener; ATTACHED is pulled. */
void	embed_accept(struct embed *);
/* embed_dial() and embed_accept(). */
void	embed_attach(struct embed *);

uint64_t embed_call(struct embed *, const char *tool, const char *args);

#define SENT(id, tool, args) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":" \
	"\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":" id "}," \
	"\"name\":\"" tool "\"" args "}}"
#define ANSWER(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" \
	result "}"
#define CANCELLED(id) "{\"jsonrpc\":\"2.0\",\"method\":" \
	"\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"
#define REPLY(text)	"{\"content\":[{\"type\":\"text\",\"text\":\"" text \
	"\"}],\"isError\":false}"
#define ERROR(text)	"{\"content\":[{\"type\":\"text\",\"text\":\"" text \
	"\"}],\"isError\":true}"

#endif
