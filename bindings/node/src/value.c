/*
 * Values between C and JavaScript, and errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "addon.h"

static const napi_type_tag box_tag = {
	0x6b4e8c1f5a0d4e27, 0x9c3b7f16d2a85e40
};

bool
gkn_call_init(struct gkn_call *call, napi_env env, napi_callback_info info)
{
	call->env = env;
	call->argc = GK_ARGS;
	return napi_get_cb_info(env, info, &call->argc, call->argv,
	    &call->self, NULL) == napi_ok;
}

bool
gkn_is_nothing(struct gkn_call *call, size_t i)
{
	napi_valuetype type;

	return napi_typeof(call->env, call->argv[i], &type) != napi_ok ||
	    type == napi_undefined || type == napi_null;
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
	gkn_type_error(call->env, "not a handle");
	return false;
}

bool
gkn_arg_box(struct gkn_call *call, size_t i, enum gkn_kind kind,
    struct gkn_box **ret)
{
	struct gkn_box *box;

	if (!gkn_arg_any_box(call, i, &box))
		return false;
	if (box->kind != kind) {
		gkn_type_error(call->env, "not a handle of this kind");
		return false;
	}
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

bool
gkn_arg_bytes(struct gkn_call *call, size_t i, const void **ret, size_t *len)
{
	napi_typedarray_type type;
	bool is = false;
	void *p = NULL;

	if (napi_is_typedarray(call->env, call->argv[i], &is) == napi_ok &&
	    is && napi_get_typedarray_info(call->env, call->argv[i], &type,
	    len, &p, NULL, NULL) == napi_ok && type == napi_uint8_array) {
		*ret = p;
		return true;
	}
	gkn_type_error(call->env, "bytes have to be a Uint8Array");
	return false;
}

bool
gkn_arg_int(struct gkn_call *call, size_t i, int64_t *ret)
{
	double d;

	if (napi_get_value_double(call->env, call->argv[i], &d) == napi_ok &&
	    d >= -9007199254740991.0 && d <= 9007199254740991.0 &&
	    (double)(int64_t)d == d) {
		*ret = (int64_t)d;
		return true;
	}
	gkn_type_error(call->env, "not an integer");
	return false;
}

bool
gkn_arg_text(struct gkn_call *call, size_t i, char **ret)
{
	napi_value v = call->argv[i];
	size_t n = 0;
	char *p;

	*ret = NULL;
	if (gkn_is_nothing(call, i))
		return true;
	if (napi_get_value_string_utf8(call->env, v, NULL, 0, &n) != napi_ok) {
		gkn_type_error(call->env, "not a string");
		return false;
	}
	p = malloc(n + 1);
	if (p == NULL || napi_get_value_string_utf8(call->env, v, p, n + 1,
	    &n) != napi_ok || memchr(p, '\0', n) != NULL) {
		gkn_throw(call->env, NULL, p == NULL ? GENKAN_E_NOMEM :
		    GENKAN_E_INVAL);
		free(p);
		return false;
	}
	*ret = p;
	return true;
}

napi_value
gkn_undefined(napi_env env)
{
	napi_value v;

	return napi_get_undefined(env, &v) == napi_ok ? v : NULL;
}

napi_value
gkn_null(napi_env env)
{
	napi_value v;

	return napi_get_null(env, &v) == napi_ok ? v : NULL;
}

napi_value
gkn_int(napi_env env, int64_t n)
{
	napi_value v;

	return napi_create_int64(env, n, &v) == napi_ok ? v : NULL;
}

napi_value
gkn_bool(napi_env env, bool b)
{
	napi_value v;

	return napi_get_boolean(env, b, &v) == napi_ok ? v : NULL;
}

napi_value
gkn_text_n(napi_env env, const char *s, size_t n)
{
	napi_value v;

	if (s == NULL)
		return gkn_null(env);
	return napi_create_string_utf8(env, s, n, &v) == napi_ok ? v : NULL;
}

napi_value
gkn_text(napi_env env, const char *s)
{
	return gkn_text_n(env, s, s == NULL ? 0 : strlen(s));
}

napi_value
gkn_buffer(napi_env env, const void *p, size_t n)
{
	napi_value v;

	if (p == NULL)
		return gkn_null(env);
	return napi_create_buffer_copy(env, n, p, NULL, &v) == napi_ok ?
	    v : NULL;
}

void
gkn_set(napi_env env, napi_value object, const char *name, napi_value v)
{
	if (v != NULL)
		napi_set_named_property(env, object, name, v);
}

napi_value
gkn_type_error(napi_env env, const char *text)
{
	bool pending = true;

	napi_is_exception_pending(env, &pending);
	if (!pending)
		napi_throw_type_error(env, NULL, text);
	return NULL;
}

napi_value
gkn_throw(napi_env env, struct gkn_core *core, int code)
{
	napi_value ctor, argv[2], error;
	struct gkn_instance *in;
	const char *detail = "";
	bool pending = true;

	napi_is_exception_pending(env, &pending);
	if (pending)
		return NULL;
	if (core != NULL)
		detail = genkan_ctx_last_error(core->ctx);
	argv[0] = gkn_int(env, code);
	argv[1] = gkn_text(env, detail);
	if (napi_get_instance_data(env, (void **)&in) == napi_ok &&
	    in->error != NULL && napi_get_reference_value(env, in->error,
	    &ctor) == napi_ok && napi_new_instance(env, ctor, 2, argv,
	    &error) == napi_ok)
		napi_throw(env, error);
	else
		napi_throw_error(env, genkan_error_name(code),
		    genkan_error_text(code));
	return NULL;
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
