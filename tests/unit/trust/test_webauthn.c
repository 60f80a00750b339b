/*
 * The relying party: every refusal alone, the order of the checks by double
 * faults, the recorded ceremony.  control 7.3 to 7.7.
 */
#include "util.h"

#include <stdio.h>
#include <string.h>

#include "codec/b64.h"
#include "crypto/digest.h"
#include "crypto/ossl.h"
#include "softkey.h"
#include "trust/webauthn.h"

static struct gk_test t;
static struct gk_rp rp;
static struct softkey key;

#define CHALLENGE	"_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA"
#define OTHER		"yn7WCf3CHUMjqIzCqcLLbZgCpkE1AVilg2Qm_YVu2iU"

static void
setup(void)
{
	gk_test_init(&t);
	gk_rp_of_extension(&rp);
	softkey_init(&key, 7, 32);
}

static void
teardown(void)
{
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

/* ------------------------------------------------------ authenticator data */

static enum gk_refusal_id
parse(const uint8_t *bytes, size_t len, struct gk_authdata *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	int r = gk_authdata_parse(t.ctx, gk_span(bytes, len), ret, &refusal);

	ck_assert_int_eq(r, refusal == GK_REFUSAL_NONE ? 0 : 1);
	return refusal;
}

START_TEST(test_authenticator_data_is_read)
{
	uint8_t b[SOFTKEY_MAX];
	struct gk_authdata ad;
	size_t n;

	key.count = 0x01020304;
	n = softkey_authdata(&key, rp.id, 0x1d, b);
	ck_assert_uint_eq(n, 37);
	ck_assert_int_eq(parse(b, n, &ad), GK_REFUSAL_NONE);
	ck_assert_uint_eq(ad.flags, 0x1d);
	ck_assert_uint_eq(ad.sign_count, 0x01020304);
	ck_assert_uint_eq(ad.id.len, 0);
	n = softkey_authdata(&key, rp.id, 0x45, b);
	ck_assert_int_eq(parse(b, n, &ad), GK_REFUSAL_NONE);
	ck_assert(gk_span_eq(ad.id, gk_span(key.id, key.idlen)));
	ck_assert_mem_eq(ad.public_key, key.point, 65);
	ck_assert_mem_eq(ad.rp_hash, b, 32);
}
END_TEST

START_TEST(test_every_beginning_of_authenticator_data_is_cut_short)
{
	uint8_t b[SOFTKEY_MAX];
	struct gk_authdata ad;
	size_t n, i;

	n = softkey_authdata(&key, rp.id, 0x45, b);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(parse(b, i, &ad), i < 37 ?
		    GK_REFUSAL_AUTHDATA_TOO_SHORT :
		    GK_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED);
	ck_assert_int_eq(parse(b, n + 1, &ad),
	    GK_REFUSAL_AUTHDATA_TRAILING_BYTES);
	b[32] = 0x05;
	ck_assert_int_eq(parse(b, 37, &ad), GK_REFUSAL_NONE);
	ck_assert_int_eq(parse(b, 38, &ad),
	    GK_REFUSAL_AUTHDATA_TRAILING_BYTES);
}
END_TEST

START_TEST(test_flags_are_checked_in_order)
{
	static const struct {
		unsigned flags;
		enum gk_refusal_id code;
	} row[] = {
		{ 0x00, GK_REFUSAL_NONE },
		{ 0x1d, GK_REFUSAL_NONE },
		{ 0x03, GK_REFUSAL_AUTHDATA_RESERVED_FLAGS },
		{ 0x21, GK_REFUSAL_AUTHDATA_RESERVED_FLAGS },
		{ 0x22 | 0x80 | 0x10, GK_REFUSAL_AUTHDATA_RESERVED_FLAGS },
		{ 0x81, GK_REFUSAL_AUTHDATA_EXTENSIONS },
		{ 0x80 | 0x10, GK_REFUSAL_AUTHDATA_EXTENSIONS },
		{ 0x11, GK_REFUSAL_AUTHDATA_BACKUP_STATE_WITHOUT_ELIGIBILITY },
		{ 0x40 | 0x10,
		    GK_REFUSAL_AUTHDATA_BACKUP_STATE_WITHOUT_ELIGIBILITY },
		{ 0x40, GK_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED },
	};
	uint8_t b[SOFTKEY_MAX];
	struct gk_authdata ad;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		(void)softkey_authdata(&key, rp.id, row[i].flags, b);
		ck_assert_int_eq(parse(b, 37, &ad), row[i].code);
	}
}
END_TEST

START_TEST(test_credential_ids_have_16_to_1023_bytes)
{
	static const size_t len[] = { 0, 15, 16, 17, 1022, 1023, 1024 };
	uint8_t b[SOFTKEY_MAX];
	struct gk_authdata ad;
	size_t i, n;

	for (i = 0; i < GK_ARRAY_LEN(len); i++) {
		softkey_init(&key, 9, len[i]);
		n = softkey_authdata(&key, rp.id, 0x45, b);
		ck_assert_int_eq(parse(b, n, &ad),
		    len[i] >= 16 && len[i] <= 1023 ? GK_REFUSAL_NONE :
		    GK_REFUSAL_CREDENTIAL_ID_INVALID);
		/* Cut short comes first, a bad key and what follows later. */
		b[37 + 18 + len[i]] = 0;
		if (len[i] < 16 || len[i] > 1023)
			ck_assert_int_eq(parse(b, n + 1, &ad),
			    GK_REFUSAL_CREDENTIAL_ID_INVALID);
		if (len[i] > 0)
			ck_assert_int_eq(parse(b, 37 + 18 + len[i] - 1, &ad),
			    GK_REFUSAL_AUTHDATA_ATTESTED_TRUNCATED);
	}
}
END_TEST

START_TEST(test_keys_that_are_none_are_refused)
{
	uint8_t b[SOFTKEY_MAX];
	struct gk_authdata ad;
	size_t n, at = 37 + 18 + 32;

	n = softkey_authdata(&key, rp.id, 0x45, b);
	b[n - 1] ^= 1;				/* off the curve */
	ck_assert_int_eq(parse(b, n, &ad), GK_REFUSAL_PUBLIC_KEY_INVALID);
	ck_assert_int_eq(parse(b, n + 1, &ad), GK_REFUSAL_PUBLIC_KEY_INVALID);
	b[n - 1] ^= 1;
	b[at + 4] = 0x27;			/* alg -8 */
	ck_assert_int_eq(parse(b, n, &ad), GK_REFUSAL_PUBLIC_KEY_INVALID);
	b[at + 4] = 0x26;
	b[at] = 0xa6;				/* six members */
	ck_assert_int_eq(parse(b, n, &ad), GK_REFUSAL_PUBLIC_KEY_INVALID);
	b[at] = 0xa5;
	ck_assert_int_eq(parse(b, n, &ad), GK_REFUSAL_NONE);
}
END_TEST

/* ------------------------------------------------------- attestation objects */

static enum gk_refusal_id
attest(const char *bytes, size_t len, struct gk_span *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;

	ck_assert_int_eq(gk_attestation_parse(gk_span(bytes, len), ret,
	    &refusal), refusal == GK_REFUSAL_NONE ? 0 : 1);
	return refusal;
}

#define ATTEST(lit)	attest(lit, sizeof(lit) - 1, &data)
#define FMT	"\x63""fmt\x64none"
#define STMT	"\x67""attStmt\xa0"
#define DATA	"\x68""authData\x43""abc"

START_TEST(test_attestation_objects_are_read_in_any_order)
{
	struct gk_span data = { NULL, 0 };

	ck_assert_int_eq(ATTEST("\xa3" FMT STMT DATA), GK_REFUSAL_NONE);
	ck_assert(gk_span_is(data, "abc"));
	data.len = 0;
	ck_assert_int_eq(ATTEST("\xa3" DATA FMT STMT), GK_REFUSAL_NONE);
	ck_assert(gk_span_is(data, "abc"));
}
END_TEST

START_TEST(test_every_beginning_of_an_attestation_object_is_malformed)
{
	static const char whole[] = "\xa3" FMT STMT DATA "x";
	struct gk_span data;
	size_t i;

	for (i = 0; i < sizeof(whole) - 2; i++)
		ck_assert_int_eq(attest(whole, i, &data),
		    GK_REFUSAL_ATTESTATION_MALFORMED);
	ck_assert_int_eq(attest(whole, i, &data), GK_REFUSAL_NONE);
	ck_assert_int_eq(attest(whole, i + 1, &data),
	    GK_REFUSAL_ATTESTATION_TRAILING_BYTES);
}
END_TEST

#define MALFORMED(lit) \
	ck_assert_int_eq(ATTEST(lit), GK_REFUSAL_ATTESTATION_MALFORMED)

START_TEST(test_attestation_objects_of_another_form_are_malformed)
{
	struct gk_span data;

	MALFORMED("\xa2" FMT DATA);
	MALFORMED("\xa4" FMT STMT DATA "\x61x\x00");
	MALFORMED("\xa3" FMT FMT DATA);
	MALFORMED("\xa3" FMT DATA DATA);
	MALFORMED("\xa3" FMT STMT "\x61x\x00");
	MALFORMED("\xa3" FMT STMT "\x48""authData\x43""abc");
	MALFORMED("\xbf" FMT STMT DATA "\xff");
	MALFORMED("\xb8\x03" FMT STMT DATA);
	MALFORMED("\x83" FMT STMT DATA);
	MALFORMED("\xa3\x63""fmt\x44none" STMT DATA);
	MALFORMED("\xa3" FMT "\x67""attStmt\x80" DATA);
	MALFORMED("\xa3" FMT "\x67""attStmt\xbf\xff" DATA);
	MALFORMED("\xa3" FMT "\x67""attStmt\xb8\x00" DATA);
	MALFORMED("\xa3" FMT STMT "\x68""authData\x63""abc");
	MALFORMED("\xa3" FMT STMT "\x68""authData\x58\x03""abc");
	MALFORMED("\xa3" FMT STMT "\x68""authData\x5f\x43""abc\xff");
	MALFORMED("\xa3\x78\x03""fmt\x64none" STMT DATA);
	MALFORMED("\xa3\x63""fmt\x64\xff\xff\xff\xff" STMT DATA);
}
END_TEST

START_TEST(test_the_first_violation_of_an_attestation_object_answers)
{
	struct gk_span data;

	ck_assert_int_eq(ATTEST("\xa3\x63""fmt\x66packed" STMT DATA),
	    GK_REFUSAL_ATTESTATION_FORMAT);
	ck_assert_int_eq(ATTEST("\xa3\x63""fmt\x60" STMT DATA),
	    GK_REFUSAL_ATTESTATION_FORMAT);
	ck_assert_int_eq(ATTEST("\xa3" FMT "\x67""attStmt\xa1\x61x\x00" DATA),
	    GK_REFUSAL_ATTESTATION_STATEMENT_NOT_EMPTY);
	/* Format before statement, as they come. */
	ck_assert_int_eq(ATTEST("\xa3\x63""fmt\x66packed"
	    "\x67""attStmt\xa1\x61x\x00" DATA),
	    GK_REFUSAL_ATTESTATION_FORMAT);
	ck_assert_int_eq(ATTEST("\xa3\x67""attStmt\xa1\x61x\x00"
	    "\x63""fmt\x66packed" DATA),
	    GK_REFUSAL_ATTESTATION_STATEMENT_NOT_EMPTY);
	/* What is behind is not reached. */
	ck_assert_int_eq(ATTEST("\xa3\x63""fmt\x66packed"),
	    GK_REFUSAL_ATTESTATION_FORMAT);
	ck_assert_int_eq(ATTEST("\xa4\x63""fmt\x66packed" STMT DATA),
	    GK_REFUSAL_ATTESTATION_MALFORMED);
}
END_TEST

/* -------------------------------------------------------------- client data */

#define T	"\"type\":\"webauthn.get\""
#define C	"\"challenge\":\"" CHALLENGE "\""
#define O	"\"origin\":\"ORIGIN\""

static const struct {
	const char *json;
	enum gk_refusal_id code;
} client_data[] = {
	{ "{" T "," C "," O "}", GK_REFUSAL_NONE },
	{ "{" O "," C "," T ",\"crossOrigin\":false}", GK_REFUSAL_NONE },
	{ " {\n" T "," C "," O ",\"other_keys_can_be_added_here\":\"x\"} ",
	    GK_REFUSAL_NONE },
	{ "{\"ty\\u0070e\":\"webauthn.\\u0067et\"," C "," O "}",
	    GK_REFUSAL_NONE },
	{ "", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "[]", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O "", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O "}x", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "\xef\xbb\xbf{" T "," C "," O "}",
	    GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O ",\"x\":\"\xff\"}",
	    GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O "," T "}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O ",\"x\":1,\"x\":1}",
	    GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" C "," O "}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," O "}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{\"type\":1," C "," O "}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T ",\"challenge\":null," O "}",
	    GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C ",\"origin\":[]}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O ",\"crossOrigin\":null}",
	    GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O ",\"crossOrigin\":\"false\"}",
	    GK_REFUSAL_CLIENT_DATA_MALFORMED },
	{ "{" T "," C "," O ",\"crossOrigin\":true}",
	    GK_REFUSAL_CROSS_ORIGIN },
	{ "{" T "," C "," O ",\"topOrigin\":\"https://a.b\"}",
	    GK_REFUSAL_CROSS_ORIGIN },
	{ "{" T "," C "," O ",\"topOrigin\":null,\"crossOrigin\":false}",
	    GK_REFUSAL_CROSS_ORIGIN },
	{ "{" T "," C ",\"origin\":\"ORIGIN/\"}",
	    GK_REFUSAL_ORIGIN_MISMATCH },
	{ "{" T "," C ",\"origin\":\"https://example.com\","
	    "\"crossOrigin\":true}", GK_REFUSAL_ORIGIN_MISMATCH },
	{ "{" T ",\"challenge\":\"" OTHER "\"," O "}",
	    GK_REFUSAL_CHALLENGE_MISMATCH },
	{ "{" T ",\"challenge\":\"" CHALLENGE "=\"," O "}",
	    GK_REFUSAL_CHALLENGE_MISMATCH },
	{ "{" T ",\"challenge\":\"\",\"origin\":\"x\"}",
	    GK_REFUSAL_CHALLENGE_MISMATCH },
	{ "{\"type\":\"webauthn.create\"," C "," O "}",
	    GK_REFUSAL_CLIENT_DATA_TYPE },
	{ "{\"type\":\"webauthn.get \"," C "," O "}",
	    GK_REFUSAL_CLIENT_DATA_TYPE },
	{ "{\"type\":\"x\",\"challenge\":\"x\",\"origin\":\"x\","
	    "\"topOrigin\":1}", GK_REFUSAL_CLIENT_DATA_TYPE },
	{ "{\"type\":\"x\",\"challenge\":\"x\",\"origin\":\"x\","
	    "\"crossOrigin\":1}", GK_REFUSAL_CLIENT_DATA_MALFORMED },
};

START_TEST(test_client_data_is_checked_in_order)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	char json[1024], *at;

	/* The origin of the extension, where the row says ORIGIN. */
	strcpy(json, client_data[_i].json);
	if ((at = strstr(json, "ORIGIN\"")) == NULL)
		at = strstr(json, "ORIGIN/");
	if (at != NULL)
		snprintf(at, sizeof(json) - (size_t)(at - json), "%s%s",
		    rp.origin, strstr(client_data[_i].json, "ORIGIN") + 6);
	ck_assert_int_eq(gk_client_data_check(t.ctx, gk_span_str(json),
	    GK_CLIENT_DATA_GET, CHALLENGE, rp.origin, &refusal),
	    client_data[_i].code == GK_REFUSAL_NONE ? 0 : 1);
	ck_assert_int_eq(refusal, client_data[_i].code);
}
END_TEST

/* -------------------------------------------------------------- assertions */

/* An assertion with knobs: what is not turned is as it should be. */
struct knobs {
	unsigned	 flags;
	uint32_t	 count;
	const char	*rp_id;
	const char	*type, *challenge, *origin;
	const char	*json;		/* instead of these three */
	int		 sig;		/* 0 good, 1 no DER, 2 another's,
					 * 3 r zero */
	bool		 extra;		/* a byte behind the data */
	/* stored: */
	uint32_t	 stored;
	bool		 eligible;
};

static struct knobs
good(void)
{
	struct knobs k = { .flags = 0x05, .count = 2, .rp_id = rp.id,
	    .type = "webauthn.get", .challenge = CHALLENGE,
	    .origin = rp.origin, .stored = 1 };

	return k;
}

static enum gk_refusal_id
run_assert(const struct knobs *k)
{
	static const uint8_t zero[64] = { [63] = 1 };
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	uint8_t ad[SOFTKEY_MAX], sig[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX];
	struct gk_assertion a;
	struct softkey other;
	uint8_t large[64];		/* no number below the order */
	uint32_t count = 77;
	size_t n;
	int r;

	memset(large, 0xff, sizeof(large));
	key.count = k->count;
	n = softkey_authdata(&key, k->rp_id, k->flags, ad);
	if (k->extra)
		ad[n++] = 0;
	a.authdata = gk_span(ad, n);
	if (k->json != NULL)
		n = (size_t)snprintf(cd, sizeof(cd), "%s", k->json);
	else
		n = softkey_client_data(k->type, k->challenge, k->origin, cd);
	a.client_data = gk_span(cd, n);
	softkey_init(&other, 99, 32);
	n = softkey_sign(k->sig == 2 ? &other : &key, ad, a.authdata.len, cd,
	    n, sig);
	if (k->sig == 1)
		n--;
	else if (k->sig == 3)
		n = softkey_der(zero, sig);
	else if (k->sig == 4)
		n = softkey_der(large, sig);
	a.signature = gk_span(sig, n);
	a.id = gk_span(key.id, key.idlen);
	r = gk_webauthn_assert(t.ctx, &rp, CHALLENGE, &a, key.point,
	    k->stored, k->eligible, &count, &refusal);
	ck_assert_int_eq(r, refusal == GK_REFUSAL_NONE ? 0 : 1);
	ck_assert_uint_eq(count, r == 0 ? k->count : 77);
	return refusal;
}

START_TEST(test_a_good_assertion_passes)
{
	struct knobs k = good();

	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_NONE);
	k.flags = 0x01;				/* nobody asks for UV */
	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_NONE);
	k.flags = 0x1d;
	k.eligible = true;
	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_NONE);
}
END_TEST

/*
 * The checks of 7.5 in their order, each with what makes it fail.  A fault
 * alone gives its code, although the signature is good; two give that of the
 * earlier one.
 */
static void f_parse(struct knobs *k) { k->extra = true; }
static void f_at(struct knobs *k) { k->flags |= 0x40; }
static void f_rp(struct knobs *k) { k->rp_id = "fmkoengpgchbmogeaifdcdfpnnpgmcfl"; }
static void f_up(struct knobs *k) { k->flags &= ~0x01u; }
static void f_be(struct knobs *k) { k->eligible = true; }
static void f_count(struct knobs *k) { k->stored = k->count; }
static void f_json(struct knobs *k) { k->json = "{}"; }
static void f_type(struct knobs *k) { k->type = "webauthn.create"; }
static void f_challenge(struct knobs *k) { k->challenge = OTHER; }
static void f_origin(struct knobs *k) { k->origin = "https://example.com"; }
static void f_cross(struct knobs *k) { k->json = "{" T "," C
	",\"origin\":\"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl\","
	"\"crossOrigin\":true}"; }
static void f_der(struct knobs *k) { k->sig = 1; }
static void f_zero(struct knobs *k) { k->sig = 3; }
static void f_large(struct knobs *k) { k->sig = 4; }
static void f_sig(struct knobs *k) { k->sig = 2; }

static const struct {
	void (*fault)(struct knobs *);
	enum gk_refusal_id code;
	int group;			/* faults of one group exclude another */
} order[] = {
	{ f_parse, GK_REFUSAL_AUTHDATA_TRAILING_BYTES, 0 },
	{ f_at, GK_REFUSAL_UNEXPECTED_ATTESTED_CREDENTIAL, 1 },
	{ f_rp, GK_REFUSAL_RP_ID_MISMATCH, 2 },
	{ f_up, GK_REFUSAL_USER_NOT_PRESENT, 3 },
	{ f_be, GK_REFUSAL_BACKUP_ELIGIBILITY_CHANGED, 4 },
	{ f_count, GK_REFUSAL_SIGN_COUNT_NOT_INCREASED, 5 },
	{ f_json, GK_REFUSAL_CLIENT_DATA_MALFORMED, 6 },
	{ f_type, GK_REFUSAL_CLIENT_DATA_TYPE, 7 },
	{ f_challenge, GK_REFUSAL_CHALLENGE_MISMATCH, 8 },
	{ f_origin, GK_REFUSAL_ORIGIN_MISMATCH, 9 },
	{ f_cross, GK_REFUSAL_CROSS_ORIGIN, 6 },
	{ f_der, GK_REFUSAL_SIGNATURE_MALFORMED, 11 },
	{ f_zero, GK_REFUSAL_SIGNATURE_MALFORMED, 11 },
	{ f_large, GK_REFUSAL_SIGNATURE_MALFORMED, 11 },
	{ f_sig, GK_REFUSAL_SIGNATURE_INVALID, 11 },
};

START_TEST(test_each_check_of_an_assertion_fails_alone)
{
	struct knobs k = good();

	order[_i].fault(&k);
	ck_assert_int_eq(run_assert(&k), order[_i].code);
}
END_TEST

START_TEST(test_of_two_faults_the_earlier_check_answers)
{
	struct knobs k;
	size_t i;

	for (i = (size_t)_i + 1; i < GK_ARRAY_LEN(order); i++) {
		if (order[i].group == order[_i].group)
			continue;
		/* The whole text instead of its parts: not both. */
		if (order[i].fault == f_cross && order[_i].group >= 7 &&
		    order[_i].group <= 9)
			continue;
		k = good();
		order[_i].fault(&k);
		order[i].fault(&k);
		ck_assert_msg(run_assert(&k) == order[_i].code,
		    "%d and %zu", _i, i);
	}
}
END_TEST

START_TEST(test_the_counter_grows_or_stays_at_zero)
{
	static const struct { uint32_t stored, received; bool ok; } row[] = {
		{ 0, 0, true }, { 0, 1, true }, { 1, 0, false },
		{ 1, 1, false }, { 1, 2, true }, { 2, 1, false },
		{ 0, UINT32_MAX, true }, { UINT32_MAX, UINT32_MAX, false },
		{ UINT32_MAX, 0, false }, { UINT32_MAX - 1, UINT32_MAX, true },
	};
	struct knobs k = good();
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(row); i++) {
		ck_assert_int_eq(gk_sign_count_ok(row[i].stored,
		    row[i].received), row[i].ok);
		k.stored = row[i].stored;
		k.count = row[i].received;
		ck_assert_int_eq(run_assert(&k), row[i].ok ? GK_REFUSAL_NONE :
		    GK_REFUSAL_SIGN_COUNT_NOT_INCREASED);
	}
}
END_TEST

START_TEST(test_backup_eligibility_may_not_change_either_way)
{
	struct knobs k = good();

	k.flags = 0x0d;
	ck_assert_int_eq(run_assert(&k),
	    GK_REFUSAL_BACKUP_ELIGIBILITY_CHANGED);
	k.eligible = true;
	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_NONE);
	k.flags = 0x05;
	ck_assert_int_eq(run_assert(&k),
	    GK_REFUSAL_BACKUP_ELIGIBILITY_CHANGED);
}
END_TEST

START_TEST(test_every_byte_of_the_hash_of_the_id_counts)
{
	struct gk_authdata ad = { .flags = GK_AD_UP };
	enum gk_refusal_id refusal;
	struct gk_rp ours;

	gk_rp_of_extension(&ours);
	ck_assert_int_eq(gk_sha256(t.ctx, ours.id, strlen(ours.id), ad.rp_hash),
	    0);
	ck_assert_int_eq(gk_webauthn_header(t.ctx, &ours, &ad, &refusal), 0);
	ad.rp_hash[_i] ^= 0x01;
	ck_assert_int_eq(gk_webauthn_header(t.ctx, &ours, &ad, &refusal), 1);
	ck_assert_int_eq(refusal, GK_REFUSAL_RP_ID_MISMATCH);
}
END_TEST

START_TEST(test_the_hash_of_the_bare_id_is_refused)
{
	struct knobs k = good();

	k.rp_id = gk_schema_ident(GK_IDENT_EXTENSION_ID);
	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_RP_ID_MISMATCH);
	k.rp_id = gk_schema_ident(GK_IDENT_EXTENSION_URL);
	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_RP_ID_MISMATCH);
	k.rp_id = "example.com";
	ck_assert_int_eq(run_assert(&k), GK_REFUSAL_RP_ID_MISMATCH);
}
END_TEST

/* ------------------------------------------------------------ registrations */

static enum gk_refusal_id
run_register(const struct knobs *k, bool malformed, struct gk_credential *ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	uint8_t ad[SOFTKEY_MAX], obj[SOFTKEY_MAX];
	struct gk_registration reg;
	char cd[SOFTKEY_MAX];
	size_t n;
	int r;

	key.count = k->count;
	n = softkey_authdata(&key, k->rp_id, k->flags, ad);
	if (k->extra)
		ad[n++] = 0;
	n = softkey_attestation(ad, n, obj);
	if (malformed)
		n--;
	reg.attestation = gk_span(obj, n);
	n = k->json != NULL ? (size_t)snprintf(cd, sizeof(cd), "%s", k->json) :
	    softkey_client_data(k->type, k->challenge, k->origin, cd);
	reg.client_data = gk_span(cd, n);
	r = gk_webauthn_register(t.ctx, &rp, CHALLENGE, &reg, ret, &refusal);
	ck_assert_int_eq(r, refusal == GK_REFUSAL_NONE ? 0 : 1);
	return refusal;
}

static struct knobs
good_registration(void)
{
	struct knobs k = good();

	k.type = "webauthn.create";
	k.flags = 0x45;
	return k;
}

START_TEST(test_a_good_registration_gives_the_credential)
{
	struct knobs k = good_registration();
	struct gk_credential c;

	ck_assert_int_eq(run_register(&k, false, &c), GK_REFUSAL_NONE);
	ck_assert_uint_eq(c.idlen, 32);
	ck_assert_mem_eq(c.id, key.id, 32);
	ck_assert_mem_eq(c.public_key, key.point, 65);
	ck_assert_uint_eq(c.sign_count, 2);
	ck_assert(!c.backup_eligible);
	k.flags = 0x5d;
	ck_assert_int_eq(run_register(&k, false, &c), GK_REFUSAL_NONE);
	ck_assert(c.backup_eligible);
}
END_TEST

static void g_at(struct knobs *k) { k->flags &= ~0x40u; }
static void g_type(struct knobs *k) { k->type = "webauthn.get"; }

static const struct {
	void (*fault)(struct knobs *);	/* NULL: the object is cut */
	enum gk_refusal_id code;
} reg_order[] = {
	{ NULL, GK_REFUSAL_ATTESTATION_MALFORMED },
	{ f_parse, GK_REFUSAL_AUTHDATA_TRAILING_BYTES },
	{ g_at, GK_REFUSAL_NO_ATTESTED_CREDENTIAL },
	{ f_rp, GK_REFUSAL_RP_ID_MISMATCH },
	{ f_up, GK_REFUSAL_USER_NOT_PRESENT },
	{ g_type, GK_REFUSAL_CLIENT_DATA_TYPE },
	{ f_challenge, GK_REFUSAL_CHALLENGE_MISMATCH },
	{ f_origin, GK_REFUSAL_ORIGIN_MISMATCH },
};

START_TEST(test_registrations_are_checked_in_order)
{
	struct gk_credential c = { .idlen = 5 };
	struct knobs k = good_registration();
	size_t i;

	if (reg_order[_i].fault != NULL)
		reg_order[_i].fault(&k);
	ck_assert_int_eq(run_register(&k, reg_order[_i].fault == NULL, &c),
	    reg_order[_i].code);
	for (i = (size_t)_i + 1; i < GK_ARRAY_LEN(reg_order); i++) {
		k = good_registration();
		if (reg_order[_i].fault != NULL)
			reg_order[_i].fault(&k);
		reg_order[i].fault(&k);
		ck_assert_int_eq(run_register(&k, reg_order[_i].fault == NULL,
		    &c), reg_order[_i].code);
	}
	ck_assert_uint_eq(c.idlen, 5);
}
END_TEST

/* ------------------------------------------------------------------- lookup */

START_TEST(test_a_credential_is_found_under_its_label_alone)
{
	uint8_t a[] = "0123456789abcdef", b[] = "fedcba9876543210";
	struct gk_enrollment e[2] = {
		{ .label = "chrome", .id = a, .idlen = 16 },
		{ .label = "edge", .id = b, .idlen = 16 },
	};
	struct gk_trustrec rec = { .enrollment = e, .nenrollments = 2 };
	const struct gk_enrollment *found = NULL;
	enum gk_refusal_id refusal;

	ck_assert_int_eq(gk_webauthn_find(&rec, gk_span(a, 16), "chrome",
	    &found, &refusal), 0);
	ck_assert_ptr_eq(found, &e[0]);
	ck_assert_int_eq(gk_webauthn_find(&rec, gk_span(b, 16), NULL, &found,
	    &refusal), 0);
	ck_assert_ptr_eq(found, &e[1]);
	ck_assert_int_eq(gk_webauthn_find(&rec, gk_span(b, 16), "chrome",
	    &found, &refusal), 1);
	ck_assert_int_eq(refusal, GK_REFUSAL_WRONG_BROWSER_LABEL);
	ck_assert_int_eq(gk_webauthn_find(&rec, gk_span(a, 15), "chrome",
	    &found, &refusal), 1);
	ck_assert_int_eq(refusal, GK_REFUSAL_CREDENTIAL_NOT_ENROLLED);
	ck_assert_int_eq(gk_webauthn_find(&rec, gk_span(NULL, 0), NULL,
	    &found, &refusal), 1);
	ck_assert_int_eq(refusal, GK_REFUSAL_CREDENTIAL_NOT_ENROLLED);
}
END_TEST

/* -------------------------------------------------------- recorded ceremony */

#define EXT		"chrome-extension://iamokonadojkdahbakmadaljenafghfg"
#define REG_CHALLENGE	"6gMWLVz3Y4j3mH1ZY6DLZW4KfyVvEGQG9NiU03Q9q0M"
#define GET_CHALLENGE	"CnZlVu47uyJjmhqTZsUZ9BjfONGu4THSawDijMrgY-0"

static struct gk_span
decode(const char *text, uint8_t *to, size_t cap)
{
	size_t n;

	ck_assert_int_eq(gk_b64_decode(GK_B64_URL, text, strlen(text), to,
	    cap, &n), 0);
	return gk_span(to, n);
}

START_TEST(test_the_recorded_ceremony_passes_once)
{
	static const struct gk_rp recorded = { EXT, EXT };
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	uint8_t object[512], id[32], pub[65], ad[64], sig[80];
	char cd[SOFTKEY_MAX], path[GK_CREDENTIAL_PATH_LEN + 1];
	struct gk_registration reg;
	struct gk_credential c;
	struct gk_assertion a;
	uint32_t count = 0;

	reg.attestation = decode("o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikJm"
	    "gnEgaODOih203J4E_Ho3tFcbLcBukYu6spv8D17JtFAAAAAQECAwQFBgcIAQIDBA"
	    "UGBwgAICrnnjBEicj6IKk5gdxjvQVehpWaVEV6tCNKzV87yEhFpQECAyYgASFYIN"
	    "ddDPOYjXlFQjAQwhJGqAbQS33v-wXQllUMFs2DZNlWIlggWlhvqwDCPbvhO7eir9"
	    "r0-8F2TVOg_RBrh6TJvRa_F4U", object, sizeof(object));
	reg.client_data = gk_span(cd, softkey_client_data("webauthn.create",
	    REG_CHALLENGE, EXT, cd));
	ck_assert_int_eq(gk_webauthn_register(t.ctx, &recorded, REG_CHALLENGE,
	    &reg, &c, &refusal), 0);
	ck_assert_uint_eq(c.sign_count, 1);
	ck_assert(gk_span_eq(gk_span(c.id, c.idlen), decode(
	    "KueeMESJyPogqTmB3GO9BV6GlZpURXq0I0rNXzvISEU", id, sizeof(id))));
	ck_assert(gk_span_eq(gk_span(c.public_key, 65), decode("BNddDPOYjXlFQ"
	    "jAQwhJGqAbQS33v-wXQllUMFs2DZNlWWlhvqwDCPbvhO7eir9r0-8F2TVOg_RBrh"
	    "6TJvRa_F4U", pub, sizeof(pub))));
	ck_assert_int_eq(gk_credential_path(t.ctx, c.id, c.idlen, path), 0);
	ck_assert_str_eq(path, "webauthn:c44eed043c858ae9601f58ab5e5bd11b6736"
	    "67cc687714187b475b6fc6266e5d");
	ck_assert_uint_eq(strlen(path), GK_CREDENTIAL_PATH_LEN);

	a.id = gk_span(c.id, c.idlen);
	a.authdata = decode("JmgnEgaODOih203J4E_Ho3tFcbLcBukYu6spv8D17JsFAAAA"
	    "Ag", ad, sizeof(ad));
	a.client_data = gk_span(cd, softkey_client_data("webauthn.get",
	    GET_CHALLENGE, EXT, cd));
	a.signature = decode("MEQCIHIC2I_XKuvnYiXF9k9dh1We9fosPYI3WJb966uviq9"
	    "WAiAKV9CU8EjZN8Yxy_Gmi9X9U2FCiqWF39u6RsqUj5-k1Q", sig,
	    sizeof(sig));
	ck_assert_int_eq(gk_webauthn_assert(t.ctx, &recorded, GET_CHALLENGE,
	    &a, c.public_key, c.sign_count, c.backup_eligible, &count,
	    &refusal), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(gk_webauthn_assert(t.ctx, &recorded, GET_CHALLENGE,
	    &a, c.public_key, count, c.backup_eligible, &count, &refusal), 1);
	ck_assert_int_eq(refusal, GK_REFUSAL_SIGN_COUNT_NOT_INCREASED);
	/* The hash of the bare id is another one. */
	ck_assert_int_eq(gk_webauthn_assert(t.ctx, &(struct gk_rp){ &EXT[19],
	    EXT }, GET_CHALLENGE, &a, c.public_key, 1, false, &count,
	    &refusal), 1);
	ck_assert_int_eq(refusal, GK_REFUSAL_RP_ID_MISMATCH);
}
END_TEST

static int
sweep_assert(struct gk_test *test, void *unused)
{
	struct knobs k = good();
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	uint8_t ad[SOFTKEY_MAX], sig[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX];
	struct gk_assertion a;
	uint32_t count;
	int r;

	(void)unused;
	key.count = k.count;
	a.authdata = gk_span(ad, softkey_authdata(&key, rp.id, 0x05, ad));
	/* Many members, so that the scan has to keep them somewhere. */
	a.client_data = gk_span(cd, (size_t)snprintf(cd, sizeof(cd), "{" T ","
	    C ",\"origin\":\"%s\",\"\\u0061\":0,\"b\":0,\"c\":0,\"d\":0,"
	    "\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0,"
	    "\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0}", rp.origin));
	a.signature = gk_span(sig, softkey_sign(&key, ad, a.authdata.len, cd,
	    a.client_data.len, sig));
	r = gk_webauthn_assert(test->ctx, &rp, CHALLENGE, &a, key.point, 1,
	    false, &count, &refusal);
	gk_ossl_free(test->ctx);
	ck_assert_int_le(r, 0);
	return r;
}

START_TEST(test_no_memory_is_no_verdict)
{
	ck_assert_uint_ge(gk_test_sweep(&t, sweep_assert, NULL), 2);
}
END_TEST

static void
add_order(TCase *c)
{
	tcase_add_loop_test(c, test_each_check_of_an_assertion_fails_alone, 0,
	    (int)GK_ARRAY_LEN(order));
	tcase_add_loop_test(c, test_of_two_faults_the_earlier_check_answers,
	    0, (int)GK_ARRAY_LEN(order) - 1);
	tcase_add_loop_test(c, test_registrations_are_checked_in_order, 0,
	    (int)GK_ARRAY_LEN(reg_order));
	tcase_add_loop_test(c, test_client_data_is_checked_in_order, 0,
	    (int)GK_ARRAY_LEN(client_data));
}

int
main(void)
{
	Suite *s = suite_create("webauthn");
	TCase *c = tcase_create("relying_party");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_authenticator_data_is_read);
	tcase_add_test(c,
	    test_every_beginning_of_authenticator_data_is_cut_short);
	tcase_add_test(c, test_flags_are_checked_in_order);
	tcase_add_test(c, test_credential_ids_have_16_to_1023_bytes);
	tcase_add_test(c, test_keys_that_are_none_are_refused);
	tcase_add_test(c, test_attestation_objects_are_read_in_any_order);
	tcase_add_test(c,
	    test_every_beginning_of_an_attestation_object_is_malformed);
	tcase_add_test(c,
	    test_attestation_objects_of_another_form_are_malformed);
	tcase_add_test(c,
	    test_the_first_violation_of_an_attestation_object_answers);
	add_order(c);
	tcase_add_test(c, test_a_good_assertion_passes);
	tcase_add_test(c, test_the_counter_grows_or_stays_at_zero);
	tcase_add_test(c, test_backup_eligibility_may_not_change_either_way);
	tcase_add_loop_test(c,
	    test_every_byte_of_the_hash_of_the_id_counts, 0,
	    GK_SHA256_LEN);
	tcase_add_test(c, test_the_hash_of_the_bare_id_is_refused);
	tcase_add_test(c, test_a_good_registration_gives_the_credential);
	tcase_add_test(c, test_a_credential_is_found_under_its_label_alone);
	tcase_add_test(c, test_the_recorded_ceremony_passes_once);
	tcase_add_test(c, test_no_memory_is_no_verdict);
	suite_add_tcase(s, c);
	return gk_test_main(s);
}
