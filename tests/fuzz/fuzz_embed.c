/*
 * A client that is attached to a broker which says anything.  Properties: how
 * the bytes were cut up does not matter; every call ends at most once, and once
 * the connection is over, what was sent has ended and what was not is still
 * held; text and data of a result have a NUL behind them.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/clock.h"
#include "engine/embed.h"
#include "engine/host.h"
#include "proto/machine.h"

#define SECRET	"00112233445566778899aabbccddeeff"
#define CALLS	5	/* numbers 1 to 5: a list, three sent, one held back */

#define CHALLENGE	"{\"type\":\"challenge\",\"nonce\":\"00\"}\n"
#define ACCEPTED	"{\"attach_reply\":\"accepted\"}\n"
#define OPENED		"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":" \
	"{\"protocolVersion\":\"2025-11-25\"}}\n"

struct run {
	struct genkan_ctx	*ctx;
	struct gk_embed		*e;
	struct genkan_leg	*leg;
	int			 ended[CALLS + 1];
};

static void
feed(struct genkan_leg *leg, const void *buf, size_t len)
{
	size_t used;

	(void)gk_leg_feed(leg, buf, len, &used);
	MUST(used == len);
}

static void
start(struct run *r)
{
	struct gk_dialling d;
	struct gk_embed_event ev;
	const void *p;
	uint64_t id;
	size_t len;
	int i;

	memset(r, 0, sizeof(*r));
	memset(&d, 0, sizeof(d));
	d.outcome = GK_DIALLED_OK;
	memcpy(d.secret, SECRET, sizeof(d.secret));
	MUST(gk_ctx_new(NULL, -1, &r->ctx) == 0);
	gk_clock_set(r->ctx, 1000);
	r->e = gk_embed_new(r->ctx);
	MUST(r->e != NULL && gk_embed_attach(r->e) == 0);
	MUST(gk_embed_next(r->e, &ev) == GK_EMBED_DIAL);
	gk_embed_dialled(r->e, &d, "", &r->leg);
	feed(r->leg, CHALLENGE, sizeof(CHALLENGE) - 1);
	feed(r->leg, ACCEPTED, sizeof(ACCEPTED) - 1);
	feed(r->leg, OPENED, sizeof(OPENED) - 1);
	MUST(gk_embed_next(r->e, &ev) == GK_EMBED_STATE && ev.attached);
	for (i = 1; i <= CALLS; i++)
		MUST(gk_embed_call(r->e, i == 1 ? gk_span(NULL, 0) :
		    gk_span_str("tab_list"), gk_span(NULL, 0), 0, &id) == 0);
	for (i = 0; i < 1 + 1 + CALLS - 1; i++) {  /* set-up, opener, calls */
		MUST(gk_leg_output(r->leg, &p, &len) == 1);
		gk_leg_wrote(r->leg, len);
	}
}

static uint64_t
check(struct run *r, uint64_t h)
{
	struct gk_embed_event ev;

	while (gk_embed_next(r->e, &ev) != GK_EMBED_NOTHING) {
		MUST(ev.kind != GK_EMBED_DIAL);
		/* Of progress the last one counts, so reads show in it. */
		if (ev.kind == GK_EMBED_PROGRESS)
			continue;
		if (ev.kind == GK_EMBED_RESULT) {
			MUST(ev.id >= 1 && ev.id < CALLS);
			MUST(++r->ended[ev.id] == 1);
			MUST(ev.code >= 0 && ev.code <= GK_CODE_INTERNAL_ERROR);
		} else {
			MUST(!ev.attached && ev.code < 0);
		}
		MUST(ev.text.ptr == NULL || ev.text.ptr[ev.text.len] == '\0');
		MUST(ev.data.ptr == NULL || ev.data.ptr[ev.data.len] == '\0');
		h = fold(h, &ev.id, sizeof(ev.id));
		h = fold(h, &ev.code, sizeof(ev.code));
		h = fold(h, ev.text.ptr, ev.text.len);
		h = fold(h, ev.data.ptr, ev.data.len);
	}
	return h;
}

static uint64_t
digest(const uint8_t *data, size_t size, size_t step)
{
	uint64_t h = FOLD_START;
	struct run r;
	size_t at, n;
	int i;

	start(&r);
	for (at = 0; at < size; at += n) {
		n = step < size - at ? step : size - at;
		feed(r.leg, data + at, n);
		h = check(&r, h);
	}
	gk_leg_eof(r.leg);
	h = check(&r, h);
	for (i = 1; i < CALLS; i++)
		MUST(r.ended[i] == 1);
	MUST(gk_embed_outstanding(r.e) == 1);
	MUST(gk_embed_state(r.e) == GK_EMBED_DETACHED);
	MUST(gk_leg_wants(r.leg) == GENKAN_WANT_CLOSE);
	gk_leg_free(r.leg);
	gk_embed_free(r.e);
	gk_ctx_free(r.ctx);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t h;

	if (size < 2)
		return 0;
	h = digest(data + 1, size - 1, size);
	MUST(h == digest(data + 1, size - 1, 1 + data[0] % 29));
	return 0;
}

FZ_LINES_MUTATOR(1)
