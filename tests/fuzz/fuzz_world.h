/*
 * A broker for fuzz targets: records that can be broken, peers that attach
 * truthfully and then say anything, and clients that keep book of what they
 * asked, so that a reply to nobody or to somebody else is noticed, and so is a
 * request that the records of that moment forbid.
 */
#ifndef GK_TESTS_FUZZ_WORLD_H
#define GK_TESTS_FUZZ_WORLD_H

#include "fuzz.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "codec/hex.h"
#include "codec/jstr.h"
#include "engine/broker.h"
#include "proto/handshake.h"
#include "proto/machine.h"
#include "proto/mcp.h"
#include "records/store.h"
#include "trust/attest.h"

#define FZ_SECRET "00112233445566778899aabbccddeeff"
#define FZ_HASH	\
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define FZ_IDS	200		/* ids that a client uses, 0 to 199 */

struct fz_store {
	const char	*trust;		/* NULL: absent */
	const char	*policy;
	uint64_t	 writes;
	/* What the two mean for a client, and for a call. */
	enum { FZ_UNPAIRED, FZ_LISTED, FZ_REFUSED, FZ_UNREADABLE } list;
	bool		 killed;	/* or unreadable */
	const char	*off;		/* the tool that is; "*": every one */
};

struct fz_peer {
	struct genkan_leg *leg;
	bool		 client;
	bool		 open[FZ_IDS];	/* asked and not answered */
	char		 code[FZ_IDS][32];	/* of the last answer; "" */
	unsigned	 requests;	/* that it was sent */
	/* What the target knows of it. */
	bool		 trusted, opened;	/* a client */
	bool		 spoke, torn;	/* a browser: a line, pieces of lines */
	char		*in;		/* output not yet a whole line */
	size_t		 len;
};

/* The records that count. */
static const struct fz_store *fz_now;

static inline int
fz_load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	struct fz_store *s = user;
	const char *text = record == GK_RECORD_TRUST ? s->trust : s->policy;

	(void)snprintf(why, whylen, "broken");
	memset(stamp, 0, sizeof(*stamp));
	stamp->ino = s->writes;
	return text == NULL ? GENKAN_E_NOENT : gk_buf_puts(ret, text);
}

static inline int
fz_stamp(void *user, int record, struct gk_stamp *ret)
{
	struct fz_store *s = user;

	memset(ret, 0, sizeof(*ret));
	ret->ino = s->writes;
	return (record == GK_RECORD_TRUST ? s->trust : s->policy) == NULL ?
	    GENKAN_E_NOENT : 0;
}

static inline int
fz_secret(void *user, uint8_t secret[32])
{
	(void)user;
	memcpy(secret, FZ_SECRET, 32);
	return 0;
}

static inline int
fz_random(void *user, void *buf, size_t len)
{
	(void)user;
	memset(buf, 0x5a, len);
	return 0;
}

static inline struct genkan_ctx *
fz_ctx(void)
{
	struct gk_ctx_hooks hooks;
	struct genkan_ctx *ctx = NULL;

	memset(&hooks, 0, sizeof(hooks));
	hooks.random = fz_random;
	MUST(gk_ctx_new(&hooks, -1, &ctx) == 0);
	gk_clock_set(ctx, 1000);
	return ctx;
}

static inline void
fz_store_init(struct gk_store *store, struct fz_store *s)
{
	memset(s, 0, sizeof(*s));
	memset(store, 0, sizeof(*store));
	fz_now = s;
	store->user = s;
	store->load = fz_load;
	store->stamp = fz_stamp;
	store->secret = fz_secret;
}

/* Feeds all of it, or what the leg takes. */
static inline size_t
fz_feed(struct fz_peer *p, const void *buf, size_t len)
{
	size_t used = 0, n;

	do {
		(void)gk_leg_feed(p->leg, (const char *)buf + used,
		    len - used, &n);
		MUST(n <= len - used);
		used += n;
	} while (n > 0 && used < len);
	return used;
}

/* The code of a call that failed, "" for any other answer. */
static inline void
fz_code(const struct gk_scan *reply, char ret[32])
{
	static const char head[] = "\"text\":\"Error [";
	struct gk_member result, v;
	const char *at = NULL, *end = NULL;
	struct gk_scan s;

	ret[0] = '\0';
	if (!gk_scan_find(reply, "result", &result) ||
	    result.type != GK_J_OBJECT)
		return;
	gk_scan_object(result.value, NULL, 0, &s);
	if (gk_scan_find(&s, "isError", &v) && v.type == GK_J_TRUE)
		at = memmem(s.text.ptr, s.text.len, head, sizeof(head) - 1);
	if (at != NULL)
		end = memchr(at, ']', 64);
	if (end != NULL)
		(void)snprintf(ret, 32, "%.*s", (int)(end - at -
		    (ptrdiff_t)sizeof(head) + 1), at + sizeof(head) - 1);
}

/* A line for a client: JSON under the cap, and if it has an id of ours, one
 * that waits for it. */
static inline void
fz_client_line(struct genkan_ctx *ctx, struct fz_peer *p, const char *line,
    size_t len)
{
	struct gk_member top[8], v;
	struct gk_scan s;

	MUST(len + 1 <= GK_MCP_LINE_OUT_MAX);
	MUST(gk_scan(ctx, line, len, top, 8, &s) == 0);
	if (gk_scan_find(&s, "attach_reply", &v))
		return;
	MUST(gk_scan_find(&s, "jsonrpc", &v));
	if (!gk_scan_find(&s, "id", &v) || v.type != GK_J_INT)
		return;
	MUST(v.integer >= 0 && v.integer < FZ_IDS);
	MUST(p->open[v.integer]);
	p->open[v.integer] = false;
	fz_code(&s, p->code[v.integer]);
}

/* Is this tool forbidden by the records as they are? */
static inline bool
fz_forbidden(const struct fz_store *s, const char *tool, size_t len)
{
	return s->killed || (s->off != NULL && (strcmp(s->off, "*") == 0 ||
	    (strlen(s->off) == len && memcmp(s->off, tool, len) == 0)));
}

/* A line for a browser: a request or a cancel with an id that was drawn, and
 * no request that is forbidden now. */
static inline void
fz_browser_line(struct genkan_ctx *ctx, struct fz_peer *p, const char *line,
    size_t len)
{
	struct gk_member top[8], v, op;
	struct gk_scan s;
	bool request;

	MUST(gk_scan(ctx, line, len, top, 8, &s) == 0);
	if (gk_scan_find(&s, "attach_reply", &v))
		return;
	MUST(gk_scan_find(&s, "id", &v) && v.type == GK_J_INT &&
	    v.integer > 0);
	request = gk_scan_find(&s, "op", &op);
	MUST(request != gk_scan_find(&s, "type", &v));
	if (!request)
		return;
	p->requests++;
	MUST(!fz_forbidden(fz_now, op.value.ptr + 1, op.value.len - 2));
}

/* Lets the leg write at most n bytes and looks at the whole lines. */
static inline void
fz_drain(struct genkan_ctx *ctx, struct fz_peer *p, size_t n)
{
	const void *b;
	size_t have;
	char *lf;

	while (n > 0 && gk_leg_output(p->leg, &b, &have)) {
		have = have < n ? have : n;
		p->in = realloc(p->in, p->len + have);
		MUST(p->in != NULL);
		memcpy(p->in + p->len, b, have);
		p->len += have;
		gk_leg_wrote(p->leg, have);
		n -= have;
	}
	while (p->len > 0 && (lf = memchr(p->in, '\n', p->len)) != NULL) {
		have = (size_t)(lf - p->in);
		if (p->client)
			fz_client_line(ctx, p, p->in, have);
		else
			fz_browser_line(ctx, p, p->in, have);
		p->len -= have + 1;
		memmove(p->in, lf + 1, p->len);
	}
}

/* false: no slot was free. */
static inline bool
fz_attach(struct gk_broker *b, struct fz_peer *p, const char *label)
{
	static const char nonce[] = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
	struct gk_peer f;
	uint8_t raw[32];
	char mac[65], line[512];
	const void *out;
	size_t n;

	memset(p, 0, sizeof(*p));
	memset(&f, 0, sizeof(f));
	f.uid_known = f.uid_ours = f.image.ok = true;
	memcpy(f.image.hash, FZ_HASH, 65);
	f.roles = label == NULL ? GK_ROLE_SERVER : GK_ROLE_HOST;
	if (gk_broker_claim(b) < 0 || gk_broker_accept(b, &f, &p->leg) < 0)
		return false;
	p->client = label == NULL;
	if (gk_leg_output(p->leg, &out, &n))
		gk_leg_wrote(p->leg, n);	/* the challenge */
	gk_hs_mac((const uint8_t *)FZ_SECRET, gk_span(nonce, 32),
	    label == NULL ? gk_span(NULL, 0) : gk_span_str(label), raw);
	gk_hex_encode(mac, raw, sizeof(raw));
	mac[64] = '\0';
	(void)snprintf(line, sizeof(line), label == NULL ?
	    "{\"type\":\"response\",\"mac\":\"%s\"}\n"
	    "{\"attach\":\"client\",\"harness\":{\"hash\":\"" FZ_HASH "\"}}\n" :
	    "{\"type\":\"response\",\"mac\":\"%s\",\"label\":\"%s\"}\n"
	    "{\"attach\":\"browser\"}\n", mac, label);
	(void)fz_feed(p, line, strlen(line));
	return true;
}

static inline void
fz_detach(struct fz_peer *p)
{
	gk_leg_free(p->leg);
	free(p->in);
	memset(p, 0, sizeof(*p));
}

static inline void
fz_open(struct fz_peer *p)
{
	static const char init[] = "{\"jsonrpc\":\"2.0\",\"id\":\"i\","
	    "\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	    "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":"
	    "\"f\",\"version\":\"1\"}}}\n";

	(void)fz_feed(p, init, sizeof(init) - 1);
}

/* A call with an id that does not wait, if the leg takes it. */
static inline void
fz_call(struct fz_peer *p, unsigned id, const char *tool, const char *args)
{
	char line[512];
	int n;

	id %= FZ_IDS;
	if (p->open[id] || (gk_leg_wants(p->leg) & GENKAN_WANT_READ) == 0)
		return;
	n = snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%u,"
	    "\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
	    "\"arguments\":%s,\"_meta\":{\"progressToken\":\"p\"}}}\n", id,
	    tool, args);
	p->open[id] = true;
	if (fz_feed(p, line, (size_t)n) < (size_t)n)
		MUST(!"a leg that wants to read takes one line");
}

#endif
