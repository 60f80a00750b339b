/*
 * A server between its harness and whatever becomes of it: electing, attached
 * to a broker, broker itself, outdated; lines of both sides, elections that end
 * in any way, legs that are lost, records that change, time (wire 7.1, 10).
 * Properties:
 *
 *   - a request of the harness has exactly one answer under its own id, byte
 *     for byte, whatever happened to the server meanwhile; a cancelled one at
 *     most one; a notification none;
 *   - without a broker that would do it, no call is answered with success;
 *   - a harness that was closed, or a server that left, says nothing more;
 *   - in the end, when time has passed, nothing is owed, unless the server was
 *     told to leave, was denied, or the harness has gone.
 *
 * The input is lines: those of the harness; behind a `>` those of the broker;
 * and commands of an `@`, a letter and maybe a digit (see command()).
 */
#include "fuzz_world.h"
#include "mutate_json.h"

#include "engine/server.h"
#include "proto/accept.h"
#include "proto/queue.h"

#define ASKED	64

/* An answer that is owed. */
struct owed {
	char	token[64];
	bool	maybe;		/* cancelled */
};

static struct genkan_ctx *ctx;
static struct fz_store records;
static struct gk_store store;
static struct gk_server *s;
static struct genkan_leg *own, *relay;
static struct owed owed[ASKED];
static size_t nowed;
static int64_t now;
static bool elect;		/* a round is asked for */
static bool free_to_go;		/* calls may end without an answer */
static bool left;
static int64_t last;		/* number that was forwarded last */

static bool
closed(void)
{
	return left || (gk_leg_wants(own) & GENKAN_WANT_CLOSE) != 0;
}

/* ------------------------------------------------------------- the harness */

static bool
is_id(const struct gk_member *id)
{
	return id->type == GK_J_STRING || (id->type == GK_J_INT &&
	    id->integer <= GK_INTEGER_MAX && id->integer >= -GK_INTEGER_MAX);
}

/* What may wait with this id, by type and value; of strings those that are as
 * long. */
static void
cancelled(const struct gk_member *id)
{
	struct gk_member top[2], v;
	struct gk_scan scan;
	char object[160];
	size_t i;
	int n;

	for (i = 0; i < nowed; i++) {
		n = snprintf(object, sizeof(object), "{\"a\":%s}",
		    owed[i].token);
		MUST(gk_scan(ctx, object, (size_t)n, top, 2, &scan) == 0);
		MUST(gk_scan_find(&scan, "a", &v));
		if (v.type == id->type && (v.type == GK_J_INT ?
		    v.integer == id->integer :
		    gk_jstr_len(v.value) == gk_jstr_len(id->value)))
			owed[i].maybe = true;
	}
}

/* Books the line; false: it is not for this model. */
static bool
book(const char *line, size_t len)
{
	struct gk_member top[16], id, method, params, what;
	struct gk_scan scan, in;

	if (gk_scan(ctx, line, len, top, 16, &scan) < 0)
		return true;
	if (!gk_scan_find(&scan, "id", &id) || id.type == GK_J_NULL) {
		if (gk_scan_find(&scan, "method", &method) &&
		    gk_jstr_is(&method, "notifications/cancelled") &&
		    gk_scan_find(&scan, "params", &params) &&
		    params.type == GK_J_OBJECT) {
			gk_scan_object(params.value, NULL, 0, &in);
			if (gk_scan_find(&in, "requestId", &what) &&
			    is_id(&what))
				cancelled(&what);
		}
		return true;
	}
	if (!is_id(&id))
		return true;
	if (id.value.len >= sizeof(owed->token) || nowed == ASKED)
		return false;
	memset(&owed[nowed], 0, sizeof(*owed));
	memcpy(owed[nowed++].token, id.value.ptr, id.value.len);
	return true;
}

/* One answer: it was owed. */
static void
paid(const struct gk_span token)
{
	size_t i, at = ASKED;

	for (i = 0; i < nowed; i++)
		if (gk_span_is(token, owed[i].token) &&
		    (at == ASKED || owed[at].maybe))
			at = i;
	MUST(at < ASKED);
	owed[at] = owed[--nowed];
}

static void
hear(void)
{
	struct gk_member top[16], v;
	struct gk_scan scan;
	const void *p;
	size_t len;

	while (gk_leg_output(own, &p, &len)) {
		MUST(len <= GK_MCP_LINE_OUT_MAX);
		MUST(memchr(p, '\n', len) == (const char *)p + len - 1);
		MUST(gk_scan(ctx, p, len - 1, top, 16, &scan) == 0);
		MUST(gk_scan_find(&scan, "jsonrpc", &v));
		if (gk_scan_find(&scan, "id", &v) && v.type != GK_J_NULL)
			paid(v.value);
		else
			MUST(gk_scan_find(&scan, "error", &v) ||
			    gk_scan_find(&scan, "method", &v));
		gk_leg_wrote(own, len);
	}
}

static void
say(const char *line, size_t len)
{
	size_t used;

	if (closed() || (gk_leg_wants(own) & GENKAN_WANT_READ) == 0 ||
	    !book(line, len))
		return;
	(void)gk_leg_feed(own, line, len, &used);
	MUST(used == len);
	(void)gk_leg_feed(own, "\n", 1, &used);
	MUST(used == 1);
}

/* -------------------------------------------------------------- the others */

static void
events(void)
{
	struct gk_server_event ev;
	struct gk_measure m;

	memset(&m, 0, sizeof(m));
	while (gk_server_next(s, &ev) != GK_SERVER_NOTHING) {
		if (ev.kind == GK_SERVER_MEASURE) {
			gk_server_measured(s, &m);
		} else if (ev.kind == GK_SERVER_INSTALL) {
			gk_server_installed(s, NULL);
		} else if (ev.kind == GK_SERVER_ELECT) {
			MUST(!elect);
			elect = true;
		} else if (ev.kind == GK_SERVER_LEAVE) {
			hear();
			left = true;
			return;
		}
	}
}

static void
broker_says(const void *p, size_t len)
{
	size_t used;

	if (relay != NULL && (gk_leg_wants(relay) & GENKAN_WANT_READ) != 0)
		(void)gk_leg_feed(relay, p, len, &used);
}

/* What goes to the broker: the opener is 0, calls are numbered upwards. */
static void
broker_hears(void)
{
	struct gk_member top[16], v;
	struct gk_scan scan;
	const void *p;
	size_t len;

	while (relay != NULL && gk_leg_output(relay, &p, &len)) {
		MUST(((const char *)p)[len - 1] == '\n');
		MUST(gk_scan(ctx, p, len - 1, top, 16, &scan) == 0);
		if (gk_scan_find(&scan, "id", &v)) {
			MUST(v.type == GK_J_INT && (v.integer == 0 ||
			    v.integer > last));
			last = GK_MAX(last, v.integer);
		}
		gk_leg_wrote(relay, len);
	}
}

static void
attach(const char *reply)
{
	struct gk_accept a;
	struct gk_outq out;
	const void *p;
	size_t len, used;
	int e = 0;

	gk_outq_init(&out, ctx, 1 << 16);
	MUST(gk_accept_init(&a, ctx, &out) == 0);
	MUST(gk_outq_output(&out, &p, &len) == 1);
	broker_says(p, len);
	while (e >= 0 && e != GK_ACCEPT_ATTACH &&
	    gk_leg_output(relay, &p, &len)) {
		e = gk_accept_feed(&a, p, len, &used);
		gk_leg_wrote(relay, used);
		if (e == GK_ACCEPT_RESPONSE)
			e = gk_accept_secret(&a, (const uint8_t *)FZ_SECRET);
	}
	MUST(e == GK_ACCEPT_ATTACH);
	gk_accept_done(&a);
	gk_outq_clear(&out);
	last = 0;
	broker_says(reply, strlen(reply));
}

static void
elected(enum gk_elected outcome, const char *reply)
{
	struct gk_election e;

	if (!elect || left)
		return;
	elect = false;
	memset(&e, 0, sizeof(e));
	e.outcome = outcome;
	memcpy(e.secret, FZ_SECRET, sizeof(e.secret));
	(void)snprintf(e.reason, sizeof(e.reason), "of the election");
	gk_leg_free(relay);
	relay = NULL;
	gk_server_elected(s, &e, &relay);
	free_to_go = free_to_go || outcome == GK_ELECTED_DENIED;
	if (relay != NULL && reply != NULL)
		attach(reply);
}

static void
broker_answers(unsigned n)
{
	char line[160];
	int len;

	broker_hears();
	len = snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%u,"
	    "\"result\":{\"content\":[],\"isError\":false}}\n", n);
	broker_says(line, (size_t)len);
}

static void
trust(unsigned n)
{
	static const char *const text[] = { NULL, "{",
		"{\"version\":0,\"epoch\":1,\"killed\":true,\"kill_epoch\":1,"
		    "\"host_key_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0,"
		    "\"clients\":null,\"enrollments\":[]}",
	};

	records.trust = text[n % 3];
	records.writes++;
}

static void
until(int64_t ms)
{
	int64_t d;

	while (!left && (d = gk_server_deadline(s)) <= ms) {
		now = GK_MAX(d, now);
		gk_server_tick(s, now);
		hear();
		events();
	}
	now = ms;
	if (!left)
		gk_server_tick(s, now);
}

/* --------------------------------------------------------------- the script */

static void
command(char what, unsigned n)
{
	static const unsigned pass[] = { 1, 150, 500, 1000, 1001, 3000, 12000,
		119999, 120000, 125000 };
	static const char *const refusal[] = {
		"{\"attach_reply\":\"refused\",\"reason\":\"r\"}\n",
		"{\"attach_reply\":\"unavailable\",\"reason\":\"r\"}\n",
		"{\"attach_reply\":\"accepted\"}\n{\"x\":1}\n",
	};

	switch (what) {
	case 'a':
		elected(GK_ELECTED_DIALLED, "{\"attach_reply\":\"accepted\"}\n");
		break;
	case 'n':
		free_to_go = free_to_go || n % 3 == 0;
		elected(GK_ELECTED_DIALLED, refusal[n % 3]);
		break;
	case 'h': elected(GK_ELECTED_DIALLED, NULL); break;
	case 'b': elected(GK_ELECTED_BROKER, NULL); break;
	case 'y': elected(GK_ELECTED_RETRY, NULL); break;
	case 'd': elected(GK_ELECTED_DENIED, NULL); break;
	case 'f': elected(GK_ELECTED_FAILED, NULL); break;
	case 'o': elected(GK_ELECTED_OUTDATED, NULL); break;
	case 'r': broker_answers(n); break;
	case 'w': broker_hears(); break;
	case 'l':
		if (relay != NULL)
			gk_leg_eof(relay);
		break;
	case 'k': trust(n); break;
	case 't': until(now + pass[n]); break;
	case 'e':
		free_to_go = true;
		gk_leg_eof(own);
		break;
	case 'q':
		free_to_go = true;
		gk_leg_broken(own);
		break;
	case 's':
		free_to_go = true;
		gk_server_stop(s);
	}
}

static void
script(const char *p, const char *end)
{
	const char *lf;
	int lines = 0;

	for (; p < end && lines < ASKED && !left; p = lf + 1, lines++) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (lf == NULL)
			lf = end;
		if (lf - p >= 2 && *p == '@')
			command(p[1], lf - p == 2 ? 0 :
			    (unsigned)(p[2] - '0') % 10);
		else if (lf > p && *p == '>' && lf < end)
			broker_says(p + 1, (size_t)(lf - p));
		else
			say(p, (size_t)(lf - p));
		if ((gk_leg_wants(own) & GENKAN_WANT_READ) == 0)
			free_to_go = free_to_go || closed();
		hear();
		events();
	}
}

static void
finish(void)
{
	const int64_t end = now + 300000;
	size_t i;

	while (!left && now < end) {
		elected(GK_ELECTED_RETRY, NULL);
		hear();
		events();
		until(now + 100);
	}
	hear();
	for (i = 0; i < nowed && !free_to_go; i++)
		MUST(owed[i].maybe);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_server_opts o;

	ctx = fz_ctx();
	fz_store_init(&store, &records);
	memset(&o, 0, sizeof(o));
	o.store = &store;
	o.harness = true;
	MUST(gk_server_new(ctx, &o, &s) == 0);
	own = gk_server_stdio(s);
	relay = NULL;
	nowed = 0;
	now = 1000;
	elect = free_to_go = left = false;
	last = 0;
	events();
	script((const char *)data, (const char *)data + size);
	finish();
	gk_leg_free(relay);
	gk_leg_free(own);
	gk_server_free(s);
	gk_ctx_free(ctx);
	return 0;
}

FZ_LINES_MUTATOR(0)
