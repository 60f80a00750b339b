/* The leg of a client: set-up as a dialler, then lines in and out. */
#include "engine/embed_impl.h"

static inline struct gk_eleg *
eleg_of(struct genkan_leg *leg)
{
	return (struct gk_eleg *)leg;
}

static bool
may_read(const struct gk_eleg *l)
{
	const struct gk_embed *e = l->e;

	if (e == NULL)
		return false;
	return e->state != GK_EMBED_ATTACHED ||
	    e->unpulled < GK_CLIENT_RESULTS_MAX;
}

static int
feed_setup(struct gk_eleg *l, const void *buf, size_t len, size_t *used)
{
	int r;

	r = gk_dial_feed(&l->dial, buf, len, used);
	if (r < 0)
		gk_embed_lost(l->e, r, "connection set-up failed: %s",
		    gk_err_text(r));
	else if (r == 1)
		gk_embed_replied(l->e, &l->dial.reply);
	return r;
}

static int
feed_line(struct gk_eleg *l, const void *buf, size_t len, size_t *used)
{
	int r;

	r = gk_line_feed(&l->in, buf, len, used);
	if (r == 1) {
		gk_embed_line(l->e, gk_line_get(&l->in));
		gk_line_over(&l->in);
	} else if (r < 0) {
		gk_embed_lost(l->e, r, "%s", gk_err_text(r));
	}
	return r;
}

static int
eleg_feed(struct genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	struct gk_eleg *l = eleg_of(leg);
	size_t n;
	int r = 0;

	while (*used < len && may_read(l)) {
		n = 0;
		r = (l->e->state == GK_EMBED_SETUP ? feed_setup : feed_line)
		    (l, (const char *)buf + *used, len - *used, &n);
		*used += n;
		if (r == 0 && n == 0)
			break;
	}
	if (l->e == NULL)
		*used = len;
	return l->e == NULL && r < 0 ? r : 0;
}

static size_t
eleg_room(struct genkan_leg *leg, void **ret)
{
	return gk_line_room(&eleg_of(leg)->in, GK_LEG_ROOM, ret);
}

static void
eleg_eof(struct genkan_leg *leg)
{
	struct gk_eleg *l = eleg_of(leg);
	struct gk_embed *e = l->e;

	if (e == NULL)
		return;
	/* 5.1: who may not speak sees the end and not one byte. */
	if (e->state == GK_EMBED_SETUP && !l->dial.challenged)
		gk_embed_lost(e, GENKAN_E_REFUSED, "the broker does not talk "
		    "to this program; if it is not paired: genkan pair-client "
		    "--name NAME --hash %s", e->self[0] != '\0' ? e->self : "HEX");
	else
		gk_embed_lost(e, GENKAN_E_EOF, "the broker closed the "
		    "connection");
}

/* What the socket still holds is read first, replies may be among it. */
static void
eleg_broken(struct genkan_leg *leg)
{
	struct gk_embed *e = eleg_of(leg)->e;

	gk_outq_clear(&eleg_of(leg)->out);
	if (e == NULL || e->state == GK_EMBED_DRAINING)
		return;
	if (e->state == GK_EMBED_ATTACHED) {
		e->state = GK_EMBED_DRAINING;
		e->state_at = gk_clock_after(e->ctx, GK_RELAY_LOSS_MS / 2);
	} else if (e->state == GK_EMBED_OPENING) {
		gk_embed_lost(e, GENKAN_E_EOF, "the connection to the broker "
		    "failed");
	}
	/* In SETUP nothing was answered yet: the end of the input will come,
	 * and says more. */
}

static int
eleg_output(struct genkan_leg *leg, const void **ptr, size_t *len)
{
	return gk_outq_output(&eleg_of(leg)->out, ptr, len);
}

static int
eleg_gather(struct genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	return gk_outq_gather(&eleg_of(leg)->out, buf, size, len);
}

static void
eleg_wrote(struct genkan_leg *leg, size_t n)
{
	struct gk_eleg *l = eleg_of(leg);

	gk_outq_wrote(&l->out, n);
	if (l->e != NULL && l->e->state == GK_EMBED_ATTACHED)
		gk_embed_sent(l->e);
}

static int
eleg_wants(const struct genkan_leg *leg)
{
	const struct gk_eleg *l = (const struct gk_eleg *)leg;
	int want = 0;

	if (l->e == NULL)
		return GENKAN_WANT_CLOSE;
	if (may_read(l))
		want |= GENKAN_WANT_READ;
	if (!gk_outq_empty(&l->out))
		want |= GENKAN_WANT_WRITE;
	return want;
}

static int64_t
eleg_deadline(const struct genkan_leg *leg)
{
	const struct gk_eleg *l = (const struct gk_eleg *)leg;

	return l->e == NULL ? GK_CLOCK_NEVER : gk_embed_deadline(l->e);
}

static void
eleg_tick(struct genkan_leg *leg)
{
	struct gk_eleg *l = eleg_of(leg);

	if (l->e != NULL)
		gk_embed_tick(l->e, gk_now(leg->ctx));
}

static void
eleg_free(struct genkan_leg *leg)
{
	struct gk_eleg *l = eleg_of(leg);

	if (l->e != NULL)
		gk_embed_lost(l->e, GENKAN_E_CLOSED, "the program closed the "
		    "connection");
	gk_dial_done(&l->dial);
	gk_line_done(&l->in);
	gk_outq_clear(&l->out);
	gk_free(leg->ctx, l);
}

static const struct gk_leg_ops eleg_ops = {
	.name = "client",
	.feed = eleg_feed,
	.room = eleg_room,
	.eof = eleg_eof,
	.broken = eleg_broken,
	.output = eleg_output,
	.gather = eleg_gather,
	.wrote = eleg_wrote,
	.wants = eleg_wants,
	.deadline = eleg_deadline,
	.tick = eleg_tick,
	.free = eleg_free,
};

struct gk_eleg *
gk_eleg_new(struct gk_embed *e, const uint8_t secret[GK_SECRET_HEX])
{
	const struct gk_attach attach = { .role = GK_ATTACH_CLIENT };
	struct gk_eleg *l;

	l = gk_calloc(e->ctx, 1, sizeof(*l));
	if (l == NULL)
		return NULL;
	l->leg.ops = &eleg_ops;
	l->leg.ctx = e->ctx;
	l->e = e;
	gk_outq_init(&l->out, e->ctx, SIZE_MAX);
	gk_line_init(&l->in, e->ctx, GK_MCP_LINE_OUT_MAX, GK_LINE_SOCKET,
	    true);
	gk_dial_init(&l->dial, e->ctx, &l->out, secret, "", &attach);
	return l;
}

void
gk_eleg_over(struct gk_embed *e)
{
	if (e->leg == NULL)
		return;
	gk_outq_clear(&e->leg->out);
	e->leg->e = NULL;
	e->leg = NULL;
}
