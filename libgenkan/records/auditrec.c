#include "records/auditrec.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "codec/field.h"
#include "codec/jstr.h"

#define VERSION		1
#define U53		GK_INTEGER_MAX

/* How each member goes to disk and comes back.  offset is that in struct
 * gk_audit, or NONE for what the writer adds itself. */
#define NONE		((size_t)-1)

static const struct place {
	size_t	offset;
	bool	number;
	uint8_t	flags;
} places[GK_AUDIT_MEMBERS] = {
	[GK_AUDIT_M_V] = { NONE, true, 0 },
	[GK_AUDIT_M_TS_MS] = { NONE, true, 0 },
	[GK_AUDIT_M_KIND] = { offsetof(struct gk_audit, kind), false, 0 },
	[GK_AUDIT_M_SURFACE] =
	    { offsetof(struct gk_audit, surface), false, 0 },
	[GK_AUDIT_M_OUTCOME] =
	    { offsetof(struct gk_audit, outcome), false, GK_F_OPTIONAL },
	[GK_AUDIT_M_TOOL] =
	    { offsetof(struct gk_audit, tool), false, GK_F_OPTIONAL },
	[GK_AUDIT_M_CODE] =
	    { offsetof(struct gk_audit, code), false, GK_F_OPTIONAL },
	[GK_AUDIT_M_NAME] =
	    { offsetof(struct gk_audit, name), false, GK_F_OPTIONAL },
	[GK_AUDIT_M_DETAIL] =
	    { offsetof(struct gk_audit, detail), false, GK_F_OPTIONAL },
	[GK_AUDIT_M_CID] =
	    { offsetof(struct gk_audit, cid), false, GK_F_OPTIONAL },
	[GK_AUDIT_M_REQ] =
	    { offsetof(struct gk_audit, req), true, GK_F_OPTIONAL },
	[GK_AUDIT_M_CONN] =
	    { offsetof(struct gk_audit, conn), true, GK_F_OPTIONAL },
	[GK_AUDIT_M_DUR_MS] =
	    { offsetof(struct gk_audit, dur_ms), true, GK_F_OPTIONAL },
	[GK_AUDIT_M_DROPPED] = { NONE, true, GK_F_OPTIONAL },
};

/* What stands in front of each value: there is a record for each call. */
static const struct gk_span keys[GK_AUDIT_MEMBERS] = {
#define GK_AUDIT_MEMBER(sym, name, type) \
	[GK_AUDIT_M_##sym] = { ",\"" name "\":", sizeof(",\"" name "\":") - 1 },
#include "contract/audit.def"
};

static const char *
name_of(int id)
{
	size_t n;

	return gk_schema_audit_members(&n)[id].name;
}

/* ----------------------------------------------------------------- writing */

/* One member of the record to write: a text or, without one, a number. */
struct value {
	const char	*text;
	size_t		 len;
	int64_t		 number;
};

static int64_t
added(const struct gk_audit_when *when, int id)
{
	if (id == GK_AUDIT_M_V)
		return VERSION;
	if (id == GK_AUDIT_M_TS_MS)
		return (int64_t)(when->ts_ms & (uint64_t)U53);
	return when->dropped > 0 ? (int64_t)(when->dropped & (uint64_t)U53) :
	    -1;
}

/* false: the record has none. */
static inline bool
value_of(const struct gk_audit *rec, const struct gk_audit_when *when, int id,
    struct value *ret)
{
	const struct place *p = &places[id];

	ret->text = NULL;
	ret->len = 0;
	ret->number = -1;
	if (p->offset == NONE) {
		ret->number = added(when, id);
		return ret->number >= 0;
	}
	if (p->number) {
		memcpy(&ret->number, (const char *)rec + p->offset,
		    sizeof(ret->number));
		return ret->number >= 0 && ret->number <= U53;
	}
	memcpy(&ret->text, (const char *)rec + p->offset, sizeof(ret->text));
	if (ret->text == NULL)
		return false;
	ret->len = strlen(ret->text);
	if (ret->len > GK_AUDIT_TEXT_MAX)
		ret->len = gk_utf8_cut(ret->text, ret->len, GK_AUDIT_TEXT_MAX);
	return true;
}

static int
put_members(struct gk_buf *b, const struct gk_audit *rec,
    const struct gk_audit_when *when)
{
	/* No comma behind the brace. */
	size_t skip = b->ptr[b->len - 1] == '{' ? 1 : 0;
	struct value v;
	int r = 0, id;

	for (id = 0; r == 0 && id < GK_AUDIT_MEMBERS; id++) {
		if (!value_of(rec, when, id, &v))
			continue;
		r = gk_buf_put(b, keys[id].ptr + skip, keys[id].len - skip);
		skip = 0;
		if (r == 0)
			r = v.text != NULL ?
			    gk_json_put_string(b, v.text, v.len) :
			    gk_json_put_int(b, v.number);
	}
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

int
gk_auditrec_put(struct gk_buf *b, const struct gk_audit *rec,
    const struct gk_audit_when *when)
{
	int r = gk_buf_putc(b, '{');

	return r == 0 ? put_members(b, rec, when) : r;
}

int
gk_auditrec_echo_json(struct gk_buf *b, const struct gk_audit *rec,
    const struct gk_audit_when *when)
{
	int r = gk_buf_puts(b, "{\"level\":\"audit\"");

	return r == 0 ? put_members(b, rec, when) : r;
}

static int
put_word(struct gk_buf *b, const char *name, const struct value *v)
{
	int r = gk_buf_putf(b, "%s%s=", b->len > 0 ? " " : "", name);

	if (r == 0 && v->text != NULL)
		return gk_str_escape(b, v->text, v->len, GK_AUDIT_TEXT_MAX);
	return r == 0 ? gk_buf_putf(b, "%" PRId64, v->number) : r;
}

int
gk_auditrec_echo(struct gk_buf *b, const struct gk_audit *rec,
    const struct gk_audit_when *when)
{
	struct value v;
	int r = 0, id;

	for (id = GK_AUDIT_M_TS_MS; r == 0 && id < GK_AUDIT_MEMBERS; id++) {
		if (value_of(rec, when, id, &v))
			r = put_word(b, id == GK_AUDIT_M_TS_MS ? "ts" :
			    name_of(id), &v);
	}
	return r;
}

/* ----------------------------------------------------------------- reading */

static bool
is_kind(const struct gk_member *m)
{
	const struct gk_audit_row *row;
	size_t i, n;

	row = gk_schema_audit(&n);
	for (i = 0; i < n; i++)
		if (gk_jstr_is(m, row[i].name))
			return true;
	return false;
}

enum { SURFACE, OUTCOME };

static bool
is_value(int which, const struct gk_member *m)
{
	static const struct {
		int		 which;
		const char	*name;
	} values[] = {
#define GK_AUDIT_VALUE(w, sym, name) { w, name },
#include "contract/audit.def"
	};
	size_t i;

	if (m->type == 0)
		return true;
	for (i = 0; i < GK_ARRAY_LEN(values); i++)
		if (values[i].which == which &&
		    gk_jstr_is(m, values[i].name))
			return true;
	return false;
}

static void
make_fields(struct gk_field tab[GK_AUDIT_MEMBERS])
{
	int id;

	for (id = 0; id < GK_AUDIT_MEMBERS; id++) {
		tab[id].name = name_of(id);
		tab[id].types = places[id].number ? GK_J_INT : GK_J_STRING;
		tab[id].flags = places[id].flags;
		tab[id].min = 0;
		tab[id].max = places[id].number ? U53 : GK_AUDIT_TEXT_MAX;
	}
	tab[GK_AUDIT_M_V].min = tab[GK_AUDIT_M_V].max = VERSION;
}

int
gk_auditrec_parse(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_auditrec *ret)
{
	struct gk_field tab[GK_AUDIT_MEMBERS];
	struct gk_member m[GK_AUDIT_MEMBERS + 1];
	struct gk_scan scan;
	int r, id;

	make_fields(tab);
	r = gk_scan(ctx, line.ptr, line.len, m, GK_ARRAY_LEN(m), &scan);
	if (r == GENKAN_E_NOMEM)
		return r;
	if (r < 0 || gk_fields_scan(&scan, tab, GK_AUDIT_MEMBERS, false,
	    ret->m, NULL) < 0)
		return GENKAN_E_RECORD_CORRUPT;
	for (id = 0; id < GK_AUDIT_MEMBERS; id++)
		if (places[id].number && ret->m[id].type != 0 &&
		    ret->m[id].value.ptr[0] == '-')
			return GENKAN_E_RECORD_CORRUPT;
	return is_kind(&ret->m[GK_AUDIT_M_KIND]) &&
	    is_value(SURFACE, &ret->m[GK_AUDIT_M_SURFACE]) &&
	    is_value(OUTCOME, &ret->m[GK_AUDIT_M_OUTCOME]) ? 0 :
	    GENKAN_E_RECORD_CORRUPT;
}

/* ----------------------------------------------------------------- showing */

/* Civil date of a day since 1970-01-01, by the 400-year cycle of the
 * Gregorian calendar with years that begin in March. */
static void
civil(uint64_t day, uint64_t *y, unsigned *m, unsigned *d)
{
	const uint64_t z = day + 719468, era = z / 146097;
	const uint64_t doe = z % 146097;
	const uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) /
	    365;
	const unsigned doy =
	    (unsigned)(doe - (365 * yoe + yoe / 4 - yoe / 100));
	const unsigned mp = (5 * doy + 2) / 153;

	*d = doy - (153 * mp + 2) / 5 + 1;
	*m = mp < 10 ? mp + 3 : mp - 9;
	*y = yoe + era * 400 + (*m <= 2 ? 1 : 0);
}

int
gk_auditrec_time(struct gk_buf *b, uint64_t ms)
{
	const uint64_t s = ms / 1000;
	unsigned month, day;
	uint64_t year;

	civil(s / 86400, &year, &month, &day);
	return gk_buf_putf(b, "%04" PRIu64 "-%02u-%02u %02u:%02u:%02u.%03uZ",
	    year, month, day, (unsigned)(s / 3600 % 24),
	    (unsigned)(s / 60 % 60), (unsigned)(s % 60),
	    (unsigned)(ms % 1000));
}

static int
show_member(struct gk_buf *b, int id, const struct gk_member *m)
{
	struct gk_buf scratch;
	struct gk_span s;
	int r;

	if (m->type == 0)
		return 0;
	r = gk_buf_putf(b, " %s=", name_of(id));
	if (r < 0 || m->type == GK_J_INT)
		return r < 0 ? r : gk_buf_putf(b, "%" PRId64, m->integer);
	gk_buf_init(&scratch, b->ctx, m->value.len);
	r = gk_jstr_text(m, &scratch, &s);
	if (r == 0)
		r = gk_str_escape(b, s.ptr, s.len, s.len);
	gk_buf_done(&scratch);
	return r;
}

int
gk_auditrec_show(struct gk_buf *b, const struct gk_auditrec *rec)
{
	static const int order[] = { GK_AUDIT_M_SURFACE, GK_AUDIT_M_TOOL,
	    GK_AUDIT_M_NAME, GK_AUDIT_M_OUTCOME, GK_AUDIT_M_CODE,
	    GK_AUDIT_M_DETAIL, GK_AUDIT_M_DUR_MS, GK_AUDIT_M_DROPPED };
	const struct gk_span kind = rec->m[GK_AUDIT_M_KIND].value;
	size_t i;
	int r;

	/* A known kind: no escape in it, unless somebody spelled it so. */
	r = gk_auditrec_time(b, (uint64_t)rec->m[GK_AUDIT_M_TS_MS].integer);
	if (r == 0)
		r = gk_buf_putf(b, "  %-15.*s", (int)(kind.len - 2),
		    kind.ptr + 1);
	for (i = 0; r == 0 && i < GK_ARRAY_LEN(order); i++)
		r = show_member(b, order[i], &rec->m[order[i]]);
	return r;
}

/* ------------------------------------------------------------- whole trail */

/* The line that ends at .end, LF not counted; begins at the result. */
static const char *
line_start(const char *start, const char *end)
{
	while (end > start && end[-1] != '\n')
		end--;
	return end;
}

struct gk_span
gk_audit_tail(struct gk_span trail, size_t limit, size_t *older)
{
	const char *start = trail.ptr, *p, *begin, *kept;
	size_t taken = 0;

	*older = 0;
	if (trail.len == 0)
		return trail;
	p = kept = start + trail.len;
	for (;;) {
		begin = line_start(start, p);
		if (begin < p && taken < limit) {
			taken++;
			kept = begin;
		} else if (begin < p) {
			(*older)++;
		}
		if (begin == start)
			break;
		p = begin - 1;
	}
	return gk_span(kept, (size_t)(start + trail.len - kept));
}

bool
gk_audit_last(struct gk_span trail, struct gk_span *line)
{
	const char *start = trail.ptr, *end, *begin;

	for (end = start + trail.len; end > start; end = begin - 1) {
		begin = line_start(start, end);
		if (begin < end) {
			*line = gk_span(begin, (size_t)(end - begin));
			return true;
		}
	}
	return false;
}

bool
gk_audit_next(struct gk_span *rest, struct gk_span *line)
{
	const char *lf;
	size_t n;

	while (rest->len > 0) {
		lf = memchr(rest->ptr, '\n', rest->len);
		n = lf != NULL ? (size_t)(lf - rest->ptr) : rest->len;
		*line = gk_span(rest->ptr, n);
		if (lf != NULL)
			n++;
		*rest = gk_span(rest->ptr + n, rest->len - n);
		if (line->len > 0)
			return true;
	}
	return false;
}
