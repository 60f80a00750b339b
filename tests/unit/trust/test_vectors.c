/*
 * The golden vectors of contract/vectors.def, every row: control 1, 3.3, 4.3,
 * 4.4, 7.1, 7.2, 7.7.
 */
#include "util.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "codec/b64.h"
#include "codec/hex.h"
#include "crypto/digest.h"
#include "crypto/es256.h"
#include "crypto/ossl.h"
#include "records/historyrec.h"
#include "trust/hostkey.h"
#include "trust/statement.h"
#include "trust/webauthn.h"

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

struct key_row { const char *scalar, *spki, *pub, *id, *print, *ext; };
static const struct key_row keys[] = {
#define GK_VECTOR_KEY(scalar, spki, pub, id, print, ext) \
	{ scalar, spki, pub, id, print, ext },
#include "contract/vectors.def"
};
struct challenge_row {
	const char *nonce; size_t n; const char *context; size_t m, len;
	const char *sha, *sig;
};
static const struct challenge_row challenges[] = {
#define GK_VECTOR_CHALLENGE(nonce, n, context, m, len, sha, sig) \
	{ nonce, n, context, m, len, sha, sig },
#include "contract/vectors.def"
};
struct policy_row {
	const char *name, *doc; size_t len; const char *sha; size_t siglen;
	const char *sig;
};
static const struct policy_row policies[] = {
#define GK_VECTOR_POLICY(name, doc, len, sha, siglen, sig) \
	{ name, doc, len, sha, siglen, sig },
#include "contract/vectors.def"
};
struct entry_row { const char *policy, *overlay; uint64_t at; const char *id; };
static const struct entry_row entries[] = {
#define GK_VECTOR_ENTRY(policy, overlay, superseded, id) \
	{ policy, overlay, superseded, id },
#include "contract/vectors.def"
};
struct statement_row {
	const char *domain, *label, *action; size_t len; const char *challenge;
};
static const struct statement_row statements[] = {
#define GK_VECTOR_STATEMENT(domain, label, action, len, challenge) \
	{ domain, label, action, len, challenge },
#include "contract/vectors.def"
};
struct rp_row { const char *id, *hash, *bare; };
static const struct rp_row rps[] = {
#define GK_VECTOR_RP(id, hash, bare) { id, hash, bare },
#include "contract/vectors.def"
};
struct ceremony_row {
	const char *kind; uint32_t count;
	const char *challenge, *id, *data, *proof, *client;
};
static const struct ceremony_row ceremonies[] = {
#define GK_VECTOR_CEREMONY(kind, count, challenge, id, data, proof, client) \
	{ kind, count, challenge, id, data, proof, client },
#include "contract/vectors.def"
};

static struct gk_test t;
static struct gk_buf msg;
static uint8_t scalar[GK_P256_SCALAR], pub[GK_P256_POINT];

static void
b64(enum gk_b64 form, const char *text, uint8_t *ret, size_t cap, size_t *n)
{
	ck_assert_int_eq(gk_b64_decode(form, text, strlen(text), ret, cap, n),
	    0);
}

static void
setup(void)
{
	size_t n;

	gk_test_init(&t);
	gk_buf_init(&msg, t.ctx, 16384);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, keys[0].scalar, 64,
	    scalar, sizeof(scalar), &n), 0);
	b64(GK_B64_STD, keys[0].pub, pub, sizeof(pub), &n);
	ck_assert_uint_eq(n, sizeof(pub));
}

static void
teardown(void)
{
	gk_buf_done(&msg);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

static void
check_hash(const void *bytes, size_t len, const char *want)
{
	char hex[GK_SHA256_HEX + 1];

	ck_assert_int_eq(gk_sha256_hex(t.ctx, bytes, len, hex), 0);
	ck_assert_str_eq(hex, want);
}

/* The signature over msg is that of the vector, byte for byte, and verifies. */
static void
check_signature(const char *want)
{
	uint8_t sig[GK_P256_SIG], gold[GK_P256_SIG];
	struct gk_span part = gk_buf_span(&msg);
	size_t n;

	b64(GK_B64_STD, want, gold, sizeof(gold), &n);
	ck_assert_uint_eq(n, sizeof(gold));
	ck_assert_int_eq(gk_p256_sign(t.ctx, scalar, msg.ptr, msg.len, sig),
	    0);
	ck_assert_mem_eq(sig, gold, sizeof(gold));
	ck_assert_int_eq(gk_es256_verify(t.ctx, pub, gold, &part, 1), 0);
}

/* s above half the order: what a library that normalises would change. */
static bool
is_high(const char *text)
{
	uint8_t sig[GK_P256_SIG];
	size_t n;

	b64(GK_B64_STD, text, sig, sizeof(sig), &n);
	return sig[32] >= 0x80;
}

START_TEST(test_the_fixture_key_has_its_names_and_is_no_identity)
{
	char id[GK_KEY_ID_HEX + 1], print[GK_FINGERPRINT_LEN + 1], ext[33];
	uint8_t got[GK_P256_POINT], spki[128], hash[GK_SHA256_LEN];
	struct gk_signer signer;
	const char *why;
	size_t i, n;

	ck_assert_int_eq(LEN(keys), 1);
	ck_assert_int_eq(gk_p256_public(t.ctx, scalar, got), 0);
	ck_assert_mem_eq(got, pub, sizeof(pub));
	ck_assert_int_eq(gk_key_id(t.ctx, got, id), 0);
	ck_assert_str_eq(id, keys[0].id);
	ck_assert_str_eq(id, gk_schema_ident(GK_IDENT_FIXTURE_KEY_ID));
	gk_key_fingerprint(id, print);
	ck_assert_str_eq(print, keys[0].print);
	b64(GK_B64_STD, keys[0].spki, spki, sizeof(spki), &n);
	ck_assert_mem_eq(spki + n - sizeof(pub), pub, sizeof(pub));
	ck_assert_int_eq(gk_sha256(t.ctx, spki, n, hash), 0);
	for (i = 0; i < 32; i++)
		ext[i] = (char)('a' + (hash[i / 2] >> (i % 2 ? 0 : 4) & 15));
	ext[32] = '\0';
	ck_assert_str_eq(ext, keys[0].ext);
	ck_assert_str_eq(gk_schema_ident(GK_IDENT_VECTOR_KEY), keys[0].spki);
	ck_assert_str_eq(gk_schema_ident(GK_IDENT_VECTOR_ID), keys[0].ext);
	ck_assert_int_eq(gk_signer_open(t.ctx, scalar, sizeof(scalar),
	    &signer, &why), 1);
}
END_TEST

static void
repeat(struct gk_buf *b, const char *text, size_t n)
{
	while (n-- > 0)
		ck_assert_int_eq(gk_buf_puts(b, text), 0);
}

START_TEST(test_challenges_are_built_and_signed)
{
	const struct challenge_row *v = &challenges[_i];
	struct gk_buf nonce, context;

	gk_buf_init(&nonce, t.ctx, 4096);
	gk_buf_init(&context, t.ctx, 4096);
	repeat(&nonce, v->nonce, v->n);
	repeat(&context, v->context, v->m);
	ck_assert_int_eq(gk_key_challenge(&msg, gk_buf_span(&nonce),
	    gk_buf_span(&context)), 0);
	ck_assert_uint_eq(msg.len, v->len);
	check_hash(msg.ptr, msg.len, v->sha);
	check_signature(v->sig);
	gk_buf_done(&nonce);
	gk_buf_done(&context);
}
END_TEST

START_TEST(test_policy_documents_are_signed)
{
	const struct policy_row *v = &policies[_i];

	ck_assert_uint_eq(strlen(v->doc), v->len);
	check_hash(v->doc, v->len, v->sha);
	ck_assert_int_eq(gk_key_policy(&msg, gk_span_str(v->doc)), 0);
	ck_assert_uint_eq(msg.len, v->siglen);
	check_signature(v->sig);
}
END_TEST

START_TEST(test_some_signatures_have_a_high_s)
{
	int i, high = 0;

	for (i = 0; i < LEN(challenges); i++)
		high += is_high(challenges[i].sig);
	for (i = 0; i < LEN(policies); i++)
		high += is_high(policies[i].sig);
	ck_assert_int_eq(high, 4);
}
END_TEST

/* The record as it lies on disk, in a ring of one. */
START_TEST(test_history_entries_have_their_ids)
{
	const struct entry_row *v = &entries[_i];
	const struct policy_row *p = &policies[strcmp(v->policy, "D1") != 0];
	struct gk_historyrec *ring;
	char why[GK_WHY_MAX];

	ck_assert_str_eq(p->name, v->policy);
	ck_assert_int_eq(gk_buf_puts(&msg, "{\"version\":0,\"entries\":[{"
	    "\"baseline_b64\":\""), 0);
	ck_assert_int_eq(gk_b64_put(&msg, GK_B64_STD, p->doc, p->len), 0);
	ck_assert_int_eq(gk_buf_putf(&msg, "\",\"sig_b64\":\"%s\",\"key_id\":"
	    "\"%s\"%s%s,\"superseded_unix\":%lu}]}", p->sig, keys[0].id,
	    v->overlay[0] != '\0' ? ",\"overlay\":" : "", v->overlay,
	    (unsigned long)v->at), 0);
	ck_assert_int_eq(gk_historyrec_parse(t.ctx, msg.ptr, msg.len, &ring,
	    why, sizeof(why)), 0);
	ck_assert_uint_eq(ring->n, 1);
	ck_assert_str_eq(ring->row[0].id, v->id);
	gk_historyrec_free(ring);
}
END_TEST

START_TEST(test_statements_give_their_challenges)
{
	static const char nonce[] =
	    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
	const struct statement_row *v = &statements[_i];
	enum gk_ceremony_kind kind = strcmp(v->domain, gk_schema_ident(
	    GK_IDENT_DOMAIN_ENROLL)) == 0 ? GK_CEREMONY_ENROLL :
	    GK_CEREMONY_PRESENCE;
	char got[GK_CHALLENGE_LEN + 1];

	ck_assert_uint_eq(strlen(v->domain) + strlen(v->label) +
	    strlen(v->action) + strlen(nonce) + 3, v->len);
	ck_assert_int_eq(gk_challenge(t.ctx, kind, v->label,
	    gk_span_str(v->action), gk_span_str(nonce), got), 0);
	ck_assert_str_eq(got, v->challenge);
}
END_TEST

/* For extension callers the origin is hashed, whatever rp.id says. */
START_TEST(test_the_relying_party_is_hashed_by_its_origin)
{
	char origin[64];

	ck_assert_int_eq(LEN(rps), 1);
	(void)snprintf(origin, sizeof(origin), "chrome-extension://%s",
	    rps[0].id);
	check_hash(origin, strlen(origin), rps[0].hash);
	check_hash(rps[0].id, strlen(rps[0].id), rps[0].bare);
}
END_TEST

static struct gk_span
bytes(const char *text)
{
	size_t at = msg.len;

	ck_assert_int_eq(gk_b64_put_decoded(&msg, GK_B64_URL, text,
	    strlen(text)), 0);
	return gk_span(msg.ptr + at, msg.len - at);
}

START_TEST(test_the_recorded_ceremony_is_accepted_once)
{
	const struct ceremony_row *create = &ceremonies[0],
	    *get = &ceremonies[1];
	char origin[64], path[GK_CREDENTIAL_PATH_LEN + 1];
	struct gk_rp rp = { .id = origin, .origin = origin };
	struct gk_registration reg;
	struct gk_assertion as;
	struct gk_credential cred;
	enum gk_refusal_id refusal;
	struct gk_span want;
	uint8_t *room;
	uint32_t count;

	ck_assert_int_eq(gk_buf_reserve(&msg, 8192, &room), 0);
	(void)snprintf(origin, sizeof(origin), "chrome-extension://%s",
	    rps[0].id);
	reg.attestation = bytes(create->data);
	reg.client_data = gk_span_str(create->client);
	ck_assert_int_eq(gk_webauthn_register(t.ctx, &rp, create->challenge,
	    &reg, &cred, &refusal), 0);
	want = bytes(create->id);
	ck_assert_uint_eq(cred.idlen, want.len);
	ck_assert_mem_eq(cred.id, want.ptr, want.len);
	want = bytes(create->proof);
	ck_assert_uint_eq(want.len, sizeof(cred.public_key));
	ck_assert_mem_eq(cred.public_key, want.ptr, want.len);
	ck_assert_uint_eq(cred.sign_count, create->count);
	ck_assert_int_eq(gk_credential_path(t.ctx, cred.id, cred.idlen, path),
	    0);
	ck_assert_str_eq(path, "webauthn:c44eed043c858ae9601f58ab5e5bd11b"
	    "673667cc687714187b475b6fc6266e5d");

	as.id = bytes(get->id);
	as.authdata = bytes(get->data);
	as.client_data = gk_span_str(get->client);
	as.signature = bytes(get->proof);
	ck_assert_int_eq(gk_webauthn_assert(t.ctx, &rp, get->challenge, &as,
	    cred.public_key, cred.sign_count, cred.backup_eligible, &count,
	    &refusal), 0);
	ck_assert_uint_eq(count, get->count);
	ck_assert_int_eq(gk_webauthn_assert(t.ctx, &rp, get->challenge, &as,
	    cred.public_key, count, cred.backup_eligible, &count, &refusal),
	    1);
	ck_assert_int_eq(refusal, GK_REFUSAL_SIGN_COUNT_NOT_INCREASED);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("vectors");
	TCase *tc = tcase_create("vectors");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
	    test_the_fixture_key_has_its_names_and_is_no_identity);
	tcase_add_loop_test(tc, test_challenges_are_built_and_signed, 0,
	    LEN(challenges));
	tcase_add_loop_test(tc, test_policy_documents_are_signed, 0,
	    LEN(policies));
	tcase_add_test(tc, test_some_signatures_have_a_high_s);
	tcase_add_loop_test(tc, test_history_entries_have_their_ids, 0,
	    LEN(entries));
	tcase_add_loop_test(tc, test_statements_give_their_challenges, 0,
	    LEN(statements));
	tcase_add_test(tc, test_the_relying_party_is_hashed_by_its_origin);
	tcase_add_test(tc, test_the_recorded_ceremony_is_accepted_once);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
