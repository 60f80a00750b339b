#include "local/notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/str.h"

void
gk_notes_add(struct gk_notes *notes, int level, const char *tag,
    const char *id, const char *fmt, ...)
{
	struct gk_note *n;
	va_list ap;

	if (notes == NULL)
		return;
	if (notes->n == GK_NOTES_MAX)
		notes->n--;
	n = &notes->note[notes->n++];
	n->level = level;
	(void)gk_str_copy(n->tag, sizeof(n->tag), tag, strlen(tag));
	(void)gk_str_copy(n->id, sizeof(n->id), id, strlen(id));
	va_start(ap, fmt);
	(void)vsnprintf(n->text, sizeof(n->text), fmt, ap);
	va_end(ap);
}

void
gk_notes_log(struct gk_notes *notes, struct genkan_ctx *ctx)
{
	const struct gk_note *n;
	size_t i;

	for (i = 0; i < notes->n; i++) {
		n = &notes->note[i];
		gk_log(ctx, n->level, n->tag, n->id, "%s", n->text);
	}
	notes->n = 0;
}
