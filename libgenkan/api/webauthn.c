#include "genkan/webauthn.h"

#include "api/door.h"
#include "api/sized.h"
#include "base/alloc.h"
#include "base/err.h"
#include "crypto/es256.h"
#include "trust/statement.h"
#include "trust/webauthn.h"

struct genkan_credential {
	struct genkan_ctx	*ctx;
	struct gk_credential	 c;
};

_Static_assert(GENKAN_CHALLENGE_SIZE == GK_CHALLENGE_LEN + 1 &&
    GENKAN_PUBLIC_KEY_LEN == GK_ES256_POINT, "trust and header agree");

/* ----------------------------------------------------------------- refusals */

const char *
genkan_refusal_name(int code)
{
	const struct gk_refusal_row *row = gk_schema_refusal(code);

	return row == NULL ? "" : row->wire;
}

const char *
genkan_refusal_text(int code)
{
	const struct gk_refusal_row *row = gk_schema_refusal(code);

	return row == NULL ? "" : row->text;
}

/* Of 0, 1 and errors: what the public calls return. */
static int
verdict(int r, enum gk_refusal_id refusal)
{
	return r == 1 ? (int)refusal : r;
}

/* --------------------------------------------------------------- statements */

int
genkan_webauthn_nonce(genkan_ctx *ctx, char *ret)
{
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	r = gk_door_fresh(ctx);
	return r < 0 ? r : gk_nonce_make(ctx, ret);
}

int
genkan_webauthn_challenge(genkan_ctx *ctx, int ceremony, const char *label,
    const char *action, const char *nonce, char *ret)
{
	int r;

	if (action == NULL || nonce == NULL || ret == NULL ||
	    (ceremony != GENKAN_CEREMONY_PRESENCE &&
	    ceremony != GENKAN_CEREMONY_ENROLL))
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	return gk_challenge(ctx, ceremony == GENKAN_CEREMONY_ENROLL ?
	    GK_CEREMONY_ENROLL : GK_CEREMONY_PRESENCE,
	    label != NULL ? label : "", gk_span_str(action),
	    gk_span_str(nonce), ret);
}

/* -------------------------------------------------------------- credentials */

static int
make(struct genkan_ctx *ctx, const struct gk_credential *c,
    genkan_credential **ret)
{
	genkan_credential *cred = gk_calloc(ctx, 1, sizeof(*cred));

	if (cred == NULL)
		return GENKAN_E_NOMEM;
	cred->ctx = ctx;
	cred->c = *c;
	*ret = cred;
	return 0;
}

int
genkan_credential_new(genkan_ctx *ctx, const void *id, size_t id_len,
    const void *public_key, uint32_t sign_count, int backup_eligible,
    genkan_credential **ret)
{
	struct gk_credential c;
	int r;

	if (id == NULL || public_key == NULL || ret == NULL ||
	    id_len < GK_CREDENTIAL_ID_MIN || id_len > GK_CREDENTIAL_ID_MAX)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	memset(&c, 0, sizeof(c));
	memcpy(c.id, id, id_len);
	c.idlen = id_len;
	memcpy(c.public_key, public_key, sizeof(c.public_key));
	c.sign_count = sign_count;
	c.backup_eligible = backup_eligible != 0;
	r = gk_es256_point(ctx, c.public_key);
	return r == 0 ? make(ctx, &c, ret) : r;
}

void
genkan_credential_free(genkan_credential *cred)
{
	if (GK_OPEN(cred))
		gk_free(cred->ctx, cred);
}

const void *
genkan_credential_id(const genkan_credential *cred, size_t *len)
{
	const bool open = GK_OPEN(cred);

	if (len != NULL)
		*len = open ? cred->c.idlen : 0;
	return open ? cred->c.id : NULL;
}

const void *
genkan_credential_public_key(const genkan_credential *cred)
{
	return GK_OPEN(cred) ? cred->c.public_key : NULL;
}

uint32_t
genkan_credential_sign_count(const genkan_credential *cred)
{
	return GK_OPEN(cred) ? cred->c.sign_count : 0;
}

int
genkan_credential_backup_eligible(const genkan_credential *cred)
{
	return GK_OPEN(cred) && cred->c.backup_eligible;
}

int
genkan_credential_counted(genkan_credential *cred, uint32_t sign_count)
{
	int r = GK_DOOR_FRESH(cred);

	if (r < 0)
		return r;
	if (!gk_sign_count_ok(cred->c.sign_count, sign_count))
		return GENKAN_E_RANGE;
	cred->c.sign_count = sign_count;
	return 0;
}

/* ---------------------------------------------------------------- verifiers */

#define RP_V1		GK_SIZED_TO(genkan_rp, challenge)
#define AUTHDATA_V1	GK_SIZED_TO(genkan_authdata, public_key)

/* A newer caller may have more to say than this library knows: only zeroes. */
static int
read_rp(struct genkan_ctx *ctx, const genkan_rp *from, struct gk_rp *ret)
{
	genkan_rp own = GENKAN_RP_INIT;
	const genkan_rp *rp = &own;
	int r;

	r = from == NULL ? GENKAN_E_INVAL :
	    gk_sized_take(&own, sizeof(own), from, RP_V1);
	if (r == GENKAN_E_ABI)
		return gk_err_set(ctx, r, "genkan_rp has members that this "
		    "library does not know");
	if (r < 0 || rp->challenge == NULL || rp->challenge[0] == '\0')
		return GENKAN_E_INVAL;
	gk_rp_of_extension(ret);
	if (rp->id != NULL)
		ret->id = rp->id;
	if (rp->origin != NULL)
		ret->origin = rp->origin;
	return 0;
}

/* 0; a refusal for what is too long; GENKAN_E_INVAL. */
static int
input(const void *bytes, size_t len, size_t max, struct gk_span *ret)
{
	if (bytes == NULL && len > 0)
		return GENKAN_E_INVAL;
	*ret = gk_span(gk_bytes(bytes), len);
	return len <= max ? 0 : GENKAN_REFUSAL_ENCODING;
}

int
genkan_webauthn_register(genkan_ctx *ctx, const genkan_rp *rp,
    const void *attestation, size_t attestation_len, const void *client_data,
    size_t client_data_len, genkan_credential **ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_registration reg;
	struct gk_credential c;
	struct gk_rp expected;
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0 ||
	    (r = read_rp(ctx, rp, &expected)) < 0 ||
	    (r = input(attestation, attestation_len, GK_ATTESTATION_MAX,
	    &reg.attestation)) != 0 ||
	    (r = input(client_data, client_data_len, GK_CLIENT_DATA_MAX,
	    &reg.client_data)) != 0)
		return r;
	memset(&c, 0, sizeof(c));
	r = gk_webauthn_register(ctx, &expected, rp->challenge, &reg, &c,
	    &refusal);
	return r == 0 ? make(ctx, &c, ret) : verdict(r, refusal);
}

int
genkan_webauthn_assert(genkan_ctx *ctx, const genkan_rp *rp,
    const genkan_credential *cred, const void *authdata, size_t authdata_len,
    const void *client_data, size_t client_data_len, const void *signature,
    size_t signature_len, uint32_t *sign_count)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_assertion a;
	struct gk_rp expected;
	int r;

	if (cred == NULL || sign_count == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0 || (r = GK_DOOR(cred)) < 0 ||
	    (r = read_rp(ctx, rp, &expected)) < 0 ||
	    (r = input(authdata, authdata_len, GK_AUTHDATA_MAX,
	    &a.authdata)) != 0 ||
	    (r = input(client_data, client_data_len, GK_CLIENT_DATA_MAX,
	    &a.client_data)) != 0 ||
	    (r = input(signature, signature_len, GK_ASSERTION_SIG_MAX,
	    &a.signature)) != 0)
		return r;
	a.id = gk_span(cred->c.id, cred->c.idlen);
	r = gk_webauthn_assert(ctx, &expected, rp->challenge, &a,
	    cred->c.public_key, cred->c.sign_count, cred->c.backup_eligible,
	    sign_count, &refusal);
	return verdict(r, refusal);
}

/* ------------------------------------------------------------------ parsers */

int
genkan_webauthn_authdata(genkan_ctx *ctx, const void *data, size_t len,
    genkan_authdata *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_authdata ad;
	int r;

	if ((data == NULL && len > 0) || ret == NULL ||
	    ret->size < AUTHDATA_V1 || ret->size > GK_SIZED_MAX)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	r = gk_authdata_parse(ctx, gk_span(gk_bytes(data), len), &ad,
	    &refusal);
	if (r != 0)
		return verdict(r, refusal);
	memcpy(ret->rp_id_hash, ad.rp_hash, sizeof(ret->rp_id_hash));
	ret->flags = ad.flags;
	ret->sign_count = ad.sign_count;
	ret->credential_id = (const uint8_t *)ad.id.ptr;
	ret->credential_id_len = ad.id.len;
	memcpy(ret->public_key, ad.public_key, sizeof(ret->public_key));
	return 0;
}

int
genkan_webauthn_attestation(const void *object, size_t len,
    const void **authdata, size_t *authdata_len)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_span found;
	int r;

	if ((object == NULL && len > 0) || authdata == NULL ||
	    authdata_len == NULL)
		return GENKAN_E_INVAL;
	r = gk_attestation_parse(gk_span(gk_bytes(object), len), &found,
	    &refusal);
	if (r != 0)
		return verdict(r, refusal);
	*authdata = found.ptr;
	*authdata_len = found.len;
	return 0;
}
