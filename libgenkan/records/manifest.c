#include <stdio.h>

#include "base/str.h"
#include "codec/jstr.h"
#include "codec/walk.h"
#include "records/manifest.h"
#include "records/record.h"

static bool
member_is(const struct gk_scan *scan, const char *name, const char *text)
{
	struct gk_member m;

	return gk_scan_find(scan, name, &m) && gk_jstr_is(&m, text);
}

/* Another origin beside ours would be one more that may start the host. */
static bool
only_our_origin(const struct gk_scan *scan)
{
	struct gk_member list, v;
	struct gk_walk w;
	size_t n = 0;

	if (!gk_scan_find(scan, "allowed_origins", &list) ||
	    list.type != GK_J_ARRAY)
		return false;
	gk_walk_init(&w, list.value);
	for (; gk_walk_next(&w, &v); n++)
		if (!gk_jstr_is(&v, gk_schema_ident(GK_IDENT_EXTENSION_URL)))
			return false;
	return n == 1;
}

/* A path that cannot be had stays empty, and the manifest is stale then. */
static int
take_path(struct genkan_ctx *ctx, const struct gk_scan *scan, char *ret)
{
	struct gk_buf scratch;
	struct gk_member m;
	struct gk_span text;
	int r = 0;

	if (!gk_scan_find(scan, "path", &m) || m.type != GK_J_STRING)
		return 0;
	gk_buf_init(&scratch, ctx, GK_MANIFEST_MAX);
	if ((r = gk_jstr_text(&m, &scratch, &text)) == 0 && text.len > 0 &&
	    text.len < GK_MANIFEST_PATH_MAX &&
	    memchr(text.ptr, '\0', text.len) == NULL) {
		memcpy(ret, text.ptr, text.len);
		ret[text.len] = '\0';
	}
	gk_buf_done(&scratch);
	return r;
}

int
gk_manifest_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_manifest *ret, char *why, size_t whylen)
{
	struct gk_scan scan;
	int r;

	memset(ret, 0, sizeof(*ret));
	why[0] = '\0';
	if (len > GK_MANIFEST_MAX) {
		(void)snprintf(why, whylen, "larger than %d bytes",
		    (int)GK_MANIFEST_MAX);
		return GENKAN_E_TOO_LARGE;
	}
	if ((r = gk_scan(ctx, bytes, len, NULL, 0, &scan)) < 0) {
		(void)snprintf(why, whylen, "%s", r == GENKAN_E_NOMEM ?
		    "out of memory" : gk_scan_why_text(scan.why));
		return r == GENKAN_E_NOMEM ? r : GENKAN_E_RECORD_CORRUPT;
	}
	if ((r = take_path(ctx, &scan, ret->path)) < 0) {
		(void)snprintf(why, whylen, "out of memory");
		return r;
	}
	ret->ours = member_is(&scan, "name",
	    gk_schema_ident(GK_IDENT_HOST_ID)) &&
	    member_is(&scan, "description",
	    gk_schema_ident(GK_IDENT_MANIFEST_MARK));
	ret->not_stdio = !member_is(&scan, "type", "stdio");
	ret->foreign_origin = !only_our_origin(&scan);
	return 0;
}

static int
put_line(struct gk_buf *out, const char *name, const char *value)
{
	int r;

	if ((r = gk_buf_putf(out, "  \"%s\": ", name)) < 0 ||
	    (r = gk_json_put_cstr(out, value)) < 0)
		return r;
	return gk_buf_puts(out, ",\n");
}

int
gk_manifest_format(const char *wrapper, struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if (wrapper[0] != '/' || strlen(wrapper) >= GK_MANIFEST_PATH_MAX ||
	    !gk_utf8_valid(wrapper, strlen(wrapper)))
		return GENKAN_E_INVAL;
	if ((r = gk_buf_puts(ret, "{\n")) < 0 ||
	    (r = put_line(ret, "name",
	    gk_schema_ident(GK_IDENT_HOST_ID))) < 0 ||
	    (r = put_line(ret, "description",
	    gk_schema_ident(GK_IDENT_MANIFEST_MARK))) < 0 ||
	    (r = put_line(ret, "path", wrapper)) < 0 ||
	    (r = put_line(ret, "type", "stdio")) < 0 ||
	    (r = gk_buf_puts(ret, "  \"allowed_origins\": [\n    ")) < 0 ||
	    (r = gk_json_put_cstr(ret,
	    gk_schema_ident(GK_IDENT_EXTENSION_URL))) < 0 ||
	    (r = gk_buf_puts(ret, "\n  ]\n}\n")) < 0)
		gk_buf_truncate(ret, at);
	return r;
}
