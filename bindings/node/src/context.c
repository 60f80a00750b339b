/*
 * Contexts, and their callbacks into JavaScript.
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "exports.h"

/* ----------------------------------------------------------------- callbacks */

static void
on_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	struct gkn_core *core = user;
	napi_handle_scope scope;
	napi_value fn, argv[4];

	if (!gkn_may_call(core, &scope))
		return;
	argv[0] = gkn_int(core->env, level);
	argv[1] = gkn_text(core->env, tag);
	argv[2] = gkn_text(core->env, id);
	argv[3] = gkn_text(core->env, text);
	if (napi_get_reference_value(core->env, core->log, &fn) == napi_ok)
		napi_call_function(core->env, gkn_undefined(core->env), fn, 4,
		    argv, NULL);
	napi_close_handle_scope(core->env, scope);
}

static int
on_random(void *user, void *buf, size_t len)
{
	struct gkn_core *core = user;
	napi_typedarray_type type;
	napi_handle_scope scope;
	napi_value fn, n, v;
	size_t got = 0;
	bool is = false;
	void *p = NULL;
	int r = -1;

	if (!gkn_may_call(core, &scope))
		return -1;
	n = gkn_int(core->env, (int64_t)len);
	if (napi_get_reference_value(core->env, core->random, &fn) ==
	    napi_ok && napi_call_function(core->env, gkn_undefined(core->env),
	    fn, 1, &n, &v) == napi_ok &&
	    napi_is_typedarray(core->env, v, &is) == napi_ok && is &&
	    napi_get_typedarray_info(core->env, v, &type, &got, &p, NULL,
	    NULL) == napi_ok && type == napi_uint8_array && got == len) {
		memcpy(buf, p, len);
		r = 0;
	}
	napi_close_handle_scope(core->env, scope);
	return r;
}

/* ----------------------------------------------------------------- functions */

static void
core_free(struct gkn_core *core)
{
	core->ctx = NULL;
	core->refs = 1;
	gkn_core_unref(core);
}

/* contextNew(log, level, random, programDir) */
static napi_value
context_new(napi_env env, napi_callback_info info)
{
	genkan_ctx_options options = GENKAN_CTX_OPTIONS_INIT;
	struct gkn_core *core = calloc(1, sizeof(*core));
	struct gkn_call call;
	char *dir = NULL;
	int64_t level;
	int r;

	if (core == NULL)
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	core->env = env;
	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_range(&call, 1, INT_MIN, INT_MAX, &level) ||
	    !gkn_keep(&call, 0, &core->log) ||
	    !gkn_keep(&call, 2, &core->random) ||
	    !gkn_arg_text(&call, 3, &dir)) {
		core_free(core);
		return NULL;
	}
	options.user = core;
	options.log_fn = core->log != NULL ? on_log : NULL;
	options.random_fn = core->random != NULL ? on_random : NULL;
	core->calls = core->log != NULL || core->random != NULL;
	options.log_level = (int)level;
	options.program_dir = dir;
	r = genkan_ctx_new(&options, &core->ctx);
	free(dir);
	if (r < 0) {
		core_free(core);
		return gkn_throw(env, NULL, r);
	}
	return gkn_box_new(env, GK_CTX, core->ctx, core);
}

static napi_value
context_time(napi_env env, napi_callback_info info)
{
	struct gkn_box *ctx;
	struct gkn_call call;
	int64_t now;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_arg_int(&call, 1, &now) || !gkn_enter(&call, ctx))
		return NULL;
	return gkn_give(&call, genkan_ctx_set_time(ctx->ptr, now),
	    gkn_undefined(env));
}

static napi_value
context_last_error(napi_env env, napi_callback_info info)
{
	struct gkn_box *ctx;
	struct gkn_call call;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_enter(&call, ctx))
		return NULL;
	return gkn_give(&call, 0, gkn_text(env, genkan_ctx_last_error(
	    ctx->ptr)));
}

/* peerQuery(context, fd, dir): the facts as an object. */
static napi_value
peer_query(napi_env env, napi_callback_info info)
{
	napi_value out = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	genkan_peer *peer;
	char *dir = NULL;
	int64_t fd;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_arg_range(&call, 1, INT_MIN, INT_MAX, &fd) ||
	    !gkn_arg_text(&call, 2, &dir) || !gkn_enter(&call, ctx)) {
		free(dir);
		return NULL;
	}
	r = genkan_peer_query(ctx->ptr, (int)fd, dir, &peer);
	free(dir);
	if (r >= 0 && napi_create_object(env, &out) == napi_ok) {
		gkn_set(env, out, "sameUser", gkn_bool(env,
		    genkan_peer_same_user(peer) == 1));
		gkn_set(env, out, "pid", gkn_int(env, genkan_peer_pid(peer)));
		gkn_set(env, out, "hash", gkn_text(env, genkan_peer_hash(peer)));
		gkn_set(env, out, "path", gkn_text(env, genkan_peer_path(peer)));
		gkn_set(env, out, "roles", gkn_int(env, genkan_peer_roles(peer)));
		gkn_set(env, out, "why", gkn_text(env, genkan_peer_why(peer)));
	}
	if (r >= 0)
		genkan_peer_free(peer);
	return gkn_give(&call, r, out);
}

/* close(handle): twice is harmless. */
static napi_value
box_close(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	struct gkn_box *box;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_any_box(&call, 0, &box))
		return NULL;
	if (!box->running)
		gkn_box_close(box);
	return gkn_undefined(env);
}

static const struct gkn_function functions[] = {
	{ "contextNew", context_new, "log logLevel random programDir" },
	{ "contextTime", context_time, "this ms" },
	{ "contextLastError", context_last_error, "this" },
	{ "peerQuery", peer_query, "context fd dir" },
	{ "close", box_close, "this" },
};

bool
gkn_context_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
