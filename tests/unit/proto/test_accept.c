/*
 * Connection set-up, both sides: the broker's steps 4 and 5 of wire 5.1
 * against scripted bytes, then accept and dial back to back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/hex.h"
#include "proto/accept.h"
#include "proto/dial.h"
#include "proto/queue.h"
#include "util.h"

#define SECRET	"00112233445566778899aabbccddeeff"
#define OTHER	"ffeeddccbbaa99887766554433221100"
#define H64	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct gk_test t;
static struct gk_outq out, dout;
static struct gk_accept a;
static struct gk_dial d;
static char response[256];

static const uint8_t *
secret(const char *s)
{
	return (const uint8_t *)s;
}

static void
respond(const char *label)
{
	uint8_t mac[GK_MAC_BYTES];
	char hex[GK_MAC_HEX + 1];

	gk_hs_mac(secret(SECRET), gk_span_str(a.nonce),
	    label != NULL ? gk_span_str(label) : gk_span(NULL, 0), mac);
	gk_hex_encode(hex, mac, sizeof(mac));
	if (label != NULL)
		snprintf(response, sizeof(response), "{\"type\":\"response\","
		    "\"mac\":\"%s\",\"label\":\"%s\"}\n", hex, label);
	else
		snprintf(response, sizeof(response), "{\"type\":\"response\","
		    "\"mac\":\"%s\"}\n", hex);
}

static void
setup(void)
{
	gk_test_init(&t);
	gk_outq_init(&out, t.ctx, 1 << 20);
	gk_outq_init(&dout, t.ctx, 1 << 20);
	memset(&d, 0, sizeof(d));
	ck_assert_int_eq(gk_accept_init(&a, t.ctx, &out), 0);
	respond(NULL);
}

static void
teardown(void)
{
	gk_accept_done(&a);
	gk_dial_done(&d);
	gk_outq_clear(&out);
	gk_outq_clear(&dout);
	gk_test_done(&t);
}

/*
 * Feeds bytes in pieces of step and answers RESPONSE with the secret; the last
 * event, or the error.  *ret counts the bytes taken.
 */
static int
feed_secret(const void *buf, size_t len, size_t step, const char *sec,
    size_t *ret)
{
	size_t used, n;
	int r = 0;

	*ret = 0;
	while (*ret < len && r == 0) {
		n = len - *ret < step ? len - *ret : step;
		r = gk_accept_feed(&a, (const char *)buf + *ret, n, &used);
		ck_assert_uint_le(used, n);
		*ret += used;
		if (r == GK_ACCEPT_RESPONSE)
			r = gk_accept_secret(&a, sec != NULL ? secret(sec) :
			    NULL);
	}
	return r;
}

static int
feed(const char *s)
{
	size_t used;

	return feed_secret(s, strlen(s), strlen(s), SECRET, &used);
}

START_TEST(test_the_challenge_is_the_first_thing_that_goes_out)
{
	const void *p;
	size_t len;
	char want[128];

	ck_assert_int_eq(gk_outq_output(&out, &p, &len), 1);
	ck_assert_uint_eq(strlen(a.nonce), 32);
	snprintf(want, sizeof(want), "{\"type\":\"challenge\",\"nonce\":"
	    "\"%s\"}\n", a.nonce);
	ck_assert_uint_eq(len, strlen(want));
	ck_assert_mem_eq(p, want, len);
}
END_TEST

START_TEST(test_nonces_differ)
{
	struct gk_accept other;

	ck_assert_int_eq(gk_accept_init(&other, t.ctx, &out), 0);
	ck_assert_str_ne(other.nonce, a.nonce);
	gk_accept_done(&other);
}
END_TEST

START_TEST(test_no_randomness_means_no_challenge)
{
	struct gk_accept other;
	size_t held = out.held;

	t.random_fails = true;
	ck_assert_int_eq(gk_accept_init(&other, t.ctx, &out),
	    GENKAN_E_RANDOM);
	ck_assert_uint_eq(out.held, held);
	gk_accept_done(&other);
}
END_TEST

/* Wherever the reads end, the same attach comes out, and what is behind it is
 * left for the leg. */
START_TEST(test_split_anywhere)
{
	char all[512];
	size_t used, len;

	respond("chrome");
	snprintf(all, sizeof(all), "%s{\"attach\":\"browser\"}\n", response);
	len = strlen(all);
	strcat(all, "{\"type\":\"hello\"");
	ck_assert_int_eq(feed_secret(all, strlen(all), (size_t)_i, SECRET,
	    &used), GK_ACCEPT_ATTACH);
	ck_assert_uint_eq(used, len);
	ck_assert_str_eq(a.label, "chrome");
	ck_assert_int_eq(a.attach.role, GK_ATTACH_BROWSER);
	ck_assert_int_eq(a.step, 6);
}
END_TEST

START_TEST(test_a_response_without_label_gives_an_empty_one)
{
	ck_assert_int_eq(feed(response), 0);
	ck_assert_int_eq(a.step, 5);
	ck_assert_int_eq(feed("{\"attach\":\"client\",\"harness\":{\"hash\":"
	    "\"" H64 "\"}}\n"), GK_ACCEPT_ATTACH);
	ck_assert_str_eq(a.label, "");
	ck_assert(!a.has_label);
	ck_assert_str_eq(a.attach.hash, H64);
}
END_TEST

START_TEST(test_nothing_is_read_ahead_of_the_secret)
{
	char all[512];
	size_t used, more;

	snprintf(all, sizeof(all), "%s{\"attach\":\"browser\"}\n", response);
	ck_assert_int_eq(gk_accept_feed(&a, all, strlen(all), &used),
	    GK_ACCEPT_RESPONSE);
	ck_assert_uint_eq(used, strlen(response));
	ck_assert_int_eq(gk_accept_feed(&a, all + used, strlen(all) - used,
	    &more), GK_ACCEPT_MORE);
	ck_assert_uint_eq(more, 0);
	ck_assert_int_eq(gk_accept_secret(&a, secret(SECRET)), 0);
	ck_assert_int_eq(gk_accept_feed(&a, all + used, strlen(all) - used,
	    &more), GK_ACCEPT_ATTACH);
}
END_TEST

START_TEST(test_a_lock_that_cannot_be_read_fails_the_handshake)
{
	size_t used;

	ck_assert_int_eq(feed_secret(response, strlen(response), 1000, NULL,
	    &used), GENKAN_E_AUTH_MAC);
	ck_assert_int_eq(a.step, 4);
	/* and for good */
	ck_assert_int_eq(feed(response), GENKAN_E_AUTH_MAC);
}
END_TEST

START_TEST(test_another_secret_fails_the_handshake)
{
	size_t used;

	ck_assert_int_eq(feed_secret(response, strlen(response), 1000, OTHER,
	    &used), GENKAN_E_AUTH_MAC);
	ck_assert_int_eq(a.step, 4);
}
END_TEST

START_TEST(test_a_response_to_another_challenge_fails)
{
	struct gk_accept first = a;

	ck_assert_int_eq(gk_accept_init(&a, t.ctx, &out), 0);
	ck_assert_int_eq(feed(response), GENKAN_E_AUTH_MAC);
	gk_accept_done(&first);
}
END_TEST

static const struct {
	const char	*first;		/* NULL: the right response */
	const char	*second;
	int		 r;
	int		 step;
} wrong[] = {
	{ "{\"attach\":\"browser\"}\n", NULL, GENKAN_E_FRAME_TYPE, 4 },
	{ "{\"type\":\"challenge\",\"nonce\":\"ab\"}\n", NULL,
	    GENKAN_E_FRAME_TYPE, 4 },
	{ "GET / HTTP/1.1\r\n", NULL, GENKAN_E_FRAME_JSON, 4 },
	{ "{\"type\":\"response\",\"mac\":\"\"}\n", NULL, GENKAN_E_AUTH_MAC,
	    4 },
	{ NULL, "{\"attach\":\"server\"}\n", GENKAN_E_FRAME_MEMBER, 5 },
	{ NULL, "[]\n", GENKAN_E_FRAME_TYPE, 5 },
	{ NULL, "{\"type\":\"response\",\"mac\":\"\"}\n",
	    GENKAN_E_FRAME_MEMBER, 5 },
};

START_TEST(test_a_wrong_frame_ends_the_set_up_at_its_step)
{
	int r = 0;

	if (wrong[_i].first == NULL)
		ck_assert_int_eq(feed(response), 0);
	else
		r = feed(wrong[_i].first);
	if (wrong[_i].second != NULL)
		r = feed(wrong[_i].second);
	ck_assert_int_eq(r, wrong[_i].r);
	ck_assert_int_eq(a.step, wrong[_i].step);
	ck_assert(a.heard);
	/* Nothing but the challenge is ever said. */
	ck_assert_uint_eq(out.count, 1);
}
END_TEST

START_TEST(test_a_client_that_sent_a_label_is_refused)
{
	respond("chrome");
	ck_assert_int_eq(feed(response), 0);
	ck_assert_int_eq(feed("{\"attach\":\"client\"}\n"),
	    GENKAN_E_AUTH_STATE);
	ck_assert_int_eq(a.step, 5);
}
END_TEST

START_TEST(test_blank_lines_are_skipped)
{
	size_t used;
	int i;

	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(gk_accept_feed(&a, " \t\r\n", 4, &used), 0);
	ck_assert_int_eq(feed(response), 0);
	ck_assert_int_eq(feed("\n\n{\"attach\":\"browser\"}\r\n"),
	    GK_ACCEPT_ATTACH);
}
END_TEST

/* 65,535, 65,536 and 65,537 bytes with the LF. */
START_TEST(test_a_set_up_line_is_at_most_64_kib)
{
	size_t len = 65535 + (size_t)_i, used, n = strlen(response) - 1;
	char *line = malloc(len);
	int r;

	ck_assert_ptr_nonnull(line);
	memset(line, '\r', len);
	memcpy(line, response, n);
	line[len - 1] = '\n';
	r = feed_secret(line, len, 4096, SECRET, &used);
	ck_assert_int_eq(r, _i < 2 ? 0 : GENKAN_E_LINE_SIZE);
	free(line);
}
END_TEST

START_TEST(test_each_frame_has_ten_seconds)
{
	int64_t now = 1000;

	ck_assert_int_eq(a.deadline, now + 10000);
	gk_test_time(&t, now + 9999);
	ck_assert_int_eq(gk_accept_tick(&a), 0);
	ck_assert_int_eq(feed(response), 0);
	ck_assert_int_eq(a.deadline, now + 9999 + 10000);
	gk_test_time(&t, a.deadline - 1);
	ck_assert_int_eq(gk_accept_tick(&a), 0);
	gk_test_time(&t, a.deadline);
	ck_assert_int_eq(gk_accept_tick(&a), GENKAN_E_TIMEOUT);
	ck_assert_int_eq(feed("{\"attach\":\"browser\"}\n"),
	    GENKAN_E_TIMEOUT);
	ck_assert_int_eq(a.step, 5);
}
END_TEST

START_TEST(test_a_slow_drip_does_not_move_the_deadline)
{
	size_t used;
	int i;

	for (i = 0; i < 10; i++) {
		gk_test_time(&t, 1000 + i * 1000);
		ck_assert_int_eq(gk_accept_tick(&a), 0);
		ck_assert_int_eq(gk_accept_feed(&a, " ", 1, &used), 0);
	}
	gk_test_time(&t, 11000);
	ck_assert_int_eq(gk_accept_tick(&a), GENKAN_E_TIMEOUT);
}
END_TEST

START_TEST(test_once_attached_there_is_no_timer)
{
	ck_assert_int_eq(feed(response), 0);
	ck_assert_int_eq(feed("{\"attach\":\"browser\"}\n"),
	    GK_ACCEPT_ATTACH);
	gk_test_time(&t, 1000000);
	ck_assert_int_eq(gk_accept_tick(&a), 0);
}
END_TEST

START_TEST(test_a_peer_that_says_nothing_is_told_apart)
{
	ck_assert(!a.heard);
	ck_assert_int_eq(gk_accept_eof(&a), GENKAN_E_EOF);
	ck_assert(!a.heard);
	ck_assert_int_eq(feed(response), GENKAN_E_EOF);
}
END_TEST

START_TEST(test_a_cut_off_frame_was_heard)
{
	ck_assert_int_eq(feed("{\"type\""), 0);
	ck_assert_int_eq(gk_accept_eof(&a), GENKAN_E_EOF);
	ck_assert(a.heard);
}
END_TEST

/* ------------------------------------------------------------------- dial */

static void
dial(const char *sec, const char *label, int role)
{
	struct gk_attach at;

	memset(&at, 0, sizeof(at));
	at.role = role;
	if (role == GK_ATTACH_CLIENT) {
		at.has_harness = true;
		memcpy(at.hash, H64, sizeof(H64));
	}
	gk_dial_init(&d, t.ctx, &dout, secret(sec), label, &at);
}

static int
dial_feed(const char *s, size_t step, size_t *ret)
{
	size_t len = strlen(s), used, n;
	int r = 0;

	*ret = 0;
	while (*ret < len && r == 0) {
		n = len - *ret < step ? len - *ret : step;
		r = gk_dial_feed(&d, s + *ret, n, &used);
		*ret += used;
	}
	return r;
}

/* Moves what one side wants to say to the other, step bytes at a time. */
static int
pass_to_accept(size_t step)
{
	const void *p;
	size_t len, used;
	int r = 0;

	while (r == 0 && gk_outq_output(&dout, &p, &len)) {
		len = len < step ? len : step;
		r = gk_accept_feed(&a, p, len, &used);
		gk_outq_wrote(&dout, used);
		if (r == GK_ACCEPT_RESPONSE)
			r = gk_accept_secret(&a, secret(SECRET));
	}
	return r;
}

static int
pass_to_dial(size_t step)
{
	const void *p;
	size_t len, used;
	int r = 0;

	while (r == 0 && gk_outq_output(&out, &p, &len)) {
		len = len < step ? len : step;
		r = gk_dial_feed(&d, p, len, &used);
		gk_outq_wrote(&out, used);
	}
	return r;
}

START_TEST(test_both_sides_meet)
{
	static const struct {
		const char *label;
		int role;
	} who[] = {
		{ "chrome", GK_ATTACH_BROWSER }, { "", GK_ATTACH_BROWSER },
		{ "", GK_ATTACH_CLIENT },
	};
	struct gk_buf b;
	size_t step = 1 + (size_t)_i % 50;

	_i /= 50;
	dial(SECRET, who[_i].label, who[_i].role);
	ck_assert_int_eq(pass_to_dial(step), 0);
	ck_assert_int_eq(pass_to_accept(step), GK_ACCEPT_ATTACH);
	ck_assert_int_eq(a.attach.role, who[_i].role);
	ck_assert_str_eq(a.label, who[_i].label);
	ck_assert_int_eq(a.has_label, who[_i].label[0] != '\0');
	ck_assert_int_eq(a.attach.has_harness,
	    who[_i].role == GK_ATTACH_CLIENT);

	gk_buf_init(&b, t.ctx, 4096);
	ck_assert_int_eq(gk_attach_reply_write(&b, GK_ATTACH_ACCEPTED, NULL),
	    0);
	ck_assert_int_eq(gk_outq_move(&out, &b, NULL), 0);
	ck_assert_int_eq(pass_to_dial(step), 1);
	ck_assert_int_eq(d.reply.verdict, GK_ATTACH_ACCEPTED);
	gk_buf_done(&b);
}
END_TEST

START_TEST(test_a_dialler_with_an_old_secret_is_refused)
{
	dial(OTHER, "", GK_ATTACH_BROWSER);
	ck_assert_int_eq(pass_to_dial(1000), 0);
	ck_assert_int_eq(pass_to_accept(1000), GENKAN_E_AUTH_MAC);
}
END_TEST

START_TEST(test_bytes_behind_the_reply_belong_to_the_leg)
{
	const char *s = "{\"type\":\"challenge\",\"nonce\":\"ab\"}\n"
	    "{\"attach_reply\":\"accepted\"}\n{\"id\":1";
	size_t used;

	dial(SECRET, "", GK_ATTACH_BROWSER);
	ck_assert_int_eq(dial_feed(s, (size_t)_i, &used), 1);
	ck_assert_uint_eq(used, strlen(s) - 7);
}
END_TEST

static const struct {
	const char *bytes;
	int r;
} bad[] = {
	{ "{\"attach_reply\":\"accepted\"}\n", GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"response\",\"mac\":\"\"}\n", GENKAN_E_FRAME_TYPE },
	{ "{\"type\":\"challenge\",\"nonce\":\"\"}\n",
	    GENKAN_E_FRAME_MEMBER },
	{ "SSH-2.0-OpenSSH_9.2\r\n", GENKAN_E_FRAME_JSON },
	{ "{\"type\":\"challenge\",\"nonce\":\"ab\"}\n"
	    "{\"type\":\"challenge\",\"nonce\":\"ab\"}\n",
	    GENKAN_E_FRAME_MEMBER },
	{ "{\"type\":\"challenge\",\"nonce\":\"ab\"}\n{\"id\":1}\n",
	    GENKAN_E_FRAME_MEMBER },
};

START_TEST(test_a_dialler_takes_nothing_but_its_two_frames)
{
	size_t used;

	dial(SECRET, "", GK_ATTACH_BROWSER);
	ck_assert_int_eq(dial_feed(bad[_i].bytes, 1000, &used), bad[_i].r);
	ck_assert_int_eq(dial_feed("{\"attach_reply\":\"accepted\"}\n", 1000,
	    &used), bad[_i].r);
}
END_TEST

START_TEST(test_a_dialler_waits_ten_seconds_for_each_frame)
{
	size_t used;

	dial(SECRET, "", GK_ATTACH_BROWSER);
	gk_test_time(&t, 10999);
	ck_assert_int_eq(gk_dial_tick(&d), 0);
	ck_assert_int_eq(dial_feed("{\"type\":\"challenge\",\"nonce\":"
	    "\"ab\"}\n", 100, &used), 0);
	gk_test_time(&t, 20998);
	ck_assert_int_eq(gk_dial_tick(&d), 0);
	gk_test_time(&t, 20999);
	ck_assert_int_eq(gk_dial_tick(&d), GENKAN_E_TIMEOUT);
}
END_TEST

START_TEST(test_a_dialler_keeps_no_secret_once_it_answered)
{
	static const uint8_t zero[GK_SECRET_HEX];
	size_t used;

	dial(SECRET, "", GK_ATTACH_BROWSER);
	ck_assert_mem_eq(d.secret, SECRET, GK_SECRET_HEX);
	ck_assert_int_eq(dial_feed("{\"type\":\"challenge\",\"nonce\":"
	    "\"ab\"}\n", 100, &used), 0);
	ck_assert_mem_eq(d.secret, zero, GK_SECRET_HEX);
}
END_TEST

START_TEST(test_eof_before_the_reply_is_an_error)
{
	dial(SECRET, "", GK_ATTACH_BROWSER);
	ck_assert_int_eq(gk_dial_eof(&d), GENKAN_E_EOF);
}
END_TEST

#define LEN(x)	((int)(sizeof(x) / sizeof((x)[0])))

static void
add_broker_side(Suite *s)
{
	TCase *tc = tcase_create("accept");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
	    test_the_challenge_is_the_first_thing_that_goes_out);
	tcase_add_test(tc, test_nonces_differ);
	tcase_add_test(tc, test_no_randomness_means_no_challenge);
	tcase_add_loop_test(tc, test_split_anywhere, 1, 170);
	tcase_add_test(tc, test_a_response_without_label_gives_an_empty_one);
	tcase_add_test(tc, test_nothing_is_read_ahead_of_the_secret);
	tcase_add_test(tc,
	    test_a_lock_that_cannot_be_read_fails_the_handshake);
	tcase_add_test(tc, test_another_secret_fails_the_handshake);
	tcase_add_test(tc, test_a_response_to_another_challenge_fails);
	tcase_add_loop_test(tc,
	    test_a_wrong_frame_ends_the_set_up_at_its_step, 0, LEN(wrong));
	tcase_add_test(tc, test_a_client_that_sent_a_label_is_refused);
	tcase_add_test(tc, test_blank_lines_are_skipped);
	tcase_add_loop_test(tc, test_a_set_up_line_is_at_most_64_kib, 0, 3);
	tcase_add_test(tc, test_each_frame_has_ten_seconds);
	tcase_add_test(tc, test_a_slow_drip_does_not_move_the_deadline);
	tcase_add_test(tc, test_once_attached_there_is_no_timer);
	tcase_add_test(tc, test_a_peer_that_says_nothing_is_told_apart);
	tcase_add_test(tc, test_a_cut_off_frame_was_heard);
	suite_add_tcase(s, tc);
}

static void
add_dialling_side(Suite *s)
{
	TCase *tc = tcase_create("dial");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_both_sides_meet, 0, 150);
	tcase_add_test(tc, test_a_dialler_with_an_old_secret_is_refused);
	tcase_add_loop_test(tc,
	    test_bytes_behind_the_reply_belong_to_the_leg, 1, 70);
	tcase_add_loop_test(tc,
	    test_a_dialler_takes_nothing_but_its_two_frames, 0, LEN(bad));
	tcase_add_test(tc, test_a_dialler_waits_ten_seconds_for_each_frame);
	tcase_add_test(tc, test_a_dialler_keeps_no_secret_once_it_answered);
	tcase_add_test(tc, test_eof_before_the_reply_is_an_error);
	suite_add_tcase(s, tc);
}

int
main(void)
{
	Suite *s = suite_create("accept");

	add_broker_side(s);
	add_dialling_side(s);
	return gk_test_main(s);
}
