#include "trust/statement.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/alloc.h"
#include "base/str.h"
#include "codec/b64.h"
#include "crypto/digest.h"
#include "records/trustrec.h"

/* ------------------------------------------------------------ action texts */

static int put(struct gk_action *, const char *fmt, ...) GK_PRINTF(2, 3);

static int
put(struct gk_action *a, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(a->text, sizeof(a->text), fmt, ap);
	va_end(ap);
	if (n <= 0)
		return GENKAN_E_INVAL;
	return (size_t)n < sizeof(a->text) ? 0 : GENKAN_E_TOO_LARGE;
}

/* A part that comes from elsewhere, behind what stands there already. */
static int
append(struct gk_action *a, struct gk_span part)
{
	size_t at = strlen(a->text);

	if (part.len == 0 || memchr(part.ptr, '\0', part.len) != NULL)
		return GENKAN_E_INVAL;
	if (part.len > GK_ACTION_TEXT_MAX - at)
		return GENKAN_E_TOO_LARGE;
	memcpy(a->text + at, part.ptr, part.len);
	a->text[at + part.len] = '\0';
	return 0;
}

int
gk_action_release(struct gk_action *a)
{
	return put(a, "release the kill switch");
}

int
gk_action_enroll(struct gk_action *a)
{
	return put(a, "enroll");
}

int
gk_action_pair(struct gk_action *a, const struct gk_client *client)
{
	return put(a, "trust client %s (%s %s)", client->name,
	    gk_anchor_kind_name(client->anchor.kind), client->anchor.value);
}

int
gk_action_policy(struct gk_action *a, struct gk_span summary)
{
	(void)put(a, "set policy: ");
	return append(a, summary);
}

int
gk_action_rollback(struct gk_action *a, uint64_t revision,
    struct gk_span summary)
{
	(void)put(a, "roll policy back to revision %" PRIu64 ": ", revision);
	return append(a, summary);
}

int
gk_action_page(struct gk_action *a, const char *op, struct gk_span origin)
{
	(void)put(a, "%s on ", op);
	return append(a, origin);
}

int
gk_action_another(struct gk_action *a, const char *label)
{
	return put(a, "enroll another credential for %s", label);
}

/* --------------------------------------------------------------- challenge */

bool
gk_nonce_is_valid(struct gk_span nonce)
{
	return nonce.ptr != NULL && nonce.len > 0 &&
	    nonce.len <= GK_CHALLENGE_NONCE_MAX &&
	    memchr(nonce.ptr, '\0', nonce.len) == NULL;
}

static int
b64url(struct genkan_ctx *ctx, const uint8_t raw[32],
    char ret[GK_CHALLENGE_LEN + 1])
{
	struct gk_buf b;
	int r;

	gk_buf_init(&b, ctx, GK_CHALLENGE_LEN);
	r = gk_b64_put(&b, GK_B64_URL, raw, 32);
	if (r == 0)
		(void)gk_str_copy(ret, GK_CHALLENGE_LEN + 1,
		    (const char *)b.ptr, b.len);
	gk_buf_done(&b);
	return r;
}

int
gk_nonce_make(struct genkan_ctx *ctx, char ret[GK_CHALLENGE_LEN + 1])
{
	uint8_t raw[32];
	int r;

	r = gk_rng_bytes(ctx, raw, sizeof(raw));
	if (r == 0)
		r = b64url(ctx, raw, ret);
	gk_wipe(raw, sizeof(raw));
	return r;
}

static const char *
domain(enum gk_ceremony_kind kind)
{
	return gk_schema_ident(kind == GK_CEREMONY_ENROLL ?
	    GK_IDENT_DOMAIN_ENROLL : GK_IDENT_DOMAIN_PRESENCE);
}

/* No part holds a NUL, so no two statements read alike. */
static int
digest(struct genkan_ctx *ctx, const struct gk_span part[4],
    uint8_t ret[GK_SHA256_LEN])
{
	struct gk_digest d;
	size_t i;
	int r;

	if ((r = gk_digest_init(&d, ctx)) < 0)
		return r;
	for (i = 0; r == 0 && i < 4; i++) {
		if (i > 0)
			r = gk_digest_update(&d, "", 1);
		if (r == 0)
			r = gk_digest_update(&d, part[i].ptr, part[i].len);
	}
	if (r == 0)
		r = gk_digest_final(&d, ret);
	gk_digest_done(&d);
	return r;
}

int
gk_challenge(struct genkan_ctx *ctx, enum gk_ceremony_kind kind,
    const char *label, struct gk_span action, struct gk_span nonce,
    char ret[GK_CHALLENGE_LEN + 1])
{
	struct gk_span part[4];
	uint8_t hash[GK_SHA256_LEN];
	int r;

	if (label[0] == '\0')
		label = gk_schema_ident(GK_IDENT_DEFAULT_LABEL);
	if (!gk_nonce_is_valid(nonce) || action.len == 0 ||
	    action.len > GK_ACTION_TEXT_MAX ||
	    memchr(action.ptr, '\0', action.len) != NULL)
		return GENKAN_E_INVAL;
	part[0] = gk_span_str(domain(kind));
	part[1] = gk_span_str(label);
	part[2] = action;
	part[3] = nonce;
	r = digest(ctx, part, hash);
	return r == 0 ? b64url(ctx, hash, ret) : r;
}
