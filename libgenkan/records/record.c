#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "codec/json.h"
#include "codec/jstr.h"
#include "contract/schema.h"
#include "records/record.h"

#define QUOTE_MAX	40	/* bytes of a foreign name in a reason */

static void
begin(struct genkan_ctx *ctx, size_t max, struct gk_rec *rec, char *why,
    size_t whylen)
{
	memset(rec, 0, sizeof(*rec));
	gk_buf_init(&rec->buf, ctx, max);
	gk_buf_init(&rec->scratch, ctx, max);
	rec->why = why;
	rec->whylen = whylen;
	why[0] = '\0';
}

void
gk_record_done(struct gk_rec *rec)
{
	gk_buf_done(&rec->buf);
	gk_buf_done(&rec->scratch);
}

int
gk_record_bad(struct gk_rec *rec, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(rec->why, rec->whylen, fmt, ap);
	va_end(ap);
	return GENKAN_E_RECORD_CORRUPT;
}

int
gk_record_nomem(struct gk_rec *rec)
{
	(void)snprintf(rec->why, rec->whylen, "out of memory");
	return GENKAN_E_NOMEM;
}

/* The text as one accepted object. */
static int
take(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_rec *rec, struct gk_scan *scan)
{
	int r = gk_scan(ctx, bytes, len, NULL, 0, scan);

	if (r == GENKAN_E_NOMEM)
		return gk_record_nomem(rec);
	if (r < 0 && scan->why == GK_SCAN_TOP)
		return gk_record_bad(rec, "not a JSON object");
	if (r < 0)
		return gk_record_bad(rec, "not valid JSON: %s at byte %zu",
		    gk_scan_why_text(scan->why), scan->at);
	rec->text = scan->text;
	return 0;
}

/* Replaces the text by what the rungs make of it. */
static int
climb(struct genkan_ctx *ctx, const struct gk_ladder *ladder,
    struct gk_rec *rec)
{
	struct gk_scan scan;
	json_t *tree = NULL, *current;
	int r;

	if (gk_json_parse(ctx, rec->text.ptr, rec->text.len, &tree) < 0)
		return gk_record_nomem(rec);	/* it was valid before */
	r = gk_ladder_climb(ladder, rec->version, tree);
	if (r < 0) {
		r = gk_record_bad(rec, "version %" PRIu64
		    " does not fit its own rules", rec->version);
		goto out;
	}
	r = gk_record_nomem(rec);
	current = json_integer((json_int_t)gk_ladder_current(ladder));
	if (json_object_set_new(tree, "version", current) != 0 ||
	    gk_json_dump(&rec->buf, tree) < 0)
		goto out;
	rec->why[0] = '\0';
	r = take(ctx, rec->buf.ptr, rec->buf.len, rec, &scan);
out:
	json_decref(tree);
	return r;
}

static int
check_version(const struct gk_ladder *ladder, struct gk_rec *rec)
{
	uint64_t current = gk_ladder_current(ladder);

	if (rec->version < ladder->first) {
		(void)gk_record_bad(rec, "version %" PRIu64
		    " is too old to be read (oldest: %u)", rec->version,
		    ladder->first);
		return GENKAN_E_RECORD_OLDER;
	}
	if (rec->version > current) {
		(void)gk_record_bad(rec, "version %" PRIu64
		    " was written by a newer genkan (known: %" PRIu64 ")",
		    rec->version, current);
		return GENKAN_E_RECORD_NEWER;
	}
	return 0;
}

int
gk_record_open(struct genkan_ctx *ctx, const struct gk_ladder *ladder,
    const void *bytes, size_t len, size_t cap, struct gk_rec *rec,
    char *why, size_t whylen)
{
	struct gk_scan scan;
	struct gk_member version;
	int r;

	/* A rung may make the text longer, but not without bound. */
	begin(ctx, 2 * cap + 4096, rec, why, whylen);
	if (len > cap) {
		(void)gk_record_bad(rec, "larger than %zu bytes", cap);
		return GENKAN_E_TOO_LARGE;
	}
	if ((r = take(ctx, bytes, len, rec, &scan)) < 0)
		return r;
	if (!gk_scan_find(&scan, "version", &version))
		return gk_record_bad(rec, "version is missing");
	if ((r = gk_record_uint(rec, &version, "version", &rec->version)) < 0)
		return r;
	if ((r = check_version(ladder, rec)) < 0)
		return r;
	if (rec->version < gk_ladder_current(ladder))
		return climb(ctx, ladder, rec);
	return 0;
}

int
gk_record_text(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_rec *rec, char *why, size_t whylen)
{
	struct gk_scan scan;

	begin(ctx, len + 1, rec, why, whylen);
	return take(ctx, bytes, len, rec, &scan);
}

int
gk_record_fields(struct gk_rec *rec, struct gk_span object,
    const char *where, const struct gk_field *tab, size_t n,
    struct gk_member *ret)
{
	char name[4 * QUOTE_MAX + 8];
	struct gk_field_why why;
	int r;

	memset(&why, 0, sizeof(why));
	r = gk_fields_span(object, tab, n, false, ret, &why);
	if (r == 0)
		return 0;
	if (r == GENKAN_E_NOMEM)
		return gk_record_nomem(rec);
	if (why.field != NULL)
		(void)gk_str_copy(name, sizeof(name), why.field->name,
		    strlen(why.field->name));
	else
		gk_str_escaped(name, sizeof(name), why.name.ptr, why.name.len,
		    QUOTE_MAX);
	return gk_record_bad(rec, "%s%smember %s: %s", where,
	    where[0] != '\0' ? ": " : "", name,
	    why.text != NULL ? why.text : "invalid");
}

int
gk_record_uint(struct gk_rec *rec, const struct gk_member *m,
    const char *where, uint64_t *ret)
{
	if (m->type != GK_J_INT || m->value.ptr[0] == '-' ||
	    m->integer > GK_INTEGER_MAX)
		return gk_record_bad(rec, "%s: not an integer from 0 to "
		    "2^53-1", where);
	*ret = (uint64_t)m->integer;
	return 0;
}

int
gk_record_string(struct gk_rec *rec, const struct gk_member *m,
    struct gk_span *ret)
{
	gk_buf_clear(&rec->scratch);
	return gk_jstr_text(m, &rec->scratch, ret) < 0 ?
	    gk_record_nomem(rec) : 0;
}

int
gk_record_copy(struct gk_rec *rec, const struct gk_member *m,
    const char *where, char *ret, size_t size)
{
	struct gk_span text;
	int r = gk_record_string(rec, m, &text);

	if (r < 0)
		return r;
	if (text.len >= size)
		return gk_record_bad(rec, "%s: longer than %zu bytes", where,
		    size - 1);
	if (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL)
		return gk_record_bad(rec, "%s: holds a NUL", where);
	if (text.len > 0)
		memcpy(ret, text.ptr, text.len);
	ret[text.len] = '\0';
	return 0;
}

int
gk_record_format(struct genkan_ctx *ctx, size_t cap,
    int (*put)(struct gk_buf *, const void *), const void *record,
    int (*reads)(struct genkan_ctx *, const void *, size_t),
    struct gk_buf *ret)
{
	struct gk_buf out;
	int r;

	gk_buf_init(&out, ctx, cap);
	r = put(&out, record);
	if (r == GENKAN_E_FRAME_SIZE)
		r = GENKAN_E_TOO_LARGE;
	if (r == 0) {
		r = reads(ctx, out.ptr, out.len);
		if (r == GENKAN_E_RECORD_CORRUPT)
			r = GENKAN_E_INVAL;
	}
	if (r == 0)
		r = gk_buf_put(ret, out.ptr, out.len);
	gk_buf_done(&out);
	return r;
}
