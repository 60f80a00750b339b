/* The extension id is derived, never chosen: derive it again. */
#include <stdio.h>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "contract/schema.h"
#include "tap.h"

/* First 16 bytes of SHA-256 over the DER, each hex digit 0-f as a-p. */
static void
derive(const char *key_b64, char id[33])
{
	unsigned char der[1024], md[EVP_MAX_MD_SIZE];
	size_t len = strlen(key_b64), i;
	int n;

	ck_assert_uint_le(len, sizeof(der));
	n = EVP_DecodeBlock(der, (const unsigned char *)key_b64, (int)len);
	ck_assert_int_gt(n, 0);
	for (i = len; i > 0 && key_b64[i - 1] == '='; i--)
		n--;		/* EVP_DecodeBlock counts the padding */
	ck_assert_int_eq(EVP_Digest(der, (size_t)n, md, NULL, EVP_sha256(),
	    NULL), 1);
	for (i = 0; i < 16; i++) {
		id[2 * i] = (char)('a' + (md[i] >> 4));
		id[2 * i + 1] = (char)('a' + (md[i] & 15));
	}
	id[32] = '\0';
}

START_TEST(test_derivation_vector)
{
	char id[33];

	derive(gk_schema_ident(GK_IDENT_VECTOR_KEY), id);
	ck_assert_str_eq(id, "pbnfjeejlhchbgfnohdclpcidddibccl");
	ck_assert_str_eq(id, gk_schema_ident(GK_IDENT_VECTOR_ID));
}
END_TEST

START_TEST(test_extension_id_follows_from_the_manifest_key)
{
	char id[33], url[64];

	derive(gk_schema_ident(GK_IDENT_MANIFEST_KEY), id);
	ck_assert_str_eq(id, gk_schema_ident(GK_IDENT_EXTENSION_ID));
	snprintf(url, sizeof(url), "chrome-extension://%s", id);
	ck_assert_str_eq(url, gk_schema_ident(GK_IDENT_EXTENSION_ORIGIN));
	strcat(url, "/");
	ck_assert_str_eq(url, gk_schema_ident(GK_IDENT_EXTENSION_URL));
}
END_TEST

START_TEST(test_manifest_key_is_an_rsa_2048_public_key)
{
	const char *b64 = gk_schema_ident(GK_IDENT_MANIFEST_KEY);
	unsigned char der[1024];
	const unsigned char *p = der;
	EVP_PKEY *key;
	int n;

	ck_assert_uint_le(strlen(b64), sizeof(der));
	n = EVP_DecodeBlock(der, (const unsigned char *)b64, (int)strlen(b64));
	key = d2i_PUBKEY(NULL, &p, n);
	ck_assert_ptr_nonnull(key);
	ck_assert_int_eq(EVP_PKEY_get_base_id(key), EVP_PKEY_RSA);
	ck_assert_int_eq(EVP_PKEY_get_bits(key), 2048);
	EVP_PKEY_free(key);
}
END_TEST

/* Signatures and installed files depend on these, byte for byte. */
START_TEST(test_fixed_strings)
{
	static const struct {
		enum gk_ident	 id;
		const char	*value;
	} want[] = {
		{ GK_IDENT_HOST_ID, "com.vivswan.genkan.host" },
		{ GK_IDENT_KEY_LABEL, "com.vivswan.genkan.enclave.signing.v1" },
		{ GK_IDENT_DOMAIN_CHALLENGE, "genkan-enclave-v1" },
		{ GK_IDENT_DOMAIN_POLICY, "genkan-policy-v1" },
		{ GK_IDENT_DOMAIN_PRESENCE, "genkan-webauthn-presence-v1" },
		{ GK_IDENT_DOMAIN_ENROLL, "genkan-webauthn-enroll-v1" },
		{ GK_IDENT_MANIFEST_MARK,
		    "Genkan native messaging host (managed by genkan)" },
		{ GK_IDENT_WRAPPER_MARK,
		    "# managed by genkan - do not edit" },
		{ GK_IDENT_WRAPPER_SHEBANG, "#!/usr/bin/env bash" },
		{ GK_IDENT_GRANT_PHRASE, "allow" },
		{ GK_IDENT_DEFAULT_LABEL, "default" },
		{ GK_IDENT_META_VERSION,
		    "io.modelcontextprotocol/protocolVersion" },
		{ GK_IDENT_META_CAPABILITIES,
		    "io.modelcontextprotocol/clientCapabilities" },
		{ GK_IDENT_META_SERVER_INFO,
		    "io.modelcontextprotocol/serverInfo" },
		{ GK_IDENT_CACHE_SCOPE, "private" },
	};
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_str_eq(gk_schema_ident(want[i].id), want[i].value);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("identity");
	TCase *tc = tcase_create("identity");

	tcase_add_test(tc, test_derivation_vector);
	tcase_add_test(tc, test_extension_id_follows_from_the_manifest_key);
	tcase_add_test(tc, test_manifest_key_is_an_rsa_2048_public_key);
	tcase_add_test(tc, test_fixed_strings);
	suite_add_tcase(s, tc);
	return tap_main(s);
}
