/*
 * What a broker has beside the verbs of every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdlib.h>

#include "box.h"
#include "exports.h"
#include "store.h"

/* brokerNew(context, secret, stay, load, version, audit, unixMs) */
static napi_value
broker_new(napi_env env, napi_callback_info info)
{
	genkan_broker_options options = GENKAN_BROKER_OPTIONS_INIT;
	genkan_store table = GENKAN_STORE_INIT;
	genkan_broker *broker = NULL;
	char *secret = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	napi_value out = NULL;
	int64_t stay;
	int r;

	if (gkn_call_on(&call, env, info, GK_CTX, &ctx) &&
	    gkn_arg_text(&call, 1, &secret) && gkn_arg_int(&call, 2, &stay) &&
	    gkn_enter(&call, ctx)) {
		options.secret = secret;
		options.stay = stay != 0;
		r = gkn_arg_store(&call, 3, &table, &options.store) ?
		    genkan_broker_new(ctx->ptr, &options, &broker) :
		    GENKAN_E_INVAL;
		out = gkn_give_made(&call, r, GK_BROKER, broker);
	}
	free(secret);
	return out;
}

static int
accept_facts(struct gkn_box *broker, genkan_ctx *ctx,
    const genkan_peer_facts *facts, genkan_leg **ret)
{
	genkan_peer *peer;
	int r = genkan_peer_new(ctx, facts, &peer);

	if (r < 0)
		return r;
	r = genkan_broker_accept(broker->ptr, peer, ret);
	genkan_peer_free(peer);
	return r;
}

/* brokerAccept(broker, sameUser, roles, pid, hash, path): the leg. */
static napi_value
broker_accept(napi_env env, napi_callback_info info)
{
	genkan_peer_facts facts = GENKAN_PEER_FACTS_INIT;
	char *hash = NULL, *path = NULL;
	int64_t same, roles;
	struct gkn_box *broker;
	struct gkn_call call;
	napi_value out = NULL;
	genkan_leg *leg = NULL;
	int r;

	if (gkn_call_on(&call, env, info, GK_BROKER, &broker) &&
	    gkn_arg_int(&call, 1, &same) &&
	    gkn_arg_range(&call, 2, INT_MIN, INT_MAX, &roles) &&
	    gkn_arg_int(&call, 3, &facts.pid) &&
	    gkn_arg_text(&call, 4, &hash) && gkn_arg_text(&call, 5, &path) &&
	    gkn_enter(&call, broker)) {
		facts.same_user = same != 0;
		facts.roles = (int)roles;
		facts.hash = hash;
		facts.path = path;
		r = accept_facts(broker, call.core->ctx, &facts, &leg);
		out = gkn_give_made(&call, r, GK_LEG, leg);
	}
	free(hash);
	free(path);
	return out;
}

/* brokerCount(broker, 0 for clients, 1 for browsers) */
static napi_value
broker_count(napi_env env, napi_callback_info info)
{
	struct gkn_box *broker;
	struct gkn_call call;
	int64_t which;

	if (!gkn_call_on(&call, env, info, GK_BROKER, &broker) ||
	    !gkn_arg_int(&call, 1, &which) || !gkn_enter(&call, broker))
		return NULL;
	return gkn_give(&call, 0, gkn_int(env, (int64_t)(which == 0 ?
	    genkan_broker_clients(broker->ptr) :
	    genkan_broker_browsers(broker->ptr))));
}

static const struct gkn_function functions[] = {
	{ "brokerNew", broker_new,
	    "context secret stay store.load store.version store.audit store.unixMs" },
	{ "brokerAccept", broker_accept, "this sameUser roles pid hash path" },
	{ "brokerCount", broker_count, "this which" },
};

bool
gkn_broker_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
