#include "codec/jstr.h"

#include "base/alloc.h"
#include "base/str.h"
#include "codec/num.h"
#include "codec/runs.h"

#define REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD */

int32_t
gk_jstr_hex4(const char *p)
{
	int32_t v = 0;
	int i;

	for (i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = v << 4 | (c - 'A' + 10);
		else
			return -1;
	}
	return v;
}

/* p at the 'u' of \uXXXX; a pair of surrogates is two of them. */
static size_t
unicode_escape(const char *p, size_t *used, char ret[4])
{
	uint32_t cp = (uint32_t)gk_jstr_hex4(p + 1);

	*used = 6;
	if (cp >= 0xd800 && cp < 0xdc00) {
		cp = 0x10000 + ((cp - 0xd800) << 10) +
		    ((uint32_t)gk_jstr_hex4(p + 7) - 0xdc00);
		*used = 12;
	}
	return gk_utf8_encode(cp, ret);
}

/* Bytes of the sequence that a lead byte of well-formed text begins. */
static size_t
sequence(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

size_t
gk_jstr_char(const char *p, size_t *used, char ret[4])
{
	if (*p != '\\') {
		*used = sequence((uint8_t)*p);
		memcpy(ret, p, *used);
		return *used;
	}
	*used = 2;
	switch (p[1]) {
	case 'b':
		ret[0] = '\b';
		return 1;
	case 'f':
		ret[0] = '\f';
		return 1;
	case 'n':
		ret[0] = '\n';
		return 1;
	case 'r':
		ret[0] = '\r';
		return 1;
	case 't':
		ret[0] = '\t';
		return 1;
	case 'u':
		return unicode_escape(p + 1, used, ret);
	default:	/* quote, backslash, slash */
		ret[0] = p[1];
		return 1;
	}
}

/* A string token without its quotes. */
static struct gk_span
inner(struct gk_span token)
{
	return gk_span(token.ptr + 1, token.len - 2);
}

int
gk_jstr_decode(struct gk_buf *b, struct gk_span token)
{
	struct gk_span s = inner(token);
	const char *p = s.ptr, *end = p + s.len, *q;
	size_t start = b->len, used, n;
	char c[4];
	int r = 0;

	while (p < end && r == 0) {
		/* A quote can only stand behind a backslash here. */
		q = gk_runs_quote(p, end);
		if (q > p) {
			r = gk_buf_put(b, p, (size_t)(q - p));
			p = q;
			continue;
		}
		n = gk_jstr_char(p, &used, c);
		r = gk_buf_put(b, c, n);
		p += used;
	}
	if (r < 0)
		gk_buf_truncate(b, start);
	return r;
}

size_t
gk_jstr_len(struct gk_span token)
{
	struct gk_span s = inner(token);
	const char *p = s.ptr, *end = p + s.len, *q;
	size_t len = 0, used;
	char c[4];

	while (p < end) {
		q = gk_runs_quote(p, end);
		len += (size_t)(q - p);
		if ((p = q) < end) {
			len += gk_jstr_char(p, &used, c);
			p += used;
		}
	}
	return len;
}

bool
gk_jstr_eq(struct gk_span token, const char *text, size_t len)
{
	struct gk_span t = inner(token);
	const char *p = t.ptr, *end = p + t.len;
	const char *s = gk_bytes(text), *send = s + len;
	size_t used, n;
	char c[4];

	while (p < end) {
		n = gk_jstr_char(p, &used, c);
		if ((size_t)(send - s) < n || memcmp(s, c, n) != 0)
			return false;
		s += n;
		p += used;
	}
	return s == send;
}

bool
gk_jstr_is(const struct gk_member *m, const char *s)
{
	if (m->type != GK_J_STRING)
		return false;
	if (!m->escaped)
		return gk_span_is(inner(m->value), s);
	return gk_jstr_eq(m->value, s, strlen(s));
}

int
gk_jstr_text(const struct gk_member *m, struct gk_buf *scratch,
    struct gk_span *ret)
{
	size_t start = scratch->len;
	int r;

	if (!m->escaped) {
		*ret = inner(m->value);
		return 0;
	}
	if ((r = gk_jstr_decode(scratch, m->value)) < 0)
		return r;
	*ret = gk_span(scratch->ptr + start, scratch->len - start);
	return 0;
}

int
gk_jstr_dup(struct genkan_ctx *ctx, struct gk_span token, char **ret)
{
	size_t len = gk_jstr_len(token);
	struct gk_buf b;
	char *s;
	int r;

	gk_buf_init(&b, ctx, len);
	if ((r = gk_jstr_decode(&b, token)) < 0)
		goto out;
	r = GENKAN_E_FRAME_MEMBER;
	if (len > 0 && memchr(b.ptr, '\0', len) != NULL)
		goto out;
	r = GENKAN_E_NOMEM;
	if ((s = (char *)gk_buf_steal(&b, &len)) == NULL)
		goto out;
	*ret = s;
	r = 0;
out:
	gk_buf_done(&b);
	return r;
}

size_t
gk_json_escape(char c, char ret[6])
{
	static const char hex[] = "0123456789ABCDEF";
	static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
	const char *hit = c == '\0' ? NULL : strchr(from, c);

	if (hit != NULL) {
		ret[0] = '\\';
		ret[1] = to[hit - from];
		return 2;
	}
	if ((uint8_t)c >= 0x20) {
		ret[0] = c;
		return 1;
	}
	memcpy(ret, "\\u00", 4);
	ret[4] = hex[(uint8_t)c >> 4];
	ret[5] = hex[c & 0xf];
	return 6;
}

/* What stands at p and is no plain run: escaped, or replaced. */
static int
put_odd(struct gk_buf *b, const char *p, const char *end, size_t *used)
{
	char esc[6];

	if ((uint8_t)*p < 0x80) {
		*used = 1;
		return gk_buf_put(b, esc, gk_json_escape(*p, esc));
	}
	if ((*used = gk_utf8_next(p, end, NULL)) != 0)
		return gk_buf_put(b, p, *used);
	*used = 1;
	return gk_buf_puts(b, REPLACEMENT);
}

/* A text in which nothing has to be escaped, as most are: at once, with its
 * quotes. */
static int
put_plain(struct gk_buf *b, const char *s, size_t len)
{
	size_t n;
	uint8_t *p;
	int r;

	if (!gk_add(len, 2, &n))
		return GENKAN_E_FRAME_SIZE;
	if ((r = gk_buf_reserve(b, n, &p)) < 0)
		return r;
	p[0] = '"';
	if (len > 0)
		memcpy(p + 1, s, len);
	p[len + 1] = '"';
	gk_buf_commit(b, n);
	return 0;
}

static GK_NOINLINE int
put_escaped(struct gk_buf *b, const char *p, size_t len)
{
	const char *end = p + len, *q;
	size_t start = b->len, used;
	int r;

	r = gk_buf_putc(b, '"');
	while (r == 0 && p < end) {
		q = gk_runs_plain(p, end);
		if (q > p) {
			r = gk_buf_put(b, p, (size_t)(q - p));
			p = q;
		} else {
			r = put_odd(b, p, end, &used);
			p += used;
		}
	}
	if (r == 0)
		r = gk_buf_putc(b, '"');
	if (r < 0)
		gk_buf_truncate(b, start);
	return r;
}

int
gk_json_put_string(struct gk_buf *b, const char *s, size_t len)
{
	s = gk_bytes(s);
	return GK_LIKELY(gk_runs_all_plain(s, len)) ? put_plain(b, s, len) :
	    put_escaped(b, s, len);
}

int
gk_json_put_cstr(struct gk_buf *b, const char *s)
{
	return gk_json_put_string(b, s, strlen(s));
}

int
gk_json_put_int(struct gk_buf *b, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	size_t minus = v < 0 ? 1 : 0;
	char text[1 + GK_NUM_TEXT];

	text[0] = '-';
	return gk_buf_put(b, text, minus + gk_num_text(u, text + minus));
}

int
gk_json_put_key(struct gk_buf *b, const char *name)
{
	size_t start = b->len;
	int r = 0;

	if (b->len > 0 && b->ptr[b->len - 1] != '{')
		r = gk_buf_putc(b, ',');
	if (r == 0)
		r = gk_json_put_cstr(b, name);
	if (r == 0)
		r = gk_buf_putc(b, ':');
	if (r < 0)
		gk_buf_truncate(b, start);
	return r;
}

int
gk_json_put_str_member(struct gk_buf *b, const char *name, const char *s,
    size_t len)
{
	size_t start = b->len;
	int r;

	if ((r = gk_json_put_key(b, name)) == 0 &&
	    (r = gk_json_put_string(b, s, len)) == 0)
		return 0;
	gk_buf_truncate(b, start);
	return r;
}

int
gk_json_put_raw_member(struct gk_buf *b, const char *name, struct gk_span raw)
{
	size_t start = b->len;
	int r;

	if ((r = gk_json_put_key(b, name)) == 0 &&
	    (r = gk_buf_put_span(b, raw)) == 0)
		return 0;
	gk_buf_truncate(b, start);
	return r;
}

int
gk_json_put_int_member(struct gk_buf *b, const char *name, int64_t v)
{
	size_t start = b->len;
	int r;

	if ((r = gk_json_put_key(b, name)) == 0 &&
	    (r = gk_json_put_int(b, v)) == 0)
		return 0;
	gk_buf_truncate(b, start);
	return r;
}

int
gk_json_put_bool_member(struct gk_buf *b, const char *name, bool v)
{
	return gk_json_put_raw_member(b, name,
	    gk_span_str(v ? "true" : "false"));
}

bool
gk_json_int(struct gk_span token, int64_t *ret)
{
	return gk_num_int(token, ret);
}

bool
gk_json_id_eq(const struct gk_member *a, const struct gk_member *b)
{
	const char *p, *pend, *q, *qend;
	size_t pn, qn, pu, qu;
	char x[4], y[4];

	if (a->type != b->type)
		return false;
	if (a->type == GK_J_INT)
		return a->integer == b->integer;
	if (a->type != GK_J_STRING)
		return false;
	p = a->value.ptr + 1;
	pend = p + a->value.len - 2;
	q = b->value.ptr + 1;
	qend = q + b->value.len - 2;
	while (p < pend && q < qend) {
		pn = gk_jstr_char(p, &pu, x);
		qn = gk_jstr_char(q, &qu, y);
		if (pn != qn || memcmp(x, y, pn) != 0)
			return false;
		p += pu;
		q += qu;
	}
	return p == pend && q == qend;
}
