#include "base/clock.h"

void
gk_clock_set(struct genkan_ctx *ctx, int64_t ms)
{
	if (ms > ctx->now_ms)
		ctx->now_ms = ms;
}

void
gk_clock_ask(struct genkan_ctx *ctx)
{
	int64_t ms;

	if (ctx->hooks.clock == NULL)
		return;
	gk_ctx_out(ctx);
	ms = ctx->hooks.clock(ctx->hooks.user);
	gk_ctx_back(ctx);
	gk_clock_set(ctx, ms);
}

int64_t
gk_clock_after(const struct genkan_ctx *ctx, int64_t ms)
{
	if (ms > 0 && ctx->now_ms > GK_CLOCK_NEVER - ms)
		return GK_CLOCK_NEVER;
	return ctx->now_ms + ms;
}
