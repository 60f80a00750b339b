/*
 * What a browser may say: a broker with eight calls out, then the input on the
 * browser's leg.  Properties: every reply goes to a call that waits, and at
 * most once; how the bytes were cut up changes nothing; and once the browser
 * is gone every call has been answered.
 */
#include "fuzz_world.h"
#include "mutate_json.h"

#define CALLS	8

static struct genkan_ctx *ctx;

static uint64_t
run(const uint8_t *data, size_t size, size_t step)
{
	static const char hello[] = "{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[\"tab_control\",\"page_snapshot\"]}\n";
	struct fz_store store_state;
	struct gk_store store;
	struct gk_broker *b;
	struct fz_peer br, cl;
	size_t at, n, i;
	uint64_t h = FOLD_START;
	unsigned id;

	ctx = fz_ctx();
	fz_store_init(&store, &store_state);
	b = gk_broker_new(ctx, &store);
	MUST(b != NULL && fz_attach(b, &br, "b") && fz_attach(b, &cl, NULL));
	(void)fz_feed(&br, hello, sizeof(hello) - 1);
	fz_open(&cl);
	for (id = 0; id < CALLS; id++)
		fz_call(&cl, id, id % 2 ? "tab_list" : "page_snapshot", "{}");
	fz_drain(ctx, &br, SIZE_MAX);
	fz_drain(ctx, &cl, SIZE_MAX);
	for (at = 0; at < size; at += n) {
		n = GK_MIN(step, size - at);
		(void)fz_feed(&br, data + at, n);
	}
	/* what was answered, and what by the end */
	fz_drain(ctx, &cl, SIZE_MAX);
	h = fold(h, cl.open, CALLS);
	gk_leg_eof(br.leg);
	fz_drain(ctx, &cl, SIZE_MAX);
	for (i = 0; i < CALLS; i++)
		MUST(!cl.open[i]);
	MUST(gk_broker_browsers(b) == 0);
	fz_detach(&br);
	fz_detach(&cl);
	gk_broker_free(b);
	gk_ctx_free(ctx);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole;

	if (size < 1)
		return 0;
	whole = run(data + 1, size - 1, size);
	MUST(whole == run(data + 1, size - 1, 1 + data[0] % 13));
	return 0;
}

FZ_LINES_MUTATOR(1)
