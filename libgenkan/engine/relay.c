/*
 * See relay.h.  Nothing here builds a JSON tree: of a line only the id token
 * is exchanged, everything else passes byte for byte.
 */
#include "engine/relay.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/log.h"
#include "codec/jstr.h"
#include "codec/num.h"
#include "proto/dial.h"
#include "proto/machine.h"
#include "proto/mcp.h"
#include "proto/queue.h"

#define TAG	"relay"

/* Replies that may wait for a harness that does not read; beyond it the
 * broker's leg is not read either. */
#define HARNESS_MAX	(16 * 1024 * 1024)

struct gk_relay {
	struct genkan_leg	 leg;		/* first */
	struct gk_relay_opts	 o;
	enum gk_relay_state	 state;
	struct gk_dial		 dial;
	struct gk_line		 in;		/* once attached */
	struct gk_outq		 out;
	uint64_t		 last;		/* number given last */
	int64_t			 accepted_at;
	int64_t			 drain_at;	/* DRAINING ends */
	bool			 eof;
	bool			 broken;
	char			 why[256];
};

static inline struct gk_relay *
relay_of(struct genkan_leg *leg)
{
	return (struct gk_relay *)leg;
}

/* At the end of every verb of the leg, and nowhere else: the server calls into
 * this file with calls in its hands. */
static void
wake(struct gk_relay *r)
{
	if (r->o.wake != NULL)
		r->o.wake(r->o.owner);
}

static void
set_state(struct gk_relay *r, enum gk_relay_state state)
{
	static const char *const name[] = {
		[GK_RELAY_DIALLING] = "dialling",
		[GK_RELAY_REPLIED] = "replied",
		[GK_RELAY_ATTACHED] = "attached",
		[GK_RELAY_DRAINING] = "draining",
		[GK_RELAY_OVER] = "over",
	};

	if (r->state == state)
		return;
	gk_log(r->leg.ctx, GK_LOG_DEBUG, TAG, "relay-state", "%s -> %s%s%s",
	    name[r->state], name[state], r->why[0] != '\0' ? ": " : "",
	    r->why);
	r->state = state;
}

static void
over(struct gk_relay *r)
{
	set_state(r, GK_RELAY_OVER);
	gk_outq_clear(&r->out);
}

/*
 * The leg has failed.  What its socket still holds is read first, because
 * replies may be among it; that takes no longer than the half of what step 1
 * and 2 of 7.1 may take together.
 */
static void
fail(struct gk_relay *r, const char *why)
{
	if (r->state >= GK_RELAY_DRAINING)
		return;
	(void)snprintf(r->why, sizeof(r->why), "%s", why);
	if (r->state != GK_RELAY_ATTACHED || r->eof) {
		over(r);
		return;
	}
	gk_outq_clear(&r->out);
	r->drain_at = gk_clock_after(r->leg.ctx, GK_RELAY_LOSS_MS / 2);
	set_state(r, GK_RELAY_DRAINING);
}

/* ------------------------------------------------------------- to broker */

void
gk_relay_open(struct gk_relay *r)
{
	struct gk_buf line;
	int e;

	if (r->state != GK_RELAY_ATTACHED ||
	    gk_mcp_era(r->o.mcp) == GK_MCP_UNOPENED)
		return;
	gk_buf_init(&line, r->leg.ctx, GK_SETUP_LINE_MAX);
	e = gk_mcp_opener(r->o.mcp, &line);
	if (e == 0)
		e = gk_outq_move(&r->out, &line, NULL);
	gk_buf_done(&line);
	if (e < 0)
		fail(r, gk_err_text(e));
}

/* The call's line with the number in the place of its id. */
static int
queue_call(struct gk_relay *r, struct gk_held *h)
{
	const struct gk_mcp_call *call = h->call;
	size_t before = (size_t)(call->id.ptr - call->line.ptr);
	struct gk_span v[4];
	char no[GK_NUM_TEXT];

	v[0] = gk_span(call->line.ptr, before);
	v[1] = gk_span(no, gk_num_text(r->last + 1, no));
	v[2] = gk_span(call->id.ptr + call->id.len,
	    call->line.len - before - call->id.len);
	v[3] = gk_span("\n", 1);
	if (v[0].len + v[1].len + v[2].len + 1 > GK_BRIDGE_LINE_MAX)
		return GENKAN_E_LINE_SIZE;
	return gk_outq_putv(&r->out, v, 4, &h->handle);
}

/* Answered here: it cannot pass. */
static void
refuse_call(struct gk_relay *r, struct gk_held *h, int e)
{
	struct gk_mcp_call *call = h->call;
	char text[128];

	gk_heldq_remove(r->o.calls, h);
	if (e == GENKAN_E_LINE_SIZE) {
		(void)snprintf(text, sizeof(text), "the call of %zu bytes "
		    "does not fit the limit of %d bytes on its way to the "
		    "broker", call->line.len + 1, (int)GK_BRIDGE_LINE_MAX);
		(void)gk_mcp_lost(call, GK_CODE_PAYLOAD_TOO_LARGE,
		    gk_span_str(text));
		return;
	}
	(void)gk_mcp_lost(call, GK_CODE_INTERNAL_ERROR,
	    gk_span_str(gk_err_text(e)));
}

void
gk_relay_forward(struct gk_relay *r, struct gk_held *h)
{
	int e;

	if (r->state != GK_RELAY_ATTACHED || h->state != GK_HELD)
		return;
	e = queue_call(r, h);
	if (e < 0) {
		refuse_call(r, h, e);
		return;
	}
	h->no = ++r->last;
	h->state = GK_HELD_QUEUED;
}

void
gk_relay_cancel(struct gk_relay *r, struct gk_held *h)
{
	char line[128];
	int e;

	if (r->state != GK_RELAY_ATTACHED || h->state == GK_HELD)
		return;
	if (h->state == GK_HELD_QUEUED &&
	    gk_outq_withdraw(&r->out, h->handle))
		return;
	/* Forwarded, or half out: then this is what follows it. */
	(void)snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":%llu}}\n",
	    (unsigned long long)h->no);
	e = gk_outq_puts(&r->out, line, NULL);
	if (e < 0)
		fail(r, gk_err_text(e));
}

void
gk_relay_attach(struct gk_relay *r)
{
	struct gk_held *h, *next;

	if (r->state != GK_RELAY_REPLIED)
		return;
	gk_dial_done(&r->dial);
	r->accepted_at = gk_now(r->leg.ctx);
	set_state(r, GK_RELAY_ATTACHED);
	gk_relay_open(r);
	for (h = r->o.calls->head; h != NULL; h = next) {
		next = h->next;
		gk_relay_forward(r, h);
	}
}

/* ----------------------------------------------------------- from broker */

static bool
take_reply(struct gk_relay *r, struct gk_span line, const struct gk_member *id,
    bool error)
{
	struct gk_mcp_call *call;
	struct gk_held *h;

	if (id->integer == 0)
		return !error;		/* the opener's: swallowed */
	if (id->integer < 0 || (uint64_t)id->integer > r->last)
		return false;
	h = gk_heldq_find(r->o.calls, (uint64_t)id->integer);
	if (h == NULL)
		return true;		/* cancelled or answered: late */
	if (h->state != GK_HELD_FORWARDED)
		return false;
	call = h->call;
	gk_heldq_remove(r->o.calls, h);
	(void)gk_mcp_relayed(call, line, id->value);
	return true;
}

static bool
pass_notification(struct gk_relay *r, struct gk_span line)
{
	struct gk_span v[2] = { line, gk_span("\n", 1) };

	/* Without memory it is lost, as a courtesy may be. */
	(void)gk_outq_putv(r->o.harness, v, 2, NULL);
	return true;
}

/* false: the line fits no row of 7.1. */
static bool
take_line(struct gk_relay *r, struct gk_span line)
{
	struct gk_member top[8], version, id, method, result, error;
	struct gk_scan scan;

	if (gk_scan(r->leg.ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top),
	    &scan) < 0)
		return false;
	gk_scan_find(&scan, "jsonrpc", &version);
	gk_scan_find(&scan, "id", &id);
	gk_scan_find(&scan, "method", &method);
	gk_scan_find(&scan, "result", &result);
	gk_scan_find(&scan, "error", &error);
	if (!gk_jstr_is(&version, "2.0"))
		return false;
	if (id.type == 0)
		return method.type == GK_J_STRING && result.type == 0 &&
		    error.type == 0 && pass_notification(r, line);
	if (id.type != GK_J_INT || method.type != 0 ||
	    (result.type != 0) == (error.type != 0))
		return false;
	return take_reply(r, line, &id, error.type != 0);
}

static int
feed_setup(struct gk_relay *r, const void *buf, size_t len, size_t *used)
{
	int e;

	e = gk_dial_feed(&r->dial, buf, len, used);
	if (e < 0) {
		fail(r, gk_err_text(e));
		return e;
	}
	if (e == 1) {
		set_state(r, GK_RELAY_REPLIED);
		wake(r);
	}
	return e;
}

static int
feed_line(struct gk_relay *r, const void *buf, size_t len, size_t *used)
{
	int e;

	e = gk_line_feed(&r->in, buf, len, used);
	if (e == 1 && !take_line(r, gk_line_get(&r->in)) &&
	    r->state == GK_RELAY_ATTACHED) {
		fail(r, "the broker sent a line that is neither a reply nor a "
		    "notification");
		return GENKAN_E_PROTOCOL;
	}
	if (e < 0) {
		/* Nothing can be read behind it. */
		r->eof = true;
		fail(r, gk_err_text(e));
		if (r->state == GK_RELAY_DRAINING)
			over(r);
	}
	return e;
}

static bool
may_read(const struct gk_relay *r)
{
	switch (r->state) {
	case GK_RELAY_DIALLING:
		return true;
	case GK_RELAY_ATTACHED:
		return r->o.harness->held < HARNESS_MAX;
	case GK_RELAY_DRAINING:
		return true;
	case GK_RELAY_REPLIED:
	case GK_RELAY_OVER:
		break;
	}
	return false;
}

static int
relay_feed(struct genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	struct gk_relay *r = relay_of(leg);
	size_t n;
	int e = 0;

	while (*used < len && may_read(r)) {
		n = 0;
		if (r->state == GK_RELAY_DIALLING)
			e = feed_setup(r, (const char *)buf + *used,
			    len - *used, &n);
		else
			e = feed_line(r, (const char *)buf + *used,
			    len - *used, &n);
		*used += n;
		if (e == 0 && n == 0)
			break;
	}
	if (r->state == GK_RELAY_OVER)
		*used = len;
	wake(r);
	return r->state == GK_RELAY_OVER && e < 0 ? e : 0;
}

static void
relay_eof(struct genkan_leg *leg)
{
	struct gk_relay *r = relay_of(leg);

	if (r->eof)
		return;
	r->eof = true;
	if (r->state == GK_RELAY_DRAINING)
		over(r);
	else
		fail(r, "the broker closed the connection");
	wake(r);
}

static void
relay_broken(struct genkan_leg *leg)
{
	struct gk_relay *r = relay_of(leg);

	if (r->broken)
		return;
	r->broken = true;
	fail(r, "the connection to the broker failed");
	wake(r);
}

static int
relay_output(struct genkan_leg *leg, const void **ptr, size_t *len)
{
	return gk_outq_output(&relay_of(leg)->out, ptr, len);
}

static int
relay_gather(struct genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	return gk_outq_gather(&relay_of(leg)->out, buf, size, len);
}

static void
relay_wrote(struct genkan_leg *leg, size_t n)
{
	struct gk_relay *r = relay_of(leg);
	struct gk_held *h;

	gk_outq_wrote(&r->out, n);
	if (r->state != GK_RELAY_ATTACHED)
		return;
	/* Calls go out in their order, so that these come last. */
	for (h = r->o.calls->tail; h != NULL && h->prev != NULL &&
	    h->prev->state != GK_HELD_FORWARDED; h = h->prev)
		;
	for (; h != NULL; h = h->next)
		if (h->state == GK_HELD_QUEUED &&
		    gk_outq_written(&r->out, h->handle))
			gk_heldq_forwarded(r->o.calls, h);
	wake(r);
}

static int
relay_wants(const struct genkan_leg *leg)
{
	const struct gk_relay *r = (const struct gk_relay *)leg;
	int want = 0;

	if (r->state == GK_RELAY_OVER)
		return GENKAN_WANT_CLOSE;
	if (may_read(r) && !r->eof)
		want |= GENKAN_WANT_READ;
	if (!gk_outq_empty(&r->out))
		want |= GENKAN_WANT_WRITE;
	return want;
}

int64_t
gk_relay_deadline(const struct gk_relay *r)
{
	if (r->state == GK_RELAY_DIALLING)
		return r->dial.deadline;
	if (r->state == GK_RELAY_DRAINING)
		return r->drain_at;
	return GK_CLOCK_NEVER;
}

void
gk_relay_tick(struct gk_relay *r)
{
	if (r->state == GK_RELAY_DIALLING && gk_dial_tick(&r->dial) < 0)
		fail(r, "the broker did not answer in time");
	if (r->state == GK_RELAY_DRAINING &&
	    gk_now(r->leg.ctx) >= r->drain_at)
		over(r);
}

static int64_t
relay_leg_deadline(const struct genkan_leg *leg)
{
	return gk_relay_deadline((const struct gk_relay *)leg);
}

static void
relay_leg_tick(struct genkan_leg *leg)
{
	gk_relay_tick(relay_of(leg));
	wake(relay_of(leg));
}

static void
relay_free(struct genkan_leg *leg)
{
	struct gk_relay *r = relay_of(leg);

	if (r->state != GK_RELAY_OVER) {
		(void)snprintf(r->why, sizeof(r->why),
		    "the connection was closed");
		over(r);
	}
	if (r->o.freed != NULL)
		r->o.freed(r->o.owner);
	gk_dial_done(&r->dial);
	gk_line_done(&r->in);
	gk_outq_clear(&r->out);
	gk_free(leg->ctx, r);
}

static const struct gk_leg_ops relay_ops = {
	.name = "relay",
	.feed = relay_feed,
	.eof = relay_eof,
	.broken = relay_broken,
	.output = relay_output,
	.gather = relay_gather,
	.wrote = relay_wrote,
	.wants = relay_wants,
	.deadline = relay_leg_deadline,
	.tick = relay_leg_tick,
	.free = relay_free,
};

/* --------------------------------------------------------------- its owner */

struct gk_relay *
gk_relay_new(struct genkan_ctx *ctx, const struct gk_relay_opts *o)
{
	struct gk_relay *r;

	r = gk_calloc(ctx, 1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->leg.ops = &relay_ops;
	r->leg.ctx = ctx;
	r->o = *o;
	gk_outq_init(&r->out, ctx, SIZE_MAX);
	gk_line_init(&r->in, ctx, GK_MCP_LINE_OUT_MAX, GK_LINE_SOCKET, true);
	gk_dial_init(&r->dial, ctx, &r->out, o->secret, "", o->attach);
	r->o.secret = NULL;
	r->o.attach = NULL;
	return r;
}

struct genkan_leg *
gk_relay_leg(struct gk_relay *r)
{
	return &r->leg;
}

enum gk_relay_state
gk_relay_state(const struct gk_relay *r)
{
	return r->state;
}

const struct gk_attach_reply *
gk_relay_reply(const struct gk_relay *r)
{
	return &r->dial.reply;
}

const char *
gk_relay_why(const struct gk_relay *r)
{
	return r->why;
}

int64_t
gk_relay_accepted_at(const struct gk_relay *r)
{
	return r->accepted_at;
}

size_t
gk_relay_pending(const struct gk_relay *r)
{
	return r->out.held;
}

void
gk_relay_drop(struct gk_relay *r)
{
	r->o.wake = NULL;
	r->o.freed = NULL;
	r->o.owner = NULL;
	if (r->state != GK_RELAY_OVER)
		over(r);
}
