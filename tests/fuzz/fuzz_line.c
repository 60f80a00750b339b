/*
 * Lines.  Property: how the bytes were cut up does not matter, nor whether
 * lines may be views of them, nor whether they were read straight to where the
 * reader wants them; what comes out is never blank, never over the
 * cap, and has no LF.
 */
#include "fuzz.h"

#include <string.h>

#include "base/ctx.h"
#include "codec/line.h"

static uint64_t
take(uint64_t h, const struct gk_line *l, size_t cap)
{
	struct gk_span s = gk_line_get(l);

	MUST(s.len > 0 && s.len <= cap);
	MUST(memchr(s.ptr, '\n', s.len) == NULL);
	MUST(strchr(" \t\r", s.ptr[0]) == NULL || s.ptr[0] == '\0');
	MUST(s.ptr[s.len - 1] != '\r');
	return fold(h, s.ptr, s.len);
}

enum how { COPY, BORROW, PLACE };

/* PLACE: borrowed, and to where the reader says, when it does. */
static uint64_t
digest(struct genkan_ctx *ctx, const uint8_t *data, size_t size, size_t step,
    size_t cap, enum gk_line_mode mode, enum how how)
{
	const uint8_t *from;
	void *to;

	size_t at = 0, n, used, k;
	uint64_t h = FOLD_START;
	struct gk_line l;
	int r = 0;

	gk_line_init(&l, ctx, cap, mode, how != COPY);
	while (at < size && l.err == 0) {
		n = GK_MIN(step, size - at);
		from = data + at;
		if (how == PLACE && (k = gk_line_room(&l, 1, &to)) > 0) {
			MUST(k <= cap - l.seen);
			n = GK_MIN(n, k);
			from = memcpy(to, from, n);
		}
		for (k = 0; k < n && l.err == 0; k += used) {
			r = gk_line_feed(&l, from + k, n - k, &used);
			MUST(used <= n - k);
			MUST(r != 0 || used == n - k);
			MUST(l.held.len <= cap);
			if (r == 1)
				h = take(h, &l, cap);
			else if (r < 0)
				h = fold(h, &r, sizeof(r));
			if (how != COPY)
				gk_line_over(&l);
		}
		at += k;
	}
	if (l.err == 0 && gk_line_eof(&l) == 1)
		h = fold(take(h, &l, cap), "eof", 3);
	MUST(mode != GK_LINE_STDIO || l.err == 0);
	gk_line_done(&l);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum gk_line_mode mode;
	struct genkan_ctx *ctx;
	size_t cap, step;
	uint64_t whole;

	if (size < 2 || gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	mode = data[0] & 0x80 ? GK_LINE_SOCKET : GK_LINE_STDIO;
	step = 1 + data[0] % 31;
	cap = 1 + data[1] % 80;
	data += 2;
	size -= 2;
	whole = digest(ctx, data, size, size + 1, cap, mode, BORROW);
	MUST(whole == digest(ctx, data, size, size + 1, cap, mode, COPY));
	MUST(whole == digest(ctx, data, size, 1, cap, mode, BORROW));
	MUST(whole == digest(ctx, data, size, step, cap, mode, BORROW));
	MUST(whole == digest(ctx, data, size, step, cap, mode, COPY));
	MUST(whole == digest(ctx, data, size, step, cap, mode, PLACE));
	if (mode == GK_LINE_SOCKET)
		MUST(whole == digest(ctx, data, size, step, cap, GK_LINE_SETUP,
		    BORROW));
	gk_ctx_free(ctx);
	return 0;
}
