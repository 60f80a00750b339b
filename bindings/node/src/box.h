/*
 * A handle of the library is a box that JavaScript holds as an external value.
 * Boxes of one context share a core, which frees the context with the last of
 * them.  Everything here belongs to the one thread of its environment; worker
 * threads have environments of their own, and nothing is global.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NODE_BOX_H
#define GENKAN_NODE_BOX_H

#include <genkan/genkan.h>

#include "call.h"
#include "value.h"

enum gkn_kind {
	GK_CTX, GK_NATIVE, GK_LEG, GK_JOB, GK_SERVER, GK_HOST, GK_BROKER, GK_CLIENT,
	GK_CREDENTIAL, GK_KINDS
};

struct gkn_box;

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

/* A call whose first argument is an open handle of this kind. */
bool	gkn_call_on(struct gkn_call *, napi_env, napi_callback_info,
	    enum gkn_kind, struct gkn_box **);
/* Arguments.  false: an error is pending. */
bool	gkn_arg_box(struct gkn_call *, size_t i, enum gkn_kind, struct gkn_box **);
/* Of any kind, and closed or not. */
bool	gkn_arg_any_box(struct gkn_call *, size_t i, struct gkn_box **);

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

/* A box for ptr, which is freed when there is none; NULL: error pending. */
napi_value	gkn_box_new(napi_env, enum gkn_kind, void *ptr, struct gkn_core *);
void		gkn_box_close(struct gkn_box *);
void		gkn_core_unref(struct gkn_core *);
/* Frees an object that got no box; the library is not at work with it. */
void		gkn_unboxed(struct gkn_core *, enum gkn_kind, void *ptr);

#endif
