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
struct gk_instance {
	napi_ref	error;	/* GenkanError, made by the JavaScript half */
};

enum gk_kind {
	GK_CTX, GK_NATIVE, GK_LEG, GK_JOB, GK_SERVER, GK_HOST, GK_CLIENT,
	GK_CREDENTIAL, GK_KINDS
};

struct gk_box;

struct gk_core {
	genkan_ctx	*ctx;
	unsigned	 refs;		/* boxes that are open */
	bool		 busy;		/* inside the library */
	bool		 quiet;		/* no JavaScript may run now */
	struct gk_box	*dead;		/* closed while it was busy */
	napi_env	 env;
	napi_ref	 log;		/* functions, or NULL */
	napi_ref	 random;
};

struct gk_box {
	enum gk_kind	 kind;
	void		*ptr;		/* NULL: closed */
	struct gk_core	*core;		/* NULL: closed */
	struct gk_box	*next;		/* in core->dead */
	bool		 gone;		/* JavaScript has dropped it */
	bool		 running;	/* a job on another thread */
};

/* One call from JavaScript. */
struct gk_call {
	napi_env	 env;
	napi_value	 self;
	size_t		 argc;
	napi_value	 argv[GK_ARGS];
	struct gk_core	*core;		/* between gk_enter() and gk_leave() */
};

/* Fills it in; arguments that are missing are undefined. */
bool	gk_call_init(struct gk_call *, napi_env, napi_callback_info);

/* Arguments.  false: a TypeError is pending. */
bool	gk_arg_box(struct gk_call *, size_t i, enum gk_kind, struct gk_box **);
bool	gk_arg_bytes(struct gk_call *, size_t i, const void **, size_t *);
bool	gk_arg_int(struct gk_call *, size_t i, int64_t *);
/* Yours: free().  NULL for null and undefined. */
bool	gk_arg_text(struct gk_call *, size_t i, char **);
bool	gk_is_nothing(struct gk_call *, size_t i);

/* Round every use of a context.  gk_enter() refuses, with an error pending,
 * where it is called from a callback of that very context. */
bool	gk_enter(struct gk_call *, struct gk_box *);
void	gk_leave(struct gk_call *);

/* Throws what a negative code stands for; returns NULL. */
napi_value	gk_throw(napi_env, struct gk_core *, int code);
napi_value	gk_type_error(napi_env, const char *);

/* A box for ptr, which is freed when there is none; NULL: error pending. */
napi_value	gk_box_new(napi_env, enum gk_kind, void *ptr, struct gk_core *);
void		gk_box_close(struct gk_box *);
void		gk_core_unref(struct gk_core *);

napi_value	gk_undefined(napi_env);
napi_value	gk_null(napi_env);
napi_value	gk_int(napi_env, int64_t);
napi_value	gk_bool(napi_env, bool);
napi_value	gk_text(napi_env, const char *);	/* null for NULL */
napi_value	gk_text_n(napi_env, const char *, size_t);
napi_value	gk_buffer(napi_env, const void *, size_t);
void		gk_set(napi_env, napi_value object, const char *, napi_value);

/* Each file adds its functions. */
struct gk_function {
	const char	*name;
	napi_callback	 fn;
};
bool	gk_export(napi_env, napi_value exports, const struct gk_function *,
	    size_t n);
bool	gk_context_export(napi_env, napi_value exports);
bool	gk_client_export(napi_env, napi_value exports);
bool	gk_native_export(napi_env, napi_value exports);
bool	gk_leg_export(napi_env, napi_value exports);
bool	gk_machine_export(napi_env, napi_value exports);
bool	gk_report_export(napi_env, napi_value exports);
bool	gk_webauthn_export(napi_env, napi_value exports);

#define GK_EXPORT(env, exports, table) \
	gk_export((env), (exports), (table), sizeof(table) / sizeof(*(table)))

#endif
