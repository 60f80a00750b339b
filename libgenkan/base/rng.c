#include "base/rng.h"

#include "base/alloc.h"
#include "base/ctx.h"
#include "base/err.h"

int
gk_rng_bytes(struct genkan_ctx *ctx, void *ret, size_t len)
{
	int r;

	if (len == 0)
		return 0;
	gk_ctx_out(ctx);
	r = ctx->hooks.random(ctx->hooks.user, ret, len);
	gk_ctx_back(ctx);
	if (r == 0)
		return 0;
	gk_wipe(ret, len);
	return gk_err_set(ctx, GENKAN_E_RANDOM, "the random source failed");
}
