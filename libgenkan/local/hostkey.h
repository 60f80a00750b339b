/*
 * The host key of this machine, wherever it is kept (control 3.4 to 3.7): the
 * file host_key.json in the state directory where it exists, else the
 * credential store of the system.
 *
 * Everything here blocks: on files, on the record lock, on the store for at
 * most GK_KEYSTORE_MS a call.  For jobs and for the command line.
 */
#ifndef GK_LOCAL_HOSTKEY_H
#define GK_LOCAL_HOSTKEY_H

#include "local/desk.h"
#include "local/keyring.h"
#include "trust/dispose.h"
#include "trust/hostkey.h"

/* Answers one question; msg is the whole message, for GK_KEY_SIGN only. */
void	gk_hostkey_ask(struct genkan_ctx *, const struct gk_place *,
	    enum gk_key_kind, const void *msg, size_t len,
	    struct gk_key_answer *ret);

/*
 * The same for commands: loads (msg NULL) or signs.  0, and key_id and, with a
 * message, sig; else an error and one sentence in why.
 */
int	gk_hostkey_sign(struct gk_desk *, const void *msg, size_t len,
	    uint8_t sig[GK_P256_SIG], char key_id[GK_KEY_ID_HEX + 1],
	    char *why, size_t whylen);

/*
 * Disposal, under the caller's hold.  lenient: a credential store that does
 * not answer is only noted.  As gk_dispose(); d is filled in.
 */
int	gk_hostkey_dispose(struct gk_keyring *, struct gk_hold *,
	    bool lenient, bool *had_key, struct gk_disposal *d);

/* The same for a command, lock included; r of gk_dispose(). */
void	gk_hostkey_revoke(struct gk_desk *);

/* The line of `enclave-status`: "key: ..." (3.7). */
#define GK_HOSTKEY_LINE	(GK_WHY_FULL + 32)
void	gk_hostkey_line(struct genkan_ctx *, const struct gk_place *,
	    char *ret, size_t len);

/* `enclave-status`; the report gets text and JSON. */
int	gk_hostkey_status(struct gk_desk *);

#endif
