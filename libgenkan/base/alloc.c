#include "base/alloc.h"

#include <stdlib.h>

#include <sodium.h>

#include "base/ctx.h"

void *
gk_alloc_libc(void *user, void *ptr, size_t size)
{
	(void)user;
	if (size == 0) {
		free(ptr);
		return NULL;
	}
	return ptr == NULL ? malloc(size) : realloc(ptr, size);
}

static void *
resize(struct genkan_ctx *ctx, void *ptr, size_t size)
{
	void *p;

	gk_ctx_out(ctx);
	p = ctx->hooks.realloc(ctx->hooks.user, ptr, size);
	gk_ctx_back(ctx);
	return p;
}

void *
gk_malloc(struct genkan_ctx *ctx, size_t size)
{
	return gk_realloc(ctx, NULL, size);
}

void *
gk_calloc(struct genkan_ctx *ctx, size_t n, size_t size)
{
	void *p;

	p = gk_reallocarray(ctx, NULL, n, size);
	if (p != NULL)
		memset(p, 0, n * size);
	return p;
}

void *
gk_realloc(struct genkan_ctx *ctx, void *ptr, size_t size)
{
	return resize(ctx, ptr, size == 0 ? 1 : size);
}

void *
gk_reallocarray(struct genkan_ctx *ctx, void *ptr, size_t n, size_t size)
{
	size_t bytes;

	if (!gk_mul(n, size, &bytes))
		return NULL;
	return gk_realloc(ctx, ptr, bytes);
}

void
gk_free(struct genkan_ctx *ctx, void *ptr)
{
	if (ptr != NULL)
		(void)resize(ctx, ptr, 0);
}

void
gk_free_wiped(struct genkan_ctx *ctx, void *ptr, size_t size)
{
	if (ptr == NULL)
		return;
	gk_wipe(ptr, size);
	gk_free(ctx, ptr);
}

char *
gk_strdup(struct genkan_ctx *ctx, const char *s)
{
	return gk_strndup(ctx, s, strlen(s));
}

char *
gk_strndup(struct genkan_ctx *ctx, const char *s, size_t len)
{
	size_t size;
	char *p;

	if (!gk_add(len, 1, &size) || (p = gk_malloc(ctx, size)) == NULL)
		return NULL;
	if (len > 0)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void *
gk_memdup(struct genkan_ctx *ctx, const void *src, size_t len)
{
	void *p;

	p = gk_malloc(ctx, len);
	if (p != NULL && len > 0)
		memcpy(p, src, len);
	return p;
}

void
gk_wipe(void *ptr, size_t len)
{
	if (len > 0)
		sodium_memzero(ptr, len);
}
