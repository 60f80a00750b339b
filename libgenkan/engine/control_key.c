/*
 * The frames of the host key (control 2.4), and the push that tells of its
 * disposal (2.9).
 */
#include "engine/control_impl.h"

#include "codec/b64.h"

/* ----------------------------------------------------------------- answers */

static void
key_error(struct gk_control *c, enum gk_key_state state)
{
	const char *code = gk_key_code(state);
	struct gk_answer a;

	gk_answer_open(&a, c, GK_TAG_ENCLAVE_ERROR);
	gk_answer_send(&a, gk_json_put_str_member(&a.buf, "reason", code,
	    strlen(code)));
}

/* The page shows a code; why it is so, the log tells. */
static void
key_failed(struct gk_control *c, const struct gk_key_answer *a)
{
	gk_log(c->ctx, a->code == GK_KEY_NONE ? GK_LOG_INFO : GK_LOG_ERROR,
	    GK_CONTROL_TAG, "host-key", "%s: %s", gk_key_code(a->code),
	    a->why);
	key_error(c, a->code);
}

static int
put_b64(struct gk_buf *b, const char *name, const uint8_t *bytes, size_t len)
{
	int r;

	if ((r = gk_buf_putf(b, ",\"%s\":\"", name)) < 0 ||
	    (r = gk_b64_put(b, GK_B64_STD, bytes, len)) < 0)
		return r;
	return gk_buf_putc(b, '"');
}

static void
proof(struct gk_control *c, const struct gk_key_answer *k)
{
	struct gk_answer a;
	int r;

	gk_answer_open(&a, c, GK_TAG_ENCLAVE_PROOF);
	if ((r = put_b64(&a.buf, "sig", k->sig, sizeof(k->sig))) == 0 &&
	    (r = gk_json_put_str_member(&a.buf, "key_id", k->key_id,
	    strlen(k->key_id))) == 0)
		r = put_b64(&a.buf, "pubkey", k->pub, sizeof(k->pub));
	gk_answer_send(&a, r);
}

static void
revoked(struct gk_control *c)
{
	struct gk_answer a;

	gk_answer_open(&a, c, GK_TAG_ENCLAVE_REVOKED);
	gk_answer_send(&a, 0);
}

/* --------------------------------------------------------------- challenge */

static void
signed_challenge(struct gk_control *c, const struct gk_key_answer *a)
{
	c->key.pending = false;
	if (a->code == GK_KEY_OK)
		proof(c, a);
	else
		key_failed(c, a);
	gk_control_resume(c);
}

static bool
is_unreadable(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	if (view.state == GK_TRUST_UNREADABLE)
		gk_log(c->ctx, GK_LOG_ERROR, GK_CONTROL_TAG, "host-key", "%s",
		    view.why);
	return view.state == GK_TRUST_UNREADABLE;
}

void
gk_control_challenge(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_buf nonce, context, msg;
	int r;

	gk_buf_init(&nonce, c->ctx, f->object.len);
	gk_buf_init(&context, c->ctx, f->object.len);
	gk_buf_init(&msg, c->ctx, GK_CHALLENGE_NONCE_MAX +
	    GK_CHALLENGE_CONTEXT_MAX + 64);
	r = gk_key_challenge(&msg, gk_control_text(f, "nonce", &nonce),
	    gk_control_text(f, "context", &context));
	if (r < 0) {
		key_error(c, r == GENKAN_E_INVAL ? GK_KEY_BAD_CHALLENGE :
		    GK_KEY_ERROR);
	} else if (is_unreadable(c)) {
		key_error(c, GK_KEY_ERROR);
	} else {
		c->key.pending = true;
		gk_control_key_ask(c, msg.ptr, msg.len, signed_challenge);
	}
	gk_buf_done(&nonce);
	gk_buf_done(&context);
	gk_buf_done(&msg);
}

/* ---------------------------------------------------------------- disposal */

/* The answer says so already: the watch is not to say it again. */
static void
seen(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	if (view.state != GK_TRUST_UNREADABLE && c->started)
		c->host_key_epoch = view.rec->host_key_epoch;
}

static void
disposed(struct gk_control *c, const struct gk_key_answer *a)
{
	struct gk_audit rec = GK_AUDIT_INIT;

	c->key.pending = false;
	rec.kind = "host_key_revoke";
	rec.surface = "extension";
	rec.outcome = a->code == GK_KEY_OK && !a->incomplete ? "ok" :
	    "error";
	if (a->note[0] != '\0')
		gk_log(c->ctx, GK_LOG_WARN, GK_CONTROL_TAG, "host-key", "%s",
		    a->note);
	if (a->code == GK_KEY_OK) {
		seen(c);
		revoked(c);
	} else {
		key_failed(c, a);
	}
	gk_control_audit(c, &rec);
	gk_control_resume(c);
}

void
gk_control_revoke(struct gk_control *c)
{
	c->key.pending = true;
	gk_control_key_dispose(c, disposed);
}

/* -------------------------------------------------------------------- push */

static void
looked_for(struct gk_control *c, const struct gk_key_answer *a)
{
	bool again = c->key.look_again;

	c->key.looking = c->key.look_again = false;
	if (a->code == GK_KEY_NONE)
		revoked(c);
	else if (again)
		gk_control_push_revoked(c);
}

/*
 * Absence has to be seen first, and nothing waits for that.  What moves while
 * one look is under way is looked at afterwards.
 */
void
gk_control_push_revoked(struct gk_control *c)
{
	if (c->key.looking) {
		c->key.look_again = true;
		return;
	}
	c->key.looking = true;
	gk_control_key_ask(c, NULL, 0, looked_for);
}
