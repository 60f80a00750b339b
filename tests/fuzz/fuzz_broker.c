/*
 * The broker as a whole, driven by a script: each byte is an act, with the
 * bytes behind it as its arguments.  Properties:
 *
 *   - a client never gets a reply with an id that it does not wait for; what
 *     goes to a browser is a request or a cancel;
 *   - the gates (wire 9.1): what one of the first five stops is answered at
 *     once, with its code, and no browser hears of it; and whatever waited, no
 *     request goes out that the records of that moment forbid;
 *   - a client that is not admitted any more gets no reply (7.2);
 *   - a hello is the first frame of a leg or severs it (8.5);
 *   - when the script is over and time has passed, every call of a client that
 *     still stands has been answered, and nobody is left in the books.
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
	if (p->client)
		return;
	if (p->spoke && !p->torn && (which == 5 || which == 6))
		MUST((gk_leg_wants(p->leg) & GENKAN_WANT_CLOSE) != 0);
	p->spoke = true;
}

/* All that was allowed so far goes out, so that the rest is judged anew. */
static void
drain_browsers(void)
{
	unsigned i;

	for (i = 0; i < PEERS; i++)
		if (P[i].leg != NULL && !P[i].client)
			fz_drain(ctx, &P[i], SIZE_MAX);
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

	static const bool killed[] = { false, true, true, false, false };
	static const char *const off[] = { NULL, "*", "tab_list" };
	const unsigned t = take(GK_ARRAY_LEN(trust));
	const unsigned q = take(GK_ARRAY_LEN(policy));

	drain_browsers();
	S.trust = trust[t];
	S.policy = policy[q];
	S.killed = killed[t];
	S.off = off[q];
	S.list = t == 3 ? FZ_LISTED : t == 4 ? FZ_REFUSED : t == 1 ?
	    FZ_UNREADABLE : FZ_UNPAIRED;
	S.writes++;
}

/* What the first five gates say of a call: its code, NULL for nothing. */
static const char *
gates(const char *tool, const char *args)
{
	const bool list = strcmp(tool, "list_browsers") == 0;
	const bool eval = strcmp(tool, "page_eval") == 0;

	if (S.killed)
		return "BRIDGE_KILLED";
	if (strstr(args, ":5") != NULL ||
	    (list && strstr(args, "browser") != NULL) ||
	    (strstr(args, "code") != NULL) != eval)
		return "INVALID_ARGUMENT";
	return fz_forbidden(&S, tool, strlen(tool)) ? "TOOL_DISABLED" : NULL;
}

static void
call_and_look(struct fz_peer *p, unsigned id, const char *tool,
    const char *args)
{
	const size_t pending = gk_broker_pending(B);
	const char *code;

	id %= FZ_IDS;
	if (p->open[id] || (gk_leg_wants(p->leg) & GENKAN_WANT_READ) == 0)
		return;
	fz_drain(ctx, p, SIZE_MAX);
	drain_browsers();
	fz_call(p, id, tool, args);
	fz_drain(ctx, p, SIZE_MAX);
	if (S.list == FZ_REFUSED || S.list == FZ_UNREADABLE ||
	    (S.list == FZ_UNPAIRED && p->trusted)) {
		MUST(p->open[id]);
		MUST((gk_leg_wants(p->leg) & GENKAN_WANT_CLOSE) != 0);
		return;
	}
	if (!p->opened || (gk_leg_wants(p->leg) & GENKAN_WANT_CLOSE) != 0)
		return;
	if (strcmp(tool, "nope") == 0) {
		MUST(!p->open[id] && p->code[id][0] == '\0');
		MUST(gk_broker_pending(B) == pending);
	} else if ((code = gates(tool, args)) != NULL) {
		MUST(!p->open[id] && strcmp(p->code[id], code) == 0);
		MUST(gk_broker_pending(B) == pending);
	}
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

	call_and_look(p, take(256), tool[t], args[a]);
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
	p->trusted = S.list == FZ_LISTED;
	p->opened = p->client && what == 3;
	if (p->opened)
		fz_open(p);
}

static void
raw(struct fz_peer *p)
{
	size_t n = take(64);

	n = GK_MIN(n, (size_t)(end - at));
	/* A client's own bytes could ask with any id, so only a browser's. */
	if (!p->client) {
		(void)fz_feed(p, at, n);
		p->torn = true;
	}
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
