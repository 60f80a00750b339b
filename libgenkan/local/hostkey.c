#include "local/hostkey.h"

#include <stdio.h>

#include "base/err.h"
#include "local/keyring.h"
#include "local/stores.h"

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
ask(struct gk_keyring *k, enum gk_key_kind kind, const void *msg, size_t len,
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
	else if (kind == GK_KEY_DISPOSE)
		failed(a, "this version of genkan cannot dispose of the host "
		    "key yet");
	else
		ask(&k, kind, msg, len, a);
	gk_stores_done(&stores);
}

int
gk_hostkey_sign(struct gk_desk *d, const void *msg, size_t len,
    uint8_t sig[GK_P256_SIG], char key_id[GK_KEY_ID_HEX + 1], char *why,
    size_t whylen)
{
	struct gk_key_answer a;
	struct gk_keyring k;

	memset(&a, 0, sizeof(a));
	if (gk_keyring_init(&k, d->ctx, &d->place, &d->stores.store) < 0)
		failed(&a, k.why);
	else
		ask(&k, msg == NULL ? GK_KEY_LOAD : GK_KEY_SIGN, msg, len, &a);
	if (a.code != GK_KEY_OK) {
		(void)snprintf(why, whylen, "%s", a.why);
		return GENKAN_E_REFUSED;
	}
	memcpy(key_id, a.key_id, sizeof(a.key_id));
	if (msg != NULL)
		memcpy(sig, a.sig, sizeof(a.sig));
	return 0;
}
