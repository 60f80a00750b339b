/*
 * Native-messaging manifests.  What is said of one is what a tree of it shows:
 * it names us and carries the marker, and our origin is the only one; a path
 * that is read can be written, and reads the same.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/buf.h"
#include "base/ctx.h"
#include "base/str.h"
#include "codec/json.h"
#include "records/manifest.h"
#include "records/store.h"

static void
written(struct genkan_ctx *ctx, const char *path)
{
	struct gk_manifest m;
	char why[GK_WHY_MAX];
	struct gk_buf out;

	gk_buf_init(&out, ctx, 1 << 20);
	MUST(gk_manifest_format(path, &out) == 0);
	MUST(gk_manifest_parse(ctx, out.ptr, out.len, &m, why,
	    sizeof(why)) == 0);
	MUST(m.ours && !m.foreign_origin && !m.not_stdio);
	MUST(strcmp(m.path, path) == 0);
	gk_buf_done(&out);
}

static bool
says(const json_t *v, const char *text)
{
	return json_is_string(v) && json_string_length(v) == strlen(text) &&
	    memcmp(json_string_value(v), text, strlen(text)) == 0;
}

static void
compare(const json_t *tree, const struct gk_manifest *m)
{
	const json_t *path = json_object_get(tree, "path");
	const json_t *list = json_object_get(tree, "allowed_origins");

	MUST(m->ours == (says(json_object_get(tree, "name"),
	    gk_schema_ident(GK_IDENT_HOST_ID)) &&
	    says(json_object_get(tree, "description"),
	    gk_schema_ident(GK_IDENT_MANIFEST_MARK))));
	MUST(m->not_stdio == !says(json_object_get(tree, "type"), "stdio"));
	MUST(m->foreign_origin == !(json_is_array(list) &&
	    json_array_size(list) == 1 && says(json_array_get(list, 0),
	    gk_schema_ident(GK_IDENT_EXTENSION_URL))));
	MUST(m->path[0] == '\0' || says(path, m->path));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_manifest m;
	char why[GK_WHY_MAX];
	struct genkan_ctx *ctx;
	json_t *tree;
	int r;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	r = gk_manifest_parse(ctx, data, size, &m, why, sizeof(why));
	MUST((r < 0) == (why[0] != '\0'));
	if (size <= GK_MANIFEST_MAX) {
		MUST((gk_json_parse(ctx, data, size, &tree) == 0) ==
		    (r == 0));
		if (r == 0) {
			compare(tree, &m);
			json_decref(tree);
		}
	}
	if (r < 0)
		MUST(!m.ours && m.path[0] == '\0');
	else
		MUST(gk_utf8_valid(m.path, strlen(m.path)));
	if (r == 0 && m.path[0] == '/')
		written(ctx, m.path);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
