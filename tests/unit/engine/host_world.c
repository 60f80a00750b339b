#include "host_world.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "codec/frame.h"
#include "proto/accept.h"
#include "proto/queue.h"
#include "place.h"

struct gk_test t;
struct memstore m;
struct gk_host *h;
struct genkan_leg *browser, *bridge;
char got[1 << 16];
char line[1 << 16];

void
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

TCase *
host_tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return tc;
}

enum gk_host_event_kind
event(struct gk_host_event *ev)
{
	return gk_host_next(h, ev);
}

void
assert_event(enum gk_host_event_kind kind)
{
	struct gk_host_event ev;

	ck_assert_int_eq(event(&ev), kind);
}

void
assert_leave(int status)
{
	struct gk_host_event ev;

	ck_assert_int_eq(event(&ev), GK_HOST_LEAVE);
	ck_assert_int_eq(ev.status, status);
	ck_assert_int_eq(event(&ev), GK_HOST_NOTHING);
}

/* Runs the clock to ms, stopping at every deadline. */
void
run_until(int64_t ms)
{
	int64_t at;

	while ((at = gk_host_deadline(h)) < ms && at > gk_now(t.ctx))
		gk_host_tick(h, at);
	gk_host_tick(h, ms);
}

void
feed(struct genkan_leg *leg, const void *buf, size_t len)
{
	ck_assert_uint_eq(feed_placed(leg, buf, len), len);
}

void
browser_send(const char *json)
{
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_frame_put(&b, json, strlen(json), 1 << 20), 0);
	feed(browser, b.ptr, b.len);
	gk_buf_done(&b);
}

/* What the browser has got since the last look, one frame a line. */
const char *
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

void
broker_send(const char *s)
{
	feed(bridge, s, strlen(s));
}

const char *
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
void
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
void
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

void
attach(void)
{
	dial(GK_DIALLED_OK);
	meet("{\"attach_reply\":\"accepted\"}\n");
	ck_assert_str_eq(line, "chrome");
	ck_assert_str_eq(gk_host_state(h), "bridge");
	ck_assert_str_eq(browser_got(), POLICY LANG);
}

void
start_control(const char *trust)
{
	memstore_set(&m, GK_RECORD_TRUST, trust);
	assert_event(GK_HOST_PROBE);
	gk_host_probed(h, GK_PROBE_LOCK, NULL);
	ck_assert_str_eq(gk_host_state(h), "control");
	assert_event(GK_HOST_NOTHING);
}
