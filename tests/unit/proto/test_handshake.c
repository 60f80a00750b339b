/* Frames and MAC of the handshake: wire 5.3 to 5.5. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "codec/hex.h"
#include "proto/handshake.h"
#include "util.h"

#define SECRET	"00112233445566778899aabbccddeeff"
#define NONCE	"0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define MAC	"02ed18fb77acafa0a69d34a437d321098e27451aa2a83e364b0cd29da1314e32"
#define MAC_CHROME \
	"61a75802072f040d8c2e4f756bf1e2c1231bf575ae101b414228565a70493787"
#define LABEL32	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 1 << 20);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static struct gk_span
text(const char *s)
{
	return gk_span_str(s);
}

static const char *
line(void)
{
	ck_assert_int_eq(gk_buf_putc(&b, '\0'), 0);
	return (const char *)b.ptr;
}

/* Reads a response and verifies it against the vectors' secret and nonce. */
static int
verify(const char *frame, char label[GK_LABEL_MAX + 1])
{
	struct gk_hs_response resp;
	int r;

	r = gk_hs_response_read(t.ctx, text(frame), &resp);
	if (r == 0)
		r = gk_hs_verify(&resp, (const uint8_t *)SECRET, text(NONCE),
		    label);
	gk_hs_response_done(&resp);
	return r;
}

static int
verify_pair(const char *mac, const char *label, char *ret)
{
	char frame[512];

	if (label != NULL)
		snprintf(frame, sizeof(frame), "{\"type\":\"response\","
		    "\"mac\":\"%s\",\"label\":\"%s\"}", mac, label);
	else
		snprintf(frame, sizeof(frame), "{\"type\":\"response\","
		    "\"mac\":\"%s\"}", mac);
	return verify(frame, ret);
}

static const struct {
	const char *label;
	const char *mac;
} vectors[] = {
	{ NULL, MAC },
	{ "chrome", MAC_CHROME },
	{ "brave",
	"005d350d995c26bddedec10aedc3e3f53f98955a32617e91b274d1df224f26e2" },
	{ "default",
	"ffa8aba21340c2cabc9a3330796577a1a50f63a4b6d8497a979ebdb24b2e5a10" },
	{ LABEL32,
	"6d93234ed0062d750d21115cb40fb48a25ea2a1d6e1d2e9e5979c3dc12a0c5cd" },
};

START_TEST(test_the_mac_is_that_of_the_vectors)
{
	uint8_t mac[GK_MAC_BYTES];
	char hex[GK_MAC_HEX + 1];

	gk_hs_mac((const uint8_t *)SECRET, text(NONCE),
	    vectors[_i].label != NULL ? text(vectors[_i].label) :
	    gk_span(NULL, 0), mac);
	gk_hex_encode(hex, mac, sizeof(mac));
	ck_assert_str_eq(hex, vectors[_i].mac);
}
END_TEST

START_TEST(test_the_vectors_verify_and_give_their_label)
{
	char label[GK_LABEL_MAX + 1] = "?";

	ck_assert_int_eq(verify_pair(vectors[_i].mac, vectors[_i].label,
	    label), 0);
	ck_assert_str_eq(label, vectors[_i].label != NULL ?
	    vectors[_i].label : "");
}
END_TEST

static const struct {
	const char *label;
	const char *mac;
} wrong[] = {
	/* key decoded to 16 bytes; nonce decoded; trailing 0x00; no 0x00 */
	{ NULL,
	"4df8a44e0a23af993b456b449e7499f83829987cf46d535dbeab6f1c1e07dced" },
	{ NULL,
	"963deb7d2d5e740a465e6a1dc645bf0e21727d5325139bf119bb5a07b380b593" },
	{ NULL,
	"f6eee021ce16647cbf8821fadad94a3069b2db2a6dc1c72c68f19f282d9763f0" },
	{ "chrome",
	"41aad2ab01f4d71a9c447c0fb58314e63aefd29cda5f3bd1a4e6e1b45e51c629" },
	/* the right MAC with another label, and without one */
	{ "brave", MAC_CHROME },
	{ NULL, MAC_CHROME },
	{ "default", MAC },
	/* a bit, a digit, a byte, everything */
	{ NULL,
	"03ed18fb77acafa0a69d34a437d321098e27451aa2a83e364b0cd29da1314e32" },
	{ NULL,
	"02ed18fb77acafa0a69d34a437d321098e27451aa2a83e364b0cd29da1314e" },
	{ NULL,
	"02ed18fb77acafa0a69d34a437d321098e27451aa2a83e364b0cd29da1314e3200" },
	{ NULL, "" },
};

START_TEST(test_wrong_constructions_are_a_mismatch)
{
	char label[GK_LABEL_MAX + 1] = "untouched";

	ck_assert_int_eq(verify_pair(wrong[_i].mac, wrong[_i].label, label),
	    GENKAN_E_AUTH_MAC);
	ck_assert_str_eq(label, "untouched");
}
END_TEST

START_TEST(test_a_mac_in_upper_case_verifies)
{
	char upper[GK_MAC_HEX + 1], label[GK_LABEL_MAX + 1];
	size_t i;

	for (i = 0; i <= GK_MAC_HEX; i++)
		upper[i] = MAC[i] >= 'a' && MAC[i] <= 'f' ?
		    (char)(MAC[i] - 32) : MAC[i];
	ck_assert_int_eq(verify_pair(upper, NULL, label), 0);
}
END_TEST

START_TEST(test_another_secret_or_nonce_is_a_mismatch)
{
	static const char *const secret[] = { SECRET,
	    "00112233445566778899aabbccddeefe" };
	static const char *const nonce[] = { NONCE,
	    "0f1e2d3c4b5a69788796a5b4c3d2e1f1" };
	struct gk_hs_response resp;
	char label[GK_LABEL_MAX + 1];
	int s, n;

	ck_assert_int_eq(gk_hs_response_read(t.ctx,
	    text("{\"type\":\"response\",\"mac\":\"" MAC "\"}"), &resp), 0);
	for (s = 0; s < 2; s++)
		for (n = 0; n < 2; n++)
			ck_assert_int_eq(gk_hs_verify(&resp,
			    (const uint8_t *)secret[s], text(nonce[n]),
			    label), s == 0 && n == 0 ? 0 :
			    GENKAN_E_AUTH_MAC);
	gk_hs_response_done(&resp);
}
END_TEST

/* Else one that ends in zeros could be sent without them. */
START_TEST(test_a_mac_of_another_length_is_none)
{
	static const char *const macs[] = { "", "00", MAC "00" };
	struct gk_hs_response resp;
	char frame[256];

	(void)snprintf(frame, sizeof(frame), "{\"type\":\"response\","
	    "\"mac\":\"%s\"}", macs[_i]);
	ck_assert_int_eq(gk_hs_response_read(t.ctx, text(frame), &resp), 0);
	ck_assert(!resp.mac_ok);
	gk_hs_response_done(&resp);
}
END_TEST

/* A label is judged after the MAC, so a wrong MAC hides what it was. */
static const struct {
	const char	*json;
	const char	*bytes;
	size_t		 len;
} bad_labels[] = {
	{ "", "", 0 },
	{ LABEL32 "a", LABEL32 "a", 33 },
	{ "a b", "a b", 3 },
	{ "a\\nb", "a\nb", 3 },
	{ "a/b", "a/b", 3 },
	{ "a\\\\b", "a\\b", 3 },
	{ "\xc3\xa9", "\xc3\xa9", 2 },
	{ "-a", "-a", 2 },
	{ ".a", ".a", 2 },
	{ "a\\u0000b", "a\0b", 3 },
};

START_TEST(test_a_bad_label_fails_only_once_the_mac_verified)
{
	uint8_t mac[GK_MAC_BYTES];
	char hex[GK_MAC_HEX + 1], label[GK_LABEL_MAX + 1];

	gk_hs_mac((const uint8_t *)SECRET, text(NONCE),
	    gk_span(bad_labels[_i].bytes, bad_labels[_i].len), mac);
	gk_hex_encode(hex, mac, sizeof(mac));
	ck_assert_int_eq(verify_pair(hex, bad_labels[_i].json, label),
	    GENKAN_E_FRAME_MEMBER);
	ck_assert_int_eq(verify_pair(MAC, bad_labels[_i].json, label),
	    GENKAN_E_AUTH_MAC);
}
END_TEST

static const char *const good_labels[] = {
	"default", "Brave-2", "work_profile", "a", "x.y", "0", LABEL32
};

START_TEST(test_a_good_label_is_taken_as_it_is)
{
	uint8_t mac[GK_MAC_BYTES];
	char hex[GK_MAC_HEX + 1], label[GK_LABEL_MAX + 1];

	gk_hs_mac((const uint8_t *)SECRET, text(NONCE),
	    text(good_labels[_i]), mac);
	gk_hex_encode(hex, mac, sizeof(mac));
	ck_assert_int_eq(verify_pair(hex, good_labels[_i], label), 0);
	ck_assert_str_eq(label, good_labels[_i]);
}
END_TEST

START_TEST(test_frames_are_written_as_the_specification_shows)
{
	uint8_t mac[GK_MAC_BYTES];
	size_t n;

	ck_assert_int_eq(gk_hs_challenge_write(&b, text(NONCE)), 0);
	ck_assert_str_eq(line(), "{\"type\":\"challenge\",\"nonce\":\"" NONCE
	    "\"}\n");
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_hex_decode(GK_HEX_LOWER, MAC, GK_MAC_HEX, mac,
	    sizeof(mac), &n), 0);
	ck_assert_int_eq(gk_hs_response_write(&b, mac, gk_span(NULL, 0)), 0);
	ck_assert_str_eq(line(), "{\"type\":\"response\",\"mac\":\"" MAC
	    "\"}\n");
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_hs_response_write(&b, mac, text("chrome")), 0);
	ck_assert_str_eq(line(), "{\"type\":\"response\",\"mac\":\"" MAC
	    "\",\"label\":\"chrome\"}\n");
}
END_TEST

static const struct {
	const char *nonce;
	int r;
} nonces[] = {
	{ "", GENKAN_E_FRAME_MEMBER },
	{ "a", 0 },
	{ "AbCdEf09", 0 },
	{ NONCE NONCE, 0 },
	{ NONCE NONCE "0", GENKAN_E_FRAME_MEMBER },
	{ "xyz", GENKAN_E_FRAME_MEMBER },
	{ "0 ", GENKAN_E_FRAME_MEMBER },
	{ "\\u0061\\u0062", 0 },
};

START_TEST(test_a_nonce_is_1_to_64_hex_characters)
{
	struct gk_hs_challenge ch;
	char frame[256];

	snprintf(frame, sizeof(frame), "{\"type\":\"challenge\",\"nonce\":"
	    "\"%s\"}", nonces[_i].nonce);
	ck_assert_int_eq(gk_hs_challenge_read(t.ctx, text(frame), &ch),
	    nonces[_i].r);
	if (nonces[_i].r < 0)
		return;
	if (nonces[_i].nonce[0] == '\\') {
		ck_assert_uint_eq(ch.len, 2);
		ck_assert_mem_eq(ch.nonce, "ab", 2);
	} else {
		ck_assert_uint_eq(ch.len, strlen(nonces[_i].nonce));
		ck_assert_mem_eq(ch.nonce, nonces[_i].nonce, ch.len);
	}
}
END_TEST

static const struct {
	const char *frame;
	int challenge;
	int response;
} frames[] = {
	{ "{\"type\":\"challenge\",\"nonce\":\"ab\"}", 0,
	    GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"response\",\"mac\":\"" MAC "\"}", GENKAN_E_FRAME_TYPE,
	    0 },
	{ "{\"type\":\"respons\",\"mac\":\"" MAC "\"}", GENKAN_E_FRAME_TYPE,
	    GENKAN_E_FRAME_TYPE },
	{ "{\"nonce\":\"ab\"}", GENKAN_E_FRAME_TYPE, GENKAN_E_FRAME_TYPE },
	{ "{\"type\":1}", GENKAN_E_FRAME_TYPE, GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"challenge\"}", GENKAN_E_FRAME_MEMBER,
	    GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"challenge\",\"nonce\":null}", GENKAN_E_FRAME_MEMBER,
	    GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"challenge\",\"nonce\":\"ab\",\"x\":1}",
	    GENKAN_E_FRAME_MEMBER, GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"challenge\",\"nonce\":\"ab\",\"nonce\":\"ab\"}",
	    GENKAN_E_FRAME_DUP, GENKAN_E_FRAME_DUP },
	{ "{\"type\":\"response\"}", GENKAN_E_FRAME_TYPE,
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"response\",\"mac\":\"abc\"}", GENKAN_E_FRAME_TYPE,
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"response\",\"mac\":\"zz\"}", GENKAN_E_FRAME_TYPE,
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"response\",\"mac\":\"" MAC "\",\"label\":null}",
	    GENKAN_E_FRAME_TYPE, GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"response\",\"mac\":\"" MAC "\",\"label\":1}",
	    GENKAN_E_FRAME_TYPE, GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"response\",\"mac\":\"" MAC "\",\"nonce\":\"ab\"}",
	    GENKAN_E_FRAME_TYPE, GENKAN_E_FRAME_MEMBER },
	{ "[]", GENKAN_E_FRAME_TYPE, GENKAN_E_FRAME_TYPE },
	{ "{", GENKAN_E_FRAME_JSON, GENKAN_E_FRAME_JSON },
	{ "GET / HTTP/1.1", GENKAN_E_FRAME_JSON, GENKAN_E_FRAME_JSON },
};

START_TEST(test_frames_are_read_strictly)
{
	struct gk_hs_challenge ch;
	struct gk_hs_response resp;

	ck_assert_int_eq(gk_hs_challenge_read(t.ctx, text(frames[_i].frame),
	    &ch), frames[_i].challenge);
	ck_assert_int_eq(gk_hs_response_read(t.ctx, text(frames[_i].frame),
	    &resp), frames[_i].response);
	gk_hs_response_done(&resp);
}
END_TEST

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

int
main(void)
{
	Suite *s = suite_create("handshake");
	TCase *tc = tcase_create("handshake");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_the_mac_is_that_of_the_vectors, 0,
	    LEN(vectors));
	tcase_add_loop_test(tc, test_the_vectors_verify_and_give_their_label,
	    0, LEN(vectors));
	tcase_add_loop_test(tc, test_a_mac_of_another_length_is_none, 0, 3);
	tcase_add_loop_test(tc, test_wrong_constructions_are_a_mismatch, 0,
	    LEN(wrong));
	tcase_add_test(tc, test_a_mac_in_upper_case_verifies);
	tcase_add_test(tc, test_another_secret_or_nonce_is_a_mismatch);
	tcase_add_loop_test(tc,
	    test_a_bad_label_fails_only_once_the_mac_verified, 0,
	    LEN(bad_labels));
	tcase_add_loop_test(tc, test_a_good_label_is_taken_as_it_is, 0,
	    LEN(good_labels));
	tcase_add_test(tc,
	    test_frames_are_written_as_the_specification_shows);
	tcase_add_loop_test(tc, test_a_nonce_is_1_to_64_hex_characters, 0,
	    LEN(nonces));
	tcase_add_loop_test(tc, test_frames_are_read_strictly, 0,
	    LEN(frames));
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
