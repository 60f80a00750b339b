/*
 * Calls from JavaScript and their arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdio.h>
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
	    &call->self, (void **)(uintptr_t)&call->names) == napi_ok;
}

/* The name of an argument; of those beyond the last name, that one: they are
 * the items of a list. */
static void
name_of(const struct gkn_call *call, size_t i, char *ret, size_t size)
{
	const char *p = call->names == NULL ? "" : call->names;

	for (; i > 0 && strchr(p, ' ') != NULL; i--)
		p = strchr(p, ' ') + 1;
	snprintf(ret, size, "%.*s", (int)strcspn(p, " "), p);
}

/* What a value is, for people: a number as such, where no number will do. */
static void
word_of(struct gkn_call *call, napi_value v, char *ret, size_t size)
{
	static const char *const words[] = {
		[napi_undefined] = "undefined", [napi_null] = "null",
		[napi_boolean] = "a boolean", [napi_number] = "a number",
		[napi_string] = "a string", [napi_symbol] = "a symbol",
		[napi_object] = "an object", [napi_function] = "a function",
		[napi_external] = "a handle of another kind",
		[napi_bigint] = "a bigint",
	};
	napi_valuetype type = napi_undefined;
	double d;

	napi_typeof(call->env, v, &type);
	if (type == napi_number &&
	    napi_get_value_double(call->env, v, &d) == napi_ok)
		snprintf(ret, size, "the number %.17g", d);
	else
		snprintf(ret, size, "%s", words[type]);
}

bool
gkn_expected(struct gkn_call *call, size_t i, const char *what)
{
	char name[40], got[40], text[160];

	name_of(call, i, name, sizeof(name));
	word_of(call, call->argv[i], got, sizeof(got));
	snprintf(text, sizeof(text), "%s: expected %s, not %s", name, what,
	    got);
	gkn_type_error(call->env, text);
	return false;
}

bool
gkn_refuse(struct gkn_call *call, size_t i, const char *why)
{
	char name[40], text[160];

	name_of(call, i, name, sizeof(name));
	snprintf(text, sizeof(text), "%s: %s", name, why);
	gkn_throw(call->env, text, GENKAN_E_INVAL);
	return false;
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
	return gkn_expected(call, i, "a Uint8Array");
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
	return gkn_expected(call, i, "an integer");
}

bool
gkn_arg_range(struct gkn_call *call, size_t i, int64_t min, int64_t max,
    int64_t *ret)
{
	char why[64];

	if (!gkn_arg_int(call, i, ret))
		return false;
	if (*ret >= min && *ret <= max)
		return true;
	snprintf(why, sizeof(why), "not from %lld to %lld", (long long)min,
	    (long long)max);
	return gkn_refuse(call, i, why);
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
	if (napi_get_value_string_utf8(call->env, v, NULL, 0, &n) != napi_ok)
		return gkn_expected(call, i, "a string");
	p = malloc(n + 1);
	if (p == NULL || napi_get_value_string_utf8(call->env, v, p, n + 1,
	    &n) != napi_ok) {
		gkn_throw(call->env, NULL, GENKAN_E_NOMEM);
		free(p);
		return false;
	}
	if (memchr(p, '\0', n) != NULL) {
		free(p);
		return gkn_refuse(call, i, "text with U+0000 in it");
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
	return gkn_expected(call, i, "a function");
}

bool
gkn_export(napi_env env, napi_value exports, const struct gkn_function *f,
    size_t n)
{
	napi_value fn;
	size_t i;

	for (i = 0; i < n; i++)
		if (napi_create_function(env, f[i].name, NAPI_AUTO_LENGTH,
		    f[i].fn, (void *)(uintptr_t)f[i].arguments, &fn) != napi_ok ||
		    napi_set_named_property(env, exports, f[i].name, fn) !=
		    napi_ok)
			return false;
	return true;
}
