/*
 * The proof that a person is there: control.md 6.1.  Made here only, after the
 * answer was checked; it pays for one act, which marks it used.
 */
#ifndef GK_TRUST_PRESENCE_H
#define GK_TRUST_PRESENCE_H

#include "base/base.h"
#include "contract/schema.h"
#include "trust/admission.h"

struct gk_act;
struct gk_presence;

/* What a person types at a terminal. */
#define GK_PRESENCE_PHRASE	gk_schema_ident(GK_IDENT_GRANT_PHRASE)

/*
 * A line typed at a terminal, with or without its end: 0 and *ret yours if it
 * is the phrase and nothing else but spaces around it; 1: declined;
 * GENKAN_E_NOMEM.
 */
int	gk_presence_typed(struct genkan_ctx *, const char *line, size_t len,
	    struct gk_presence **ret);

/* A click in a window of the extension, and what it has to be worth one. */
struct gk_presence_click {
	struct gk_span			 nonce;		/* as it came; ptr NULL:
							 * none */
	struct gk_span			 expected;
	const struct gk_trust_view	*view;		/* read now */
	const char			*label;		/* whose credentials
							 * would have to answer;
							 * NULL: any */
	bool				 allowed;	/* the act takes a window,
							 * and from this parent */
};

/* The confirm check of control.md 6.5: 0 and *ret yours; 1 and the refusal;
 * GENKAN_E_NOMEM, a refusal too. */
int	gk_presence_clicked(struct genkan_ctx *,
	    const struct gk_presence_click *, struct gk_presence **ret,
	    enum gk_refusal_id *refusal);

/*
 * A tap on an authenticator: the assertion was verified and its counter is on
 * disk, which the finished gk_act_count() proves.  0 and *ret yours;
 * GENKAN_E_INVAL for an act that did not get there; GENKAN_E_NOMEM,
 * GENKAN_E_CRYPTO.
 */
int	gk_presence_tapped(struct genkan_ctx *, const struct gk_act *counted,
	    struct gk_presence **ret);

/* Does a label have a credential?  NULL: does anybody? */
bool	gk_presence_has_credential(const struct gk_trustrec *,
	    const char *label);

/*
 * Does what it came from still stand?  A tap does while its credential is
 * enrolled; what was typed or clicked was over when it was given.  For a proof
 * that is kept: the act asks with the record as it is under the lock.
 */
bool	gk_presence_stands(const struct gk_presence *,
	    const struct gk_trustrec *);

/* The audit label of its path: "tty", "confirm_window", or "webauthn:" and the
 * SHA-256 of the credential id. */
#define GK_PRESENCE_PATH_MAX	73
const char *gk_presence_path(const struct gk_presence *);

/* true once, then false for ever; false for NULL. */
bool	gk_presence_use(struct gk_presence *);
void	gk_presence_free(struct gk_presence *);

#endif
