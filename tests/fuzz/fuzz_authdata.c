/*
 * Authenticator data, and client data.  The first two bytes say how many of
 * the rest are the former.  Properties: what is taken adds up to the bytes
 * that were there, with flags that may stand together; no beginning of it is
 * taken; white space around client data changes nothing; of two faults the
 * earlier check answers; and what is accepted says so in a tree of it: this
 * type, challenge and origin, and nothing of another frame around the page.
 */
#include "mutate_json.h"
#include "fuzz.h"

#include <string.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "codec/json.h"
#include "crypto/ossl.h"
#include "trust/webauthn.h"

#define CHALLENGE	"_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA"

static struct genkan_ctx *ctx;

static enum gk_refusal_id
parse(const uint8_t *p, size_t n, struct gk_authdata *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	int r;

	memset(ret, 0x77, sizeof(*ret));
	r = gk_authdata_parse(ctx, gk_span(p, n), ret, &refusal);
	MUST(r == (refusal != GK_REFUSAL_NONE));
	MUST(r == 0 || ret->flags == 0x77777777);
	return refusal;
}

static void
check_data(const uint8_t *p, size_t n)
{
	struct gk_authdata ad, part;
	enum gk_refusal_id refusal = parse(p, n, &ad);
	size_t i;

	if (refusal != GK_REFUSAL_NONE) {
		MUST((refusal >= GK_REFUSAL_AUTHDATA_TOO_SHORT &&
		    refusal <= GK_REFUSAL_PUBLIC_KEY_INVALID));
		MUST((n < GK_AD_MIN) ==
		    (refusal == GK_REFUSAL_AUTHDATA_TOO_SHORT));
		return;
	}
	MUST(memcmp(ad.rp_hash, p, 32) == 0 && ad.flags == p[32]);
	MUST((ad.flags & (GK_AD_RESERVED | GK_AD_ED)) == 0);
	MUST((ad.flags & GK_AD_BS) == 0 || (ad.flags & GK_AD_BE) != 0);
	MUST(((ad.flags & GK_AD_AT) != 0) == (ad.id.len > 0));
	MUST(n == (ad.id.len > 0 ? 37 + 18 + ad.id.len + 77 : 37));
	MUST(ad.id.len == 0 || ad.id.ptr == (const char *)p + 55);
	for (i = n > 100 ? n - 100 : 0; i < n; i++)
		MUST(parse(p, i, &part) != GK_REFUSAL_NONE);
}

static enum gk_refusal_id
client(const char *p, size_t n, const char *type, const char *challenge,
    const char *origin)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	int r = gk_client_data_check(ctx, gk_span(p, n), type, challenge,
	    origin, &refusal);

	MUST(r == (refusal != GK_REFUSAL_NONE));
	MUST(r == 0 || (refusal >= GK_REFUSAL_CLIENT_DATA_MALFORMED &&
	    refusal <= GK_REFUSAL_CROSS_ORIGIN));
	return refusal;
}

static bool
says(const json_t *tree, const char *name, const char *want)
{
	const json_t *v = json_object_get(tree, name);

	return json_is_string(v) && json_string_length(v) == strlen(want) &&
	    strcmp(json_string_value(v), want) == 0;
}

/* control 7.3, in its order, on a tree that another parser made. */
static enum gk_refusal_id
expected(const json_t *tree, const char *origin)
{
	const json_t *cross = json_object_get(tree, "crossOrigin");

	if (!json_is_string(json_object_get(tree, "type")) ||
	    !json_is_string(json_object_get(tree, "challenge")) ||
	    !json_is_string(json_object_get(tree, "origin")) ||
	    (cross != NULL && !json_is_boolean(cross)))
		return GK_REFUSAL_CLIENT_DATA_MALFORMED;
	if (!says(tree, "type", GK_CLIENT_DATA_GET))
		return GK_REFUSAL_CLIENT_DATA_TYPE;
	if (!says(tree, "challenge", CHALLENGE))
		return GK_REFUSAL_CHALLENGE_MISMATCH;
	if (!says(tree, "origin", origin))
		return GK_REFUSAL_ORIGIN_MISMATCH;
	if (json_object_get(tree, "topOrigin") != NULL || json_is_true(cross))
		return GK_REFUSAL_CROSS_ORIGIN;
	return GK_REFUSAL_NONE;
}

static void
check_tree(const char *p, size_t n, enum gk_refusal_id refusal)
{
	const char *origin = gk_schema_ident(GK_IDENT_EXTENSION_ORIGIN);
	json_t *tree = NULL;

	if (gk_json_parse(ctx, p, n, &tree) < 0) {
		MUST(refusal == GK_REFUSAL_CLIENT_DATA_MALFORMED);
		return;
	}
	MUST(refusal == expected(tree, origin));
	json_decref(tree);
}

static void
check_client(const char *p, size_t n)
{
	const char *origin = gk_schema_ident(GK_IDENT_EXTENSION_ORIGIN);
	enum gk_refusal_id plain, other;
	char *spaced = gk_malloc(ctx, n + 2);

	plain = client(p, n, GK_CLIENT_DATA_GET, CHALLENGE, origin);
	check_tree(p, n, plain);
	if (spaced != NULL) {
		spaced[0] = ' ';
		if (n > 0)
			memcpy(spaced + 1, p, n);
		spaced[n + 1] = '\n';
		MUST(client(spaced, n + 2, GK_CLIENT_DATA_GET, CHALLENGE,
		    origin) == plain);
	}
	gk_free(ctx, spaced);
	/* A type, challenge or origin that nothing is equal to. */
	other = client(p, n, "\xff", CHALLENGE, origin);
	MUST(other == (plain == GK_REFUSAL_CLIENT_DATA_MALFORMED ? plain :
	    GK_REFUSAL_CLIENT_DATA_TYPE));
	other = client(p, n, GK_CLIENT_DATA_GET, "\xff", origin);
	MUST(other == (plain == GK_REFUSAL_CLIENT_DATA_MALFORMED ||
	    plain == GK_REFUSAL_CLIENT_DATA_TYPE ? plain :
	    GK_REFUSAL_CHALLENGE_MISMATCH));
	other = client(p, n, GK_CLIENT_DATA_GET, CHALLENGE, "\xff");
	MUST(other == (plain == GK_REFUSAL_NONE ||
	    plain == GK_REFUSAL_CROSS_ORIGIN ? GK_REFUSAL_ORIGIN_MISMATCH :
	    plain));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;

	if (size < 2 || gk_ctx_new(NULL, -1, &ctx) < 0)
		return 0;
	n = (size_t)data[0] << 8 | data[1];
	data += 2;
	size -= 2;
	n = GK_MIN(n, size);
	check_data(data, n);
	check_client((const char *)data + n, size - n);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	return 0;
}

#ifdef GK_FUZZING
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n;

	if (size < 3 || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	n = GK_MIN((size_t)data[0] << 8 | data[1], size - 2);
	if (seed % 8 < 5) {
		n = fz_mutate_part(data, &size, max, 2, n, seed);
		if (seed % 8 < 3)
			fz_mend_authdata(data + 2, n);
	} else {
		(void)(seed % 8 == 5 ? fz_mutate_part : fz_mutate_json)(data,
		    &size, max, 2 + n, size - 2 - n, seed / 8);
	}
	data[0] = (uint8_t)(n >> 8);
	data[1] = (uint8_t)n;
	return size;
}
#endif
