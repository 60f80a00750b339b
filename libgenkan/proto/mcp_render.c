/*
 * The content block of a success (tools.md 1.5).  The data of a response goes
 * from the line it came in straight into the reply: escaped once as text, or
 * its string token as it stands.
 */
#include "proto/mcp_impl.h"

#include "codec/runs.h"

/* Canonical JSON as the inside of a string: there is no control character in
 * it, so only quotes and backslashes take a backslash. */
static size_t
quote_block(uint8_t *out, const char *p, size_t len)
{
	return gk_runs_quoted(out, p, p + len);
}

#define BLOCK	((size_t)65536)
#define REST	64		/* what follows the text in a reply */

/*
 * Room ahead, so that a large text is not copied each time its buffer grows.
 * Only a hint: whether it fits is found out when it is written.
 */
static void
expect(struct gk_buf *b, size_t n)
{
	uint8_t *p;

	(void)gk_buf_reserve(b, GK_MIN(n, b->max - b->len), &p);
}

/*
 * Appends canonical JSON as a string token.  GENKAN_E_FRAME_SIZE as soon as
 * the ceiling is certain to be passed; what was appended stays then.
 */
int
gk_mcp_quote(struct gk_buf *b, struct gk_span json)
{
	uint8_t small[1024], *out;
	size_t n, i, start;
	int r;

	r = gk_buf_putc(b, '"');
	start = b->len;
	for (i = 0; r == 0 && i < json.len; i += n) {
		n = GK_MIN(json.len - i, BLOCK);
		r = gk_buf_reserve(b, 2 * n, &out);
		if (r == 0)
			gk_buf_commit(b, quote_block(out, json.ptr + i, n));
		else if (r == GENKAN_E_FRAME_SIZE) {
			/* Near the ceiling: in small steps, so that it is
			 * met exactly. */
			n = GK_MIN(n, 512);
			r = gk_buf_put(b, small,
			    quote_block(small, json.ptr + i, n));
		}
		/* The rest will have about as many quotes. */
		if (r == 0 && i == 0 && n < json.len)
			expect(b, json.len / n * (b->len - start) +
			    json.len / 16 + 2 * BLOCK + REST);
	}
	return r == 0 ? gk_buf_putc(b, '"') : r;
}

static int
put_token(struct gk_buf *b, const struct gk_member *m, bool canonical)
{
	expect(b, m->value.len + REST);
	return canonical ? gk_buf_put_span(b, m->value) :
	    gk_scan_compact(b, m->value);
}

static int
text_block(struct gk_buf *b, const struct gk_member *text, bool canonical)
{
	int r;

	r = gk_buf_puts(b, "{\"type\":\"text\",\"text\":");
	if (r == 0)
		r = put_token(b, text, canonical);
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

static int
image_block(struct gk_buf *b, const struct gk_member *image,
    const struct gk_member *type, bool canonical)
{
	int r;

	r = gk_buf_puts(b, "{\"type\":\"image\",\"data\":");
	if (r == 0)
		r = put_token(b, image, canonical);
	if (r == 0)
		r = gk_buf_puts(b, ",\"mimeType\":");
	if (r == 0)
		r = put_token(b, type, canonical);
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

static int
json_block(struct gk_buf *b, struct gk_span data, bool canonical)
{
	struct gk_buf compact;
	int r;

	gk_buf_init(&compact, b->ctx, data.len);
	r = gk_buf_puts(b, "{\"type\":\"text\",\"text\":");
	if (r == 0 && !canonical) {
		r = gk_scan_compact(&compact, data);
		data = gk_buf_span(&compact);
	}
	if (r == 0)
		r = gk_mcp_quote(b, data);
	gk_buf_done(&compact);
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

int
gk_mcp_render(struct gk_buf *b, const struct gk_tool *tool,
    struct gk_span data, bool canonical)
{
	struct gk_member whole, v, type;

	gk_walk_whole(data, &whole);
	if (tool->render == GK_RENDER_TEXT &&
	    gk_mcp_object_get(&whole, "text", &v) && v.type == GK_J_STRING)
		return text_block(b, &v, canonical);
	if (tool->render == GK_RENDER_IMAGE &&
	    gk_mcp_object_get(&whole, "image", &v) && v.type == GK_J_STRING &&
	    gk_mcp_object_get(&whole, "mimeType", &type) &&
	    type.type == GK_J_STRING)
		return image_block(b, &v, &type, canonical);
	return json_block(b, data, canonical);
}
