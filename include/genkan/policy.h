/*
 * genkan/policy.h - what the agents of this machine may do, and the language
 *
 * What `genkan policy` and `genkan lang` do, without their argument handling.
 * A policy has a signed baseline, which only a person can loosen, and on top
 * of it restrictions, which anybody may add.
 *
 * Reports: genkan/local.h.  Threads, errors and waits: as in genkan/trust.h.
 * Each report has JSON, an {"v":1,"error":TEXT} where the act failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_POLICY_H
#define GENKAN_POLICY_H

#include <stdint.h>

#include <genkan/local.h>

GENKAN_BEGIN_DECLS

/**
 * genkan_policy_field - a field of the policy by its position
 * @index: from 0
 *
 * Returns its name ("cdpMode"), or NULL behind the last one.  Static.
 * Thread: any.  Since: 0.1
 */
GENKAN_API const char *genkan_policy_field(size_t index);

/**
 * genkan_policy_flag - the command line's name of a field
 * @index: from 0
 *
 * Returns "--cdp-mode", or NULL behind the last one.  Static.  Thread: any.
 * Since: 0.1
 */
GENKAN_API const char *genkan_policy_flag(size_t index);

/**
 * genkan_policy_show - the policy in force
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * The status is GENKAN_STATUS_FAILED if the record cannot be read.  Returns as
 * genkan_kill_engage().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_policy_show(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_policy_history - earlier policies, oldest first
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * Returns as genkan_policy_show().  Blocks.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API int genkan_policy_history(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_policy_set - set fields of the baseline
 * @ctx:    the context
 * @values: one text for each field, NULL for one that is not touched: on or
 *          off, milliseconds, or names of tools with commas between them
 * @n:      how many; fields behind the last one are not touched
 * @ret:    [out] the report, yours: genkan_report_free()
 *
 * Asks a person, as genkan_kill_release() does, and signs with the host key.
 * Returns 0; GENKAN_E_INVAL for a value that is wrong or where all are NULL,
 * with the sentence in genkan_ctx_last_error(); or as genkan_kill_engage().
 * Blocks, for as long as the person likes.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_policy_set(genkan_ctx *ctx, const char *const *values,
    size_t n, genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_policy_restrict - tighten what is in force
 * @ctx:    the context
 * @values: as for genkan_policy_set()
 * @n:      how many
 * @ret:    [out] the report, yours: genkan_report_free()
 *
 * Asks nobody; a value that is looser than what is in force fails.  Returns as
 * genkan_policy_set().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_policy_restrict(genkan_ctx *ctx,
    const char *const *values, size_t n, genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_policy_rollback - back to an earlier policy
 * @ctx:      the context
 * @revision: 1 or more
 * @entry:    id of one of its entries in the history, or NULL
 * @ret:      [out] the report, yours: genkan_report_free()
 *
 * Asks a person only where something would become looser.  Returns as
 * genkan_policy_set().  Blocks, for as long as the person likes.  Thread:
 * that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_policy_rollback(genkan_ctx *ctx, uint64_t revision,
    const char *entry, genkan_report **ret) GENKAN_CHECKED;

/**
 * genkan_lang_show - the language of the user interface
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * The status is GENKAN_STATUS_FAILED if the record cannot be read.  Returns as
 * genkan_kill_engage().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_lang_show(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_lang_set - choose it
 * @ctx:   the context
 * @value: auto, en, zh_CN or zh_TW
 * @ret:   [out] the report, yours: genkan_report_free()
 *
 * Asks nobody.  Returns 0; GENKAN_E_INVAL for another value, with the sentence
 * in genkan_ctx_last_error(); or as genkan_kill_engage().  Blocks.  Thread:
 * that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_lang_set(genkan_ctx *ctx, const char *value,
    genkan_report **ret) GENKAN_CHECKED;

GENKAN_END_DECLS

#endif
