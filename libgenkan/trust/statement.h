/*
 * What a person agrees to, as text and as the challenge that a key signs:
 * control.md 6.4 and 7.1.  The text is shown and signed, so its spelling is
 * protocol.
 */
#ifndef GK_TRUST_STATEMENT_H
#define GK_TRUST_STATEMENT_H

#include "base/base.h"
#include "contract/schema.h"

struct gk_client;

/* ------------------------------------------------------------ action texts */

struct gk_action {
	char	text[GK_ACTION_TEXT_MAX + 1];
};

/*
 * 0; GENKAN_E_TOO_LARGE for a text above GK_ACTION_TEXT_MAX bytes, which is
 * refused before anybody is asked; GENKAN_E_INVAL for one that is empty or
 * holds a NUL.
 */
int	gk_action_release(struct gk_action *);
/* Of a registration statement; no act has it. */
int	gk_action_enroll(struct gk_action *);
int	gk_action_pair(struct gk_action *, const struct gk_client *);
/* summary: "field=value,field=value", in catalogue order. */
int	gk_action_policy(struct gk_action *, struct gk_span summary);
int	gk_action_rollback(struct gk_action *, uint64_t revision,
	    struct gk_span summary);
/* op: "page_eval", "page_upload". */
int	gk_action_page(struct gk_action *, const char *op,
	    struct gk_span origin);
int	gk_action_another(struct gk_action *, const char *label);

/* --------------------------------------------------------------- challenge */

enum gk_ceremony_kind { GK_CEREMONY_PRESENCE, GK_CEREMONY_ENROLL };

#define GK_CHALLENGE_LEN	43	/* base64url of 32 bytes; of a nonce,
					 * too */

/* A nonce is 1 to GK_CHALLENGE_NONCE_MAX bytes without NUL. */
bool	gk_nonce_is_valid(struct gk_span);
/* A fresh one: 0, or GENKAN_E_RANDOM. */
int	gk_nonce_make(struct genkan_ctx *, char ret[GK_CHALLENGE_LEN + 1]);

/*
 * b64url(SHA-256(domain 00 label 00 action 00 nonce)), with a NUL.  label "" is
 * the default one.  0; GENKAN_E_INVAL for a part that holds a NUL or is out of
 * its bounds; GENKAN_E_NOMEM, GENKAN_E_CRYPTO.
 */
int	gk_challenge(struct genkan_ctx *, enum gk_ceremony_kind,
	    const char *label, struct gk_span action, struct gk_span nonce,
	    char ret[GK_CHALLENGE_LEN + 1]);

#endif
