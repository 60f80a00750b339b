/*
 * Acts that hand back a report: who may drive the browser, the policy, this
 * machine.  They touch files and may wait for a lock or a person, so each runs
 * on a thread of the pool, with a context of its own that knows no JavaScript.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "exports.h"

#define VALUES	32		/* more than a policy has fields */

/* What an act is given. */
struct args {
	char	*text[VALUES];
	size_t	 texts;
	int64_t	 number;
};

typedef int act_fn(genkan_ctx *, const struct args *, genkan_report **);

/* text: name, hash, signer; number: measure the parent. */
static int
act_pair(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	genkan_pair_options options = GENKAN_PAIR_OPTIONS_INIT;

	options.name = a->text[0];
	options.hash = a->text[1];
	options.signer = a->text[2];
	options.this_parent = a->number != 0;
	return genkan_trust_pair(ctx, &options, ret);
}

static void
register_options(genkan_register_options *o, const struct args *a)
{
	o->browsers = a->text[0];
	o->dirs = (const char *const *)&a->text[1];
	o->ndirs = a->text[1] != NULL;
	o->all = (a->number & 1) != 0;
	o->system = (a->number & 2) != 0;
}

static int
act_register(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	genkan_register_options options = GENKAN_REGISTER_OPTIONS_INIT;

	register_options(&options, a);
	return genkan_register_write(ctx, &options, ret);
}

static int
act_unregister(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	genkan_register_options options = GENKAN_REGISTER_OPTIONS_INIT;

	register_options(&options, a);
	return genkan_register_remove(ctx, &options, ret);
}

static int
act_set(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return genkan_policy_set(ctx, (const char *const *)a->text, a->texts,
	    ret);
}

static int
act_restrict(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return genkan_policy_restrict(ctx, (const char *const *)a->text,
	    a->texts, ret);
}

static int
act_rollback(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	if (a->number < 0)
		return GENKAN_E_INVAL;
	return genkan_policy_rollback(ctx, (uint64_t)a->number, a->text[0],
	    ret);
}

static int
act_audit(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return a->number < 0 ? GENKAN_E_INVAL :
	    genkan_audit_read(ctx, (size_t)a->number, 1, ret);
}

static int
act_revoke(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return genkan_trust_revoke(ctx, a->text[0], ret);
}

static int
act_revoke_browser(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return genkan_trust_revoke_browser(ctx, a->text[0], ret);
}

static int
act_language(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return genkan_lang_set(ctx, a->text[0], ret);
}

static int
act_key(genkan_ctx *ctx, const struct args *a, genkan_report **ret)
{
	return genkan_key_pair(ctx, (uint32_t)a->number, ret);
}

/* Either a function of ours, or one of the library that is given nothing. */
static const struct act {
	const char	*name;
	act_fn		*fn;
	int	       (*plain)(genkan_ctx *, genkan_report **);
} acts[] = {
	{ "kill", NULL, genkan_kill_engage },
	{ "unkill", NULL, genkan_kill_release },
	{ "clients", NULL, genkan_trust_list },
	{ "pair", act_pair, NULL },
	{ "revoke", act_revoke, NULL },
	{ "revokeBrowser", act_revoke_browser, NULL },
	{ "revokeAll", NULL, genkan_trust_revoke_all },
	{ "audit", act_audit, NULL },
	{ "pairHostKey", act_key, NULL },
	{ "hostKey", NULL, genkan_key_status },
	{ "policyShow", NULL, genkan_policy_show },
	{ "policyHistory", NULL, genkan_policy_history },
	{ "policySet", act_set, NULL },
	{ "policyRestrict", act_restrict, NULL },
	{ "policyRollback", act_rollback, NULL },
	{ "language", NULL, genkan_lang_show },
	{ "setLanguage", act_language, NULL },
	{ "doctor", NULL, genkan_doctor_check },
	{ "browsers", NULL, genkan_doctor_list },
	{ "paths", NULL, genkan_doctor_paths },
	{ "register", act_register, NULL },
	{ "unregister", act_unregister, NULL },
};

struct work {
	napi_async_work		 work;
	napi_deferred		 deferred;
	const struct act	*act;
	struct args		 args;
	genkan_ctx		*ctx;
	genkan_report		*report;
	int			 r;
};

static void
work_free(napi_env env, struct work *w)
{
	size_t i;

	genkan_report_free(w->report);
	genkan_ctx_free(w->ctx);
	for (i = 0; i < VALUES; i++)
		free(w->args.text[i]);
	if (w->work != NULL)
		napi_delete_async_work(env, w->work);
	free(w);
}

static void
work_run(napi_env env, void *data)
{
	struct work *w = data;

	(void)env;
	w->r = w->act->fn != NULL ? w->act->fn(w->ctx, &w->args, &w->report) :
	    w->act->plain(w->ctx, &w->report);
}

static napi_value
report_object(napi_env env, const genkan_report *report)
{
	napi_value out;

	if (napi_create_object(env, &out) != napi_ok)
		return gkn_undefined(env);
	gkn_set(env, out, "status", gkn_int(env, genkan_report_status(report)));
	gkn_set(env, out, "text", gkn_text(env, genkan_report_text(report)));
	gkn_set(env, out, "warnings", gkn_text(env,
	    genkan_report_warnings(report)));
	gkn_set(env, out, "json", gkn_text(env, genkan_report_json(report)));
	return out;
}

static void
work_done(napi_env env, napi_status status, void *data)
{
	struct work *w = data;
	napi_value error;

	if (status == napi_ok && w->r >= 0) {
		napi_resolve_deferred(env, w->deferred,
		    report_object(env, w->report));
	} else {
		gkn_throw(env, genkan_ctx_last_error(w->ctx),
		    status == napi_ok ? w->r : GENKAN_E_CANCELED);
		if (napi_get_and_clear_last_exception(env, &error) == napi_ok)
			napi_reject_deferred(env, w->deferred, error);
	}
	work_free(env, w);
}

static bool
args_get(struct gkn_call *call, struct args *a)
{
	struct gkn_call one = { .env = call->env, .names = "texts" };
	uint32_t n = 0, i;

	if (!gkn_arg_int(call, 1, &a->number))
		return false;
	if (gkn_is_nothing(call, 2))
		return true;
	if (napi_get_array_length(call->env, call->argv[2], &n) != napi_ok ||
	    n > VALUES)
		return gkn_expected(call, 2, "an array of strings");
	a->texts = n;
	for (i = 0; i < n; i++)
		if (napi_get_element(call->env, call->argv[2], i,
		    &one.argv[0]) != napi_ok ||
		    !gkn_arg_text(&one, 0, &a->text[i]))
			return false;
	return true;
}

/* report(name, number, [texts], programDir): a promise. */
static napi_value
report(napi_env env, napi_callback_info info)
{
	genkan_ctx_options options = GENKAN_CTX_OPTIONS_INIT;
	napi_value label, promise;
	char *name = NULL, *dir = NULL;
	struct gkn_call call;
	struct work *w;
	size_t i;
	int r;

	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	if (!gkn_call_init(&call, env, info) || !gkn_arg_text(&call, 0, &name) ||
	    !args_get(&call, &w->args) || !gkn_arg_text(&call, 3, &dir))
		goto fail;
	options.program_dir = dir;
	for (i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (name != NULL && strcmp(name, acts[i].name) == 0)
			w->act = &acts[i];
	r = w->act == NULL ? GENKAN_E_INVAL : genkan_ctx_new(&options, &w->ctx);
	if (r < 0) {
		gkn_throw(env, NULL, r);
		goto fail;
	}
	label = gkn_text(env, "genkan:report");
	if (napi_create_async_work(env, NULL, label, work_run, work_done, w,
	    &w->work) != napi_ok ||
	    napi_create_promise(env, &w->deferred, &promise) != napi_ok ||
	    napi_queue_async_work(env, w->work) != napi_ok) {
		gkn_throw(env, NULL, GENKAN_E_NOMEM);
		goto fail;
	}
	free(name);
	free(dir);
	return promise;
fail:
	free(name);
	free(dir);
	work_free(env, w);
	return NULL;
}

/* policyFields(): [[field, flag]...]. */
static napi_value
policy_fields(napi_env env, napi_callback_info info)
{
	napi_value out, pair;
	const char *name;
	uint32_t i;

	(void)info;
	if (napi_create_array(env, &out) != napi_ok)
		return NULL;
	for (i = 0; (name = genkan_policy_field(i)) != NULL; i++) {
		if (napi_create_array(env, &pair) != napi_ok)
			return NULL;
		napi_set_element(env, pair, 0, gkn_text(env, name));
		napi_set_element(env, pair, 1, gkn_text(env,
		    genkan_policy_flag(i)));
		napi_set_element(env, out, i, pair);
	}
	return out;
}

static const struct gkn_function functions[] = {
	{ "report", report, "name number texts programDir" },
	{ "policyFields", policy_fields, "" },
};

bool
gkn_report_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
