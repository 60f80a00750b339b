/*
 * What is known of the process at the other end, by value, and what its image
 * lets it do: wire.md 4.2 and 4.3.  Facts are gathered in local/; here they
 * are only judged.
 */
#ifndef GK_TRUST_ATTEST_H
#define GK_TRUST_ATTEST_H

#include "contract/schema.h"
#include "trust/installset.h"

struct gk_trust_view;

#define GK_ATTEST_MISMATCH	"peer executable identity mismatch"

/* One image as measured: a harness, an embedder, a peer.  !ok means that
 * nothing could be learnt, and that fails whatever needs a hash. */
struct gk_measure {
	bool	ok;
	char	hash[GK_HASH_HEX + 1];		/* 40 or 64 lowercase hex */
	char	signer[GK_SIGNER_MAX + 1];	/* "" where none is measured */
	char	path[1024];			/* for messages only; may be cut */
	char	name[GK_LABEL_MAX + 1];		/* log label of its own, or "" */
};

/* The facts about one connected peer. */
struct gk_peer {
	bool			uid_known;
	bool			uid_ours;
	int64_t			pid;		/* 0: unknown */
	/* What the image is; not ok where it is unmeasurable, mapped code of
	 * an image of ours that fails its check included. */
	struct gk_measure	image;
	unsigned		roles;		/* GK_ROLE_*, by install set */
	char			why[128];	/* why not measured */
	bool			shortage;	/* of descriptors or memory,
						 * here: not his fault */
};

/* What a connecting peer may attach as, once past step 3 of wire.md 5.1. */
#define GK_MAY_BROWSER	1u
#define GK_MAY_RELAY	2u	/* client, with a harness of its own */
#define GK_MAY_EMBEDDER	4u	/* client, judged on its own image */
#define GK_MAY_NOTHING	8u	/* past step 3, but attach is refused: doctor */

/*
 * 0: dropped without a byte.  Else GK_MAY_* bits.  A foreign image passes only
 * where a readable list names it.
 */
unsigned gk_attest_peer(const struct gk_peer *, const struct gk_trust_view *);

/* Whether a dialler may speak to it as the broker: ours, and genkan-server. */
bool	gk_attest_broker(const struct gk_peer *);
/* The same for an image alone: the process that a lock file names. */
bool	gk_attest_broker_image(const struct gk_measure *,
	    const struct gk_installset *);

#endif
