#include "codec/scan.h"

#include "base/str.h"
#include "codec/jstr.h"
#include "codec/keyset.h"
#include "codec/num.h"
#include "codec/runs.h"

/* One pass over one text.  Recursion follows the nesting, which is bounded;
 * what holds nothing else is read without a call. */
struct in {
	struct genkan_ctx	*ctx;
	const char		*start;
	const char		*p;
	const char		*end;
	unsigned		 depth;
	bool			 canonical;
	enum gk_scan_why	 why;
	int			 nomem;
};

static GK_NOINLINE bool	container(struct in *, struct gk_member *,
			    struct gk_scan *);

/* The first offence counts; p says where. */
static GK_COLD bool
bad(struct in *in, enum gk_scan_why why)
{
	in->why = why;
	return false;
}

static GK_NOINLINE void
space(struct in *in)
{
	const char *p = in->p;

	while (p < in->end &&
	    (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	if (p != in->p) {
		in->canonical = false;
		in->p = p;
	}
}

/* The next byte that is no whitespace; '\0' at the end, which no rule below
 * takes for anything. */
static GK_INLINE char
peek(struct in *in)
{
	if (GK_LIKELY(in->p < in->end && (uint8_t)*in->p > ' '))
		return *in->p;
	space(in);
	return in->p < in->end ? *in->p : '\0';
}

/* p at the 'u'; the text goes on for at least one byte. */
static bool
unicode_escape(struct in *in, bool key)
{
	int32_t cp, low;

	if (in->end - in->p < 5 || (cp = gk_jstr_hex4(in->p + 1)) < 0)
		return bad(in, GK_SCAN_ESCAPE);
	if (cp == 0 && key)
		return bad(in, GK_SCAN_NUL_KEY);
	if (cp >= 0xd800 && cp <= 0xdfff) {
		if (cp >= 0xdc00 || in->end - in->p < 11 ||
		    in->p[5] != '\\' || in->p[6] != 'u' ||
		    (low = gk_jstr_hex4(in->p + 7)) < 0xdc00 || low > 0xdfff)
			return bad(in, GK_SCAN_ESCAPE);
		in->p += 6;
	}
	/* The spelling that gk_json_escape() gives to some controls. */
	if (in->canonical) {
		char esc[6];

		in->canonical = cp < 0x20 &&
		    gk_json_escape((char)cp, esc) == 6 &&
		    memcmp(in->p + 1, esc + 2, 4) == 0;
	}
	in->p += 5;
	return true;
}

static bool
escape(struct in *in, bool key)
{
	if (++in->p == in->end)
		return bad(in, GK_SCAN_SYNTAX);
	switch (*in->p) {
	case 'u':
		return unicode_escape(in, key);
	case '/':
		in->canonical = false;
		break;
	case '"': case '\\': case 'b': case 'f': case 'n': case 'r': case 't':
		break;
	default:
		return bad(in, GK_SCAN_ESCAPE);
	}
	in->p++;
	return true;
}

/* The string goes on at something that is no plain byte. */
static bool
string_rest(struct in *in, bool key, bool *escaped)
{
	const char *p;

	for (;;) {
		p = in->p = gk_runs_string(in->p, in->end, escaped);
		if (p == in->end)
			return bad(in, GK_SCAN_SYNTAX);
		if (*p == '"')
			return true;
		if ((uint8_t)*p >= 0x80)
			return bad(in, GK_SCAN_UTF8);
		if (*p != '\\')
			return bad(in, GK_SCAN_SYNTAX);
		*escaped = true;
		if (!escape(in, key))
			return false;
	}
}

/* p behind the opening quote; afterwards on the closing one. */
static inline bool
string(struct in *in, bool key, bool *escaped)
{
	const char *p = gk_runs_plain(in->p, in->end);

	in->p = p;
	*escaped = false;
	return (p < in->end && *p == '"') || string_rest(in, key, escaped);
}

static const char *
digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static bool
number(struct in *in, struct gk_member *ret)
{
	const char *p = in->p, *first, *end = in->end;
	struct gk_span token;

	if (*p == '-')
		p++;
	in->p = first = p;
	p = digits(p, end);
	if (p == first || (*first == '0' && p - first > 1))
		return bad(in, GK_SCAN_SYNTAX);
	ret->type = GK_J_INT;
	if (p < end && *p == '.') {
		ret->type = GK_J_REAL;
		in->p = first = p + 1;
		if ((p = digits(first, end)) == first)
			return bad(in, GK_SCAN_SYNTAX);
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		ret->type = GK_J_REAL;
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		in->p = first = p;
		if ((p = digits(first, end)) == first)
			return bad(in, GK_SCAN_SYNTAX);
	}
	token = gk_span(ret->value.ptr, (size_t)(p - ret->value.ptr));
	if (ret->type == GK_J_INT && !gk_num_int(token, &ret->integer))
		ret->type = GK_J_REAL;
	if (ret->type == GK_J_REAL && !gk_num_is_finite(token)) {
		in->p = token.ptr;
		return bad(in, GK_SCAN_RANGE);
	}
	in->p = p;
	return true;
}

static bool
literal(struct in *in, struct gk_member *ret, const char *word, size_t len,
    uint8_t type)
{
	if ((size_t)(in->end - in->p) < len || memcmp(in->p, word, len) != 0)
		return bad(in, GK_SCAN_SYNTAX);
	in->p += len;
	ret->type = type;
	return true;
}

/* top: where members of this very object are reported, NULL inside. */
static GK_INLINE bool
value(struct in *in, struct gk_member *ret, struct gk_scan *top)
{
	char c = peek(in);
	bool ok;

	ret->value.ptr = in->p;
	switch (c) {
	case '{':
	case '[':
		ok = container(in, ret, top);
		break;
	case '"':
		ret->type = GK_J_STRING;
		in->p++;
		if ((ok = string(in, false, &ret->escaped)))
			in->p++;
		break;
	case 't':
		ok = literal(in, ret, "true", 4, GK_J_TRUE);
		break;
	case 'f':
		ok = literal(in, ret, "false", 5, GK_J_FALSE);
		break;
	case 'n':
		ok = literal(in, ret, "null", 4, GK_J_NULL);
		break;
	default:
		if (c != '-' && (c < '0' || c > '9'))
			return bad(in, GK_SCAN_SYNTAX);
		ok = number(in, ret);
	}
	if (ok)
		ret->value.len = (size_t)(in->p - ret->value.ptr);
	return ok;
}

/* Where it is seldom worth more than a call. */
static GK_NOINLINE bool
any_value(struct in *in, struct gk_member *ret, struct gk_scan *top)
{
	return value(in, ret, top);
}

/* Name, colon, value. */
static GK_INLINE bool
member(struct in *in, struct gk_keyset *keys, struct gk_member *ret)
{
	int r;

	if (peek(in) != '"')
		return bad(in, GK_SCAN_SYNTAX);
	ret->key.ptr = ++in->p;
	if (!string(in, true, &ret->key_escaped))
		return false;
	ret->key.len = (size_t)(in->p - ret->key.ptr);
	r = gk_keyset_add(keys, ret->key, ret->key_escaped);
	if (r < 0) {
		in->p = ret->key.ptr - 1;
		in->nomem = r == GENKAN_E_FRAME_DUP ? 0 : r;
		return bad(in, GK_SCAN_DUPLICATE);
	}
	in->p++;
	if (peek(in) != ':')
		return bad(in, GK_SCAN_SYNTAX);
	in->p++;
	return value(in, ret, NULL);
}

static void
report(struct gk_scan *top, const struct gk_member *m)
{
	/* total tells how many fitted: n is min(total, cap). */
	if (top->total++ < top->n)
		top->member[top->total - 1] = *m;
}

/* p on the first byte behind the brace. */
static bool
members(struct in *in, struct gk_keyset *keys, struct gk_scan *top)
{
	struct gk_member m;
	char c;

	if (peek(in) == '}')
		return true;
	for (;;) {
		m.integer = 0;
		m.escaped = false;
		if (!member(in, keys, &m))
			return false;
		if (top != NULL)
			report(top, &m);
		if ((c = peek(in)) == '}')
			return true;
		if (c != ',')
			return bad(in, GK_SCAN_SYNTAX);
		in->p++;
	}
}

static bool
elements(struct in *in)
{
	struct gk_member m;
	char c;

	if (peek(in) == ']')
		return true;
	for (;;) {
		if (!any_value(in, &m, NULL))
			return false;
		if ((c = peek(in)) == ']')
			return true;
		if (c != ',')
			return bad(in, GK_SCAN_SYNTAX);
		in->p++;
	}
}

/* p on the opening bracket; afterwards behind the closing one. */
static GK_NOINLINE bool
container(struct in *in, struct gk_member *ret, struct gk_scan *top)
{
	struct gk_keyset keys;
	bool ok;

	if (in->depth >= GK_JSON_DEPTH)
		return bad(in, GK_SCAN_DEPTH);
	in->depth++;
	if (*in->p++ == '{') {
		ret->type = GK_J_OBJECT;
		gk_keyset_init(&keys, in->ctx, in->start);
		ok = members(in, &keys, top);
		gk_keyset_done(&keys);
	} else {
		ret->type = GK_J_ARRAY;
		ok = elements(in);
	}
	in->depth--;
	if (ok)
		in->p++;
	return ok;
}

static int
code_of(enum gk_scan_why why)
{
	switch (why) {
	case GK_SCAN_OK:
		return 0;
	case GK_SCAN_UTF8:
		return GENKAN_E_FRAME_UTF8;
	case GK_SCAN_DEPTH:
		return GENKAN_E_FRAME_DEPTH;
	case GK_SCAN_DUPLICATE:
		return GENKAN_E_FRAME_DUP;
	case GK_SCAN_TOP:
		return GENKAN_E_FRAME_TYPE;
	default:
		return GENKAN_E_FRAME_JSON;
	}
}

/* The whole text: one value, whitespace around it. */
static bool
document(struct in *in, struct gk_scan *ret)
{
	struct gk_member top;

	memset(&top, 0, sizeof(top));
	if (!any_value(in, &top, ret))
		return false;
	if (in->p != in->end)
		space(in);
	if (in->p != in->end)
		return bad(in, GK_SCAN_SYNTAX);
	ret->text = top.value;
	ret->top = top.type;
	if (top.type == GK_J_OBJECT)
		return true;
	in->p = top.value.ptr;
	return bad(in, GK_SCAN_TOP);
}

int
gk_scan(struct genkan_ctx *ctx, const void *text, size_t len,
    struct gk_member *member_, size_t cap, struct gk_scan *ret)
{
	struct in in;

	memset(&in, 0, sizeof(in));
	in.ctx = ctx;
	in.p = in.start = gk_bytes(text);
	in.end = in.start + len;
	in.canonical = true;
	memset(ret, 0, sizeof(*ret));
	ret->member = member_;
	ret->n = cap;
	if (len > UINT32_MAX)
		(void)bad(&in, GK_SCAN_SIZE);
	else if (document(&in, ret))
		ret->canonical = in.canonical;
	ret->why = in.why;
	ret->at = (size_t)(in.p - in.start);
	if (in.why != GK_SCAN_OK)
		ret->total = 0;
	ret->n = GK_MIN(ret->total, cap);
	return in.nomem < 0 ? in.nomem : code_of(in.why);
}
