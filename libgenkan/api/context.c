#include "genkan/context.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "codec/json.h"
#include "crypto/ossl.h"

/* The struct as of 0.1; smaller ones were never handed out. */
#define OPTIONS_V1	sizeof(genkan_ctx_options)
#define OPTIONS_MAX	4096

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
	size_t n;

	*dst = defaults;
	*readable = true;
	if (src == NULL)
		return 0;
	if (src->size < OPTIONS_V1 || src->size > OPTIONS_MAX) {
		*readable = false;
		return GENKAN_E_INVAL;
	}
	memcpy(dst, src, sizeof(*dst));
	for (n = sizeof(*dst); n < src->size; n++)
		if (((const unsigned char *)src)[n] != 0)
			return GENKAN_E_ABI;
	dst->size = sizeof(*dst);
	if (dst->reserved != 0)
		return GENKAN_E_ABI;
	if (dst->log_level < GENKAN_LOG_NONE ||
	    dst->log_level > GENKAN_LOG_DEBUG)
		return GENKAN_E_INVAL;
	return 0;
}

int
genkan_ctx_new(const genkan_ctx_options *options, genkan_ctx **ret)
{
	struct gk_ctx_hooks hooks;
	genkan_ctx_options opt;
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
	hooks.free_user = opt.free_user;
	return gk_ctx_new(&hooks, opt.log_level, ret);
}

void
genkan_ctx_free(genkan_ctx *ctx)
{
	if (ctx == NULL)
		return;
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
}

int
genkan_ctx_set_time(genkan_ctx *ctx, int64_t now_ms)
{
	if (ctx == NULL || now_ms < 0)
		return GENKAN_E_INVAL;
	gk_clock_set(ctx, now_ms);
	return 0;
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
