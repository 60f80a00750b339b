/* From gate 5 on (wire 9.1 to 9.3): a browser, its first frame, the write. */
#include "engine/broker_impl.h"

#include "base/err.h"
#include "base/str.h"

/* Once: a call whose wait is over does not wait again. */
static void
wait_for_browser(struct gk_call *c)
{
	struct gk_broker *b = c->broker;

	if (c->wait_until != 0) {
		gk_route_nobody(c);
		return;
	}
	c->state = GK_CALL_BROWSER;
	c->wait_until = gk_clock_after(b->ctx, GK_CONNECT_WAIT_MS);
	gk_chain_append(&b->waiting, &c->place);
}

void
gk_route_nobody(struct gk_call *c)
{
	gk_call_fail(c, GK_CODE_NOT_CONNECTED, "no browser is attached: check "
	    "that the browser runs and the genkan extension is loaded in it; "
	    "`genkan doctor` says what is missing");
}

/* The failing cases of 9.3 while some label is live. */
static void
refuse(struct gk_call *c)
{
	struct gk_buf labels;
	const char *list = "";

	gk_buf_init(&labels, c->broker->ctx, 4096);
	if (gk_registry_labels(c->broker, &labels) == 0 &&
	    gk_buf_putc(&labels, '\0') == 0)
		list = (const char *)labels.ptr;
	if (c->named)
		gk_call_fail(c, GK_CODE_BROWSER_NOT_FOUND, "no browser %.*s "
		    "is attached; attached: %s", (int)c->want_len, c->want,
		    list);
	else
		gk_call_fail(c, GK_CODE_BROWSER_AMBIGUOUS, "several browsers "
		    "are attached: %s; pass one of these labels as browser",
		    list);
	gk_buf_done(&labels);
}

/* Gate 5, the id drawn already. */
void
gk_route(struct gk_call *c)
{
	struct gk_broker *b = c->broker;
	struct gk_browser_leg *w = NULL;

	if (b->nbrowsers == 0) {
		wait_for_browser(c);
		return;
	}
	if (c->named)
		w = gk_registry_find(b, c->want, c->want_len);
	else if (b->nbrowsers == 1)
		w = b->browser[0];
	if (w == NULL)
		refuse(c);
	else
		gk_route_to(c, w);
}

/* Gate 7, up to the wait. */
void
gk_route_to(struct gk_call *c, struct gk_browser_leg *w)
{
	c->browser = w;
	c->generation = w->generation;
	gk_str_copy(c->label, sizeof(c->label), w->label, strlen(w->label));
	/* Behind those that wait, or the order would be lost. */
	if (!gk_chain_empty(&w->hello) ||
	    (!w->spoke && gk_now(c->broker->ctx) < w->ready_at)) {
		c->state = GK_CALL_HELLO;
		gk_chain_append(&w->hello, &c->place);
		return;
	}
	gk_route_send(c);
}

static void
write_failed(struct gk_call *c, int r)
{
	if (r == GENKAN_E_FRAME_SIZE)
		gk_call_fail(c, GK_CODE_PAYLOAD_TOO_LARGE, "the request with "
		    "%zu bytes of arguments is over the limit of %d bytes",
		    c->args.len, (int)GK_BRIDGE_LINE_MAX);
	else
		gk_call_fail(c, GK_CODE_CONNECTION_LOST, "the request could "
		    "not be written: %s", gk_err_text(r));
}

/* Gates 7 to 10. */
void
gk_route_send(struct gk_call *c)
{
	struct gk_broker *b = c->broker;
	struct gk_browser_leg *w = c->browser;
	struct gk_buf line;
	uint8_t *whole;
	int r;

	if (!gk_gate_hello(c))
		return;
	if (gk_now(b->ctx) >= c->deadline) {
		gk_call_fail(c, GK_CODE_RESPONSE_TIMEOUT, "no time was left "
		    "for it: 0 s");
		return;
	}
	gk_buf_init(&line, b->ctx, GK_BRIDGE_LINE_MAX);
	/* At once, so that large arguments are copied once. */
	(void)gk_buf_reserve(&line, GK_MIN(c->args.len + 256,
	    (size_t)GK_BRIDGE_LINE_MAX), &whole);
	r = gk_request_write(&line, c->id, c->tool->name, w->label,
	    gk_buf_span(&c->args));
	/* The entry first: a reply must never precede it. */
	if (r == 0 && (r = gk_umap_put(&b->pending, (uint64_t)c->id, c,
	    NULL)) == 0) {
		r = gk_outq_move(&w->leg->out, &line, &c->handle);
		if (r < 0)
			gk_umap_del(&b->pending, (uint64_t)c->id);
	}
	gk_buf_done(&line);
	if (r < 0) {
		write_failed(c, r);
		return;
	}
	gk_buf_done(&c->args);
	c->state = GK_CALL_QUEUED;
	gk_chain_append(&w->queued, &c->place);
}

/* A browser has attached: whoever waited for one goes on, in order. */
void
gk_route_waiting(struct gk_broker *b)
{
	struct gk_chain list;
	struct gk_call *c;

	gk_chain_init(&list);
	gk_chain_move(&b->waiting, &list);
	while (!gk_chain_empty(&list)) {
		c = GK_OF(list.next, struct gk_call, place);
		gk_chain_remove(&c->place);
		c->state = GK_CALL_GATES;
		if (gk_gate_records(c))
			gk_route(c);
	}
}

/* The first frame of a leg, or the end of the wait for it. */
void
gk_route_hello(struct gk_browser_leg *w)
{
	struct gk_call *c;

	while (!gk_chain_empty(&w->hello)) {
		c = GK_OF(w->hello.next, struct gk_call, place);
		gk_chain_remove(&c->place);
		c->state = GK_CALL_GATES;
		if (gk_gate_records(c))
			gk_route_send(c);
	}
}
