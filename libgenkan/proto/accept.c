/* See accept.h. */
#include "proto/accept.h"

#include "base/err.h"
#include "base/rng.h"
#include "codec/hex.h"
#include "proto/queue.h"

#define STEP_HANDSHAKE	4
#define STEP_ATTACH	5
#define STEP_DONE	6

int
gk_accept_init(struct gk_accept *a, struct genkan_ctx *ctx,
    struct gk_outq *out)
{
	uint8_t raw[GK_NONCE_BYTES];
	struct gk_buf line;
	int r;

	memset(a, 0, sizeof(*a));
	a->ctx = ctx;
	a->step = STEP_HANDSHAKE;
	a->deadline = gk_clock_after(ctx, GK_SETUP_READ_MS);
	gk_line_init(&a->in, ctx, GK_SETUP_LINE_MAX, GK_LINE_SETUP, true);

	if ((r = gk_rng_bytes(ctx, raw, sizeof(raw))) < 0)
		return a->err = r;
	gk_hex_encode(a->nonce, raw, sizeof(raw));
	gk_buf_init(&line, ctx, GK_SETUP_LINE_MAX);
	r = gk_hs_challenge_write(&line, gk_span(a->nonce, GK_NONCE_HEX));
	if (r == 0)
		r = gk_outq_move(out, &line, NULL);
	gk_buf_done(&line);
	return a->err = r;
}

void
gk_accept_done(struct gk_accept *a)
{
	if (a->ctx == NULL)
		return;
	gk_line_done(&a->in);
	gk_hs_response_done(&a->response);
}

/* The attach frame, judged for what the response already said. */
static int
take_attach(struct gk_accept *a)
{
	int r;

	r = gk_attach_read(a->ctx, gk_line_get(&a->in), &a->attach);
	if (r < 0)
		return r;
	if (a->attach.role == GK_ATTACH_CLIENT && a->has_label)
		return GENKAN_E_AUTH_STATE;	/* only hosts send one */
	a->step = STEP_DONE;
	a->deadline = GK_CLOCK_NEVER;
	return GK_ACCEPT_ATTACH;
}

static int
take_line(struct gk_accept *a)
{
	int r;

	if (a->step == STEP_ATTACH)
		return take_attach(a);
	r = gk_hs_response_read(a->ctx, gk_line_get(&a->in), &a->response);
	if (r < 0)
		return r;
	a->asked = true;
	return GK_ACCEPT_RESPONSE;
}

int
gk_accept_feed(struct gk_accept *a, const void *buf, size_t len, size_t *used)
{
	int r;

	*used = 0;
	if (a->err < 0)
		return a->err;
	if (len > 0)
		a->heard = true;
	/* Nothing is read ahead of an answer that is due from us. */
	if (a->asked || a->step == STEP_DONE)
		return GK_ACCEPT_MORE;
	r = gk_line_feed(&a->in, buf, len, used);
	if (r == 1)
		r = take_line(a);
	if (r < 0)
		a->err = r;
	return r;
}

int
gk_accept_secret(struct gk_accept *a, const uint8_t secret[GK_SECRET_HEX])
{
	int r;

	if (a->err < 0)
		return a->err;
	if (!a->asked || a->step != STEP_HANDSHAKE)
		return a->err = gk_bug(a->ctx, "secret for no response");
	a->asked = false;
	if (secret == NULL)
		return a->err = GENKAN_E_AUTH_MAC;
	r = gk_hs_verify(&a->response, secret, gk_span(a->nonce, GK_NONCE_HEX),
	    a->label);
	a->has_label = a->response.has_label;
	gk_hs_response_done(&a->response);
	if (r < 0)
		return a->err = r;
	a->step = STEP_ATTACH;
	a->deadline = gk_clock_after(a->ctx, GK_SETUP_READ_MS);
	return 0;
}

int
gk_accept_eof(struct gk_accept *a)
{
	if (a->err == 0)
		a->err = GENKAN_E_EOF;
	return a->err;
}

int
gk_accept_tick(struct gk_accept *a)
{
	if (a->err == 0 && gk_now(a->ctx) >= a->deadline)
		a->err = GENKAN_E_TIMEOUT;
	return a->err;
}
