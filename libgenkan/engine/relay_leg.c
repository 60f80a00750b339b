/* The verbs of the relay's leg. */
#include "engine/relay_impl.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"

/* Replies that may wait for a harness that does not read; beyond it the
 * broker's leg is not read either. */
#define HARNESS_MAX	(16 * 1024 * 1024)

static inline struct gk_relay *
relay_of(struct genkan_leg *leg)
{
	return (struct gk_relay *)leg;
}

/* At the end of every verb of the leg, and nowhere else: the server calls into
 * relay_send.c with calls in its hands. */
static void
wake(struct gk_relay *r)
{
	if (r->o.wake != NULL)
		r->o.wake(r->o.owner);
}

static int
feed_setup(struct gk_relay *r, const void *buf, size_t len, size_t *used)
{
	int e;

	e = gk_dial_feed(&r->dial, buf, len, used);
	if (e < 0) {
		gk_relay_fail(r, gk_err_text(e));
		return e;
	}
	if (e == 1) {
		gk_relay_set_state(r, GK_RELAY_REPLIED);
		wake(r);
	}
	return e;
}

static int
feed_line(struct gk_relay *r, const void *buf, size_t len, size_t *used)
{
	bool taken;
	int e;

	e = gk_line_feed(&r->in, buf, len, used);
	taken = e == 1 && gk_relay_take(r, gk_line_get(&r->in));
	gk_line_over(&r->in);
	if (e == 1 && !taken && r->state == GK_RELAY_ATTACHED) {
		gk_relay_fail(r, "the broker sent a line that is neither a "
		    "reply nor a notification");
		return GENKAN_E_PROTOCOL;
	}
	if (e < 0) {
		/* Nothing can be read behind it. */
		r->eof = true;
		gk_relay_fail(r, gk_err_text(e));
		if (r->state == GK_RELAY_DRAINING)
			gk_relay_over(r);
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

static size_t
relay_room(struct genkan_leg *leg, void **ret)
{
	return gk_line_room(&relay_of(leg)->in, GK_LEG_ROOM, ret);
}

static void
relay_eof(struct genkan_leg *leg)
{
	struct gk_relay *r = relay_of(leg);

	if (r->eof)
		return;
	r->eof = true;
	if (r->state == GK_RELAY_DRAINING)
		gk_relay_over(r);
	else
		gk_relay_fail(r, "the broker closed the connection");
	wake(r);
}

static void
relay_broken(struct genkan_leg *leg)
{
	struct gk_relay *r = relay_of(leg);

	if (r->broken)
		return;
	r->broken = true;
	gk_relay_fail(r, "the connection to the broker failed");
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
		gk_relay_over(r);
	}
	if (r->o.freed != NULL)
		r->o.freed(r->o.owner);
	gk_dial_done(&r->dial);
	gk_line_done(&r->in);
	gk_outq_clear(&r->out);
	gk_free(leg->ctx, r);
}

const struct gk_leg_ops gk_relay_ops = {
	.name = "relay",
	.feed = relay_feed,
	.room = relay_room,
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
