#include "host/host.h"

#include <genkan/genkan.h>

#include "common/drive.h"
#include "common/log.h"
#include "common/loop.h"
#include "common/signals.h"

/* The library's functions under the driver's types. */
static int
next(void *obj, genkan_event *ev)
{
	return genkan_host_next(obj, ev);
}

static int
deadline(const void *obj, int64_t *ms)
{
	return genkan_host_deadline(obj, ms);
}

static void
tick(void *obj, int64_t now_ms)
{
	genkan_host_tick(obj, now_ms);
}

static void
stop(void *obj)
{
	genkan_host_stop(obj);
}

static void
free_host(void *obj)
{
	genkan_host_free(obj);
}

static const struct drive_ops ops = {
	next, deadline, tick, stop, NULL, free_host
};

static int
fail(const char *text)
{
	log_line(GENKAN_LOG_ERROR, "host", text);
	return 1;
}

static int
run(struct loop *loop, genkan_ctx *ctx, int argc, const char *const *argv,
    int in, int out)
{
	genkan_host *h;

	(void)genkan_ctx_set_time(ctx, loop_now(loop));
	if (genkan_host_new(ctx, argc, argv, &h) < 0) {
		loop_free(loop);
		return fail(genkan_ctx_last_error(ctx));
	}
	return drive(loop, &ops, h, genkan_host_stdio(h), in, out);
}

int
host(int argc, const char *const *argv, int in, int out)
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
	status = run(loop, ctx, argc, argv, in, out);
	genkan_ctx_free(ctx);
	return status;
}
