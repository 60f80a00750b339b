/* The verifier of assertions: control.md 7.5, WebAuthn 7.2. */
#include "trust/webauthn.h"

#include "codec/der.h"
#include "crypto/digest.h"
#include "crypto/es256.h"

static int
refuse(enum gk_refusal_id code, enum gk_refusal_id *ret)
{
	*ret = code;
	return 1;
}

bool
gk_sign_count_ok(uint32_t stored, uint32_t received)
{
	return received > stored || (received == 0 && stored == 0);
}

static int
check_data(struct genkan_ctx *ctx, const struct gk_rp *rp,
    const struct gk_authdata *ad, uint32_t sign_count, bool backup_eligible,
    enum gk_refusal_id *refusal)
{
	int r;

	if ((ad->flags & GK_AD_AT) != 0)
		return refuse(GK_REFUSAL_UNEXPECTED_ATTESTED_CREDENTIAL,
		    refusal);
	if ((r = gk_webauthn_header(ctx, rp, ad, refusal)) != 0)
		return r;
	if (((ad->flags & GK_AD_BE) != 0) != backup_eligible)
		return refuse(GK_REFUSAL_BACKUP_ELIGIBILITY_CHANGED, refusal);
	if (!gk_sign_count_ok(sign_count, ad->sign_count))
		return refuse(GK_REFUSAL_SIGN_COUNT_NOT_INCREASED, refusal);
	return 0;
}

static int
check_signature(struct genkan_ctx *ctx, const struct gk_assertion *a,
    const uint8_t public_key[65], enum gk_refusal_id *refusal)
{
	uint8_t hash[GK_SHA256_LEN], sig[GK_ES256_SIG];
	struct gk_span part[2];
	int r;

	if (gk_der_ecdsa(a->signature.ptr, a->signature.len, sig) < 0 ||
	    !gk_es256_in_range(sig))
		return refuse(GK_REFUSAL_SIGNATURE_MALFORMED, refusal);
	r = gk_sha256(ctx, a->client_data.ptr, a->client_data.len, hash);
	if (r < 0)
		return r;
	part[0] = a->authdata;
	part[1] = gk_span(hash, sizeof(hash));
	r = gk_es256_verify(ctx, public_key, sig, part, 2);
	/* A stored key that is none verifies nothing. */
	if (r == 1 || r == GENKAN_E_ENCODING)
		return refuse(GK_REFUSAL_SIGNATURE_INVALID, refusal);
	return r;
}

int
gk_webauthn_assert(struct genkan_ctx *ctx, const struct gk_rp *rp,
    const char *challenge, const struct gk_assertion *a,
    const uint8_t public_key[65], uint32_t sign_count, bool backup_eligible,
    uint32_t *ret, enum gk_refusal_id *refusal)
{
	struct gk_authdata ad;
	int r;

	if ((r = gk_authdata_parse(ctx, a->authdata, &ad, refusal)) != 0 ||
	    (r = check_data(ctx, rp, &ad, sign_count, backup_eligible,
	    refusal)) != 0 ||
	    (r = gk_client_data_check(ctx, a->client_data, GK_CLIENT_DATA_GET,
	    challenge, rp->origin, refusal)) != 0 ||
	    (r = check_signature(ctx, a, public_key, refusal)) != 0)
		return r;
	*ret = ad.sign_count;
	return 0;
}
