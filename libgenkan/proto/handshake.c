/* See handshake.h. */
#include "proto/handshake.h"

#include "base/alloc.h"
#include "base/str.h"
#include "codec/field.h"
#include "codec/hex.h"
#include "codec/jstr.h"

#define LINE_MAX_	GK_SETUP_LINE_MAX

void
gk_hs_mac(const uint8_t secret[GK_SECRET_HEX], struct gk_span nonce,
    struct gk_span label, uint8_t ret[GK_MAC_BYTES])
{
	struct gk_span part[3] = { nonce, gk_span("", 1), label };

	gk_mac(secret, GK_SECRET_HEX, part, label.ptr != NULL ? 3 : 1, ret);
}

/*
 * The members of a strict frame of one type.  Another type is told apart from
 * other faults, since that is what a frame of the wrong direction looks like.
 */
static int
frame_read(struct genkan_ctx *ctx, struct gk_span line, const char *type,
    const struct gk_field *tab, size_t n, struct gk_member *ret)
{
	struct gk_member top[8], m;
	struct gk_scan scan;
	int r;

	r = gk_scan(ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top), &scan);
	if (r < 0)
		return r;
	if (!gk_scan_find(&scan, "type", &m) || !gk_jstr_is(&m, type))
		return GENKAN_E_FRAME_TYPE;
	return gk_fields_scan(&scan, tab, n, false, ret, NULL);
}

int
gk_hs_challenge_write(struct gk_buf *b, struct gk_span nonce)
{
	return gk_buf_putf(b, "{\"type\":\"challenge\",\"nonce\":\"%.*s\"}\n",
	    (int)nonce.len, nonce.ptr);
}

int
gk_hs_challenge_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_hs_challenge *ret)
{
	static const struct gk_field tab[] = {
		{ "type",  GK_J_STRING, 0, 0, 0 },
		{ "nonce", GK_J_STRING, 0, 1, GK_NONCE_HEX_MAX },
	};
	struct gk_member m[GK_ARRAY_LEN(tab)];
	struct gk_buf text;
	struct gk_span nonce;
	int r;

	r = frame_read(ctx, line, "challenge", tab, GK_ARRAY_LEN(tab), m);
	if (r < 0)
		return r;
	gk_buf_init(&text, ctx, GK_NONCE_HEX_MAX);
	r = gk_jstr_text(&m[1], &text, &nonce);
	if (r == 0 && !gk_str_is_hex(nonce.ptr, nonce.len))
		r = GENKAN_E_FRAME_MEMBER;
	if (r == 0) {
		memcpy(ret->nonce, nonce.ptr, nonce.len);
		ret->len = nonce.len;
	}
	gk_buf_done(&text);
	return r;
}

int
gk_hs_response_write(struct gk_buf *b, const uint8_t mac[GK_MAC_BYTES],
    struct gk_span label)
{
	char hex[GK_MAC_HEX + 1];
	struct gk_buf line;
	int r;

	gk_hex_encode(hex, mac, GK_MAC_BYTES);
	gk_buf_init(&line, b->ctx, LINE_MAX_);
	r = gk_buf_putf(&line, "{\"type\":\"response\",\"mac\":\"%s\"", hex);
	if (r == 0 && label.ptr != NULL)
		r = gk_json_put_str_member(&line, "label", label.ptr,
		    label.len);
	if (r == 0)
		r = gk_buf_puts(&line, "}\n");
	if (r == 0)
		r = gk_buf_put_span(b, gk_buf_span(&line));
	gk_buf_done(&line);
	return r;
}

/* Even length and nothing but hex digits; a wrong length is a mismatch, and
 * not a fault of the frame. */
static int
mac_read(struct genkan_ctx *ctx, const struct gk_member *m,
    struct gk_hs_response *ret)
{
	struct gk_buf text;
	struct gk_span hex;
	size_t n;
	int r;

	gk_buf_init(&text, ctx, LINE_MAX_);
	r = gk_jstr_text(m, &text, &hex);
	if (r == 0 && (hex.len % 2 != 0 || !gk_str_is_hex(hex.ptr, hex.len)))
		r = GENKAN_E_FRAME_MEMBER;
	if (r == 0 && hex.len == GK_MAC_HEX)
		ret->mac_ok = gk_hex_decode(GK_HEX_ANY, hex.ptr, hex.len,
		    ret->mac, sizeof(ret->mac), &n) == 0;
	gk_buf_done(&text);
	return r;
}

int
gk_hs_response_read(struct genkan_ctx *ctx, struct gk_span line,
    struct gk_hs_response *ret)
{
	static const struct gk_field tab[] = {
		{ "type",  GK_J_STRING, 0, 0, 0 },
		{ "mac",   GK_J_STRING, 0, 0, 0 },
		{ "label", GK_J_STRING, GK_F_OPTIONAL, 0, 0 },
	};
	struct gk_member m[GK_ARRAY_LEN(tab)];
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->ctx = ctx;
	gk_buf_init(&ret->label, ctx, LINE_MAX_);
	r = frame_read(ctx, line, "response", tab, GK_ARRAY_LEN(tab), m);
	if (r == 0)
		r = mac_read(ctx, &m[1], ret);
	if (r == 0 && m[2].type != 0) {
		ret->has_label = true;
		r = gk_jstr_decode(&ret->label, m[2].value);
	}
	return r;
}

void
gk_hs_response_done(struct gk_hs_response *resp)
{
	if (resp->ctx == NULL)
		return;
	gk_buf_done(&resp->label);
	gk_wipe(resp->mac, sizeof(resp->mac));
}

int
gk_hs_verify(const struct gk_hs_response *resp,
    const uint8_t secret[GK_SECRET_HEX], struct gk_span nonce,
    char label[GK_LABEL_MAX + 1])
{
	uint8_t want[GK_MAC_BYTES];
	struct gk_span sent = gk_span(NULL, 0);
	bool same;

	if (resp->has_label)
		sent = resp->label.len > 0 ? gk_buf_span(&resp->label) :
		    gk_span("", 0);
	gk_hs_mac(secret, nonce, sent, want);
	same = gk_mac_eq(want, sizeof(want), resp->mac,
	    resp->mac_ok ? sizeof(resp->mac) : 0);
	gk_wipe(want, sizeof(want));
	if (!same)
		return GENKAN_E_AUTH_MAC;

	if (!resp->has_label) {
		label[0] = '\0';
		return 0;
	}
	/* Only now: before, it was anybody's text. */
	if (!gk_str_is_label(sent.ptr, sent.len))
		return GENKAN_E_FRAME_MEMBER;
	(void)gk_str_copy(label, GK_LABEL_MAX + 1, sent.ptr, sent.len);
	return 0;
}
