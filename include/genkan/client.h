/*
 * genkan/client.h - call tools from a program of one's own
 *
 * A client attaches to the broker of this user and calls the tools that an MCP
 * client would call.  The program is an embedder: it needs nobody's
 * permission to link this library, and a person's to attach with it:
 * `genkan pair-client --name NAME --hash HEX`, with the SHA-256 of its image.
 * Until then, and once that is revoked, the broker does not talk to it.
 *
 * The program owns the loop and the descriptors, as with <genkan/server.h>:
 *
 *	genkan_client_new(ctx, &options, &client);
 *	genkan_client_attach(client);
 *	genkan_client_call(client, "list_browsers", NULL, 0, 0, &id);
 *	for (;;) {
 *		while (genkan_client_next(client, &ev) == 1)
 *			handle it: JOB, SERVE, STATE, RESULT, PROGRESS
 *		move bytes between the descriptor and its leg: <genkan/leg.h>
 *		sleep until the loop wakes or genkan_client_deadline()
 *		genkan_client_tick(client, now);
 *	}
 *
 * A client may be freed, attached anew and given calls or cancellations wherever
 * the program handles an event, whether it asked for that or was called:
 * <genkan/dispatch.h>.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_CLIENT_H
#define GENKAN_CLIENT_H

#include <genkan/context.h>
#include <genkan/event.h>
#include <genkan/leg.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_client genkan_client;

/* What a client is doing: .status of GENKAN_EV_STATE, genkan_client_state(). */
#define GENKAN_CLIENT_DETACHED	0
#define GENKAN_CLIENT_ATTACHING	1
#define GENKAN_CLIENT_ATTACHED	2

/* Start from GENKAN_CLIENT_OPTIONS_INIT. */
typedef struct genkan_client_options {
	size_t		 size;		/* of this struct */
	/* The directory that holds genkan-server: who speaks as broker must be
	 * that program.  NULL: that of the context, or else the one that
	 * libgenkan was built for. */
	const char	*program_dir;
	int		 reserved[2];	/* 0 */
} genkan_client_options;

#define GENKAN_CLIENT_OPTIONS_INIT \
	{ sizeof(genkan_client_options), NULL, { 0, 0 } }

/**
 * genkan_client_new - make a client
 * @ctx:     the context; its time must be set: genkan_ctx_set_time()
 * @options: copied; NULL for defaults
 * @ret:     [out] the client, yours: genkan_client_free()
 *
 * Reads HOME and XDG_RUNTIME_DIR; connects to nothing yet.  Returns 0;
 * GENKAN_E_INVAL or GENKAN_E_ABI for the options; GENKAN_E_NOENT without a home
 * directory; GENKAN_E_ADDR where a path is too long; GENKAN_E_ACCESS or
 * GENKAN_E_IO for a state directory that cannot be trusted or opened;
 * GENKAN_E_NOMEM.  The sentence that goes with it is in
 * genkan_ctx_last_error().  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_client_new(genkan_ctx *ctx,
    const genkan_client_options *options, genkan_client **ret) GENKAN_CHECKED;

/**
 * genkan_client_free - free a client
 * @client: may be NULL
 *
 * Calls that are outstanding end without an event; the broker cancels them once
 * the connection is closed.  A leg that is still there wants nothing but to
 * close; free it before or after.  Jobs that run go on, and end without effect
 * when they are handed back.  Frees nothing while the door is shut
 * (<genkan/context.h>), and from inside its own dispatch at the end of that
 * (<genkan/dispatch.h>).  Thread: that of the context.  Since: 0.1
 */
GENKAN_API void genkan_client_free(genkan_client *client);

/**
 * genkan_client_attach - find the broker and attach to it
 * @client: one that is detached: new, or told so by GENKAN_EV_STATE
 *
 * Never waits.  A GENKAN_EV_JOB follows, in which the broker is looked up,
 * connected to and measured; then a GENKAN_EV_SERVE with the connection; and
 * in the end a GENKAN_EV_STATE whose .status is GENKAN_CLIENT_ATTACHED, or
 * GENKAN_CLIENT_DETACHED with .code saying why and .text a sentence for people:
 *
 * GENKAN_E_CONNECT: there is no broker; start an MCP client, or
 * `genkan-server --broker`, and try again.  GENKAN_E_REFUSED: this program is
 * not paired, or not any more; .text names the command.  GENKAN_E_UNAVAILABLE:
 * the broker is full or about to leave, try again.  GENKAN_E_AUTH_PEER or
 * GENKAN_E_UNMEASURABLE: what answers is not the genkan-server of
 * .program_dir, or nobody can tell.  GENKAN_E_NOENT: there is no such program
 * there.  GENKAN_E_MISMATCH: the broker keeps its records elsewhere.
 * GENKAN_E_TIMEOUT, GENKAN_E_EOF, GENKAN_E_NOMEM, GENKAN_E_PROTOCOL, the codes
 * of frames, and where this process is short of memory or descriptors
 * GENKAN_E_LIMIT, GENKAN_E_IO and GENKAN_E_CRYPTO: set-up failed.
 *
 * Returns 0; GENKAN_E_STATE for a client that is attached or attaching;
 * GENKAN_E_INVAL.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_client_attach(genkan_client *client);

/**
 * genkan_client_join - attach over a connection that is there already
 * @client: one that is detached
 * @secret: of the broker at the other end: 32 lowercase hex characters,
 *          borrowed for the call
 * @ret:    [out] the leg, yours: genkan_leg_free(); join it to the connection
 *
 * In the place of genkan_client_attach(), for a program that knows who is at
 * the other end, or is that itself with a genkan_broker: nobody is looked up or
 * measured.  Whether this client is admitted the broker decides as ever.  A
 * GENKAN_EV_STATE follows, as with genkan_client_attach().  Returns 0;
 * GENKAN_E_STATE for a client that is attached or attaching; GENKAN_E_INVAL;
 * GENKAN_E_NOMEM.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_client_join(genkan_client *client, const char *secret,
    genkan_leg **ret) GENKAN_CHECKED;

/**
 * genkan_client_call - call a tool
 * @client:     the client, in any state
 * @tool:       its name, such as "page_snapshot"
 * @args:       its arguments, one JSON object in UTF-8, borrowed for the call;
 *              NULL for none
 * @len:        bytes of @args
 * @timeout_ms: RESPONSE_TIMEOUT after so many milliseconds from now, wherever
 *              the call is by then; 0 for no limit but the broker's, which is
 *              GENKAN_CALL_BUDGET_MS from when it reads the call
 * @ret:        [out] the number of the call, from 1, never reused
 *
 * Never waits.  Fewer than GENKAN_MAX_INFLIGHT calls are with the broker (which
 * would not read on at that many, and so hear of no cancellation), the others
 * wait for their turn in the order in which they were made; so does a call that
 * is made while the client is not attached, until it is.  Each call
 * ends with one GENKAN_EV_RESULT, unless it is cancelled.
 *
 * Returns 0; GENKAN_E_INVAL for NULLs, a negative @timeout_ms, a @tool that is
 * no UTF-8 and @args that are no JSON object, or one that is nested too deeply,
 * with the sentence in genkan_ctx_last_error(); GENKAN_E_TOO_LARGE for a call
 * that does not fit a line; GENKAN_E_LIMIT at GENKAN_CLIENT_CALLS_MAX calls or
 * GENKAN_CLIENT_BYTES_MAX bytes of them that are outstanding;
 * GENKAN_E_NOMEM.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_client_call(genkan_client *client, const char *tool,
    const void *args, size_t len, int64_t timeout_ms, uint64_t *ret)
    GENKAN_CHECKED;

/**
 * genkan_client_tools - ask which tools there are
 * @client: the client, in any state
 * @ret:    [out] the number of the question, one of the calls'
 *
 * Counts, waits and ends as a call does; .data of its result is the object
 * with the member `tools` of the Model Context Protocol.  Returns 0,
 * GENKAN_E_INVAL, GENKAN_E_LIMIT or GENKAN_E_NOMEM.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API int genkan_client_tools(genkan_client *client, uint64_t *ret)
    GENKAN_CHECKED;

/**
 * genkan_client_cancel - give a call up
 * @client: the client
 * @id:     its number
 *
 * Returns 0, and no event with this number will come any more; one that ran
 * already may have had its effect.  One that was sent is cancelled at the broker
 * and in the browser as soon as the broker reads on: it does whatever the number
 * of calls that are outstanding, but not while 64 MiB of arguments of this
 * client, or 256 MiB of all clients, still wait to be written to browsers, or
 * 1 MiB of results waits for this program to read it.  GENKAN_E_NOENT for a call
 * that has ended with an event that was pulled, was cancelled, or never was.
 * GENKAN_E_INVAL.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_client_cancel(genkan_client *client, uint64_t id);

/**
 * genkan_client_next - pull one event
 * @client: the client
 * @ev:     [out] filled in when 1 is returned; .size must be set
 *
 * GENKAN_EV_RESULT: the call .id has ended.  .code is 0 for success, with
 * .text, .textlen the text of the result, which is a JSON document for most
 * tools (NULL for an image); else one of GENKAN_CODE_*, with a sentence for
 * people in .text.  .data, .len are the whole result of the Model Context
 * Protocol as one JSON object, NULL where no reply came: CONNECTION_LOST for
 * every call that was with a broker that is lost, and may have run;
 * RESPONSE_TIMEOUT.
 * GENKAN_EV_PROGRESS: the call .id waits for the user, who is being asked;
 * .status counts, .text says so.
 * GENKAN_EV_STATE: see genkan_client_attach(); also when a client that was
 * attached is not any more.  Results come first.  Calls that were not sent yet
 * go on waiting, for another genkan_client_attach().
 * GENKAN_EV_JOB and GENKAN_EV_SERVE as in <genkan/event.h>.
 *
 * .data and .text are borrowed until the next call of this function or
 * genkan_client_free(), and have a NUL behind them that does not count.
 * Returns 1 for an event, 0 when there is none, GENKAN_E_INVAL.  Thread: that
 * of the context.  Since: 0.1
 */
GENKAN_API int genkan_client_next(genkan_client *client, genkan_event *ev);

/**
 * genkan_client_deadline - when genkan_client_tick() is due at the latest
 * @client: the client
 * @ms:     [out] in the monotonic milliseconds that tick() is given
 *
 * For the client and its leg.  Returns 1 when there is a deadline, 0 when
 * there is none and @ms is untouched, GENKAN_E_INVAL.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API int genkan_client_deadline(const genkan_client *client,
    int64_t *ms);

/**
 * genkan_client_tick - what time it is
 * @client: the client
 * @now_ms: monotonic milliseconds, or GENKAN_NOW; a time before the last one
 *          is ignored
 *
 * Sets the time of the context; call it before anything is fed.  Thread: that
 * of the context.  Since: 0.1
 */
GENKAN_API void genkan_client_tick(genkan_client *client, int64_t now_ms);

/**
 * genkan_client_state - what a client is doing
 * @client: the client
 *
 * Returns GENKAN_CLIENT_*, GENKAN_E_INVAL for NULL.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API int genkan_client_state(const genkan_client *client);

/**
 * genkan_client_outstanding - how many calls have not ended
 * @client: the client
 *
 * Those whose result was not pulled yet count; NULL has none.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API size_t genkan_client_outstanding(const genkan_client *client);

/**
 * genkan_code_name - the name of a result code
 * @code: one of GENKAN_CODE_*
 *
 * Returns a static string such as "TAB_NOT_FOUND"; "OK" for 0 and "" for a code
 * that this library does not have.  Any thread.  Since: 0.1
 */
GENKAN_API const char *genkan_code_name(int code);

/**
 * genkan_code_text - what a result code means, for people
 * @code: one of GENKAN_CODE_*
 *
 * Returns a static phrase, "success" for 0 and "" for a code that this library
 * does not have.  Any thread.  Since: 0.1
 */
GENKAN_API const char *genkan_code_text(int code);

/**
 * genkan_code_retryable - may the same call succeed later?
 * @code: one of GENKAN_CODE_*
 *
 * Returns 1, or 0 also for a code that this library does not have.  Any thread.
 * Since: 0.1
 */
GENKAN_API int genkan_code_retryable(int code);

GENKAN_END_DECLS

#endif
