#include "server/server.h"

#include <stdio.h>
#include <stdlib.h>

#include <genkan/genkan.h>

#include "common/drive.h"
#include "common/log.h"
#include "common/loop.h"
#include "common/signals.h"

/* The library's functions under the driver's types. */
static int
next(void *obj, genkan_event *ev)
{
	return genkan_server_next(obj, ev);
}

static int
deadline(const void *obj, int64_t *ms)
{
	return genkan_server_deadline(obj, ms);
}

static void
tick(void *obj, int64_t now_ms)
{
	genkan_server_tick(obj, now_ms);
}

static void
stop(void *obj)
{
	genkan_server_stop(obj);
}

static int
accept_one(void *obj)
{
	return genkan_server_accept(obj);
}

static void
free_server(void *obj)
{
	genkan_server_free(obj);
}

static const struct drive_ops ops = {
	next, deadline, tick, stop, accept_one, free_server
};

static int
fail(const char *text)
{
	log_line(GENKAN_LOG_ERROR, "server", text);
	return 1;
}

static int
run(struct loop *loop, genkan_ctx *ctx, int in, int out, int broker)
{
	genkan_server_options opts = GENKAN_SERVER_OPTIONS_INIT;
	genkan_server *server;
	const char *name = getenv("GENKAN_CLIENT_NAME");

	opts.client_name = name == NULL || *name == '\0' ? NULL : name;
	opts.broker_only = broker;
	(void)genkan_ctx_set_time(ctx, loop_now(loop));
	if (genkan_server_new(ctx, &opts, &server) < 0) {
		loop_free(loop);
		return fail(genkan_ctx_last_error(ctx));
	}
	return drive(loop, &ops, server, genkan_server_stdio(server), in,
	    out);
}

int
serve(int in, int out, int broker)
{
	genkan_ctx_options opts = GENKAN_CTX_OPTIONS_INIT;
	genkan_ctx *ctx;
	struct loop *loop;
	int status;

	loop = loop_new();
	if (loop == NULL || signals_start(loop) != 0)
		return fail("no descriptors or threads for the event loop");
	log_options(&opts);
	if (genkan_ctx_new(&opts, &ctx) < 0)
		return fail("the library cannot be set up");
	status = run(loop, ctx, in, out, broker);
	genkan_ctx_free(ctx);
	return status;
}
