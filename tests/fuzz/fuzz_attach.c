/*
 * The frames of attach and of the handshake as lines: what is accepted is
 * written back in its one form, and reads as the same again.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/buf.h"
#include "base/ctx.h"
#include "base/str.h"
#include "proto/attach.h"
#include "proto/handshake.h"

static void
check_attach(struct genkan_ctx *ctx, struct gk_span line)
{
	struct gk_attach a, b;
	struct gk_buf out;

	if (gk_attach_read(ctx, line, &a) < 0)
		return;
	MUST(a.role == GK_ATTACH_CLIENT || !a.has_harness);
	MUST(!a.has_harness || strlen(a.hash) == 40 || strlen(a.hash) == 64);
	MUST(a.name[0] == '\0' || gk_str_is_label(a.name, strlen(a.name)));
	MUST(gk_str_is_plain(a.signer, strlen(a.signer)));
	gk_buf_init(&out, ctx, 1 << 16);
	MUST(gk_attach_write(&out, &a) == 0);
	MUST(gk_attach_read(ctx, gk_span(out.ptr, out.len - 1), &b) == 0);
	MUST(a.role == b.role && a.has_harness == b.has_harness &&
	    strcmp(a.hash, b.hash) == 0 && strcmp(a.signer, b.signer) == 0 &&
	    strcmp(a.name, b.name) == 0);
	gk_buf_done(&out);
}

static void
check_reply(struct genkan_ctx *ctx, struct gk_span line)
{
	struct gk_attach_reply r;

	if (gk_attach_reply_read(ctx, line, &r) < 0)
		return;
	MUST(strlen(r.reason) < sizeof(r.reason));
	MUST(gk_str_is_plain(r.reason, strlen(r.reason)));
	MUST(r.verdict != GK_ATTACH_ACCEPTED || r.reason[0] == '\0');
}

static void
check_handshake(struct genkan_ctx *ctx, struct gk_span line)
{
	static const uint8_t secret[GK_SECRET_HEX] = "0011223344556677";
	struct gk_hs_challenge ch;
	struct gk_hs_response resp;
	char label[GK_LABEL_MAX + 1];

	if (gk_hs_challenge_read(ctx, line, &ch) == 0)
		MUST(ch.len >= 1 && ch.len <= sizeof(ch.nonce) &&
		    gk_str_is_hex(ch.nonce, ch.len));
	if (gk_hs_response_read(ctx, line, &resp) == 0)
		/* Nobody guesses it. */
		MUST(gk_hs_verify(&resp, secret, gk_span_str("00"), label) ==
		    GENKAN_E_AUTH_MAC);
	gk_hs_response_done(&resp);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_span line = gk_span(data, size);
	struct genkan_ctx *ctx;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	check_attach(ctx, line);
	check_reply(ctx, line);
	check_handshake(ctx, line);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
