/*
 * Every allocation of whole flows through the public API fails, one at a time:
 * the first, the second, and so on, until a run goes through without.
 *
 * Whatever failed, each call ended with a code that it may have, each question
 * has one answer or a connection that is closed, nothing on disk is torn, what
 * is freed gives all memory back, and a second try succeeds, with the same
 * objects where they live on, with new ones where they said that they do not.
 *
 * GENKAN_FAULTS and GENKAN_FAULT: see sweep.h; the latter with everybody's log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"
#include "world.h"

/* Without a value each, which would be megabytes of the program's file, and
 * everybody here measures that all the time. */
static struct actor broker, relay, host, client;
struct actor *const world_cast[] = { &broker, &relay, &host, &client, NULL };

/* Who takes part beside the broker. */
#define HOST	1
#define RELAY	2
#define CLIENT	4
#define PAGE	8	/* of the extension, which asks the host */
#define SAME	16	/* the relay is in the process of the broker */

/* ------------------------------------------------------------- conversations */

#define HEAD(id)	"{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":"

static const char initialize[] = HEAD(1) "\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"a\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
static const char list[] = HEAD(2) "\"tools/list\"}\n";
static const char browsers[] = HEAD(3) "\"tools/call\",\"params\":{\"name\":"
    "\"list_browsers\",\"arguments\":{}}}\n";
static const char tabs[] = HEAD(4) "\"tools/call\",\"params\":{\"name\":"
    "\"tab_list\",\"arguments\":{}}}\n";
static const char cancelled[] = HEAD(5) "\"tools/call\",\"params\":{\"name\":"
    "\"tab_list\",\"arguments\":{}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
    "\"requestId\":5}}\n";

struct asked {
	struct actor	*a;
	int		 id;
};

static bool
is_answered(void *arg)
{
	const struct asked *q = arg;

	return q->a->over || world_answer(q->a, q->id) != NULL;
}

/* It is answered, or the server has ended.  Both are said. */
static const char *
ask(struct actor *a, const char *line, int id)
{
	struct asked q = { a, id };

	if (a->ctx == NULL || a->over)
		return NULL;
	world_say(a, line);
	CHECK(world_until(is_answered, &q));
	return world_answer(a, id);
}

static bool
good(const char *answer)
{
	const char *end, *p;

	if (answer == NULL || (end = strchr(answer, '\n')) == NULL)
		return false;
	p = strstr(answer, "\"result\":");
	if (p == NULL || p > end)
		return false;
	p = strstr(answer, "\"isError\":true");
	return p == NULL || p > end;
}

static bool
is_bridged(void *unused)
{
	(void)unused;
	return host.over || strcmp(genkan_host_state(host.host), "bridge") ==
	    0;
}

static void
converse(struct actor *a, bool strict)
{
	/* The ids of what came before are taken. */
	a->nsaid = 0;
	if (strict) {
		CHECK(good(ask(a, tabs, 4)));
		return;
	}
	(void)ask(a, initialize, 1);
	(void)ask(a, list, 2);
	(void)ask(a, browsers, 3);
	(void)ask(a, tabs, 4);
	if (!a->over && a->ctx != NULL)
		world_say(a, cancelled);
	a->nsaid = 0;
}

/* One that was opened already is not opened anew. */
static void
open_session(struct actor *a)
{
	a->nsaid = 0;
	CHECK(good(ask(a, initialize, 1)));
}

/* --------------------------------------------------------------- the embedder */

static bool
is_decided(void *unused)
{
	(void)unused;
	return genkan_client_state(client.client) != GENKAN_CLIENT_ATTACHING;
}

static bool
has_results(void *arg)
{
	return client.client == NULL ||
	    client.nresults >= *(const size_t *)arg;
}

static int
code_of(uint64_t id)
{
	int code = -1;
	size_t i;

	for (i = 0; i < client.nresults; i++)
		if (client.result[i] == id) {
			CHECK(code == -1);	/* one result, not two */
			code = client.code[i];
		}
	return code;
}

static void
embed(bool strict)
{
	static const char *const args[] = { NULL, " { } ", "{}" };
	uint64_t id[4] = { 0 };
	size_t want = 0, i;
	int tries, r;

	if (client.ctx == NULL)
		return;
	client.nresults = 0;
	for (tries = 0; tries < (strict ? 5 : 1) &&
	    genkan_client_state(client.client) != GENKAN_CLIENT_ATTACHED;
	    tries++) {
		CHECK(genkan_client_attach(client.client) == 0);
		CHECK(world_until(is_decided, NULL));
	}
	if (client.client == NULL)
		return;
	for (i = 0; i < 4; i++) {
		r = i == 3 ? genkan_client_tools(client.client, &id[i]) :
		    genkan_client_call(client.client, i == 0 ?
		    "list_browsers" : "tab_list", args[i],
		    args[i] == NULL ? 0 : strlen(args[i]), 20000, &id[i]);
		CHECK(r == 0 || (r == GENKAN_E_NOMEM && id[i] == 0));
		CHECK(!strict || r == 0);
		want += r == 0;
	}
	/* One is given up. */
	if (id[2] != 0) {
		CHECK(genkan_client_cancel(client.client, id[2]) == 0);
		want--;
	}
	/* Detached, only those with a time end; so all are given up. */
	if (genkan_client_state(client.client) == GENKAN_CLIENT_DETACHED) {
		for (i = 0; i < 4; i++)
			if (id[i] != 0 && i != 2)
				(void)genkan_client_cancel(client.client,
				    id[i]);
		CHECK(!strict);
		CHECK(genkan_client_outstanding(client.client) == 0);
		return;
	}
	CHECK(world_until(has_results, &want));
	if (client.client == NULL)
		return;
	CHECK(client.nresults == want);
	CHECK(code_of(id[2]) == -1 || id[2] == 0);
	for (i = 0; strict && i < 4; i++)
		CHECK(i == 2 || code_of(id[i]) == 0);
}

/* -------------------------------------------------------------------- chains */

static bool
lives(const struct actor *a)
{
	return a->ctx != NULL && !a->over;
}

static void
may_be(int r, bool strict)
{
	CHECK(r == 0 || (!strict && r == GENKAN_E_NOMEM));
}

/* A host that sees a new broker ends, and its browser starts another. */
static void
await_browser(bool strict)
{
	int tries;

	for (tries = 0; tries < 4; tries++) {
		if (!lives(&host)) {
			world_free(&host);
			may_be(world_host(&host), strict);
		}
		if (!lives(&host))
			continue;
		CHECK(world_until(is_bridged, NULL) || !strict);
		if (!host.over || !strict)
			return;
	}
	CHECK(!strict);
}

/* All that take part, where they are not there already. */
static void
gather(int cast, bool strict)
{
	bool fresh_broker = false, fresh_relay = false;
	int i;

	for (i = 0; strict && world_cast[i] != NULL; i++)
		if (world_cast[i]->over)
			world_free(world_cast[i]);
	if (!lives(&broker)) {
		may_be(world_server(&broker, false), strict);
		fresh_broker = true;
	}
	if (strict && fresh_broker)
		open_session(&broker);
	if ((cast & RELAY) != 0 && !lives(&relay)) {
		may_be(world_server(&relay, false), strict);
		fresh_relay = true;
	}
	if (strict && fresh_relay)
		open_session(&relay);
	if ((cast & CLIENT) != 0 && client.ctx == NULL)
		may_be(world_client(&client), strict);
	if ((cast & HOST) != 0)
		await_browser(strict);
}

/* What a page asks, and one of the frames that answer it. */
static const struct question {
	const char	*frame;
	const char	*answer;
	const char	*or;
} questions[] = {
	{ "{\"type\":\"kill_status\"}", "kill_status_result", "" },
	{ "{\"type\":\"policy_get\"}", "policy_current", "" },
	{ "{\"type\":\"client_list\"}", "client_list_result", "" },
	{ "{\"type\":\"audit_read\",\"limit\":5}", "audit_read_result", "" },
	{ "{\"type\":\"enclave_challenge\",\"nonce\":\"abc\"}",
	    "enclave_error", "" },
	{ "{\"type\":\"registration_status\"}",
	    "registration_status_result", "" },
	{ "{\"type\":\"client_revoke\",\"name\":\"py\"}",
	    "client_revoke_result", "" },
	{ "{\"type\":\"client_pair\",\"name\":\"py\",\"anchor\":{\"kind\":"
	    "\"hash\",\"value\":\"0000000000000000000000000000000000000000"
	    "000000000000000000000000\"}}", "client_pair_result",
	    "presence_request" },
	{ "{\"type\":\"policy_set\",\"overlay\":{\"cdpMode\":true}}",
	    "policy_set_result", "presence_request" },
	{ "{\"type\":\"lang_set\",\"value\":\"zh_CN\"}", "lang_current", "" },
};

static bool
is_told(void *arg)
{
	const struct question *q = arg;

	return host.over || world_told(&host, q->answer) ||
	    world_told(&host, q->or);
}

/* It is answered, or the host ends. */
static void
ask_host(bool strict)
{
	struct question q;
	size_t i;

	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (!lives(&host))
			break;
		q = questions[i];
		world_page(&host, q.frame);
		CHECK(world_until(is_told, &q));
	}
	CHECK(!strict || lives(&host));
}

static void
talk(int cast, bool strict)
{
	gather(cast, strict);
	converse(&broker, strict);
	if ((cast & RELAY) != 0)
		converse(&relay, strict);
	if (strict && (cast & RELAY) != 0)
		CHECK(strcmp(genkan_server_role(broker.server),
		    genkan_server_role(relay.server)) != 0);
	if ((cast & CLIENT) != 0)
		embed(strict);
	if ((cast & PAGE) != 0)
		ask_host(strict);
}

static bool
is_over(void *arg)
{
	return ((struct actor *)arg)->over;
}

/* Everybody goes in good order, and nothing of them stays. */
static void
part(void)
{
	struct actor *const servers[] = { &broker, &relay };
	int i;

	world_free(&client);
	if (host.host != NULL) {
		genkan_host_stop(host.host);
		CHECK(world_until(is_over, &host));
	}
	world_free(&host);
	for (i = 1; i >= 0; i--) {
		if (servers[i]->server == NULL)
			continue;
		genkan_server_stop(servers[i]->server);
		CHECK(world_until(is_over, servers[i]));
		world_free(servers[i]);
	}
	CHECK(access(world_at("run/genkan/run.sock"), F_OK) != 0);
	CHECK(access(world_at("run/genkan/run.lock"), F_OK) != 0);
	for (i = 0; world_cast[i] != NULL; i++)
		CHECK(world_cast[i]->mem.live == 0);
}

/* After something went wrong: what comes next is not to suffer for it. */
static void
sweep_up(void)
{
	int i;

	for (i = 0; world_cast[i] != NULL; i++)
		world_free(world_cast[i]);
	world_fresh();
}

/* -------------------------------------------------------------------- flows */

struct flow {
	int		 cast;
	struct actor	*victim;	/* NULL: the process */
};

static size_t
run(const void *arg, struct memory *m, size_t n, bool *failed)
{
	const struct flow *f = arg;
	size_t asked, before;

	if (m == NULL)
		m = &f->victim->mem;
	relay.elsewhere = (f->cast & SAME) == 0;
	before = m->failed;
	asked = m->asked;
	m->fail_at = n;
	talk(f->cast, false);
	m->fail_at = 0;
	asked = m->asked - asked;
	*failed = m->failed != before;
	talk(f->cast, true);
	part();
	return asked;
}

/* Verbs in the middle of an event; none of them may change how it goes on. */
static void
every_verb(struct actor *a)
{
	genkan_event none = { .size = 0 };
	int64_t ms;
	uint64_t id;

	CHECK(genkan_ctx_last_error(a->ctx) != NULL);
	CHECK(genkan_ctx_set_time(a->ctx, 0) == 0);
	if (a->client != NULL) {
		CHECK(genkan_client_next(a->client, &none) == GENKAN_E_INVAL);
		CHECK(genkan_client_deadline(a->client, &ms) >= 0);
		CHECK(genkan_client_state(a->client) >= 0);
		CHECK(genkan_client_call(a->client, "tab_list", "{}", 2, 0,
		    &id) == 0);
		CHECK(genkan_client_cancel(a->client, id) == 0);
		CHECK(genkan_client_cancel(a->client, id) ==
		    GENKAN_E_NOENT);
		genkan_client_tick(a->client, 0);
	} else if (a->server != NULL) {
		CHECK(genkan_server_next(a->server, &none) == GENKAN_E_INVAL);
		CHECK(genkan_server_deadline(a->server, &ms) >= 0);
		CHECK(genkan_server_role(a->server)[0] != '\0');
		CHECK(genkan_server_stdio(a->server) == NULL);
		genkan_server_tick(a->server, 0);
	} else {
		CHECK(genkan_host_next(a->host, &none) == GENKAN_E_INVAL);
		CHECK(genkan_host_deadline(a->host, &ms) >= 0);
		CHECK(genkan_host_state(a->host)[0] != '\0');
		CHECK(genkan_host_stdio(a->host) == NULL);
		genkan_host_tick(a->host, 0);
	}
}

/* Freed while the n-th event is handled; the others go on, and another takes
 * its place. */
static size_t
run_freed(const void *arg, struct memory *m, size_t n, bool *failed)
{
	const struct flow *f = arg;
	struct actor *a = f->victim;
	size_t seen;

	(void)m;
	relay.elsewhere = (f->cast & SAME) == 0;
	a->events = 0;
	a->free_at = n;
	a->first = n % 4 < 2;
	a->reenter = every_verb;
	talk(f->cast, false);
	*failed = n > 0 && a->events >= n;
	seen = a->events;
	a->free_at = 0;
	talk(f->cast, true);
	part();
	a->reenter = NULL;
	return seen;
}

static const struct flow flows[] = {
	{ HOST, &broker }, { HOST, &host }, { HOST | PAGE, &host },
	{ HOST | RELAY, &broker }, { HOST | RELAY, &relay },
	{ HOST | CLIENT, &broker }, { HOST | CLIENT, &client },
	{ HOST, NULL }, { HOST | PAGE, NULL }, { HOST | RELAY, NULL },
	{ HOST | CLIENT, NULL }, { HOST | RELAY | SAME, &relay },
	{ HOST | RELAY | SAME, &broker },
};

#define FLOW(name, i)	{ name, run, &flows[i], false, 0, sweep_up, NULL }
#define FREED(name, i)	{ name, run_freed, &flows[i], false, 0, sweep_up, \
	"events it is freed at" }
#define WHOLE(name, i, whose)	{ name, run, &flows[i], true, whose, sweep_up, NULL }

static const struct sweep sweeps[] = {
	FLOW("broker with a browser", 0),
	FLOW("host of a browser", 1),
	FLOW("control plane of a host", 2),
	FLOW("broker with a relay", 3),
	FLOW("relay", 4),
	FLOW("relay in the broker's process", 11),
	FLOW("broker with a relay in its process", 12),
	FLOW("broker with an embedder", 5),
	FLOW("embedder", 6),
	FREED("a broker in the middle of an event", 0),
	FREED("a host in the middle of an event", 1),
	FREED("a relay in the middle of an event", 4),
	FREED("a relay in the broker's process, likewise", 11),
	FREED("a broker with a relay in its process, likewise", 12),
	FREED("an embedder in the middle of an event", 6),
	WHOLE("broker and host, with jobs", 7, OF_PROGRAM),
	WHOLE("control plane, with jobs", 8, OF_PROGRAM),
	WHOLE("relay, with jobs", 9, OF_PROGRAM),
	WHOLE("embedder, with jobs", 10, OF_PROGRAM),
	WHOLE("OpenSSL under broker and host", 7, OF_CRYPTO),
	WHOLE("OpenSSL under an embedder", 10, OF_CRYPTO),
};

int
main(int argc, char **argv)
{
	int r = world_enter(argv[0]);

	(void)argc;
	if (r >= 0)
		return r;
	return sweep_all(sweeps, sizeof(sweeps) / sizeof(sweeps[0]));
}
