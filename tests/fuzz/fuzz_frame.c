/*
 * Native-messaging frames.  Property: how the bytes were cut up does not
 * matter, nor whether frames may be views of them, nor whether they were read
 * straight to where the reader wants them; and never is more held than arrived.
 */
#include "mutate.h"
#include "fuzz.h"

#include "base/ctx.h"
#include "codec/frame.h"

#define MAX	300

/* Every frame, the final code and the kind of end; step bytes at a time.
 * place: to where the reader says, when it does. */
static uint64_t
digest(struct genkan_ctx *ctx, const uint8_t *data, size_t size, size_t step,
    bool borrow, bool place)
{
	const uint8_t *from;
	void *to;

	size_t at = 0, n, used, k;
	uint64_t h = FOLD_START;
	struct gk_frame f;
	int r = 0, eof;

	gk_frame_init(&f, ctx, MAX, borrow);
	while (at < size && r >= 0) {
		n = GK_MIN(step, size - at);
		from = data + at;
		if (place && (k = gk_frame_room(&f, 1, &to)) > 0) {
			MUST(k <= f.size - f.body.len);
			n = GK_MIN(n, k);
			from = memcpy(to, from, n);
		}
		for (k = 0; k < n && r >= 0; k += used) {
			r = gk_frame_feed(&f, from + k, n - k, &used);
			MUST(used <= n - k);
			MUST(r != 0 || used == n - k);
			MUST(f.body.cap <= 2 * (at + k + used) + 256);
			if (r == 1) {
				struct gk_span s = gk_frame_get(&f);

				MUST(s.len > 0 && s.len <= MAX);
				h = fold(h, s.ptr, s.len);
			} else {
				MUST(gk_frame_get(&f).ptr == NULL);
			}
		}
		at += k;
	}
	eof = gk_frame_eof(&f);
	h = fold(h, &r, r < 0 ? sizeof(r) : 0);
	h = fold(h, &eof, sizeof(eof));
	gk_frame_done(&f);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;
	uint64_t whole;

	if (size < 1 || gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	whole = digest(ctx, data + 1, size - 1, size, true, false);
	MUST(whole == digest(ctx, data + 1, size - 1, size, false,
	    false));
	MUST(whole == digest(ctx, data + 1, size - 1, 1 + data[0] % 7, true,
	    false));
	MUST(whole == digest(ctx, data + 1, size - 1, 1 + data[0] % 61,
	    false, false));
	MUST(whole == digest(ctx, data + 1, size - 1, 1 + data[0] % 61,
	    true, true));
	gk_ctx_free(ctx);
	return 0;
}

#ifdef GK_FUZZING
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (size < 2 || seed % 4 == 0)
		return LLVMFuzzerMutate(data, size, max);
	(void)fz_mutate_frames(data, &size, max, 1, size - 1, seed / 4,
	    fz_mutate_part);
	return size;
}
#endif
