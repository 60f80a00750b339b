/*
 * genkan/trust.h - who may drive the browser, and what was decided
 *
 * What the commands of `genkan` do about clients, the kill switch and the
 * audit trail, without their argument handling.  These calls touch files and
 * wait for a lock, up to four seconds, and genkan_trust_revoke_all() for the
 * credential store, so they block: not for a loop.  Every one of them hands
 * back a report with finished text (genkan/local.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_TRUST_H
#define GENKAN_TRUST_H

#include <genkan/local.h>

GENKAN_BEGIN_DECLS

/**
 * genkan_kill_engage - nobody drives the browser any more
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * Engages the kill switch, without a question and without depending on any
 * lock; where a running server uses another state directory of this user, in
 * that one too.  The status is GENKAN_STATUS_OK if it is engaged everywhere.
 * Returns 0, or an error when no report could be made: GENKAN_E_INVAL,
 * GENKAN_E_NOMEM, GENKAN_E_NOENT (no home directory), GENKAN_E_ADDR (a path is
 * too long); then *@ret is untouched.  Blocks.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API int genkan_kill_engage(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_kill_release - release the kill switch
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * Asks a person: descriptor 0 has to be a terminal, the question goes to
 * descriptor 2.  Not engaged: nothing is asked or written.  Returns as
 * genkan_kill_engage().  Blocks, for as long as the person likes.  Thread:
 * that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_kill_release(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_trust_list - the allowlist
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * The status is GENKAN_STATUS_FAILED if the record cannot be read.  Returns as
 * genkan_kill_engage().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_trust_list(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/*
 * Whom to pair.  Start from GENKAN_PAIR_OPTIONS_INIT.  Exactly one of
 * this_parent, hash and signer.
 */
typedef struct genkan_pair_options {
	size_t		 size;		/* of this struct */
	const char	*name;		/* a label; replaces its namesake */
	const char	*hash;		/* of the program's image, hex */
	const char	*signer;
	int		 this_parent;	/* measure the parent process */
} genkan_pair_options;

#define GENKAN_PAIR_OPTIONS_INIT \
	{ sizeof(genkan_pair_options), NULL, NULL, NULL, 0 }

/**
 * genkan_trust_pair - admit a client
 * @ctx:     the context
 * @options: borrowed for the call
 * @ret:     [out] the report, yours: genkan_report_free()
 *
 * Asks a person as genkan_kill_release() does.  Returns 0; GENKAN_E_INVAL for
 * options that are wrong, with the sentence in genkan_ctx_last_error();
 * GENKAN_E_ABI; or as genkan_kill_engage().  Blocks, for as long as the person
 * likes.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_trust_pair(genkan_ctx *ctx,
    const genkan_pair_options *options, genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_trust_revoke - admit a client no longer
 * @ctx:  the context
 * @name: its name; an unknown one is GENKAN_STATUS_FAILED
 * @ret:  [out] the report, yours: genkan_report_free()
 *
 * Asks nobody.  Returns as genkan_kill_engage().  Blocks.  Thread: that of
 * @ctx.  Since: 0.1
 */
GENKAN_API int genkan_trust_revoke(genkan_ctx *ctx, const char *name,
    genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_trust_revoke_browser - drop the credentials of a browser
 * @ctx:   the context
 * @label: its label; one without credentials is GENKAN_STATUS_FAILED
 * @ret:   [out] the report, yours: genkan_report_free()
 *
 * Asks nobody.  Returns as genkan_kill_engage().  Blocks.  Thread: that of
 * @ctx.  Since: 0.1
 */
GENKAN_API int genkan_trust_revoke_browser(genkan_ctx *ctx, const char *label,
    genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_trust_revoke_all - drop all clients and credentials, and the host key
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * A list of clients becomes an empty one; a machine that never had one stays
 * without.  The kill switch stays as it is.  Then the host key is disposed of:
 * deleted and looked for again, the policy put away, running hosts told; where
 * it cannot be seen to be gone the status is GENKAN_STATUS_FAILED, and clients
 * and credentials are dropped all the same.  Asks nobody.  Returns as
 * genkan_kill_engage().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_trust_revoke_all(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_audit_read - the last records of the audit trail
 * @ctx:   the context
 * @limit: at most so many, oldest first
 * @json:  not 0: the text is the records as they lie on disk, one a line, and
 *         {"v":1,"unrecognized":TEXT} for a line that is none
 * @ret:   [out] the report, yours: genkan_report_free()
 *
 * The status is GENKAN_STATUS_OK, also where there is no trail yet.  Returns
 * as genkan_kill_engage().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_audit_read(genkan_ctx *ctx, size_t limit, int json,
    genkan_report **ret) GENKAN_CHECKED;

GENKAN_END_DECLS

#endif
