#include "trust/presence.h"

#include <string.h>

#include "base/alloc.h"

struct gk_presence {
	struct genkan_ctx	*ctx;
	const char		*path;		/* static */
	bool			 used;
};

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct gk_presence *
attest(struct genkan_ctx *ctx, const char *path)
{
	struct gk_presence *p = gk_calloc(ctx, 1, sizeof(*p));

	if (p != NULL) {
		p->ctx = ctx;
		p->path = path;
	}
	return p;
}

int
gk_presence_typed(struct genkan_ctx *ctx, const char *line, size_t len,
    struct gk_presence **ret)
{
	while (len > 0 && is_space(line[len - 1]))
		len--;
	while (len > 0 && is_space(*line)) {
		line++;
		len--;
	}
	if (!gk_span_eq(gk_span(line, len), gk_span_str(GK_PRESENCE_PHRASE)))
		return 1;
	*ret = attest(ctx, "tty");
	return *ret != NULL ? 0 : GENKAN_E_NOMEM;
}

const char *
gk_presence_path(const struct gk_presence *p)
{
	return p->path;
}

bool
gk_presence_use(struct gk_presence *p)
{
	if (p == NULL || p->used)
		return false;
	p->used = true;
	return true;
}

void
gk_presence_free(struct gk_presence *p)
{
	if (p != NULL)
		gk_free(p->ctx, p);
}
