/* The browser's leg: frames in, routed (wire 12.4); messages out. */
#include "engine/host_impl.h"

#include <stdio.h>

static inline struct gk_hbrowser *
browser_of(struct genkan_leg *leg)
{
	return (struct gk_hbrowser *)leg;
}

/* Not before step 8 or control-plane mode, so an early hello waits in the
 * pipe; and only while there is room on both ways that a frame can take. */
static bool
may_read(const struct gk_hbrowser *b)
{
	const struct gk_host *h = b->host;

	if (h == NULL || b->eof)
		return false;
	if (b->out.held >= GK_HOST_BACKLOG || gk_control_full(&h->control))
		return false;
	if (h->stage == GK_HOST_BRIDGE)
		return h->bridge != NULL &&
		    h->bridge->out.held < GK_HOST_TO_BRIDGE;
	return h->stage == GK_HOST_CONTROL || h->stage == GK_HOST_QUIET;
}

static void
route(struct gk_host *h, struct gk_span json)
{
	struct gk_control_frame f;
	struct gk_member top[16];
	struct gk_scan scan;
	int r;

	r = gk_scan(h->ctx, json.ptr, json.len, top, GK_ARRAY_LEN(top),
	    &scan);
	if (r < 0) {
		gk_log(h->ctx, GK_LOG_WARN, GK_HOST_TAG, "stdin-error",
		    GK_NM_READ_ERROR ": %s at byte %zu",
		    r == GENKAN_E_NOMEM ? gk_err_text(r) :
		    gk_scan_why_text(scan.why), scan.at);
		gk_host_end(h, 0);
		return;
	}
	gk_control_classify(h->ctx, &scan, &f);
	if (f.verdict != GK_CONTROL_FORWARD)
		gk_control_answer(&h->control, &f);
	else if (h->stage == GK_HOST_BRIDGE)
		gk_hbridge_send(h, &scan);
	else
		gk_log(h->ctx, GK_LOG_DEBUG, GK_HOST_TAG, "no-bridge",
		    "a bridge frame of %zu bytes is dropped, there is no "
		    "broker", json.len);
}

static int
browser_feed(struct genkan_leg *leg, const void *buf, size_t len,
    size_t *used)
{
	struct gk_hbrowser *b = browser_of(leg);
	const char *why;
	size_t n;
	int r;

	while (*used < len && may_read(b)) {
		n = 0;
		r = gk_frame_feed(&b->in, (const char *)buf + *used,
		    len - *used, &n);
		*used += n;
		gk_host_heard(b->host);
		if (r == 1) {
			route(b->host, gk_frame_get(&b->in));
			gk_frame_over(&b->in);
		} else if (r < 0) {
			why = gk_nm_offence(r);
			gk_log(leg->ctx, GK_LOG_WARN, GK_HOST_TAG,
			    "stdin-error", "%s: %s", why, gk_err_text(r));
			gk_host_end(b->host, 0);
		} else if (n == 0) {
			break;
		}
	}
	if (b->host == NULL || b->host->stage == GK_HOST_ENDING)
		*used = len;
	return 0;
}

static size_t
browser_room(struct genkan_leg *leg, void **ret)
{
	return gk_frame_room(&browser_of(leg)->in, GK_LEG_ROOM, ret);
}

static void
browser_eof(struct genkan_leg *leg)
{
	struct gk_hbrowser *b = browser_of(leg);
	const char *why;

	if (b->eof || b->host == NULL)
		return;
	b->eof = true;
	if (b->host->stage == GK_HOST_ENDING)
		return;
	why = gk_nm_eof_offence(&b->in);
	if (why != NULL)
		gk_log(leg->ctx, GK_LOG_WARN, GK_HOST_TAG, "stdin-error",
		    "%s: the input ended inside a frame", why);
	else
		gk_log(leg->ctx, GK_LOG_DEBUG, GK_HOST_TAG, "stdin-end",
		    "the browser closed the port");
	gk_host_end(b->host, 0);
}

static void
browser_broken(struct genkan_leg *leg)
{
	struct gk_hbrowser *b = browser_of(leg);

	if (b->broken)
		return;
	b->broken = true;
	gk_outq_clear(&b->out);
	if (b->host == NULL)
		return;
	gk_log(leg->ctx, GK_LOG_DEBUG, GK_HOST_TAG, "stdout-end",
	    "the browser reads no longer");
	gk_host_end(b->host, 0);
}

static int
browser_output(struct genkan_leg *leg, const void **ptr, size_t *len)
{
	return gk_outq_output(&browser_of(leg)->out, ptr, len);
}

static int
browser_gather(struct genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	return gk_outq_gather(&browser_of(leg)->out, buf, size, len);
}

static void
browser_wrote(struct genkan_leg *leg, size_t n)
{
	gk_outq_wrote(&browser_of(leg)->out, n);
}

static int
browser_wants(const struct genkan_leg *leg)
{
	const struct gk_hbrowser *b = (const struct gk_hbrowser *)leg;
	int want = 0;

	if (!gk_outq_empty(&b->out) && !b->broken)
		want |= GENKAN_WANT_WRITE;
	if (b->host == NULL)
		return want | GENKAN_WANT_CLOSE;
	if (may_read(b))
		want |= GENKAN_WANT_READ;
	return want;
}

/* The host has one deadline for both legs. */
static int64_t
browser_deadline(const struct genkan_leg *leg)
{
	(void)leg;
	return GK_CLOCK_NEVER;
}

static void
browser_tick(struct genkan_leg *leg)
{
	struct gk_hbrowser *b = browser_of(leg);

	if (b->host != NULL)
		gk_host_tick(b->host, gk_now(leg->ctx));
}

static void
browser_free(struct genkan_leg *leg)
{
	struct gk_hbrowser *b = browser_of(leg);

	if (b->host != NULL) {
		gk_outq_clear(&b->out);
		gk_host_end(b->host, 0);
		b->host->control.out = NULL;
		b->host->browser = NULL;
	}
	gk_frame_done(&b->in);
	gk_outq_clear(&b->out);
	gk_free(leg->ctx, b);
}

static const struct gk_leg_ops browser_ops = {
	.name = "browser",
	.feed = browser_feed,
	.room = browser_room,
	.eof = browser_eof,
	.broken = browser_broken,
	.output = browser_output,
	.gather = browser_gather,
	.wrote = browser_wrote,
	.wants = browser_wants,
	.deadline = browser_deadline,
	.tick = browser_tick,
	.free = browser_free,
};

struct gk_hbrowser *
gk_hbrowser_new(struct gk_host *h)
{
	struct gk_hbrowser *b;

	b = gk_calloc(h->ctx, 1, sizeof(*b));
	if (b == NULL)
		return NULL;
	b->leg.ops = &browser_ops;
	b->leg.ctx = h->ctx;
	b->host = h;
	gk_nm_init(&b->in, h->ctx);
	/* Bounded by what is read: GK_HOST_BACKLOG and one frame. */
	gk_outq_init(&b->out, h->ctx, SIZE_MAX);
	return b;
}

/* Over the cap: a request is answered in the extension's place. */
static void
too_large(struct gk_host *h, const struct gk_scan *scan, size_t size)
{
	struct gk_member id, op;

	if (gk_scan_find(scan, "id", &id) && id.type == GK_J_INT &&
	    id.integer <= GK_INTEGER_MAX && id.integer >= -GK_INTEGER_MAX &&
	    gk_scan_find(scan, "op", &op) && op.type == GK_J_STRING) {
		gk_hbridge_too_large(h, id.integer, size, GK_NATIVE_OUT_MAX);
		return;
	}
	gk_log(h->ctx, GK_LOG_WARN, GK_HOST_TAG, "dropped",
	    "a frame of %zu bytes for the browser is over the limit of %d",
	    size, (int)GK_NATIVE_OUT_MAX);
}

static void
send_failed(struct gk_host *h, int r)
{
	gk_log(h->ctx, GK_LOG_ERROR, GK_HOST_TAG, "browser-failed",
	    "a frame for the browser was lost: %s", gk_err_text(r));
	gk_host_lost(h);
}

void
gk_hbrowser_send(struct gk_host *h, const struct gk_scan *scan)
{
	struct gk_span json = scan->text;
	struct gk_buf compact;
	int r = 0;

	gk_buf_init(&compact, h->ctx, json.len);
	if (!scan->canonical) {
		r = gk_scan_compact(&compact, json);
		json = gk_buf_span(&compact);
	}
	if (r == 0 && json.len > GK_NATIVE_OUT_MAX)
		too_large(h, scan, json.len);
	else if (r == 0 && h->browser != NULL && !h->browser->broken)
		r = gk_nm_send(&h->browser->out, json);
	gk_buf_done(&compact);
	if (r < 0)
		send_failed(h, r);
}
