/* Action texts and challenges: control 6.4 and 7.1. */
#include "util.h"

#include <string.h>

#include "crypto/ossl.h"
#include "records/trustrec.h"
#include "trust/statement.h"

static struct gk_test t;

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

#define NONCE	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

static const struct {
	enum gk_ceremony_kind kind;
	const char *label, *action, *challenge;
} vectors[] = {
	{ GK_CEREMONY_PRESENCE, "chrome", "release the kill switch",
	    "yn7WCf3CHUMjqIzCqcLLbZgCpkE1AVilg2Qm_YVu2iU" },
	{ GK_CEREMONY_PRESENCE, "default", "page_eval on https://example.com",
	    "KcYcptZj2bzUwOpcvs80vyICnH4SyQsQby4_kboBKdY" },
	{ GK_CEREMONY_PRESENCE, "", "page_eval on https://example.com",
	    "KcYcptZj2bzUwOpcvs80vyICnH4SyQsQby4_kboBKdY" },
	{ GK_CEREMONY_PRESENCE, "chrome", "set policy: pageEvalEnabled=on,"
	    "confirmGraceMs=120000,disabledTools=[page_upload]",
	    "4ujZIz5vIsiqQPFCPMS3lBPR5WXOPLwLfJ5Km2e-e50" },
	{ GK_CEREMONY_ENROLL, "chrome", "enroll",
	    "_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA" },
};

START_TEST(test_challenges_are_those_of_the_vectors)
{
	char challenge[GK_CHALLENGE_LEN + 1];

	ck_assert_int_eq(gk_challenge(t.ctx, vectors[_i].kind,
	    vectors[_i].label, gk_span_str(vectors[_i].action),
	    gk_span_str(NONCE), challenge), 0);
	ck_assert_str_eq(challenge, vectors[_i].challenge);
}
END_TEST

START_TEST(test_a_statement_is_injective)
{
	char a[GK_CHALLENGE_LEN + 1], b[GK_CHALLENGE_LEN + 1] = "kept";

	ck_assert_int_eq(gk_challenge(t.ctx, GK_CEREMONY_PRESENCE, "ab",
	    gk_span_str("c"), gk_span_str("d"), a), 0);
	ck_assert_int_eq(gk_challenge(t.ctx, GK_CEREMONY_PRESENCE, "a",
	    gk_span_str("bc"), gk_span_str("d"), b), 0);
	ck_assert_str_ne(a, b);
	strcpy(b, "kept");
	ck_assert_int_eq(gk_challenge(t.ctx, GK_CEREMONY_PRESENCE, "a",
	    gk_span("b\0c", 3), gk_span_str("d"), b), GENKAN_E_INVAL);
	ck_assert_int_eq(gk_challenge(t.ctx, GK_CEREMONY_PRESENCE, "a",
	    gk_span_str("b"), gk_span("c\0d", 3), b), GENKAN_E_INVAL);
	ck_assert_int_eq(gk_challenge(t.ctx, GK_CEREMONY_PRESENCE, "a",
	    gk_span_str(""), gk_span_str("d"), b), GENKAN_E_INVAL);
	ck_assert_str_eq(b, "kept");
}
END_TEST

START_TEST(test_nonces_are_1_to_256_bytes)
{
	char nonce[GK_CHALLENGE_LEN + 1], other[GK_CHALLENGE_LEN + 1];
	char text[258];

	memset(text, 'n', sizeof(text));
	ck_assert(!gk_nonce_is_valid(gk_span(NULL, 0)));
	ck_assert(!gk_nonce_is_valid(gk_span(text, 0)));
	ck_assert(gk_nonce_is_valid(gk_span(text, 1)));
	ck_assert(gk_nonce_is_valid(gk_span(text, 255)));
	ck_assert(gk_nonce_is_valid(gk_span(text, 256)));
	ck_assert(!gk_nonce_is_valid(gk_span(text, 257)));
	text[3] = '\0';
	ck_assert(!gk_nonce_is_valid(gk_span(text, 8)));
	ck_assert_int_eq(gk_nonce_make(t.ctx, nonce), 0);
	ck_assert_uint_eq(strlen(nonce), 43);
	ck_assert_int_eq(gk_nonce_make(t.ctx, other), 0);
	ck_assert_str_ne(nonce, other);
	t.random_fails = true;
	ck_assert_int_eq(gk_nonce_make(t.ctx, nonce), GENKAN_E_RANDOM);
}
END_TEST

#define TEXT(call, expected) do { \
	ck_assert_int_eq(call, 0); \
	ck_assert_str_eq(a.text, expected); \
} while (0)

START_TEST(test_texts_are_spelled_as_the_protocol_has_them)
{
	struct gk_client client = { .name = "claude",
	    .anchor = { .kind = GK_ANCHOR_SIGNER, .value = "ada" } };
	struct gk_action a;

	TEXT(gk_action_release(&a), "release the kill switch");
	TEXT(gk_action_enroll(&a), "enroll");
	TEXT(gk_action_pair(&a, &client), "trust client claude (signer ada)");
	TEXT(gk_action_policy(&a, gk_span_str("evalMask=off")),
	    "set policy: evalMask=off");
	TEXT(gk_action_rollback(&a, 7, gk_span_str("evalMask=on")),
	    "roll policy back to revision 7: evalMask=on");
	TEXT(gk_action_page(&a, "page_upload", gk_span_str("https://a.b")),
	    "page_upload on https://a.b");
	TEXT(gk_action_another(&a, "chrome"),
	    "enroll another credential for chrome");
}
END_TEST

START_TEST(test_texts_have_at_most_1024_bytes)
{
	struct gk_action a;
	char summary[1024];

	memset(summary, 's', sizeof(summary));
	ck_assert_int_eq(gk_action_policy(&a, gk_span(summary, 1012)), 0);
	ck_assert_uint_eq(strlen(a.text), 1024);
	ck_assert_int_eq(gk_action_policy(&a, gk_span(summary, 1013)),
	    GENKAN_E_TOO_LARGE);
	summary[5] = '\0';
	ck_assert_int_eq(gk_action_policy(&a, gk_span(summary, 100)),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(gk_action_policy(&a, gk_span(summary, 0)),
	    GENKAN_E_INVAL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("statement");
	TCase *c = tcase_create("statement");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, test_challenges_are_those_of_the_vectors, 0,
	    (int)GK_ARRAY_LEN(vectors));
	tcase_add_test(c, test_a_statement_is_injective);
	tcase_add_test(c, test_nonces_are_1_to_256_bytes);
	tcase_add_test(c, test_texts_are_spelled_as_the_protocol_has_them);
	tcase_add_test(c, test_texts_have_at_most_1024_bytes);
	suite_add_tcase(s, c);
	return gk_test_main(s);
}
