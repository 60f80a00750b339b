/* The verifier of registrations: control.md 7.6, WebAuthn 7.1. */
#include "trust/webauthn.h"

#include "codec/cbor.h"

enum { FMT, ATT_STMT, AUTH_DATA, MEMBERS };

static int
refuse(enum gk_refusal_id code, enum gk_refusal_id *ret)
{
	*ret = code;
	return 1;
}

static int
read_value(struct gk_cbor *c, int which, struct gk_span *authdata,
    enum gk_refusal_id *refusal)
{
	struct gk_span fmt;
	uint64_t pairs;

	switch (which) {
	case FMT:
		if (gk_cbor_text(c, &fmt) < 0)
			break;
		return gk_span_is(fmt, "none") ? 0 :
		    refuse(GK_REFUSAL_ATTESTATION_FORMAT, refusal);
	case ATT_STMT:
		if (gk_cbor_map(c, &pairs) < 0)
			break;
		return pairs == 0 ? 0 : refuse(
		    GK_REFUSAL_ATTESTATION_STATEMENT_NOT_EMPTY, refusal);
	default:
		if (gk_cbor_bytes(c, authdata) < 0)
			break;
		return 0;
	}
	return refuse(GK_REFUSAL_ATTESTATION_MALFORMED, refusal);
}

static int
read_member(struct gk_cbor *c, unsigned *seen, struct gk_span *authdata,
    enum gk_refusal_id *refusal)
{
	static const char *const name[MEMBERS] = {
		[FMT] = "fmt", [ATT_STMT] = "attStmt",
		[AUTH_DATA] = "authData",
	};
	struct gk_span key;
	int i;

	if (gk_cbor_text(c, &key) < 0)
		return refuse(GK_REFUSAL_ATTESTATION_MALFORMED, refusal);
	for (i = 0; i < MEMBERS; i++)
		if (gk_span_is(key, name[i]))
			break;
	if (i == MEMBERS || (*seen & 1u << i) != 0)
		return refuse(GK_REFUSAL_ATTESTATION_MALFORMED, refusal);
	*seen |= 1u << i;
	return read_value(c, i, authdata, refusal);
}

/* Checked while it is read: the first violation answers. */
int
gk_attestation_parse(struct gk_span object, struct gk_span *authdata,
    enum gk_refusal_id *refusal)
{
	struct gk_span found = { NULL, 0 };
	unsigned seen = 0;
	struct gk_cbor c;
	uint64_t pairs;
	int i, r;

	gk_cbor_init(&c, object.ptr, object.len);
	if (gk_cbor_map(&c, &pairs) < 0 || pairs != MEMBERS)
		return refuse(GK_REFUSAL_ATTESTATION_MALFORMED, refusal);
	for (i = 0; i < MEMBERS; i++)
		if ((r = read_member(&c, &seen, &found, refusal)) != 0)
			return r;
	if (!gk_cbor_at_end(&c))
		return refuse(GK_REFUSAL_ATTESTATION_TRAILING_BYTES, refusal);
	*authdata = found;
	return 0;
}

int
gk_webauthn_register(struct genkan_ctx *ctx, const struct gk_rp *rp,
    const char *challenge, const struct gk_registration *reg,
    struct gk_credential *ret, enum gk_refusal_id *refusal)
{
	struct gk_authdata ad;
	struct gk_span bytes;
	int r;

	if ((r = gk_attestation_parse(reg->attestation, &bytes,
	    refusal)) != 0 ||
	    (r = gk_authdata_parse(ctx, bytes, &ad, refusal)) != 0)
		return r;
	if ((ad.flags & GK_AD_AT) == 0)
		return refuse(GK_REFUSAL_NO_ATTESTED_CREDENTIAL, refusal);
	if ((r = gk_webauthn_header(ctx, rp, &ad, refusal)) != 0 ||
	    (r = gk_client_data_check(ctx, reg->client_data,
	    GK_CLIENT_DATA_CREATE, challenge, rp->origin, refusal)) != 0)
		return r;
	memcpy(ret->id, ad.id.ptr, ad.id.len);
	ret->idlen = ad.id.len;
	memcpy(ret->public_key, ad.public_key, sizeof(ret->public_key));
	ret->sign_count = ad.sign_count;
	ret->backup_eligible = (ad.flags & GK_AD_BE) != 0;
	return 0;
}
