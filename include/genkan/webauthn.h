/*
 * genkan/webauthn.h - a relying party for authenticators
 *
 * Verifies what an authenticator of a browser answered: ES256 on P-256,
 * attestation "none", no extensions (Web Authentication, Level 3).  Nothing is
 * stored and nobody is asked: what is known of a credential comes in, what to
 * remember goes out.  The checks and their order are those of genkan itself,
 * whose relying party is its browser extension; with a genkan_rp of your own
 * they are yours.
 *
 * Verifiers return 0 for "accepted", a positive GENKAN_REFUSAL_* for "refused",
 * and a negative GENKAN_E_* where there is no verdict at all.  So test for 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_WEBAUTHN_H
#define GENKAN_WEBAUTHN_H

#include <genkan/context.h>

GENKAN_BEGIN_DECLS

/* A challenge or nonce as text: base64url of 32 bytes, and a NUL. */
#define GENKAN_CHALLENGE_SIZE	44

/* What a statement is for: genkan_webauthn_challenge(). */
#define GENKAN_CEREMONY_PRESENCE	0
#define GENKAN_CEREMONY_ENROLL		1

/*
 * What is expected of a ceremony.  Start from GENKAN_RP_INIT; borrowed for the
 * call.
 */
typedef struct genkan_rp {
	size_t		 size;		/* of this struct */
	const char	*id;		/* its SHA-256 is in the authenticator
					 * data; NULL: genkan's extension */
	const char	*origin;	/* without trailing slash; NULL: likewise */
	const char	*challenge;	/* as text, as the client data has it */
} genkan_rp;

#define GENKAN_RP_INIT	{ sizeof(genkan_rp), NULL, NULL, NULL }

/**
 * genkan_refusal_name - the name of a refusal
 * @code: a GENKAN_REFUSAL_*
 *
 * Returns its name in the protocol, e.g. "origin_mismatch"; "" for a number
 * that is none.  Static.  Any thread.  Since: 0.1
 */
GENKAN_API const char *genkan_refusal_name(int code);

/**
 * genkan_refusal_text - a refusal in words
 * @code: a GENKAN_REFUSAL_*
 *
 * Returns half a sentence of English; "" for a number that is none.  Static.
 * Any thread.  Since: 0.1
 */
GENKAN_API const char *genkan_refusal_text(int code);

/**
 * genkan_webauthn_nonce - a fresh nonce, which serves as a challenge as well
 * @ctx: the context; its randomness
 * @ret: [out] GENKAN_CHALLENGE_SIZE bytes, untouched on failure
 *
 * Returns 0, GENKAN_E_INVAL, GENKAN_E_RANDOM or GENKAN_E_NOMEM.  Thread: that
 * of @ctx.  (WebAuthn 13.4.3)  Since: 0.1
 */
GENKAN_API int genkan_webauthn_nonce(genkan_ctx *ctx, char *ret)
    GENKAN_CHECKED;

/**
 * genkan_webauthn_challenge - the challenge of a statement of genkan's
 * @ctx:      the context
 * @ceremony: GENKAN_CEREMONY_*
 * @label:    of the browser; NULL or "" is the default one
 * @action:   what is agreed to, 1 to 1024 bytes
 * @nonce:    1 to 256 bytes
 * @ret:      [out] GENKAN_CHALLENGE_SIZE bytes, untouched on failure
 *
 * The base64url of SHA-256 over domain, label, action and nonce, with a NUL
 * between each two.  Returns 0; GENKAN_E_INVAL for an argument that is not as
 * said; GENKAN_E_NOMEM, GENKAN_E_CRYPTO.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_webauthn_challenge(genkan_ctx *ctx, int ceremony,
    const char *label, const char *action, const char *nonce, char *ret)
    GENKAN_CHECKED;

/* --------------------------------------------------------------- credentials */

/* What a relying party remembers of one credential. */
typedef struct genkan_credential genkan_credential;

#define GENKAN_PUBLIC_KEY_LEN	65	/* 04, X, Y */

/**
 * genkan_credential_new - a credential out of a store
 * @ctx:             the context; must outlive it
 * @id:              copied
 * @id_len:          GENKAN_CREDENTIAL_ID_MIN to GENKAN_CREDENTIAL_ID_MAX
 * @public_key:      GENKAN_PUBLIC_KEY_LEN bytes, copied
 * @sign_count:      the counter that was seen last
 * @backup_eligible: 0 or 1, as it was registered
 * @ret:             [out] the credential, yours: genkan_credential_free()
 *
 * Returns 0; GENKAN_E_INVAL for a bad argument or length; GENKAN_E_ENCODING
 * for a key that is no point of P-256; GENKAN_E_NOMEM, GENKAN_E_CRYPTO.
 * Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_credential_new(genkan_ctx *ctx, const void *id,
    size_t id_len, const void *public_key, uint32_t sign_count,
    int backup_eligible, genkan_credential **ret) GENKAN_CHECKED;

/**
 * genkan_credential_free - forget a credential
 * @cred: may be NULL
 *
 * Frees nothing while the door is shut: <genkan/context.h>.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API void genkan_credential_free(genkan_credential *cred);

/**
 * genkan_credential_id - the id
 * @cred: the credential
 * @len:  [out] its bytes; may be NULL
 *
 * Borrowed as long as @cred lives; NULL for NULL.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API const void *genkan_credential_id(const genkan_credential *cred,
    size_t *len);

/**
 * genkan_credential_public_key - the key
 * @cred: the credential
 *
 * GENKAN_PUBLIC_KEY_LEN bytes, borrowed as long as @cred lives; NULL for NULL.
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API const void *genkan_credential_public_key(
    const genkan_credential *cred);

/**
 * genkan_credential_sign_count - the counter that was seen last
 * @cred: the credential; NULL has 0
 *
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API uint32_t genkan_credential_sign_count(
    const genkan_credential *cred);

/**
 * genkan_credential_backup_eligible - may it be backed up?
 * @cred: the credential
 *
 * Returns 0 or 1; 0 for NULL.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int genkan_credential_backup_eligible(
    const genkan_credential *cred);

/**
 * genkan_credential_counted - take a new counter over
 * @cred:       the credential
 * @sign_count: as genkan_webauthn_assert() gave it
 *
 * Store the counter before you act on the assertion: then one answer is never
 * taken twice.  Returns 0; GENKAN_E_RANGE, and nothing changes, for a counter
 * that has not grown, but for 0 after 0 (an authenticator that has none);
 * GENKAN_E_INVAL.  Thread: that of the context.  (WebAuthn 6.1.1)  Since: 0.1
 */
GENKAN_API int genkan_credential_counted(genkan_credential *cred,
    uint32_t sign_count) GENKAN_CHECKED;

/* ------------------------------------------------------------------ verifiers */

/**
 * genkan_webauthn_register - verify a registration
 * @ctx:             the context; must outlive the credential
 * @rp:              what is expected; borrowed
 * @attestation:     the attestationObject; borrowed
 * @attestation_len: at most GENKAN_ATTESTATION_MAX
 * @client_data:     the clientDataJSON; borrowed
 * @client_data_len: at most GENKAN_CLIENT_DATA_MAX
 * @ret:             [out] the credential, yours: genkan_credential_free();
 *                   untouched unless 0 is returned
 *
 * Checks, in this order: the lengths (GENKAN_REFUSAL_ENCODING), attestation
 * object, authenticator data, that a credential is in it, hash of the relying
 * party, user presence, client data.  Whether the id is enrolled already is
 * for you to look up.  Returns 0, a GENKAN_REFUSAL_*, or GENKAN_E_INVAL,
 * GENKAN_E_ABI (a newer genkan_rp), GENKAN_E_NOMEM, GENKAN_E_CRYPTO.  Thread:
 * that of @ctx.  (WebAuthn 7.1)  Since: 0.1
 */
GENKAN_API int genkan_webauthn_register(genkan_ctx *ctx, const genkan_rp *rp,
    const void *attestation, size_t attestation_len, const void *client_data,
    size_t client_data_len, genkan_credential **ret) GENKAN_CHECKED;

/**
 * genkan_webauthn_assert - verify an assertion
 * @ctx:             the context
 * @rp:              what is expected; borrowed
 * @cred:            the credential that the id of the assertion names; of any
 *                   context of this thread
 * @authdata:        the authenticatorData; borrowed
 * @authdata_len:    at most GENKAN_AUTHDATA_MAX
 * @client_data:     the clientDataJSON; borrowed
 * @client_data_len: at most GENKAN_CLIENT_DATA_MAX
 * @signature:       DER; borrowed
 * @signature_len:   at most GENKAN_ASSERTION_SIG_MAX
 * @sign_count:      [out] the new counter, for genkan_credential_counted();
 *                   untouched unless 0 is returned
 *
 * Checks, in this order: the lengths, authenticator data, that no credential
 * is in it, hash of the relying party, user presence, backup eligibility,
 * counter, client data, form of the signature, signature.  User verification
 * is not asked for.  Returns as genkan_webauthn_register().  Thread: that of
 * @ctx.  (WebAuthn 7.2)  Since: 0.1
 */
GENKAN_API int genkan_webauthn_assert(genkan_ctx *ctx, const genkan_rp *rp,
    const genkan_credential *cred, const void *authdata, size_t authdata_len,
    const void *client_data, size_t client_data_len, const void *signature,
    size_t signature_len, uint32_t *sign_count) GENKAN_CHECKED;

/* -------------------------------------------------------------------- parsers */

/* Authenticator data in parts.  Set size to sizeof(genkan_authdata) before. */
typedef struct genkan_authdata {
	size_t		 size;		/* of this struct */
	uint8_t		 rp_id_hash[32];
	uint32_t	 flags;		/* WebAuthn 6.1 */
	uint32_t	 sign_count;
	const uint8_t	*credential_id;	/* into the input; NULL: no credential */
	size_t		 credential_id_len;
	uint8_t		 public_key[GENKAN_PUBLIC_KEY_LEN];
} genkan_authdata;

/**
 * genkan_webauthn_authdata - authenticator data in parts, not judged
 * @ctx:  the context
 * @data: borrowed, as long as @ret is used
 * @len:  its bytes
 * @ret:  [out] the parts, .size must be set; untouched unless 0 is returned
 *
 * Refuses what is not well-formed, or not of the one kind that this library
 * takes.  Returns 0, a GENKAN_REFUSAL_* of authenticator data, or
 * GENKAN_E_INVAL, GENKAN_E_NOMEM, GENKAN_E_CRYPTO.  Thread: that of @ctx.
 * (WebAuthn 6.1, 6.5.1)  Since: 0.1
 */
GENKAN_API int genkan_webauthn_authdata(genkan_ctx *ctx, const void *data,
    size_t len, genkan_authdata *ret) GENKAN_CHECKED;

/**
 * genkan_webauthn_attestation - the authenticator data in an attestation object
 * @object:       borrowed, as long as the output is used
 * @len:          its bytes
 * @authdata:     [out] into @object; untouched unless 0 is returned
 * @authdata_len: [out] its bytes; likewise
 *
 * Returns 0, a GENKAN_REFUSAL_* of attestation objects, or GENKAN_E_INVAL.  Any
 * thread.  (WebAuthn 6.5.4)  Since: 0.1
 */
GENKAN_API int genkan_webauthn_attestation(const void *object, size_t len,
    const void **authdata, size_t *authdata_len) GENKAN_CHECKED;

GENKAN_END_DECLS

#endif
