/*
 * A host between a browser and a broker that both say anything.  Properties:
 * how the bytes were cut up does not matter; what reaches the broker is one
 * JSON object a line and never a control frame; what reaches the browser is
 * framed JSON within its cap, and the answers among it fit the contract.
 *
 * The first two bytes say how many of the rest come from the browser; what is
 * behind them comes from the broker.  The third is how they are cut.
 */
#include "mutate_json.h"
#include "fuzz.h"

#include <string.h>

#include "base/clock.h"
#include "base/ctx.h"
#include "codec/frame.h"
#include "engine/control.h"
#include "crypto/ossl.h"
#include "engine/host.h"
#include "engine/shape.h"
#include "proto/accept.h"
#include "proto/machine.h"
#include "proto/queue.h"

#define SECRET	"00112233445566778899aabbccddeeff"

struct run {
	struct genkan_ctx	*ctx;
	struct gk_store		 store;
	struct gk_host		*h;
	struct genkan_leg	*browser;
	struct genkan_leg	*bridge;
};

/* Nonces are the same in both runs. */
static int
no_random(void *user, void *buf, size_t len)
{
	(void)user;
	memset(buf, 0x5a, len);
	return 0;
}

static int
absent_load(void *user, int record, struct gk_buf *ret,
    struct gk_stamp *stamp, char *why, size_t whylen)
{
	(void)user, (void)record, (void)ret, (void)why, (void)whylen;
	memset(stamp, 0, sizeof(*stamp));
	return GENKAN_E_NOENT;
}

static int
absent_stamp(void *user, int record, struct gk_stamp *ret)
{
	(void)user, (void)record, (void)ret;
	return GENKAN_E_NOENT;
}

/* No key, ever.  Answered where reading stops and at the end, so that it does
 * not depend on how the input was cut. */
static bool
answer_asks(struct run *r)
{
	struct gk_host_event ev;
	bool some = false;

	while (gk_host_next(r->h, &ev) != GK_HOST_NOTHING) {
		if (ev.kind == GK_HOST_KEY) {
			ev.key->answer.code = GK_KEY_NONE;
			gk_host_keyed(r->h, ev.key);
		} else if (ev.kind == GK_HOST_ASK) {
			gk_host_told(r->h, GENKAN_E_IO, gk_span(NULL, 0),
			    "no disk");
		} else {
			continue;
		}
		some = true;
	}
	return some;
}

static size_t
feed(struct genkan_leg *leg, const void *buf, size_t len)
{
	size_t used;

	(void)gk_leg_feed(leg, buf, len, &used);
	MUST(used <= len);
	return used;
}

static void
attach(struct run *r)
{
	static const char accepted[] = "{\"attach_reply\":\"accepted\"}\n";
	struct gk_accept a;
	struct gk_outq out;
	const void *p;
	size_t len, used;
	int e = 0;

	gk_outq_init(&out, r->ctx, 1 << 16);
	MUST(gk_accept_init(&a, r->ctx, &out) == 0);
	MUST(gk_outq_output(&out, &p, &len) == 1);
	MUST(feed(r->bridge, p, len) == len);
	while (e != GK_ACCEPT_ATTACH) {
		MUST(gk_leg_output(r->bridge, &p, &len) == 1);
		e = gk_accept_feed(&a, p, len, &used);
		gk_leg_wrote(r->bridge, used);
		if (e == GK_ACCEPT_RESPONSE)
			e = gk_accept_secret(&a, (const uint8_t *)SECRET);
		MUST(e >= 0);
	}
	gk_accept_done(&a);
	gk_outq_clear(&out);
	MUST(feed(r->bridge, accepted, sizeof(accepted) - 1) ==
	    sizeof(accepted) - 1);
	MUST(strcmp(gk_host_state(r->h), "bridge") == 0);
}

static void
start(struct run *r)
{
	struct gk_ctx_hooks hooks;
	struct gk_host_opts o;
	struct gk_host_event ev;
	struct gk_dialling d;

	memset(r, 0, sizeof(*r));
	memset(&hooks, 0, sizeof(hooks));
	hooks.random = no_random;
	MUST(gk_ctx_new(&hooks, -1, &r->ctx) == 0);
	gk_clock_set(r->ctx, 1000);
	r->store.load = absent_load;
	r->store.stamp = absent_stamp;
	memset(&o, 0, sizeof(o));
	o.store = &r->store;
	MUST(gk_host_new(r->ctx, &o, &r->h) == 0);
	r->browser = gk_host_browser(r->h);
	MUST(gk_host_next(r->h, &ev) == GK_HOST_PROBE);
	gk_host_probed(r->h, GK_PROBE_LOCK, NULL);
	MUST(gk_host_next(r->h, &ev) == GK_HOST_DIAL);
	memset(&d, 0, sizeof(d));
	d.outcome = GK_DIALLED_OK;
	d.id.endpoint = "/s";
	memcpy(d.secret, SECRET, sizeof(d.secret));
	gk_host_dialled(r->h, &d, &r->bridge);
	attach(r);
}

static void
stop(struct run *r)
{
	gk_leg_free(r->bridge);
	gk_leg_free(r->browser);
	gk_host_free(r->h);
	gk_ossl_free(r->ctx);
	gk_ctx_free(r->ctx);
}

/* Lines for the broker, one a segment. */
static uint64_t
check_bridge(struct run *r, uint64_t h)
{
	struct gk_member top[16];
	struct gk_scan scan;
	const void *p;
	size_t len;

	while (gk_leg_output(r->bridge, &p, &len)) {
		MUST(len >= 3 && len <= GK_BRIDGE_LINE_MAX);
		MUST(memchr(p, '\n', len) == (const char *)p + len - 1);
		MUST(gk_scan(r->ctx, p, len - 1, top, 16, &scan) == 0);
		MUST(scan.canonical);
		MUST(gk_control_tag(&scan) == GK_TAG_NONE);
		h = fold(h, p, len);
		gk_leg_wrote(r->bridge, len);
	}
	return h;
}

/* A control frame to the browser is one of ours, and fits its row. */
static void
check_answer(struct run *r, const struct gk_scan *scan)
{
	struct gk_shape_why why = { NULL, NULL };
	int tag = gk_control_tag(scan);

	if (tag == GK_TAG_NONE)
		return;
	MUST(gk_schema_frame(tag)->dir == 'H');
	MUST(gk_shape_fits(r->ctx, scan->text, gk_schema_frame(tag)->members,
	    false, "type", &why));
}

static uint64_t
check_browser(struct run *r, uint64_t h)
{
	struct gk_member top[16];
	struct gk_frame in;
	struct gk_scan scan;
	const void *p;
	size_t len, used;

	gk_frame_init(&in, r->ctx, GK_NATIVE_OUT_MAX, true);
	while (gk_leg_output(r->browser, &p, &len)) {
		MUST(gk_frame_feed(&in, p, len, &used) == 1 && used == len);
		MUST(gk_scan(r->ctx, gk_frame_get(&in).ptr,
		    gk_frame_get(&in).len, top, 16, &scan) == 0);
		MUST(scan.canonical);
		check_answer(r, &scan);
		h = fold(h, p, len);
		gk_leg_wrote(r->browser, len);
	}
	gk_frame_done(&in);
	return h;
}

static uint64_t
digest(const uint8_t *data, size_t size, size_t half, size_t step)
{
	uint64_t to_bridge = FOLD_START, to_browser = FOLD_START, h;
	struct run r;
	size_t at, n, fed;

	start(&r);
	to_browser = check_browser(&r, to_browser);
	for (at = 0; at < half; at += n) {
		n = step < half - at ? step : half - at;
		for (fed = 0; fed < n; )
			if ((fed += feed(r.browser, data + at + fed,
			    n - fed)) < n && !answer_asks(&r))
				break;
		to_bridge = check_bridge(&r, to_bridge);
		to_browser = check_browser(&r, to_browser);
	}
	(void)answer_asks(&r);
	to_browser = check_browser(&r, to_browser);
	for (at = half; at < size; at += n) {
		n = step < size - at ? step : size - at;
		(void)feed(r.bridge, data + at, n);
		to_bridge = check_bridge(&r, to_bridge);
		to_browser = check_browser(&r, to_browser);
	}
	gk_leg_eof(r.browser);
	gk_leg_eof(r.bridge);
	h = fold(to_bridge, &to_browser, sizeof(to_browser));
	h = fold(h, gk_host_state(r.h), strlen(gk_host_state(r.h)));
	stop(&r);
	return h;
}

/* How many bytes come from the browser. */
static size_t
part(const uint8_t *data, size_t size)
{
	return GK_MIN((size_t)data[0] << 8 | data[1], size - 3);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t half;
	uint64_t h;

	if (size < 4)
		return 0;
	half = part(data, size);
	h = digest(data + 3, size - 3, half, size);
	MUST(h == digest(data + 3, size - 3, half, 1 + data[2] % 29));
	return 0;
}

#ifdef GK_FUZZING
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t half;

	if (size < 4 || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	half = part(data, size);
	if (seed % 8 < 6)
		half = fz_mutate_frames(data, &size, max, 3, half, seed / 8,
		    seed % 8 < 2 ? fz_mutate_part : fz_mutate_json);
	else
		fz_mutate_lines(data, &size, max, 3 + half, seed / 8);
	data[0] = (uint8_t)(half >> 8);
	data[1] = (uint8_t)half;
	return size;
}
#endif
