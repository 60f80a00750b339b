/*
 * A connection of the bridge socket: set-up (wire 5.1, steps 4 to 8), then a
 * browser's or a client's leg behind the same verbs.
 */
#include "engine/broker_impl.h"

#include "base/err.h"

static struct gk_bleg *
bleg_of(struct genkan_leg *leg)
{
	return (struct gk_bleg *)leg;		/* its first member */
}

static void
setup_end(struct gk_bleg *l)
{
	if (l->setup == NULL)
		return;
	gk_accept_done(l->setup);
	gk_free(l->leg.ctx, l->setup);
	l->setup = NULL;
	if (l->broker != NULL)
		l->broker->nsetup--;
}

/* Over, whatever is left to write. */
void
gk_bleg_close(struct gk_bleg *l)
{
	if (l->state == GK_BLEG_CLOSED)
		return;
	if (l->state == GK_BLEG_FLUSH && l->broker != NULL)
		l->broker->nflush--;
	l->state = GK_BLEG_CLOSED;
	setup_end(l);
	gk_outq_clear(&l->out);
	/* Counted until now: what it was owed is out, or nobody wants it. */
	if (l->client != NULL)
		gk_client_release(&l->client->base);
}

/* Over, once what is queued has been read. */
void
gk_bleg_flush(struct gk_bleg *l)
{
	if (l->state != GK_BLEG_FLUSH && l->broker != NULL)
		l->broker->nflush++;
	l->state = GK_BLEG_FLUSH;
	l->deadline = gk_clock_after(l->leg.ctx, GK_FLUSH_MS);
}

/* Steps 4 and 5: no error frame; silence from the start is only noise. */
static void
setup_failed(struct gk_bleg *l, int r)
{
	struct gk_accept *a = l->setup;
	bool noise = r == GENKAN_E_EOF && !a->heard;

	gk_log(l->leg.ctx, noise ? GK_LOG_DEBUG : GK_LOG_WARN, "broker",
	    "setup-failed", "connection dropped at %s: %s",
	    a->step == 4 ? "the handshake" : "the attach frame",
	    gk_err_text(r));
	if (!noise && a->step == 4)
		gk_admit_audit(l->broker, "attach_refuse", NULL, NULL,
		    "handshake failed");
	gk_bleg_close(l);
}

static int
setup_secret(struct gk_bleg *l)
{
	uint8_t secret[GK_SECRET_HEX];
	int r;

	r = gk_store_secret(l->broker->store, secret);
	r = gk_accept_secret(l->setup, r < 0 ? NULL : secret);
	gk_wipe(secret, sizeof(secret));
	return r;
}

/* 1: set-up has ended, one way or the other. */
static int
setup_feed(struct gk_bleg *l, const void *buf, size_t len, size_t *used)
{
	size_t n;
	int r;

	while (*used < len) {
		r = gk_accept_feed(l->setup, (const char *)buf + *used,
		    len - *used, &n);
		*used += n;
		if (r == GK_ACCEPT_RESPONSE)
			r = setup_secret(l);
		else if (r == GK_ACCEPT_ATTACH) {
			gk_admit(l);
			setup_end(l);
			return 1;
		}
		if (r < 0) {
			setup_failed(l, r);
			return 1;
		}
	}
	return 0;
}

static int
bleg_feed(struct genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	struct gk_bleg *l = bleg_of(leg);
	size_t n = 0;
	int r = 0;

	if (l->state == GK_BLEG_SETUP)
		setup_feed(l, buf, len, used);
	buf = (const char *)buf + *used;
	len -= *used;
	switch (l->state) {
	case GK_BLEG_SETUP:
		break;
	case GK_BLEG_BROWSER:
		r = gk_browser_feed(l, buf, len, &n);
		break;
	case GK_BLEG_CLIENT:
		r = gk_client_feed(l, buf, len, &n);
		break;
	case GK_BLEG_FLUSH:
	case GK_BLEG_CLOSED:
		n = len;
		break;
	}
	*used += n;
	return r;
}

static size_t
bleg_room(struct genkan_leg *leg, void **ret)
{
	const struct gk_bleg *l = bleg_of(leg);

	switch (l->state) {
	case GK_BLEG_BROWSER:
		return gk_line_room(&l->browser->in, GK_LEG_ROOM, ret);
	case GK_BLEG_CLIENT:
		return gk_line_room(&l->client->in, GK_LEG_ROOM, ret);
	case GK_BLEG_SETUP:
	case GK_BLEG_FLUSH:
	case GK_BLEG_CLOSED:
		break;
	}
	return 0;
}

/* The end of a leg that its peer made: input ended, or output failed. */
static void
gone(struct gk_bleg *l, bool input)
{
	switch (l->state) {
	case GK_BLEG_SETUP:
		setup_failed(l, GENKAN_E_EOF);
		break;
	case GK_BLEG_BROWSER:
		gk_browser_sever(l->browser, "it closed the connection");
		break;
	case GK_BLEG_CLIENT:
		if (input)
			gk_client_eof(l);
		else
			gk_client_drop(l->client);
		break;
	case GK_BLEG_FLUSH:
		if (!input)
			gk_bleg_close(l);
		break;
	case GK_BLEG_CLOSED:
		break;
	}
}

static void
bleg_eof(struct genkan_leg *leg)
{
	gone(bleg_of(leg), true);
}

static void
bleg_broken(struct genkan_leg *leg)
{
	gone(bleg_of(leg), false);
}

static int
bleg_output(struct genkan_leg *leg, const void **ptr, size_t *len)
{
	return gk_outq_output(&bleg_of(leg)->out, ptr, len);
}

static int
bleg_gather(struct genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	return gk_outq_gather(&bleg_of(leg)->out, buf, size, len);
}

static void
bleg_wrote(struct genkan_leg *leg, size_t n)
{
	struct gk_bleg *l = bleg_of(leg);

	gk_outq_wrote(&l->out, n);
	switch (l->state) {
	case GK_BLEG_BROWSER:
		gk_browser_wrote(l);
		break;
	case GK_BLEG_CLIENT:
		gk_client_settle(&l->client->base);
		break;
	case GK_BLEG_FLUSH:
		if (gk_outq_empty(&l->out))
			gk_bleg_close(l);
		else	/* it reads: more time */
			l->deadline = gk_clock_after(leg->ctx, GK_FLUSH_MS);
		break;
	case GK_BLEG_SETUP:
	case GK_BLEG_CLOSED:
		break;
	}
}

static int
bleg_wants(const struct genkan_leg *leg)
{
	const struct gk_bleg *l = (const struct gk_bleg *)leg;
	int want = gk_outq_empty(&l->out) ? 0 : GENKAN_WANT_WRITE;

	switch (l->state) {
	case GK_BLEG_SETUP:
	case GK_BLEG_BROWSER:
		return want | GENKAN_WANT_READ;
	case GK_BLEG_CLIENT:
		return want | (gk_client_wants_read(l->client) ?
		    GENKAN_WANT_READ : 0);
	case GK_BLEG_FLUSH:
		return want != 0 ? want : GENKAN_WANT_CLOSE;
	case GK_BLEG_CLOSED:
		break;
	}
	return GENKAN_WANT_CLOSE;
}

static int64_t
bleg_deadline(const struct genkan_leg *leg)
{
	const struct gk_bleg *l = (const struct gk_bleg *)leg;

	switch (l->state) {
	case GK_BLEG_SETUP:
		return l->setup->deadline;
	case GK_BLEG_CLIENT:
		return gk_client_deadline(l->client);
	case GK_BLEG_FLUSH:
		return l->deadline;
	case GK_BLEG_BROWSER:
	case GK_BLEG_CLOSED:
		break;
	}
	return GK_CLOCK_NEVER;
}

static void
bleg_tick(struct genkan_leg *leg)
{
	struct gk_bleg *l = bleg_of(leg);
	int r;

	if (l->state == GK_BLEG_SETUP && (r = gk_accept_tick(l->setup)) < 0)
		setup_failed(l, r);
	else if (l->state == GK_BLEG_FLUSH &&
	    gk_now(leg->ctx) >= l->deadline)
		gk_bleg_close(l);
}

static void
bleg_free(struct genkan_leg *leg)
{
	struct gk_bleg *l = bleg_of(leg);

	gone(l, false);
	gk_bleg_close(l);
	gk_chain_remove(&l->node);
	if (l->browser != NULL)
		gk_line_done(&l->browser->in);
	if (l->client != NULL) {
		gk_line_done(&l->client->in);
		gk_mcp_free(l->client->base.mcp);
	}
	gk_outq_clear(&l->out);
	gk_free(leg->ctx, l->browser);
	gk_free(leg->ctx, l->client);
	gk_free(leg->ctx, l);
}

static const struct gk_leg_ops bleg_ops = {
	"bridge", bleg_feed, bleg_room, bleg_eof, bleg_broken, bleg_output,
	bleg_gather, bleg_wrote, bleg_wants, bleg_deadline, bleg_tick,
	bleg_free
};

/* Steps 2 and 3.  A peer that fails them sees the end and not one byte. */
static bool
peer_passes(struct gk_bleg *l)
{
	struct gk_trust_view view;
	const char *detail, *what = GK_ATTEST_MISMATCH;

	gk_broker_look(l->broker, &view);
	if (!l->peer.uid_known)
		what = detail = "peer uid unknown";
	else if (!l->peer.uid_ours)
		what = detail = "peer uid mismatch";
	else if ((l->may = gk_attest_peer(&l->peer, &view)) != 0)
		return true;
	else {
		detail = "peer attestation failed";
		if (l->peer.shortage)
			what = "a peer could not be measured, this process "
			    "is short of descriptors or memory";
	}
	gk_log(l->leg.ctx, GK_LOG_WARN, "broker", "peer-refused",
	    "%s%s%s (pid %lld)", what, l->peer.why[0] != '\0' ? ": " : "",
	    l->peer.why, (long long)l->peer.pid);
	gk_admit_audit(l->broker, "attach_refuse", NULL, NULL, detail);
	return false;
}

static int
setup_begin(struct gk_bleg *l)
{
	int r;

	l->setup = gk_calloc(l->leg.ctx, 1, sizeof(*l->setup));
	if (l->setup == NULL)
		return GENKAN_E_NOMEM;
	l->broker->nsetup++;
	r = gk_accept_init(l->setup, l->leg.ctx, &l->out);
	if (r < 0)
		setup_end(l);
	return r;
}

int
gk_broker_accept(struct gk_broker *b, const struct gk_peer *peer,
    struct genkan_leg **ret)
{
	struct gk_bleg *l;
	int r;

	gk_broker_unclaim(b);
	if (b->retired)
		return GENKAN_E_UNAVAILABLE;
	l = gk_calloc(b->ctx, 1, sizeof(*l));
	if (l == NULL)
		return GENKAN_E_NOMEM;
	l->leg.ops = &bleg_ops;
	l->leg.ctx = b->ctx;
	l->broker = b;
	l->peer = *peer;
	l->state = GK_BLEG_SETUP;
	gk_outq_init(&l->out, b->ctx, SIZE_MAX);
	if (!peer_passes(l))
		l->state = GK_BLEG_CLOSED;
	else if ((r = setup_begin(l)) < 0) {
		gk_outq_clear(&l->out);
		gk_free(b->ctx, l);
		return r;
	}
	gk_chain_append(&b->legs, &l->node);
	*ret = &l->leg;
	return 0;
}
