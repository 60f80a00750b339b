/*
 * Frames of native messaging.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "addon.h"

/* The caps are 32 bits wide; what is not is no cap. */
static bool
arg_cap(struct gk_call *call, size_t i, uint32_t *ret)
{
	int64_t n;

	if (!gk_arg_int(call, i, &n))
		return false;
	if (n < 0 || n > UINT32_MAX) {
		gk_throw(call->env, NULL, GENKAN_E_INVAL);
		return false;
	}
	*ret = (uint32_t)n;
	return true;
}

/* nativeHeader(length, max) */
static napi_value
native_header(napi_env env, napi_callback_info info)
{
	uint8_t head[GENKAN_NATIVE_HEADER_LEN];
	struct gk_call call;
	uint32_t max;
	int64_t n;
	int r;

	if (!gk_call_init(&call, env, info) || !gk_arg_int(&call, 0, &n) ||
	    !arg_cap(&call, 1, &max))
		return NULL;
	r = n < 0 ? GENKAN_E_INVAL :
	    genkan_native_header((size_t)n, max, head);
	return r < 0 ? gk_throw(env, NULL, r) :
	    gk_buffer(env, head, sizeof(head));
}

/* nativeEncode(bytes, max) */
static napi_value
native_encode(napi_env env, napi_callback_info info)
{
	struct gk_call call;
	const void *json;
	napi_value out;
	uint32_t max;
	size_t n;
	void *p;
	int r;

	if (!gk_call_init(&call, env, info) ||
	    !gk_arg_bytes(&call, 0, &json, &n) || !arg_cap(&call, 1, &max))
		return NULL;
	if (n > max)
		return gk_throw(env, NULL, GENKAN_E_FRAME_SIZE);
	if (napi_create_buffer(env, GENKAN_NATIVE_HEADER_LEN + n, &p, &out) !=
	    napi_ok)
		return gk_throw(env, NULL, GENKAN_E_NOMEM);
	r = genkan_native_encode(json, n, max, p, GENKAN_NATIVE_HEADER_LEN + n);
	return r < 0 ? gk_throw(env, NULL, r) : out;
}

/* decoderNew(context, max) */
static napi_value
decoder_new(napi_env env, napi_callback_info info)
{
	genkan_native *dec;
	napi_value out;
	struct gk_box *ctx;
	struct gk_call call;
	uint32_t max;
	int r;

	if (!gk_call_init(&call, env, info) ||
	    !gk_arg_box(&call, 0, GK_CTX, &ctx) || !arg_cap(&call, 1, &max) ||
	    !gk_enter(&call, ctx))
		return NULL;
	r = genkan_native_new(ctx->ptr, max, &dec);
	out = r < 0 ? gk_throw(env, call.core, r) :
	    gk_box_new(env, GK_NATIVE, dec, call.core);
	gk_leave(&call);
	return out;
}

/* decoderFeed(decoder, bytes): the frames that they complete. */
static napi_value
decoder_feed(napi_env env, napi_callback_info info)
{
	size_t n, used = 0, got, len;
	uint32_t count = 0;
	struct gk_box *dec;
	struct gk_call call;
	const void *bytes;
	napi_value out;
	int r = 0;

	if (!gk_call_init(&call, env, info) ||
	    !gk_arg_box(&call, 0, GK_NATIVE, &dec) ||
	    !gk_arg_bytes(&call, 1, &bytes, &n) ||
	    napi_create_array(env, &out) != napi_ok ||
	    !gk_enter(&call, dec))
		return NULL;
	for (got = 0; got < n && r >= 0; got += used) {
		r = genkan_native_feed(dec->ptr, (const char *)bytes + got,
		    n - got, &used);
		if (r == 1) {
			const void *frame = genkan_native_frame(dec->ptr,
			    &len);

			napi_set_element(env, out, count++,
			    gk_buffer(env, frame, len));
		}
	}
	if (r < 0)
		out = gk_throw(env, call.core, r);
	gk_leave(&call);
	return out;
}

/* decoderEof(decoder): GENKAN_NATIVE_EOF_*. */
static napi_value
decoder_eof(napi_env env, napi_callback_info info)
{
	struct gk_box *dec;
	struct gk_call call;

	if (!gk_call_init(&call, env, info) ||
	    !gk_arg_box(&call, 0, GK_NATIVE, &dec))
		return NULL;
	return gk_int(env, genkan_native_eof(dec->ptr));
}

static const struct gk_function functions[] = {
	{ "nativeHeader", native_header },
	{ "nativeEncode", native_encode },
	{ "decoderNew", decoder_new },
	{ "decoderFeed", decoder_feed },
	{ "decoderEof", decoder_eof },
};

bool
gk_native_export(napi_env env, napi_value exports)
{
	napi_value v;

	v = gk_int(env, GENKAN_NATIVE_IN_MAX);
	gk_set(env, exports, "NATIVE_IN_MAX", v);
	v = gk_int(env, GENKAN_NATIVE_OUT_MAX);
	gk_set(env, exports, "NATIVE_OUT_MAX", v);
	return GK_EXPORT(env, exports, functions);
}
