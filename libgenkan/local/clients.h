/*
 * Who may drive the browser, from a terminal: control.md 5.3 and 5.5.
 */
#ifndef GK_LOCAL_CLIENTS_H
#define GK_LOCAL_CLIENTS_H

#include "local/desk.h"

/* A client about to be paired. */
struct gk_pairing {
	struct gk_client	 client;
	bool			 parent;	/* the anchor is to be measured */
	char			 path[GK_PATH_MAX];	/* then; else "" */
};

/* Exactly one of parent, hash (any case) and signer.  0, or GENKAN_E_INVAL
 * with the sentence in the context. */
int	gk_pairing_init(struct gk_pairing *, struct genkan_ctx *,
	    const char *name, bool parent, const char *hash,
	    const char *signer);

/* Measures, and prechecks: 0; 1: over, the report says why. */
int	gk_pairing_check(struct gk_pairing *, struct gk_desk *);
/* What is about to be granted, for the person who is asked. */
int	gk_pairing_reason(const struct gk_pairing *, struct gk_buf *ret);
/* Does it; the proof is used up. */
void	gk_pairing_run(struct gk_pairing *, struct gk_desk *,
	    struct gk_presence *);

/* True for a program that runs other programs' code, by the name of its
 * image. */
bool	gk_pairing_is_interpreter(const char *path);

void	gk_clients_list(struct gk_desk *);
void	gk_clients_revoke(struct gk_desk *, const char *name);
void	gk_clients_revoke_browser(struct gk_desk *, const char *label);
void	gk_clients_revoke_all(struct gk_desk *);

#endif
