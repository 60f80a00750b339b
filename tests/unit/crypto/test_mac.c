#include "util.h"

#include <string.h>

#include "codec/hex.h"
#include "crypto/mac.h"

static struct gk_test t;

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_test_done(&t);
}

static const char *
mac(const void *key, size_t keylen, const struct gk_span *part, size_t n)
{
	static char hex[2 * GK_MAC_LEN + 1];
	uint8_t md[GK_MAC_LEN];

	gk_mac(key, keylen, part, n, md);
	gk_hex_encode(hex, md, sizeof(md));
	return hex;
}

/* The vectors of the bridge handshake: the key is the text of the secret. */
static const struct { const char *label, *hex; } handshake[] = {
	{ NULL,
	    "02ed18fb77acafa0a69d34a437d321098e27451aa2a83e364b0cd29da1314e32" },
	{ "chrome",
	    "61a75802072f040d8c2e4f756bf1e2c1231bf575ae101b414228565a70493787" },
	{ "brave",
	    "005d350d995c26bddedec10aedc3e3f53f98955a32617e91b274d1df224f26e2" },
	{ "default",
	    "ffa8aba21340c2cabc9a3330796577a1a50f63a4b6d8497a979ebdb24b2e5a10" },
	{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	    "6d93234ed0062d750d21115cb40fb48a25ea2a1d6e1d2e9e5979c3dc12a0c5cd" },
};
static const char secret[] = "00112233445566778899aabbccddeeff";
static const char nonce[] = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

START_TEST(test_handshake_vectors)
{
	struct gk_span part[3] = { gk_span_str(nonce), gk_span("", 1),
	    gk_span(NULL, 0) };
	size_t n = 1;

	if (handshake[_i].label != NULL) {
		part[2] = gk_span_str(handshake[_i].label);
		n = 3;
	}
	ck_assert_str_eq(mac(secret, 32, part, n), handshake[_i].hex);
}
END_TEST

START_TEST(test_wrong_constructions_differ)
{
	uint8_t key[16], raw[16];
	struct gk_span part[3] = { gk_span_str(nonce), gk_span("", 1),
	    gk_span_str("chrome") };
	size_t n;

	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, secret, 32, key, 16, &n),
	    0);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, nonce, 32, raw, 16, &n),
	    0);
	ck_assert_str_eq(mac(key, 16, part, 1), "4df8a44e0a23af993b456b449e74"
	    "99f83829987cf46d535dbeab6f1c1e07dced");
	ck_assert_str_eq(mac(secret, 32, part, 2), "f6eee021ce16647cbf8821fad"
	    "ad94a3069b2db2a6dc1c72c68f19f282d9763f0");
	part[0] = gk_span(raw, 16);
	ck_assert_str_eq(mac(secret, 32, part, 1), "963deb7d2d5e740a465e6a1dc"
	    "645bf0e21727d5325139bf119bb5a07b380b593");
	part[0] = gk_span_str(nonce);
	part[1] = part[2];
	ck_assert_str_eq(mac(secret, 32, part, 2), "41aad2ab01f4d71a9c447c0fb"
	    "58314e63aefd29cda5f3bd1a4e6e1b45e51c629");
}
END_TEST

/* RFC 4231, cases 1, 2, 6: keys shorter and longer than a block. */
START_TEST(test_keys_of_any_length)
{
	uint8_t key[131];
	struct gk_span p = gk_span_str("Hi There");

	memset(key, 0x0b, 20);
	ck_assert_str_eq(mac(key, 20, &p, 1), "b0344c61d8db38535ca8afceaf0bf1"
	    "2b881dc200c9833da726e9376c2e32cff7");
	p = gk_span_str("what do ya want for nothing?");
	ck_assert_str_eq(mac("Jefe", 4, &p, 1), "5bdcc146bf60754e6a042426089575"
	    "c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, 131);
	p = gk_span_str("Test Using Larger Than Block-Size Key - Hash Key First");
	ck_assert_str_eq(mac(key, 131, &p, 1), "60e431591ee0b67f0d8a26aacbf5b7"
	    "7f8e0bc6213728c5140546040f0ee37f54");
}
END_TEST

START_TEST(test_parts_are_one_message)
{
	struct gk_span whole = gk_span_str("abcdef"), part[3];
	char want[2 * GK_MAC_LEN + 1];
	size_t i;

	strcpy(want, mac("k", 1, &whole, 1));
	for (i = 0; i <= 6; i++) {
		part[0] = gk_span("abcdef", i);
		part[1] = gk_span(NULL, 0);
		part[2] = gk_span(&"abcdef"[i], 6 - i);
		ck_assert_str_eq(mac("k", 1, part, 3), want);
	}
}
END_TEST

START_TEST(test_comparison_sees_every_byte)
{
	uint8_t a[32], b[32];
	size_t i;

	memset(a, 3, sizeof(a));
	memset(b, 3, sizeof(b));
	ck_assert(gk_mac_eq(a, 32, b, 32));
	ck_assert(gk_mac_eq(a, 0, b, 0));
	ck_assert(!gk_mac_eq(a, 32, b, 31));
	for (i = 0; i < 32; i++) {
		b[i] ^= 0x80;
		ck_assert(!gk_mac_eq(a, 32, b, 32));
		b[i] ^= 0x80;
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mac");
	TCase *tc = tcase_create("mac");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_handshake_vectors, 0,
	    GK_ARRAY_LEN(handshake));
	tcase_add_test(tc, test_wrong_constructions_differ);
	tcase_add_test(tc, test_keys_of_any_length);
	tcase_add_test(tc, test_parts_are_one_message);
	tcase_add_test(tc, test_comparison_sees_every_byte);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
