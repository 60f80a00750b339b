/*
 * A broker and a client of it in one process, by the public headers alone, with
 * records in memory: for tests that want a connection and no files.
 */
#ifndef GK_TESTS_PAIR_H
#define GK_TESTS_PAIR_H

#include <string.h>

#include "genkan/genkan.h"

#define PAIR_SECRET	"00112233445566778899aabbccddeeff"
#define PAIR_HASH	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

struct pair {
	genkan_ctx	*ctx;
	genkan_broker	*broker;
	genkan_client	*client;
	genkan_peer	*peer;
	genkan_leg	*here, *there;	/* the client's, the broker's */
};

/* What .load of a store says: the client is paired, there is no policy. */
static inline int
pair_load(int record, const void **ptr, size_t *len)
{
	static const char trust[] = "{\"version\":0,\"epoch\":1,"
	    "\"killed\":false,\"kill_epoch\":0,\"host_key_epoch\":0,"
	    "\"policy_epoch\":0,\"lang_epoch\":0,\"clients\":[{\"name\":"
	    "\"alpha\",\"anchor\":{\"kind\":\"hash\",\"value\":\"" PAIR_HASH
	    "\"},\"added_unix\":1}],\"enrollments\":[]}";

	if (record != GENKAN_RECORD_TRUST)
		return GENKAN_E_NOENT;
	*ptr = trust;
	*len = sizeof(trust) - 1;
	return 0;
}

static inline int
pair_move(genkan_leg *from, genkan_leg *to)
{
	const void *ptr;
	size_t len, used;

	if (genkan_leg_output(from, &ptr, &len) != 1 ||
	    genkan_leg_feed(to, ptr, len, &used) < 0 || used == 0)
		return 0;
	genkan_leg_wrote(from, used);
	return 1;
}

/* Until neither has anything to say. */
static inline void
pair_talk(struct pair *p)
{
	while (pair_move(p->here, p->there) + pair_move(p->there, p->here) > 0)
		continue;
}

/* 0, or what failed; then there is a part of it, to be freed all the same.  The
 * client is attached, and has an event that says so. */
static inline int
pair_make(struct pair *p, const genkan_store *store, int stay)
{
	genkan_broker_options o = GENKAN_BROKER_OPTIONS_INIT;
	genkan_peer_facts f = GENKAN_PEER_FACTS_INIT;
	int r;

	o.secret = PAIR_SECRET;
	o.store = store;
	o.stay = stay;
	f.same_user = 1;
	f.hash = PAIR_HASH;
	if ((r = genkan_broker_new(p->ctx, &o, &p->broker)) < 0 ||
	    (r = genkan_client_new(p->ctx, NULL, &p->client)) < 0 ||
	    (r = genkan_peer_new(p->ctx, &f, &p->peer)) < 0 ||
	    (r = genkan_client_join(p->client, PAIR_SECRET, &p->here)) < 0 ||
	    (r = genkan_broker_accept(p->broker, p->peer, &p->there)) < 0)
		return r;
	pair_talk(p);
	return 0;
}

/* The code of a call's result, or what failed before there was one. */
static inline int
pair_call(struct pair *p)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	uint64_t id;
	int r;

	r = genkan_client_call(p->client, "list_browsers", NULL, 0, 0, &id);
	if (r < 0)
		return r;
	pair_talk(p);
	while (genkan_client_next(p->client, &ev) == 1)
		if (ev.kind == GENKAN_EV_RESULT && ev.id == id)
			return ev.code;
	return GENKAN_E_EOF;
}

#define PAIR_DROP(free, what)	do { free(what); (what) = NULL; } while (0)

/* All but the context. */
static inline void
pair_free(struct pair *p)
{
	PAIR_DROP(genkan_leg_free, p->here);
	PAIR_DROP(genkan_leg_free, p->there);
	PAIR_DROP(genkan_peer_free, p->peer);
	PAIR_DROP(genkan_client_free, p->client);
	PAIR_DROP(genkan_broker_free, p->broker);
}

#endif
