/*
 * What a client has beside the verbs of every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "addon.h"

static bool
arg_client(struct gkn_call *call, napi_env env, napi_callback_info info,
    struct gkn_box **ret)
{
	return gkn_call_init(call, env, info) &&
	    gkn_arg_box(call, 0, GK_CLIENT, ret);
}

/* clientAttach(client) */
static napi_value
client_attach(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;
	int r;

	if (!arg_client(&call, env, info, &client) || !gkn_enter(&call, client))
		return NULL;
	r = genkan_client_attach(client->ptr);
	if (r < 0)
		gkn_throw(env, call.core, r);
	gkn_leave(&call);
	return gkn_undefined(env);
}

/* clientJoin(client, secret): the leg. */
static napi_value
client_join(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	char *secret = NULL;
	struct gkn_call call;
	napi_value out = NULL;
	genkan_leg *leg;
	int r;

	if (arg_client(&call, env, info, &client) &&
	    gkn_arg_text(&call, 1, &secret) && gkn_enter(&call, client)) {
		r = genkan_client_join(client->ptr, secret, &leg);
		out = r < 0 ? gkn_throw(env, call.core, r) :
		    gkn_box_new(env, GK_LEG, leg, call.core);
		gkn_leave(&call);
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
	uint64_t id;
	int r;

	if (arg_client(&call, env, info, &client) &&
	    gkn_arg_text(&call, 1, &tool) && gkn_arg_text(&call, 2, &args) &&
	    gkn_arg_int(&call, 3, &timeout) && gkn_enter(&call, client)) {
		r = genkan_client_call(client->ptr, tool, args,
		    args == NULL ? 0 : strlen(args), timeout, &id);
		out = r < 0 ? gkn_throw(env, call.core, r) :
		    gkn_int(env, (int64_t)id);
		gkn_leave(&call);
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
	napi_value out;
	uint64_t id;
	int r;

	if (!arg_client(&call, env, info, &client) || !gkn_enter(&call, client))
		return NULL;
	r = genkan_client_tools(client->ptr, &id);
	out = r < 0 ? gkn_throw(env, call.core, r) : gkn_int(env, (int64_t)id);
	gkn_leave(&call);
	return out;
}

/* clientCancel(client, number): was it still to be had? */
static napi_value
client_cancel(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;
	napi_value out;
	int64_t id;
	int r;

	if (!arg_client(&call, env, info, &client) ||
	    !gkn_arg_int(&call, 1, &id) || !gkn_enter(&call, client))
		return NULL;
	r = id < 0 ? GENKAN_E_NOENT :
	    genkan_client_cancel(client->ptr, (uint64_t)id);
	out = r < 0 && r != GENKAN_E_NOENT ? gkn_throw(env, call.core, r) :
	    gkn_bool(env, r == 0);
	gkn_leave(&call);
	return out;
}

/* clientOutstanding(client) */
static napi_value
client_outstanding(napi_env env, napi_callback_info info)
{
	struct gkn_box *client;
	struct gkn_call call;

	if (!arg_client(&call, env, info, &client))
		return NULL;
	return gkn_int(env, (int64_t)genkan_client_outstanding(client->ptr));
}

static const struct gkn_function functions[] = {
	{ "clientAttach", client_attach },
	{ "clientJoin", client_join },
	{ "clientCall", client_call },
	{ "clientTools", client_tools },
	{ "clientCancel", client_cancel },
	{ "clientOutstanding", client_outstanding },
};

bool
gkn_client_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
