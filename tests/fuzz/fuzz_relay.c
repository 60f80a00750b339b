/*
 * A server that is attached to a broker which says anything.  Properties: how
 * the bytes were cut up does not matter; every call of the harness is answered
 * at most once, with its own id; and once the leg is gone, what was forwarded
 * has been answered and what was not is still held.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/clock.h"
#include "codec/scan.h"
#include "engine/server.h"
#include "proto/accept.h"
#include "proto/machine.h"
#include "proto/queue.h"
#include "records/store.h"
#include "trust/attest.h"

#define SECRET	"00112233445566778899aabbccddeeff"
#define CALLS	4	/* ids 1 to 4; the last is never forwarded */

#define INIT	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"," \
	"\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}," \
	"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"

struct run {
	struct genkan_ctx	*ctx;
	struct gk_store		 store;
	struct gk_server	*s;
	struct genkan_leg	*own;
	struct genkan_leg	*relay;
	int			 answers[CALLS + 1];
};

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

static void
feed(struct genkan_leg *leg, const void *buf, size_t len)
{
	size_t used;

	(void)gk_leg_feed(leg, buf, len, &used);
	MUST(used == len);
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
	feed(r->relay, p, len);
	while (e != GK_ACCEPT_ATTACH) {
		MUST(gk_leg_output(r->relay, &p, &len) == 1);
		e = gk_accept_feed(&a, p, len, &used);
		gk_leg_wrote(r->relay, used);
		if (e == GK_ACCEPT_RESPONSE)
			e = gk_accept_secret(&a, (const uint8_t *)SECRET);
		MUST(e >= 0);
	}
	gk_accept_done(&a);
	gk_outq_clear(&out);
	feed(r->relay, accepted, sizeof(accepted) - 1);
	MUST(strcmp(gk_server_role(r->s), "attached") == 0);
}

static void
start(struct run *r)
{
	struct gk_server_opts o;
	struct gk_server_event ev;
	struct gk_measure m;
	struct gk_election e;
	const void *p;
	size_t len;
	char line[256];
	int i;

	memset(r, 0, sizeof(*r));
	MUST(gk_ctx_new(NULL, -1, &r->ctx) == 0);
	gk_clock_set(r->ctx, 1000);
	r->store.load = absent_load;
	r->store.stamp = absent_stamp;
	memset(&o, 0, sizeof(o));
	o.store = &r->store;
	o.harness = true;
	MUST(gk_server_new(r->ctx, &o, &r->s) == 0);
	r->own = gk_server_stdio(r->s);
	memset(&m, 0, sizeof(m));
	gk_server_measured(r->s, &m);
	gk_server_installed(r->s, NULL);
	do {
		MUST(gk_server_next(r->s, &ev) != GK_SERVER_NOTHING);
	} while (ev.kind != GK_SERVER_ELECT);
	memset(&e, 0, sizeof(e));
	e.outcome = GK_ELECTED_DIALLED;
	memcpy(e.secret, SECRET, sizeof(e.secret));
	gk_server_elected(r->s, &e, &r->relay);
	attach(r);
	feed(r->own, INIT, sizeof(INIT) - 1);
	MUST(gk_leg_output(r->own, &p, &len) == 1);
	gk_leg_wrote(r->own, len);
	for (i = 1; i <= CALLS; i++) {
		snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%d,"
		    "\"method\":\"tools/call\",\"params\":{\"name\":"
		    "\"tab_list\"}}\n", i);
		feed(r->own, line, strlen(line));
	}
	for (i = 0; i < CALLS; i++) {	/* the opener and three calls */
		MUST(gk_leg_output(r->relay, &p, &len) == 1);
		gk_leg_wrote(r->relay, len);
	}
	gk_clock_set(r->ctx, 5000);
}

static uint64_t
check_own(struct run *r, uint64_t h)
{
	struct gk_member top[16], id;
	struct gk_scan scan;
	const void *p;
	size_t len;

	while (gk_leg_output(r->own, &p, &len)) {
		MUST(len <= GK_MCP_LINE_OUT_MAX);
		MUST(memchr(p, '\n', len) == (const char *)p + len - 1);
		MUST(gk_scan(r->ctx, p, len - 1, top, 16, &scan) == 0);
		if (gk_scan_find(&scan, "id", &id)) {
			MUST(id.type == GK_J_INT && id.integer >= 1 &&
			    id.integer <= CALLS);
			MUST(++r->answers[id.integer] == 1);
		}
		h = fold(h, p, len);
		gk_leg_wrote(r->own, len);
	}
	return h;
}

static uint64_t
digest(const uint8_t *data, size_t size, size_t step)
{
	uint64_t h = FOLD_START;
	struct run r;
	size_t at, n;
	int i;

	start(&r);
	for (at = 0; at < size; at += n) {
		n = step < size - at ? step : size - at;
		if (!(gk_leg_wants(r.relay) & GENKAN_WANT_READ))
			break;
		feed(r.relay, data + at, n);
		h = check_own(&r, h);
	}
	gk_leg_eof(r.relay);
	h = check_own(&r, h);
	for (i = 1; i < CALLS; i++)
		MUST(r.answers[i] == 1);
	MUST(r.answers[CALLS] == 0);
	MUST(strcmp(gk_server_role(r.s), "electing") == 0);
	gk_leg_free(r.relay);
	gk_leg_free(r.own);
	gk_server_free(r.s);
	gk_ctx_free(r.ctx);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t h;

	if (size < 2)
		return 0;
	h = digest(data + 1, size - 1, size);
	MUST(h == digest(data + 1, size - 1, 1 + data[0] % 29));
	return 0;
}

FZ_LINES_MUTATOR(1)
