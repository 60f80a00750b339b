/*
 * Connection set-up from the dialling side, against a server that says
 * anything (wire 5.2, 5.3, 6.2).  Properties: how the bytes were cut up does
 * not matter; nothing is said before a challenge, and then just the response
 * with the MAC of this nonce as it came and the attach frame, once; what is
 * behind the reply is not eaten; an error is final.
 *
 * The first byte says how the bytes are cut, and whether there is a label.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/clock.h"
#include "codec/hex.h"
#include "codec/jstr.h"
#include "proto/dial.h"
#include "proto/queue.h"

#define SECRET	"00112233445566778899aabbccddeeff"

/* The response to the challenge that is the first line of the input. */
static void
check_mac(struct genkan_ctx *ctx, struct gk_span line, struct gk_span said,
    const char *label)
{
	struct gk_hs_challenge ch;
	struct gk_member top[4], v;
	uint8_t mac[GK_MAC_BYTES];
	char hex[GK_MAC_HEX + 1];
	struct gk_scan scan;

	MUST(gk_hs_challenge_read(ctx, line, &ch) == 0);
	gk_hs_mac((const uint8_t *)SECRET, gk_span(ch.nonce, ch.len),
	    *label != '\0' ? gk_span_str(label) : gk_span(NULL, 0), mac);
	gk_hex_encode(hex, mac, sizeof(mac));
	hex[GK_MAC_HEX] = '\0';
	MUST(gk_scan(ctx, said.ptr, said.len, top, 4, &scan) == 0);
	MUST(gk_scan_find(&scan, "mac", &v) && gk_jstr_is(&v, hex));
	MUST(gk_scan_find(&scan, "label", &v) == (*label != '\0'));
}

/* What was taken for the reply: it is the line that ends here. */
static void
check_reply(struct genkan_ctx *ctx, const char *p, size_t end,
    const struct gk_attach_reply *got)
{
	struct gk_attach_reply want;
	const char *lf = memrchr(p, '\n', end - 1);
	size_t from = lf == NULL ? 0 : (size_t)(lf - p) + 1;

	MUST(p[--end] == '\n');
	while (end > from && p[end - 1] == '\r')
		end--;
	MUST(gk_attach_reply_read(ctx, gk_span(p + from, end - from),
	    &want) == 0);
	MUST(want.verdict == got->verdict &&
	    strcmp(want.reason, got->reason) == 0);
}

/* The first line of the input that is not blank. */
static struct gk_span
first_line(const char *p, size_t size)
{
	const char *end = p + size, *lf, *stop;

	for (; p < end; p = lf + 1) {
		if ((lf = memchr(p, '\n', (size_t)(end - p))) == NULL)
			break;
		for (stop = lf; stop > p && stop[-1] == '\r'; stop--)
			;
		for (; p < stop && (*p == ' ' || *p == '\t' || *p == '\r');
		    p++)
			;
		if (p < stop)
			return gk_span(p, (size_t)(stop - p));
	}
	return gk_span(NULL, 0);
}

static uint64_t
digest(struct genkan_ctx *ctx, const uint8_t *data, size_t size, size_t step,
    const char *label)
{
	struct gk_attach attach;
	struct gk_dial d;
	struct gk_outq out;
	uint64_t h = FOLD_START;
	size_t at = 0, used, n, len;
	const void *p;
	int r = 0;

	memset(&attach, 0, sizeof(attach));
	attach.role = *label != '\0' ? GK_ATTACH_BROWSER : GK_ATTACH_CLIENT;
	gk_outq_init(&out, ctx, 1 << 16);
	gk_dial_init(&d, ctx, &out, (const uint8_t *)SECRET, label, &attach);
	while (at < size && r == 0) {
		MUST(d.challenged == (out.count > 0));
		n = step < size - at ? step : size - at;
		r = gk_dial_feed(&d, data + at, n, &used);
		MUST(used <= n && (r != 0 || used == n));
		at += used;
	}
	h = fold(h, &r, sizeof(r));
	if (r == 1) {
		h = fold(h, &at, sizeof(at));
		h = fold(h, &d.reply.verdict, sizeof(d.reply.verdict));
		h = fold(h, d.reply.reason, strlen(d.reply.reason));
		MUST(d.replied && d.challenged && out.count > 0);
		check_reply(ctx, (const char *)data, at, &d.reply);
	} else if (r < 0) {
		MUST(gk_dial_feed(&d, "x\n", 2, &used) == r);
	}
	if (out.count > 0) {
		MUST(gk_outq_output(&out, &p, &len));
		n = (size_t)((const char *)memchr(p, '\n', len) -
		    (const char *)p);
		check_mac(ctx, first_line((const char *)data, size),
		    gk_span(p, n), label);
	}
	for (; gk_outq_output(&out, &p, &len); gk_outq_wrote(&out, len))
		h = fold(h, p, len);
	gk_dial_done(&d);
	gk_outq_clear(&out);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *label;
	struct genkan_ctx *ctx;
	uint64_t h;

	if (size < 2 || gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	label = data[0] & 0x80 ? "chrome" : "";
	h = digest(ctx, data + 1, size - 1, size, label);
	MUST(h == digest(ctx, data + 1, size - 1, 1 + data[0] % 31, label));
	gk_ctx_free(ctx);
	return 0;
}

FZ_LINES_MUTATOR(1)
