/*
 * Callbacks for the events of an object, <genkan/dispatch.h>.
 *
 * Every object that has events embeds one of these.  While a dispatch of it runs
 * the object must not go: who frees it asks gk_dispatch_later() first.  The same
 * holds for its context, which counts the dispatches of all its objects.
 */
#ifndef GK_API_DISPATCH_H
#define GK_API_DISPATCH_H

#include "base/base.h"
#include "genkan/dispatch.h"

/* One registration, until its free_user was called. */
struct gk_handler;

/* What kind of object it is. */
struct gk_dispatch_ops {
	int	(*next)(void *obj, genkan_event *);
	void	(*free)(void *obj);
	int	 needs[4];	/* GENKAN_EV_* that must have a function; 0 ends */
};

/* dispatch_ops of a type, whose functions take it as what it is; and what it
 * needs. */
#define GK_DISPATCH_OPS(type, ...)					\
	static int							\
	next_of(void *obj, genkan_event *ev)				\
	{								\
		return type##_next(obj, ev);				\
	}								\
									\
	static void							\
	free_of(void *obj)						\
	{								\
		type##_free(obj);					\
	}								\
									\
	static const struct gk_dispatch_ops dispatch_ops = {		\
		next_of, free_of, { __VA_ARGS__ }			\
	}

struct gk_dispatch {
	struct genkan_ctx		*ctx;
	void				*obj;
	const struct gk_dispatch_ops	*ops;
	struct gk_handler		*handler;	/* NULL: none */
	struct gk_handler		*replaced;	/* from inside */
	struct gk_dispatch		*next, **prev;	/* those with handlers */
	bool				 running;
	bool				 freed;		/* from inside */
};

void	gk_dispatch_init(struct gk_dispatch *, struct genkan_ctx *, void *obj,
	    const struct gk_dispatch_ops *);
/* As genkan_server_set_callbacks(); NULL is an object that is NULL. */
int	gk_dispatch_set(struct gk_dispatch *, const genkan_callbacks *);

/* true: it is dispatched, and freed behind that. */
bool	gk_dispatch_later(struct gk_dispatch *);
/* Before the object is freed; *ret is for gk_callbacks_free(). */
void	gk_dispatch_end(struct gk_dispatch *, genkan_callbacks *ret);
/* The very last thing, since the program may do what it likes from there, even
 * free the context. */
void	gk_callbacks_free(const genkan_callbacks *);

#endif
