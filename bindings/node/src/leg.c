/*
 * Legs and jobs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "box.h"
#include "exports.h"

#define OUTPUT_MAX	(1 << 18)	/* bytes that are copied at once */

/* legFeed(leg, bytes): how many it took. */
static napi_value
leg_feed(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	const void *bytes;
	size_t n, used = 0;
	int r;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) ||
	    !gkn_arg_bytes(&call, 1, &bytes, &n) || !gkn_enter(&call, leg))
		return NULL;
	r = gkn_steady(&call, &bytes, n) ? genkan_leg_feed(leg->ptr, bytes, n,
	    &used) : GENKAN_E_NOMEM;
	return gkn_give(&call, r, gkn_int(env, (int64_t)used));
}

/* legOutput(leg): a copy of what to send next, null for nothing. */
static napi_value
leg_output(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	const void *p = NULL;
	size_t n = 0;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) || !gkn_enter(&call, leg))
		return NULL;
	if (genkan_leg_output(leg->ptr, &p, &n) != 1)
		p = NULL;
	return gkn_give(&call, 0, gkn_buffer(env, p, n < OUTPUT_MAX ? n :
	    OUTPUT_MAX));
}

/* legGather(leg, most): several messages that wait, whole; null for fewer than
 * two, or where they do not fit. */
static napi_value
leg_gather(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	napi_value out;
	int64_t most;
	size_t n = 0;
	void *p;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) ||
	    !gkn_arg_range(&call, 1, 0, OUTPUT_MAX, &most))
		return NULL;
	p = malloc((size_t)most + 1);
	if (p == NULL)
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	if (!gkn_enter(&call, leg)) {
		free(p);
		return NULL;
	}
	out = genkan_leg_gather(leg->ptr, p, (size_t)most, &n) != 1 ?
	    gkn_null(env) : gkn_buffer(env, p, n);
	free(p);
	return gkn_give(&call, 0, out);
}

/* legWrote(leg, n) */
static napi_value
leg_wrote(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	int64_t n;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) ||
	    !gkn_arg_range(&call, 1, 0, INT64_MAX, &n) ||
	    !gkn_enter(&call, leg))
		return NULL;
	genkan_leg_wrote(leg->ptr, (size_t)n);
	return gkn_give(&call, 0, gkn_undefined(env));
}

static napi_value
leg_end(napi_env env, napi_callback_info info, void (*end)(genkan_leg *))
{
	struct gkn_box *leg;
	struct gkn_call call;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) || !gkn_enter(&call, leg))
		return NULL;
	end(leg->ptr);
	return gkn_give(&call, 0, gkn_undefined(env));
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

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) ||
	    !gkn_enter(&call, leg))
		return NULL;
	return gkn_give(&call, 0, gkn_int(env, genkan_leg_wants(leg->ptr)));
}

/* legDeadline(leg): milliseconds, null for none. */
static napi_value
leg_deadline(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	int64_t ms;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) ||
	    !gkn_enter(&call, leg))
		return NULL;
	return gkn_give(&call, 0, genkan_leg_deadline(leg->ptr, &ms) == 1 ?
	    gkn_int(env, ms) : gkn_null(env));
}

/* legTick(leg, now) */
static napi_value
leg_tick(napi_env env, napi_callback_info info)
{
	struct gkn_box *leg;
	struct gkn_call call;
	int64_t now;

	if (!gkn_call_on(&call, env, info, GK_LEG, &leg) ||
	    !gkn_arg_int(&call, 1, &now) || !gkn_enter(&call, leg))
		return NULL;
	genkan_leg_tick(leg->ptr, now);
	return gkn_give(&call, 0, gkn_undefined(env));
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

	if (!gkn_call_on(&call, env, info, GK_JOB, &job))
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
		if (w->work != NULL)
			napi_delete_async_work(env, w->work);
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

	if (!gkn_call_on(&call, env, info, GK_JOB, &job))
		return NULL;
	if (job->running || job->core->busy)
		return gkn_throw(env, NULL, GENKAN_E_STATE);
	gkn_box_close(job);
	return gkn_undefined(env);
}

static const struct gkn_function functions[] = {
	{ "legFeed", leg_feed, "this bytes" },
	{ "legOutput", leg_output, "this" },
	{ "legGather", leg_gather, "this most" },
	{ "legWrote", leg_wrote, "this n" },
	{ "legEof", leg_eof, "this" },
	{ "legBroken", leg_broken, "this" },
	{ "legWants", leg_wants, "this" },
	{ "legDeadline", leg_deadline, "this" },
	{ "legTick", leg_tick, "this ms" },
	{ "jobRun", job_run, "this" },
	{ "jobDone", job_done, "this" },
};

bool
gkn_leg_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
