/* host_key.json: what is taken and has the length of a key reads back, and no
 * reason quotes a value. */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "records/keyrec.h"
#include "records/store.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;
	struct gk_buf scalar, out, back;
	char why[GK_WHY_MAX];

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	gk_buf_init(&scalar, ctx, 4096);
	gk_buf_init(&out, ctx, 4096);
	gk_buf_init(&back, ctx, 4096);
	if (gk_keyrec_parse(ctx, data, size, &scalar, why, sizeof(why)) < 0) {
		MUST(scalar.len == 0);
		MUST(why[0] != '\0' && strchr(why, '\n') == NULL);
	} else if (scalar.len == GK_P256_SCALAR) {
		MUST(gk_keyrec_format(scalar.ptr, &out) == 0);
		MUST(gk_keyrec_parse(ctx, out.ptr, out.len, &back, why,
		    sizeof(why)) == 0);
		MUST(back.len == scalar.len &&
		    memcmp(back.ptr, scalar.ptr, back.len) == 0);
	}
	gk_buf_done(&scalar);
	gk_buf_done(&out);
	gk_buf_done(&back);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
