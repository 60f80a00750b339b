/*
 * Server, broker, host and client: machines that are driven alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "box.h"
#include "exports.h"
#include "store.h"

/* The verbs that all have, by kind. */
static int
machine_next(const struct gkn_box *m, genkan_event *ev)
{
	switch (m->kind) {
	case GK_SERVER:
		return genkan_server_next(m->ptr, ev);
	case GK_HOST:
		return genkan_host_next(m->ptr, ev);
	case GK_BROKER:
		return genkan_broker_next(m->ptr, ev);
	default:
		return genkan_client_next(m->ptr, ev);
	}
}

static int
machine_deadline(const struct gkn_box *m, int64_t *ms)
{
	switch (m->kind) {
	case GK_SERVER:
		return genkan_server_deadline(m->ptr, ms);
	case GK_HOST:
		return genkan_host_deadline(m->ptr, ms);
	case GK_BROKER:
		return genkan_broker_deadline(m->ptr, ms);
	default:
		return genkan_client_deadline(m->ptr, ms);
	}
}

static void
machine_tick(const struct gkn_box *m, int64_t now_ms)
{
	switch (m->kind) {
	case GK_SERVER:
		genkan_server_tick(m->ptr, now_ms);
		break;
	case GK_HOST:
		genkan_host_tick(m->ptr, now_ms);
		break;
	case GK_BROKER:
		genkan_broker_tick(m->ptr, now_ms);
		break;
	default:
		genkan_client_tick(m->ptr, now_ms);
	}
}

static bool
arg_machine(struct gkn_call *call, struct gkn_box **ret)
{
	struct gkn_box *box;

	if (!gkn_arg_any_box(call, 0, &box))
		return false;
	if (box->kind >= GK_SERVER && box->kind <= GK_CLIENT)
		return gkn_arg_box(call, 0, box->kind, ret);
	return gkn_expected(call, 0, "a machine");
}

/* ------------------------------------------------------------------- made of */

/* serverNew(context, clientName, brokerOnly, load, version, audit, unixMs) */
static napi_value
server_new(napi_env env, napi_callback_info info)
{
	genkan_server_options options = GENKAN_SERVER_OPTIONS_INIT;
	genkan_store table = GENKAN_STORE_INIT;
	genkan_server *server = NULL;
	char *name = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	napi_value out;
	int64_t only;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_arg_text(&call, 1, &name) || !gkn_arg_int(&call, 2, &only) ||
	    !gkn_enter(&call, ctx)) {
		free(name);
		return NULL;
	}
	options.client_name = name;
	options.broker_only = only != 0;
	r = gkn_arg_store(&call, 3, &table, &options.store) ?
	    genkan_server_new(ctx->ptr, &options, &server) : GENKAN_E_INVAL;
	out = gkn_give_made(&call, r, GK_SERVER, server);
	free(name);
	return out;
}

/* clientNew(context, programDir) */
static napi_value
client_new(napi_env env, napi_callback_info info)
{
	genkan_client_options options = GENKAN_CLIENT_OPTIONS_INIT;
	genkan_client *client = NULL;
	char *dir = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	napi_value out;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_arg_text(&call, 1, &dir) || !gkn_enter(&call, ctx)) {
		free(dir);
		return NULL;
	}
	options.program_dir = dir;
	r = genkan_client_new(ctx->ptr, &options, &client);
	out = gkn_give_made(&call, r, GK_CLIENT, client);
	free(dir);
	return out;
}

#define HOST_ARGS	6

/* hostNew(context, ...arguments) */
static napi_value
host_new(napi_env env, napi_callback_info info)
{
	char *argv[HOST_ARGS] = { NULL };
	napi_value out = NULL;
	genkan_host *host = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	int argc = 0, r;

	if (gkn_call_on(&call, env, info, GK_CTX, &ctx)) {
		while (argc < HOST_ARGS && !gkn_is_nothing(&call,
		    (size_t)argc + 1) && gkn_arg_text(&call, (size_t)argc + 1,
		    &argv[argc]))
			argc++;
		if ((argc == HOST_ARGS || gkn_is_nothing(&call,
		    (size_t)argc + 1)) && gkn_enter(&call, ctx)) {
			r = genkan_host_new(ctx->ptr, argc,
			    (const char *const *)argv, &host);
			out = gkn_give_made(&call, r, GK_HOST, host);
		}
	}
	while (argc > 0)
		free(argv[--argc]);
	return out;
}

/* -------------------------------------------------------------------- driven */

static napi_value
event_object(napi_env env, struct gkn_core *core, const genkan_event *ev)
{
	napi_value out;

	if (napi_create_object(env, &out) != napi_ok)
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	gkn_set(env, out, "kind", gkn_int(env, ev->kind));
	gkn_set(env, out, "fd", gkn_int(env, ev->fd));
	gkn_set(env, out, "status", gkn_int(env, ev->status));
	gkn_set(env, out, "code", gkn_int(env, ev->code));
	gkn_set(env, out, "id", gkn_int(env, (int64_t)ev->id));
	gkn_set(env, out, "data", gkn_text_n(env, ev->data, ev->len));
	gkn_set(env, out, "text", gkn_text_n(env, ev->text, ev->textlen));
	if (ev->leg != NULL)
		gkn_set(env, out, "leg", gkn_box_new(env, GK_LEG, ev->leg,
		    core));
	if (ev->job != NULL)
		gkn_set(env, out, "job", gkn_box_new(env, GK_JOB, ev->job,
		    core));
	return out;
}

/* next(machine): an event, null for none. */
static napi_value
next(napi_env env, napi_callback_info info)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	struct gkn_box *m;
	struct gkn_call call;
	int r;

	if (!gkn_call_init(&call, env, info) || !arg_machine(&call, &m) ||
	    !gkn_enter(&call, m))
		return NULL;
	r = machine_next(m, &ev);
	return gkn_give(&call, r, r == 1 ? event_object(env, call.core, &ev) :
	    gkn_null(env));
}

/* deadline(machine): milliseconds, null for none. */
static napi_value
deadline(napi_env env, napi_callback_info info)
{
	struct gkn_box *m;
	struct gkn_call call;
	int64_t ms;

	if (!gkn_call_init(&call, env, info) || !arg_machine(&call, &m) ||
	    !gkn_enter(&call, m))
		return NULL;
	return gkn_give(&call, 0, machine_deadline(m, &ms) == 1 ?
	    gkn_int(env, ms) : gkn_null(env));
}

/* tick(machine, now) */
static napi_value
tick(napi_env env, napi_callback_info info)
{
	struct gkn_box *m;
	struct gkn_call call;
	int64_t now;

	if (!gkn_call_init(&call, env, info) || !arg_machine(&call, &m) ||
	    !gkn_arg_int(&call, 1, &now) || !gkn_enter(&call, m))
		return NULL;
	machine_tick(m, now);
	return gkn_give(&call, 0, gkn_undefined(env));
}

/* stdio(machine): a leg the first time, then null. */
static napi_value
stdio(napi_env env, napi_callback_info info)
{
	genkan_leg *leg = NULL;
	struct gkn_box *m;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) || !arg_machine(&call, &m) ||
	    !gkn_enter(&call, m))
		return NULL;
	if (m->kind == GK_SERVER)
		leg = genkan_server_stdio(m->ptr);
	else if (m->kind == GK_HOST)
		leg = genkan_host_stdio(m->ptr);
	return leg == NULL ? gkn_give(&call, 0, gkn_null(env)) :
	    gkn_give_made(&call, 0, GK_LEG, leg);
}

/* stop(machine) */
static napi_value
stop(napi_env env, napi_callback_info info)
{
	struct gkn_box *m;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) || !arg_machine(&call, &m) ||
	    !gkn_enter(&call, m))
		return NULL;
	if (m->kind == GK_SERVER)
		genkan_server_stop(m->ptr);
	else if (m->kind == GK_HOST)
		genkan_host_stop(m->ptr);
	return gkn_give(&call, 0, gkn_undefined(env));
}

static napi_value
machine_state(napi_env env, const struct gkn_box *m)
{
	switch (m->kind) {
	case GK_SERVER:
		return gkn_text(env, genkan_server_role(m->ptr));
	case GK_HOST:
		return gkn_text(env, genkan_host_state(m->ptr));
	case GK_BROKER:
		return gkn_text(env, "");
	default:
		return gkn_int(env, genkan_client_state(m->ptr));
	}
}

/* state(machine): a word; of a client GENKAN_CLIENT_*. */
static napi_value
state(napi_env env, napi_callback_info info)
{
	struct gkn_box *m;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) || !arg_machine(&call, &m) ||
	    !gkn_enter(&call, m))
		return NULL;
	return gkn_give(&call, 0, machine_state(env, m));
}

/* accept(server): was one taken? */
static napi_value
server_accept(napi_env env, napi_callback_info info)
{
	struct gkn_box *m;
	struct gkn_call call;
	int r;

	if (!gkn_call_on(&call, env, info, GK_SERVER, &m) ||
	    !gkn_enter(&call, m))
		return NULL;
	r = genkan_server_accept(m->ptr);
	return gkn_give(&call, r, gkn_bool(env, r == 1));
}

static const struct gkn_function functions[] = {
	{ "serverNew", server_new,
	    "context clientName brokerOnly store.load store.version store.audit store.unixMs" },
	{ "clientNew", client_new, "context programDir" },
	{ "hostNew", host_new, "context argv" },
	{ "next", next, "this" },
	{ "deadline", deadline, "this" },
	{ "tick", tick, "this ms" },
	{ "stdio", stdio, "this" },
	{ "stop", stop, "this" },
	{ "state", state, "this" },
	{ "accept", server_accept, "this" },
};

bool
gkn_machine_export(napi_env env, napi_value exports)
{
	gkn_set(env, exports, "HOST_ARGS", gkn_int(env, HOST_ARGS));
	return GK_EXPORT(env, exports, functions);
}
