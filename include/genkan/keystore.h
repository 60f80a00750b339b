/*
 * genkan/keystore.h - the key by which the extension knows this machine
 *
 * What `genkan pair` and `genkan enclave-status` do, without their argument
 * handling.  The host key signs the policy and proves to the extension that it
 * still talks to the machine it was paired with.  It lies in the credential
 * store of the system or, where that was asked for, in a file; it never leaves
 * the library.
 *
 * Reports: genkan/local.h.  Threads, errors and waits: as in genkan/trust.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_KEYSTORE_H
#define GENKAN_KEYSTORE_H

#include <stdint.h>

#include <genkan/local.h>

GENKAN_BEGIN_DECLS

/* For genkan_key_pair(). */
#define GENKAN_KEY_RESET	1u	/* dispose of a key that is there */
#define GENKAN_KEY_FILE		2u	/* keep the new one in a file */

/**
 * genkan_key_pair - make a host key
 * @ctx:   the context
 * @flags: GENKAN_KEY_RESET, GENKAN_KEY_FILE, or 0
 * @ret:   [out] the report, yours: genkan_report_free()
 *
 * Asks a person: descriptor 0 has to be a terminal, the question goes to
 * descriptor 2.  A credential store that is locked is unlocked by the person
 * first.  A key that is there already is never overwritten without
 * GENKAN_KEY_RESET.  Returns 0; GENKAN_E_INVAL for other flags; or as
 * genkan_kill_engage().  Blocks, for as long as the person likes.  Thread:
 * that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_key_pair(genkan_ctx *ctx, uint32_t flags,
    genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_key_status - is there a host key, and which
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * The text has a line "key: ..." and the fingerprint; the JSON is
 * {"v":1,"key":"present"|"none"|"invalid"|"error",...}.  The status is
 * GENKAN_STATUS_OK whatever they say, but for a running server that uses
 * another state directory.  Waits for the credential store for two seconds at
 * most.  Returns as genkan_kill_engage().  Blocks.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API int genkan_key_status(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

GENKAN_END_DECLS

#endif
