/* The order of work of a host, and its events: wire 12.2, control 2.10. */
#include "engine/host_impl.h"

#include <stdio.h>

#include "base/str.h"

const char *
gk_host_state(const struct gk_host *h)
{
	static const char *const name[] = {
		[GK_HOST_STARTING] = "starting",
		[GK_HOST_DIALLING] = "dialling",
		[GK_HOST_SETUP] = "setup",
		[GK_HOST_BRIDGE] = "bridge",
		[GK_HOST_CONTROL] = "control",
		[GK_HOST_QUIET] = "quiet",
		[GK_HOST_ENDING] = "ending",
	};

	return name[h->stage];
}

static void
set_stage(struct gk_host *h, enum gk_host_stage stage)
{
	const char *from = gk_host_state(h);

	if (h->stage == stage)
		return;
	h->stage = stage;
	gk_log(h->ctx, GK_LOG_DEBUG, GK_HOST_TAG, "state", "%s -> %s", from,
	    gk_host_state(h));
}

int
gk_host_new(struct genkan_ctx *ctx, const struct gk_host_opts *o,
    struct gk_host **ret)
{
	struct gk_host *h;

	h = gk_calloc(ctx, 1, sizeof(*h));
	if (h == NULL)
		return GENKAN_E_NOMEM;
	h->ctx = ctx;
	h->store = o->store;
	if (o->label != NULL)
		(void)gk_str_copy(h->label, sizeof(h->label), o->label,
		    strlen(o->label));
	h->browser = gk_hbrowser_new(h);
	if (h->browser == NULL) {
		gk_free(ctx, h);
		return GENKAN_E_NOMEM;
	}
	gk_control_init(&h->control, ctx, h->store, &h->browser->out,
	    h->label);
	h->control.parent_is_browser = o->parent_is_browser;
	h->control.parent_still = o->parent_still;
	h->control.parent_user = o->parent_user;
	h->watch_at = h->follow_at = h->quiet_at = GK_CLOCK_NEVER;
	h->end_at = GK_CLOCK_NEVER;
	/* Another state directory goes before everything (control 2.10). */
	h->want_probe = true;
	*ret = h;
	return 0;
}

void
gk_host_free(struct gk_host *h)
{
	if (h == NULL)
		return;
	gk_hbridge_over(h);
	if (h->browser != NULL) {
		gk_outq_clear(&h->browser->out);
		h->browser->host = NULL;
	}
	gk_control_done(&h->control);
	gk_free(h->ctx, h);
}

struct genkan_leg *
gk_host_browser(struct gk_host *h)
{
	return h->browser != NULL ? &h->browser->leg : NULL;
}

/* ------------------------------------------------------------------ ending */

/* Nothing is read any more; frames in hand have 250 ms. */
void
gk_host_end(struct gk_host *h, int status)
{
	if (h->stage == GK_HOST_ENDING)
		return;
	h->status = status;
	h->end_at = gk_clock_after(h->ctx, GK_HOST_FLUSH_MS);
	h->want_probe = h->want_dial = h->want_look = false;
	set_stage(h, GK_HOST_ENDING);
	gk_control_end(&h->control);
}

/* What was lost leaves somebody without an answer: no frame is better than a
 * part of the talk.  Of a start that has succeeded no end is a failure. */
void
gk_host_lost(struct gk_host *h)
{
	switch (h->stage) {
	case GK_HOST_STARTING:
	case GK_HOST_DIALLING:
	case GK_HOST_SETUP:
		gk_host_end(h, 1);
		break;
	case GK_HOST_BRIDGE:
	case GK_HOST_CONTROL:
	case GK_HOST_QUIET:
	case GK_HOST_ENDING:
		gk_host_end(h, 0);
		break;
	}
}

void
gk_host_stop(struct gk_host *h)
{
	gk_host_end(h, 0);
	h->status = 0;
	h->stopped = true;
}

static bool
may_leave(const struct gk_host *h)
{
	/* Taking power away is seen through, told to stop or not; it has a
	 * bound of its own. */
	if (gk_control_busy(&h->control))
		return false;
	if (h->stopped)
		return true;
	if (gk_now(h->ctx) >= h->end_at)
		return true;
	return (h->browser == NULL || gk_outq_empty(&h->browser->out)) &&
	    (h->bridge == NULL || gk_outq_empty(&h->bridge->out));
}

/* ------------------------------------------------------ control-plane mode */

static void
poll_again(struct gk_host *h)
{
	h->watch_at = gk_clock_after(h->ctx, GK_CONTROL_POLL_MS);
}

static void
enter_control(struct gk_host *h, const char *why)
{
	gk_log(h->ctx, GK_LOG_INFO, GK_HOST_TAG, "control-plane",
	    "control-plane mode: %s", why);
	set_stage(h, GK_HOST_CONTROL);
	poll_again(h);
	h->follow_at = gk_clock_after(h->ctx, GK_CONTROL_DIAL_MS);
	gk_control_start(&h->control);
}

static const char *
latch_text(enum gk_kill kill)
{
	return kill == GK_KILL_ENGAGED ? "the kill switch is engaged" :
	    "the trust record cannot be read";
}

/* Step 2, and from there to step 3. */
static void
start(struct gk_host *h)
{
	enum gk_kill kill = gk_control_latch(&h->control);

	if (kill != GK_KILL_CLEAR) {
		enter_control(h, latch_text(kill));
		return;
	}
	set_stage(h, GK_HOST_DIALLING);
	h->want_dial = true;
}

static void
mismatch(struct gk_host *h, const char *reason)
{
	gk_log(h->ctx, GK_LOG_ERROR, GK_HOST_TAG, "state-dir-mismatch", "%s",
	    reason != NULL ? reason : "state directory mismatch");
	gk_host_end(h, 1);
}

/* Nothing holds the mode any more: serve until the input is quiet. */
static void
go_quiet(struct gk_host *h)
{
	set_stage(h, GK_HOST_QUIET);
	h->quiet_at = gk_clock_after(h->ctx, GK_CONTROL_QUIET_MS);
}

static void
back_to_control(struct gk_host *h)
{
	set_stage(h, GK_HOST_CONTROL);
	h->quiet_at = GK_CLOCK_NEVER;
}

void
gk_host_heard(struct gk_host *h)
{
	if (h->stage == GK_HOST_QUIET)
		h->quiet_at = gk_clock_after(h->ctx, GK_CONTROL_QUIET_MS);
}

static void
control_probed(struct gk_host *h, enum gk_probe probe)
{
	bool clear = gk_control_latch(&h->control) == GK_KILL_CLEAR;

	if (probe != GK_PROBE_BROKER || !clear) {
		back_to_control(h);
		return;
	}
	if (h->stage == GK_HOST_CONTROL) {
		go_quiet(h);
		return;
	}
	/* The second look of QUIET.  Input that came while it ran starts the
	 * wait anew. */
	if (gk_now(h->ctx) >= h->quiet_at &&
	    !gk_control_busy(&h->control))
		gk_host_end(h, 0);
}

void
gk_host_probed(struct gk_host *h, enum gk_probe probe, const char *reason)
{
	if (!h->probing)
		return;
	h->probing = false;
	if (h->stage == GK_HOST_ENDING)
		return;
	if (probe == GK_PROBE_MISMATCH)
		mismatch(h, reason);
	else if (h->stage == GK_HOST_STARTING)
		start(h);
	else
		control_probed(h, probe);
}

/* ------------------------------------------------------------------ bridge */

static void
dialled_ok(struct gk_host *h, const struct gk_dialling *d,
    struct genkan_leg **ret)
{
	gk_log(h->ctx, GK_LOG_INFO, GK_HOST_TAG, "connected",
	    "connected to MCP server bridge socket");
	h->broker_pid = d->id.pid;
	(void)gk_str_copy(h->endpoint, sizeof(h->endpoint), d->id.endpoint,
	    strlen(d->id.endpoint));
	h->bridge = gk_hbridge_new(h, d->secret);
	if (h->bridge == NULL) {
		gk_host_setup_failed(h, gk_err_text(GENKAN_E_NOMEM));
		return;
	}
	set_stage(h, GK_HOST_SETUP);
	*ret = &h->bridge->leg;
}

void
gk_host_dialled(struct gk_host *h, struct gk_dialling *d,
    struct genkan_leg **ret)
{
	*ret = NULL;
	if (h->stage == GK_HOST_DIALLING && !h->want_dial) {
		switch (d->outcome) {
		case GK_DIALLED_NONE:
			enter_control(h, d->reason);
			break;
		case GK_DIALLED_MISMATCH:
			mismatch(h, d->reason);
			break;
		case GK_DIALLED_FOREIGN:
			gk_log(h->ctx, GK_LOG_INFO, GK_HOST_TAG, "connected",
			    "connected to MCP server bridge socket");
			gk_log(h->ctx, GK_LOG_ERROR, GK_HOST_TAG,
			    "server-foreign", "server attestation failed: %s",
			    d->reason);
			gk_host_end(h, 1);
			break;
		case GK_DIALLED_OK:
			dialled_ok(h, d, ret);
			break;
		}
	}
	gk_wipe(d->secret, sizeof(d->secret));
}

void
gk_host_setup_failed(struct gk_host *h, const char *why)
{
	if (h->stage == GK_HOST_ENDING)
		return;
	gk_log(h->ctx, GK_LOG_ERROR, GK_HOST_TAG, "attach-failed",
	    "the bridge could not be attached: %s", why);
	gk_hbridge_over(h);
	gk_host_end(h, 1);
}

void
gk_host_attached(struct gk_host *h)
{
	gk_log(h->ctx, GK_LOG_INFO, GK_HOST_TAG, "attached",
	    "bridge handshake complete, label %s", h->control.label);
	set_stage(h, GK_HOST_BRIDGE);
	h->watch_at = gk_clock_after(h->ctx, GK_TRUST_WATCH_MS);
	h->follow_at = gk_clock_after(h->ctx, GK_HOST_FOLLOW_MS);
	gk_control_start(&h->control);
}

/* What has moved reaches the browser, even if the broker knew it first. */
void
gk_host_bridge_ended(struct gk_host *h, const char *why)
{
	if (h->stage != GK_HOST_BRIDGE) {
		gk_hbridge_over(h);
		return;
	}
	gk_log(h->ctx, GK_LOG_INFO, GK_HOST_TAG, "bridge-end", "%s", why);
	gk_hbridge_over(h);
	gk_control_watch(&h->control);
	gk_host_end(h, 0);
}

void
gk_host_looked(struct gk_host *h, const struct gk_broker_id *id)
{
	h->looking = false;
	if (h->stage != GK_HOST_BRIDGE)
		return;
	if (id == NULL || (id->pid == h->broker_pid &&
	    strcmp(id->endpoint, h->endpoint) == 0))
		return;
	gk_log(h->ctx, GK_LOG_INFO, GK_HOST_TAG, "follow",
	    "another broker runs now, process %u", (unsigned)id->pid);
	gk_host_end(h, 0);
}

void
gk_host_told(struct gk_host *h, int r, struct gk_span value, const char *why)
{
	gk_control_told(&h->control, r, value, why);
	/* It was not quiet while an answer was owed. */
	gk_host_heard(h);
}

void
gk_host_keyed(struct gk_host *h, struct gk_key_ask *ask)
{
	gk_control_key_answered(&h->control, ask);
	gk_host_heard(h);
}

/* -------------------------------------------------------------------- time */

static void
watch(struct gk_host *h)
{
	if (gk_now(h->ctx) < h->watch_at)
		return;
	gk_control_watch(&h->control);
	if (h->stage == GK_HOST_BRIDGE) {
		h->watch_at = gk_clock_after(h->ctx, GK_TRUST_WATCH_MS);
		return;
	}
	poll_again(h);
	if (h->stage == GK_HOST_QUIET &&
	    gk_control_latch(&h->control) != GK_KILL_CLEAR)
		back_to_control(h);
}

/* Once a second: the lock, or whether there is a broker again. */
static void
follow(struct gk_host *h)
{
	if (gk_now(h->ctx) < h->follow_at)
		return;
	if (h->stage == GK_HOST_BRIDGE) {
		h->follow_at = gk_clock_after(h->ctx, GK_HOST_FOLLOW_MS);
		h->want_look = !h->looking;
		return;
	}
	h->follow_at = gk_clock_after(h->ctx, GK_CONTROL_DIAL_MS);
	if (h->stage == GK_HOST_CONTROL)
		h->want_probe = !h->probing;
}

static void
quiet(struct gk_host *h)
{
	if (h->stage == GK_HOST_QUIET && gk_now(h->ctx) >= h->quiet_at &&
	    !h->probing && !gk_control_busy(&h->control))
		h->want_probe = true;
}

void
gk_host_tick(struct gk_host *h, int64_t now_ms)
{
	gk_clock_set(h->ctx, now_ms);
	gk_control_tick(&h->control);
	switch (h->stage) {
	case GK_HOST_SETUP:
		if (gk_dial_tick(&h->bridge->dial) < 0)
			gk_host_setup_failed(h,
			    "the broker did not answer in time");
		break;
	case GK_HOST_BRIDGE:
	case GK_HOST_CONTROL:
	case GK_HOST_QUIET:
		watch(h);
		follow(h);
		quiet(h);
		break;
	case GK_HOST_STARTING:
	case GK_HOST_DIALLING:
	case GK_HOST_ENDING:
		break;
	}
}

int64_t
gk_host_deadline(const struct gk_host *h)
{
	int64_t at = gk_control_deadline(&h->control);

	switch (h->stage) {
	case GK_HOST_SETUP:
		return GK_MIN(at, h->bridge->dial.deadline);
	case GK_HOST_BRIDGE:
	case GK_HOST_CONTROL:
		return GK_MIN(at, GK_MIN(h->watch_at, h->follow_at));
	case GK_HOST_QUIET:
		at = GK_MIN(at, GK_MIN(h->watch_at, h->follow_at));
		return h->probing || gk_control_busy(&h->control) ? at :
		    GK_MIN(at, h->quiet_at);
	case GK_HOST_ENDING:
		if (h->left)
			return GK_CLOCK_NEVER;
		if (may_leave(h))
			return gk_now(h->ctx);
		return gk_control_busy(&h->control) ? at : h->end_at;
	case GK_HOST_STARTING:
	case GK_HOST_DIALLING:
		break;
	}
	return at;
}

enum gk_host_event_kind
gk_host_next(struct gk_host *h, struct gk_host_event *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (h->control.failed)
		gk_host_lost(h);
	if (!h->left && (ret->key = gk_control_asked(&h->control)) != NULL)
		return ret->kind = GK_HOST_KEY;
	if (h->stage == GK_HOST_ENDING) {
		if (h->left || !may_leave(h))
			return ret->kind;
		h->left = true;
		ret->status = h->status;
		return ret->kind = GK_HOST_LEAVE;
	}
	if (h->want_probe) {
		h->want_probe = false;
		h->probing = true;
		ret->connect = h->stage != GK_HOST_STARTING &&
		    gk_control_latch(&h->control) == GK_KILL_CLEAR;
		return ret->kind = GK_HOST_PROBE;
	}
	if (h->want_dial) {
		h->want_dial = false;
		return ret->kind = GK_HOST_DIAL;
	}
	if (h->want_look) {
		h->want_look = false;
		h->looking = true;
		return ret->kind = GK_HOST_LOOK;
	}
	if (gk_control_query(&h->control, &ret->ask))
		return ret->kind = GK_HOST_ASK;
	return ret->kind;
}
