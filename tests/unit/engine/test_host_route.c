/* Which frames the host forwards, answers and drops.  wire 12 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/frame.h"
#include "host_world.h"

static const char *const to_broker[][2] = {
	{ "{\"type\":\"hello\",\"protocol\":1,\"capabilities\":[]}", NULL },
	{ "{\"id\":1,\"ok\":true,\"data\":\"\xc3\xa9\"}", NULL },
	{ "{}", NULL },
	{ "{\"type\":null}", NULL },
	{ "{\"type\":{\"kill_status\":null}}", NULL },
	/* parsed and written again: one line, compact, order kept */
	{ "{ \"b\" : [ 1 ,\n2 ] ,\r\n\"a\":\"x\" }",
	    "{\"b\":[1,2],\"a\":\"x\"}" },
	{ "{\"a\":\"\\u00e9\\/\"}", "{\"a\":\"\xc3\xa9/\"}" },
};

START_TEST(test_frames_of_the_browser_are_forwarded_as_one_line)
{
	char want[256];

	attach();
	browser_send(to_broker[_i][0]);
	snprintf(want, sizeof(want), "%s\n", to_broker[_i][1] != NULL ?
	    to_broker[_i][1] : to_broker[_i][0]);
	ck_assert_str_eq(broker_got(), want);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_control_frames_of_the_browser_are_answered_here)
{
	attach();
	browser_send("{\"type\":\"kill_status\"}");
	ck_assert_str_eq(browser_got(), KILL_OFF);
	browser_send("{\"type\":\"kill_status\",\"x\":1}");
	ck_assert_ptr_nonnull(strstr(browser_got(), "malformed"));
	browser_send("{\"type\":\"kill_status_result\",\"ok\":true}");
	ck_assert_str_eq(browser_got(), "");
	ck_assert_str_eq(broker_got(), "");
}
END_TEST

START_TEST(test_frames_of_the_broker_become_messages)
{
	attach();
	broker_send("{\"id\":1,\"op\":\"tab_list\",\"browser\":\"chrome\","
	    "\"args\":{}}\n{\"type\":\"cancel\",\"id\":1}\r\n\n");
	ck_assert_str_eq(browser_got(), "{\"id\":1,\"op\":\"tab_list\","
	    "\"browser\":\"chrome\",\"args\":{}}\n"
	    "{\"type\":\"cancel\",\"id\":1}\n");
}
END_TEST

static const char *const injected[] = {
	"{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":false}\n",
	"{\"type\":\"policy_current\",\"ok\":true,\"baseline\":\"e30=\"}\n",
	"{\"type\":\"kill_engage\"}\n",
	"{\"type\":\"enclave\\u005frevoked\"}\n",
	"{\"type\":\"presence_begin\",\"bogus\":1}\n",
};

START_TEST(test_control_frames_from_the_socket_are_dropped)
{
	attach();
	broker_send(injected[_i]);
	ck_assert_str_eq(browser_got(), "");
	ck_assert_str_eq(broker_got(), "");
	ck_assert_str_eq(t.log_id, "injected");
	ck_assert_ptr_null(m.rec[GK_RECORD_TRUST]);
	/* and the pump goes on */
	broker_send("{\"id\":2}\n");
	ck_assert_str_eq(browser_got(), "{\"id\":2}\n");
}
END_TEST

START_TEST(test_split_anywhere)
{
	static const char frame[] = "\x21\0\0\0{\"id\":7,\"ok\":true,"
	    "\"data\":\"\xe4\xb8\xad\\n\"}"
	    "\x02\0\0\0{}";
	static const char lines[] = "{\"id\":8}\n{\"id\":9,\"args\":{}}\n";
	size_t cut = (size_t)_i, n = sizeof(frame) - 1;

	attach();
	ck_assert_uint_eq(n, 4 + 33 + 4 + 2);
	feed(browser, frame, cut < n ? cut : n);
	if (cut < n)
		feed(browser, frame + cut, n - cut);
	ck_assert_str_eq(broker_got(), "{\"id\":7,\"ok\":true,"
	    "\"data\":\"\xe4\xb8\xad\\n\"}\n{}\n");
	n = sizeof(lines) - 1;
	feed(bridge, lines, cut < n ? cut : n);
	if (cut < n)
		feed(bridge, lines + cut, n - cut);
	ck_assert_str_eq(browser_got(), "{\"id\":8}\n{\"id\":9,\"args\":{}}"
	    "\n");
}
END_TEST

/* ------------------------------------------------------------------ too large */

/* {"id":N,"op":"x","args":{"a":"aaa..."}} of exactly len bytes. */
static char *
request(size_t len, const char *head)
{
	char *s = malloc(len + 2);
	size_t n = strlen(head);

	memcpy(s, head, n);
	memset(s + n, 'a', len - n - 3);
	memcpy(s + len - 3, "\"}}\n", 5);
	return s;
}

/* 1,048,575, 1,048,576 and 1,048,577 bytes. */
START_TEST(test_a_request_over_the_message_limit_is_answered_by_the_host)
{
	size_t len = GK_NATIVE_OUT_MAX - 1 + (size_t)_i, plen;
	char *s = request(len, "{\"id\":17,\"op\":\"x\",\"args\":{\"a\":\"");
	const void *p;

	attach();
	feed(bridge, s, len + 1);
	free(s);
	if (_i < 2) {
		ck_assert_int_eq(gk_leg_output(browser, &p, &plen), 1);
		ck_assert_uint_eq(plen, len + 4);
		gk_leg_wrote(browser, plen);
		ck_assert_str_eq(broker_got(), "");
	} else {
		ck_assert_int_eq(gk_leg_output(browser, &p, &plen), 0);
		ck_assert_str_eq(broker_got(), "{\"id\":17,\"ok\":false,"
		    "\"error\":\"a frame of 1048577 bytes is over the limit "
		    "of 1048576 bytes\",\"code\":\"PAYLOAD_TOO_LARGE\"}\n");
	}
	broker_send("{\"id\":2}\n");
	ck_assert_str_eq(browser_got(), "{\"id\":2}\n");
}
END_TEST

START_TEST(test_any_other_frame_over_the_message_limit_is_dropped)
{
	char *s = request(GK_NATIVE_OUT_MAX + 1, "{\"x\":{\"a\":\"");

	attach();
	feed(bridge, s, GK_NATIVE_OUT_MAX + 2);
	free(s);
	ck_assert_str_eq(t.log_id, "dropped");
	ck_assert_str_eq(browser_got(), "");
	ck_assert_str_eq(broker_got(), "");
}
END_TEST

/* The largest message there is: with the LF one byte over the bridge's cap. */
START_TEST(test_a_response_that_no_line_can_carry_is_replaced)
{
	size_t len = GK_NATIVE_IN_MAX - 1 + (size_t)_i, plen;
	char *s = request(len, "{\"id\":5,\"ok\":true,\"data\":{\"a\":\"");
	uint8_t prefix[4];
	const void *p;

	attach();
	gk_frame_header(prefix, (uint32_t)len);
	feed(browser, prefix, 4);
	feed(browser, s, len);
	free(s);
	ck_assert_int_eq(gk_leg_output(bridge, &p, &plen), 1);
	if (_i == 0) {
		ck_assert_uint_eq(plen, GK_BRIDGE_LINE_MAX);
	} else {
		ck_assert_str_eq(broker_got(), "{\"id\":5,\"ok\":false,"
		    "\"error\":\"a frame of 67108865 bytes is over the limit "
		    "of 67108864 bytes\",\"code\":\"PAYLOAD_TOO_LARGE\"}\n");
	}
	ck_assert_str_eq(gk_host_state(h), "bridge");
}
END_TEST

/* -------------------------------------------------------------- back-pressure */

START_TEST(test_a_broker_that_does_not_read_stops_the_browser_s_input)
{
	size_t len = 10 * 1024 * 1024, used;
	char *s = request(len, "{\"id\":5,\"ok\":true,\"data\":{\"a\":\"");
	uint8_t prefix[4];

	attach();
	gk_frame_header(prefix, (uint32_t)len);
	feed(browser, prefix, 4);
	feed(browser, s, len);
	ck_assert_int_eq(gk_leg_wants(browser), GENKAN_WANT_READ);
	/* A kill is not left unread behind it. */
	browser_send("{\"type\":\"kill_engage\"}");
	ck_assert_str_eq(browser_got(), KILL_ON);
	feed(browser, prefix, 4);
	feed(browser, s, len);
	ck_assert_int_eq(gk_leg_wants(browser), 0);
	(void)gk_leg_feed(browser, prefix, 4, &used);
	ck_assert_uint_eq(used, 0);
	gk_leg_wrote(bridge, len + 1);
	ck_assert_int_eq(gk_leg_wants(browser), GENKAN_WANT_READ);
	free(s);
}
END_TEST

START_TEST(test_a_browser_that_does_not_read_stops_the_broker_s_input)
{
	char *s = request(700000, "{\"id\":5,\"op\":\"x\",\"args\":{\"a\":\"");

	attach();
	feed(bridge, s, 700001);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_READ);
	feed(bridge, s, 700001);
	ck_assert_int_eq(gk_leg_wants(bridge), 0);
	gk_leg_wrote(browser, 700004);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_READ);
	free(s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("host_route");
	TCase *tc = host_tcase(s, "routing");

	tcase_add_loop_test(tc,
	    test_frames_of_the_browser_are_forwarded_as_one_line, 0,
	    GK_ARRAY_LEN(to_broker));
	tcase_add_test(tc,
	    test_control_frames_of_the_browser_are_answered_here);
	tcase_add_test(tc, test_frames_of_the_broker_become_messages);
	tcase_add_loop_test(tc,
	    test_control_frames_from_the_socket_are_dropped, 0,
	    GK_ARRAY_LEN(injected));
	tcase_add_loop_test(tc, test_split_anywhere, 0, 44);
	tcase_add_loop_test(tc,
	    test_a_request_over_the_message_limit_is_answered_by_the_host, 0,
	    3);
	tcase_add_test(tc,
	    test_any_other_frame_over_the_message_limit_is_dropped);
	tcase_add_loop_test(tc,
	    test_a_response_that_no_line_can_carry_is_replaced, 0, 2);
	tcase_add_test(tc,
	    test_a_broker_that_does_not_read_stops_the_browser_s_input);
	tcase_add_test(tc,
	    test_a_browser_that_does_not_read_stops_the_broker_s_input);
	return gk_test_main(s);
}
