#include "local/keyring.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "codec/b64.h"
#include "codec/hex.h"
#include "crypto/digest.h"
#include "os/keystore.h"
#include "records/keyrec.h"

/* Room for what lies in the store: a key is 44 characters. */
#define VALUE_MAX	4096

static int tell(struct gk_keyring *, int r, const char *fmt, ...)
    GK_PRINTF(3, 4);

static int
tell(struct gk_keyring *k, int r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(k->why, sizeof(k->why), fmt, ap);
	va_end(ap);
	return r;
}

int
gk_keyring_account(struct genkan_ctx *ctx, const char *path,
    char ret[GK_KEYRING_ACCOUNT_MAX])
{
	char hex[GK_SHA256_HEX + 1];
	int r;

	if ((r = gk_sha256_hex(ctx, path, strlen(path), hex)) < 0)
		return r;
	(void)snprintf(ret, GK_KEYRING_ACCOUNT_MAX, "%s.%.32s",
	    gk_schema_ident(GK_IDENT_KEY_LABEL), hex);
	return 0;
}

int
gk_keyring_init(struct gk_keyring *k, struct genkan_ctx *ctx,
    const struct gk_place *place, const struct gk_store *store)
{
	char real[GK_PATH_MAX];
	struct gk_why why = { 0, "" };
	int r;

	memset(k, 0, sizeof(*k));
	k->ctx = ctx;
	k->store = store;
	r = gk_dirs_real(place->state, real, &why);
	if (r < 0)
		return tell(k, r, "state directory: %s", why.text);
	r = gk_keyring_account(ctx, real, k->account);
	return r < 0 ? tell(k, r, "%s", gk_err_text(r)) : 0;
}

/* ---------------------------------------------------------- credential store */

/* Its answer, or why it is not asked any more.  A build without one counts as
 * an empty one. */
static int
from_store(struct gk_keyring *k, int r, const struct gk_why *why)
{
	if (r == GENKAN_E_UNSUPPORTED && !gk_keystore_built())
		return GENKAN_E_NOENT;
	if (r >= 0 || r == GENKAN_E_NOENT)
		return r;
	k->failed = r;
	(void)snprintf(k->reason, sizeof(k->reason), "%s", why->text);
	return tell(k, r, "%s; `genkan pair --file-store` keeps the key in a "
	    "file instead", k->reason);
}

static int
ask_store(struct gk_keyring *k, struct gk_buf *value)
{
	struct gk_why why = { 0, "" };

	if (k->failed != 0)
		return k->failed;
	return from_store(k, gk_keystore_load(k->account, value, &why), &why);
}

int
gk_keyring_unlock(struct gk_keyring *k)
{
	struct gk_buf value;
	struct gk_why why = { 0, "" };
	int r;

	if (!gk_keystore_built())
		return tell(k, GENKAN_E_UNSUPPORTED, "this build of genkan "
		    "has no credential store; --file-store keeps the key in a "
		    "file instead");
	/* First a call that ends: a store that hangs is not waited for. */
	gk_buf_init(&value, k->ctx, VALUE_MAX);
	r = ask_store(k, &value);
	gk_buf_done(&value);
	if (r < 0 && r != GENKAN_E_NOENT && r != GENKAN_E_LOCKED)
		return r;
	k->failed = 0;
	return from_store(k, gk_keystore_unlock(&why), &why);
}

/* -------------------------------------------------------------------- file */

static bool
has_file(struct gk_keyring *k)
{
	struct gk_stamp stamp;

	return k->store->stamp(k->store->user, GK_RECORD_HOST_KEY,
	    &stamp) != GENKAN_E_NOENT;
}

/* The scalar, appended; NOENT; or unreadable, and ->why says it. */
static int
read_file(struct gk_keyring *k, struct gk_buf *scalar)
{
	char why[GK_WHY_MAX];
	struct gk_stamp stamp;
	struct gk_buf bytes;
	int r;

	r = gk_store_load(k->ctx, k->store, GK_RECORD_HOST_KEY, &bytes, &stamp,
	    why, sizeof(why));
	if (r == 0)
		r = gk_keyrec_parse(k->ctx, bytes.ptr, bytes.len, scalar, why,
		    sizeof(why));
	gk_buf_done(&bytes);
	if (r < 0 && r != GENKAN_E_NOENT)
		gk_store_unreadable(k->store, GK_RECORD_HOST_KEY, why, k->why,
		    sizeof(k->why));
	return r;
}

static int
write_file(struct gk_keyring *k, struct gk_hold *hold,
    const struct gk_signer *signer)
{
	enum gk_wrote wrote;
	struct gk_buf bytes;
	int r;

	gk_buf_init(&bytes, k->ctx, gk_record_cap(GK_RECORD_HOST_KEY));
	r = gk_keyrec_format(signer->scalar.ptr, &bytes);
	if (r < 0)
		(void)tell(k, r, "the host key cannot be written: %s",
		    gk_err_text(r));
	else
		r = gk_store_replace(k->ctx, k->store, hold,
		    GK_RECORD_HOST_KEY, &bytes, NULL, &wrote, k->why,
		    sizeof(k->why));
	gk_buf_done(&bytes);
	return r;
}

/* ----------------------------------------------------------------- loading */

static void
answer(struct gk_key_answer *a, enum gk_key_state code, const char *why)
{
	a->code = code;
	(void)snprintf(a->why, sizeof(a->why), "%s", why);
}

/* What became of opening a key. */
static void
opened(int r, const struct gk_signer *signer, const char *why,
    struct gk_key_answer *a)
{
	if (r != 0) {
		answer(a, r == 1 ? GK_KEY_INVALID : GK_KEY_ERROR, why);
		return;
	}
	a->code = GK_KEY_OK;
	memcpy(a->pub, signer->pub, sizeof(a->pub));
	memcpy(a->key_id, signer->id, sizeof(a->key_id));
}

static void
load_from_store(struct gk_keyring *k, struct gk_signer *signer,
    struct gk_key_answer *a)
{
	struct gk_buf text;
	const char *why;
	int r;

	gk_buf_init(&text, k->ctx, VALUE_MAX);
	r = ask_store(k, &text);
	if (r == GENKAN_E_NOENT) {
		answer(a, GK_KEY_NONE, "there is no host key");
	} else if (r < 0) {
		answer(a, GK_KEY_ERROR, k->why);
	} else {
		a->place = GK_KEY_IN_STORE;
		r = gk_signer_open_text(k->ctx, (const char *)text.ptr,
		    text.len, signer, &why);
		opened(r, signer, why, a);
	}
	gk_buf_done(&text);
}

void
gk_keyring_load(struct gk_keyring *k, struct gk_signer *signer,
    struct gk_key_answer *a)
{
	struct gk_buf scalar;
	const char *why;
	int r;

	memset(signer, 0, sizeof(*signer));
	gk_buf_init(&scalar, k->ctx, VALUE_MAX);
	r = read_file(k, &scalar);
	if (r == GENKAN_E_NOENT) {
		load_from_store(k, signer, a);
	} else if (r < 0) {
		answer(a, GK_KEY_ERROR, k->why);
	} else {
		a->place = GK_KEY_IN_FILE;
		r = gk_signer_open(k->ctx, scalar.ptr, scalar.len, signer,
		    &why);
		opened(r, signer, why, a);
	}
	gk_buf_done(&scalar);
}

/* ----------------------------------------------------------------- writing */

int
gk_keyring_occupied(struct gk_keyring *k, bool lenient,
    enum gk_key_place *ret)
{
	struct gk_buf value;
	int r;

	if (has_file(k)) {
		*ret = GK_KEY_IN_FILE;
		return 1;
	}
	gk_buf_init(&value, k->ctx, VALUE_MAX);
	r = ask_store(k, &value);
	gk_buf_done(&value);
	if (r == 0) {
		*ret = GK_KEY_IN_STORE;
		return 1;
	}
	return r == GENKAN_E_NOENT || lenient ? 0 : r;
}

static int
erase_file(struct gk_keyring *k, struct gk_hold *hold)
{
	enum gk_wrote wrote;

	return gk_store_replace(k->ctx, k->store, hold, GK_RECORD_HOST_KEY,
	    NULL, NULL, &wrote, k->why, sizeof(k->why));
}

int
gk_keyring_erase(struct gk_keyring *k, struct gk_hold *hold, bool lenient,
    bool *had_key)
{
	struct gk_why why = { 0, "" };
	bool file = has_file(k);
	int r;

	if ((r = erase_file(k, hold)) < 0)
		return r;
	r = k->failed != 0 ? k->failed :
	    from_store(k, gk_keystore_erase(k->account, &why), &why);
	*had_key = file || r == 0;
	if (r >= 0 || r == GENKAN_E_NOENT || file || lenient)
		return 0;
	/* Where a key could lie instead helps nobody who wants this one gone. */
	return tell(k, r, "%s", k->reason);
}

int
gk_keyring_put(struct gk_keyring *k, struct gk_hold *hold,
    enum gk_key_place place, const struct gk_signer *signer)
{
	struct gk_why why = { 0, "" };
	struct gk_buf text;
	int r;

	if (place == GK_KEY_IN_FILE)
		return write_file(k, hold, signer);
	if (k->failed != 0)
		return k->failed;
	gk_buf_init(&text, k->ctx, VALUE_MAX);
	r = gk_b64_put(&text, GK_B64_STD, signer->scalar.ptr,
	    signer->scalar.len);
	if (r == 0)
		r = gk_keystore_store(k->account, (const char *)text.ptr,
		    text.len, &why);
	gk_buf_done(&text);
	if (r == GENKAN_E_UNSUPPORTED)
		return tell(k, r, "%s", why.text);
	return from_store(k, r, &why);
}
