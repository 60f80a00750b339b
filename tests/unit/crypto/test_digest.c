#include "util.h"

#include <stdlib.h>
#include <string.h>

#include "crypto/digest.h"
#include "crypto/ossl.h"

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

/* FIPS 180-4, and the examples of NIST. */
static const struct { const char *text, *hex; } vectors[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc",
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

START_TEST(test_vectors)
{
	char hex[GK_SHA256_HEX + 1];

	ck_assert_int_eq(gk_sha256_hex(t.ctx, vectors[_i].text,
	    strlen(vectors[_i].text), hex), 0);
	ck_assert_str_eq(hex, vectors[_i].hex);
}
END_TEST

/* However the bytes are cut, the digest is that of the whole. */
START_TEST(test_split_anywhere)
{
	const char *text = vectors[2].text;
	size_t len = strlen(text), cut;
	uint8_t whole[GK_SHA256_LEN], md[GK_SHA256_LEN];
	struct gk_digest d;

	ck_assert_int_eq(gk_sha256(t.ctx, text, len, whole), 0);
	for (cut = 0; cut <= len; cut++) {
		ck_assert_int_eq(gk_digest_init(&d, t.ctx), 0);
		ck_assert_int_eq(gk_digest_update(&d, text, cut), 0);
		ck_assert_int_eq(gk_digest_update(&d, text + cut, len - cut),
		    0);
		ck_assert_int_eq(gk_digest_final(&d, md), 0);
		ck_assert_mem_eq(md, whole, sizeof(md));
		gk_digest_done(&d);
		gk_digest_done(&d);
	}
}
END_TEST

START_TEST(test_a_million_bytes)
{
	uint8_t md[GK_SHA256_LEN];
	char hex[GK_SHA256_HEX + 1];
	char *text = malloc(1000000);

	memset(text, 'a', 1000000);
	ck_assert_int_eq(gk_sha256_hex(t.ctx, text, 1000000, hex), 0);
	ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0");
	ck_assert_int_eq(gk_sha256(t.ctx, text, 0, md), 0);
	free(text);
}
END_TEST

START_TEST(test_openssl_is_prepared_when_first_needed)
{
	uint8_t md[GK_SHA256_LEN];

	ck_assert_ptr_null(t.ctx->ossl);
	ck_assert_int_eq(gk_sha256(t.ctx, "", 0, md), 0);
	ck_assert_ptr_nonnull(t.ctx->ossl);
	ck_assert_int_eq(gk_ossl_init(t.ctx), 0);
	gk_ossl_free(t.ctx);
	ck_assert_ptr_null(t.ctx->ossl);
	gk_ossl_free(t.ctx);
	ck_assert_int_eq(gk_sha256(t.ctx, "", 0, md), 0);
}
END_TEST

START_TEST(test_contexts_do_not_share)
{
	uint8_t a[GK_SHA256_LEN], b[GK_SHA256_LEN];
	struct gk_test u;

	gk_test_init(&u);
	ck_assert_int_eq(gk_sha256(t.ctx, "x", 1, a), 0);
	ck_assert_int_eq(gk_sha256(u.ctx, "x", 1, b), 0);
	ck_assert_ptr_ne(t.ctx->ossl, u.ctx->ossl);
	gk_ossl_free(u.ctx);
	gk_test_done(&u);
	ck_assert_mem_eq(a, b, sizeof(a));
	ck_assert_int_eq(gk_sha256(t.ctx, "x", 1, a), 0);
}
END_TEST

START_TEST(test_lack_of_memory)
{
	uint8_t md[GK_SHA256_LEN] = { 7 };

	t.fail_at = 1;
	ck_assert_int_eq(gk_sha256(t.ctx, "", 0, md), GENKAN_E_NOMEM);
	ck_assert_int_eq(md[0], 7);
	ck_assert_ptr_null(t.ctx->ossl);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("digest");
	TCase *tc = tcase_create("digest");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_vectors, 0, GK_ARRAY_LEN(vectors));
	tcase_add_test(tc, test_split_anywhere);
	tcase_add_test(tc, test_a_million_bytes);
	tcase_add_test(tc, test_openssl_is_prepared_when_first_needed);
	tcase_add_test(tc, test_contexts_do_not_share);
	tcase_add_test(tc, test_lack_of_memory);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
