/* The bridge's leg: set-up as a dialler, then lines in and out. */
#include "engine/host_impl.h"

#include <stdio.h>

#include "proto/envelope.h"

static inline struct gk_hbridge *
bridge_of(struct genkan_leg *leg)
{
	return (struct gk_hbridge *)leg;
}

static bool
may_read(const struct gk_hbridge *b)
{
	const struct gk_host *h = b->host;

	if (h == NULL)
		return false;
	if (h->stage == GK_HOST_SETUP)
		return true;
	return h->stage == GK_HOST_BRIDGE && h->browser != NULL &&
	    h->browser->out.held < GK_HOST_BACKLOG;
}

/* A control frame has no business here, in either direction: whoever sends it
 * speaks past the host. */
static void
route(struct gk_host *h, struct gk_span line)
{
	struct gk_member top[16];
	struct gk_scan scan;
	int r, tag;

	r = gk_scan(h->ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top),
	    &scan);
	if (r < 0) {
		gk_host_bridge_ended(h, r == GENKAN_E_NOMEM ? gk_err_text(r) :
		    "the broker sent a line that is no JSON object");
		return;
	}
	tag = gk_control_tag(&scan);
	if (tag != GK_TAG_NONE) {
		gk_log(h->ctx, GK_LOG_WARN, GK_HOST_TAG, "injected",
		    "%s came from the broker's side and is dropped",
		    gk_schema_frame(tag)->tag);
		return;
	}
	gk_hbrowser_send(h, &scan);
}

static int
feed_setup(struct gk_hbridge *b, const void *buf, size_t len, size_t *used)
{
	int r;

	r = gk_dial_feed(&b->dial, buf, len, used);
	if (r < 0)
		gk_host_setup_failed(b->host, gk_err_text(r));
	else if (r == 1 && b->dial.reply.verdict != GK_ATTACH_ACCEPTED)
		gk_host_setup_failed(b->host, b->dial.reply.reason);
	else if (r == 1)
		gk_host_attached(b->host);
	return r;
}

static int
feed_line(struct gk_hbridge *b, const void *buf, size_t len, size_t *used)
{
	int r;

	r = gk_line_feed(&b->in, buf, len, used);
	if (r == 1) {
		route(b->host, gk_line_get(&b->in));
		gk_line_over(&b->in);
	} else if (r < 0) {
		gk_host_bridge_ended(b->host, gk_err_text(r));
	}
	return r;
}

static int
bridge_feed(struct genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	struct gk_hbridge *b = bridge_of(leg);
	size_t n;
	int r;

	while (*used < len && may_read(b)) {
		n = 0;
		r = (b->host->stage == GK_HOST_SETUP ? feed_setup : feed_line)
		    (b, (const char *)buf + *used, len - *used, &n);
		*used += n;
		if (r == 0 && n == 0)
			break;
	}
	if (b->host == NULL || b->host->stage == GK_HOST_ENDING)
		*used = len;
	return 0;
}

static size_t
bridge_room(struct genkan_leg *leg, void **ret)
{
	return gk_line_room(&bridge_of(leg)->in, GK_LEG_ROOM, ret);
}

static void
ended(struct gk_hbridge *b, const char *why)
{
	if (b->host == NULL)
		return;
	if (b->host->stage == GK_HOST_SETUP)
		gk_host_setup_failed(b->host, why);
	else
		gk_host_bridge_ended(b->host, why);
}

static void
bridge_eof(struct genkan_leg *leg)
{
	ended(bridge_of(leg), "the broker closed the connection");
}

static void
bridge_broken(struct genkan_leg *leg)
{
	gk_outq_clear(&bridge_of(leg)->out);
	ended(bridge_of(leg), "the connection to the broker failed");
}

static int
bridge_output(struct genkan_leg *leg, const void **ptr, size_t *len)
{
	return gk_outq_output(&bridge_of(leg)->out, ptr, len);
}

static int
bridge_gather(struct genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	return gk_outq_gather(&bridge_of(leg)->out, buf, size, len);
}

static void
bridge_wrote(struct genkan_leg *leg, size_t n)
{
	gk_outq_wrote(&bridge_of(leg)->out, n);
}

static int
bridge_wants(const struct genkan_leg *leg)
{
	const struct gk_hbridge *b = (const struct gk_hbridge *)leg;
	int want = 0;

	if (!gk_outq_empty(&b->out))
		want |= GENKAN_WANT_WRITE;
	if (b->host == NULL)
		return want | GENKAN_WANT_CLOSE;
	if (may_read(b))
		want |= GENKAN_WANT_READ;
	return want;
}

static int64_t
bridge_deadline(const struct genkan_leg *leg)
{
	(void)leg;
	return GK_CLOCK_NEVER;
}

static void
bridge_tick(struct genkan_leg *leg)
{
	struct gk_hbridge *b = bridge_of(leg);

	if (b->host != NULL)
		gk_host_tick(b->host, gk_now(leg->ctx));
}

static void
bridge_free(struct genkan_leg *leg)
{
	struct gk_hbridge *b = bridge_of(leg);

	gk_outq_clear(&b->out);
	ended(b, "the connection was closed");
	if (b->host != NULL)
		b->host->bridge = NULL;
	gk_dial_done(&b->dial);
	gk_line_done(&b->in);
	gk_free(leg->ctx, b);
}

static const struct gk_leg_ops bridge_ops = {
	.name = "bridge",
	.feed = bridge_feed,
	.room = bridge_room,
	.eof = bridge_eof,
	.broken = bridge_broken,
	.output = bridge_output,
	.gather = bridge_gather,
	.wrote = bridge_wrote,
	.wants = bridge_wants,
	.deadline = bridge_deadline,
	.tick = bridge_tick,
	.free = bridge_free,
};

struct gk_hbridge *
gk_hbridge_new(struct gk_host *h, const uint8_t secret[GK_SECRET_HEX])
{
	const struct gk_attach attach = { .role = GK_ATTACH_BROWSER };
	struct gk_hbridge *b;

	b = gk_calloc(h->ctx, 1, sizeof(*b));
	if (b == NULL)
		return NULL;
	b->leg.ops = &bridge_ops;
	b->leg.ctx = h->ctx;
	b->host = h;
	gk_outq_init(&b->out, h->ctx, SIZE_MAX);
	gk_line_init(&b->in, h->ctx, GK_BRIDGE_LINE_MAX, GK_LINE_SOCKET,
	    true);
	gk_dial_init(&b->dial, h->ctx, &b->out, secret, h->label, &attach);
	return b;
}

void
gk_hbridge_over(struct gk_host *h)
{
	if (h->bridge == NULL)
		return;
	gk_outq_clear(&h->bridge->out);
	h->bridge->host = NULL;
	h->bridge = NULL;
}

static void
send_failed(struct gk_host *h, int r)
{
	gk_log(h->ctx, GK_LOG_ERROR, GK_HOST_TAG, "bridge-failed",
	    "a frame for the broker was lost: %s", gk_err_text(r));
	gk_host_lost(h);
}

void
gk_hbridge_too_large(struct gk_host *h, int64_t id, size_t size, size_t limit)
{
	struct gk_buf line;
	char text[128];
	int r;

	if (h->bridge == NULL)
		return;
	(void)snprintf(text, sizeof(text), "a frame of %zu bytes is over the "
	    "limit of %zu bytes", size, limit);
	gk_buf_init(&line, h->ctx, GK_SETUP_LINE_MAX);
	r = gk_failure_write(&line, id, GK_CODE_PAYLOAD_TOO_LARGE, text);
	if (r == 0)
		r = gk_outq_move(&h->bridge->out, &line, NULL);
	gk_buf_done(&line);
	if (r < 0)
		send_failed(h, r);
}

/* The line would pass the cap: a response is replaced, all else is lost. */
static void
too_large(struct gk_host *h, const struct gk_scan *scan, size_t size)
{
	struct gk_member id, ok;

	if (gk_scan_find(scan, "id", &id) && id.type == GK_J_INT &&
	    id.integer <= GK_INTEGER_MAX && id.integer >= -GK_INTEGER_MAX &&
	    gk_scan_find(scan, "ok", &ok) && (ok.type & GK_J_BOOL)) {
		gk_hbridge_too_large(h, id.integer, size, GK_BRIDGE_LINE_MAX);
		return;
	}
	gk_log(h->ctx, GK_LOG_WARN, GK_HOST_TAG, "dropped",
	    "a frame of %zu bytes from the browser is over the limit of a "
	    "line, %d", size, (int)GK_BRIDGE_LINE_MAX);
}

static int
send_compact(struct gk_host *h, const struct gk_scan *scan)
{
	struct gk_buf line;
	int r;

	gk_buf_init(&line, h->ctx, scan->text.len + 1);
	r = gk_scan_compact(&line, scan->text);
	if (r == 0)
		r = gk_buf_putc(&line, '\n');
	if (r == 0 && line.len > GK_BRIDGE_LINE_MAX)
		too_large(h, scan, line.len);
	else if (r == 0)
		r = gk_outq_move(&h->bridge->out, &line, NULL);
	gk_buf_done(&line);
	return r;
}

/* A frame that was put together is moved on, what lies in the fed bytes is
 * copied. */
static int
send_line(struct gk_host *h, struct gk_span json)
{
	struct gk_span v[2] = { json, gk_span("\n", 1) };
	struct gk_frame *in = &h->browser->in;
	struct gk_buf line;
	int r;

	if (gk_frame_get(in).ptr != json.ptr ||
	    gk_frame_get(in).len != json.len || !gk_frame_take(in, &line))
		return gk_outq_putv(&h->bridge->out, v, 2, NULL);
	r = gk_buf_putc(&line, '\n');
	if (r == 0)
		r = gk_outq_move(&h->bridge->out, &line, NULL);
	gk_buf_done(&line);
	return r;
}

void
gk_hbridge_send(struct gk_host *h, const struct gk_scan *scan)
{
	int r = 0;

	if (h->bridge == NULL)
		return;
	if (!scan->canonical)
		r = send_compact(h, scan);
	else if (scan->text.len + 1 > GK_BRIDGE_LINE_MAX)
		too_large(h, scan, scan->text.len + 1);
	else
		r = send_line(h, scan->text);
	if (r < 0)
		send_failed(h, r);
}
