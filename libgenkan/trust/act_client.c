/* Who is admitted: control.md 5.3. */
#include "trust/act_impl.h"

#include <stdio.h>

#include "base/alloc.h"

/* Somebody else who has the same anchor already. */
static const struct gk_client *
rival(const struct gk_trustrec *rec, const struct gk_client *client)
{
	const struct gk_client *c;
	size_t i;

	for (i = 0; i < rec->nclients; i++) {
		c = &rec->client[i];
		if (c->anchor.kind == client->anchor.kind &&
		    strcmp(c->anchor.value, client->anchor.value) == 0 &&
		    strcmp(c->name, client->name) != 0)
			return c;
	}
	return NULL;
}

static int
check_rival(const struct gk_trustrec *rec, const struct gk_client *client,
    char *why, size_t whylen)
{
	const struct gk_client *c = rival(rec, client);

	if (c == NULL)
		return 0;
	(void)snprintf(why, whylen, "this %s is paired already, under the "
	    "name %s; revoke that one first, or use its name",
	    gk_anchor_kind_name(client->anchor.kind), c->name);
	return GENKAN_E_EXIST;
}

int
gk_act_check_pair(const struct gk_trust_view *view,
    const struct gk_client *client, char *why, size_t whylen)
{
	if (view->state == GK_TRUST_UNREADABLE) {
		(void)snprintf(why, whylen, "%s", view->why);
		return GENKAN_E_RECORD_CORRUPT;
	}
	return check_rival(view->rec, client, why, whylen);
}

static int
apply_pair(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;
	struct gk_client *grown;
	size_t i;
	int r;

	r = check_rival(rec, &act->client, act->why, sizeof(act->why));
	if (r < 0)
		return r;
	for (i = 0; i < rec->nclients; i++)
		if (strcmp(rec->client[i].name, act->client.name) == 0)
			break;
	act->was = i < rec->nclients;
	if (!act->was) {
		grown = gk_reallocarray(rec->ctx, rec->client,
		    rec->nclients + 1, sizeof(*grown));
		if (grown == NULL)
			return GENKAN_E_NOMEM;
		rec->client = grown;
		rec->nclients++;
	}
	rec->client[i] = act->client;
	rec->paired = true;
	return 0;
}

static int
apply_revoke_client(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;
	size_t i;

	for (i = 0; i < rec->nclients; i++)
		if (strcmp(rec->client[i].name, act->name) == 0)
			break;
	if (i == rec->nclients) {
		if (rec->paired)
			(void)snprintf(act->why, sizeof(act->why), "no client "
			    "is paired under that name; see `genkan "
			    "list-clients`");
		else
			(void)snprintf(act->why, sizeof(act->why), "no client "
			    "was ever paired on this machine");
		return GENKAN_E_NOENT;
	}
	memmove(&rec->client[i], &rec->client[i + 1],
	    (rec->nclients - i - 1) * sizeof(rec->client[0]));
	rec->nclients--;
	return 0;
}

void
gk_act_pair(struct gk_act *act, struct genkan_ctx *ctx,
    struct gk_presence *proof, const struct gk_client *client)
{
	gk_act_make(act, ctx, apply_pair, 0);
	act->change.spare = GK_TRUST_SPARE;
	act->grants = true;
	act->proof = proof;
	act->client = *client;
}

void
gk_act_revoke_client(struct gk_act *act, struct genkan_ctx *ctx,
    const char *name)
{
	gk_act_make(act, ctx, apply_revoke_client, 0);
	gk_act_name(act, name);
}
