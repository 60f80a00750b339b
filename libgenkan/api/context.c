#include "genkan/context.h"

#include "api/door.h"
#include "api/sized.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "codec/json.h"
#include "crypto/ossl.h"

#define OPTIONS_V1	GK_SIZED_TO(genkan_ctx_options, program_dir)

/* What a path may have: os/dirs.h. */
#define PROGRAM_DIR_MAX	4096

_Static_assert(GENKAN_LOG_NONE == GK_LOG_NONE &&
    GENKAN_LOG_ERROR == GK_LOG_ERROR && GENKAN_LOG_WARN == GK_LOG_WARN &&
    GENKAN_LOG_INFO == GK_LOG_INFO && GENKAN_LOG_DEBUG == GK_LOG_DEBUG,
    "log levels are one list");

/* Our own copy; from here on nothing of the caller's is read.  *readable says
 * whether dst is usable, so that free_user can be honoured. */
static int
copy_options(genkan_ctx_options *dst, const genkan_ctx_options *src,
    bool *readable)
{
	static const genkan_ctx_options defaults = GENKAN_CTX_OPTIONS_INIT;
	int r;

	*dst = defaults;
	*readable = true;
	if (src == NULL)
		return 0;
	r = gk_sized_take(dst, sizeof(*dst), src, OPTIONS_V1);
	*readable = r != GENKAN_E_INVAL;
	if (r < 0)
		return r;
	if (dst->reserved != 0)
		return GENKAN_E_ABI;
	if (dst->program_dir != NULL && (dst->program_dir[0] != '/' ||
	    strlen(dst->program_dir) >= PROGRAM_DIR_MAX))
		return GENKAN_E_INVAL;
	if (dst->log_level < GENKAN_LOG_NONE ||
	    dst->log_level > GENKAN_LOG_DEBUG)
		return GENKAN_E_INVAL;
	return 0;
}

/* Without slashes behind it, since names are put after it and its parent is
 * asked for. */
static int
take_dir(struct genkan_ctx *ctx, const char *dir)
{
	size_t n;

	if (dir == NULL)
		return 0;
	ctx->program_dir = gk_strdup(ctx, dir);
	if (ctx->program_dir == NULL)
		return GENKAN_E_NOMEM;
	for (n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
		ctx->program_dir[n - 1] = '\0';
	return 0;
}

int
genkan_ctx_new(const genkan_ctx_options *options, genkan_ctx **ret)
{
	struct gk_ctx_hooks hooks;
	genkan_ctx_options opt;
	genkan_ctx *ctx;
	bool readable;
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = copy_options(&opt, options, &readable)) < 0) {
		if (readable && opt.free_user != NULL)
			opt.free_user(opt.user);
		return r;
	}
	/* 0: Jansson picks its own seed, once for the process. */
	json_object_seed(0);
	hooks.user = opt.user;
	hooks.realloc = opt.realloc_fn;
	hooks.log = opt.log_fn;
	hooks.random = opt.random_fn;
	hooks.clock = opt.clock_fn;
	hooks.free_user = opt.free_user;
	r = gk_ctx_new(&hooks, opt.log_level, &ctx);
	if (r < 0)
		return r;
	gk_clock_ask(ctx);
	r = take_dir(ctx, opt.program_dir);
	if (r < 0) {
		gk_ctx_free(ctx);
		return r;
	}
	*ret = ctx;
	return 0;
}

void
genkan_ctx_free(genkan_ctx *ctx)
{
	if (gk_door(ctx) < 0)
		return;
	if (ctx->dispatching > 0) {
		ctx->freed = true;
		return;
	}
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
}

/* What a verb was given: 0, or GENKAN_E_INVAL for a time that is none. */
static int
take_time(struct genkan_ctx *ctx, int64_t now_ms)
{
	if (now_ms < 0 &&
	    (now_ms != GENKAN_NOW || ctx->hooks.clock == NULL))
		return GENKAN_E_INVAL;
	gk_clock_set(ctx, now_ms);
	gk_clock_ask(ctx);
	return 0;
}

bool
gk_door_tick(struct genkan_ctx *ctx, int64_t now_ms)
{
	static const char why[] = "a tick without a time: nothing times out, "
	    "and who is revoked is not dropped";

	if (gk_door(ctx) < 0)
		return false;
	if (take_time(ctx, now_ms) == 0)
		return true;
	(void)gk_err_set(ctx, GENKAN_E_INVAL, "%s", why);
	if (!ctx->tickless)
		gk_log(ctx, GK_LOG_ERROR, "context", "no-time", "%s%s", why,
		    now_ms == GENKAN_NOW ? "; the context has no clock" : "");
	ctx->tickless = true;
	return false;
}

int
genkan_ctx_set_time(genkan_ctx *ctx, int64_t now_ms)
{
	int r = gk_door_fresh(ctx);

	return r < 0 ? r : take_time(ctx, now_ms);
}

const char *
genkan_ctx_last_error(const genkan_ctx *ctx)
{
	return ctx == NULL ? "" : ctx->err_text;
}

const char *
genkan_error_name(int code)
{
	return gk_err_name(code);
}

const char *
genkan_error_text(int code)
{
	return gk_err_text(code);
}

int
genkan_error_class(int code)
{
	return gk_err_class(code);
}

const char *
genkan_version(void)
{
	return GENKAN_VERSION;
}
