#include "trust/act.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/str.h"

#define ENGAGED_AGAIN	"the kill switch was engaged again meanwhile, so " \
	"nothing was released; ask anew if that is what you want"

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

/* ----------------------------------------------------------------- clients */

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

/* ---------------------------------------------------------------- browsers */

/* Drops the enrollments under a label, or all for NULL. */
static size_t
drop_enrollments(struct gk_trustrec *rec, const char *label)
{
	size_t i, kept = 0, gone = 0;

	for (i = 0; i < rec->nenrollments; i++) {
		if (label == NULL ||
		    strcmp(rec->enrollment[i].label, label) == 0) {
			gk_free(rec->ctx, rec->enrollment[i].id);
			gone++;
		} else {
			rec->enrollment[kept++] = rec->enrollment[i];
		}
	}
	rec->nenrollments = kept;
	return gone;
}

/* "a, b"; a label that was named is not named again. */
static void
known_labels(const struct gk_trustrec *rec, char *ret, size_t len)
{
	size_t i, j, at = 0;
	int n;

	ret[0] = '\0';
	for (i = 0; i < rec->nenrollments; i++) {
		for (j = 0; j < i; j++)
			if (strcmp(rec->enrollment[i].label,
			    rec->enrollment[j].label) == 0)
				break;
		if (j < i)
			continue;
		n = snprintf(ret + at, len - at, "%s%s", at > 0 ? ", " : "",
		    rec->enrollment[i].label);
		if (n < 0 || (size_t)n >= len - at)
			return;
		at += (size_t)n;
	}
}

static int
apply_revoke_browser(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;
	char known[512];

	act->gone = drop_enrollments(rec, act->name);
	if (act->gone > 0)
		return 0;
	known_labels(rec, known, sizeof(known));
	(void)snprintf(act->why, sizeof(act->why), "no credential is enrolled "
	    "under that label; enrolled: %s",
	    known[0] != '\0' ? known : "none");
	return GENKAN_E_NOENT;
}

static int
apply_revoke_all(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;

	act->was = rec->nclients > 0;
	act->gone = drop_enrollments(rec, NULL);
	rec->nclients = 0;
	return act->was || act->gone > 0 ? 0 : GK_CHANGE_NOTHING;
}

/* ------------------------------------------------------------- credentials */

static int
refuse(struct gk_act *act, enum gk_refusal_id code)
{
	act->refusal = code;
	(void)snprintf(act->why, sizeof(act->why), "%s",
	    gk_schema_refusal((int)code)->text);
	return GENKAN_E_REFUSED;
}

static struct gk_enrollment *
enrolled(const struct gk_trustrec *rec, const struct gk_credential *c)
{
	struct gk_enrollment *e;
	size_t i;

	for (i = 0; i < rec->nenrollments; i++) {
		e = &rec->enrollment[i];
		if (e->idlen == c->idlen &&
		    memcmp(e->id, c->id, c->idlen) == 0)
			return e;
	}
	return NULL;
}

/* A new last entry, with its id; the rest is for the caller. */
static struct gk_enrollment *
grow(struct gk_trustrec *rec, const struct gk_credential *c)
{
	struct gk_enrollment *grown, *e;

	grown = gk_reallocarray(rec->ctx, rec->enrollment,
	    rec->nenrollments + 1, sizeof(*grown));
	if (grown == NULL)
		return NULL;
	rec->enrollment = grown;
	e = &grown[rec->nenrollments];
	memset(e, 0, sizeof(*e));
	e->id = gk_memdup(rec->ctx, c->id, c->idlen);
	if (e->id == NULL)
		return NULL;
	e->idlen = c->idlen;
	rec->nenrollments++;
	return e;
}

static int
apply_enroll(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;
	const struct gk_credential *c = &act->credential;
	struct gk_enrollment *e;

	if (act->first_use && rec->nenrollments > 0)
		return refuse(act, GK_REFUSAL_MACHINE_ALREADY_ENROLLED);
	if (!act->first_use && rec->kill_epoch != act->kill_epoch)
		return refuse(act, GK_REFUSAL_NO_ENROLLMENT_OUTSTANDING);
	if (!act->first_use && !gk_presence_stands(act->proof, rec))
		return refuse(act, GK_REFUSAL_CREDENTIAL_NOT_ENROLLED);
	e = enrolled(rec, c);
	if (e == NULL && (e = grow(rec, c)) == NULL)
		return GENKAN_E_NOMEM;
	memcpy(e->label, act->name, sizeof(e->label));
	memcpy(e->public_key, c->public_key, sizeof(e->public_key));
	e->sign_count = c->sign_count;
	e->backup_eligible = c->backup_eligible;
	return 0;
}

/* Two hosts may have verified answers of one key at the same time. */
static int
apply_count(void *user, struct gk_trustrec *rec)
{
	struct gk_act *act = user;
	const struct gk_credential *c = &act->credential;
	struct gk_enrollment *e = enrolled(rec, c);

	if (e == NULL || memcmp(e->public_key, c->public_key,
	    sizeof(c->public_key)) != 0 || strcmp(e->label, act->name) != 0)
		return refuse(act, GK_REFUSAL_CREDENTIAL_NOT_ENROLLED);
	if (!gk_sign_count_ok(e->sign_count, c->sign_count))
		return refuse(act, GK_REFUSAL_SIGN_COUNT_NOT_INCREASED);
	if (e->sign_count == c->sign_count)
		return GK_CHANGE_NOTHING;
	e->sign_count = c->sign_count;
	return 0;
}

/* ------------------------------------------------------------------ making */

static void
make(struct gk_act *act, struct genkan_ctx *ctx,
    int (*apply)(void *, struct gk_trustrec *), unsigned scopes)
{
	memset(act, 0, sizeof(*act));
	act->ctx = ctx;
	act->change.scopes = scopes;
	act->change.apply = apply;
	act->change.user = act;
}

void
gk_act_kill(struct gk_act *act, struct genkan_ctx *ctx)
{
	make(act, ctx, apply_kill, GK_SCOPE_KILL);
}

void
gk_act_unkill(struct gk_act *act, struct genkan_ctx *ctx,
    struct gk_presence *proof, uint64_t kill_epoch)
{
	make(act, ctx, apply_unkill, GK_SCOPE_KILL);
	act->grants = true;
	act->proof = proof;
	act->kill_epoch = kill_epoch;
}

void
gk_act_pair(struct gk_act *act, struct genkan_ctx *ctx,
    struct gk_presence *proof, const struct gk_client *client)
{
	make(act, ctx, apply_pair, 0);
	act->change.spare = GK_TRUST_SPARE;
	act->grants = true;
	act->proof = proof;
	act->client = *client;
}

/* What does not fit is no label, and so is "", which nobody has. */
static void
named(struct gk_act *act, const char *name)
{
	if (!gk_str_copy(act->name, sizeof(act->name), name, strlen(name)))
		act->name[0] = '\0';
}

void
gk_act_revoke_client(struct gk_act *act, struct genkan_ctx *ctx,
    const char *name)
{
	make(act, ctx, apply_revoke_client, 0);
	named(act, name);
}

void
gk_act_revoke_browser(struct gk_act *act, struct genkan_ctx *ctx,
    const char *label)
{
	make(act, ctx, apply_revoke_browser, 0);
	named(act, label);
}

void
gk_act_revoke_all(struct gk_act *act, struct genkan_ctx *ctx)
{
	make(act, ctx, apply_revoke_all, 0);
}

void
gk_act_enroll(struct gk_act *act, struct genkan_ctx *ctx,
    struct gk_presence *proof, uint64_t kill_epoch, const char *label,
    const struct gk_credential *credential)
{
	make(act, ctx, apply_enroll, 0);
	act->change.spare = GK_TRUST_SPARE;
	act->first_use = proof == NULL;
	act->grants = !act->first_use;
	act->proof = proof;
	act->kill_epoch = kill_epoch;
	named(act, label);
	act->credential = *credential;
}

void
gk_act_count(struct gk_act *act, struct genkan_ctx *ctx, const char *label,
    const struct gk_credential *credential)
{
	make(act, ctx, apply_count, 0);
	named(act, label);
	act->credential = *credential;
}

/* ----------------------------------------------------------------- running */

/* The sentence of an apply that refused is in act->why already. */
static int
ended(struct gk_act *act, int r, const char *why)
{
	/* Engaged is engaged: the stamp was only to outdo a release. */
	if (r < 0 && act->change.apply == apply_kill && act->was)
		r = 0;
	act->counted = r >= 0 && act->change.apply == apply_count;
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
