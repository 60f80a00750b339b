/* The relying party: texts and bytes in, codes and bytes out. */
%{
/* The buffers of a ceremony, held together and let go together. */
struct gk_views {
	Py_buffer	at[3];
	int		held;
};

static void
gk_views_done(struct gk_views *v)
{
	while (v->held > 0)
		PyBuffer_Release(&v->at[--v->held]);
}

static int
gk_views_take(struct gk_views *v, PyObject *o, const char *name)
{
	if (gk_view(o, name, &v->at[v->held]) < 0) {
		gk_views_done(v);
		return -1;
	}
	v->held++;
	return 0;
}

#define gk_rp(ID, ORIGIN, CHALLENGE) \
	{ .size = sizeof(genkan_rp), .id = (ID), .origin = (ORIGIN), \
	    .challenge = (CHALLENGE) }
#define gk_bytes_at(v, i)	(v).at[i].buf, (size_t)(v).at[i].len
%}

%nothread gk_webauthn_nonce;
%nothread gk_webauthn_challenge;
%nothread gk_webauthn_register;
%nothread gk_webauthn_assert;
%nothread gk_webauthn_authdata;
%nothread gk_webauthn_attestation;
%nothread gk_credential_new;
%nothread gk_credential_id;
%nothread gk_credential_public_key;
%inline %{
/* (code, text or None). */
PyObject *
gk_webauthn_nonce(genkan_ctx *ctx)
{
	char text[GENKAN_CHALLENGE_SIZE];
	int r = genkan_webauthn_nonce(ctx, text);

	return Py_BuildValue("iz", r, r == 0 ? text : NULL);
}

PyObject *
gk_webauthn_challenge(genkan_ctx *ctx, int ceremony, const char *label,
    const char *action, const char *nonce)
{
	char text[GENKAN_CHALLENGE_SIZE];
	int r = genkan_webauthn_challenge(ctx, ceremony, label, action, nonce,
	    text);

	return Py_BuildValue("iz", r, r == 0 ? text : NULL);
}

/* (code or refusal, credential or None). */
PyObject *
gk_webauthn_register(genkan_ctx *ctx, const char *id, const char *origin,
    const char *challenge, PyObject *attestation, PyObject *client_data)
{
	genkan_rp rp = gk_rp(id, origin, challenge);
	genkan_credential *cred = NULL;
	struct gk_views v = { .held = 0 };
	int r;

	if (gk_views_take(&v, attestation, "attestation_object") < 0 ||
	    gk_views_take(&v, client_data, "client_data") < 0)
		return NULL;
	r = genkan_webauthn_register(ctx, &rp, gk_bytes_at(v, 0), gk_bytes_at(v, 1),
	    &cred);
	gk_views_done(&v);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? cred : NULL,
	    SWIGTYPE_p_genkan_credential));
}

/* (code or refusal, new counter). */
PyObject *
gk_webauthn_assert(genkan_ctx *ctx, const char *id, const char *origin,
    const char *challenge, const genkan_credential *cred, PyObject *authdata,
    PyObject *client_data, PyObject *signature)
{
	genkan_rp rp = gk_rp(id, origin, challenge);
	struct gk_views v = { .held = 0 };
	uint32_t count = 0;
	int r;

	if (gk_views_take(&v, authdata, "authenticator_data") < 0 ||
	    gk_views_take(&v, client_data, "client_data") < 0 ||
	    gk_views_take(&v, signature, "signature") < 0)
		return NULL;
	r = genkan_webauthn_assert(ctx, &rp, cred, gk_bytes_at(v, 0),
	    gk_bytes_at(v, 1), gk_bytes_at(v, 2), &count);
	gk_views_done(&v);
	return Py_BuildValue("iI", r, count);
}

/* (code, rp id hash, flags, counter, credential id, public key). */
PyObject *
gk_webauthn_authdata(genkan_ctx *ctx, PyObject *data)
{
	genkan_authdata parts = { .size = sizeof(parts) };
	struct gk_views v = { .held = 0 };
	PyObject *out;
	int r;

	if (gk_views_take(&v, data, "data") < 0)
		return NULL;
	r = genkan_webauthn_authdata(ctx, gk_bytes_at(v, 0), &parts);
	out = r != 0 ? Py_BuildValue("(i)", r) : Py_BuildValue("iNIINN", r,
	    gk_bytes(parts.rp_id_hash, sizeof(parts.rp_id_hash)), parts.flags,
	    parts.sign_count,
	    gk_bytes(parts.credential_id, parts.credential_id_len),
	    gk_bytes(parts.credential_id == NULL ? NULL : parts.public_key,
	    sizeof(parts.public_key)));
	gk_views_done(&v);
	return out;
}

/* (code or refusal, authenticator data or None). */
PyObject *
gk_webauthn_attestation(PyObject *object)
{
	struct gk_views v = { .held = 0 };
	const void *data = NULL;
	PyObject *out;
	size_t n = 0;
	int r;

	if (gk_views_take(&v, object, "data") < 0)
		return NULL;
	r = genkan_webauthn_attestation(gk_bytes_at(v, 0), &data, &n);
	out = Py_BuildValue("iN", r, gk_bytes(r == 0 ? data : NULL, n));
	gk_views_done(&v);
	return out;
}

/* (code, credential). */
PyObject *
gk_credential_new(genkan_ctx *ctx, PyObject *id, PyObject *public_key,
    uint32_t sign_count, int backup_eligible)
{
	genkan_credential *cred = NULL;
	struct gk_views v = { .held = 0 };
	int r = GENKAN_E_INVAL;

	if (gk_views_take(&v, id, "id") < 0 || gk_views_take(&v, public_key, "public_key") < 0)
		return NULL;
	if (v.at[1].len == GENKAN_PUBLIC_KEY_LEN)
		r = genkan_credential_new(ctx, gk_bytes_at(v, 0), v.at[1].buf,
		    sign_count, backup_eligible, &cred);
	gk_views_done(&v);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? cred : NULL,
	    SWIGTYPE_p_genkan_credential));
}

PyObject *
gk_credential_id(const genkan_credential *cred)
{
	size_t n = 0;
	const void *p = genkan_credential_id(cred, &n);

	return gk_bytes(p, n);
}

PyObject *
gk_credential_public_key(const genkan_credential *cred)
{
	return gk_bytes(genkan_credential_public_key(cred),
	    GENKAN_PUBLIC_KEY_LEN);
}
%}
