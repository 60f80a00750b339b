/*
 * Base64 and hexadecimal.  Properties: what is accepted is the encoding of
 * what it decodes to, byte for byte, and any bytes survive the round trip.
 */
#include "fuzz.h"

#include <ctype.h>
#include <string.h>

#include "base/ctx.h"
#include "codec/b64.h"
#include "codec/hex.h"

static void
check_b64(struct genkan_ctx *ctx, enum gk_b64 form, const uint8_t *data,
    size_t size)
{
	struct gk_buf bytes, text;
	int r;

	gk_buf_init(&bytes, ctx, size + 1);
	gk_buf_init(&text, ctx, 2 * size + 4);
	r = gk_b64_put_decoded(&bytes, form, (const char *)data, size);
	MUST(r == 0 || r == GENKAN_E_ENCODING);
	if (r == 0) {
		MUST(gk_b64_put(&text, form, bytes.ptr, bytes.len) == 0);
		MUST(gk_span_eq(gk_buf_span(&text), gk_span(data, size)));
	}
	gk_buf_clear(&bytes);
	gk_buf_clear(&text);
	MUST(gk_b64_put(&text, form, data, size) == 0);
	MUST(gk_b64_put_decoded(&bytes, form, (const char *)text.ptr,
	    text.len) == 0);
	MUST(gk_span_eq(gk_buf_span(&bytes), gk_span(data, size)));
	gk_buf_done(&bytes);
	gk_buf_done(&text);
}

static void
check_hex(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	char *text = malloc(2 * size + 1);
	size_t n, i;

	if (bytes == NULL || text == NULL)
		abort();
	if (gk_hex_decode(GK_HEX_ANY, (const char *)data, size, bytes, size,
	    &n) == 0) {
		MUST(n == size / 2);
		gk_hex_encode(text, bytes, n);
		for (i = 0; i < size; i++)
			MUST(text[i] == tolower(data[i]));
	}
	gk_hex_encode(text, data, size);
	MUST(gk_hex_decode(GK_HEX_LOWER, text, 2 * size, bytes, size, &n) ==
	    0);
	MUST(n == size && memcmp(bytes, data, size) == 0);
	free(bytes);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	check_b64(ctx, GK_B64_STD, data, size);
	check_b64(ctx, GK_B64_URL, data, size);
	if (size > 0)
		check_hex(data, size);
	gk_ctx_free(ctx);
	return 0;
}
