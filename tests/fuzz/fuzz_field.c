/*
 * Field tables.  Properties: a table judges a scanned text and a tree alike, and
 * for the same reason; what fits has the types and sizes of its rows.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "codec/json.h"

static const struct gk_field table[] = {
	{ "a", GK_J_STRING, 0, 1, 3 },
	{ "b", GK_J_INT, GK_F_OPTIONAL, 0, 0 },
	{ "c", GK_J_ARRAY | GK_J_OBJECT, GK_F_OPTIONAL | GK_F_NULL, 1, 2 },
	{ "d", GK_J_BOOL | GK_J_NULL, GK_F_OPTIONAL, 0, 0 },
};
#define N	GK_ARRAY_LEN(table)

/* The table once more, by hand. */
static void
check_fit(json_t *tree, bool lenient)
{
	const json_t *a = json_object_get(tree, "a");
	const json_t *b = json_object_get(tree, "b");
	const json_t *c = json_object_get(tree, "c");
	const json_t *d = json_object_get(tree, "d");
	size_t n;

	MUST(json_is_string(a) && json_string_length(a) >= 1 &&
	    json_string_length(a) <= 3);
	MUST(b == NULL || (json_is_integer(b) &&
	    json_integer_value(b) >= -GK_INTEGER_MAX &&
	    json_integer_value(b) <= GK_INTEGER_MAX));
	n = json_is_array(c) ? json_array_size(c) : json_object_size(c);
	MUST(c == NULL || json_is_null(c) || (n >= 1 && n <= 2));
	MUST(d == NULL || json_is_boolean(d) || json_is_null(d));
	n = (a != NULL) + (b != NULL) + (c != NULL) + (d != NULL);
	MUST(lenient || json_object_size(tree) == n);
}

static void
check(json_t *tree, struct gk_span text, bool lenient)
{
	struct gk_field_why a, b;
	struct gk_member m[N];
	json_t *j[N];
	size_t i;
	int r;

	r = gk_fields_span(text, table, N, lenient, m, &a);
	MUST(r == gk_fields_json(tree, table, N, lenient, j, &b));
	MUST(r == 0 || r == GENKAN_E_FRAME_MEMBER);
	MUST(a.field == b.field);
	MUST((a.text == NULL) == (r == 0));
	MUST((a.text == NULL) == (b.text == NULL));
	MUST(r == 0 || strcmp(a.text, b.text) == 0);
	if (r == 0)
		check_fit(tree, lenient);
	for (i = 0; r == 0 && i < N; i++)
		MUST(m[i].type == gk_json_type(j[i]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;
	struct gk_scan s;
	json_t *tree;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	if (gk_json_parse(ctx, data, size, &tree) == 0) {
		MUST(gk_scan(ctx, data, size, NULL, 0, &s) == 0);
		check(tree, s.text, false);
		check(tree, s.text, true);
		json_decref(tree);
	}
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
