/*
 * What can be asked about the host key, and what is answered (control 2.4,
 * 3.2, 3.4).  Whoever answers touches files and the credential store and may
 * take seconds: in a host that is a job, at a terminal a plain call.
 */
#ifndef GK_TRUST_HOSTKEY_H
#define GK_TRUST_HOSTKEY_H

#include "crypto/signer.h"
#include "records/store.h"

/*
 * GK_KEY_OK, else 1 + the index in GK_SET_ENCLAVE_REASON.  A key that is not
 * there is NONE only where its absence is verified.
 */
enum gk_key_state {
	GK_KEY_OK,
	GK_KEY_UNSUPPORTED,
	GK_KEY_NONE,
	GK_KEY_BAD_CHALLENGE,
	GK_KEY_INVALID,
	GK_KEY_ERROR,
	GK_KEY_UNSIGNED
};

/* The code on the wire; NULL for GK_KEY_OK. */
const char *gk_key_code(enum gk_key_state);

enum gk_key_kind {
	GK_KEY_LOAD,		/* does it load? */
	GK_KEY_SIGN,		/* and sign these bytes */
	GK_KEY_DISPOSE		/* 3.6, whole, under the record lock */
};

enum gk_key_place {
	GK_KEY_NOWHERE,
	GK_KEY_IN_STORE,
	GK_KEY_IN_FILE
};

struct gk_key_answer {
	enum gk_key_state code;
	enum gk_key_place place;		/* OK, INVALID */
	char		 why[GK_WHY_FULL];	/* not OK: one sentence */
	char		 key_id[GK_KEY_ID_HEX + 1];	/* OK */
	uint8_t		 pub[GK_P256_POINT];		/* OK */
	uint8_t		 sig[GK_P256_SIG];		/* OK of SIGN */
	/* DISPOSE: OK means done.  What a person should know besides. */
	bool		 had_key;
	bool		 incomplete;	/* gone, but not all was written */
	char		 note[GK_WHY_FULL];
};

/*
 * The challenge of 3.2, appended to ret: 0; GENKAN_E_INVAL for a nonce or a
 * context that is out of bounds or holds NUL; GENKAN_E_NOMEM.
 */
int	gk_key_challenge(struct gk_buf *ret, struct gk_span nonce,
	    struct gk_span context);
/* The message over a policy document, likewise; it may hold anything. */
int	gk_key_policy(struct gk_buf *ret, struct gk_span document);

#endif
