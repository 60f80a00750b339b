/*
 * The machines of the whole chain back to back, in memory: a harness, its
 * server as relay, the broker's server, a host, and a scripted browser.  What
 * each does alone stands in its own test; here is what they do together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "codec/frame.h"
#include "engine/host.h"
#include "engine/server.h"
#include "memstore.h"
#include "proto/machine.h"
#include "trust/attest.h"
#include "util.h"

#define INIT	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"," \
	"\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}," \
	"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define MAX_WIRES	16

/* One server with its harness. */
struct node {
	struct gk_server	*s;
	struct genkan_leg	*own;
	char			 heard[4096];
};

/* Two legs that stand for one socket. */
struct wire {
	struct genkan_leg	*a;
	struct genkan_leg	*b;
};

static struct gk_test t;
static struct memstore m;
static struct node one, two;
static struct gk_host *h;
static struct genkan_leg *browser;
static struct wire wires[MAX_WIRES];
static size_t nwires;
static size_t step;		/* bytes moved at a time */
static char got[65536];

static struct gk_peer
facts(unsigned role)
{
	struct gk_peer p;

	memset(&p, 0, sizeof(p));
	p.uid_known = p.uid_ours = true;
	p.pid = 100;
	p.image.ok = true;
	strcpy(p.image.hash, MEM_OTHER);
	p.roles = role;
	return p;
}

/* ------------------------------------------------------------------- pumping */

/* All that is fed goes this way, and tests/bench/count.sh counts what is done
 * in here: by this name, so it stays a function. */
static GK_NOINLINE void
chain_feed(struct genkan_leg *to, const void *p, size_t len, size_t *used)
{
	(void)gk_leg_feed(to, p, len, used);
}

/* true if anything moved. */
static bool
flow(struct genkan_leg *from, struct genkan_leg *to)
{
	const void *p;
	size_t len, used;

	if (!gk_leg_output(from, &p, &len))
		return false;
	if (!(gk_leg_wants(to) & (GENKAN_WANT_READ | GENKAN_WANT_CLOSE)))
		return false;
	chain_feed(to, p, len < step ? len : step, &used);
	gk_leg_wrote(from, used);
	return used > 0;
}

/* A leg that wants to close and has nothing more to say is closed. */
static bool
close_over(struct wire *x)
{
	struct genkan_leg *over, *other;
	const void *p;
	size_t len;

	if ((gk_leg_wants(x->a) & GENKAN_WANT_CLOSE) &&
	    !gk_leg_output(x->a, &p, &len)) {
		over = x->a;
		other = x->b;
	} else if ((gk_leg_wants(x->b) & GENKAN_WANT_CLOSE) &&
	    !gk_leg_output(x->b, &p, &len)) {
		over = x->b;
		other = x->a;
	} else {
		return false;
	}
	*x = wires[--nwires];
	gk_leg_free(over);
	gk_leg_broken(other);
	gk_leg_eof(other);
	gk_leg_free(other);
	return true;
}

static void
pump(void)
{
	bool moved = true;
	size_t i;

	while (moved) {
		moved = false;
		for (i = 0; i < nwires; i++) {
			moved |= flow(wires[i].a, wires[i].b);
			moved |= flow(wires[i].b, wires[i].a);
		}
		for (i = 0; i < nwires; i++)
			if (close_over(&wires[i])) {
				moved = true;
				break;
			}
	}
}

static void
join(struct genkan_leg *a, struct genkan_leg *b)
{
	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_uint_lt(nwires, MAX_WIRES);
	wires[nwires].a = a;
	wires[nwires++].b = b;
	pump();
}

static void
say(struct node *n, const char *line)
{
	size_t used, len = strlen(line);
	char all[4096];

	memcpy(all, line, len);
	all[len] = '\n';
	chain_feed(n->own, all, len + 1, &used);
	ck_assert_uint_eq(used, len + 1);
	pump();
}

static const char *
hear(struct node *n)
{
	const void *p;
	size_t len;

	n->heard[0] = '\0';
	if (!gk_leg_output(n->own, &p, &len))
		return n->heard;
	ck_assert_uint_lt(len, sizeof(n->heard));
	memcpy(n->heard, p, len);
	n->heard[len - 1] = '\0';
	gk_leg_wrote(n->own, len);
	pump();
	return n->heard;
}

static void
browser_send(const char *json)
{
	uint8_t prefix[4];
	size_t used;

	gk_frame_header(prefix, (uint32_t)strlen(json));
	chain_feed(browser, prefix, 4, &used);
	ck_assert_uint_eq(used, 4);
	chain_feed(browser, json, strlen(json), &used);
	ck_assert_uint_eq(used, strlen(json));
	pump();
}

static const char *
browser_got(void)
{
	struct gk_frame in;
	const void *p;
	size_t len, used, n = 0;

	pump();
	gk_frame_init(&in, t.ctx, 1 << 20, false);
	got[0] = '\0';
	while (gk_leg_output(browser, &p, &len)) {
		ck_assert_int_eq(gk_frame_feed(&in, p, len, &used), 1);
		gk_leg_wrote(browser, len);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%.*s\n",
		    (int)gk_frame_get(&in).len, gk_frame_get(&in).ptr);
	}
	gk_frame_done(&in);
	pump();
	return got;
}

static void
run_until(int64_t ms)
{
	int64_t at;

	for (;;) {
		at = ms;
		if (one.s != NULL && gk_server_deadline(one.s) < at)
			at = gk_server_deadline(one.s);
		if (two.s != NULL && gk_server_deadline(two.s) < at)
			at = gk_server_deadline(two.s);
		if (h != NULL && gk_host_deadline(h) < at)
			at = gk_host_deadline(h);
		if (at <= gk_now(t.ctx))
			at = gk_now(t.ctx) + 1;
		if (at > ms)
			break;
		if (one.s != NULL)
			gk_server_tick(one.s, at);
		if (two.s != NULL)
			gk_server_tick(two.s, at);
		if (h != NULL)
			gk_host_tick(h, at);
		pump();
		if (at == ms)
			break;
	}
}

/* ------------------------------------------------------------------- making */

static void
start(struct node *n)
{
	struct gk_server_opts o = { &m.store, true, NULL };
	struct gk_server_event ev;
	struct gk_measure harness;

	memset(&harness, 0, sizeof(harness));
	harness.ok = true;
	strcpy(harness.hash, MEM_HASH);
	ck_assert_int_eq(gk_server_new(t.ctx, &o, &n->s), 0);
	n->own = gk_server_stdio(n->s);
	ck_assert_int_eq(gk_server_next(n->s, &ev), GK_SERVER_MEASURE);
	gk_server_measured(n->s, &harness);
	ck_assert_int_eq(gk_server_next(n->s, &ev), GK_SERVER_INSTALL);
	gk_server_installed(n->s, NULL);
}

static void
become_broker(struct node *n)
{
	struct gk_server_event ev;
	struct gk_election e;
	struct genkan_leg *leg;

	ck_assert_int_eq(gk_server_next(n->s, &ev), GK_SERVER_ELECT);
	memset(&e, 0, sizeof(e));
	e.outcome = GK_ELECTED_BROKER;
	gk_server_elected(n->s, &e, &leg);
	ck_assert_ptr_null(leg);
	ck_assert_str_eq(gk_server_role(n->s), "broker");
	pump();
}

/* The connection that a round of n found, accepted by the broker. */
static void
relay_to(struct node *n, struct node *broker)
{
	struct gk_peer peer = facts(GK_ROLE_SERVER);
	struct genkan_leg *a, *b;
	struct gk_server_event ev;
	struct gk_election e;

	ck_assert_int_eq(gk_server_next(n->s, &ev), GK_SERVER_ELECT);
	memset(&e, 0, sizeof(e));
	e.outcome = GK_ELECTED_DIALLED;
	memcpy(e.secret, MEM_SECRET, sizeof(e.secret));
	gk_server_elected(n->s, &e, &a);
	ck_assert_int_eq(gk_server_claim(broker->s), 0);
	ck_assert_int_eq(gk_server_accept(broker->s, &peer, &b), 0);
	join(a, b);
	ck_assert_str_eq(gk_server_role(n->s), "attached");
}

static void
host_to(struct node *broker)
{
	struct gk_peer peer = facts(GK_ROLE_HOST);
	struct gk_host_opts o = { .store = &m.store, .label = "chrome" };
	struct gk_host_event ev;
	struct gk_dialling d;
	struct genkan_leg *a, *b;

	gk_leg_free(browser);
	gk_host_free(h);
	ck_assert_int_eq(gk_host_new(t.ctx, &o, &h), 0);
	browser = gk_host_browser(h);
	ck_assert_int_eq(gk_host_next(h, &ev), GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_LOCK, NULL);
	ck_assert_int_eq(gk_host_next(h, &ev), GK_HOST_DIAL);
	memset(&d, 0, sizeof(d));
	d.outcome = GK_DIALLED_OK;
	d.id.endpoint = "/run/sock";
	memcpy(d.secret, MEM_SECRET, sizeof(d.secret));
	gk_host_dialled(h, &d, &a);
	ck_assert_int_eq(gk_server_claim(broker->s), 0);
	ck_assert_int_eq(gk_server_accept(broker->s, &peer, &b), 0);
	join(a, b);
	ck_assert_str_eq(gk_host_state(h), "bridge");
	ck_assert_ptr_nonnull(strstr(browser_got(), "policy_current"));
	browser_send("{\"type\":\"hello\",\"protocol\":1,\"capabilities\":["
	    "\"tab_control\",\"page_read\"]}");
}

static void
vanish(struct node *n)
{
	gk_leg_free(n->own);
	gk_server_free(n->s);
	n->own = NULL;
	n->s = NULL;
	pump();
}

static void
setup_with(size_t bytes)
{
	step = bytes;
	start(&one);
	say(&one, INIT);
	hear(&one);
	become_broker(&one);
	start(&two);
	say(&two, INIT);
	hear(&two);
	relay_to(&two, &one);
	host_to(&one);
}

static void
setup(void)
{
	gk_test_init(&t);
	memstore_init(&m);
	memset(&one, 0, sizeof(one));
	memset(&two, 0, sizeof(two));
	h = NULL;
	browser = NULL;
	nwires = 0;
	step = SIZE_MAX;
}

static void
teardown(void)
{
	while (nwires > 0) {
		nwires--;
		gk_leg_free(wires[nwires].a);
		gk_leg_free(wires[nwires].b);
	}
	gk_leg_free(one.own);
	gk_server_free(one.s);
	gk_leg_free(two.own);
	gk_server_free(two.s);
	gk_leg_free(browser);
	gk_host_free(h);
	memstore_done(&m);
	gk_test_done(&t);
}

#define LIST(id)	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":"	\
	"\"tools/call\",\"params\":{\"name\":\"tab_list\"}}"

static const char *
contains(const char *s, const char *part)
{
	ck_assert_msg(strstr(s, part) != NULL, "\"%s\" is not in: %s", part,
	    s);
	return s;
}

/* ------------------------------------------------------------------- together */

START_TEST(test_a_call_travels_there_and_back_however_it_is_cut)
{
	static const size_t steps[] = { 1, 2, 3, 7, 64, 1024, SIZE_MAX };

	setup_with(steps[_i]);
	say(&two, LIST("\"x\""));
	ck_assert_str_eq(browser_got(), "{\"id\":1,\"op\":\"tab_list\","
	    "\"browser\":\"chrome\",\"args\":{}}\n");
	browser_send("{\"id\":1,\"ok\":true,\"data\":[{\"id\":5,\"title\":"
	    "\"\xe4\xb8\xad \\\"q\\\"\"}]}");
	ck_assert_str_eq(hear(&two), "{\"jsonrpc\":\"2.0\",\"id\":\"x\","
	    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"[{"
	    "\\\"id\\\":5,\\\"title\\\":\\\"\xe4\xb8\xad "
	    "\\\\\\\"q\\\\\\\"\\\"}]\"}],\"isError\":false}}");
	/* and the broker's own harness the same way */
	say(&one, LIST("9"));
	ck_assert_str_eq(browser_got(), "{\"id\":2,\"op\":\"tab_list\","
	    "\"browser\":\"chrome\",\"args\":{}}\n");
	browser_send("{\"id\":2,\"ok\":false,\"error\":\"no\",\"code\":"
	    "\"USER_DENIED\"}");
	contains(hear(&one), "Error [USER_DENIED]: no");
	ck_assert_str_eq(hear(&two), "");
}
END_TEST

/* GENKAN_CALLS says how many: tests/bench/count.sh counts what they take. */
START_TEST(test_short_calls_follow_each_other)
{
	const char *calls = getenv("GENKAN_CALLS");
	const int n = calls != NULL ? atoi(calls) : 3;
	char text[512];
	int i;

	setup_with(SIZE_MAX);
	for (i = 1; i <= n; i++) {
		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%d,"
		    "\"method\":\"tools/call\",\"params\":{\"name\":"
		    "\"page_text\",\"arguments\":{\"selector\":\"#s100\"}}}",
		    1000 + i);
		say(&one, text);
		snprintf(text, sizeof(text), "{\"id\":%d,\"op\":\"page_text\","
		    "\"browser\":\"chrome\",\"args\":{\"selector\":\"#s100\"}}"
		    "\n", i);
		ck_assert_str_eq(browser_got(), text);
		snprintf(text, sizeof(text), "{\"id\":%d,\"ok\":true,\"data\":"
		    "{\"text\":\"%0100d\"}}", i, i);
		browser_send(text);
		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%d,"
		    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
		    "\"{\\\"text\\\":\\\"%0100d\\\"}\"}],\"isError\":false}}",
		    1000 + i, i);
		ck_assert_str_eq(hear(&one), text);
	}
}
END_TEST

START_TEST(test_cancelling_reaches_the_browser)
{
	setup_with(SIZE_MAX);
	say(&two, LIST("1"));
	browser_got();
	say(&two, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":{\"requestId\":1}}");
	ck_assert_str_eq(browser_got(), "{\"type\":\"cancel\",\"id\":1}\n");
	browser_send("{\"id\":1,\"ok\":true}");
	ck_assert_str_eq(hear(&two), "");
}
END_TEST

START_TEST(test_progress_reaches_the_harness_behind_the_relay)
{
	setup_with(SIZE_MAX);
	say(&two, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
	    "\"params\":{\"name\":\"tab_list\",\"_meta\":{\"progressToken\":"
	    "\"p\"}}}");
	browser_got();
	browser_send("{\"type\":\"waiting\",\"id\":1}");
	contains(hear(&two), "\"notifications/progress\"");
	contains(two.heard, "\"progressToken\":\"p\",\"progress\":1");
	browser_send("{\"id\":1,\"ok\":true}");
	contains(hear(&two), "\"id\":1,\"result\"");
}
END_TEST

START_TEST(test_a_relay_takes_over_when_its_broker_dies)
{
	setup_with(SIZE_MAX);
	run_until(4000);
	browser_got();
	say(&two, LIST("1"));
	browser_got();
	vanish(&one);
	/* The host ends with its bridge. */
	ck_assert_str_eq(gk_host_state(h), "ending");
	contains(hear(&two), "\"id\":1,");
	contains(two.heard, "Error [CONNECTION_LOST]");
	say(&two, LIST("2"));
	ck_assert_str_eq(hear(&two), "");
	become_broker(&two);
	ck_assert_str_eq(hear(&two), "");
	host_to(&two);
	contains(browser_got(), "\"op\":\"tab_list\"");
	browser_send("{\"id\":1,\"ok\":true,\"data\":[]}");
	contains(hear(&two), "\"id\":2,\"result\"");
	contains(two.heard, "\"isError\":false");
}
END_TEST

START_TEST(test_a_broker_leaves_its_relays_and_they_find_the_next)
{
	struct gk_server_event ev;

	setup_with(SIZE_MAX);
	run_until(4000);
	browser_got();
	gk_leg_eof(one.own);
	/* Its harness is gone, but a relay is still there. */
	ck_assert_int_eq(gk_server_next(one.s, &ev), GK_SERVER_NOTHING);
	say(&two, LIST("1"));
	contains(browser_got(), "\"op\":\"tab_list\"");
	browser_send("{\"id\":1,\"ok\":true,\"data\":[]}");
	contains(hear(&two), "\"id\":1,\"result\"");
	gk_leg_eof(two.own);
	pump();
	ck_assert_int_eq(gk_server_next(two.s, &ev), GK_SERVER_LEAVE);
	ck_assert_int_eq(ev.status, 0);
	vanish(&two);
	ck_assert_int_eq(gk_server_next(one.s, &ev), GK_SERVER_LEAVE);
	ck_assert_int_eq(ev.status, 0);
}
END_TEST

START_TEST(test_the_kill_switch_reaches_everybody)
{
	setup_with(SIZE_MAX);
	say(&two, LIST("1"));
	browser_got();
	browser_send("{\"type\":\"kill_engage\"}");
	contains(browser_got(), "\"killed\":true");
	run_until(2100);
	contains(hear(&two), "Error [CONNECTION_LOST]");
	ck_assert_str_eq(gk_host_state(h), "ending");
	contains(browser_got(), "\"killed\":true");
	/* The client stays connected, and is told. */
	say(&two, LIST("2"));
	contains(hear(&two), "Error [BRIDGE_KILLED]");
	say(&one, LIST("3"));
	contains(hear(&one), "Error [BRIDGE_KILLED]");
}
END_TEST

START_TEST(test_a_revoked_client_behind_a_relay_is_out_within_a_sweep)
{
	struct gk_server_event ev;

	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(1, false, 0, 0, 0, 0,
	    "[" MEM_CLIENT("claude", MEM_HASH) "]"));
	setup_with(SIZE_MAX);
	memstore_set(&m, GK_RECORD_TRUST, MEM_TRUST(2, false, 0, 0, 0, 0,
	    "[]"));
	run_until(3100);
	ck_assert_int_eq(gk_server_next(two.s, &ev), GK_SERVER_LEAVE);
	ck_assert_int_eq(ev.status, 1);
}
END_TEST

START_TEST(test_a_replaced_broker_lets_its_relay_go_with_its_last_browser)
{
	struct gk_server_event ev;

	setup_with(SIZE_MAX);
	run_until(4000);
	browser_got();
	gk_server_replaced(one.s);
	ck_assert_int_eq(gk_server_next(one.s, &ev), GK_SERVER_UNLISTEN);
	/* What stands is served on. */
	say(&two, LIST("1"));
	contains(browser_got(), "\"op\":\"tab_list\"");
	browser_send("{\"id\":1,\"ok\":true,\"data\":[]}");
	contains(hear(&two), "\"id\":1,\"result\"");
	gk_leg_eof(browser);
	run_until(5100);
	gk_host_free(h);
	gk_leg_free(browser);
	h = NULL;
	browser = NULL;
	pump();
	ck_assert_int_eq(gk_server_next(one.s, &ev), GK_SERVER_NOTHING);
	pump();
	ck_assert_str_eq(gk_server_role(one.s), "outdated");
	ck_assert_str_eq(gk_server_role(two.s), "electing");
	say(&one, LIST("2"));
	contains(hear(&one), "Error [PROTOCOL_MISMATCH]");
	ck_assert_int_eq(gk_server_next(two.s, &ev), GK_SERVER_ELECT);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("chain");
	TCase *tc = tcase_create("chain");
	TCase *calls = tcase_create("calls");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc,
	    test_a_call_travels_there_and_back_however_it_is_cut, 0, 7);
	tcase_add_test(tc, test_cancelling_reaches_the_browser);
	tcase_add_test(tc,
	    test_progress_reaches_the_harness_behind_the_relay);
	tcase_add_test(tc, test_a_relay_takes_over_when_its_broker_dies);
	tcase_add_test(tc,
	    test_a_broker_leaves_its_relays_and_they_find_the_next);
	tcase_add_test(tc, test_the_kill_switch_reaches_everybody);
	tcase_add_test(tc,
	    test_a_revoked_client_behind_a_relay_is_out_within_a_sweep);
	tcase_add_test(tc,
	    test_a_replaced_broker_lets_its_relay_go_with_its_last_browser);
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(calls, setup, teardown);
	tcase_set_timeout(calls, 60);
	tcase_add_test(calls, test_short_calls_follow_each_other);
	suite_add_tcase(s, calls);
	return gk_test_main(s);
}
