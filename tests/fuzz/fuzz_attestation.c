/*
 * Attestation objects and the registration in them.  Properties: what is taken
 * has one length; no beginning of it is taken, a byte more is one too many;
 * and a registration is only accepted when both of its parsers take it.
 */
#include "mutate.h"
#include "fuzz.h"

#include <string.h>

#include "base/ctx.h"
#include "crypto/ossl.h"
#include "trust/webauthn.h"

#define CHALLENGE	"_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA"

static enum gk_refusal_id
parse(const uint8_t *p, size_t n, struct gk_span *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	int r;

	*ret = gk_span("kept", 4);
	r = gk_attestation_parse(gk_span(p, n), ret, &refusal);
	MUST(r == (refusal != GK_REFUSAL_NONE));
	MUST(r == 0 || (gk_span_is(*ret, "kept") &&
	    refusal >= GK_REFUSAL_ATTESTATION_MALFORMED &&
	    refusal <= GK_REFUSAL_ATTESTATION_STATEMENT_NOT_EMPTY));
	return refusal;
}

static bool
check_object(const uint8_t *p, size_t n, struct gk_span *data)
{
	uint8_t more[4096];
	struct gk_span part;
	size_t i, head;

	if (parse(p, n, data) != GK_REFUSAL_NONE)
		return false;
	head = data->len < 24 ? 1 : data->len < 256 ? 2 :
	    data->len < 65536 ? 3 : 5;
	MUST(n == 1 + 4 + 5 + 8 + 1 + 9 + head + data->len);
	MUST(data->ptr >= (const char *)p &&
	    data->ptr + data->len <= (const char *)p + n);
	for (i = n > 60 ? n - 60 : 0; i < n; i++)
		MUST(parse(p, i, &part) == GK_REFUSAL_ATTESTATION_MALFORMED);
	if (n < sizeof(more)) {
		memcpy(more, p, n);
		more[n] = 0xf6;
		MUST(parse(more, n + 1, &part) ==
		    GK_REFUSAL_ATTESTATION_TRAILING_BYTES);
	}
	return true;
}

static void
check_registration(struct genkan_ctx *ctx, struct gk_span object, bool taken,
    struct gk_span data)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE, inner = GK_REFUSAL_NONE;
	struct gk_registration reg;
	struct gk_credential c;
	struct gk_authdata ad;
	struct gk_rp rp;
	char json[256];
	int r, parsed;

	gk_rp_of_extension(&rp);
	reg.attestation = object;
	reg.client_data = gk_span(json, (size_t)snprintf(json, sizeof(json),
	    "{\"type\":\"webauthn.create\",\"challenge\":\"" CHALLENGE
	    "\",\"origin\":\"%s\"}", rp.origin));
	memset(&c, 0x77, sizeof(c));
	r = gk_webauthn_register(ctx, &rp, CHALLENGE, &reg, &c, &refusal);
	MUST(r == (refusal != GK_REFUSAL_NONE));
	MUST(r == 0 || c.id[0] == 0x77);
	if (!taken) {
		MUST(refusal >= GK_REFUSAL_ATTESTATION_MALFORMED &&
		    refusal <= GK_REFUSAL_ATTESTATION_STATEMENT_NOT_EMPTY);
		return;
	}
	parsed = gk_authdata_parse(ctx, data, &ad, &inner);
	MUST(parsed == 0 || refusal == inner);
	if (r == 0) {
		MUST(parsed == 0 && (ad.flags & GK_AD_AT) != 0 &&
		    (ad.flags & GK_AD_UP) != 0);
		MUST(gk_span_eq(gk_span(c.id, c.idlen), ad.id));
		MUST(c.sign_count == ad.sign_count);
	} else if (parsed == 0) {
		MUST(refusal == GK_REFUSAL_NO_ATTESTED_CREDENTIAL ||
		    refusal == GK_REFUSAL_RP_ID_MISMATCH ||
		    refusal == GK_REFUSAL_USER_NOT_PRESENT);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct genkan_ctx *ctx;
	struct gk_span inner;
	bool taken;

	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	taken = check_object(data, size, &inner);
	check_registration(ctx, gk_span(data, size), taken, inner);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	return 0;
}

#ifdef GK_FUZZING
/* The head of a byte string: how long the head is and the string, 0 if it is
 * none of these or longer than what is there. */
static size_t
head(const uint8_t *p, size_t n, size_t *ret)
{
	size_t len = 0;

	if (n >= 2 && p[0] == 0x58)
		len = 2, *ret = p[1];
	else if (n >= 3 && p[0] == 0x59)
		len = 3, *ret = (size_t)p[1] << 8 | p[2];
	return len > 0 && *ret <= n - len ? len : 0;
}

/* Authenticator data that keeps its place in the object. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char name[] = "\x68" "authData";
	uint8_t *p = size == 0 ? NULL :
	    memmem(data, size, name, sizeof(name) - 1);
	size_t at, len, n, now;

	if (p != NULL)
		p += sizeof(name) - 1;
	len = p == NULL ? 0 : head(p, size - (size_t)(p - data), &n);
	if (len == 0 || seed % 4 == 0 || size + 3 > max)
		return LLVMFuzzerMutate(data, size, max);
	at = (size_t)(p - data);
	now = fz_mutate_part(data, &size, max - 3, at + len, n, 0);
	if (seed % 4 > 1)
		fz_mend_authdata(data + at + len, now);
	n = now < 24 ? 1 : now < 256 ? 2 : 3;
	memmove(data + at + n, data + at + len, size - at - len);
	data[at] = (uint8_t)(n == 1 ? 0x40 | now : n == 2 ? 0x58 : 0x59);
	if (n > 1)
		data[at + n - 1] = (uint8_t)now;
	if (n > 2)
		data[at + 1] = (uint8_t)(now >> 8);
	return size - len + n;
}
#endif
