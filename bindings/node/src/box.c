/*
 * Boxes and cores: who frees what when.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "box.h"

static const napi_type_tag box_tag = {
	0x6b4e8c1f5a0d4e27, 0x9c3b7f16d2a85e40
};

static void
box_free(enum gkn_kind kind, void *ptr)
{
	switch (kind) {
	case GK_NATIVE:
		genkan_native_free(ptr);
		break;
	case GK_LEG:
		genkan_leg_free(ptr);
		break;
	case GK_JOB:
		genkan_job_done(ptr);
		break;
	case GK_SERVER:
		genkan_server_free(ptr);
		break;
	case GK_HOST:
		genkan_host_free(ptr);
		break;
	case GK_BROKER:
		genkan_broker_free(ptr);
		break;
	case GK_CLIENT:
		genkan_client_free(ptr);
		break;
	case GK_CREDENTIAL:
		genkan_credential_free(ptr);
		break;
	case GK_CTX:		/* the core frees it, with the last box */
	case GK_KINDS:
		break;
	}
}

void
gkn_core_unref(struct gkn_core *core)
{
	if (--core->refs > 0)
		return;
	core->quiet = true;
	genkan_ctx_free(core->ctx);
	if (core->log != NULL)
		napi_delete_reference(core->env, core->log);
	if (core->random != NULL)
		napi_delete_reference(core->env, core->random);
	free(core);
}

void
gkn_unboxed(struct gkn_core *core, enum gkn_kind kind, void *ptr)
{
	core->refs++;
	box_free(kind, ptr);
	gkn_core_unref(core);
}

/* Frees a box that nobody uses. */
static void
box_end(struct gkn_box *box)
{
	struct gkn_core *core = box->core;
	void *ptr = box->ptr;

	box->core = NULL;
	box->ptr = NULL;
	core->busy = true;
	box_free(box->kind, ptr);
	core->busy = false;
	if (box->gone)
		free(box);
	gkn_core_unref(core);
}

/* Frees what was put aside, and gives up the caller's hold on the core. */
static void
core_settle(struct gkn_core *core)
{
	struct gkn_box *box;

	while ((box = core->dead) != NULL) {
		core->dead = box->next;
		box_end(box);
	}
	gkn_core_unref(core);
}

/*
 * Closed by a callback of the very context: put aside, since the library is at
 * work with it.  For JavaScript it is closed all the same.  Freeing may call
 * back as well, so that there is something aside afterwards.
 */
void
gkn_box_close(struct gkn_box *box)
{
	struct gkn_core *core = box->core;
	struct gkn_box *aside;

	if (core == NULL)
		return;
	if (!core->busy) {
		core->refs++;
		box_end(box);
		core_settle(core);
		return;
	}
	aside = box;
	if (!box->gone) {
		aside = malloc(sizeof(*aside));
		if (aside == NULL)
			return;		/* open until the collector comes */
		*aside = *box;
		aside->gone = true;
		box->ptr = NULL;
		box->core = NULL;
	}
	aside->next = core->dead;
	core->dead = aside;
}

bool
gkn_enter(struct gkn_call *call, struct gkn_box *box)
{
	if (box->core->busy) {
		gkn_throw(call->env, NULL, GENKAN_E_STATE);
		return false;
	}
	call->copies = NULL;
	call->core = box->core;		/* a callback may close the box */
	call->core->busy = true;
	call->core->refs++;
	return true;
}

struct gkn_copy {
	struct gkn_copy	*next;
	unsigned char	 bytes[];
};

bool
gkn_steady(struct gkn_call *call, const void **bytes, size_t n)
{
	struct gkn_copy *copy;

	if (!call->core->calls || n == 0)
		return true;
	copy = malloc(sizeof(*copy) + n);
	if (copy == NULL)
		return false;
	memcpy(copy->bytes, *bytes, n);
	*bytes = copy->bytes;
	copy->next = call->copies;
	call->copies = copy;
	return true;
}

void
gkn_leave(struct gkn_call *call)
{
	struct gkn_copy *copy;

	while ((copy = call->copies) != NULL) {
		call->copies = copy->next;
		free(copy);
	}
	call->core->busy = false;
	core_settle(call->core);
}

napi_value
gkn_give(struct gkn_call *call, int r, napi_value v)
{
	if (r < 0)
		v = gkn_throw(call->env,
		    genkan_ctx_last_error(call->core->ctx), r);
	gkn_leave(call);
	return v;
}

napi_value
gkn_give_made(struct gkn_call *call, int r, enum gkn_kind kind, void *ptr)
{
	return gkn_give(call, r, r < 0 ? NULL : gkn_box_new(call->env, kind,
	    ptr, call->core));
}

static void
box_gone(napi_env env, void *data, void *hint)
{
	struct gkn_box *box = data;
	struct gkn_core *core = box->core;
	bool quiet;

	(void)env;
	(void)hint;
	box->gone = true;
	if (box->running)	/* whoever runs it frees it */
		return;
	if (core == NULL) {
		free(box);
		return;
	}
	quiet = core->quiet;
	core->quiet = true;
	core->refs++;
	gkn_box_close(box);
	core->quiet = quiet;
	gkn_core_unref(core);
}

napi_value
gkn_box_new(napi_env env, enum gkn_kind kind, void *ptr, struct gkn_core *core)
{
	struct gkn_box *box = calloc(1, sizeof(*box));
	napi_value v;

	if (box == NULL) {
		gkn_unboxed(core, kind, ptr);
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	}
	box->kind = kind;
	box->ptr = ptr;
	box->core = core;
	core->refs++;
	if (napi_create_external(env, box, box_gone, NULL, &v) == napi_ok) {
		napi_type_tag_object(env, v, &box_tag);
		return v;
	}
	box->gone = true;
	gkn_box_close(box);
	return gkn_throw(env, NULL, GENKAN_E_NOMEM);
}

/* What another addon has made is no box: nothing is read before the tag. */
bool
gkn_arg_any_box(struct gkn_call *call, size_t i, struct gkn_box **ret)
{
	napi_valuetype type;
	bool ours = false;
	void *p = NULL;

	if (napi_typeof(call->env, call->argv[i], &type) == napi_ok &&
	    type == napi_external &&
	    napi_check_object_type_tag(call->env, call->argv[i], &box_tag,
	    &ours) == napi_ok && ours &&
	    napi_get_value_external(call->env, call->argv[i], &p) == napi_ok) {
		*ret = p;
		return true;
	}
	return gkn_expected(call, i, "a handle");
}

bool
gkn_arg_box(struct gkn_call *call, size_t i, enum gkn_kind kind,
    struct gkn_box **ret)
{
	struct gkn_box *box;

	if (!gkn_arg_any_box(call, i, &box))
		return false;
	if (box->kind != kind)
		return gkn_expected(call, i, "a handle of its kind");
	if (box->ptr == NULL) {
		gkn_throw(call->env, NULL, GENKAN_E_CLOSED);
		return false;
	}
	*ret = box;
	return true;
}

bool
gkn_call_on(struct gkn_call *call, napi_env env, napi_callback_info info,
    enum gkn_kind kind, struct gkn_box **ret)
{
	return gkn_call_init(call, env, info) &&
	    gkn_arg_box(call, 0, kind, ret);
}

/* Nothing is called where an exception is on its way already, nor by the
 * collector. */
bool
gkn_may_call(struct gkn_core *core, napi_handle_scope *scope)
{
	bool pending = true;

	return !core->quiet && napi_is_exception_pending(core->env,
	    &pending) == napi_ok && !pending &&
	    napi_open_handle_scope(core->env, scope) == napi_ok;
}
