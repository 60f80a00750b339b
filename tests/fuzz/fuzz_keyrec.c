/* The host key as it is kept.  host_key.json: what is taken and has the length of
 * a key reads back, and no reason quotes a value.  The text in a credential
 * store: one text is a key, and what is opened has that text. */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "codec/b64.h"
#include "crypto/ossl.h"
#include "crypto/signer.h"
#include "records/keyrec.h"
#include "records/store.h"

#define TEXT_LEN	44	/* of a key */

static void
stored(struct genkan_ctx *ctx, const char *text, size_t len)
{
	static const struct gk_signer none;
	struct gk_signer signer;
	struct gk_buf back;
	const char *why = "";
	int r = gk_signer_open_text(ctx, text, len, &signer, &why);

	MUST(r == 0 || r == 1);
	MUST((r == 1) == (why != NULL));
	if (r == 1) {
		MUST(memcmp(&signer, &none, sizeof(none)) == 0);
		return;
	}
	gk_buf_init(&back, ctx, TEXT_LEN);
	MUST(gk_b64_put(&back, GK_B64_STD, signer.scalar.ptr,
	    signer.scalar.len) == 0);
	MUST(back.len == len && memcmp(back.ptr, text, len) == 0);
	MUST(signer.pub[0] == 4 && strlen(signer.id) == GK_KEY_ID_HEX);
	gk_buf_done(&back);
	gk_signer_done(&signer);
}

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
	stored(ctx, (const char *)data, size);
	/* And as if the bytes were those of the key. */
	gk_buf_clear(&out);
	if (size <= GK_P256_SCALAR + 1 && size > 0) {
		MUST(gk_b64_put(&out, GK_B64_STD, data, size) == 0);
		stored(ctx, (const char *)out.ptr, out.len);
	}
	gk_buf_done(&scalar);
	gk_buf_done(&out);
	gk_buf_done(&back);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
