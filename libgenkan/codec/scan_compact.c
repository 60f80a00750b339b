#include "codec/jstr.h"
#include "codec/runs.h"
#include "codec/scan.h"

/* Writes, or with out NULL only counts. */
struct out {
	char	*p;
	size_t	 n;
};

static void
emit(struct out *o, const char *src, size_t n)
{
	if (o->p != NULL && n > 0) {
		memcpy(o->p, src, n);
		o->p += n;
	}
	o->n += n;
}

/* p behind the opening quote; the result behind the closing one. */
static const char *
string(struct out *o, const char *p, const char *end)
{
	size_t used, n;
	const char *q;
	char c[4], esc[6];

	for (;;) {
		q = gk_runs_quote(p, end);
		emit(o, p, (size_t)(q - p));
		p = q;
		if (p >= end || *p == '"') {
			emit(o, "\"", 1);
			return p + 1;
		}
		n = gk_jstr_char(p, &used, c);
		p += used;
		if (n == 1)
			emit(o, esc, gk_json_escape(c[0], esc));
		else
			emit(o, c, n);
	}
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void
text(struct out *o, struct gk_span value)
{
	const char *p = value.ptr, *end = p + value.len, *q;

	while (p < end) {
		for (q = p; q < end && *q != '"' && !is_space(*q); q++)
			continue;
		emit(o, p, (size_t)(q - p));
		if ((p = q) == end)
			break;
		if (*p == '"') {
			emit(o, "\"", 1);
			p = string(o, p + 1, end);
		} else {
			p++;
		}
	}
}

int
gk_scan_compact(struct gk_buf *b, struct gk_span value)
{
	struct out o = { NULL, 0 };
	uint8_t *p;
	int r;

	/* The result is never longer.  Only where the ceiling would be passed
	 * does its true length have to be found out first. */
	r = gk_buf_reserve(b, value.len, &p);
	if (r == GENKAN_E_FRAME_SIZE) {
		text(&o, value);
		r = gk_buf_reserve(b, o.n, &p);
		o.n = 0;
	}
	if (r < 0)
		return r;
	o.p = (char *)p;
	text(&o, value);
	gk_buf_commit(b, o.n);
	return 0;
}
