/*
 * The arguments of a call against the catalogue (wire 9.1, gates 2 and 3).
 * Property: they fit exactly where the schema that tools/list shows says so,
 * read as JSON Schema by another reader on a tree; browser is taken out, what
 * goes on is the rest, as it was, and fits again; a refusal says why in UTF-8.
 *
 * The first byte is the tool, the rest the object.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "base/str.h"
#include "codec/json.h"
#include "codec/scan.h"
#include "engine/catalog.h"

static struct genkan_ctx *ctx;

static json_int_t
bound(const json_t *schema, const char *name, json_int_t otherwise)
{
	const json_t *v = json_object_get(schema, name);

	return v != NULL ? json_integer_value(v) : otherwise;
}

static json_int_t
points(const json_t *text)
{
	const char *s = json_string_value(text);
	size_t i, n = 0;

	for (i = 0; i < json_string_length(text); i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return (json_int_t)n;
}

static bool
among(const json_t *set, const json_t *v)
{
	size_t i;

	for (i = 0; i < json_array_size(set); i++)
		if (json_equal(json_array_get(set, i), v))
			return true;
	return set == NULL;
}

/* JSON Schema, the keywords in use (tools 1.2). */
static bool
valid(const json_t *schema, const json_t *v)
{
	const char *type = json_string_value(json_object_get(schema, "type"));
	const json_int_t most = GK_INTEGER_MAX;
	size_t i;

	if (!among(json_object_get(schema, "enum"), v))
		return false;
	if (strcmp(type, "string") == 0)
		return json_is_string(v) &&
		    points(v) >= bound(schema, "minLength", 0) &&
		    points(v) <= bound(schema, "maxLength", most);
	if (strcmp(type, "integer") == 0)
		return json_is_integer(v) &&
		    json_integer_value(v) >= bound(schema, "minimum", -most) &&
		    json_integer_value(v) <= bound(schema, "maximum", most);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(v);
	MUST(strcmp(type, "array") == 0);
	if (!json_is_array(v) ||
	    (json_int_t)json_array_size(v) > bound(schema, "maxItems", most))
		return false;
	for (i = 0; i < json_array_size(v); i++)
		if (!valid(json_object_get(schema, "items"),
		    json_array_get(v, i)))
			return false;
	return true;
}

static bool
fits(const json_t *schema, const json_t *object)
{
	const json_t *of = json_object_get(schema, "properties"), *v, *one;
	const json_t *needed = json_object_get(schema, "required");
	const char *name;
	size_t i;

	json_object_foreach((json_t *)object, name, v) {
		one = json_object_get(of, name);
		if (one == NULL)
			return false;
		if (strcmp(name, "browser") == 0 && json_is_null(v))
			continue;
		if (!valid(one, v))
			return false;
	}
	for (i = 0; i < json_array_size(needed); i++)
		if (json_object_get(object, json_string_value(
		    json_array_get(needed, i))) == NULL)
			return false;
	return true;
}

static json_t *
parse(struct gk_span s)
{
	json_t *tree = NULL;

	MUST(gk_json_parse(ctx, s.ptr, s.len, &tree) == 0);
	return tree;
}

static void
went_on(const struct gk_tool *tool, const struct gk_arguments *a,
    json_t *object)
{
	const json_t *browser = json_object_get(object, "browser");
	json_t *args = parse(gk_buf_span(&a->args));
	struct gk_arguments again;

	MUST(a->named == json_is_string(browser));
	if (a->named)
		MUST(a->label.len == json_string_length(browser) &&
		    (a->label.len == 0 || memcmp(a->label.ptr,
		    json_string_value(browser), a->label.len) == 0));
	(void)json_object_del(object, "browser");
	MUST(json_equal(args, object));
	MUST(gk_arguments_check(ctx, tool, gk_buf_span(&a->args), &again) == 1);
	MUST(!again.named && gk_span_eq(gk_buf_span(&a->args),
	    gk_buf_span(&again.args)));
	gk_arguments_done(&again);
	json_decref(args);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gk_tool *tool;
	struct gk_arguments a;
	json_t *shown, *object;
	struct gk_scan scan;
	const char *text;
	size_t n;
	int r;

	if (size < 2 || gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	tool = gk_schema_tool(data[0] % GK_TOOL_END);
	if (gk_scan(ctx, data + 1, size - 1, NULL, 0, &scan) == 0) {
		text = gk_schema_tool_json(data[0] % GK_TOOL_END, &n);
		shown = parse(gk_span(text, n));
		object = parse(scan.text);
		r = gk_arguments_check(ctx, tool, scan.text, &a);
		MUST(r == fits(json_object_get(shown, "inputSchema"), object));
		if (r == 1)
			went_on(tool, &a, object);
		else
			MUST(a.why.len > 0 && gk_utf8_valid(
			    (const char *)a.why.ptr, a.why.len));
		gk_arguments_done(&a);
		json_decref(shown);
		json_decref(object);
	}
	gk_ctx_free(ctx);
	return 0;
}

#if defined(GK_FUZZING) && !defined(GK_FUZZ_PLAIN)
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (size < 2 || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	(void)fz_mutate_json(data, &size, max, 1, size - 1, seed / 8);
	return size;
}
#endif
