/*
 * Where the host key is kept, for one act (control 3.4): host_key.json in the
 * state directory, or the credential store.  The file's presence is the
 * choice; no failure of the one makes up for the other.
 *
 * A store that failed once is not asked again by the same act, so that an act
 * takes one time-out at most.
 */
#ifndef GK_LOCAL_KEYRING_H
#define GK_LOCAL_KEYRING_H

#include "local/place.h"
#include "trust/hostkey.h"

#define GK_KEYRING_ACCOUNT_MAX	128

struct gk_keyring {
	struct genkan_ctx	*ctx;
	const struct gk_store	*store;		/* records; borrowed */
	char			 account[GK_KEYRING_ACCOUNT_MAX];
	int			 failed;	/* of the credential store */
	char			 reason[GK_WHY_FULL / 2];	/* of that */
	char			 why[GK_WHY_FULL];	/* the last sentence */
};

/* 0 or an error with the sentence in ->why. */
int	gk_keyring_init(struct gk_keyring *, struct genkan_ctx *,
	    const struct gk_place *, const struct gk_store *);

/* label, dot, and half of SHA-256 over the path, in hex. */
int	gk_keyring_account(struct genkan_ctx *, const char *path,
	    char ret[GK_KEYRING_ACCOUNT_MAX]);

/* The key: a->code and what goes with it, all but a signature.  signer is open
 * only for GK_KEY_OK; gk_signer_done() in any case. */
void	gk_keyring_load(struct gk_keyring *, struct gk_signer *signer,
	    struct gk_key_answer *a);

/*
 * Does either place hold anything, be it a key or not?  0: verified that none
 * does; 1: one does, and ret says which; an error: cannot be told, sentence in
 * ->why.  lenient: a store that does not answer counts as empty, and ->failed
 * tells.
 */
int	gk_keyring_occupied(struct gk_keyring *, bool lenient,
	    enum gk_key_place *ret);

/*
 * Deletes the key everywhere and looks again.  0: absence is verified; an
 * error with the sentence in ->why.  A file key beside a store that does not
 * answer counts (->failed tells), and so does any with lenient.
 */
int	gk_keyring_erase(struct gk_keyring *, struct gk_hold *, bool lenient,
	    bool *had_key);

/* Into a place that is empty; the sentence in ->why. */
int	gk_keyring_put(struct gk_keyring *, struct gk_hold *,
	    enum gk_key_place, const struct gk_signer *);

/* The store, for `pair`: 0 when it can be used now; may wait for a person. */
int	gk_keyring_unlock(struct gk_keyring *);

#endif
