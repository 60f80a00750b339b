/* See embed.h.  The states of a client, and what it reads. */
#include "engine/embed_impl.h"

#include <stdarg.h>
#include <stdio.h>

#include "codec/jstr.h"
#include "engine/host.h"
#include "proto/mcpc.h"

#define ASKING	"waiting for the user to approve in the browser"

static void
set_state(struct gk_embed *e, enum gk_embed_state state)
{
	static const char *const name[] = {
		[GK_EMBED_DETACHED] = "detached",
		[GK_EMBED_DIALLING] = "dialling",
		[GK_EMBED_SETUP] = "set-up",
		[GK_EMBED_OPENING] = "opening",
		[GK_EMBED_ATTACHED] = "attached",
		[GK_EMBED_DRAINING] = "draining",
	};

	gk_log(e->ctx, GK_LOG_DEBUG, GK_EMBED_TAG, "state", "%s -> %s",
	    name[e->state], name[state]);
	e->state = state;
	e->state_at = GK_CLOCK_NEVER;
}

void
gk_embed_lost(struct gk_embed *e, int code, const char *fmt, ...)
{
	va_list ap;

	e->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(e->why, sizeof(e->why), fmt, ap);
	va_end(ap);
	gk_eleg_over(e);
	gk_embed_requeue(e);
	set_state(e, GK_EMBED_DETACHED);
	e->want_dial = false;
	e->tell = true;
}

/* ------------------------------------------------------------------ attach */

int
gk_embed_attach(struct gk_embed *e)
{
	if (e->state != GK_EMBED_DETACHED)
		return GENKAN_E_STATE;
	set_state(e, GK_EMBED_DIALLING);
	e->want_dial = true;
	e->tell = false;
	return 0;
}

void
gk_embed_dialled(struct gk_embed *e, const struct gk_dialling *d,
    const char *self, struct genkan_leg **ret)
{
	*ret = NULL;
	if (e->state != GK_EMBED_DIALLING || e->want_dial)
		return;
	(void)snprintf(e->self, sizeof(e->self), "%s", self);
	if (d->outcome != GK_DIALLED_OK) {
		gk_embed_lost(e, d->err, "%s", d->reason);
		return;
	}
	e->leg = gk_eleg_new(e, d->secret);
	if (e->leg == NULL) {
		gk_embed_lost(e, GENKAN_E_NOMEM, "%s",
		    gk_err_text(GENKAN_E_NOMEM));
		return;
	}
	set_state(e, GK_EMBED_SETUP);
	*ret = &e->leg->leg;
}

int
gk_embed_join(struct gk_embed *e, const struct gk_dialling *d,
    struct genkan_leg **ret)
{
	if (e->state != GK_EMBED_DETACHED)
		return GENKAN_E_STATE;
	e->leg = gk_eleg_new(e, d->secret);
	if (e->leg == NULL)
		return GENKAN_E_NOMEM;
	e->tell = false;
	set_state(e, GK_EMBED_SETUP);
	*ret = &e->leg->leg;
	return 0;
}

static void
open_mcp(struct gk_embed *e)
{
	struct gk_buf line;
	int r;

	set_state(e, GK_EMBED_OPENING);
	e->state_at = gk_clock_after(e->ctx, GK_SETUP_READ_MS);
	gk_buf_init(&line, e->ctx, GK_SETUP_LINE_MAX);
	r = gk_mcpc_open(&line);
	if (r == 0)
		r = gk_outq_move(&e->leg->out, &line, NULL);
	gk_buf_done(&line);
	if (r < 0)
		gk_embed_lost(e, r, "%s", gk_err_text(r));
}

void
gk_embed_replied(struct gk_embed *e, const struct gk_attach_reply *reply)
{
	switch (reply->verdict) {
	case GK_ATTACH_ACCEPTED:
		open_mcp(e);
		break;
	case GK_ATTACH_REFUSED:
		gk_embed_lost(e, GENKAN_E_REFUSED, "the broker refused: %s",
		    reply->reason);
		break;
	case GK_ATTACH_UNAVAILABLE:
		gk_embed_lost(e, GENKAN_E_UNAVAILABLE, "the broker is not "
		    "available: %s", reply->reason);
		break;
	}
}

static bool
opened(struct gk_embed *e, const struct gk_mcpc_line *in)
{
	if (e->state != GK_EMBED_OPENING || in->kind != GK_MCPC_RESULT ||
	    gk_mcpc_opened(in->value, e->release, sizeof(e->release)) < 0)
		return false;
	set_state(e, GK_EMBED_ATTACHED);
	e->code = 0;
	(void)snprintf(e->why, sizeof(e->why), "attached to genkan-server %s",
	    e->release);
	e->tell = true;
	gk_embed_pump(e);
	return true;
}

/* ----------------------------------------------------------------- replies */

static void
take_answer(struct gk_embed *e, struct gk_ecall *c,
    const struct gk_mcpc_line *in)
{
	int code = 0;

	if (in->kind == GK_MCPC_ERROR)
		code = gk_mcpc_error_code(in->code);
	gk_embed_answer(e, c, code, in->value, NULL);
	if (in->kind == GK_MCPC_ERROR && c->result != NULL) {
		/* A sentence instead of a result. */
		(void)gk_jstr_decode(&c->text, gk_span(c->result,
		    c->result_len));
		e->unpulled -= c->result_len;
		gk_free_wiped(e->ctx, c->result, c->result_len);
		c->result = NULL;
		c->result_len = 0;
	}
	gk_embed_pump(e);
}

/* false: no server sends that. */
static bool
take(struct gk_embed *e, const struct gk_mcpc_line *in)
{
	struct gk_ecall *c;

	if (in->kind == GK_MCPC_IGNORED)
		return true;
	if (in->id == 0)
		return opened(e, in);
	c = gk_umap_get(&e->by_id, in->id);
	if (in->kind == GK_MCPC_PROGRESS) {
		if (c != NULL && c->state == GK_ECALL_SENT && !c->asked) {
			c->asked = true;
			e->asked++;
		}
		return true;
	}
	if (in->id > e->last || e->state == GK_EMBED_OPENING)
		return false;
	if (c == NULL || c->state == GK_ECALL_ANSWERED)
		return true;		/* cancelled or timed out: late */
	if (c->state != GK_ECALL_SENT)
		return false;
	take_answer(e, c, in);
	return true;
}

void
gk_embed_line(struct gk_embed *e, struct gk_span line)
{
	struct gk_mcpc_line in;
	int r;

	r = gk_mcpc_read(e->ctx, line, &in);
	if (r == 0 && !take(e, &in))
		r = GENKAN_E_PROTOCOL;
	if (r < 0)
		gk_embed_lost(e, r, "the broker sent a line that is no reply: "
		    "%s", gk_err_text(r));
}

/* -------------------------------------------------------------------- time */

int64_t
gk_embed_deadline(const struct gk_embed *e)
{
	int64_t at = GK_MIN(e->soonest, e->state_at);

	if (e->state == GK_EMBED_SETUP)
		at = GK_MIN(at, e->leg->dial.deadline);
	return at;
}

void
gk_embed_tick(struct gk_embed *e, int64_t now_ms)
{
	gk_clock_set(e->ctx, now_ms);
	if (e->state == GK_EMBED_SETUP && gk_dial_tick(&e->leg->dial) < 0)
		gk_embed_lost(e, GENKAN_E_TIMEOUT, "the broker did not answer "
		    "in time");
	if (gk_now(e->ctx) >= e->state_at && e->state == GK_EMBED_OPENING)
		gk_embed_lost(e, GENKAN_E_TIMEOUT, "the broker did not open "
		    "the connection in time");
	else if (gk_now(e->ctx) >= e->state_at)
		gk_embed_lost(e, GENKAN_E_EOF, "the connection to the broker "
		    "failed");
	gk_embed_expire(e);
}

/* ------------------------------------------------------------------ events */

static struct gk_span
text_of(const struct gk_buf *b)
{
	return b->len == 0 ? gk_span("", 0) : gk_buf_span(b);
}

/* What the answer says, decoded only now.  A NUL goes behind it. */
static void
render(struct gk_ecall *c, struct gk_embed_event *ret)
{
	bool has = c->text.len > 0;
	int r = 0, code = c->code;

	if (c->result != NULL && !c->list)
		r = gk_mcpc_outcome(gk_span(c->result, c->result_len),
		    &c->text, &has, &code);
	if (r == 0 && has) {
		r = gk_buf_putc(&c->text, '\0');
		if (r == 0)
			c->text.len--;
	}
	ret->code = code;
	if (r < 0) {
		ret->code = GK_CODE_INTERNAL_ERROR;
		ret->text = gk_span_str(r == GENKAN_E_PROTOCOL ?
		    "the broker's answer is none of a tool" : gk_err_text(r));
	} else if (has) {
		ret->text = text_of(&c->text);
	} else if (c->why != NULL) {
		ret->text = gk_span_str(c->why);
	} else if (code != 0) {
		ret->text = gk_span_str(gk_schema_code(code)->text);
	}
}

static void
give_result(struct gk_embed *e, struct gk_embed_event *ret)
{
	struct gk_ecall *c = e->answered.head;

	e->answered.head = c->next;
	if (c->next != NULL)
		c->next->prev = NULL;
	else
		e->answered.tail = NULL;
	e->answered.n--;
	(void)gk_umap_del(&e->by_id, c->id);
	e->unpulled -= c->result_len;
	e->pulled = c;

	ret->kind = GK_EMBED_RESULT;
	ret->id = c->id;
	if (c->result != NULL)
		ret->data = gk_span(c->result, c->result_len);
	render(c, ret);
}

static bool
give_progress(struct gk_embed *e, struct gk_embed_event *ret)
{
	struct gk_ecall *c;

	for (c = e->flight.head; c != NULL && !c->asked; c = c->next)
		;
	if (c == NULL)
		return false;
	c->asked = false;
	e->asked--;
	ret->kind = GK_EMBED_PROGRESS;
	ret->id = c->id;
	ret->count = ++c->count;
	ret->text = gk_span_str(ASKING);
	return true;
}

enum gk_embed_event_kind
gk_embed_next(struct gk_embed *e, struct gk_embed_event *ret)
{
	gk_ecall_free(e, e->pulled);
	e->pulled = NULL;
	memset(ret, 0, sizeof(*ret));
	if (e->answered.head != NULL) {
		give_result(e, ret);
	} else if (e->asked > 0 && give_progress(e, ret)) {
		;
	} else if (e->tell) {
		e->tell = false;
		ret->kind = GK_EMBED_STATE;
		ret->attached = e->code == 0;
		ret->code = e->code;
		ret->text = gk_span_str(e->why);
	} else if (e->want_dial) {
		e->want_dial = false;
		ret->kind = GK_EMBED_DIAL;
	}
	return ret->kind;
}

/* ------------------------------------------------------------------ object */

struct gk_embed *
gk_embed_new(struct genkan_ctx *ctx)
{
	struct gk_embed *e;

	e = gk_calloc(ctx, 1, sizeof(*e));
	if (e == NULL)
		return NULL;
	e->ctx = ctx;
	e->state_at = GK_CLOCK_NEVER;
	e->soonest = GK_CLOCK_NEVER;
	gk_umap_init(&e->by_id, ctx);
	return e;
}

void
gk_embed_free(struct gk_embed *e)
{
	if (e == NULL)
		return;
	gk_eleg_over(e);
	gk_embed_drop_calls(e);
	gk_umap_done(&e->by_id);
	gk_free(e->ctx, e);
}

enum gk_embed_state
gk_embed_state(const struct gk_embed *e)
{
	return e->state;
}

size_t
gk_embed_outstanding(const struct gk_embed *e)
{
	return gk_umap_len(&e->by_id);
}
