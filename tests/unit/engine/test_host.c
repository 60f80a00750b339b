/* The host: order of work, routing, control-plane mode.  wire 12, control 2.10 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "codec/frame.h"
#include "engine/host.h"
#include "memstore.h"
#include "proto/accept.h"
#include "proto/machine.h"
#include "proto/queue.h"
#include "util.h"

#define KILLED	MEM_TRUST(5, true, 5, 0, 0, 0, "null")
#define CLEAR	MEM_TRUST(6, false, 6, 0, 0, 0, "null")
#define POLICY	"{\"type\":\"policy_current\",\"ok\":false,\"error\":\"no " \
	"policy has been set on this machine yet\"}\n"
#define LANG	"{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n"
#define KILL_ON	"{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}\n"
#define KILL_OFF "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":" \
	"false}\n"

static struct gk_test t;
static struct memstore m;
static struct gk_host *h;
static struct genkan_leg *browser, *bridge;
static char got[1 << 16];
static char line[1 << 16];

static void
make(const char *label)
{
	struct gk_host_opts o;

	memset(&o, 0, sizeof(o));
	o.store = &m.store;
	o.label = label;
	ck_assert_int_eq(gk_host_new(t.ctx, &o, &h), 0);
	browser = gk_host_browser(h);
	ck_assert_ptr_nonnull(browser);
}

static void
setup(void)
{
	gk_test_init(&t);
	memstore_init(&m);
	bridge = NULL;
	make("chrome");
}

static void
teardown(void)
{
	gk_leg_free(bridge);
	gk_leg_free(browser);
	gk_host_free(h);
	memstore_done(&m);
	gk_test_done(&t);
}

static enum gk_host_event_kind
event(struct gk_host_event *ev)
{
	return gk_host_next(h, ev);
}

static void
assert_event(enum gk_host_event_kind kind)
{
	struct gk_host_event ev;

	ck_assert_int_eq(event(&ev), kind);
}

static void
assert_leave(int status)
{
	struct gk_host_event ev;

	ck_assert_int_eq(event(&ev), GK_HOST_LEAVE);
	ck_assert_int_eq(ev.status, status);
	ck_assert_int_eq(event(&ev), GK_HOST_NOTHING);
}

/* Runs the clock to ms, stopping at every deadline. */
static void
run_until(int64_t ms)
{
	int64_t at;

	while ((at = gk_host_deadline(h)) < ms && at > gk_now(t.ctx))
		gk_host_tick(h, at);
	gk_host_tick(h, ms);
}

static void
feed(struct genkan_leg *leg, const void *buf, size_t len)
{
	size_t used;

	(void)gk_leg_feed(leg, buf, len, &used);
	ck_assert_uint_eq(used, len);
}

static void
browser_send(const char *json)
{
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_frame_put(&b, json, strlen(json), 1 << 20), 0);
	feed(browser, b.ptr, b.len);
	gk_buf_done(&b);
}

/* What the browser has got since the last look, one frame a line. */
static const char *
browser_got(void)
{
	struct gk_frame in;
	const void *p;
	size_t len, used, n = 0;

	gk_frame_init(&in, t.ctx, 1 << 22, false);
	got[0] = '\0';
	while (gk_leg_output(browser, &p, &len)) {
		ck_assert_int_eq(gk_frame_feed(&in, p, len, &used), 1);
		ck_assert_uint_eq(used, len);
		gk_leg_wrote(browser, len);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%.*s\n",
		    (int)gk_frame_get(&in).len, gk_frame_get(&in).ptr);
	}
	gk_frame_done(&in);
	return got;
}

static void
broker_send(const char *s)
{
	feed(bridge, s, strlen(s));
}

static const char *
broker_got(void)
{
	const void *p;
	size_t len, n = 0;

	line[0] = '\0';
	while (gk_leg_output(bridge, &p, &len)) {
		ck_assert_uint_lt(n + len, sizeof(line));
		memcpy(line + n, p, len);
		n += len;
		line[n] = '\0';
		gk_leg_wrote(bridge, len);
	}
	return line;
}

/* Up to the DIAL, with its answer. */
static void
dial(enum gk_dialled outcome)
{
	struct gk_dialling d;
	struct gk_host_event ev;

	ck_assert_int_eq(event(&ev), GK_HOST_PROBE);
	ck_assert(!ev.connect);
	gk_host_probed(h, GK_PROBE_LOCK, NULL);
	assert_event(GK_HOST_DIAL);
	assert_event(GK_HOST_NOTHING);
	memset(&d, 0, sizeof(d));
	d.outcome = outcome;
	d.id.pid = 42;
	d.id.endpoint = "/run/genkan/run.sock";
	memcpy(d.secret, MEM_SECRET, sizeof(d.secret));
	snprintf(d.reason, sizeof(d.reason), "because");
	gk_host_dialled(h, &d, &bridge);
	ck_assert_uint_eq(d.secret[0], 0);
	ck_assert_int_eq(bridge != NULL, outcome == GK_DIALLED_OK);
}

/* The broker's side of the set-up, up to the reply. */
static void
meet(const char *reply)
{
	struct gk_accept a;
	struct gk_outq out;
	const void *p;
	size_t len, used;
	int r = 0;

	gk_outq_init(&out, t.ctx, 1 << 16);
	ck_assert_int_eq(gk_accept_init(&a, t.ctx, &out), 0);
	ck_assert_int_eq(gk_outq_output(&out, &p, &len), 1);
	feed(bridge, p, len);
	while (r != GK_ACCEPT_ATTACH) {
		ck_assert_int_eq(gk_leg_output(bridge, &p, &len), 1);
		r = gk_accept_feed(&a, p, len, &used);
		gk_leg_wrote(bridge, used);
		ck_assert_int_ge(r, 0);
		if (r == GK_ACCEPT_RESPONSE)
			ck_assert_int_eq(gk_accept_secret(&a,
			    (const uint8_t *)MEM_SECRET), 0);
	}
	ck_assert_int_eq(a.attach.role, GK_ATTACH_BROWSER);
	snprintf(line, sizeof(line), "%s", a.label);
	gk_accept_done(&a);
	gk_outq_clear(&out);
	if (reply != NULL)
		broker_send(reply);
}

static void
attach(void)
{
	dial(GK_DIALLED_OK);
	meet("{\"attach_reply\":\"accepted\"}\n");
	ck_assert_str_eq(line, "chrome");
	ck_assert_str_eq(gk_host_state(h), "bridge");
	ck_assert_str_eq(browser_got(), POLICY LANG);
}

/* ------------------------------------------------------------ order of work */

START_TEST(test_stdin_is_not_read_before_the_bridge_stands)
{
	size_t used;

	ck_assert_int_eq(gk_leg_wants(browser), 0);
	dial(GK_DIALLED_OK);
	ck_assert_int_eq(gk_leg_wants(browser), 0);
	(void)gk_leg_feed(browser, "\x02\0\0\0{}", 6, &used);
	ck_assert_uint_eq(used, 0);
	meet("{\"attach_reply\":\"accepted\"}\n");
	ck_assert_int_eq(gk_leg_wants(browser),
	    GENKAN_WANT_READ | GENKAN_WANT_WRITE);
	(void)gk_leg_feed(browser, "\x02\0\0\0{}", 6, &used);
	ck_assert_uint_eq(used, 6);
	ck_assert_str_eq(broker_got(), "{}\n");
}
END_TEST

START_TEST(test_pushes_come_ahead_of_what_the_broker_sent)
{
	dial(GK_DIALLED_OK);
	meet("{\"attach_reply\":\"accepted\"}\n{\"id\":1,\"op\":\"tab_list\","
	    "\"args\":{}}\n");
	ck_assert_str_eq(browser_got(), POLICY LANG
	    "{\"id\":1,\"op\":\"tab_list\",\"args\":{}}\n");
}
END_TEST

START_TEST(test_a_host_without_label_sends_none)
{
	gk_leg_free(browser);
	gk_host_free(h);
	make(NULL);
	dial(GK_DIALLED_OK);
	meet("{\"attach_reply\":\"accepted\"}\n");
	ck_assert_str_eq(line, "");
}
END_TEST

START_TEST(test_a_mismatch_ends_the_host_before_anything_else)
{
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_MISMATCH, "state directory mismatch: a, b");
	assert_leave(1);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_a_mismatch_found_while_dialling_is_exit_1)
{
	dial(GK_DIALLED_MISMATCH);
	assert_leave(1);
}
END_TEST

START_TEST(test_a_foreign_server_is_exit_1_and_said)
{
	dial(GK_DIALLED_FOREIGN);
	assert_leave(1);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

static const char *const replies[] = {
	"{\"attach_reply\":\"refused\",\"reason\":\"killed\"}\n",
	"{\"attach_reply\":\"unavailable\",\"reason\":\"full\"}\n",
	"{\"attach_reply\":\"maybe\"}\n",
	"{\"id\":1}\n",
	"nonsense\n",
};

START_TEST(test_anything_but_accepted_is_exit_1)
{
	dial(GK_DIALLED_OK);
	meet(replies[_i]);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	assert_leave(1);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_eof_or_silence_during_set_up_is_exit_1)
{
	dial(GK_DIALLED_OK);
	if (_i == 0)
		gk_leg_eof(bridge);
	else if (_i == 1)
		gk_leg_broken(bridge);
	else if (_i == 2)
		run_until(11000);
	else {
		meet(NULL);
		run_until(11000);
	}
	assert_leave(1);
}
END_TEST

/* ------------------------------------------------------------------- routing */

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

/* ---------------------------------------------------------------- the ends */

static const struct {
	const char	*bytes;
	size_t		 len;
	bool		 eof;
	const char	*phrase;	/* NULL: a clean end */
} ends[] = {
	{ "", 0, true, NULL },
	{ "\x01", 1, true, NULL },
	{ "\x01\0", 2, true, NULL },
	{ "\x01\0\0", 3, true, NULL },
	{ "\x01\0\0\0", 4, true, "stdin read error" },
	{ "\x02\0\0\0{", 5, true, "stdin read error" },
	{ "\0\0\0\0", 4, false, "stdin read error" },
	{ "\x01\0\0\x04", 4, false, "frame too large" },
	{ "\xff\xff\xff\xff", 4, false, "frame too large" },
	{ "\x02\0\0\0[]", 6, false, "stdin read error" },
	{ "\x01\0\0\0{", 5, false, "stdin read error" },
	{ "\x0d\0\0\0{\"a\":1,\"a\":2}", 17, false, "stdin read error" },
	{ "\x06\0\0\0{\"\xff\":1}", 10, false, "stdin read error" },
};

START_TEST(test_stdin_ends_as_its_table_says)
{
	attach();
	feed(browser, ends[_i].bytes, ends[_i].len);
	if (ends[_i].eof)
		gk_leg_eof(browser);
	ck_assert_str_eq(gk_host_state(h), "ending");
	assert_leave(0);
}
END_TEST

/* The phrases, seen where they are the last thing logged but the state. */
static char phrases[4096];

static void
collect(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	size_t n = strlen(phrases);

	(void)user;
	(void)level;
	(void)tag;
	(void)id;
	snprintf(phrases + n, sizeof(phrases) - n, "%s\n", text);
}

START_TEST(test_the_log_has_the_fixed_phrases)
{
	void (*old)(void *, int, const char *, const char *, const char *) =
	    t.ctx->hooks.log;

	phrases[0] = '\0';
	t.ctx->hooks.log = collect;
	attach();
	ck_assert_ptr_nonnull(strstr(phrases,
	    "connected to MCP server bridge socket\n"));
	ck_assert_ptr_nonnull(strstr(phrases,
	    "bridge handshake complete, label chrome\n"));
	feed(browser, ends[_i].bytes, ends[_i].len);
	if (ends[_i].eof)
		gk_leg_eof(browser);
	if (ends[_i].phrase != NULL) {
		ck_assert_ptr_nonnull(strstr(phrases, ends[_i].phrase));
	} else {
		ck_assert_ptr_null(strstr(phrases, "stdin read error"));
		ck_assert_ptr_nonnull(strstr(phrases, "closed the port"));
	}
	t.ctx->hooks.log = old;
}
END_TEST

START_TEST(test_frames_in_hand_go_out_before_the_end)
{
	attach();
	browser_send("{\"id\":1,\"ok\":true}");
	gk_leg_eof(browser);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(broker_got(), "{\"id\":1,\"ok\":true}\n");
	assert_leave(0);
}
END_TEST

START_TEST(test_a_broker_that_does_not_read_delays_the_end_250_ms)
{
	attach();
	browser_send("{\"id\":1,\"ok\":true}");
	gk_leg_eof(browser);
	run_until(1249);
	assert_event(GK_HOST_NOTHING);
	run_until(1250);
	assert_leave(0);
}
END_TEST

START_TEST(test_the_end_of_the_bridge_pushes_what_has_moved)
{
	attach();
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	broker_send("{\"id\":3}\n");
	gk_leg_eof(bridge);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(browser_got(), "{\"id\":3}\n" KILL_ON);
	assert_leave(0);
}
END_TEST

START_TEST(test_the_bridge_ends_by_failure_or_by_a_line_that_is_none)
{
	attach();
	if (_i == 0)
		gk_leg_broken(bridge);
	else if (_i == 1)
		broker_send("not json\n");
	else
		broker_send("[]\n");
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	assert_leave(0);
}
END_TEST

START_TEST(test_a_fragment_at_the_end_of_the_bridge_is_discarded)
{
	attach();
	broker_send("{\"id\":3}\n{\"id\":4}");
	gk_leg_eof(bridge);
	ck_assert_str_eq(browser_got(), "{\"id\":3}\n");
	assert_leave(0);
}
END_TEST

START_TEST(test_a_browser_that_reads_no_longer_ends_the_host)
{
	attach();
	broker_send("{\"id\":3}\n");
	gk_leg_broken(browser);
	assert_leave(0);
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_a_signal_ends_the_host_at_once)
{
	attach();
	browser_send("{\"id\":1,\"ok\":true}");
	gk_host_stop(h);
	assert_leave(0);
}
END_TEST

START_TEST(test_legs_closed_by_the_program_are_the_end)
{
	attach();
	gk_leg_free(_i == 0 ? bridge : browser);
	if (_i == 0)
		bridge = NULL;
	else
		browser = NULL;
	assert_leave(0);
	gk_host_tick(h, 5000);
}
END_TEST

START_TEST(test_legs_may_outlive_the_host)
{
	size_t used;

	attach();
	broker_send("{\"id\":3}\n");
	gk_host_free(h);
	h = NULL;
	ck_assert_int_eq(gk_leg_wants(browser), GENKAN_WANT_CLOSE);
	ck_assert_int_eq(gk_leg_wants(bridge), GENKAN_WANT_CLOSE);
	ck_assert_int_eq(gk_leg_feed(browser, "x", 1, &used), 0);
	ck_assert_uint_eq(used, 1);
	gk_leg_eof(browser);
	gk_leg_eof(bridge);
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

/* -------------------------------------------------------------- bridge: watch */

START_TEST(test_the_record_is_watched_once_a_second)
{
	attach();
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	run_until(1999);
	ck_assert_str_eq(browser_got(), "");
	run_until(2000);
	ck_assert_str_eq(browser_got(), KILL_ON);
	/* A latch engaged in bridge mode does not end the host by itself. */
	ck_assert_str_eq(gk_host_state(h), "bridge");
}
END_TEST

START_TEST(test_the_host_follows_another_broker)
{
	struct gk_broker_id id = { 42, "/run/genkan/run.sock" };

	attach();
	run_until(1999);
	assert_event(GK_HOST_NOTHING);
	run_until(2000);
	assert_event(GK_HOST_LOOK);
	assert_event(GK_HOST_NOTHING);
	gk_host_looked(h, &id);
	run_until(3000);
	assert_event(GK_HOST_LOOK);
	gk_host_looked(h, NULL);
	ck_assert_str_eq(gk_host_state(h), "bridge");
	run_until(4000);
	assert_event(GK_HOST_LOOK);
	if (_i == 0)
		id.pid = 43;
	else
		id.endpoint = "/run/genkan/other.sock";
	browser_send("{\"id\":1,\"ok\":true}");
	gk_host_looked(h, &id);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(broker_got(), "{\"id\":1,\"ok\":true}\n");
	assert_leave(0);
}
END_TEST

START_TEST(test_a_look_that_is_slow_is_not_asked_for_twice)
{
	attach();
	run_until(2000);
	assert_event(GK_HOST_LOOK);
	run_until(5000);
	assert_event(GK_HOST_NOTHING);
	gk_host_looked(h, NULL);
	run_until(6000);
	assert_event(GK_HOST_LOOK);
}
END_TEST

/* ------------------------------------------------------- control-plane mode */

static void
start_control(const char *trust)
{
	memstore_set(&m, GK_RECORD_TRUST, trust);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_LOCK, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
	assert_event(GK_HOST_NOTHING);
}

START_TEST(test_an_engaged_latch_means_control_plane_mode_without_a_dial)
{
	start_control(KILLED);
	ck_assert_str_eq(browser_got(), KILL_ON POLICY LANG);
	ck_assert_int_eq(gk_leg_wants(browser), GENKAN_WANT_READ);
	/* It never dials: not even the probe connects. */
	run_until(2000);
	{
		struct gk_host_event ev;

		ck_assert_int_eq(event(&ev), GK_HOST_PROBE);
		ck_assert(!ev.connect);
	}
	gk_host_probed(h, GK_PROBE_LOCK, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
}
END_TEST

START_TEST(test_an_unreadable_record_means_control_plane_mode)
{
	memstore_break(&m, GK_RECORD_TRUST);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_NONE, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
	ck_assert_ptr_nonnull(strstr(browser_got(), "\"ok\":false,\"error\":"
	    "\"/state/trust.json"));
}
END_TEST

START_TEST(test_no_broker_means_control_plane_mode)
{
	dial(GK_DIALLED_NONE);
	ck_assert_str_eq(gk_host_state(h), "control");
	ck_assert_str_eq(browser_got(), POLICY LANG);
}
END_TEST

START_TEST(test_in_control_plane_mode_bridge_frames_are_dropped)
{
	start_control(KILLED);
	browser_got();
	browser_send("{\"type\":\"hello\",\"protocol\":1,\"capabilities\":"
	    "[]}");
	browser_send("{\"id\":1,\"ok\":true}");
	ck_assert_str_eq(browser_got(), "");
	browser_send("{\"type\":\"kill_status\"}");
	ck_assert_str_eq(browser_got(), KILL_ON);
	gk_leg_eof(browser);
	assert_leave(0);
}
END_TEST

/* An answer that cannot be made leaves the page waiting, so the host ends; its
 * start had succeeded, which is what the status tells. */
START_TEST(test_a_lost_answer_ends_a_started_host_with_0)
{
	static const char ask[] = "\x16\0\0\0{\"type\":\"kill_status\"}";
	struct gk_host_event ev;
	size_t i, used;

	start_control(KILLED);
	browser_got();
	for (i = 1; i < 100; i++) {
		t.fail_at = i;
		(void)gk_leg_feed(browser, ask, sizeof(ask) - 1, &used);
		t.fail_at = 0;
		if (event(&ev) == GK_HOST_LEAVE)
			break;
		ck_assert_str_eq(browser_got(), KILL_ON);
	}
	ck_assert_uint_lt(i, 100);
	ck_assert_int_eq(ev.status, 0);
}
END_TEST

/* From the moment that nothing holds the mode any more. */
static void
probe_clear(int64_t at)
{
	struct gk_host_event ev;

	run_until(at);
	ck_assert_int_eq(event(&ev), GK_HOST_PROBE);
	ck_assert(ev.connect);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
}

START_TEST(test_once_nothing_holds_the_host_serves_until_it_is_quiet)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	ck_assert_str_eq(gk_host_state(h), "quiet");
	run_until(2150);
	browser_send("{\"type\":\"kill_status\"}");
	ck_assert_str_eq(browser_got(), KILL_OFF);
	run_until(2349);
	assert_event(GK_HOST_NOTHING);
	/* quiet for 200 ms: it looks again, and leaves */
	run_until(2350);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_leave(0);
}
END_TEST

#define REPORT_FAILED	"{\"type\":\"doctor_report_result\",\"ok\":" \
	"false,\"error\":\"no\"}\n"

START_TEST(test_a_question_of_the_disk_is_an_event_and_no_quiet)
{
	struct gk_host_event ev;

	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	run_until(2100);
	browser_send("{\"type\":\"doctor_report\"}");
	ck_assert_int_eq(event(&ev), GK_HOST_ASK);
	ck_assert_int_eq(ev.ask.tag, GK_TAG_DOCTOR_REPORT);
	assert_event(GK_HOST_NOTHING);
	/* Time passes, pushes and the watch go on, and nothing spins. */
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	run_until(2800);
	ck_assert_str_eq(browser_got(), KILL_ON);
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	run_until(2900);
	browser_got();
	gk_host_told(h, GENKAN_E_IO, gk_span(NULL, 0), "no");
	ck_assert_str_eq(browser_got(), REPORT_FAILED);
}
END_TEST

START_TEST(test_an_answer_that_is_owed_keeps_a_quiet_host)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	browser_send("{\"type\":\"doctor_report\"}");
	assert_event(GK_HOST_ASK);
	run_until(2900);
	ck_assert_str_eq(gk_host_state(h), "quiet");
	assert_event(GK_HOST_NOTHING);
	gk_host_told(h, GENKAN_E_IO, gk_span(NULL, 0), "no");
	ck_assert_str_eq(browser_got(), REPORT_FAILED);
	run_until(3099);
	assert_event(GK_HOST_NOTHING);
	run_until(3100);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_leave(0);
}
END_TEST

START_TEST(test_nobody_waits_for_a_question_at_the_end)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	browser_send("{\"type\":\"doctor_report\"}");
	assert_event(GK_HOST_ASK);
	gk_leg_eof(browser);
	browser_got();
	assert_leave(0);
	gk_host_told(h, GENKAN_E_IO, gk_span(NULL, 0), "no");
	ck_assert_str_eq(browser_got(), "");
}
END_TEST

START_TEST(test_a_broker_that_is_gone_again_keeps_the_host)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	run_until(2200);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_NONE, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
	assert_event(GK_HOST_NOTHING);
	probe_clear(4000);
	ck_assert_str_eq(gk_host_state(h), "quiet");
}
END_TEST

START_TEST(test_a_latch_engaged_while_quiet_keeps_the_host)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	memstore_set(&m, GK_RECORD_TRUST, KILLED);
	run_until(2199);
	ck_assert_str_eq(gk_host_state(h), "control");
	ck_assert_str_eq(browser_got(), KILL_ON);
}
END_TEST

START_TEST(test_input_during_the_second_look_starts_the_wait_anew)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	probe_clear(2000);
	run_until(2200);
	assert_event(GK_HOST_PROBE);
	browser_send("{\"type\":\"kill_status\"}");
	browser_got();
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_event(GK_HOST_NOTHING);
	ck_assert_str_eq(gk_host_state(h), "quiet");
	run_until(2400);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_BROKER, NULL);
	assert_leave(0);
}
END_TEST

START_TEST(test_a_released_latch_is_noticed_within_100_ms)
{
	start_control(KILLED);
	browser_got();
	memstore_set(&m, GK_RECORD_TRUST, CLEAR);
	run_until(1100);
	ck_assert_str_eq(browser_got(), KILL_OFF);
	probe_clear(2000);
	ck_assert_str_eq(gk_host_state(h), "quiet");
}
END_TEST

START_TEST(test_a_mismatch_in_control_plane_mode_is_exit_1)
{
	start_control(KILLED);
	browser_got();
	run_until(2000);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_MISMATCH, "state directory mismatch");
	assert_leave(1);
}
END_TEST

START_TEST(test_engaging_the_latch_is_seen_through_at_the_end)
{
	dial(GK_DIALLED_NONE);
	browser_got();
	m.locked = true;
	browser_send("{\"type\":\"kill_engage\"}");
	if (_i == 0)
		gk_leg_eof(browser);
	else
		gk_host_stop(h);
	run_until(2000);
	assert_event(GK_HOST_NOTHING);
	m.locked = false;
	run_until(2100);
	ck_assert_ptr_nonnull(strstr(m.rec[GK_RECORD_TRUST],
	    "\"killed\":true"));
	browser_got();
	assert_leave(0);
}
END_TEST

static int
make_and_attach(struct gk_test *tt, void *arg)
{
	struct gk_host_opts o;
	struct gk_host *host;
	struct genkan_leg *leg;
	int r;

	(void)arg;
	memset(&o, 0, sizeof(o));
	o.store = &m.store;
	r = gk_host_new(tt->ctx, &o, &host);
	if (r < 0)
		return r;
	leg = gk_host_browser(host);
	gk_leg_free(leg);
	gk_host_free(host);
	return 0;
}

START_TEST(test_lack_of_memory_makes_no_half_host)
{
	ck_assert_uint_ge(gk_test_sweep(&t, make_and_attach, NULL), 2);
}
END_TEST

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

static TCase *
tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return tc;
}

static void
add_order(Suite *s)
{
	TCase *tc = tcase(s, "order");

	tcase_add_test(tc, test_stdin_is_not_read_before_the_bridge_stands);
	tcase_add_test(tc, test_pushes_come_ahead_of_what_the_broker_sent);
	tcase_add_test(tc, test_a_host_without_label_sends_none);
	tcase_add_test(tc,
	    test_a_mismatch_ends_the_host_before_anything_else);
	tcase_add_test(tc, test_a_mismatch_found_while_dialling_is_exit_1);
	tcase_add_test(tc, test_a_foreign_server_is_exit_1_and_said);
	tcase_add_loop_test(tc, test_anything_but_accepted_is_exit_1, 0,
	    LEN(replies));
	tcase_add_loop_test(tc, test_eof_or_silence_during_set_up_is_exit_1,
	    0, 4);
	tcase_add_test(tc, test_lack_of_memory_makes_no_half_host);
}

static void
add_routing(Suite *s)
{
	TCase *tc = tcase(s, "routing");

	tcase_add_loop_test(tc,
	    test_frames_of_the_browser_are_forwarded_as_one_line, 0,
	    LEN(to_broker));
	tcase_add_test(tc,
	    test_control_frames_of_the_browser_are_answered_here);
	tcase_add_test(tc, test_frames_of_the_broker_become_messages);
	tcase_add_loop_test(tc,
	    test_control_frames_from_the_socket_are_dropped, 0,
	    LEN(injected));
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
}

static void
add_ends(Suite *s)
{
	TCase *tc = tcase(s, "ends");

	tcase_add_loop_test(tc, test_stdin_ends_as_its_table_says, 0,
	    LEN(ends));
	tcase_add_loop_test(tc, test_the_log_has_the_fixed_phrases, 0,
	    LEN(ends));
	tcase_add_test(tc, test_frames_in_hand_go_out_before_the_end);
	tcase_add_test(tc,
	    test_a_broker_that_does_not_read_delays_the_end_250_ms);
	tcase_add_test(tc, test_the_end_of_the_bridge_pushes_what_has_moved);
	tcase_add_loop_test(tc,
	    test_the_bridge_ends_by_failure_or_by_a_line_that_is_none, 0, 3);
	tcase_add_test(tc,
	    test_a_fragment_at_the_end_of_the_bridge_is_discarded);
	tcase_add_test(tc,
	    test_a_browser_that_reads_no_longer_ends_the_host);
	tcase_add_test(tc, test_a_signal_ends_the_host_at_once);
	tcase_add_loop_test(tc, test_legs_closed_by_the_program_are_the_end,
	    0, 2);
	tcase_add_test(tc, test_legs_may_outlive_the_host);
}

static void
add_watches(Suite *s)
{
	TCase *tc = tcase(s, "watches");

	tcase_add_test(tc, test_the_record_is_watched_once_a_second);
	tcase_add_loop_test(tc, test_the_host_follows_another_broker, 0, 2);
	tcase_add_test(tc, test_a_look_that_is_slow_is_not_asked_for_twice);
}

static void
add_control(Suite *s)
{
	TCase *tc = tcase(s, "control");

	tcase_add_test(tc,
	    test_an_engaged_latch_means_control_plane_mode_without_a_dial);
	tcase_add_test(tc,
	    test_an_unreadable_record_means_control_plane_mode);
	tcase_add_test(tc, test_no_broker_means_control_plane_mode);
	tcase_add_test(tc,
	    test_in_control_plane_mode_bridge_frames_are_dropped);
	tcase_add_test(tc, test_a_lost_answer_ends_a_started_host_with_0);
	tcase_add_test(tc,
	    test_once_nothing_holds_the_host_serves_until_it_is_quiet);
	tcase_add_test(tc,
	    test_a_question_of_the_disk_is_an_event_and_no_quiet);
	tcase_add_test(tc, test_an_answer_that_is_owed_keeps_a_quiet_host);
	tcase_add_test(tc, test_nobody_waits_for_a_question_at_the_end);
	tcase_add_test(tc, test_a_broker_that_is_gone_again_keeps_the_host);
	tcase_add_test(tc, test_a_latch_engaged_while_quiet_keeps_the_host);
	tcase_add_test(tc,
	    test_input_during_the_second_look_starts_the_wait_anew);
	tcase_add_test(tc, test_a_released_latch_is_noticed_within_100_ms);
	tcase_add_test(tc,
	    test_a_mismatch_in_control_plane_mode_is_exit_1);
	tcase_add_loop_test(tc,
	    test_engaging_the_latch_is_seen_through_at_the_end, 0, 2);
}

int
main(void)
{
	Suite *s = suite_create("host");

	add_order(s);
	add_routing(s);
	add_ends(s);
	add_watches(s);
	add_control(s);
	return gk_test_main(s);
}
