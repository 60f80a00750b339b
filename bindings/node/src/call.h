/*
 * Calls from JavaScript and their arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NODE_CALL_H
#define GENKAN_NODE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <node_api.h>

#define GK_ARGS	8	/* more than any function takes */

struct gkn_copy;
struct gkn_core;

/* One call from JavaScript. */
struct gkn_call {
	napi_env	 env;
	napi_value	 self;
	size_t		 argc;
	napi_value	 argv[GK_ARGS];
	const char	*names;		/* of the arguments, "context max" */
	struct gkn_core	*core;		/* between gkn_enter() and gkn_leave() */
	struct gkn_copy	*copies;	/* of gkn_steady() */
};

/* Fills it in; arguments that are missing are undefined. */
bool	gkn_call_init(struct gkn_call *, napi_env, napi_callback_info);
/* The same, and the first argument is a number of the library's tables; one that
 * no int holds is a number that no table has. */
bool	gkn_call_int(struct gkn_call *, napi_env, napi_callback_info, int *);

/* Throw, and return false: the argument with this number is not what was
 * expected, or is it and has no such value. */
bool	gkn_expected(struct gkn_call *, size_t i, const char *what);
bool	gkn_refuse(struct gkn_call *, size_t i, const char *why);

/* Arguments.  false: an error that names it is pending. */
bool	gkn_arg_bytes(struct gkn_call *, size_t i, const void **, size_t *);
bool	gkn_arg_int(struct gkn_call *, size_t i, int64_t *);
/* One from min to max. */
bool	gkn_arg_range(struct gkn_call *, size_t i, int64_t min, int64_t max,
	    int64_t *);
/* Yours: free().  NULL for null and undefined. */
bool	gkn_arg_text(struct gkn_call *, size_t i, char **);
bool	gkn_is_nothing(struct gkn_call *, size_t i);
/* A reference to a function; NULL for null and undefined. */
bool	gkn_keep(struct gkn_call *, size_t i, napi_ref *);

/* Each file adds its functions.  Arguments that JavaScript gives have the names
 * by which a program knows them. */
struct gkn_function {
	const char	*name;
	napi_callback	 fn;
	const char	*arguments;	/* "context max" */
};
bool	gkn_export(napi_env, napi_value exports, const struct gkn_function *,
	    size_t n);
#define GK_EXPORT(env, exports, table) \
	gkn_export((env), (exports), (table), sizeof(table) / sizeof(*(table)))

#endif
