/*
 * The leg of the harness: lines in, checks of wire 7.2, replies out, its end
 * by 7.4.
 */
#include "engine/server_impl.h"

/* Replies that may wait for a harness that does not read; beyond it no line is
 * read from it either.  Replies to calls may pass it, MAX_INFLIGHT of them. */
#define OUT_SOFT	(16 * 1024 * 1024)
/* The same towards the broker, for what is not the arguments of calls. */
#define RELAY_SOFT	(1024 * 1024)

static inline struct gk_own *
own_of(struct genkan_leg *leg)
{
	return (struct gk_own *)leg;
}

static void
set_state(struct gk_own *o, enum gk_own_state state)
{
	static const char *const name[] = {
		[GK_OWN_OPEN] = "open",
		[GK_OWN_DRAINING] = "draining",
		[GK_OWN_MUTE] = "mute",
		[GK_OWN_OVER] = "over",
	};

	gk_log(o->leg.ctx, GK_LOG_DEBUG, GK_SERVER_TAG, "own-state",
	    "own leg: %s -> %s", name[o->state], name[state]);
	o->state = state;
}

/* Its calls end without a reply, and it is counted no longer. */
static void
let_go(struct gk_own *o)
{
	struct gk_server *s = o->server;

	if (s == NULL)
		return;
	gk_server_drop_calls(s);
	if (s->client != NULL)
		gk_broker_release(s->client);
	s->client = NULL;
}

void
gk_own_over(struct gk_own *o, bool keep_output)
{
	if (!keep_output)
		gk_outq_clear(&o->out);
	if (o->state == GK_OWN_OVER)
		return;
	let_go(o);
	set_state(o, GK_OWN_OVER);
}

void
gk_own_mute(struct gk_own *o)
{
	gk_outq_clear(&o->out);
	let_go(o);
	set_state(o, GK_OWN_MUTE);
}

/* The input has ended, or counts as such (10.4). */
static void
drain(struct gk_own *o)
{
	if (o->state != GK_OWN_OPEN)
		return;
	o->drain_at = gk_clock_after(o->leg.ctx, GK_DRAIN_MS);
	set_state(o, GK_OWN_DRAINING);
}

/* Whether one more line may be taken. */
static bool
may_read(const struct gk_own *o)
{
	struct gk_server *s = o->server;

	if (o->state != GK_OWN_OPEN || s->leaving)
		return false;
	if (gk_server_must_wait(s))
		return false;
	if (gk_mcp_inflight(o->mcp) >= GK_MAX_INFLIGHT ||
	    s->calls.unsent >= GK_MAX_INFLIGHT_BYTES ||
	    o->out.held >= OUT_SOFT)
		return false;
	if (s->relay != NULL &&
	    gk_relay_pending(s->relay) >= s->calls.unsent + RELAY_SOFT)
		return false;
	return s->client == NULL || !gk_broker_full(s->client);
}

/* A held call is judged when it starts, a forwarded one by the broker; every
 * other line of the harness here. */
static bool
is_judged(const struct gk_server *s, const struct gk_mcp_act *act)
{
	if (s->role == GK_AS_ATTACHED)
		return act->kind != GK_MCP_CALL && act->kind != GK_MCP_CANCEL;
	return s->role != GK_AS_ELECTING || act->kind != GK_MCP_CALL;
}

/* A reply is owed that will never come. */
static void
fail(struct gk_own *o, int r)
{
	gk_log(o->leg.ctx, GK_LOG_ERROR, GK_SERVER_TAG, "own-failed",
	    "the connection to the client failed: %s", gk_err_text(r));
	gk_own_over(o, true);
}

static void
take_line(struct gk_own *o, struct gk_span line, bool overlong)
{
	struct gk_server *s = o->server;
	struct gk_trust_view view;
	const struct gk_trust_view *seen = NULL;
	struct gk_mcp_act act;
	int r;

	memset(&act, 0, sizeof(act));
	r = overlong ? gk_mcp_overlong(o->mcp) :
	    gk_mcp_line(o->mcp, line.ptr, line.len, &act);
	/* The reply is queued but not out: a harness that is no longer
	 * admitted loses it with the leg. */
	if (is_judged(s, &act)) {
		if (!gk_server_judge(s, &view)) {
			gk_server_lose_admission(s);
			return;
		}
		seen = &view;
	}
	if (r < 0) {
		fail(o, r);
		return;
	}
	if (act.opened && s->relay != NULL)
		gk_relay_open(s->relay);
	if (act.kind == GK_MCP_CALL)
		gk_server_call(s, act.call, seen);
	else if (act.kind == GK_MCP_CANCEL)
		gk_server_cancel(s, act.call);
	else if (act.kind == GK_MCP_END)
		drain(o);
}

static int
own_feed(struct genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	struct gk_own *o = own_of(leg);
	size_t n;
	int r;

	while (*used < len && o->server != NULL && may_read(o)) {
		n = 0;
		r = gk_line_feed(&o->in, (const char *)buf + *used,
		    len - *used, &n);
		*used += n;
		if (r == 1) {
			take_line(o, gk_line_get(&o->in), false);
			gk_line_over(&o->in);
		} else if (r == GENKAN_E_LINE_SIZE) {
			take_line(o, gk_span(NULL, 0), true);
		} else if (r < 0) {
			fail(o, r);
		} else if (n == 0) {
			break;
		}
	}
	if (o->state != GK_OWN_OPEN || o->server == NULL)
		*used = len;
	if (o->server != NULL)
		gk_server_settle(o->server);
	return 0;
}

static size_t
own_room(struct genkan_leg *leg, void **ret)
{
	return gk_line_room(&own_of(leg)->in, GK_LEG_ROOM, ret);
}

static void
own_eof(struct genkan_leg *leg)
{
	struct gk_own *o = own_of(leg);

	if (o->eof || o->server == NULL)
		return;
	o->eof = true;
	if (o->state == GK_OWN_OPEN) {
		if (gk_line_eof(&o->in) == 1)
			take_line(o, gk_line_get(&o->in), false);
		drain(o);
	}
	gk_server_settle(o->server);
}

static void
own_broken(struct genkan_leg *leg)
{
	struct gk_own *o = own_of(leg);

	gk_own_over(o, false);
	if (o->server != NULL)
		gk_server_settle(o->server);
}

static int
own_output(struct genkan_leg *leg, const void **ptr, size_t *len)
{
	return gk_outq_output(&own_of(leg)->out, ptr, len);
}

static int
own_gather(struct genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	return gk_outq_gather(&own_of(leg)->out, buf, size, len);
}

static void
own_wrote(struct genkan_leg *leg, size_t n)
{
	struct gk_own *o = own_of(leg);

	gk_outq_wrote(&o->out, n);
	if (o->server != NULL)
		gk_server_settle(o->server);
}

static int
own_wants(const struct genkan_leg *leg)
{
	const struct gk_own *o = (const struct gk_own *)leg;
	int want = 0;

	if (!gk_outq_empty(&o->out))
		want |= GENKAN_WANT_WRITE;
	if (o->state == GK_OWN_OVER || o->server == NULL)
		return want | GENKAN_WANT_CLOSE;
	if (!o->eof && may_read(o))
		want |= GENKAN_WANT_READ;
	return want;
}

int64_t
gk_own_deadline(const struct gk_own *o)
{
	return o->state == GK_OWN_DRAINING ? o->drain_at : GK_CLOCK_NEVER;
}

/* The server has one deadline for all that is behind it. */
static int64_t
own_deadline(const struct genkan_leg *leg)
{
	(void)leg;
	return GK_CLOCK_NEVER;
}

static void
own_tick(struct genkan_leg *leg)
{
	struct gk_own *o = own_of(leg);

	if (o->server != NULL)
		gk_server_tick(o->server, gk_now(leg->ctx));
}

/* Once nothing is owed any more, or time is up, the drain ends.  A reply may
 * also be lost long after its line was read, when its result comes. */
void
gk_own_settle(struct gk_own *o)
{
	const int r = gk_mcp_error(o->mcp);
	bool late;

	if (r < 0 && (o->state == GK_OWN_OPEN || o->state == GK_OWN_DRAINING))
		fail(o, r);
	if (o->state != GK_OWN_DRAINING)
		return;
	late = gk_now(o->leg.ctx) >= o->drain_at;
	if (late || (gk_mcp_inflight(o->mcp) == 0 && gk_outq_empty(&o->out)))
		gk_own_over(o, false);
}

static void
own_free(struct genkan_leg *leg)
{
	struct gk_own *o = own_of(leg);
	struct gk_server *s = o->server;

	gk_own_over(o, false);
	if (s != NULL) {
		gk_server_settle(s);
		s->own = NULL;
	}
	gk_mcp_free(o->mcp);
	gk_line_done(&o->in);
	gk_outq_clear(&o->out);
	gk_free(leg->ctx, o);
}

static const struct gk_leg_ops own_ops = {
	.name = "own",
	.feed = own_feed,
	.room = own_room,
	.eof = own_eof,
	.broken = own_broken,
	.output = own_output,
	.gather = own_gather,
	.wrote = own_wrote,
	.wants = own_wants,
	.deadline = own_deadline,
	.tick = own_tick,
	.free = own_free,
};

struct gk_own *
gk_own_new(struct gk_server *s)
{
	struct gk_own *o;

	o = gk_calloc(s->ctx, 1, sizeof(*o));
	if (o == NULL)
		return NULL;
	o->leg.ops = &own_ops;
	o->leg.ctx = s->ctx;
	o->server = s;
	gk_line_init(&o->in, s->ctx, GK_MCP_LINE_IN_MAX, GK_LINE_STDIO, true);
	/* What may wait here is bounded by MAX_INFLIGHT and OUT_SOFT. */
	gk_outq_init(&o->out, s->ctx, SIZE_MAX);
	o->mcp = gk_mcp_new(s->ctx, &o->out);
	if (o->mcp == NULL) {
		gk_free(s->ctx, o);
		return NULL;
	}
	return o;
}
