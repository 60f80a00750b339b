/*
 * Frames of native messaging.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "exports.h"

/* The caps are 32 bits wide; what is not is no cap. */
static bool
arg_cap(struct gkn_call *call, size_t i, uint32_t *ret)
{
	int64_t n;

	if (!gkn_arg_range(call, i, 0, UINT32_MAX, &n))
		return false;
	*ret = (uint32_t)n;
	return true;
}

/* nativeHeader(length, max, bytes): fills them in and returns them, since
 * JavaScript makes four bytes faster than we do. */
static napi_value
native_header(napi_env env, napi_callback_info info)
{
	uint8_t head[GENKAN_NATIVE_HEADER_LEN];
	struct gkn_call call;
	const void *to;
	uint32_t max;
	int64_t n;
	size_t room;
	int r;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_range(&call, 0, 0, INT64_MAX, &n) ||
	    !arg_cap(&call, 1, &max) || !gkn_arg_bytes(&call, 2, &to, &room))
		return NULL;
	r = room < sizeof(head) ? GENKAN_E_INVAL :
	    genkan_native_header((size_t)n, max, head);
	if (r < 0)
		return gkn_throw(env, NULL, r);
	memcpy((void *)(uintptr_t)to, head, sizeof(head));
	return call.argv[2];
}

/* nativeEncode(bytes, max) */
static napi_value
native_encode(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	const void *json;
	napi_value out;
	uint32_t max;
	size_t n;
	void *p;
	int r;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_bytes(&call, 0, &json, &n) || !arg_cap(&call, 1, &max))
		return NULL;
	if (n > max)
		return gkn_throw(env, NULL, GENKAN_E_FRAME_SIZE);
	if (napi_create_buffer(env, GENKAN_NATIVE_HEADER_LEN + n, &p, &out) !=
	    napi_ok)
		return gkn_throw(env, NULL, GENKAN_E_NOMEM);
	r = genkan_native_encode(json, n, max, p, GENKAN_NATIVE_HEADER_LEN + n);
	return r < 0 ? gkn_throw(env, NULL, r) : out;
}

/* decoderNew(context, max) */
static napi_value
decoder_new(napi_env env, napi_callback_info info)
{
	genkan_native *dec = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	uint32_t max;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !arg_cap(&call, 1, &max) || !gkn_enter(&call, ctx))
		return NULL;
	r = genkan_native_new(ctx->ptr, max, &dec);
	return gkn_give_made(&call, r, GK_NATIVE, dec);
}

/* decoderFeed(decoder, bytes): the frames that they complete. */
static napi_value
decoder_feed(napi_env env, napi_callback_info info)
{
	size_t n, used = 0, got, len;
	uint32_t count = 0;
	struct gkn_box *dec;
	struct gkn_call call;
	const void *bytes;
	napi_value out;
	int r;

	if (!gkn_call_on(&call, env, info, GK_NATIVE, &dec) ||
	    !gkn_arg_bytes(&call, 1, &bytes, &n) ||
	    napi_create_array(env, &out) != napi_ok ||
	    !gkn_enter(&call, dec))
		return NULL;
	r = gkn_steady(&call, &bytes, n) ? 0 : GENKAN_E_NOMEM;
	for (got = 0; got < n && r >= 0; got += used) {
		r = genkan_native_feed(dec->ptr, (const char *)bytes + got,
		    n - got, &used);
		if (r == 1) {
			const void *frame = genkan_native_frame(dec->ptr,
			    &len);

			napi_set_element(env, out, count++,
			    gkn_buffer(env, frame, len));
		}
	}
	return gkn_give(&call, r, out);
}

/* decoderEof(decoder): GENKAN_NATIVE_EOF_*. */
static napi_value
decoder_eof(napi_env env, napi_callback_info info)
{
	struct gkn_box *dec;
	struct gkn_call call;

	if (!gkn_call_on(&call, env, info, GK_NATIVE, &dec) ||
	    !gkn_enter(&call, dec))
		return NULL;
	return gkn_give(&call, 0, gkn_int(env, genkan_native_eof(dec->ptr)));
}

static const struct gkn_function functions[] = {
	{ "nativeHeader", native_header, "length max to" },
	{ "nativeEncode", native_encode, "bytes max" },
	{ "decoderNew", decoder_new, "context max" },
	{ "decoderFeed", decoder_feed, "this bytes" },
	{ "decoderEof", decoder_eof, "this" },
};

bool
gkn_native_export(napi_env env, napi_value exports)
{
	napi_value v;

	v = gkn_int(env, GENKAN_NATIVE_IN_MAX);
	gkn_set(env, exports, "NATIVE_IN_MAX", v);
	v = gkn_int(env, GENKAN_NATIVE_OUT_MAX);
	gkn_set(env, exports, "NATIVE_OUT_MAX", v);
	return GK_EXPORT(env, exports, functions);
}
