/* See relay.h: the object, its states and its time. */
#include "engine/relay_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/log.h"

#define TAG	"relay"

void
gk_relay_set_state(struct gk_relay *r, enum gk_relay_state state)
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

void
gk_relay_over(struct gk_relay *r)
{
	gk_relay_set_state(r, GK_RELAY_OVER);
	gk_outq_clear(&r->out);
}

void
gk_relay_fail(struct gk_relay *r, const char *why)
{
	if (r->state >= GK_RELAY_DRAINING)
		return;
	(void)snprintf(r->why, sizeof(r->why), "%s", why);
	if (r->state != GK_RELAY_ATTACHED || r->eof) {
		gk_relay_over(r);
		return;
	}
	gk_outq_clear(&r->out);
	r->drain_at = gk_clock_after(r->leg.ctx, GK_RELAY_LOSS_MS / 2);
	gk_relay_set_state(r, GK_RELAY_DRAINING);
}

/* ------------------------------------------------------------------- time */

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
		gk_relay_fail(r, "the broker did not answer in time");
	if (r->state == GK_RELAY_DRAINING &&
	    gk_now(r->leg.ctx) >= r->drain_at)
		gk_relay_over(r);
}

/* --------------------------------------------------------------- its owner */

struct gk_relay *
gk_relay_new(struct genkan_ctx *ctx, const struct gk_relay_opts *o)
{
	struct gk_relay *r;

	r = gk_calloc(ctx, 1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->leg.ops = &gk_relay_ops;
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
		gk_relay_over(r);
}
