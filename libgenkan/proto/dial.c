/* See dial.h. */
#include "proto/dial.h"

#include "base/alloc.h"
#include "proto/queue.h"

void
gk_dial_init(struct gk_dial *d, struct genkan_ctx *ctx, struct gk_outq *out,
    const uint8_t secret[GK_SECRET_HEX], const char *label,
    const struct gk_attach *attach)
{
	memset(d, 0, sizeof(*d));
	d->ctx = ctx;
	d->out = out;
	d->deadline = gk_clock_after(ctx, GK_SETUP_READ_MS);
	d->attach = *attach;
	memcpy(d->secret, secret, sizeof(d->secret));
	if (label != NULL)
		memcpy(d->label, label,
		    GK_MIN(strlen(label), sizeof(d->label) - 1));
	gk_line_init(&d->in, ctx, GK_SETUP_LINE_MAX, GK_LINE_SETUP, true);
}

void
gk_dial_done(struct gk_dial *d)
{
	if (d->ctx == NULL)
		return;
	gk_line_done(&d->in);
	gk_wipe(d->secret, sizeof(d->secret));
}

/* Challenge in; response and attach frame out.  The broker reads the second
 * only after it has verified the first, so there is nothing to wait for. */
static int
answer(struct gk_dial *d)
{
	struct gk_hs_challenge ch;
	struct gk_span label = gk_span(NULL, 0);
	uint8_t mac[GK_MAC_BYTES];
	struct gk_buf lines;
	int r;

	r = gk_hs_challenge_read(d->ctx, gk_line_get(&d->in), &ch);
	if (r < 0)
		return r;
	if (d->label[0] != '\0')
		label = gk_span_str(d->label);
	gk_hs_mac(d->secret, gk_span(ch.nonce, ch.len), label, mac);
	gk_wipe(d->secret, sizeof(d->secret));

	gk_buf_init(&lines, d->ctx, 2 * GK_SETUP_LINE_MAX);
	r = gk_hs_response_write(&lines, mac, label);
	if (r == 0)
		r = gk_attach_write(&lines, &d->attach);
	if (r == 0)
		r = gk_outq_move(d->out, &lines, NULL);
	gk_buf_done(&lines);
	if (r < 0)
		return r;
	d->challenged = true;
	d->deadline = gk_clock_after(d->ctx, GK_SETUP_READ_MS);
	return 0;
}

static int
take_line(struct gk_dial *d)
{
	int r;

	if (!d->challenged)
		return answer(d);
	r = gk_attach_reply_read(d->ctx, gk_line_get(&d->in), &d->reply);
	if (r < 0)
		return r;
	d->replied = true;
	d->deadline = GK_CLOCK_NEVER;
	return 1;
}

int
gk_dial_feed(struct gk_dial *d, const void *buf, size_t len, size_t *used)
{
	size_t n;
	int r = 0;

	*used = 0;
	if (d->err < 0)
		return d->err;
	while (r == 0 && !d->replied && *used < len) {
		r = gk_line_feed(&d->in, (const char *)buf + *used,
		    len - *used, &n);
		*used += n;
		if (r == 1)
			r = take_line(d);
		else if (r == 0 && n == 0)
			break;
	}
	if (r < 0)
		d->err = r;
	return r;
}

int
gk_dial_eof(struct gk_dial *d)
{
	if (d->err == 0)
		d->err = GENKAN_E_EOF;
	return d->err;
}

int
gk_dial_tick(struct gk_dial *d)
{
	if (d->err == 0 && gk_now(d->ctx) >= d->deadline)
		d->err = GENKAN_E_TIMEOUT;
	return d->err;
}
