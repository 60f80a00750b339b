/*
 * audit_event: what the extension reports, under its own surface.  audit_read:
 * the last records of the trail (control 2.5).
 */
#include "engine/control_impl.h"

#include "base/alloc.h"
#include "base/str.h"
#include "records/auditrec.h"

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

/* ----------------------------------------------------------------- reading */

/* The members of a record but for those that the entry has of its own. */
static int
put_fields(struct gk_buf *b, const struct gk_auditrec *rec)
{
	const struct gk_audit_member *name;
	size_t i, n;
	int r;

	name = gk_schema_audit_members(&n);
	r = gk_buf_puts(b, ",\"fields\":{");
	for (i = 0; r == 0 && i < n; i++)
		if (i != GK_AUDIT_M_V && i != GK_AUDIT_M_TS_MS &&
		    i != GK_AUDIT_M_KIND && rec->m[i].type != 0)
			r = gk_json_put_raw_member(b, name[i].name,
			    rec->m[i].value);
	return r == 0 ? gk_buf_puts(b, "}}") : r;
}

/* Of a line that is none of ours no more than a record may take, or one of them
 * would fill the frame and hide all others. */
static int
put_entry(struct genkan_ctx *ctx, struct gk_buf *b, struct gk_span line)
{
	struct gk_auditrec rec;
	int r;

	r = gk_auditrec_parse(ctx, line, &rec);
	if (r == GENKAN_E_NOMEM)
		return r;
	if (r < 0) {
		r = gk_buf_puts(b, "{\"entry\":\"unrecognized\"");
		if (r == 0)
			r = gk_json_put_str_member(b, "text", line.ptr,
			    gk_utf8_cut(line.ptr, line.len,
			    GK_AUDIT_LINE_MAX));
		return r == 0 ? gk_buf_putc(b, '}') : r;
	}
	r = gk_buf_puts(b, "{\"entry\":\"record\"");
	if (r == 0)
		r = gk_json_put_int_member(b, "ts_ms",
		    rec.m[GK_AUDIT_M_TS_MS].integer);
	if (r == 0)
		r = gk_json_put_raw_member(b, "kind",
		    rec.m[GK_AUDIT_M_KIND].value);
	return r == 0 ? put_fields(b, &rec) : r;
}

/* Newest first, until the frame is full: room is left for what follows. */
static int
put_entries(struct genkan_ctx *ctx, struct gk_buf *b, struct gk_span trail,
    int64_t limit, size_t room, size_t *older)
{
	struct gk_buf one;
	struct gk_span line, before = trail;
	int64_t n;
	int r = 0;

	gk_buf_init(&one, ctx, GK_TRAIL_MAX * 8);
	for (n = 0; r == 0 && n < limit; n++) {
		if (!gk_audit_last(before, &line))
			break;
		gk_buf_clear(&one);
		r = put_entry(ctx, &one, line);
		if (r == 0 && b->len + one.len + 1 > b->max - room)
			break;
		if (r == 0 && n > 0)
			r = gk_buf_putc(b, ',');
		if (r == 0)
			r = gk_buf_put(b, one.ptr, one.len);
		before.len = (size_t)(line.ptr - before.ptr);
	}
	gk_buf_done(&one);
	(void)gk_audit_tail(before, 0, older);
	return r;
}

static int
put_page(struct gk_control *c, struct gk_buf *b, struct gk_span trail,
    int64_t limit)
{
	const char *path = c->store->trail_path != NULL ?
	    c->store->trail_path(c->store->user) :
	    gk_schema_file(GK_FILE_AUDIT_LOG);
	size_t older = 0;
	int r;

	r = gk_json_put_bool_member(b, "ok", true);
	if (r == 0)
		r = gk_buf_puts(b, ",\"entries\":[");
	/* A path may come out six times as long. */
	if (r == 0)
		r = put_entries(c->ctx, b, trail, limit,
		    6 * strlen(path) + 64, &older);
	if (r == 0)
		r = gk_buf_putc(b, ']');
	if (r == 0)
		r = gk_json_put_int_member(b, "older", (int64_t)older);
	return r == 0 ? gk_json_put_str_member(b, "path", path,
	    strlen(path)) : r;
}

static int64_t
limit_of(const struct gk_control_frame *f)
{
	struct gk_scan scan;
	struct gk_member m;

	gk_scan_object(f->object, NULL, 0, &scan);
	return gk_scan_find(&scan, "limit", &m) ? m.integer : GK_AUDIT_PAGE;
}

void
gk_control_audit_read(struct gk_control *c, const struct gk_control_frame *f)
{
	char why[GK_WHY_MAX] = "there is no audit trail here";
	int r = GENKAN_E_UNSUPPORTED;
	struct gk_buf trail;
	struct gk_answer a;

	gk_buf_init(&trail, c->ctx, GK_TRAIL_MAX);
	if (c->store->trail != NULL)
		r = c->store->trail(c->store->user, &trail, why, sizeof(why));
	if (r < 0) {
		gk_answer_error(c, GK_TAG_AUDIT_READ_RESULT, why);
	} else {
		gk_answer_open(&a, c, GK_TAG_AUDIT_READ_RESULT);
		gk_answer_send(&a, put_page(c, &a.buf, gk_buf_span(&trail),
		    limit_of(f)));
	}
	gk_buf_done(&trail);
}
