/*
 * The relying party.
 *
 * Verifiers return what the library returns: 0, or a refusal's number, which
 * the JavaScript half turns into its name; errors are thrown.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "box.h"
#include "exports.h"

/* webauthnNonce(context) */
static napi_value
webauthn_nonce(napi_env env, napi_callback_info info)
{
	char text[GENKAN_CHALLENGE_SIZE];
	struct gkn_box *ctx;
	struct gkn_call call;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_enter(&call, ctx))
		return NULL;
	r = genkan_webauthn_nonce(ctx->ptr, text);
	return gkn_give(&call, r, r < 0 ? NULL : gkn_text(env, text));
}

/* webauthnChallenge(context, ceremony, label, action, nonce) */
static napi_value
webauthn_challenge(napi_env env, napi_callback_info info)
{
	char text[GENKAN_CHALLENGE_SIZE];
	char *label = NULL, *action = NULL, *nonce = NULL;
	napi_value out = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	int64_t ceremony;
	int r;

	if (gkn_call_on(&call, env, info, GK_CTX, &ctx) &&
	    gkn_arg_int(&call, 1, &ceremony) && gkn_arg_text(&call, 2, &label) &&
	    gkn_arg_text(&call, 3, &action) && gkn_arg_text(&call, 4, &nonce) &&
	    gkn_enter(&call, ctx)) {
		r = genkan_webauthn_challenge(ctx->ptr, (int)ceremony, label,
		    action, nonce, text);
		out = gkn_give(&call, r, r < 0 ? NULL : gkn_text(env, text));
	}
	free(label);
	free(action);
	free(nonce);
	return out;
}

/* The texts of a relying party, from three arguments on. */
struct texts {
	char	*id;
	char	*origin;
	char	*challenge;
};

static bool
texts_get(struct gkn_call *call, size_t i, struct texts *t)
{
	return gkn_arg_text(call, i, &t->id) &&
	    gkn_arg_text(call, i + 1, &t->origin) &&
	    gkn_arg_text(call, i + 2, &t->challenge);
}

static void
texts_done(struct texts *t)
{
	free(t->id);
	free(t->origin);
	free(t->challenge);
}

/* webauthnRegister(context, id, origin, challenge, object, clientData): a
 * credential, or the number of a refusal. */
static napi_value
webauthn_register(napi_env env, napi_callback_info info)
{
	genkan_rp rp = GENKAN_RP_INIT;
	struct texts t = { NULL, NULL, NULL };
	const void *object, *client;
	genkan_credential *cred;
	size_t object_len, client_len;
	struct gkn_box *ctx;
	struct gkn_call call;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !texts_get(&call, 1, &t) ||
	    !gkn_arg_bytes(&call, 4, &object, &object_len) ||
	    !gkn_arg_bytes(&call, 5, &client, &client_len) ||
	    !gkn_enter(&call, ctx)) {
		texts_done(&t);
		return NULL;
	}
	rp.id = t.id;
	rp.origin = t.origin;
	rp.challenge = t.challenge;
	r = GENKAN_E_NOMEM;
	if (gkn_steady(&call, &object, object_len) &&
	    gkn_steady(&call, &client, client_len))
		r = genkan_webauthn_register(ctx->ptr, &rp, object, object_len,
		    client, client_len, &cred);
	texts_done(&t);
	return r > 0 ? gkn_give(&call, r, gkn_int(env, r)) :
	    gkn_give_made(&call, r, GK_CREDENTIAL, cred);
}

/* webauthnAssert(credential, id, origin, challenge, authData, clientData,
 * signature): [refusal or 0, counter]. */
static napi_value
webauthn_assert(napi_env env, napi_callback_info info)
{
	genkan_rp rp = GENKAN_RP_INIT;
	struct texts t = { NULL, NULL, NULL };
	const void *data, *client, *sig;
	size_t data_len, client_len, sig_len;
	napi_value out = NULL;
	uint32_t count = 0;
	struct gkn_box *cred;
	struct gkn_call call;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CREDENTIAL, &cred) ||
	    !texts_get(&call, 1, &t) ||
	    !gkn_arg_bytes(&call, 4, &data, &data_len) ||
	    !gkn_arg_bytes(&call, 5, &client, &client_len) ||
	    !gkn_arg_bytes(&call, 6, &sig, &sig_len) ||
	    !gkn_enter(&call, cred)) {
		texts_done(&t);
		return NULL;
	}
	rp.id = t.id;
	rp.origin = t.origin;
	rp.challenge = t.challenge;
	r = GENKAN_E_NOMEM;
	if (gkn_steady(&call, &data, data_len) &&
	    gkn_steady(&call, &client, client_len) &&
	    gkn_steady(&call, &sig, sig_len))
		r = genkan_webauthn_assert(call.core->ctx, &rp, cred->ptr,
		    data, data_len, client, client_len, sig, sig_len, &count);
	texts_done(&t);
	if (r >= 0 && napi_create_array(env, &out) == napi_ok) {
		napi_set_element(env, out, 0, gkn_int(env, r));
		napi_set_element(env, out, 1, gkn_int(env, count));
	}
	return gkn_give(&call, r, out);
}

/* webauthnAuthdata(context, bytes): an object, or the number of a refusal. */
static napi_value
webauthn_authdata(napi_env env, napi_callback_info info)
{
	genkan_authdata parts = { .size = sizeof(parts) };
	napi_value out = NULL;
	struct gkn_box *ctx;
	struct gkn_call call;
	const void *data;
	size_t n;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_arg_bytes(&call, 1, &data, &n) || !gkn_enter(&call, ctx))
		return NULL;
	r = gkn_steady(&call, &data, n) ? genkan_webauthn_authdata(ctx->ptr,
	    data, n, &parts) : GENKAN_E_NOMEM;
	if (r > 0)
		out = gkn_int(env, r);
	else if (r == 0 && napi_create_object(env, &out) == napi_ok) {
		bool has = parts.credential_id != NULL;

		gkn_set(env, out, "rpIdHash", gkn_buffer(env, parts.rp_id_hash,
		    sizeof(parts.rp_id_hash)));
		gkn_set(env, out, "flags", gkn_int(env, parts.flags));
		gkn_set(env, out, "signCount", gkn_int(env, parts.sign_count));
		gkn_set(env, out, "credentialId", gkn_buffer(env,
		    parts.credential_id, parts.credential_id_len));
		gkn_set(env, out, "publicKey", gkn_buffer(env, has ?
		    parts.public_key : NULL, sizeof(parts.public_key)));
	}
	return gkn_give(&call, r, out);
}

/* webauthnAttestation(bytes): authenticator data, or the number of a
 * refusal. */
static napi_value
webauthn_attestation(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	const void *object, *data;
	size_t n, len;
	int r;

	if (!gkn_call_init(&call, env, info) ||
	    !gkn_arg_bytes(&call, 0, &object, &n))
		return NULL;
	r = genkan_webauthn_attestation(object, n, &data, &len);
	if (r < 0)
		return gkn_throw(env, NULL, r);
	return r > 0 ? gkn_int(env, r) : gkn_buffer(env, data, len);
}

/* credentialNew(context, id, publicKey, signCount, backupEligible) */
static napi_value
credential_new(napi_env env, napi_callback_info info)
{
	genkan_credential *cred = NULL;
	const void *id, *key;
	size_t id_len, key_len;
	int64_t count, backup;
	struct gkn_box *ctx;
	struct gkn_call call;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CTX, &ctx) ||
	    !gkn_arg_bytes(&call, 1, &id, &id_len) ||
	    !gkn_arg_bytes(&call, 2, &key, &key_len) ||
	    !gkn_arg_range(&call, 3, 0, UINT32_MAX, &count) ||
	    !gkn_arg_int(&call, 4, &backup) ||
	    !gkn_enter(&call, ctx))
		return NULL;
	r = GENKAN_E_INVAL;
	if (!gkn_steady(&call, &id, id_len) ||
	    !gkn_steady(&call, &key, key_len))
		r = GENKAN_E_NOMEM;
	else if (key_len == GENKAN_PUBLIC_KEY_LEN)
		r = genkan_credential_new(ctx->ptr, id, id_len, key,
		    (uint32_t)count, (int)backup, &cred);
	return gkn_give_made(&call, r, GK_CREDENTIAL, cred);
}

/* credentialGet(credential): its parts as an object. */
static napi_value
credential_get(napi_env env, napi_callback_info info)
{
	struct gkn_box *cred;
	struct gkn_call call;
	napi_value out;
	const void *id;
	size_t n;

	if (!gkn_call_on(&call, env, info, GK_CREDENTIAL, &cred) ||
	    napi_create_object(env, &out) != napi_ok ||
	    !gkn_enter(&call, cred))
		return NULL;
	id = genkan_credential_id(cred->ptr, &n);
	gkn_set(env, out, "id", gkn_buffer(env, id, n));
	gkn_set(env, out, "publicKey", gkn_buffer(env,
	    genkan_credential_public_key(cred->ptr), GENKAN_PUBLIC_KEY_LEN));
	gkn_set(env, out, "signCount", gkn_int(env,
	    genkan_credential_sign_count(cred->ptr)));
	gkn_set(env, out, "backupEligible", gkn_bool(env,
	    genkan_credential_backup_eligible(cred->ptr) == 1));
	return gkn_give(&call, 0, out);
}

/* credentialCounted(credential, signCount) */
static napi_value
credential_counted(napi_env env, napi_callback_info info)
{
	struct gkn_box *cred;
	struct gkn_call call;
	int64_t count;
	int r;

	if (!gkn_call_on(&call, env, info, GK_CREDENTIAL, &cred) ||
	    !gkn_arg_range(&call, 1, 0, UINT32_MAX, &count) ||
	    !gkn_enter(&call, cred))
		return NULL;
	r = genkan_credential_counted(cred->ptr, (uint32_t)count);
	return gkn_give(&call, r, gkn_undefined(env));
}

/* refusal(number): [name, text]. */
static napi_value
refusal(napi_env env, napi_callback_info info)
{
	struct gkn_call call;
	napi_value out;
	int n;

	if (!gkn_call_int(&call, env, info, &n) ||
	    napi_create_array(env, &out) != napi_ok)
		return NULL;
	napi_set_element(env, out, 0, gkn_text(env,
	    genkan_refusal_name(n)));
	napi_set_element(env, out, 1, gkn_text(env,
	    genkan_refusal_text(n)));
	return out;
}

static const struct gkn_function functions[] = {
	{ "webauthnNonce", webauthn_nonce, "context" },
	{ "webauthnChallenge", webauthn_challenge,
	    "context ceremony label action nonce" },
	{ "webauthnRegister", webauthn_register,
	    "context id origin challenge attestationObject clientDataJSON" },
	{ "webauthnAssert", webauthn_assert,
	    "credential id origin challenge authenticatorData clientDataJSON signature" },
	{ "webauthnAuthdata", webauthn_authdata, "context bytes" },
	{ "webauthnAttestation", webauthn_attestation, "bytes" },
	{ "credentialNew", credential_new,
	    "context id publicKey signCount backupEligible" },
	{ "credentialGet", credential_get, "this" },
	{ "credentialCounted", credential_counted, "this signCount" },
	{ "refusal", refusal, "number" },
};

bool
gkn_webauthn_export(napi_env env, napi_value exports)
{
	return GK_EXPORT(env, exports, functions);
}
