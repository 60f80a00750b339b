#include "trust/webauthn.h"

#include "codec/cose.h"
#include "codec/jstr.h"
#include "crypto/digest.h"
#include "crypto/es256.h"

#define AAGUID_LEN	16

void
gk_rp_of_extension(struct gk_rp *ret)
{
	/* Chromium hashes the origin of an extension page, whatever rp.id
	 * says. */
	ret->id = gk_schema_ident(GK_IDENT_EXTENSION_ORIGIN);
	ret->origin = ret->id;
}

static int
refuse(enum gk_refusal_id code, enum gk_refusal_id *ret)
{
	*ret = code;
	return 1;
}

/* ------------------------------------------------------ authenticator data */

static int
check_flags(unsigned flags, enum gk_refusal_id *refusal)
{
	if ((flags & GK_AD_RESERVED) != 0)
		return refuse(GK_REFUSAL_AUTHDATA_RESERVED_FLAGS, refusal);
	if ((flags & GK_AD_ED) != 0)
		return refuse(GK_REFUSAL_AUTHDATA_EXTENSIONS, refusal);
	if ((flags & GK_AD_BS) != 0 && (flags & GK_AD_BE) == 0)
		return refuse(
		    GK_REFUSAL_AUTHDATA_BACKUP_STATE_WITHOUT_ELIGIBILITY,
		    refusal);
	return 0;
}

/* WebAuthn 6.5.1: AAGUID, length, id, key; *rest is what follows. */
static int
parse_attested(struct genkan_ctx *ctx, const uint8_t *p, size_t len,
    struct gk_authdata *ad, size_t *rest, enum gk_refusal_id *refusal)
{
	struct gk_cbor c;
	size_t n;
	int r;

	if (len < AAGUID_LEN + 2)
		return refuse(GK_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED, refusal);
	n = (size_t)p[AAGUID_LEN] << 8 | p[AAGUID_LEN + 1];
	p += AAGUID_LEN + 2;
	len -= AAGUID_LEN + 2;
	if (len < n)
		return refuse(GK_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED, refusal);
	if (n < GK_CREDENTIAL_ID_MIN || n > GK_CREDENTIAL_ID_MAX)
		return refuse(GK_REFUSAL_CREDENTIAL_ID_INVALID, refusal);
	ad->id = gk_span(p, n);
	gk_cbor_init(&c, p + n, len - n);
	r = gk_cose_es256(&c, ad->public_key);
	if (r == GENKAN_E_FRAME_SHORT)
		return refuse(GK_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED, refusal);
	if (r == 0)
		r = gk_es256_point(ctx, ad->public_key);
	*rest = gk_cbor_left(&c);
	return r == GENKAN_E_ENCODING ?
	    refuse(GK_REFUSAL_PUBLIC_KEY_INVALID, refusal) : r;
}

int
gk_authdata_parse(struct genkan_ctx *ctx, struct gk_span bytes,
    struct gk_authdata *ret, enum gk_refusal_id *refusal)
{
	const uint8_t *p = (const uint8_t *)bytes.ptr;
	struct gk_authdata ad = { .id = { NULL, 0 } };
	size_t rest;
	int r;

	if (bytes.len < GK_AD_MIN)
		return refuse(GK_REFUSAL_AUTHDATA_TOO_SHORT, refusal);
	memcpy(ad.rp_hash, p, sizeof(ad.rp_hash));
	ad.flags = p[32];
	ad.sign_count = (uint32_t)p[33] << 24 | (uint32_t)p[34] << 16 |
	    (uint32_t)p[35] << 8 | p[36];
	if ((r = check_flags(ad.flags, refusal)) != 0)
		return r;
	rest = bytes.len - GK_AD_MIN;
	if ((ad.flags & GK_AD_AT) != 0 && (r = parse_attested(ctx,
	    p + GK_AD_MIN, rest, &ad, &rest, refusal)) != 0)
		return r;
	if (rest > 0)
		return refuse(GK_REFUSAL_AUTHDATA_TRAILING_BYTES, refusal);
	*ret = ad;
	return 0;
}

int
gk_webauthn_header(struct genkan_ctx *ctx, const struct gk_rp *rp,
    const struct gk_authdata *ad, enum gk_refusal_id *refusal)
{
	uint8_t hash[GK_SHA256_LEN];
	int r;

	if ((r = gk_sha256(ctx, rp->id, strlen(rp->id), hash)) < 0)
		return r;
	if (memcmp(hash, ad->rp_hash, sizeof(hash)) != 0)
		return refuse(GK_REFUSAL_RP_ID_MISMATCH, refusal);
	if ((ad->flags & GK_AD_UP) == 0)
		return refuse(GK_REFUSAL_USER_NOT_PRESENT, refusal);
	return 0;
}

/* ------------------------------------------------------------- client data */

static bool
shaped(const struct gk_scan *scan, struct gk_member *type,
    struct gk_member *challenge, struct gk_member *origin, bool *crossed)
{
	struct gk_member cross, top;

	if (!gk_scan_find(scan, "type", type) || type->type != GK_J_STRING ||
	    !gk_scan_find(scan, "challenge", challenge) ||
	    challenge->type != GK_J_STRING ||
	    !gk_scan_find(scan, "origin", origin) ||
	    origin->type != GK_J_STRING)
		return false;
	*crossed = gk_scan_find(scan, "topOrigin", &top);
	if (gk_scan_find(scan, "crossOrigin", &cross)) {
		if ((cross.type & GK_J_BOOL) == 0)
			return false;
		*crossed = *crossed || cross.type == GK_J_TRUE;
	}
	return true;
}

int
gk_client_data_check(struct genkan_ctx *ctx, struct gk_span json,
    const char *type, const char *challenge, const char *origin,
    enum gk_refusal_id *refusal)
{
	struct gk_member t, c, o;
	struct gk_scan scan;
	bool crossed;
	int r;

	r = gk_scan(ctx, json.ptr, json.len, NULL, 0, &scan);
	if (r == GENKAN_E_NOMEM)
		return r;
	if (r < 0 || !shaped(&scan, &t, &c, &o, &crossed))
		return refuse(GK_REFUSAL_CLIENT_DATA_MALFORMED, refusal);
	if (!gk_jstr_is(&t, type))
		return refuse(GK_REFUSAL_CLIENT_DATA_TYPE, refusal);
	if (!gk_jstr_is(&c, challenge))
		return refuse(GK_REFUSAL_CHALLENGE_MISMATCH, refusal);
	if (!gk_jstr_is(&o, origin))
		return refuse(GK_REFUSAL_ORIGIN_MISMATCH, refusal);
	if (crossed)
		return refuse(GK_REFUSAL_CROSS_ORIGIN, refusal);
	return 0;
}

/* ------------------------------------------------------------- credentials */

int
gk_credential_path(struct genkan_ctx *ctx, const void *id, size_t len,
    char ret[GK_CREDENTIAL_PATH_LEN + 1])
{
	static const char kind[] = "webauthn:";
	char hex[GK_SHA256_HEX + 1];
	int r;

	if ((r = gk_sha256_hex(ctx, id, len, hex)) < 0)
		return r;
	memcpy(ret, kind, sizeof(kind) - 1);
	memcpy(ret + sizeof(kind) - 1, hex, sizeof(hex));
	return 0;
}

int
gk_webauthn_find(const struct gk_trustrec *rec, struct gk_span id,
    const char *label, const struct gk_enrollment **ret,
    enum gk_refusal_id *refusal)
{
	const struct gk_enrollment *e;
	size_t i;

	for (i = 0; i < rec->nenrollments; i++) {
		e = &rec->enrollment[i];
		if (!gk_span_eq(gk_span(e->id, e->idlen), id))
			continue;
		if (label != NULL && strcmp(e->label, label) != 0)
			return refuse(GK_REFUSAL_WRONG_BROWSER_LABEL,
			    refusal);
		*ret = e;
		return 0;
	}
	return refuse(GK_REFUSAL_CREDENTIAL_NOT_ENROLLED, refusal);
}
