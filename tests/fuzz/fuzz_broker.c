/*
 * The broker as a whole, driven by a script: each byte is an act, with the
 * bytes behind it as its arguments.  Properties: a client never gets a reply
 * with an id that it does not wait for; what goes to a browser is a request or
 * a cancel; and when the script is over and time has passed, every call of a
 * client that still stands has been answered, and nobody is left in the books.
 */
#include "fuzz_world.h"

#define PEERS	8

static struct genkan_ctx *ctx;
static struct fz_store S;
static struct gk_broker *B;
static struct fz_peer P[PEERS];
static const uint8_t *at, *end;
static int64_t now;

static unsigned
take(unsigned n)
{
	return at < end ? *at++ % n : 0;
}

/* A line of the input itself, or of these, LF included. */
static void
say(struct fz_peer *p)
{
	static const char *const browser[] = {
		"{\"id\":%u,\"ok\":true,\"data\":{\"text\":\"t\"}}\n",
		"{\"id\":%u,\"ok\":true,\"data\":[]}\n",
		"{\"id\":%u,\"ok\":false,\"error\":\"e\"}\n",
		"{\"id\":%u,\"ok\":false,\"error\":\"e\",\"code\":"
		    "\"USER_DENIED\"}\n",
		"{\"type\":\"waiting\",\"id\":%u}\n",
		"{\"type\":\"hello\",\"protocol\":1,\"capabilities\":"
		    "[\"tab_control\"]}\n",
		"{\"type\":\"hello\",\"protocol\":%u}\n",
		"{\"id\":%u,\"ok\":true,\"error\":\"e\"}\n",
	};
	static const char *const client[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		    "\"params\":{\"requestId\":%u}}\n",
		"nope\n", "[]\n", "\n",
		"{\"jsonrpc\":\"2.0\",\"id\":\"s%u\",\"method\":\"ping\"}\n",
	};
	char line[256];
	unsigned which, id = 0;
	int n;

	which = p->client ? take(GK_ARRAY_LEN(client)) :
	    take(GK_ARRAY_LEN(browser));
	id = take(256);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	n = snprintf(line, sizeof(line), p->client ? client[which] :
	    browser[which], id);
#pragma GCC diagnostic pop
	/* A cancelled call is not answered any more. */
	if (p->client && which == 0 &&
	    (gk_leg_wants(p->leg) & GENKAN_WANT_READ) != 0 && id < FZ_IDS &&
	    p->open[id]) {
		fz_drain(ctx, p, SIZE_MAX);
		p->open[id] = false;
	}
	if (p->client && (gk_leg_wants(p->leg) & GENKAN_WANT_READ) == 0)
		return;
	(void)fz_feed(p, line, (size_t)n);
}

static void
records(void)
{
	static const char *const trust[] = {
		NULL,
		"{",
		"{\"version\":0,\"epoch\":1,\"killed\":true,\"kill_epoch\":0,"
		    "\"host_key_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0,"
		    "\"clients\":null,\"enrollments\":[]}",
		"{\"version\":0,\"epoch\":1,\"killed\":false,\"kill_epoch\":0,"
		    "\"host_key_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0,"
		    "\"clients\":[{\"name\":\"c\",\"anchor\":{\"kind\":"
		    "\"hash\",\"value\":\"" FZ_HASH "\"},\"added_unix\":1}],"
		    "\"enrollments\":[]}",
		"{\"version\":0,\"epoch\":1,\"killed\":false,\"kill_epoch\":0,"
		    "\"host_key_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0,"
		    "\"clients\":[],\"enrollments\":[]}",
	};
	static const char *const policy[] = {
		NULL, "{", "{\"version\":0,\"overlay\":{\"disabledTools\":"
		    "[\"tab_list\"]}}",
	};

	S.trust = trust[take(GK_ARRAY_LEN(trust))];
	S.policy = policy[take(GK_ARRAY_LEN(policy))];
	S.writes++;
}

static void
call(struct fz_peer *p)
{
	static const char *const tool[] = {
		"tab_list", "page_snapshot", "list_browsers", "page_eval",
		"nope",
	};
	static const char *const args[] = {
		"{}", "{\"browser\":\"a\"}", "{\"browser\":\"b\"}",
		"{\"browser\":5}", "{\"code\":\"1\"}",
	};
	unsigned t = take(GK_ARRAY_LEN(tool)), a = take(GK_ARRAY_LEN(args));

	fz_call(p, take(256), tool[t], args[a]);
}

static void
attach(struct fz_peer *p)
{
	static const char *const label[] = { "a", "b", "c" };
	unsigned what = take(5);

	fz_detach(p);
	if (!fz_attach(B, p, what < 3 ? label[what] : NULL)) {
		fz_detach(p);
		return;
	}
	fz_drain(ctx, p, SIZE_MAX);
	if (p->client && what == 3)
		fz_open(p);
}

static void
raw(struct fz_peer *p)
{
	size_t n = take(64);

	n = GK_MIN(n, (size_t)(end - at));
	/* A client's own bytes could ask with any id, so only a browser's. */
	if (!p->client)
		(void)fz_feed(p, at, n);
	at += n;
}

static void
act(void)
{
	struct fz_peer *p = &P[take(PEERS)];
	unsigned what = take(12);

	if (what == 0) {
		attach(p);
		return;
	}
	if (what == 1) {
		now += (int64_t)take(256) * take(256);
		gk_broker_tick(B, now);
		return;
	}
	if (what == 2) {
		records();
		return;
	}
	if (p->leg == NULL)
		return;
	switch (what) {
	case 3: fz_detach(p); break;
	case 4: gk_leg_eof(p->leg); break;
	case 5: gk_leg_broken(p->leg); break;
	case 6: fz_drain(ctx, p, take(64)); break;
	case 7: fz_drain(ctx, p, SIZE_MAX); break;
	case 8: raw(p); break;
	case 9: case 10: if (p->client) { call(p); break; }	/* FALLTHROUGH */
	default: say(p); break;
	}
}

static void
finish(void)
{
	unsigned i, id;
	int64_t until = now + 200000, d;

	while ((d = gk_broker_deadline(B)) <= until) {
		now = GK_MAX(d, now);
		gk_broker_tick(B, now);
		for (i = 0; i < PEERS; i++)
			if (P[i].leg != NULL)
				fz_drain(ctx, &P[i], SIZE_MAX);
	}
	for (i = 0; i < PEERS; i++) {
		if (P[i].leg == NULL)
			continue;
		/* Whoever was dropped gets no replies; all others have them. */
		if (P[i].client &&
		    (gk_leg_wants(P[i].leg) & GENKAN_WANT_CLOSE) == 0)
			for (id = 0; id < FZ_IDS; id++)
				MUST(!P[i].open[id]);
		fz_detach(&P[i]);
	}
	MUST(gk_broker_clients(B) == 0);
	MUST(gk_broker_browsers(B) == 0);
	MUST(gk_broker_pending(B) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_store store;

	ctx = fz_ctx();
	fz_store_init(&store, &S);
	B = gk_broker_new(ctx, &store);
	MUST(B != NULL);
	now = 1000;
	at = data;
	end = data + size;
	memset(P, 0, sizeof(P));
	while (at < end)
		act();
	finish();
	gk_broker_free(B);
	gk_ctx_free(ctx);
	return 0;
}
