/*
 * Connection set-up from the broker's side: whatever arrives, in whatever
 * pieces, the same comes out; nobody gets through without the MAC of this
 * nonce, and what is behind the attach frame is never eaten.
 *
 * The input follows a right response where its first byte is odd, so that the
 * attach frame is reached too.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/clock.h"
#include "codec/hex.h"
#include "proto/accept.h"
#include "proto/queue.h"

#define SECRET	"00112233445566778899aabbccddeeff"

static int
zeroes(void *user, void *buf, size_t len)
{
	(void)user;
	memset(buf, 0, len);
	return 0;
}

static uint64_t
digest(struct genkan_ctx *ctx, const uint8_t *data, size_t size, size_t step,
    bool *attached)
{
	size_t at = 0, used, n;
	struct gk_accept a;
	struct gk_outq out;
	uint64_t h = FOLD_START;
	int r = 0;

	gk_outq_init(&out, ctx, 1 << 16);
	MUST(gk_accept_init(&a, ctx, &out) == 0);
	while (at < size && r >= 0 && r != GK_ACCEPT_ATTACH) {
		n = step < size - at ? step : size - at;
		r = gk_accept_feed(&a, data + at, n, &used);
		MUST(used <= n);
		MUST(r != GK_ACCEPT_MORE || used == n || a.err < 0);
		at += used;
		if (r == GK_ACCEPT_RESPONSE) {
			/* What is behind it waits for the answer. */
			MUST(gk_accept_feed(&a, data + at, size - at,
			    &used) == GK_ACCEPT_MORE && used == 0);
			r = gk_accept_secret(&a, (const uint8_t *)SECRET);
		}
	}
	MUST(out.count == 1);		/* the challenge, and not a byte more */
	h = fold(h, &r, sizeof(r));
	h = fold(h, &a.step, sizeof(a.step));
	*attached = r == GK_ACCEPT_ATTACH;
	if (*attached) {
		h = fold(h, &at, sizeof(at));
		h = fold(h, a.label, strlen(a.label));
		h = fold(h, a.attach.hash, strlen(a.attach.hash));
		MUST(data[at - 1] == '\n');
		MUST(a.attach.role == GK_ATTACH_BROWSER || !a.has_label);
		MUST(a.attach.role == GK_ATTACH_CLIENT ||
		    !a.attach.has_harness);
	}
	gk_accept_done(&a);
	gk_outq_clear(&out);
	return h;
}

/* A response that verifies under the nonce of zeroes. */
static size_t
response(char *ret, size_t size, const char *label)
{
	uint8_t mac[GK_MAC_BYTES];
	char hex[GK_MAC_HEX + 1];

	gk_hs_mac((const uint8_t *)SECRET,
	    gk_span_str("00000000000000000000000000000000"),
	    label != NULL ? gk_span_str(label) : gk_span(NULL, 0), mac);
	gk_hex_encode(hex, mac, sizeof(mac));
	return (size_t)snprintf(ret, size, label != NULL ?
	    "{\"type\":\"response\",\"mac\":\"%s\",\"label\":\"%s\"}\n" :
	    "{\"type\":\"response\",\"mac\":\"%s\"}\n", hex, label);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_ctx_hooks hooks = { .random = zeroes };
	struct genkan_ctx *ctx;
	uint8_t *all;
	size_t n = 0;
	bool in, again;
	uint64_t h;

	if (size < 2 || gk_ctx_new(&hooks, -1, &ctx) < 0)
		return 0;
	all = malloc(size + 512);
	MUST(all != NULL);
	if (data[0] & 1)
		n = response((char *)all, 512, data[0] & 2 ? "chrome" : NULL);
	memcpy(all + n, data + 2, size - 2);
	n += size - 2;
	h = digest(ctx, all, n, n + 1, &in);
	MUST(h == digest(ctx, all, n, 1 + data[1] % 31, &again));
	MUST(in == again);
	/* Without the right response in front nobody guesses the MAC. */
	MUST(!in || (data[0] & 1));
	free(all);
	gk_ctx_free(ctx);
	return 0;
}

FZ_LINES_MUTATOR(2)
