/*
 * Questions about the host key (control 3.4): they touch files and the
 * credential store, so each is handed out as an event, answered by a job and
 * comes back to whoever asked.  What goes on meanwhile is the asker's choice:
 * an answer to a frame holds up the frames behind it, a push does not.
 */
#include "engine/control_impl.h"

#include <stdio.h>

#include "base/alloc.h"

void
gk_key_ask_free(struct genkan_ctx *ctx, struct gk_key_ask *ask)
{
	gk_free(ctx, ask);
}

static struct gk_key_ask *
make(struct gk_control *c, const void *msg, size_t len)
{
	struct gk_key_ask *ask = gk_malloc(c->ctx, sizeof(*ask) + len);

	if (ask == NULL)
		return NULL;
	memset(ask, 0, sizeof(*ask));
	/* What was never answered is no signature. */
	ask->answer.code = GK_KEY_ERROR;
	ask->len = len;
	if (len > 0)
		memcpy(ask + 1, msg, len);
	return ask;
}

static void
queue(struct gk_control *c, enum gk_key_kind kind, const void *msg,
    size_t len, gk_control_key_fn *done)
{
	static const struct gk_key_answer nomem = { .code = GK_KEY_ERROR,
	    .why = "the host key cannot be asked for: out of memory" };
	struct gk_key_ask *ask = make(c, msg, len);

	if (ask == NULL) {
		done(c, &nomem);
		return;
	}
	ask->kind = kind;
	ask->done = done;
	*c->key.last = ask;
	c->key.last = &ask->next;
}

void
gk_control_key_ask(struct gk_control *c, const void *msg, size_t len,
    gk_control_key_fn *done)
{
	queue(c, msg == NULL ? GK_KEY_LOAD : GK_KEY_SIGN, msg, len, done);
}

void
gk_control_key_dispose(struct gk_control *c, gk_control_key_fn *done)
{
	queue(c, GK_KEY_DISPOSE, NULL, 0, done);
}

void
gk_control_asks_init(struct gk_control *c)
{
	c->key.last = &c->key.first;
}

void
gk_control_asks_done(struct gk_control *c)
{
	struct gk_key_ask *ask;

	while ((ask = gk_control_asked(c)) != NULL)
		gk_key_ask_free(c->ctx, ask);
}

struct gk_key_ask *
gk_control_asked(struct gk_control *c)
{
	struct gk_key_ask *ask = c->key.first;

	if (ask == NULL)
		return NULL;
	c->key.first = ask->next;
	if (c->key.first == NULL)
		c->key.last = &c->key.first;
	ask->next = NULL;
	return ask;
}

void
gk_control_key_answered(struct gk_control *c, struct gk_key_ask *ask)
{
	ask->done(c, &ask->answer);
	gk_key_ask_free(c->ctx, ask);
}
