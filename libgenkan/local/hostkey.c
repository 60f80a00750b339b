#include "local/hostkey.h"

#include <stdio.h>

#include "base/err.h"
#include "codec/b64.h"
#include "codec/jstr.h"

/* ------------------------------------------------------------------- asking */

static void
sign(struct genkan_ctx *ctx, const struct gk_signer *signer, const void *msg,
    size_t len, struct gk_key_answer *a)
{
	int r = gk_signer_sign(ctx, signer, msg, len, a->sig);

	if (r == 0)
		return;
	a->code = GK_KEY_UNSIGNED;
	(void)snprintf(a->why, sizeof(a->why), "the host key could not sign: "
	    "%s", gk_err_text(r));
}

static void
load(struct gk_keyring *k, enum gk_key_kind kind, const void *msg, size_t len,
    struct gk_key_answer *a)
{
	struct gk_signer signer;

	gk_keyring_load(k, &signer, a);
	if (a->code == GK_KEY_OK && kind == GK_KEY_SIGN)
		sign(k->ctx, &signer, msg, len, a);
	gk_signer_done(&signer);
}

static void
failed(struct gk_key_answer *a, const char *why)
{
	a->code = GK_KEY_ERROR;
	(void)snprintf(a->why, sizeof(a->why), "%s", why);
}

static void
dispose(struct gk_keyring *k, struct gk_key_answer *a)
{
	struct gk_disposal d;
	struct gk_hold *hold;

	if (gk_store_hold(k->store, &hold, a->why, sizeof(a->why)) < 0) {
		a->code = GK_KEY_ERROR;
		return;
	}
	a->incomplete = gk_hostkey_dispose(k, hold, false, &a->had_key,
	    &d) < 0;
	k->store->drop(k->store->user, hold);
	if (!d.absent)
		failed(a, d.why);
	else
		(void)snprintf(a->note, sizeof(a->note), "%s", a->incomplete ?
		    d.why : d.note);
}

static void
ask(struct gk_keyring *k, enum gk_key_kind kind, const void *msg, size_t len,
    struct gk_key_answer *a)
{
	if (kind == GK_KEY_DISPOSE)
		dispose(k, a);
	else
		load(k, kind, msg, len, a);
}

void
gk_hostkey_ask(struct genkan_ctx *ctx, const struct gk_place *place,
    enum gk_key_kind kind, const void *msg, size_t len,
    struct gk_key_answer *a)
{
	struct gk_stores stores;
	struct gk_keyring k;

	memset(a, 0, sizeof(*a));
	if (gk_stores_init(&stores, ctx, place) < 0) {
		failed(a, gk_err_text(GENKAN_E_NOMEM));
		return;
	}
	if (gk_keyring_init(&k, ctx, place, &stores.store) < 0)
		failed(a, k.why);
	else
		ask(&k, kind, msg, len, a);
	gk_stores_done(&stores);
}

static void
at_desk(struct gk_desk *d, enum gk_key_kind kind, const void *msg, size_t len,
    struct gk_key_answer *a)
{
	struct gk_keyring k;

	memset(a, 0, sizeof(*a));
	if (gk_keyring_init(&k, d->ctx, &d->place, &d->stores.store) < 0)
		failed(a, k.why);
	else
		ask(&k, kind, msg, len, a);
}

int
gk_hostkey_sign(struct gk_desk *d, const void *msg, size_t len,
    uint8_t sig[GK_P256_SIG], char key_id[GK_KEY_ID_HEX + 1], char *why,
    size_t whylen)
{
	struct gk_key_answer a;

	at_desk(d, msg == NULL ? GK_KEY_LOAD : GK_KEY_SIGN, msg, len, &a);
	if (a.code != GK_KEY_OK) {
		(void)snprintf(why, whylen, "%s", a.why);
		return GENKAN_E_REFUSED;
	}
	memcpy(key_id, a.key_id, sizeof(a.key_id));
	if (msg != NULL)
		memcpy(sig, a.sig, sizeof(a.sig));
	return 0;
}

/* ---------------------------------------------------------------- disposal */

struct eraser {
	struct gk_keyring	*k;
	bool			 lenient;
	bool			*had_key;
};

static int
erase(void *user, struct gk_hold *hold, char *why, size_t whylen)
{
	struct eraser *e = user;
	int r = gk_keyring_erase(e->k, hold, e->lenient, e->had_key);

	if (r < 0)
		(void)snprintf(why, whylen, "%s", e->k->why);
	return r;
}

int
gk_hostkey_dispose(struct gk_keyring *k, struct gk_hold *hold, bool lenient,
    bool *had_key, struct gk_disposal *d)
{
	struct eraser e = { k, lenient, had_key };
	size_t at;
	int r;

	*had_key = false;
	memset(d, 0, sizeof(*d));
	d->erase = erase;
	d->user = &e;
	r = gk_dispose(k->ctx, k->store, hold, d);
	d->erase = NULL;
	d->user = NULL;
	if (d->absent && k->failed != 0) {
		at = strlen(d->note);
		(void)snprintf(d->note + at, sizeof(d->note) - at, "%san old "
		    "host key may remain in the credential store: %s",
		    at > 0 ? "; " : "", k->reason);
	}
	return r;
}

void
gk_hostkey_revoke(struct gk_desk *d)
{
	struct gk_key_answer a;
	bool bad;

	at_desk(d, GK_KEY_DISPOSE, NULL, 0, &a);
	bad = a.code != GK_KEY_OK || a.incomplete;
	if (a.code != GK_KEY_OK)
		gk_desk_fail(d, "the host key is not disposed of: %s", a.why);
	else if (a.incomplete)
		gk_desk_fail(d, "%s", a.note);
	else
		gk_report_line(d->report, a.had_key ? "the host key is "
		    "deleted; the extension has to pair again" :
		    "there is no host key");
	if (!bad && a.note[0] != '\0')
		gk_report_warn(d->report, "genkan: %s", a.note);
	gk_desk_audit(d, "host_key_revoke", bad ? "error" : "ok", NULL, NULL);
}

/* ------------------------------------------------------------------- status */

static const char *
place_word(enum gk_key_place place, bool json)
{
	if (place == GK_KEY_IN_FILE)
		return "file";
	return json ? "credential_store" : "credential store";
}

static void
put_line(const struct gk_key_answer *a, char *ret, size_t len)
{
	switch (a->code) {
	case GK_KEY_OK:
		(void)snprintf(ret, len, "key: present (%s)",
		    place_word(a->place, false));
		break;
	case GK_KEY_NONE:
		(void)snprintf(ret, len, "key: none");
		break;
	case GK_KEY_INVALID:
		(void)snprintf(ret, len, "key: invalid: %s", a->why);
		break;
	default:
		(void)snprintf(ret, len, "key: error: %s", a->why);
		break;
	}
}

void
gk_hostkey_line(struct genkan_ctx *ctx, const struct gk_place *place,
    char *ret, size_t len)
{
	struct gk_key_answer a;

	gk_hostkey_ask(ctx, place, GK_KEY_LOAD, NULL, 0, &a);
	put_line(&a, ret, len);
}

static int
put_present(struct gk_buf *b, const struct gk_key_answer *a,
    const char *print)
{
	const char *label = gk_schema_ident(GK_IDENT_KEY_LABEL);
	int r;

	if ((r = gk_buf_putf(b, "{\"v\":1,\"key\":\"present\",\"store\":"
	    "\"%s\",\"key_label\":\"%s\",\"public_key_b64\":\"",
	    place_word(a->place, true), label)) < 0 ||
	    (r = gk_b64_put(b, GK_B64_STD, a->pub, sizeof(a->pub))) < 0)
		return r;
	return gk_buf_putf(b, "\",\"fingerprint\":\"%s\"}", print);
}

static int
put_json(struct gk_buf *b, const struct gk_key_answer *a, const char *print)
{
	int r;

	if (a->code == GK_KEY_OK)
		return put_present(b, a, print);
	if (a->code == GK_KEY_NONE)
		return gk_buf_puts(b, "{\"v\":1,\"key\":\"none\"}");
	r = gk_buf_putf(b, "{\"v\":1,\"key\":\"%s\"",
	    a->code == GK_KEY_INVALID ? "invalid" : "error");
	if (r == 0)
		r = gk_json_put_str_member(b, "detail", a->why,
		    strlen(a->why));
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

int
gk_hostkey_status(struct gk_desk *d)
{
	char line[GK_HOSTKEY_LINE], print[GK_FINGERPRINT_LEN + 1] = "";
	struct gk_key_answer a;

	at_desk(d, GK_KEY_LOAD, NULL, 0, &a);
	put_line(&a, line, sizeof(line));
	gk_report_line(d->report, "%s", line);
	if (a.code == GK_KEY_OK) {
		gk_key_fingerprint(a.key_id, print);
		gk_report_line(d->report, "fingerprint: %s", print);
	}
	return put_json(&d->report->json, &a, print);
}
