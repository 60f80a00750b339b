/* audit_event: what the extension reports, under its own surface. */
#include "engine/control_impl.h"

#include "base/alloc.h"

/* Members of the record that the frame may carry. */
static const struct {
	const char	*name;
	size_t		 offset;
} members[] = {
	{ "kind", offsetof(struct gk_audit, kind) },
	{ "outcome", offsetof(struct gk_audit, outcome) },
	{ "tool", offsetof(struct gk_audit, tool) },
	{ "name", offsetof(struct gk_audit, name) },
	{ "detail", offsetof(struct gk_audit, detail) },
	{ "cid", offsetof(struct gk_audit, cid) },
};

void
gk_control_audit_event(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_audit rec = GK_AUDIT_INIT;
	char *text[GK_ARRAY_LEN(members)] = { NULL };
	struct gk_buf scratch;
	struct gk_span s;
	size_t i;

	rec.surface = "extension";
	for (i = 0; i < GK_ARRAY_LEN(members); i++) {
		gk_buf_init(&scratch, c->ctx, f->object.len);
		s = gk_control_text(f, members[i].name, &scratch);
		if (s.ptr != NULL)
			text[i] = gk_strndup(c->ctx, s.ptr, s.len);
		memcpy((char *)&rec + members[i].offset, &text[i],
		    sizeof(text[i]));
		gk_buf_done(&scratch);
	}
	if (rec.kind != NULL)
		gk_control_audit(c, &rec);
	for (i = 0; i < GK_ARRAY_LEN(members); i++)
		gk_free(c->ctx, text[i]);
}
