/*
 * genkan/context.h - contexts, options, errors
 *
 * A context holds what the library must not take from the process it lives
 * in: memory, randomness, time and the log.  Everything else is made from one.
 * A context and all made from it belong to one thread at a time; contexts
 * share nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_CONTEXT_H
#define GENKAN_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <genkan/contract.h>
#include <genkan/export.h>
#include <genkan/version.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_ctx genkan_ctx;

/* Log levels; a context passes on its own level and all above it. */
#define GENKAN_LOG_NONE		(-1)
#define GENKAN_LOG_ERROR	0
#define GENKAN_LOG_WARN		1
#define GENKAN_LOG_INFO		2
#define GENKAN_LOG_DEBUG	3

/*
 * The four functions below and those of <genkan/store.h> are called in the middle
 * of an operation.  While one of them runs the door is shut: whatever takes the
 * context, or something made from it, is refused.  What returns codes gives
 * GENKAN_E_STATE; what frees, frees nothing, and what returns nothing does
 * nothing; genkan_leg_wants() is 0, and other readers say what they say of NULL.
 * Outputs are as on any failure, no memory is asked for, nothing is logged, and
 * everything is as it was.  A refusal is not in genkan_ctx_last_error().
 *
 * Open stay genkan_ctx_last_error() and genkan_job_run(); other contexts, which
 * genkan_ctx_new() may make from there as well; and what takes no context.
 *
 * They must return: neither by longjmp() nor by an exception.
 */

/**
 * genkan_realloc_fn - the allocator of a context
 * @user: .user of the options
 * @ptr:  NULL to allocate, else a block that this function returned
 * @size: new size in bytes; 0 frees @ptr and returns NULL
 *
 * Returns memory aligned as malloc() does, or NULL when there is none, and
 * then @ptr is untouched.  Also called before there is a context, for the
 * context itself, and at last to free that.
 */
typedef void *genkan_realloc_fn(void *user, void *ptr, size_t size);

/**
 * genkan_log_fn - receives one finished log record
 * @user:  .user of the options
 * @level: GENKAN_LOG_ERROR to GENKAN_LOG_DEBUG
 * @tag:   subsystem, stable
 * @id:    which message, stable; for programs
 * @text:  one line of UTF-8 without control characters; for people
 *
 * All strings are borrowed for the call.
 */
typedef void genkan_log_fn(void *user, int level, const char *tag,
    const char *id, const char *text);

/**
 * genkan_random_fn - the source of randomness of a context
 * @user: .user of the options
 * @buf:  to be filled
 * @len:  all of it
 *
 * Returns 0, or anything else if it could not fill the whole; the library then
 * fails closed.  Must be fit for keys.
 */
typedef int genkan_random_fn(void *user, void *buf, size_t len);

/**
 * genkan_clock_fn - the clock of a context
 * @user: .user of the options
 *
 * Returns monotonic milliseconds from any origin, 0 or more; a time before the
 * last one is ignored.  Nothing to do with the time of day.
 */
typedef int64_t genkan_clock_fn(void *user);

/*
 * Options of a context.  Start from GENKAN_CTX_OPTIONS_INIT, so that .size is
 * right and every later member is at its default.
 */
typedef struct genkan_ctx_options {
	size_t			 size;		/* of this struct */
	void			*user;		/* for the five below */
	genkan_realloc_fn	*realloc_fn;	/* NULL: the C library's */
	genkan_log_fn		*log_fn;	/* NULL: silence */
	genkan_random_fn	*random_fn;	/* NULL: the system's */
	genkan_clock_fn		*clock_fn;	/* NULL: the program tells */
	/* Called once with .user: when the context is freed, and also when it
	 * could not be made.  The context is no more by then; everything else
	 * may be called. */
	void		       (*free_user)(void *user);
	int			 log_level;	/* GENKAN_LOG_*; INFO by default */
	int			 reserved;	/* 0 */
	/* The directory of genkan's programs, absolute: which genkan-host is
	 * registered and looked at, and which genkan-server a genkan_client
	 * trusts.  A genkan_server and a genkan_host ask nothing of it: they
	 * trust what lies beside the running program.  NULL: the directory of
	 * this program, if it is one of them, else the one that libgenkan was
	 * built for. */
	const char		*program_dir;
} genkan_ctx_options;

#define GENKAN_CTX_OPTIONS_INIT \
	{ sizeof(genkan_ctx_options), NULL, NULL, NULL, NULL, NULL, NULL, \
	  GENKAN_LOG_INFO, 0, NULL }

/**
 * genkan_ctx_new - make a context
 * @options: copied; NULL for defaults
 * @ret:     [out] the context, yours: genkan_ctx_free()
 *
 * Prepares the process-wide state of libsodium and Jansson, which is harmless
 * to repeat.  Returns 0, GENKAN_E_INVAL for options that are malformed,
 * GENKAN_E_ABI for options that ask for something newer than this library,
 * GENKAN_E_NOMEM, GENKAN_E_RANDOM or GENKAN_E_CRYPTO.  @options->free_user is
 * called in every case but GENKAN_E_INVAL of @ret NULL or an unusable .size,
 * where the options cannot be read.  Thread: the first call of a process must
 * not run beside another use of libsodium's or Jansson's initialisation; later
 * ones are free.  Since: 0.1
 */
GENKAN_API int genkan_ctx_new(const genkan_ctx_options *options,
    genkan_ctx **ret) GENKAN_CHECKED;

/**
 * genkan_ctx_free - free a context
 * @ctx: may be NULL; everything made from it must be gone by now, and jobs
 *       that were pulled be handed back
 *
 * Frees nothing while the door is shut, see above.  From inside a dispatch
 * (<genkan/dispatch.h>) it is freed at the end of that.  Thread: that of @ctx.
 * Since: 0.1
 */
GENKAN_API void genkan_ctx_free(genkan_ctx *ctx);

/* In the place of a time: ask .clock_fn of the context. */
#define GENKAN_NOW	(-1)

/**
 * genkan_ctx_set_time - tell a context what time it is
 * @ctx:    the context
 * @now_ms: monotonic milliseconds, from any origin, 0 or more; or GENKAN_NOW
 *
 * The library never asks the system.  A program tells the time here and with
 * every tick; or it gives the context a clock, which is then asked by every
 * function that changes what was made from it, and tells nothing.
 * A time before the last one is ignored.  Returns 0, or GENKAN_E_INVAL for
 * NULL, another negative time, and GENKAN_NOW without a clock.  A tick
 * with such a time does nothing: no deadline is met, nobody is dropped that was
 * revoked.  genkan_ctx_last_error() says so, and the log once as an error.
 * Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API int genkan_ctx_set_time(genkan_ctx *ctx, int64_t now_ms);

/**
 * genkan_ctx_last_error - detail of the last error, for people
 * @ctx: the context
 *
 * Returns one line of UTF-8, borrowed until the next call that takes @ctx or
 * something made from it; "" where that call had nothing to add to
 * genkan_error_text() of its code, and for NULL.  Ask it straight after the
 * failure.  A call that was refused for a NULL argument or at the shut door has
 * left the detail of an earlier one.  Programs decide by the code, which says
 * all that they need.  Thread: that of @ctx.  Since: 0.1
 */
GENKAN_API const char *genkan_ctx_last_error(const genkan_ctx *ctx);

/**
 * genkan_error_name - the wire name of an error code
 * @code: 0 or a GENKAN_E_* code
 *
 * Returns a static string such as "frame-too-large", "ok" for 0 and above and
 * "unknown" for a code that this library does not have.  Any thread.
 * Since: 0.1
 */
GENKAN_API const char *genkan_error_name(int code);

/**
 * genkan_error_text - what an error code means, for people
 * @code: as for genkan_error_name()
 *
 * Returns a static phrase such as "frame exceeds the limit"; "success" for 0 and
 * above, "unknown error" for a code that this library does not have.  Any
 * thread.  Since: 0.1
 */
GENKAN_API const char *genkan_error_text(int code);

/**
 * genkan_error_class - what survives an error
 * @code: a GENKAN_E_* code
 *
 * Returns GENKAN_CLASS_CALLER (the call was wrong, nothing has changed),
 * GENKAN_CLASS_TRANSIENT (the same call may succeed later),
 * GENKAN_CLASS_CONN (this connection or object is dead, others are not),
 * GENKAN_CLASS_FATAL (stop using the context), or GENKAN_E_INVAL for what is
 * no error code.  Any thread.  Since: 0.1
 */
GENKAN_API int genkan_error_class(int code);

/**
 * genkan_version - the version of the library that is running
 *
 * Returns a static string; compare with GENKAN_VERSION of the headers.  Any
 * thread.  Since: 0.1
 */
GENKAN_API const char *genkan_version(void);

GENKAN_END_DECLS

#endif
