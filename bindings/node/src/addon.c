/*
 * The addon: what it exports, and the state of one environment.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include <genkan/genkan.h>

#include "call.h"
#include "exports.h"
#include "value.h"

static void
instance_free(napi_env env, void *data, void *hint)
{
	struct gkn_instance *in = data;

	(void)hint;
	if (in->error != NULL)
		napi_delete_reference(env, in->error);
	free(in);
}

/* setError(GenkanError): whose instances are thrown. */
static napi_value
set_error(napi_env env, napi_callback_info info)
{
	struct gkn_instance *in;
	struct gkn_call call;

	if (!gkn_call_init(&call, env, info) ||
	    napi_get_instance_data(env, (void **)&in) != napi_ok)
		return NULL;
	if (in->error == NULL)
		napi_create_reference(env, call.argv[0], 1, &in->error);
	return gkn_undefined(env);
}

static napi_value
version(napi_env env, napi_callback_info info)
{
	(void)info;
	return gkn_text(env, genkan_version());
}

static napi_value
error_name(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	int n;

	if (!gkn_call_int(&call, env, info, &n))
		return NULL;
	return gkn_text(env, genkan_error_name(n));
}

static napi_value
error_text(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	int n;

	if (!gkn_call_int(&call, env, info, &n))
		return NULL;
	return gkn_text(env, genkan_error_text(n));
}

static napi_value
error_class(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	int n;

	if (!gkn_call_int(&call, env, info, &n))
		return NULL;
	return gkn_int(env, genkan_error_class(n));
}

/* code(number): what the library says of a result code, for one that is newer
 * than our tables: [name, text, may the call be repeated?]. */
static napi_value
result_code(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	napi_value out;
	int n;

	if (!gkn_call_int(&call, env, info, &n) ||
	    napi_create_array(env, &out) != napi_ok)
		return NULL;
	napi_set_element(env, out, 0, gkn_text(env, genkan_code_name(n)));
	napi_set_element(env, out, 1, gkn_text(env, genkan_code_text(n)));
	napi_set_element(env, out, 2, gkn_bool(env,
	    genkan_code_retryable(n) == 1));
	return out;
}

static const struct gkn_function functions[] = {
	{ "setError", set_error, "error" },
	{ "version", version, "" },
	{ "errorName", error_name, "number" },
	{ "errorText", error_text, "number" },
	{ "errorClass", error_class, "number" },
	{ "code", result_code, "number" },
};

NAPI_MODULE_INIT()
{
	struct gkn_instance *in = calloc(1, sizeof(*in));

	if (in == NULL || napi_set_instance_data(env, in, instance_free,
	    NULL) != napi_ok) {
		free(in);
		return NULL;
	}
	if (!GK_EXPORT(env, exports, functions) ||
	    !gkn_context_export(env, exports) ||
	    !gkn_native_export(env, exports) ||
	    !gkn_leg_export(env, exports) ||
	    !gkn_machine_export(env, exports) ||
	    !gkn_broker_export(env, exports) ||
	    !gkn_client_export(env, exports) ||
	    !gkn_report_export(env, exports) ||
	    !gkn_webauthn_export(env, exports))
		return NULL;
	return exports;
}
