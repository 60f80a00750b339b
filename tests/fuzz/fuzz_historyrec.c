/*
 * policy-history.json.  Whatever ring is read is written back within its cap,
 * and reads the same: every row with its id, or the newest of them.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "crypto/ossl.h"
#include "records/historyrec.h"
#include "records/store.h"

static void
compare(const struct gk_historyrec *a, const struct gk_historyrec *b)
{
	size_t i, gone;

	MUST(b->n <= a->n);
	gone = a->n - b->n;
	for (i = 0; i < b->n; i++) {
		MUST(strcmp(a->row[gone + i].id, b->row[i].id) == 0);
		MUST((a->row[gone + i].held == NULL) ==
		    (b->row[i].held == NULL));
		MUST(a->row[gone + i].has_time == b->row[i].has_time);
	}
}

static void
check_rows(const struct gk_historyrec *h)
{
	size_t i;

	for (i = 0; i < h->n; i++) {
		MUST(strlen(h->row[i].id) == GK_HISTORY_ID);
		MUST(!h->row[i].has_time ||
		    h->row[i].superseded_unix <= GK_INTEGER_MAX);
		if (h->row[i].held == NULL)
			continue;
		MUST(h->row[i].held->has_baseline);
		MUST(gk_policyval_looser(&h->row[i].held->doc.policy,
		    &h->row[i].held->effective) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_historyrec *h = NULL, *back = NULL;
	struct genkan_ctx *ctx;
	char why[GK_WHY_MAX];
	struct gk_buf out;
	int r;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	gk_buf_init(&out, ctx, gk_record_cap(GK_RECORD_HISTORY));
	r = gk_historyrec_parse(ctx, data, size, &h, why, sizeof(why));
	MUST((r < 0) == (h == NULL) && (r < 0) == (why[0] != '\0'));
	if (r == 0) {
		check_rows(h);
		MUST(gk_historyrec_format(h, &out) == 0);
		MUST(gk_historyrec_parse(ctx, out.ptr, out.len, &back, why,
		    sizeof(why)) == 0);
		compare(h, back);
	}
	gk_historyrec_free(h);
	gk_historyrec_free(back);
	gk_buf_done(&out);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
