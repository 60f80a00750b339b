/*
 * Native-messaging manifests.  What is called ours names us and carries the
 * marker; a path that is read can be written, and reads the same.
 */
#include "fuzz.h"

#include <string.h>

#include "base/buf.h"
#include "base/ctx.h"
#include "base/str.h"
#include "records/manifest.h"
#include "records/store.h"

static void
written(struct genkan_ctx *ctx, const char *path)
{
	struct gk_manifest m;
	char why[GK_WHY_MAX];
	struct gk_buf out;

	gk_buf_init(&out, ctx, 1 << 20);
	MUST(gk_manifest_format(path, &out) == 0);
	MUST(gk_manifest_parse(ctx, out.ptr, out.len, &m, why,
	    sizeof(why)) == 0);
	MUST(m.ours && !m.foreign_origin && !m.not_stdio);
	MUST(strcmp(m.path, path) == 0);
	gk_buf_done(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_manifest m;
	char why[GK_WHY_MAX];
	struct genkan_ctx *ctx;
	int r;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	r = gk_manifest_parse(ctx, data, size, &m, why, sizeof(why));
	MUST((r < 0) == (why[0] != '\0'));
	if (r < 0)
		MUST(!m.ours && m.path[0] == '\0');
	else
		MUST(gk_utf8_valid(m.path, strlen(m.path)));
	if (r == 0 && m.path[0] == '/')
		written(ctx, m.path);
	gk_ctx_free(ctx);
	return 0;
}
