/*
 * What the broker says: replies and notifications.  They are scanned once and
 * no tree is built of them; only the id token is exchanged.
 */
#include "engine/relay_impl.h"

#include "codec/jstr.h"

static bool
take_reply(struct gk_relay *r, struct gk_span line, const struct gk_member *id,
    bool error)
{
	struct gk_mcp_call *call;
	struct gk_held *h;

	if (id->integer == 0)
		return !error;		/* the opener's: swallowed */
	if (id->integer < 0 || (uint64_t)id->integer > r->last)
		return false;
	h = gk_heldq_find(r->o.calls, (uint64_t)id->integer);
	if (h == NULL)
		return true;		/* cancelled or answered: late */
	if (h->state != GK_HELD_FORWARDED)
		return false;
	call = h->call;
	gk_heldq_remove(r->o.calls, h);
	(void)gk_mcp_relayed(call, line, id->value);
	return true;
}

static bool
pass_notification(struct gk_relay *r, struct gk_span line)
{
	struct gk_span v[2] = { line, gk_span("\n", 1) };

	/* Without memory it is lost, as a courtesy may be. */
	(void)gk_outq_putv(r->o.harness, v, 2, NULL);
	return true;
}

bool
gk_relay_take(struct gk_relay *r, struct gk_span line)
{
	enum { VERSION, ID, METHOD, RESULT, ERROR, NAMES };
	static const char *const names[NAMES] = {
		"jsonrpc", "id", "method", "result", "error"
	};
	struct gk_member top[8], m[NAMES];
	struct gk_scan scan;

	if (gk_scan(r->leg.ctx, line.ptr, line.len, top, GK_ARRAY_LEN(top),
	    &scan) < 0)
		return false;
	(void)gk_scan_pick(&scan, names, NAMES, m);
	if (!gk_jstr_is(&m[VERSION], "2.0"))
		return false;
	if (m[ID].type == 0)
		return m[METHOD].type == GK_J_STRING && m[RESULT].type == 0 &&
		    m[ERROR].type == 0 && pass_notification(r, line);
	if (m[ID].type != GK_J_INT || m[METHOD].type != 0 ||
	    (m[RESULT].type != 0) == (m[ERROR].type != 0))
		return false;
	return take_reply(r, line, &m[ID], m[ERROR].type != 0);
}
