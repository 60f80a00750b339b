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

/* Wiped, and then called from a copy of its hooks.  Whoever comes in from there
 * once more finds the door shut. */
static void
end(struct genkan_ctx *ctx)
{
	const struct gk_ctx_hooks hooks = ctx->hooks;

	gk_wipe(ctx, sizeof(*ctx));
	gk_ctx_out(ctx);
	(void)hooks.realloc(hooks.user, ctx, 0);
	if (hooks.free_user != NULL)
		hooks.free_user(hooks.user);
}

int
gk_ctx_new(const struct gk_ctx_hooks *src, int log_level,
    struct genkan_ctx **ret)
{
	struct genkan_ctx *ctx = NULL;
	struct gk_ctx_hooks hooks;
	int r;

	fill_hooks(&hooks, src);
	/* Repeated calls return 1; only -1 is a failure. */
	r = sodium_init() < 0 ? GENKAN_E_CRYPTO : GENKAN_E_NOMEM;
	if (r == GENKAN_E_NOMEM)
		ctx = hooks.realloc(hooks.user, NULL, sizeof(*ctx));
	if (ctx == NULL) {
		if (hooks.free_user != NULL)
			hooks.free_user(hooks.user);
		return r;
	}
	memset(ctx, 0, sizeof(*ctx));
	ctx->hooks = hooks;
	ctx->log_level = log_level;
	/* Tables under a known key would be open to chosen collisions. */
	r = gk_rng_bytes(ctx, ctx->hash_key, sizeof(ctx->hash_key));
	if (r < 0) {
		end(ctx);
		return r;
	}
	*ret = ctx;
	return 0;
}

void
gk_ctx_free(struct genkan_ctx *ctx)
{
	if (ctx == NULL)
		return;
	gk_free(ctx, ctx->program_dir);
	end(ctx);
}
