/* See broker_world.h. */
#include "broker_world.h"

#include <stdarg.h>

#include "base/alloc.h"
#include "codec/hex.h"
#include "proto/handshake.h"
#include "place.h"

static int
load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	struct world *w = user;

	w->loads++;
	memset(stamp, 0, sizeof(*stamp));
	if (w->fails[record] != 0) {
		snprintf(why, whylen, "made to fail");
		return w->fails[record];
	}
	if (w->record[record] == NULL)
		return GENKAN_E_NOENT;
	stamp->ino = w->writes;
	return gk_buf_puts(ret, w->record[record]);
}

static int
stamp(void *user, int record, struct gk_stamp *ret)
{
	struct world *w = user;

	memset(ret, 0, sizeof(*ret));
	if (w->fails[record] != 0)
		return w->fails[record];
	if (w->record[record] == NULL)
		return GENKAN_E_NOENT;
	ret->ino = w->writes;
	if (record == GK_RECORD_TRUST && ++w->looks == w->turn)
		world_write(w, record, w->then);
	return 0;
}

static int
secret(void *user, uint8_t ret[32])
{
	struct world *w = user;

	if (w->no_secret)
		return GENKAN_E_NOENT;
	memcpy(ret, SECRET, 32);
	return 0;
}

static const char *
or_dash(const char *s)
{
	return s == NULL ? "-" : s;
}

static void
audit(void *user, const struct gk_audit *a)
{
	struct world *w = user;
	char dur[32] = "";

	ck_assert_uint_lt(w->naudit, MAX_AUDIT);
	ck_assert_str_eq(a->surface, "broker");
	ck_assert_ptr_null(a->cid);
	if (a->dur_ms >= 0)
		snprintf(dur, sizeof(dur), " %lldms", (long long)a->dur_ms);
	snprintf(w->audit[w->naudit++].text, sizeof(w->audit[0].text),
	    "%s %s %s %s %s %s %lld %lld%s", a->kind, or_dash(a->outcome),
	    or_dash(a->tool), or_dash(a->code), or_dash(a->name),
	    or_dash(a->detail), (long long)a->req, (long long)a->conn, dur);
}

static const char *
path(void *user, int record)
{
	(void)user;
	return record == GK_RECORD_TRUST ? "/state/trust.json" :
	    "/state/policy.json";
}

void
world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	gk_test_init(&w->t);
	w->store.user = w;
	w->store.load = load;
	w->store.stamp = stamp;
	w->store.secret = secret;
	w->store.audit = audit;
	w->store.path = path;
	w->writes = 1;
	w->b = gk_broker_new(w->t.ctx, &w->store);
	ck_assert_ptr_nonnull(w->b);
}

void
world_done(struct world *w)
{
	size_t i;

	gk_broker_free(w->b);
	if (w->mcp != NULL) {
		gk_mcp_free(w->mcp);
		gk_outq_clear(&w->out);
	}
	for (i = 0; i < GK_RECORD_END; i++)
		free(w->record[i]);
	free(w->heard);
	gk_test_done(&w->t);
}

void
world_write(struct world *w, int record, const char *text)
{
	free(w->record[record]);
	w->record[record] = text == NULL ? NULL : strdup(text);
	w->writes++;
}

void
world_time(struct world *w, int64_t ms)
{
	gk_broker_tick(w->b, ms);
}

void
world_run(struct world *w, int64_t ms)
{
	int64_t at;
	int n = 0;

	while ((at = gk_broker_deadline(w->b)) <= ms) {
		ck_assert_int_lt(n++, 100000);
		world_time(w, GK_MAX(at, gk_now(w->t.ctx)));
	}
	world_time(w, ms);
}

const char *
audited(struct world *w, size_t i)
{
	return i > w->naudit ? "" : w->audit[w->naudit - i].text;
}

size_t
audits(struct world *w, const char *start)
{
	size_t i, n = 0;

	for (i = 0; i < w->naudit; i++)
		n += strncmp(w->audit[i].text, start, strlen(start)) == 0;
	return n;
}

static const char init_line[] = "{\"jsonrpc\":\"2.0\",\"id\":\"init\","
    "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

void
world_own(struct world *w)
{
	struct gk_measure m;

	memset(&m, 0, sizeof(m));
	m.ok = true;
	strcpy(m.hash, HASH_A);
	gk_outq_init(&w->out, w->t.ctx, SIZE_MAX);
	w->mcp = gk_mcp_new(w->t.ctx, &w->out);
	ck_assert_ptr_nonnull(w->mcp);
	ck_assert_int_eq(gk_broker_own(w->b, w->mcp, &m, &w->own), 0);
	own_say(w, init_line);
	ck_assert_ptr_nonnull(strstr(own_hear(w), "serverInfo"));
}

void
own_say(struct world *w, const char *line)
{
	struct gk_mcp_act act;

	ck_assert_int_eq(gk_mcp_line(w->mcp, line, strlen(line), &act), 0);
	if (act.kind == GK_MCP_CALL)
		ck_assert_int_eq(gk_broker_call(w->own, act.call, NULL), 0);
	else if (act.kind == GK_MCP_CANCEL)
		gk_broker_cancel(w->own, act.call);
}

const char *
own_hear(struct world *w)
{
	const void *p;
	size_t len;

	free(w->heard);
	w->heard = NULL;
	if (!gk_outq_output(&w->out, &p, &len))
		return w->heard = calloc(1, 1);
	/* one segment is one line */
	w->heard = malloc(len);
	memcpy(w->heard, p, len);
	ck_assert_int_eq(w->heard[len - 1], '\n');
	w->heard[len - 1] = '\0';
	gk_outq_wrote(&w->out, len);
	return w->heard;
}

struct gk_peer
facts(unsigned roles, const char *hash)
{
	struct gk_peer f;

	memset(&f, 0, sizeof(f));
	f.uid_known = f.uid_ours = true;
	f.pid = 77;
	f.image.ok = true;
	strcpy(f.image.hash, hash);
	f.roles = roles;
	return f;
}

void
peer_init(struct world *w, struct peer *p, const struct gk_peer *f)
{
	memset(p, 0, sizeof(*p));
	p->w = w;
	ck_assert_int_eq(gk_broker_claim(w->b), 0);
	ck_assert_int_eq(gk_broker_accept(w->b, f, &p->leg), 0);
}

void
peer_free(struct peer *p)
{
	gk_leg_free(p->leg);
	free(p->got);
	free(p->line);
	memset(p, 0, sizeof(*p));
}

static void
drain(struct peer *p)
{
	const void *b;
	size_t n;

	while (gk_leg_output(p->leg, &b, &n)) {
		p->got = realloc(p->got, p->len + n + 1);
		memcpy(p->got + p->len, b, n);
		p->len += n;
		p->got[p->len] = '\0';
		gk_leg_wrote(p->leg, n);
	}
}

const char *
hear(struct peer *p)
{
	char *lf;
	size_t n;

	drain(p);
	free(p->line);
	lf = p->len == 0 ? NULL : memchr(p->got, '\n', p->len);
	if (lf == NULL)
		return p->line = calloc(1, 1);
	n = (size_t)(lf - p->got);
	p->line = malloc(n + 1);
	memcpy(p->line, p->got, n);
	p->line[n] = '\0';
	p->len -= n + 1;
	memmove(p->got, lf + 1, p->len + 1);
	return p->line;
}

void
swallow(struct peer *p, size_t n)
{
	const void *b;
	size_t have;

	while (n > 0 && gk_leg_output(p->leg, &b, &have)) {
		have = GK_MIN(have, n);
		gk_leg_wrote(p->leg, have);
		n -= have;
	}
	ck_assert_uint_eq(n, 0);
}

bool
tell(struct peer *p, const char *line)
{
	size_t len = strlen(line), used, n;
	char *b = malloc(len + 2);

	memcpy(b, line, len);
	memcpy(b + len, "\n", 2);
	used = feed_placed(p->leg, b, len + 1);
	if (used < len + 1 && used > 0) {
		gk_leg_feed(p->leg, b + used, len + 1 - used, &n);
		used += n;
	}
	free(b);
	ck_assert_uint_le(used, len + 1);
	return used == len + 1;
}

bool
tellf(struct peer *p, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	ck_assert_int_lt(n, (int)sizeof(line));
	return tell(p, line);
}

bool
closed(struct peer *p)
{
	return (gk_leg_wants(p->leg) & GENKAN_WANT_CLOSE) != 0;
}

void
peer_attach(struct peer *p, const char *label, const char *attach)
{
	char nonce[33], mac[65];
	uint8_t raw[32];

	ck_assert_int_eq(sscanf(hear(p), "{\"type\":\"challenge\",\"nonce\":"
	    "\"%32[0-9a-f]\"}", nonce), 1);
	gk_hs_mac((const uint8_t *)SECRET, gk_span_str(nonce),
	    label == NULL ? gk_span(NULL, 0) : gk_span_str(label), raw);
	gk_hex_encode(mac, raw, sizeof(raw));
	mac[64] = '\0';
	if (label == NULL)
		tellf(p, "{\"type\":\"response\",\"mac\":\"%s\"}", mac);
	else
		tellf(p, "{\"type\":\"response\",\"mac\":\"%s\",\"label\":"
		    "\"%s\"}", mac, label);
	tell(p, attach);
}

void
browser(struct world *w, struct peer *p, const char *label)
{
	struct gk_peer f = facts(GK_ROLE_HOST, HASH_B);

	peer_init(w, p, &f);
	peer_attach(p, label, "{\"attach\":\"browser\"}");
	ck_assert_str_eq(hear(p), "{\"attach_reply\":\"accepted\"}");
}

void
hello(struct peer *p, const char *caps)
{
	ck_assert(tellf(p, "{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[%s]}", caps));
}

void
relay(struct world *w, struct peer *p, const char *hash)
{
	struct gk_peer f = facts(GK_ROLE_SERVER, HASH_B);
	char attach[256];

	if (hash == NULL)
		strcpy(attach, "{\"attach\":\"client\"}");
	else
		snprintf(attach, sizeof(attach), "{\"attach\":\"client\","
		    "\"harness\":{\"hash\":\"%s\"}}", hash);
	peer_init(w, p, &f);
	peer_attach(p, NULL, attach);
	ck_assert_str_eq(hear(p), "{\"attach_reply\":\"accepted\"}");
}

void
embedder(struct world *w, struct peer *p, const char *hash)
{
	struct gk_peer f = facts(0, hash);

	peer_init(w, p, &f);
	peer_attach(p, NULL, "{\"attach\":\"client\"}");
	ck_assert_str_eq(hear(p), "{\"attach_reply\":\"accepted\"}");
}

void
client_open(struct peer *p)
{
	ck_assert(tell(p, init_line));
	ck_assert_ptr_nonnull(strstr(hear(p), "serverInfo"));
}
