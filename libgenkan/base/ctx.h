/*
 * The context: everything that the library must not take from the process it
 * lives in.  Memory, randomness, time and the log are given here, so that a
 * test replays exactly and an embedder stays in charge.
 *
 * One thread at a time; two contexts share nothing.
 */
#ifndef GK_BASE_CTX_H
#define GK_BASE_CTX_H

#include "base/base.h"

#define GK_ERRTEXT_MAX	512

struct gk_ossl;		/* crypto/ossl.h; made on first use */
struct gk_dispatch;	/* api/dispatch.h */

/* All five callbacks get .user; NULL asks for the default.  Each is called in
 * one place, between gk_ctx_out() and gk_ctx_back(). */
struct gk_ctx_hooks {
	void	*user;
	/* ptr NULL: allocate.  size 0: free and return NULL.  Else resize. */
	void	*(*realloc)(void *user, void *ptr, size_t size);
	void	 (*log)(void *user, int level, const char *tag, const char *id,
		    const char *text);
	int	 (*random)(void *user, void *buf, size_t len);	/* 0 or -1 */
	int64_t	 (*clock)(void *user);	/* for api/ alone; NULL: told instead */
	void	 (*free_user)(void *user);
};

struct genkan_ctx {
	struct gk_ctx_hooks	 hooks;
	int			 log_level;	/* GK_LOG_*: higher is chattier */
	int64_t			 now_ms;	/* see base/clock.h */
	uint8_t			 hash_key[16];	/* seeds base/map.h */

	unsigned		 out;		/* depth in the program's functions */
	bool			 tickless;	/* a tick had no time: said so */
	char			*program_dir;	/* own copy, or NULL */
	/* Objects that have callbacks, and dispatches that run: until those end
	 * a context that was freed stays. */
	struct gk_dispatch	*dispatched;
	unsigned		 dispatching;
	bool			 freed;
	/* Owned by crypto/ossl.c, freed by whoever frees the context. */
	struct gk_ossl		*ossl;

	int			 err_code;
	char			 err_text[GK_ERRTEXT_MAX];
};

/*
 * Around every function of the program's that is called in the middle of an
 * operation.  While one runs nothing may come in: api/door.h.
 */
static inline void
gk_ctx_out(struct genkan_ctx *c)
{
	c->out++;
}

static inline void
gk_ctx_back(struct genkan_ctx *c)
{
	c->out--;
}

/* hooks is copied and may be NULL.  0, GENKAN_E_NOMEM, GENKAN_E_RANDOM or
 * GENKAN_E_CRYPTO; on failure free_user is called all the same, since the
 * caller gave it away. */
int	gk_ctx_new(const struct gk_ctx_hooks *hooks, int log_level,
	    struct genkan_ctx **ret);

/* NULL is fine.  ctx->ossl must be gone by now: gk_ossl_free(). */
void	gk_ctx_free(struct genkan_ctx *);

#endif
