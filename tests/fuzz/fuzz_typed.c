/*
 * What a person types at a terminal: a proof for the phrase alone, blanks
 * around it apart; and what is given on the command line as an anchor.
 */
#include "fuzz.h"

#include <string.h>

#include "base/ctx.h"
#include "records/anchor.h"
#include "trust/presence.h"

static int
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
typed(struct genkan_ctx *ctx, const uint8_t *data, size_t size)
{
	static const char phrase[] = "allow";
	struct gk_presence *proof = NULL;
	size_t from = 0, to = size;
	int r, want;

	while (from < to && is_blank(data[from]))
		from++;
	while (to > from && is_blank(data[to - 1]))
		to--;
	want = to - from == 5 && memcmp(data + from, phrase, 5) == 0 ? 0 : 1;
	r = gk_presence_typed(ctx, (const char *)data, size, &proof);
	MUST(r == want && (proof != NULL) == (r == 0));
	if (r != 0)
		return;
	MUST(strcmp(gk_presence_path(proof), "tty") == 0);
	MUST(gk_presence_use(proof) && !gk_presence_use(proof));
	gk_presence_free(proof);
}

static void
anchor(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	size_t i;

	if (gk_anchor_is_valid(GK_ANCHOR_HASH, s, size)) {
		MUST(size == 40 || size == 64);
		for (i = 0; i < size; i++)
			MUST((s[i] >= '0' && s[i] <= '9') ||
			    (s[i] >= 'a' && s[i] <= 'f'));
	}
	if (gk_anchor_is_valid(GK_ANCHOR_SIGNER, s, size)) {
		MUST(size >= 1 && size <= 512);
		for (i = 0; i < size; i++)
			MUST(data[i] >= 0x20 && data[i] != 0x7f);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	typed(ctx, data, size);
	anchor(data, size);
	gk_ctx_free(ctx);
	return 0;
}
