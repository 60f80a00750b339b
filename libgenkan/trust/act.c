#include "trust/act_impl.h"

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

#define ENGAGED_AGAIN	"the kill switch was engaged again meanwhile, so " \
	"nothing was released; ask anew if that is what you want"

/* ------------------------------------------------------------------ making */

void
gk_act_make(struct gk_act *act, struct genkan_ctx *ctx,
    int (*apply)(void *, struct gk_trustrec *), unsigned scopes)
{
	memset(act, 0, sizeof(*act));
	act->ctx = ctx;
	act->change.scopes = scopes;
	act->change.apply = apply;
	act->change.user = act;
}

void
gk_act_name(struct gk_act *act, const char *name)
{
	if (!gk_str_copy(act->name, sizeof(act->name), name, strlen(name)))
		act->name[0] = '\0';
}

/* ------------------------------------------------------------- kill switch */

static int
apply_kill(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;

	act->was = rec->killed;
	rec->killed = true;
	return 0;
}

static int
apply_unkill(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;

	if (!rec->killed)
		return GK_CHANGE_NOTHING;
	if (rec->kill_epoch != act->kill_epoch) {
		(void)snprintf(act->why, sizeof(act->why), "%s",
		    ENGAGED_AGAIN);
		return GENKAN_E_EXIST;
	}
	rec->killed = false;
	return 0;
}

void
gk_act_kill(struct gk_act *act, struct genkan_ctx *ctx)
{
	gk_act_make(act, ctx, apply_kill, GK_SCOPE_KILL);
}

void
gk_act_unkill(struct gk_act *act, struct genkan_ctx *ctx,
    struct gk_presence *proof, uint64_t kill_epoch)
{
	gk_act_make(act, ctx, apply_unkill, GK_SCOPE_KILL);
	act->grants = true;
	act->proof = proof;
	act->kill_epoch = kill_epoch;
}

/* A record that nobody can read must not be read as "not engaged". */
int
gk_act_check_unkill(const struct gk_trust_view *view, uint64_t *kill_epoch,
    char *why, size_t whylen)
{
	if (view->state == GK_TRUST_UNREADABLE) {
		(void)snprintf(why, whylen, "%s; releasing the kill switch "
		    "over a record that cannot be read would fail open",
		    view->why);
		return GENKAN_E_RECORD_CORRUPT;
	}
	*kill_epoch = view->rec->kill_epoch;
	return view->rec->killed ? 0 : 1;
}

/* ----------------------------------------------------------------- running */

/* The sentence of an apply that refused is in act->why already. */
static int
ended(struct gk_act *act, int r, const char *why)
{
	/* Engaged is engaged: the stamp was only to outdo a release. */
	if (r < 0 && act->change.apply == apply_kill && act->was)
		r = 0;
	act->counted = r >= 0 && act->counts;
	if (r >= 0)
		act->why[0] = '\0';
	else if (why[0] != '\0' || act->why[0] == '\0')
		(void)snprintf(act->why, sizeof(act->why), "%s",
		    why[0] != '\0' ? why : gk_err_text(r));
	return r;
}

static int
take_proof(struct gk_act *act)
{
	if (!act->grants || gk_presence_use(act->proof))
		return 0;
	(void)snprintf(act->why, sizeof(act->why),
	    "there is no proof that a person wants this");
	return GENKAN_E_ACCESS;
}

int
gk_act_run(struct gk_act *act, const struct gk_store *store,
    struct gk_hold *hold)
{
	char why[GK_WHY_FULL] = "";
	int r;

	if ((r = take_proof(act)) < 0)
		return r;
	act->was = false;
	if (hold != NULL)
		r = gk_trust_change_held(act->ctx, store, hold, &act->change,
		    &act->epoch, why, sizeof(why));
	else
		r = gk_trust_change(act->ctx, store, &act->change,
		    &act->epoch, why, sizeof(why));
	return ended(act, r, why);
}

int
gk_act_run_unlocked(struct gk_act *act, const struct gk_store *store)
{
	char why[GK_WHY_FULL] = "";
	int r;

	if (act->grants)
		return ended(act, GENKAN_E_INVAL, "");
	act->was = false;
	r = gk_trust_change_held(act->ctx, store, NULL, &act->change,
	    &act->epoch, why, sizeof(why));
	return ended(act, r, why);
}
