/*
 * Wrapper scripts.  What is called ours starts a genkan-host by an absolute
 * path with at most a label, can be written again, and holds nothing that the
 * shell would act upon outside quotes: that is looked for here in another way
 * than the reader does it.
 */
#include "fuzz.h"

#include <string.h>

#include "base/buf.h"
#include "base/ctx.h"
#include "base/str.h"
#include "records/wrapper.h"

/* Every second piece between single quotes is quoted; an escaped quote lies
 * between two pieces that are not. */
static void
no_bait(const char *line, size_t len)
{
	int quoted = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!quoted && line[i] == '\\' && i + 1 < len)
			i++;
		else if (line[i] == '\'')
			quoted = !quoted;
		else if (!quoted)
			MUST(strchr("$`;&|()<>\"*?[]{}~!", line[i]) == NULL);
	}
	MUST(!quoted);
}

static void
commands(const char *text, size_t size)
{
	const char tail[] = " \"$@\"";
	const char *p = text, *end = text + size, *lf;
	size_t len, blank, n = 0;

	for (; p < end; p += len + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		len = lf != NULL ? (size_t)(lf - p) : (size_t)(end - p);
		for (blank = 0; blank < len &&
		    (p[blank] == ' ' || p[blank] == '\t'); blank++)
			;
		if (blank == len || p[blank] == '#')
			continue;
		n++;
		MUST(len > sizeof(tail) - 1 && memcmp(p + len -
		    (sizeof(tail) - 1), tail, sizeof(tail) - 1) == 0);
		no_bait(p, len - (sizeof(tail) - 1));
	}
	MUST(n == 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_wrapper w, back;
	struct genkan_ctx *ctx;
	const char *why = NULL;
	struct gk_buf out;

	if (gk_wrapper_parse(data, size, &w, &why) < 0) {
		MUST(why != NULL && w.path[0] == '\0' && w.label[0] == '\0');
		return 0;
	}
	commands((const char *)data, size);
	MUST(w.path[0] == '/' &&
	    strcmp(strrchr(w.path, '/'), "/genkan-host") == 0);
	MUST(w.label[0] == '\0' || gk_str_is_label(w.label, strlen(w.label)));
	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	gk_buf_init(&out, ctx, 1 << 20);
	MUST(gk_wrapper_format(w.path, w.label[0] != '\0' ? w.label : NULL,
	    &out) == 0);
	MUST(gk_wrapper_parse(out.ptr, out.len, &back, &why) == 0);
	MUST(strcmp(w.path, back.path) == 0);
	MUST(strcmp(w.label, back.label) == 0);
	gk_buf_done(&out);
	gk_ctx_free(ctx);
	return 0;
}
