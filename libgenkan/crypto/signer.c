#include "crypto/signer.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/rng.h"
#include "codec/b64.h"
#include "crypto/digest.h"
#include "crypto/es256.h"
#include "crypto/mac.h"

/* A fixture key is 01 02 ... 20; the golden vectors were signed with it. */
static bool
is_fixture(const uint8_t scalar[GK_P256_SCALAR])
{
	uint8_t fixture[GK_P256_SCALAR];
	size_t i;

	for (i = 0; i < sizeof(fixture); i++)
		fixture[i] = (uint8_t)(i + 1);
	return gk_mac_eq(scalar, GK_P256_SCALAR, fixture, sizeof(fixture));
}

static const char *
judge(const uint8_t *scalar, size_t len)
{
	static const uint8_t zero[GK_P256_SCALAR];

	if (len != GK_P256_SCALAR)
		return "the stored key has not the length of a key";
	if (gk_mac_eq(scalar, len, zero, sizeof(zero)))
		return "the stored key is zero";
	if (!gk_p256_in_range(scalar))
		return "the stored key is not below the order of the curve";
	if (is_fixture(scalar))
		return "the stored key is the public one of the test vectors";
	return NULL;
}

int
gk_signer_open(struct genkan_ctx *ctx, const void *scalar, size_t len,
    struct gk_signer *ret, const char **why)
{
	int r;

	memset(ret, 0, sizeof(*ret));
	if ((*why = judge(scalar, len)) != NULL)
		return 1;
	r = gk_secret_set(&ret->scalar, scalar, len);
	if (r == 0)
		r = gk_p256_public(ctx, ret->scalar.ptr, ret->pub);
	if (r == 0)
		r = gk_key_id(ctx, ret->pub, ret->id);
	if (r < 0) {
		gk_signer_done(ret);
		*why = gk_err_text(r);
	}
	return r;
}

int
gk_signer_open_text(struct genkan_ctx *ctx, const char *text, size_t len,
    struct gk_signer *ret, const char **why)
{
	/* One byte more than a key has, so that a longer one is seen to be. */
	uint8_t scalar[GK_P256_SCALAR + 1];
	size_t n;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = gk_b64_decode(GK_B64_STD, text, len, scalar, sizeof(scalar), &n);
	if (r == GENKAN_E_FRAME_SIZE)
		n = sizeof(scalar);
	if (r < 0 && r != GENKAN_E_FRAME_SIZE) {
		*why = "the stored key is not base64";
		r = 1;
	} else {
		r = gk_signer_open(ctx, scalar, n, ret, why);
	}
	gk_wipe(scalar, sizeof(scalar));
	return r;
}

int
gk_signer_mint(struct genkan_ctx *ctx, struct gk_signer *ret)
{
	uint8_t scalar[GK_P256_SCALAR];
	const char *why;
	int r;

	memset(ret, 0, sizeof(*ret));
	do {
		r = gk_rng_bytes(ctx, scalar, sizeof(scalar));
	} while (r == 0 && judge(scalar, sizeof(scalar)) != NULL);
	if (r == 0)
		r = gk_signer_open(ctx, scalar, sizeof(scalar), ret, &why);
	gk_wipe(scalar, sizeof(scalar));
	return r;
}

/* A signature that a fault has spoiled would give the key away. */
int
gk_signer_sign(struct genkan_ctx *ctx, const struct gk_signer *s,
    const void *msg, size_t len, uint8_t ret[GK_P256_SIG])
{
	struct gk_span part = gk_span(msg, len);
	int r;

	memset(ret, 0, GK_P256_SIG);
	if (s->scalar.len != GK_P256_SCALAR)
		return GENKAN_E_INVAL;
	r = gk_p256_sign(ctx, s->scalar.ptr, msg, len, ret);
	if (r == 0)
		r = gk_es256_verify(ctx, s->pub, ret, &part, 1);
	if (r != 0)
		gk_wipe(ret, GK_P256_SIG);
	return r == 1 ? GENKAN_E_CRYPTO : r;
}

void
gk_signer_done(struct gk_signer *s)
{
	gk_secret_done(&s->scalar);
	memset(s, 0, sizeof(*s));
}

int
gk_key_id(struct genkan_ctx *ctx, const uint8_t pub[GK_P256_POINT],
    char ret[GK_KEY_ID_HEX + 1])
{
	return gk_sha256_hex(ctx, pub, GK_P256_POINT, ret);
}

void
gk_key_fingerprint(const char id[GK_KEY_ID_HEX + 1],
    char ret[GK_FINGERPRINT_LEN + 1])
{
	size_t i, at = 0;

	for (i = 0; i < GK_KEY_ID_HEX; i++) {
		if (i > 0 && i % 4 == 0)
			ret[at++] = ' ';
		ret[at++] = id[i];
	}
	ret[at] = '\0';
}
