/* The allowlist, as the record has it: control 2.5. */
#include "engine/control_impl.h"

static int
put_client(struct gk_buf *b, const struct gk_client *client)
{
	const char *kind = gk_anchor_kind_name(client->anchor.kind);
	int r;

	r = gk_buf_putc(b, '{');
	if (r == 0)
		r = gk_json_put_str_member(b, "name", client->name,
		    strlen(client->name));
	if (r == 0)
		r = gk_buf_puts(b, ",\"anchor\":{");
	if (r == 0)
		r = gk_json_put_str_member(b, "kind", kind, strlen(kind));
	if (r == 0)
		r = gk_json_put_str_member(b, "value", client->anchor.value,
		    strlen(client->anchor.value));
	if (r == 0)
		r = gk_buf_putc(b, '}');
	if (r == 0)
		r = gk_json_put_int_member(b, "added_unix",
		    (int64_t)client->added_unix);
	if (r == 0)
		r = gk_buf_putc(b, '}');
	return r;
}

static int
put_clients(struct gk_buf *b, const struct gk_trustrec *rec)
{
	size_t i;
	int r;

	r = gk_json_put_key(b, "clients");
	if (r == 0)
		r = gk_buf_putc(b, '[');
	for (i = 0; r == 0 && rec != NULL && i < rec->nclients; i++) {
		if (i > 0)
			r = gk_buf_putc(b, ',');
		if (r == 0)
			r = put_client(b, &rec->client[i]);
	}
	if (r == 0)
		r = gk_buf_putc(b, ']');
	return r;
}

void
gk_control_client_list(struct gk_control *c)
{
	struct gk_trust_view view;
	struct gk_answer a;
	bool ok;
	int r;

	gk_control_look(c, &view);
	ok = view.state != GK_TRUST_UNREADABLE;
	gk_answer_open(&a, c, GK_TAG_CLIENT_LIST_RESULT);
	r = gk_json_put_bool_member(&a.buf, "ok", ok);
	if (r == 0)
		r = gk_json_put_bool_member(&a.buf, "enrolled",
		    ok && view.rec->paired);
	if (r == 0)
		r = put_clients(&a.buf, ok ? view.rec : NULL);
	if (r == 0 && !ok)
		r = gk_json_put_str_member(&a.buf, "error", view.why,
		    strlen(view.why));
	gk_answer_send(&a, r);
}
