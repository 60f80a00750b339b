/*
 * Calls from JavaScript and their arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <genkan/genkan.h>

#include "call.h"
#include "value.h"

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

bool
gkn_call_int(struct gkn_call *call, napi_env env, napi_callback_info info,
    int *ret)
{
	int64_t n;

	if (!gkn_call_init(call, env, info) || !gkn_arg_int(call, 0, &n))
		return false;
	*ret = n < INT_MIN || n > INT_MAX ? INT_MIN : (int)n;
	return true;
}

bool
gkn_keep(struct gkn_call *call, size_t i, napi_ref *ret)
{
	napi_valuetype type;

	if (gkn_is_nothing(call, i))
		return true;
	if (napi_typeof(call->env, call->argv[i], &type) == napi_ok &&
	    type == napi_function && napi_create_reference(call->env,
	    call->argv[i], 1, ret) == napi_ok)
		return true;
	gkn_type_error(call->env, "not a function");
	return false;
}

bool
gkn_export(napi_env env, napi_value exports, const struct gkn_function *f,
    size_t n)
{
	napi_value fn;
	size_t i;

	for (i = 0; i < n; i++)
		if (napi_create_function(env, f[i].name, NAPI_AUTO_LENGTH,
		    f[i].fn, NULL, &fn) != napi_ok ||
		    napi_set_named_property(env, exports, f[i].name, fn) !=
		    napi_ok)
			return false;
	return true;
}
