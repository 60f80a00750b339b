/*
 * What the files of the addon share.
 *
 * A handle of the library is a box that JavaScript holds as an external value.
 * Boxes of one context share a core, which frees the context with the last of
 * them.  Everything here belongs to the one thread of its environment; worker
 * threads have environments of their own, and nothing is global.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NODE_ADDON_H
#define GENKAN_NODE_ADDON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <node_api.h>

#include <genkan/genkan.h>

#define GK_ARGS	8	/* more than any function takes */

/* Of one environment. */
struct gkn_instance {
	napi_ref	error;	/* GenkanError, made by the JavaScript half */
};

enum gkn_kind {
	GK_CTX, GK_NATIVE, GK_LEG, GK_JOB, GK_SERVER, GK_HOST, GK_BROKER, GK_CLIENT,
	GK_CREDENTIAL, GK_KINDS
};

struct gkn_box;
struct gkn_copy;

struct gkn_core {
	genkan_ctx	*ctx;
	unsigned	 refs;		/* boxes that are open */
	bool		 busy;		/* inside the library */
	bool		 quiet;		/* no JavaScript may run now */
	bool		 calls;		/* there is JavaScript to be called */
	struct gkn_box	*dead;		/* closed while it was busy */
	napi_env	 env;
	napi_ref	 log;		/* functions, or NULL */
	napi_ref	 random;
};

struct gkn_box {
	enum gkn_kind	 kind;
	void		*ptr;		/* NULL: closed */
	struct gkn_core	*core;		/* NULL: closed */
	struct gkn_box	*next;		/* in core->dead */
	bool		 gone;		/* JavaScript has dropped it */
	bool		 running;	/* a job on another thread */
};

/* One call from JavaScript. */
struct gkn_call {
	napi_env	 env;
	napi_value	 self;
	size_t		 argc;
	napi_value	 argv[GK_ARGS];
	struct gkn_core	*core;		/* between gkn_enter() and gkn_leave() */
	struct gkn_copy	*copies;	/* of gkn_steady() */
};

/* Fills it in; arguments that are missing are undefined. */
bool	gkn_call_init(struct gkn_call *, napi_env, napi_callback_info);
/* The same, and the first argument is an open handle of this kind. */
bool	gkn_call_on(struct gkn_call *, napi_env, napi_callback_info,
	    enum gkn_kind, struct gkn_box **);

/* Arguments.  false: a TypeError is pending. */
bool	gkn_arg_box(struct gkn_call *, size_t i, enum gkn_kind, struct gkn_box **);
/* Of any kind, and closed or not. */
bool	gkn_arg_any_box(struct gkn_call *, size_t i, struct gkn_box **);
bool	gkn_arg_bytes(struct gkn_call *, size_t i, const void **, size_t *);
bool	gkn_arg_int(struct gkn_call *, size_t i, int64_t *);
/* Yours: free().  NULL for null and undefined. */
bool	gkn_arg_text(struct gkn_call *, size_t i, char **);
bool	gkn_is_nothing(struct gkn_call *, size_t i);
/* A reference to a function; NULL for null and undefined. */
bool	gkn_keep(struct gkn_call *, size_t i, napi_ref *);
/* Four functions that keep records, as store.cjs has them, or nothing at all;
 * for one who has entered, and gives the table to the library, which frees what
 * is behind it. */
bool	gkn_arg_store(struct gkn_call *, size_t i, genkan_store *table,
	    const genkan_store **);

/* In a callback: may JavaScript be called now?  If so a scope was opened. */
bool	gkn_may_call(struct gkn_core *, napi_handle_scope *);

/* Round every use of a context.  gkn_enter() refuses, with an error pending,
 * where it is called from a callback of that very context. */
bool	gkn_enter(struct gkn_call *, struct gkn_box *);
void	gkn_leave(struct gkn_call *);
/* Bytes that JavaScript lent, for one who has entered: a copy where a callback
 * might take their memory away in the middle.  false: there is none. */
bool	gkn_steady(struct gkn_call *, const void **, size_t);
/* Leave with what the call has given: a value, or a handle for what it made.
 * Where r is negative its error is thrown instead. */
napi_value	gkn_give(struct gkn_call *, int r, napi_value);
napi_value	gkn_give_made(struct gkn_call *, int r, enum gkn_kind, void *);

/* Throws what a negative code stands for; returns NULL. */
napi_value	gkn_throw(napi_env, struct gkn_core *, int code);
napi_value	gkn_type_error(napi_env, const char *);

/* A box for ptr, which is freed when there is none; NULL: error pending. */
napi_value	gkn_box_new(napi_env, enum gkn_kind, void *ptr, struct gkn_core *);
void		gkn_box_close(struct gkn_box *);
void		gkn_core_unref(struct gkn_core *);
/* Frees an object that got no box; the library is not at work with it. */
void		gkn_unboxed(struct gkn_core *, enum gkn_kind, void *ptr);

napi_value	gkn_undefined(napi_env);
napi_value	gkn_null(napi_env);
napi_value	gkn_int(napi_env, int64_t);
napi_value	gkn_bool(napi_env, bool);
napi_value	gkn_text(napi_env, const char *);	/* null for NULL */
napi_value	gkn_text_n(napi_env, const char *, size_t);
napi_value	gkn_buffer(napi_env, const void *, size_t);
void		gkn_set(napi_env, napi_value object, const char *, napi_value);

/* Each file adds its functions. */
struct gkn_function {
	const char	*name;
	napi_callback	 fn;
};
bool	gkn_export(napi_env, napi_value exports, const struct gkn_function *,
	    size_t n);
bool	gkn_context_export(napi_env, napi_value exports);
bool	gkn_broker_export(napi_env, napi_value exports);
bool	gkn_client_export(napi_env, napi_value exports);
bool	gkn_native_export(napi_env, napi_value exports);
bool	gkn_leg_export(napi_env, napi_value exports);
bool	gkn_machine_export(napi_env, napi_value exports);
bool	gkn_report_export(napi_env, napi_value exports);
bool	gkn_webauthn_export(napi_env, napi_value exports);

#define GK_EXPORT(env, exports, table) \
	gkn_export((env), (exports), (table), sizeof(table) / sizeof(*(table)))

#endif
