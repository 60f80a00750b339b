#include "base/ctx.h"

#include <sodium.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/rng.h"

static int
random_system(void *user, void *buf, size_t len)
{
	(void)user;
	randombytes_buf(buf, len);
	return 0;
}

static void
fill_hooks(struct gk_ctx_hooks *dst, const struct gk_ctx_hooks *src)
{
	if (src != NULL)
		*dst = *src;
	else
		memset(dst, 0, sizeof(*dst));
	if (dst->realloc == NULL)
		dst->realloc = gk_alloc_libc;
	if (dst->random == NULL)
		dst->random = random_system;
}

struct genkan_ctx *
gk_ctx_new(const struct gk_ctx_hooks *src, int log_level)
{
	struct gk_ctx_hooks hooks;
	struct genkan_ctx *ctx;

	fill_hooks(&hooks, src);
	/* Repeated calls return 1; only -1 is a failure. */
	if (sodium_init() < 0)
		goto fail;
	ctx = hooks.realloc(hooks.user, NULL, sizeof(*ctx));
	if (ctx == NULL)
		goto fail;
	memset(ctx, 0, sizeof(*ctx));
	ctx->hooks = hooks;
	ctx->log_level = log_level;
	/* Tables keyed with a known key would be open to chosen collisions. */
	if (gk_rng_bytes(ctx, ctx->hash_key, sizeof(ctx->hash_key)) == 0)
		return ctx;
	gk_free(ctx, ctx);
fail:
	if (hooks.free_user != NULL)
		hooks.free_user(hooks.user);
	return NULL;
}

void
gk_ctx_free(struct genkan_ctx *ctx)
{
	struct gk_ctx_hooks hooks;

	if (ctx == NULL)
		return;
	hooks = ctx->hooks;
	gk_free_wiped(ctx, ctx, sizeof(*ctx));
	if (hooks.free_user != NULL)
		hooks.free_user(hooks.user);
}
