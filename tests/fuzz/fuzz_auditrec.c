/*
 * The audit trail: each line is counted once and shown as one line; what is
 * recognised has every member in its place, and its writer would write it so
 * that it reads back as the same.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "codec/jstr.h"
#include "records/auditrec.h"

/* The text of a member as the writer takes it; NULL: absent.  False for what
 * no writer of ours would have written. */
static bool
text_of(struct genkan_ctx *ctx, const struct gk_member *m, char **ret)
{
	*ret = NULL;
	if (m->type == 0)
		return true;
	MUST(m->type == GK_J_STRING);
	return gk_jstr_dup(ctx, m->value, ret) == 0 &&
	    strlen(*ret) <= GK_AUDIT_TEXT_MAX;
}

static int64_t
number_of(const struct gk_member *m)
{
	MUST(m->type == 0 || m->type == GK_J_INT);
	MUST(m->type == 0 || (m->integer >= 0 &&
	    m->integer <= GK_INTEGER_MAX));
	return m->type == 0 ? -1 : m->integer;
}

static void
same(struct genkan_ctx *ctx, const struct gk_auditrec *a,
    const struct gk_auditrec *b)
{
	char *x, *y;
	int id;

	for (id = 0; id < GK_AUDIT_MEMBERS; id++) {
		MUST(a->m[id].type == b->m[id].type);
		if (a->m[id].type == GK_J_INT) {
			MUST(a->m[id].integer == b->m[id].integer);
		} else if (a->m[id].type == GK_J_STRING) {
			MUST(gk_jstr_dup(ctx, a->m[id].value, &x) == 0);
			MUST(gk_jstr_dup(ctx, b->m[id].value, &y) == 0);
			MUST(strcmp(x, y) == 0);
			gk_free(ctx, x);
			gk_free(ctx, y);
		}
	}
}

/* Written again, it is the same record in the writer's own spelling. */
static void
again(struct genkan_ctx *ctx, const struct gk_auditrec *rec)
{
	enum { TEXTS = GK_AUDIT_M_CID - GK_AUDIT_M_KIND + 1 };
	struct gk_audit_when when;
	struct gk_audit audit = GK_AUDIT_INIT;
	char *text[TEXTS] = { NULL };
	struct gk_auditrec back;
	struct gk_buf out;
	bool ok = true;
	int i;

	for (i = 0; i < TEXTS; i++)
		ok = text_of(ctx, &rec->m[GK_AUDIT_M_KIND + i], &text[i]) &&
		    ok;
	audit.kind = text[0];
	audit.surface = text[1];
	audit.outcome = text[2];
	audit.tool = text[3];
	audit.code = text[4];
	audit.name = text[5];
	audit.detail = text[6];
	audit.cid = text[7];
	audit.req = number_of(&rec->m[GK_AUDIT_M_REQ]);
	audit.conn = number_of(&rec->m[GK_AUDIT_M_CONN]);
	audit.dur_ms = number_of(&rec->m[GK_AUDIT_M_DUR_MS]);
	when.ts_ms = (uint64_t)number_of(&rec->m[GK_AUDIT_M_TS_MS]);
	when.dropped = 0;
	if (rec->m[GK_AUDIT_M_DROPPED].type != 0) {
		when.dropped =
		    (uint64_t)rec->m[GK_AUDIT_M_DROPPED].integer;
		ok = ok && when.dropped > 0;	/* a zero is left out */
	}
	gk_buf_init(&out, ctx, GK_AUDIT_LINE_MAX);
	if (ok) {
		MUST(gk_auditrec_put(&out, &audit, &when) == 0);
		MUST(gk_auditrec_parse(ctx, gk_buf_span(&out), &back) == 0);
		same(ctx, rec, &back);
	}
	gk_buf_done(&out);
	for (i = 0; i < TEXTS; i++)
		gk_free(ctx, text[i]);
}

static void
one(struct genkan_ctx *ctx, struct gk_span line)
{
	struct gk_auditrec rec;
	struct gk_buf out;
	size_t i;

	if (gk_auditrec_parse(ctx, line, &rec) < 0)
		return;
	MUST(rec.m[GK_AUDIT_M_V].integer == 1);
	MUST(rec.m[GK_AUDIT_M_TS_MS].type == GK_J_INT);
	MUST(rec.m[GK_AUDIT_M_KIND].type == GK_J_STRING);
	MUST(rec.m[GK_AUDIT_M_SURFACE].type == GK_J_STRING);
	gk_buf_init(&out, ctx, 8 * line.len + 4096);
	MUST(gk_auditrec_show(&out, &rec) == 0);
	for (i = 0; i < out.len; i++)
		MUST(out.ptr[i] >= 0x20 && out.ptr[i] != 0x7f);
	gk_buf_done(&out);
	again(ctx, &rec);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gk_span trail = gk_span((const char *)data, size);
	struct gk_span rest = trail, line;
	struct genkan_ctx *ctx;
	size_t n = 0, older, limit, seen;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	while (gk_audit_next(&rest, &line)) {
		MUST(line.len > 0 && memchr(line.ptr, '\n', line.len) == NULL);
		MUST(line.ptr >= trail.ptr &&
		    line.ptr + line.len <= trail.ptr + trail.len);
		one(ctx, line);
		n++;
	}
	for (limit = 0; limit <= n + 1 && limit < 8; limit++) {
		rest = gk_audit_tail(trail, limit, &older);
		for (seen = 0; gk_audit_next(&rest, &line); )
			seen++;
		MUST(seen == (limit < n ? limit : n) && older == n - seen);
	}
	gk_ctx_free(ctx);
	return 0;
}

FZ_LINES_MUTATOR(0)
