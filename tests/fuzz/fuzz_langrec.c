/* lang.json: what is taken is a language of the roster and reads back. */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "records/langrec.h"
#include "records/store.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_langrec lang, back;
	char why[GK_WHY_MAX];
	struct genkan_ctx *ctx;
	struct gk_buf out;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	if (gk_langrec_parse(ctx, data, size, &lang, why, sizeof(why)) == 0) {
		MUST(gk_lang_lookup(lang.value, strlen(lang.value)) ==
		    lang.value);
		gk_buf_init(&out, ctx, 4096);
		MUST(gk_langrec_format(&lang, &out) == 0);
		MUST(gk_langrec_parse(ctx, out.ptr, out.len, &back, why,
		    sizeof(why)) == 0);
		MUST(back.value == lang.value && back.seq == lang.seq);
		gk_buf_done(&out);
	} else {
		MUST(why[0] != '\0' && strchr(why, '\n') == NULL);
	}
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
