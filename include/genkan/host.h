/*
 * genkan/host.h - the native-messaging host of one browser
 *
 * A host stands between a browser, which started it and speaks native
 * messaging on its stdio, and the broker.  It passes bridge frames on, answers
 * control frames itself, and works without a broker as far as those go.
 *
 * It is driven like a server: <genkan/server.h>.  Of the events it has JOB,
 * SERVE and EXIT.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_HOST_H
#define GENKAN_HOST_H

#include <genkan/context.h>
#include <genkan/event.h>
#include <genkan/leg.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_host genkan_host;

/**
 * genkan_host_new - make a host
 * @ctx:  the context; its time must be set: genkan_ctx_set_time()
 * @argc: number of arguments, without the program's name
 * @argv: the arguments, as the browser or its wrapper gave them; not kept
 * @ret:  [out] the host, yours: genkan_host_free()
 *
 * Judges the arguments, looks at the parent process for the browser it is, and
 * reads HOME and XDG_RUNTIME_DIR.  Returns 0; GENKAN_E_INVAL for arguments
 * that end the program; GENKAN_E_NOENT, GENKAN_E_ADDR, GENKAN_E_ACCESS or
 * GENKAN_E_IO for the directories, as genkan_server_new(); GENKAN_E_NOMEM.
 * The sentence that goes with it is in genkan_ctx_last_error().  Thread: that
 * of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_host_new(genkan_ctx *ctx, int argc,
    const char *const *argv, genkan_host **ret) GENKAN_CHECKED;

/**
 * genkan_host_free - free a host
 * @host: may be NULL
 *
 * As genkan_server_free().  Frees nothing while the door is shut
 * (<genkan/context.h>), and from inside its own dispatch at the end of that
 * (<genkan/dispatch.h>).  Thread: that of the context.  Since: 0.1
 */
GENKAN_API void genkan_host_free(genkan_host *host);

/**
 * genkan_host_stdio - the leg of the browser
 * @host: the host
 *
 * Returns the leg, yours from the first call on: genkan_leg_free(); NULL at
 * every later call.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API genkan_leg *genkan_host_stdio(genkan_host *host);

/**
 * genkan_host_next - pull one event
 * @host: the host
 * @ev:   [out] filled in when 1 is returned; .size must be set
 *
 * Returns 1 for an event, 0 when there is none, GENKAN_E_INVAL.  Thread: that
 * of the context.  Since: 0.1
 */
GENKAN_API int genkan_host_next(genkan_host *host, genkan_event *ev);

/**
 * genkan_host_stop - leave now
 * @host: the host
 *
 * For SIGTERM and SIGINT: GENKAN_EV_EXIT with status 0 is the next event.
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API void genkan_host_stop(genkan_host *host);

/**
 * genkan_host_deadline - when genkan_host_tick() is due at the latest
 * @host: the host
 * @ms:   [out] in the monotonic milliseconds that tick() is given
 *
 * For the host and its legs.  Returns 1 when there is a deadline, 0 when there
 * is none and @ms is untouched, or GENKAN_E_INVAL.  Thread: that of the context.
 * Since: 0.1
 */
GENKAN_API int genkan_host_deadline(const genkan_host *host, int64_t *ms);

/**
 * genkan_host_tick - what time it is
 * @host:   the host
 * @now_ms: monotonic milliseconds, or GENKAN_NOW; a time before the last one
 *          is ignored
 *
 * Sets the time of the context; call it before anything is fed.  Thread: that
 * of the context.  Since: 0.1
 */
GENKAN_API void genkan_host_tick(genkan_host *host, int64_t now_ms);

/**
 * genkan_host_state - what the host is doing
 * @host: the host
 *
 * Returns a static word such as "control" or "bridge", for people; "" for NULL.
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_host_state(const genkan_host *host);

GENKAN_END_DECLS

#endif
