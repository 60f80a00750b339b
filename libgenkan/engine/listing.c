/*
 * list_browsers (wire 9.5): every live label is asked with tab_list, each by a
 * call of its own that has no client.  What goes wrong with one of them
 * becomes an entry, never the failure of the whole.
 */
#include "engine/broker_impl.h"

#include "base/str.h"
#include "codec/jstr.h"
#include "codec/walk.h"

#define ERROR_MAX	1024	/* bytes of a probe's text in an entry */

struct gk_listing {
	struct gk_call	*parent;
	size_t		 n;
	size_t		 open;		/* probes not ended, and the start */
	struct {
		struct gk_call	*probe;		/* NULL when ended */
		char		 label[GK_LABEL_MAX + 1];
		int64_t		 tabs;		/* -1: null */
		struct gk_buf	 error;		/* empty: none, or .. */
		const char	*code;		/* .. this, where that is too
						 * much to remember; NULL */
	} entry[GK_MAX_BROWSERS];
};

static int
put_entry(struct gk_buf *b, const struct gk_listing *l, size_t i)
{
	const struct gk_buf *error = &l->entry[i].error;
	int r;

	r = gk_buf_puts(b, i == 0 ? "{" : ",{");
	if (r == 0)
		r = gk_json_put_str_member(b, "label", l->entry[i].label,
		    strlen(l->entry[i].label));
	if (r == 0)
		r = l->entry[i].tabs >= 0 ?
		    gk_json_put_int_member(b, "tabCount", l->entry[i].tabs) :
		    gk_json_put_raw_member(b, "tabCount",
		    gk_span_str("null"));
	if (r == 0 && error->len > 0)
		r = gk_json_put_str_member(b, "error",
		    (const char *)error->ptr, error->len);
	else if (r == 0 && l->entry[i].code != NULL)
		r = gk_json_put_str_member(b, "error", l->entry[i].code,
		    strlen(l->entry[i].code));
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

static void
answer(struct gk_listing *l)
{
	struct gk_call *parent = l->parent;
	struct gk_buf data;
	size_t i;
	int r;

	gk_buf_init(&data, parent->broker->ctx, 1048576);
	r = gk_buf_putf(&data, "{\"count\":%zu,\"browsers\":[", l->n);
	for (i = 0; r == 0 && i < l->n; i++)
		r = put_entry(&data, l, i);
	if (r == 0)
		r = gk_buf_puts(&data, "]}");
	if (r == 0)
		gk_call_success(parent, gk_buf_span(&data), true);
	else
		gk_call_fail(parent, GK_CODE_INTERNAL_ERROR,
		    "out of memory for the list of browsers");
	gk_buf_done(&data);
}

static void
ended(struct gk_listing *l)
{
	if (--l->open == 0)
		answer(l);
}

void
gk_listing_result(struct gk_call *probe, struct gk_span data)
{
	struct gk_listing *l = probe->listing;
	struct gk_member m;

	gk_walk_value(data.ptr, data.ptr + data.len, &m);
	if (m.type == GK_J_ARRAY)
		l->entry[probe->entry].tabs =
		    (int64_t)gk_walk_count(m.value);
	l->entry[probe->entry].probe = NULL;
	ended(l);
}

void
gk_listing_failed(struct gk_call *probe, enum gk_code code,
    struct gk_span text)
{
	struct gk_listing *l = probe->listing;
	struct gk_buf *error = &l->entry[probe->entry].error;
	const char *name = gk_schema_code((int)code)->name;

	l->entry[probe->entry].probe = NULL;
	if (gk_buf_putf(error, "%s: ", name) < 0 ||
	    gk_buf_put(error, text.ptr, gk_utf8_cut(text.ptr, text.len,
	    ERROR_MAX)) < 0) {
		gk_buf_clear(error);
		l->entry[probe->entry].code = name;
	}
	ended(l);
}

static void
probe_begin(struct gk_listing *l, size_t i, struct gk_browser_leg *w)
{
	struct gk_broker *b = l->parent->broker;
	int64_t now = gk_now(b->ctx);
	struct gk_call *p;

	p = gk_call_new(b, gk_schema_tool(GK_TOOL_TAB_LIST), now, GK_PROBE_MS);
	if (p == NULL || gk_buf_puts(&p->args, "{}") < 0) {
		if (p != NULL)
			gk_buf_done(&p->args);
		gk_free(b->ctx, p);
		l->entry[i].code =
		    gk_schema_code(GK_CODE_INTERNAL_ERROR)->name;
		return;
	}
	p->listing = l;
	p->entry = i;
	p->id = ++b->id;
	l->entry[i].probe = p;
	l->open++;
	gk_call_start_timer(p);
	if (gk_gate_policy(p))
		gk_route_to(p, w);
}

void
gk_listing_begin(struct gk_call *parent)
{
	struct gk_broker *b = parent->broker;
	struct gk_browser_leg *w[GK_MAX_BROWSERS];
	struct gk_listing *l;
	size_t i;

	l = gk_calloc(b->ctx, 1, sizeof(*l));
	if (l == NULL) {
		gk_call_fail(parent, GK_CODE_INTERNAL_ERROR,
		    "out of memory for the list of browsers");
		return;
	}
	l->parent = parent;
	l->n = b->nbrowsers;
	l->open = 1;
	for (i = 0; i < l->n; i++) {
		w[i] = b->browser[i];
		gk_str_copy(l->entry[i].label, sizeof(l->entry[i].label),
		    w[i]->label, strlen(w[i]->label));
		l->entry[i].tabs = -1;
		gk_buf_init(&l->entry[i].error, b->ctx, ERROR_MAX + 64);
	}
	parent->listing = l;
	parent->state = GK_CALL_PROBING;
	for (i = 0; i < l->n; i++)
		probe_begin(l, i, w[i]);
	ended(l);
}

/* Probes still out are cancelled: nobody waits for them. */
void
gk_listing_free(struct gk_listing *l)
{
	struct genkan_ctx *ctx;
	struct gk_call *p;
	size_t i;

	if (l == NULL)
		return;
	ctx = l->parent->broker->ctx;
	for (i = 0; i < l->n; i++) {
		p = l->entry[i].probe;
		l->entry[i].probe = NULL;
		if (p != NULL)
			gk_call_cancel(p);
		gk_buf_done(&l->entry[i].error);
	}
	gk_free(ctx, l);
}
