/*
 * trust.json.  Whatever is taken is written back so that it reads the same,
 * white space changes nothing, and what is refused leaves one line of reason.
 */
#include "fuzz.h"

#include <string.h>

#include "base/ctx.h"
#include "records/store.h"
#include "records/trustrec.h"

static int
parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_trustrec **ret)
{
	char why[GK_WHY_MAX];
	int r;

	*ret = NULL;
	r = gk_trustrec_parse(ctx, bytes, len, ret, why, sizeof(why));
	MUST((r < 0) == (*ret == NULL));
	MUST((r < 0) == (why[0] != '\0'));
	MUST(strchr(why, '\n') == NULL);
	return r;
}

static void
round_trip(struct genkan_ctx *ctx, const struct gk_trustrec *rec)
{
	struct gk_buf once, twice;
	struct gk_trustrec *back;
	int r;

	gk_buf_init(&once, ctx, 1 << 20);
	gk_buf_init(&twice, ctx, 1 << 20);
	r = gk_trustrec_format(rec, &once);
	/* Escapes may have been shorter than what they stand for. */
	MUST(r == 0 || r == GENKAN_E_TOO_LARGE);
	if (r == 0) {
		MUST(parse(ctx, once.ptr, once.len, &back) == 0);
		MUST(gk_trustrec_format(back, &twice) == 0);
		MUST(once.len == twice.len &&
		    memcmp(once.ptr, twice.ptr, once.len) == 0);
		gk_trustrec_free(back);
	}
	gk_buf_done(&once);
	gk_buf_done(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_trustrec *rec, *spaced;
	struct genkan_ctx *ctx;
	char *padded;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	padded = malloc(size + 2);
	MUST(padded != NULL);
	padded[0] = ' ';
	if (size > 0)
		memcpy(padded + 1, data, size);
	padded[size + 1] = '\n';
	if (parse(ctx, data, size, &rec) == 0) {
		round_trip(ctx, rec);
		MUST(size + 2 > gk_record_cap(GK_RECORD_TRUST) ||
		    parse(ctx, padded, size + 2, &spaced) == 0);
		if (size + 2 <= gk_record_cap(GK_RECORD_TRUST))
			gk_trustrec_free(spaced);
	}
	gk_trustrec_free(rec);
	free(padded);
	gk_ctx_free(ctx);
	return 0;
}
