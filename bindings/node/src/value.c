/*
 * Values from C to JavaScript, and errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include <genkan/genkan.h>

#include "value.h"

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
gkn_throw(napi_env env, const char *detail, int code)
{
	napi_value ctor, argv[2], error;
	struct gkn_instance *in;
	bool pending = true;

	napi_is_exception_pending(env, &pending);
	if (pending)
		return NULL;
	argv[0] = gkn_int(env, code);
	argv[1] = gkn_text(env, detail != NULL ? detail : "");
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
