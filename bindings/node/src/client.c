/*
 * What a client has beside the verbs of every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "exports.h"

/* clientAttach(client) */
static napi_value
client_attach(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;

	if (!gkn_call_on(&call, env, info, GK_CLIENT, &client) ||
	    !gkn_enter(&call, client))
		return NULL;
	return gkn_give(&call, genkan_client_attach(client->ptr),
	    gkn_undefined(env));
}

/* clientJoin(client, secret): the leg. */
static napi_value
client_join(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	char *secret = NULL;
	struct gkn_call call;
	napi_value out = NULL;
	genkan_leg *leg = NULL;
	int r;

	if (gkn_call_on(&call, env, info, GK_CLIENT, &client) &&
	    gkn_arg_text(&call, 1, &secret) && gkn_enter(&call, client)) {
		r = genkan_client_join(client->ptr, secret, &leg);
		out = gkn_give_made(&call, r, GK_LEG, leg);
	}
	free(secret);
	return out;
}

/* clientCall(client, tool, arguments as JSON, timeout): its number. */
static napi_value
client_call(napi_env env, napi_callback_info info)
{
	char *tool = NULL, *args = NULL;
	struct gkn_box *client;
	struct gkn_call call;
	napi_value out = NULL;
	int64_t timeout;
	uint64_t id = 0;
	int r;

	if (gkn_call_on(&call, env, info, GK_CLIENT, &client) &&
	    gkn_arg_text(&call, 1, &tool) && gkn_arg_text(&call, 2, &args) &&
	    gkn_arg_int(&call, 3, &timeout) && gkn_enter(&call, client)) {
		r = genkan_client_call(client->ptr, tool, args,
		    args == NULL ? 0 : strlen(args), timeout, &id);
		out = gkn_give(&call, r, gkn_int(env, (int64_t)id));
	}
	free(tool);
	free(args);
	return out;
}

/* clientTools(client): the number of the question. */
static napi_value
client_tools(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;
	uint64_t id = 0;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CLIENT, &client) ||
	    !gkn_enter(&call, client))
		return NULL;
	r = genkan_client_tools(client->ptr, &id);
	return gkn_give(&call, r, gkn_int(env, (int64_t)id));
}

/* clientCancel(client, number): was it still to be had? */
static napi_value
client_cancel(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;
	int64_t id;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CLIENT, &client) ||
	    !gkn_arg_int(&call, 1, &id) || !gkn_enter(&call, client))
		return NULL;
	r = id < 0 ? GENKAN_E_NOENT :
	    genkan_client_cancel(client->ptr, (uint64_t)id);
	return gkn_give(&call, r == GENKAN_E_NOENT ? 0 : r,
	    gkn_bool(env, r == 0));
}

/* clientOutstanding(client) */
static napi_value
client_outstanding(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;

	if (!gkn_call_on(&call, env, info, GK_CLIENT, &client) ||
	    !gkn_enter(&call, client))
		return NULL;
	return gkn_give(&call, 0, gkn_int(env,
	    (int64_t)genkan_client_outstanding(client->ptr)));
}

static const struct gkn_function functions[] = {
	{ "clientAttach", client_attach, "this" },
	{ "clientJoin", client_join, "this secret" },
	{ "clientCall", client_call, "this tool args timeout" },
	{ "clientTools", client_tools, "this" },
	{ "clientCancel", client_cancel, "this id" },
	{ "clientOutstanding", client_outstanding, "this" },
};

bool
gkn_client_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
