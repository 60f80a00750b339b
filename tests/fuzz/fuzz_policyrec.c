/*
 * policy.json and the document in it.  What is taken is written back so that
 * it reads the same, and the policy in force is never looser than the signed
 * one.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "records/policyrec.h"
#include "records/store.h"

static void
record(struct genkan_ctx *ctx, const void *bytes, size_t len, int again)
{
	struct gk_policyrec *rec = NULL;
	char why[GK_WHY_MAX];
	uint64_t verify, now;
	struct gk_buf out;
	int r;

	r = gk_policyrec_parse(ctx, bytes, len, &rec, why, sizeof(why));
	MUST((r < 0) == (rec == NULL) && (r < 0) == (why[0] != '\0'));
	MUST(strchr(why, '\n') == NULL && (again || r < 0 || r == 0));
	if (r < 0) {
		MUST(!again);
		return;
	}
	MUST(rec->effective.has == GK_POLICY_ALL);
	if (rec->has_baseline) {
		MUST(gk_policyval_looser(&rec->doc.policy,
		    &rec->effective) == 0);
		/* The one order that is not obvious, by hand: 0 is never. */
		verify = rec->doc.policy.num[GK_POLICY_HOST_REVERIFY_MS];
		now = rec->effective.num[GK_POLICY_HOST_REVERIFY_MS];
		MUST(verify == 0 || (now != 0 && now <= verify));
	}
	gk_buf_init(&out, ctx, 1 << 20);
	r = gk_policyrec_format(rec, &out);
	MUST(r == 0 || r == GENKAN_E_TOO_LARGE);
	if (r == 0 && !again)
		record(ctx, out.ptr, out.len, 1);
	gk_buf_done(&out);
	gk_policyrec_free(rec);
}

static void
document(struct genkan_ctx *ctx, const void *bytes, size_t len)
{
	struct gk_policydoc doc, back;
	char why[GK_WHY_MAX];
	struct gk_buf out;

	if (gk_policydoc_parse(ctx, bytes, len, &doc, why, sizeof(why)) < 0) {
		MUST(why[0] != '\0' && doc.policy.has == 0);
		return;
	}
	gk_buf_init(&out, ctx, 1 << 20);
	MUST(gk_policydoc_format(&doc, &out) == 0);
	MUST(gk_policydoc_parse(ctx, out.ptr, out.len, &back, why,
	    sizeof(why)) == 0);
	MUST(back.revision == doc.revision && back.touched == doc.touched);
	MUST(gk_policyval_differs(&doc.policy, &back.policy) == 0);
	gk_buf_done(&out);
	gk_policydoc_done(&back);
	gk_policydoc_done(&doc);
}

/* The first byte says which of the two it is. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	if (size > 0 && data[0] == 'd')
		document(ctx, data + 1, size - 1);
	else
		record(ctx, data, size, 0);
	gk_ctx_free(ctx);
	return 0;
}

#if defined(GK_FUZZING) && !defined(GK_FUZZ_PLAIN)
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t at = size > 0 && data[0] == 'd';

	if (size == 0 || seed % 4 == 0)
		return LLVMFuzzerMutate(data, size, max);
	(void)fz_mutate_json(data, &size, max, at, size - at, seed / 4);
	return size;
}
#endif
