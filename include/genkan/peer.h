/*
 * genkan/peer.h - facts about the process at the other end of a socket
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_PEER_H
#define GENKAN_PEER_H

#include <genkan/context.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_peer genkan_peer;

/* Bits of genkan_peer_roles(): which programs of the installation its image
 * is. */
#define GENKAN_ROLE_SERVER	1
#define GENKAN_ROLE_HOST	2
#define GENKAN_ROLE_CLI		4

/**
 * genkan_peer_query - who is at the other end?
 * @ctx: for memory and digests
 * @fd:  a connected unix socket, borrowed for the call
 * @dir: program directory of the installation whose images count as genkan's;
 *       absolute
 * @ret: [out] the facts, yours: genkan_peer_free()
 *
 * Pins the process, hashes its image and, where that is one of the
 * installation, checks which code is mapped into it.  Blocks for as long as
 * reading the image takes.  Nothing that could not be learnt is a failure: the
 * facts say so; but for this process being short of memory or descriptors
 * before the peer was looked at.  Returns 0, GENKAN_E_INVAL, GENKAN_E_NOMEM,
 * GENKAN_E_CRYPTO or, where the programs of @dir cannot be looked at,
 * GENKAN_E_IO.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_peer_query(genkan_ctx *ctx, int fd, const char *dir,
    genkan_peer **ret) GENKAN_CHECKED;

/* What a program knows of a peer itself.  Start from GENKAN_PEER_FACTS_INIT. */
typedef struct genkan_peer_facts {
	size_t		 size;		/* of this struct */
	int		 same_user;
	int		 roles;		/* GENKAN_ROLE_* */
	int64_t		 pid;		/* for messages; 0: unknown */
	const char	*hash;		/* of its image: 64 lowercase hex
					 * characters; NULL: unmeasurable */
	const char	*path;		/* for messages; NULL: unknown */
} genkan_peer_facts;

#define GENKAN_PEER_FACTS_INIT \
	{ sizeof(genkan_peer_facts), 0, 0, 0, NULL, NULL }

/**
 * genkan_peer_new - facts that were learnt elsewhere
 * @ctx:   for memory
 * @facts: copied
 * @ret:   [out] the facts, yours: genkan_peer_free()
 *
 * For connections whose other end no system call tells: one within the program,
 * to a child of its own, out of a test.  Whoever is said to have a role is
 * believed to, so say what was measured and nothing else.  Returns 0;
 * GENKAN_E_INVAL for facts that are none, such as a role without a hash;
 * GENKAN_E_ABI; GENKAN_E_NOMEM.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_peer_new(genkan_ctx *ctx,
    const genkan_peer_facts *facts, genkan_peer **ret) GENKAN_CHECKED;

/**
 * genkan_peer_free - free the facts
 * @peer: may be NULL
 *
 * Frees nothing while the door is shut: <genkan/context.h>.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API void genkan_peer_free(genkan_peer *peer);

/**
 * genkan_peer_same_user - does it run as this user?
 * @peer: the facts
 *
 * Returns 1, or 0 for another user and for an unknown one.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API int genkan_peer_same_user(const genkan_peer *peer);

/**
 * genkan_peer_pid - its process number when it connected
 * @peer: the facts
 *
 * Returns the number, 0 if unknown.  Thread: that of the context.  Since: 0.1
 */
GENKAN_API int64_t genkan_peer_pid(const genkan_peer *peer);

/**
 * genkan_peer_hash - SHA-256 of its image, 64 lowercase hex characters
 * @peer: the facts
 *
 * Returns NULL for a peer that could not be measured.  Borrowed from @peer.
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_peer_hash(const genkan_peer *peer);

/**
 * genkan_peer_path - where its image lay, for messages
 * @peer: the facts
 *
 * Returns NULL for a peer that could not be measured.  Borrowed from @peer.
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_peer_path(const genkan_peer *peer);

/**
 * genkan_peer_roles - which programs of the installation it is
 * @peer: the facts
 *
 * Returns GENKAN_ROLE_* bits, 0 for a foreign or unmeasured image.  Thread:
 * that of the context.  Since: 0.1
 */
GENKAN_API int genkan_peer_roles(const genkan_peer *peer);

/**
 * genkan_peer_why - why it could not be measured, for people
 * @peer: the facts
 *
 * Returns "" for one that was.  Borrowed from @peer.  Thread: that of the
 * context.  Since: 0.1
 */
GENKAN_API const char *genkan_peer_why(const genkan_peer *peer);

GENKAN_END_DECLS

#endif
