/*
 * genkan/local.h - one machine: health report and registration
 *
 * What the command `genkan` does without its argument handling.  These calls
 * touch files, and the health report connects to the bridge socket, so they
 * block: not for a loop.  Every one of them hands back a report with finished
 * text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_LOCAL_H
#define GENKAN_LOCAL_H

#include <genkan/context.h>

GENKAN_BEGIN_DECLS

/* Outcome of a command, and the exit status of the program. */
#define GENKAN_STATUS_OK	0	/* done, nothing to do, or healthy */
#define GENKAN_STATUS_FAILED	1	/* refused, failed, or not healthy */
#define GENKAN_STATUS_USAGE	2	/* wrong arguments; no report has it */
#define GENKAN_STATUS_NOTHING	3	/* no browser was found to register */

typedef struct genkan_report genkan_report;

/**
 * genkan_report_text - what a command has to say
 * @report: the report
 *
 * Returns lines of UTF-8, each ended by LF and free of other control
 * characters; "" if there is nothing.  Borrowed until genkan_report_free().
 * Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_report_text(const genkan_report *report);

/**
 * genkan_report_warnings - what belongs on standard error instead
 * @report: the report
 *
 * As genkan_report_text().  Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_report_warnings(const genkan_report *report);

/**
 * genkan_report_json - the report for programs
 * @report: the report
 *
 * Returns one JSON object on one line without LF, whose member `v` says which
 * form it has; "" for a command without such a form.  Borrowed until
 * genkan_report_free().  Thread: that of the context.  Since: 0.1
 */
GENKAN_API const char *genkan_report_json(const genkan_report *report);

/**
 * genkan_report_status - how it ended
 * @report: the report
 *
 * Returns a GENKAN_STATUS_*, GENKAN_STATUS_FAILED for NULL.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API int genkan_report_status(const genkan_report *report);

/**
 * genkan_report_free - free a report
 * @report: may be NULL
 *
 * Frees nothing while the door is shut: <genkan/context.h>.  Thread: that of
 * the context.  Since: 0.1
 */
GENKAN_API void genkan_report_free(genkan_report *report);

/**
 * genkan_doctor_check - is this installation healthy?
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * Changes nothing: no directory is created and no lock removed.  A broker that
 * is found is connected to and left, after at most a second and without a byte
 * sent.  The status is GENKAN_STATUS_OK where all is well.  Returns 0, or an
 * error when no report could be made: GENKAN_E_INVAL, GENKAN_E_NOMEM,
 * GENKAN_E_NOENT (no home directory), GENKAN_E_ADDR (a path is too long),
 * GENKAN_E_IO; then *@ret is untouched.  Blocks.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API int genkan_doctor_check(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_doctor_list - one line per browser and scope
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * Key, scope, detected or not, state and path of the manifest.  The status is
 * GENKAN_STATUS_OK if a browser that was found would start our host.  Returns
 * as genkan_doctor_check().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_doctor_list(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_doctor_paths - where the files of this user lie
 * @ctx: the context
 * @ret: [out] the report, yours: genkan_report_free()
 *
 * Only computes; nothing is created or opened.  Returns as
 * genkan_doctor_check().  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_doctor_paths(genkan_ctx *ctx, genkan_report **ret)
    GENKAN_CHECKED;

/*
 * What to register or remove.  Start from GENKAN_REGISTER_OPTIONS_INIT.  At
 * most one of browsers, all and dirs.
 */
typedef struct genkan_register_options {
	size_t			 size;		/* of this struct */
	const char		*browsers;	/* keys, joined by commas; NULL:
						 * those that are found */
	const char *const	*dirs;		/* absolute: manifests go here */
	size_t			 ndirs;
	int			 all;		/* every browser, found or not */
	int			 system;	/* for all users; needs root */
} genkan_register_options;

#define GENKAN_REGISTER_OPTIONS_INIT \
	{ sizeof(genkan_register_options), NULL, NULL, 0, 0, 0 }

/**
 * genkan_register_write - let browsers start genkan-host
 * @ctx:     the context
 * @options: borrowed for the call; NULL for defaults
 * @ret:     [out] the report, yours: genkan_report_free()
 *
 * Writes manifest and wrapper for each browser; a manifest that genkan did not
 * write is left alone, and the status is GENKAN_STATUS_FAILED then, with the
 * others written.  Returns 0; GENKAN_E_INVAL for options that are wrong, with
 * the sentence in genkan_ctx_last_error(); GENKAN_E_ABI; or as
 * genkan_doctor_check().  Blocks.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_register_write(genkan_ctx *ctx,
    const genkan_register_options *options, genkan_report **ret)
    GENKAN_CHECKED;

/**
 * genkan_register_remove - undo it
 * @ctx:     the context
 * @options: borrowed for the call; NULL for defaults; .browsers and .all are
 *           not for this call
 * @ret:     [out] the report, yours: genkan_report_free()
 *
 * Removes the manifests of every browser, those in .dirs as well, and the
 * wrappers, as far as genkan wrote them; leaving the rest is no failure.
 * Returns as genkan_register_write().  Blocks.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API int genkan_register_remove(genkan_ctx *ctx,
    const genkan_register_options *options, genkan_report **ret)
    GENKAN_CHECKED;

GENKAN_END_DECLS

#endif
