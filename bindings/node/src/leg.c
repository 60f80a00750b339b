/*
 * Legs and jobs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "addon.h"

#define OUTPUT_MAX	(1 << 18)	/* bytes that are copied at once */

/* legFeed(leg, bytes): how many it took. */
static napi_value
leg_feed(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	const void *bytes;
	napi_value out;
	size_t n, used = 0;
	int r;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_LEG, &leg) ||
	    !gkn_arg_bytes(&call, 1, &bytes, &n) || !gkn_enter(&call, leg))
		return NULL;
	r = genkan_leg_feed(leg->ptr, bytes, n, &used);
	out = r < 0 ? gkn_throw(env, call.core, r) : gkn_int(env, (int64_t)used);
	gkn_leave(&call);
	return out;
}

/* legOutput(leg): a copy of what to send next, null for nothing. */
static napi_value
leg_output(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	const void *p = NULL;
	napi_value out;
	size_t n = 0;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_LEG, &leg) || !gkn_enter(&call, leg))
		return NULL;
	if (genkan_leg_output(leg->ptr, &p, &n) != 1)
		p = NULL;
	out = gkn_buffer(env, p, n < OUTPUT_MAX ? n : OUTPUT_MAX);
	gkn_leave(&call);
	return out;
}

/* legWrote(leg, n) */
static napi_value
leg_wrote(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	int64_t n;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_LEG, &leg) || !gkn_arg_int(&call, 1, &n) ||
	    !gkn_enter(&call, leg))
		return NULL;
	genkan_leg_wrote(leg->ptr, n < 0 ? 0 : (size_t)n);
	gkn_leave(&call);
	return gkn_undefined(env);
}

static napi_value
leg_end(napi_env env, napi_callback_info info, void (*end)(genkan_leg *))
{
	struct gkn_box *leg;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_LEG, &leg) || !gkn_enter(&call, leg))
		return NULL;
	end(leg->ptr);
	gkn_leave(&call);
	return gkn_undefined(env);
}

static napi_value
leg_eof(napi_env env, napi_callback_info info)
{
	return leg_end(env, info, genkan_leg_eof);
}

static napi_value
leg_broken(napi_env env, napi_callback_info info)
{
	return leg_end(env, info, genkan_leg_broken);
}

/* legWants(leg): GENKAN_WANT_* bits. */
static napi_value
leg_wants(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_LEG, &leg))
		return NULL;
	return gkn_int(env, genkan_leg_wants(leg->ptr));
}

/* ---------------------------------------------------------------------- jobs */

struct work {
	napi_async_work	 work;
	napi_deferred	 deferred;
	napi_ref	 keep;		/* the handle, while it runs */
	struct gkn_box	*job;
};

static void
work_run(napi_env env, void *data)
{
	struct work *w = data;

	(void)env;
	genkan_job_run(w->job->ptr);
}

static void
work_done(napi_env env, napi_status status, void *data)
{
	struct work *w = data;

	(void)status;		/* cancelled: it was not run */
	w->job->running = false;
	if (w->job->gone) {	/* the environment is going */
		gkn_box_close(w->job);
	} else {
		napi_resolve_deferred(env, w->deferred, gkn_undefined(env));
		napi_delete_reference(env, w->keep);
	}
	napi_delete_async_work(env, w->work);
	free(w);
}

/* jobRun(job): a promise; on a thread of the pool. */
static napi_value
job_run(napi_env env, napi_callback_info info)
{
	napi_value name, promise;
	struct gkn_box *job;
	struct gkn_call call;
	struct work *w;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_JOB, &job))
		return NULL;
	if (job->running)
		return gkn_throw(env, NULL, GENKAN_E_STATE);
	w = calloc(1, sizeof(*w));
	name = gkn_text(env, "genkan:job");
	if (w == NULL || name == NULL) {
		free(w);
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	}
	w->job = job;
	if (napi_create_reference(env, call.argv[0], 1, &w->keep) != napi_ok ||
	    napi_create_promise(env, &w->deferred, &promise) != napi_ok ||
	    napi_create_async_work(env, NULL, name, work_run, work_done, w,
	    &w->work) != napi_ok ||
	    napi_queue_async_work(env, w->work) != napi_ok) {
		if (w->keep != NULL)
			napi_delete_reference(env, w->keep);
		free(w);
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	}
	job->running = true;
	return promise;
}

/* jobDone(job): hands it back. */
static napi_value
job_done(napi_env env, napi_callback_info info)
{
	struct gkn_box *job;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_box(&call, 0, GK_JOB, &job))
		return NULL;
	if (job->running || job->core->busy)
		return gkn_throw(env, NULL, GENKAN_E_STATE);
	gkn_box_close(job);
	return gkn_undefined(env);
}

static const struct gkn_function functions[] = {
	{ "legFeed", leg_feed },
	{ "legOutput", leg_output },
	{ "legWrote", leg_wrote },
	{ "legEof", leg_eof },
	{ "legBroken", leg_broken },
	{ "legWants", leg_wants },
	{ "jobRun", job_run },
	{ "jobDone", job_done },
};

bool
gkn_leg_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
