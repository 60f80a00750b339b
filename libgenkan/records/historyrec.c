#include "records/historyrec.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "codec/b64.h"
#include "codec/jstr.h"
#include "codec/walk.h"
#include "crypto/digest.h"
#include "records/store.h"

enum { H_VERSION, H_ENTRIES, H_N };
enum { R_BASELINE, R_SIG, R_KEY_ID, R_OVERLAY, R_TIME, R_N };

static const struct gk_field fields[H_N] = {
	[H_VERSION] = { "version", GK_J_INT, 0, 0, GK_INTEGER_MAX },
	[H_ENTRIES] = { "entries", GK_J_ARRAY, 0, 0, 0 },
};

/* Times beyond the bound are judged later: they cost the time alone. */
static const struct gk_field row_fields[R_N] = {
	[R_BASELINE] = { "baseline_b64", GK_J_STRING, 0, 0, 0 },
	[R_SIG] = { "sig_b64", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	[R_KEY_ID] = { "key_id", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	[R_OVERLAY] = { "overlay", GK_J_OBJECT, GK_F_OPTIONAL, 0, 0 },
	[R_TIME] = { "superseded_unix", GK_J_NUMBER, 0, INT64_MIN, INT64_MAX },
};

/* ------------------------------------------------------------------- memory */

struct gk_historyrec *
gk_historyrec_new(struct genkan_ctx *ctx)
{
	struct gk_historyrec *h = gk_calloc(ctx, 1, sizeof(*h));

	if (h != NULL)
		h->ctx = ctx;
	return h;
}

static void
row_done(struct genkan_ctx *ctx, struct gk_history_row *row)
{
	gk_policyrec_free(row->held);
	gk_free(ctx, row->text);
}

void
gk_historyrec_free(struct gk_historyrec *h)
{
	size_t i;

	if (h == NULL)
		return;
	for (i = 0; i < h->n; i++)
		row_done(h->ctx, &h->row[i]);
	gk_free(h->ctx, h->row);
	gk_free(h->ctx, h);
}

/* The row becomes the list's. */
static int
append(struct gk_historyrec *h, const struct gk_history_row *row)
{
	struct gk_history_row *grown;
	size_t room = h->n;

	/* Doubled at each power of two. */
	if ((room & (room - 1)) == 0) {
		grown = gk_reallocarray(h->ctx, h->row,
		    room == 0 ? 1 : 2 * room, sizeof(*grown));
		if (grown == NULL)
			return GENKAN_E_NOMEM;
		h->row = grown;
	}
	h->row[h->n++] = *row;
	return 0;
}

/* ----------------------------------------------------------------- entry id */

static int
put_text(struct gk_buf *out, const struct gk_member *m)
{
	return m->type == 0 ? 0 : gk_jstr_decode(out, m->value);
}

/* In catalogue order where it reads as an overlay, else as it stands. */
static int
put_overlay(struct genkan_ctx *ctx, struct gk_buf *out,
    const struct gk_member *m)
{
	struct gk_policyval overlay;
	char why[GK_WHY_MAX];
	int r;

	if (m->type == 0)
		return 0;
	r = gk_overlay_parse(ctx, m->value, &overlay, why, sizeof(why));
	if (r == GENKAN_E_NOMEM)
		return r;
	if (r < 0)
		return gk_scan_compact(out, m->value);
	r = overlay.has == 0 ? 0 : gk_overlay_format(&overlay, out);
	gk_policyval_done(&overlay);
	return r;
}

/* 4.4: baseline_b64 00 sig_b64 00 key_id 00 overlay 00 superseded_unix */
static int
make_id(struct genkan_ctx *ctx, const struct gk_member m[R_N],
    char ret[GK_HISTORY_ID + 1])
{
	struct gk_buf out;
	int r;

	gk_buf_init(&out, ctx, 2 * gk_record_cap(GK_RECORD_HISTORY));
	if ((r = put_text(&out, &m[R_BASELINE])) == 0 &&
	    (r = gk_buf_putc(&out, '\0')) == 0 &&
	    (r = put_text(&out, &m[R_SIG])) == 0 &&
	    (r = gk_buf_putc(&out, '\0')) == 0 &&
	    (r = put_text(&out, &m[R_KEY_ID])) == 0 &&
	    (r = gk_buf_putc(&out, '\0')) == 0 &&
	    (r = put_overlay(ctx, &out, &m[R_OVERLAY])) == 0 &&
	    (r = gk_buf_putc(&out, '\0')) == 0 &&
	    (r = gk_buf_put_span(&out, m[R_TIME].value)) == 0)
		r = gk_sha256_hex(ctx, out.ptr, out.len, ret);
	gk_buf_done(&out);
	return r;
}

/* ------------------------------------------------------------------ reading */

static int
hold(struct genkan_ctx *ctx, struct gk_rec *rec,
    const struct gk_member m[R_N], struct gk_history_row *row)
{
	struct gk_policy_members part = { m[R_BASELINE], m[R_SIG],
	    m[R_KEY_ID], m[R_OVERLAY] };
	int r;

	r = gk_policyrec_take(ctx, rec, &part, &row->held);
	if (r != GENKAN_E_RECORD_CORRUPT)
		return r;
	rec->why[0] = '\0';
	return 0;
}

static bool
is_time(const struct gk_member *m)
{
	return m->type == GK_J_INT && m->value.ptr[0] != '-' &&
	    m->integer <= GK_INTEGER_MAX;
}

static int
parse_row(struct genkan_ctx *ctx, struct gk_rec *rec,
    const struct gk_member *object, struct gk_history_row *row)
{
	struct gk_member m[R_N];
	struct gk_buf text;
	int r;

	memset(row, 0, sizeof(*row));
	if ((r = gk_record_fields(rec, object->value, "entries", row_fields,
	    R_N, m)) < 0)
		return r;
	row->is_signed = m[R_SIG].type != 0;
	row->has_overlay = m[R_OVERLAY].type != 0 &&
	    gk_walk_count(m[R_OVERLAY].value) > 0;
	row->has_time = is_time(&m[R_TIME]);
	if (row->has_time)
		row->superseded_unix = (uint64_t)m[R_TIME].integer;
	gk_buf_init(&text, ctx, gk_record_cap(GK_RECORD_HISTORY));
	r = gk_scan_compact(&text, object->value);
	if (r == 0)
		r = make_id(ctx, m, row->id);
	if (r == 0)
		r = hold(ctx, rec, m, row);
	if (r == 0 && (row->text = (char *)gk_buf_steal(&text,
	    &row->len)) == NULL)
		r = GENKAN_E_NOMEM;
	gk_buf_done(&text);
	return r == GENKAN_E_NOMEM ? gk_record_nomem(rec) : r;
}

static int
parse_rows(struct gk_historyrec *h, struct gk_rec *rec, struct gk_span array)
{
	struct gk_history_row row;
	struct gk_member m;
	struct gk_walk w;
	int r;

	gk_walk_init(&w, array);
	while (gk_walk_next(&w, &m)) {
		r = parse_row(h->ctx, rec, &m, &row);
		if (r == 0 && append(h, &row) < 0)
			r = gk_record_nomem(rec);
		if (r < 0) {
			row_done(h->ctx, &row);
			return r;
		}
	}
	return 0;
}

int
gk_historyrec_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_historyrec **ret, char *why, size_t whylen)
{
	struct gk_historyrec *h = NULL;
	struct gk_member m[H_N];
	struct gk_rec rec;
	int r;

	r = gk_record_open(ctx, &gk_ladder_history, bytes, len,
	    gk_record_cap(GK_RECORD_HISTORY), &rec, why, whylen);
	if (r < 0 ||
	    (r = gk_record_fields(&rec, rec.text, "", fields, H_N, m)) < 0)
		goto out;
	r = gk_record_nomem(&rec);
	if ((h = gk_historyrec_new(ctx)) == NULL)
		goto out;
	why[0] = '\0';
	if ((r = parse_rows(h, &rec, m[H_ENTRIES].value)) < 0)
		goto out;
	*ret = h;
	h = NULL;
out:
	gk_historyrec_free(h);
	gk_record_done(&rec);
	return r;
}

/* ------------------------------------------------------------------ writing */

static int
put_row(struct gk_buf *out, const struct gk_policyrec *p, uint64_t time)
{
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_policyrec_put_members(p, out)) < 0 ||
	    (r = gk_json_put_int_member(out, "superseded_unix",
	    (int64_t)time)) < 0)
		return r;
	return gk_buf_putc(out, '}');
}

int
gk_historyrec_push(struct gk_historyrec *h, const struct gk_policyrec *p,
    uint64_t superseded_unix)
{
	struct gk_history_row row;
	struct gk_member object = { .type = GK_J_OBJECT };
	char why[GK_WHY_MAX];
	struct gk_buf text;
	struct gk_rec rec;
	int r;

	if (!p->has_baseline || superseded_unix > (uint64_t)GK_INTEGER_MAX)
		return GENKAN_E_INVAL;
	memset(&row, 0, sizeof(row));
	gk_buf_init(&text, h->ctx, 4 * gk_record_cap(GK_RECORD_HISTORY));
	if ((r = put_row(&text, p, superseded_unix)) < 0) {
		gk_buf_done(&text);
		return r;
	}
	/* Read back like any other, which also makes its id. */
	r = gk_record_text(h->ctx, text.ptr, text.len, &rec, why,
	    sizeof(why));
	object.value = rec.text;
	if (r == 0)
		r = parse_row(h->ctx, &rec, &object, &row);
	if (r == 0)
		r = append(h, &row);
	if (r < 0)
		row_done(h->ctx, &row);
	gk_record_done(&rec);
	gk_buf_done(&text);
	return r;
}

#define TAIL	"]}\n"

/* The first row that may stay; room for rows and the commas between them. */
static size_t
first_kept(const struct gk_historyrec *h, size_t room)
{
	size_t i, used = 0;

	for (i = h->n; i > 0; i--) {
		used += h->row[i - 1].len + (i < h->n);
		if (used > room)
			break;
	}
	return i;
}

static int
put_record(struct gk_buf *out, const void *record)
{
	const struct gk_historyrec *h = record;
	size_t first, i;
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_int_member(out, "version",
	    (int64_t)gk_ladder_current(&gk_ladder_history))) < 0 ||
	    (r = gk_json_put_key(out, "entries")) < 0 ||
	    (r = gk_buf_putc(out, '[')) < 0)
		return r;
	first = first_kept(h, out->max - out->len - strlen(TAIL));
	for (i = first; i < h->n; i++)
		if ((i > first && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = gk_buf_put(out, h->row[i].text,
		    h->row[i].len)) < 0)
			return r;
	return gk_buf_puts(out, TAIL);
}

static int
reads_back(struct genkan_ctx *ctx, const void *bytes, size_t len)
{
	struct gk_historyrec *back = NULL;
	char why[GK_WHY_MAX];
	int r;

	r = gk_historyrec_parse(ctx, bytes, len, &back, why, sizeof(why));
	gk_historyrec_free(back);
	return r;
}

int
gk_historyrec_format(const struct gk_historyrec *h, struct gk_buf *ret)
{
	return gk_record_format(h->ctx, gk_record_cap(GK_RECORD_HISTORY),
	    put_record, h, reads_back, ret);
}
