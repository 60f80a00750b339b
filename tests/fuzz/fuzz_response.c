/*
 * What a browser may say: a broker with eight calls out, then the input on the
 * browser's leg, line by line, with a second opinion of each (wire 8.3, 8.5,
 * 8.7).  Properties:
 *
 *   - a line ends the calls that it should and no others: a response the one
 *     that it names, if that was sent and waits; what severs the leg, a
 *     contradiction, a second or a late hello, an unknown or malformed frame,
 *     all; a hello with another protocol all, with PROTOCOL_MISMATCH;
 *   - a severed leg stays so, and nothing it says counts any more;
 *   - no call is sent before the leg has spoken or 3 s have passed, and none
 *     whose capability it did not announce;
 *   - how the bytes were cut up changes nothing; and once the browser is gone
 *     every call has been answered.
 *
 * The first byte says how the lines are cut, and, in its two highest bits, how
 * the leg has begun: a hello, or none, and whether 3 s have passed.
 */
#include "fuzz_world.h"
#include "mutate_json.h"

#include "proto/envelope.h"

#define CALLS	8

struct run {
	struct genkan_ctx	*ctx;
	struct fz_store		 records;
	struct gk_store		 store;
	struct gk_broker	*b;
	struct fz_peer		 br, cl;
	/* The second opinion. */
	bool			 spoke, severed, mismatch;
	uint32_t		 caps;
	unsigned		 sent;		/* a bit each */
};

static const char *
tool(unsigned id)
{
	return id % 2 ? "tab_list" : "page_snapshot";
}

static bool
announced(const struct run *r, unsigned id)
{
	const int t = gk_schema_tool_find(tool(id), strlen(tool(id)));

	return (r->caps >> gk_schema_tool(t)->cap & 1) != 0;
}

static void
drain(struct run *r)
{
	fz_drain(r->ctx, &r->br, SIZE_MAX);
	fz_drain(r->ctx, &r->cl, SIZE_MAX);
}

/* The leg has spoken or its time is over: what it can do is sent. */
static void
begun(struct run *r, uint32_t caps)
{
	unsigned id;

	if (r->sent != 0 || r->spoke)
		return;
	r->caps = caps;
	for (id = 0; id < CALLS; id++)
		if (announced(r, id))
			r->sent |= 1u << id;
}

static void
start(struct run *r, unsigned how)
{
	static const char hello[] = "{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[\"tab_control\",\"page_snapshot\"]}\n";
	unsigned id;

	memset(r, 0, sizeof(*r));
	r->ctx = fz_ctx();
	fz_store_init(&r->store, &r->records);
	r->b = gk_broker_new(r->ctx, &r->store);
	MUST(r->b != NULL && fz_attach(r->b, &r->br, "b") &&
	    fz_attach(r->b, &r->cl, NULL));
	drain(r);
	if (how < 2)
		(void)fz_feed(&r->br, hello, sizeof(hello) - 1);
	fz_open(&r->cl);
	for (id = 0; id < CALLS; id++)
		fz_call(&r->cl, id, tool(id), "{}");
	drain(r);
	MUST(r->br.requests == (how < 2 ? CALLS : 0));
	if (how == 3)
		gk_broker_tick(r->b, 4000);
	drain(r);
	MUST(r->br.requests == (how == 2 ? 0 : CALLS));
	if (how != 2)
		begun(r, ~0u);
	r->spoke = how < 2;
}

static void
stop(struct run *r)
{
	unsigned id;

	gk_leg_eof(r->br.leg);
	fz_drain(r->ctx, &r->cl, SIZE_MAX);
	if (r->br.requests == 0)	/* its own time is not over */
		gk_broker_tick(r->b, 200000);
	fz_drain(r->ctx, &r->cl, SIZE_MAX);
	for (id = 0; id < CALLS; id++)
		MUST(!r->cl.open[id]);
	MUST(gk_broker_browsers(r->b) == 0 && gk_broker_pending(r->b) == 0);
	fz_detach(&r->br);
	fz_detach(&r->cl);
	gk_broker_free(r->b);
	gk_ctx_free(r->ctx);
}

/* ----------------------------------------------------------- second opinion */

/* What a line does: which calls it ends, a bit each. */
static unsigned
judge(struct run *r, struct gk_span line)
{
	const unsigned sent = r->sent;		/* before this line */
	const bool first = !r->spoke;
	struct gk_envelope e;
	int64_t id = 0;

	if (gk_envelope_read(r->ctx, line, &e) < 0 ||
	    (e.kind == GK_ENV_HELLO && !first)) {
		r->severed = true;
		return ~0u;
	}
	if (e.kind == GK_ENV_HELLO) {
		if (e.u.hello.protocol != GK_BRIDGE_PROTOCOL) {
			r->spoke = r->mismatch = true;
			return ~0u;
		}
		begun(r, e.u.hello.capabilities);
		r->spoke = true;
		return ~r->sent;
	}
	begun(r, ~0u);
	r->spoke = true;
	if (e.kind == GK_ENV_RESPONSE)
		id = e.u.response.id;
	return id >= 1 && id <= CALLS ? 1u << (id - 1) & sent : 0;
}

static void
check_line(struct run *r, struct gk_span line)
{
	const unsigned sent = r->sent;
	bool open[CALLS];
	unsigned ends, id, requests = r->br.requests;

	memcpy(open, r->cl.open, sizeof(open));
	ends = r->severed ? 0 : judge(r, line);
	(void)fz_feed(&r->br, line.ptr, line.len);
	(void)fz_feed(&r->br, "\n", 1);
	drain(r);
	MUST(((gk_leg_wants(r->br.leg) & GENKAN_WANT_CLOSE) != 0) ==
	    r->severed);
	for (id = 0; id < CALLS; id++) {
		if (r->severed && (r->sent >> id & 1) == 0)
			continue;	/* it may wait for another browser */
		MUST(r->cl.open[id] == (open[id] && (ends >> id & 1) == 0));
		if (!open[id] || r->cl.open[id])
			continue;
		if (r->severed)
			MUST(strcmp(r->cl.code[id], "CONNECTION_LOST") == 0);
		else if (r->mismatch)
			MUST(strcmp(r->cl.code[id], "PROTOCOL_MISMATCH") == 0);
		else if ((r->sent >> id & 1) == 0)
			MUST(strcmp(r->cl.code[id], "TOOL_DISABLED") == 0);
	}
	MUST(r->br.requests - requests == (unsigned)
	    __builtin_popcount(r->sent & ~sent));
}

static uint64_t
by_line(const char *p, size_t size, unsigned how)
{
	const char *end = p + size, *lf;
	uint64_t h = FOLD_START;
	struct gk_span line;
	struct run r;

	start(&r, how);
	for (; p < end; p = lf + 1) {
		if ((lf = memchr(p, '\n', (size_t)(end - p))) == NULL)
			break;
		line = gk_span(p, (size_t)(lf - p));
		while (line.len > 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (strspn(p, " \t\r") < (size_t)(lf - p))
			check_line(&r, line);
	}
	h = fold(h, r.cl.open, CALLS);
	stop(&r);
	return h;
}

static uint64_t
by_step(const uint8_t *data, size_t size, unsigned how, size_t step)
{
	uint64_t h = FOLD_START;
	struct run r;
	size_t at, n;

	start(&r, how);
	for (at = 0; at < size; at += n) {
		n = GK_MIN(step, size - at);
		(void)fz_feed(&r.br, data + at, n);
	}
	drain(&r);
	h = fold(h, r.cl.open, CALLS);
	stop(&r);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how;
	uint8_t *copy;

	if (size < 1)
		return 0;
	how = data[0] >> 6;
	copy = malloc(size + 1);	/* for strspn() */
	MUST(copy != NULL);
	memcpy(copy, data + 1, size - 1);
	copy[size - 1] = '\0';
	MUST(by_line((const char *)copy, size - 1, how) ==
	    by_step(data + 1, size - 1, how, 1 + data[0] % 13));
	free(copy);
	return 0;
}

FZ_LINES_MUTATOR(1)
