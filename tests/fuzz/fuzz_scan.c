/*
 * The scanner.  Properties: it accepts what Jansson's own parser accepts,
 * minus what is deeper than our limit; the tree built from accepted text is
 * the one that Jansson builds; the compact form is its own compact form, scans
 * as canonical, says the same, and is what Jansson writes wherever no number
 * could be spelled in two ways; and members are found by name.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "codec/json.h"
#include "codec/walk.h"

#define FLAGS	(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY)

/*
 * Jansson refuses integers beyond 64 bits unless all of them are reals.  It
 * takes a NUL behind the value for the end of the input; there is no valid JSON
 * with one anywhere.
 */
static json_t *
oracle(const uint8_t *data, size_t size, bool *as_reals)
{
	json_error_t e;
	json_t *v;

	*as_reals = false;
	if (size > 0 && memchr(data, 0, size) != NULL)
		return NULL;
	v = json_loadb((const char *)data, size, FLAGS, &e);
	if (v == NULL && json_error_code(&e) == json_error_numeric_overflow) {
		*as_reals = true;
		v = json_loadb((const char *)data, size,
		    FLAGS | JSON_DECODE_INT_AS_REAL, &e);
	}
	return v;
}

static unsigned
depth(const json_t *v)
{
	unsigned d, max = 0;
	const char *key;
	json_t *child;
	size_t i;

	json_array_foreach(v, i, child)
		if ((d = depth(child)) > max)
			max = d;
	json_object_foreach((json_t *)(uintptr_t)v, key, child)
		if ((d = depth(child)) > max)
			max = d;
	return max + (json_is_object(v) || json_is_array(v) ? 1 : 0);
}

static bool
has_reals(const json_t *v)
{
	const char *key;
	json_t *child;
	size_t i;

	json_array_foreach(v, i, child)
		if (has_reals(child))
			return true;
	json_object_foreach((json_t *)(uintptr_t)v, key, child)
		if (has_reals(child))
			return true;
	return json_is_real(v);
}

static bool
contains(const struct gk_buf *b, const char *what)
{
	return memmem(b->ptr, b->len, what, strlen(what)) != NULL;
}

static void
check_compact(struct genkan_ctx *ctx, const struct gk_scan *s,
    const json_t *tree, const uint8_t *data, size_t size)
{
	struct gk_buf once, twice, dump;
	struct gk_scan again;

	gk_buf_init(&once, ctx, s->text.len);
	gk_buf_init(&twice, ctx, s->text.len);
	gk_buf_init(&dump, ctx, 10 * size + 100);
	MUST(gk_scan_compact(&once, s->text) == 0);
	MUST(s->canonical == gk_span_eq(gk_buf_span(&once),
	    gk_span(data, size)));
	MUST(gk_scan(ctx, once.ptr, once.len, NULL, 0, &again) == 0);
	MUST(again.canonical && again.total == s->total);
	MUST(gk_scan_compact(&twice, again.text) == 0);
	MUST(gk_span_eq(gk_buf_span(&once), gk_buf_span(&twice)));
	MUST(gk_json_dump(&dump, tree) == 0);
	if (!has_reals(tree) && !contains(&once, "-0"))
		MUST(gk_span_eq(gk_buf_span(&once), gk_buf_span(&dump)));
	gk_buf_done(&once);
	gk_buf_done(&twice);
	gk_buf_done(&dump);
}

static void
check_members(const struct gk_scan *s, json_t *tree)
{
	struct gk_member m, w;
	struct gk_walk walk;
	const char *key;
	json_t *v;
	size_t n = 0;

	MUST(s->total == json_object_size(tree));
	gk_walk_init(&walk, s->text);
	json_object_foreach(tree, key, v) {
		MUST(gk_scan_find(s, key, &m));
		MUST(gk_walk_next(&walk, &w));
		MUST(m.type == gk_json_type(v) && w.type == m.type);
		MUST(m.value.ptr == w.value.ptr && m.value.len == w.value.len);
		MUST(m.key.ptr == w.key.ptr && m.key_escaped == w.key_escaped);
		MUST(m.escaped == w.escaped);
		MUST(m.type != GK_J_INT || (m.integer == w.integer &&
		    m.integer == json_integer_value(v)));
		if (n < s->n)
			MUST(s->member[n].value.ptr == m.value.ptr &&
			    s->member[n].type == m.type);
		n++;
	}
	MUST(!gk_walk_next(&walk, &w));
}

static void
check(struct genkan_ctx *ctx, const uint8_t *data, size_t size)
{
	struct gk_member member[3];
	json_t *want, *tree = NULL;
	struct gk_scan s;
	bool as_reals;
	int r;

	r = gk_scan(ctx, data, size, member, 3, &s);
	want = oracle(data, size, &as_reals);
	MUST(s.at <= size);
	MUST((r == 0) == (gk_json_parse(ctx, data, size, &tree) == 0));
	if (r == GENKAN_E_FRAME_DEPTH)
		MUST(want == NULL || depth(want) > GK_JSON_DEPTH);
	else if (r == GENKAN_E_FRAME_TYPE)
		MUST(want != NULL && !json_is_object(want) &&
		    (as_reals || gk_json_type(want) == s.top));
	else
		MUST((r == 0) == (want != NULL));
	if (r == 0) {
		MUST(json_is_object(want) && depth(want) <= GK_JSON_DEPTH);
		MUST(as_reals || json_equal(tree, want));
		check_compact(ctx, &s, tree, data, size);
		check_members(&s, tree);
	}
	json_decref(tree);
	json_decref(want);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	check(ctx, data, size);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
