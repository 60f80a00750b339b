/*
 * Values from C to JavaScript, and errors.  A function that gives a value gives NULL
 * where it could not be made; then an error is pending.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NODE_VALUE_H
#define GENKAN_NODE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <node_api.h>

/* Of one environment. */
struct gkn_instance {
	napi_ref	error;	/* GenkanError, made by the JavaScript half */
};

napi_value	gkn_undefined(napi_env);
napi_value	gkn_null(napi_env);
napi_value	gkn_int(napi_env, int64_t);
napi_value	gkn_bool(napi_env, bool);
napi_value	gkn_text(napi_env, const char *);	/* null for NULL */
napi_value	gkn_text_n(napi_env, const char *, size_t);
napi_value	gkn_buffer(napi_env, const void *, size_t);
void		gkn_set(napi_env, napi_value object, const char *, napi_value);

/* Throws what a negative code stands for, with detail for people or NULL;
 * returns NULL, as the next one does. */
napi_value	gkn_throw(napi_env, const char *detail, int code);
napi_value	gkn_type_error(napi_env, const char *);

#endif
