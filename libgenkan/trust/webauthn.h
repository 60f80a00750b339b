/*
 * The relying party: control.md 7.  Authenticator data, client data and
 * attestation objects are parsed and judged here, every step of them, in the
 * order of that section; the first that fails gives the refusal.  Nothing is
 * fetched or stored: what is known of a credential comes in, what to remember
 * goes out.
 *
 * All return 0; 1 and the refusal; or GENKAN_E_NOMEM, GENKAN_E_CRYPTO, which
 * are no verdict.  Outputs are untouched unless 0 is returned.
 */
#ifndef GK_TRUST_WEBAUTHN_H
#define GK_TRUST_WEBAUTHN_H

#include "contract/schema.h"
#include "records/trustrec.h"

/* Flags of authenticator data (WebAuthn 6.1). */
#define GK_AD_UP	0x01u	/* user present */
#define GK_AD_UV	0x04u	/* user verified; not asked */
#define GK_AD_BE	0x08u	/* backup eligible */
#define GK_AD_BS	0x10u	/* backed up */
#define GK_AD_AT	0x40u	/* attested credential data */
#define GK_AD_ED	0x80u	/* extensions */
#define GK_AD_RESERVED	0x22u

#define GK_AD_MIN	37	/* bytes of its header */

/* What is expected of a ceremony. */
struct gk_rp {
	const char	*id;		/* the hash is that of this text */
	const char	*origin;	/* without trailing slash */
};

/* The extension's: for both the origin, control.md 7.2. */
void	gk_rp_of_extension(struct gk_rp *ret);

struct gk_credential {
	uint8_t		 id[GK_CREDENTIAL_ID_MAX];
	size_t		 idlen;
	uint8_t		 public_key[65];
	uint32_t	 sign_count;
	bool		 backup_eligible;
};

/* ------------------------------------------------------------------ parsers */

struct gk_authdata {
	uint8_t		 rp_hash[32];
	unsigned	 flags;
	uint32_t	 sign_count;
	struct gk_span	 id;		/* with AT; borrowed */
	uint8_t		 public_key[65];	/* with AT; on the curve */
};

int	gk_authdata_parse(struct genkan_ctx *, struct gk_span,
	    struct gk_authdata *ret, enum gk_refusal_id *refusal);

/* The authenticator data inside; borrowed. */
int	gk_attestation_parse(struct gk_span, struct gk_span *authdata,
	    enum gk_refusal_id *refusal);

#define GK_CLIENT_DATA_CREATE	"webauthn.create"
#define GK_CLIENT_DATA_GET	"webauthn.get"

int	gk_client_data_check(struct genkan_ctx *, struct gk_span json,
	    const char *type, const char *challenge, const char *origin,
	    enum gk_refusal_id *refusal);

/* ---------------------------------------------------------------- verifiers */

/* 7.4: 0 after a stored 0, else it grows. */
bool	gk_sign_count_ok(uint32_t stored, uint32_t received);

/*
 * The enrollment of a credential id, borrowed from the record: that of a
 * label, or any for NULL.
 */
int	gk_webauthn_find(const struct gk_trustrec *, struct gk_span id,
	    const char *label, const struct gk_enrollment **ret,
	    enum gk_refusal_id *refusal);

struct gk_assertion {
	struct gk_span	 id;		/* for the caller's lookup */
	struct gk_span	 authdata;
	struct gk_span	 client_data;
	struct gk_span	 signature;
};

/* From "parse authenticator data" to the signature; what is left is to find
 * the credential before, and to persist the counter after it. */
int	gk_webauthn_assert(struct genkan_ctx *, const struct gk_rp *,
	    const char *challenge, const struct gk_assertion *,
	    const uint8_t public_key[65], uint32_t sign_count,
	    bool backup_eligible, uint32_t *ret, enum gk_refusal_id *refusal);

struct gk_registration {
	struct gk_span	 attestation;
	struct gk_span	 client_data;
};

int	gk_webauthn_register(struct genkan_ctx *, const struct gk_rp *,
	    const char *challenge, const struct gk_registration *,
	    struct gk_credential *ret, enum gk_refusal_id *refusal);

/*
 * The rules that both have: rpIdHash, then UP.  For webauthn_*.c.
 */
int	gk_webauthn_header(struct genkan_ctx *, const struct gk_rp *,
	    const struct gk_authdata *, enum gk_refusal_id *refusal);

/* "webauthn:" and the hex SHA-256 of the raw id (6.1). */
#define GK_CREDENTIAL_PATH_LEN	73
int	gk_credential_path(struct genkan_ctx *, const void *id, size_t len,
	    char ret[GK_CREDENTIAL_PATH_LEN + 1]);

#endif
