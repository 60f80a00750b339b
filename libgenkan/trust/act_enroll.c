/* Who may say that a person is there: enrollments, and taking all trust back;
 * control.md 5.5, 7.4 and 7.6. */
#include "trust/act_impl.h"

#include <stdio.h>

#include "base/alloc.h"

/* -------------------------------------------------------------- taking back */

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

void
gk_act_revoke_browser(struct gk_act *act, struct genkan_ctx *ctx,
    const char *label)
{
	gk_act_make(act, ctx, apply_revoke_browser, 0);
	gk_act_name(act, label);
}

void
gk_act_revoke_all(struct gk_act *act, struct genkan_ctx *ctx)
{
	gk_act_make(act, ctx, apply_revoke_all, 0);
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

void
gk_act_enroll(struct gk_act *act, struct genkan_ctx *ctx,
    struct gk_presence *proof, uint64_t kill_epoch, const char *label,
    const struct gk_credential *credential)
{
	gk_act_make(act, ctx, apply_enroll, 0);
	act->change.spare = GK_TRUST_SPARE;
	act->first_use = proof == NULL;
	act->grants = !act->first_use;
	act->proof = proof;
	act->kill_epoch = kill_epoch;
	gk_act_name(act, label);
	act->credential = *credential;
}

void
gk_act_count(struct gk_act *act, struct genkan_ctx *ctx, const char *label,
    const struct gk_credential *credential)
{
	gk_act_make(act, ctx, apply_count, 0);
	act->counts = true;
	gk_act_name(act, label);
	act->credential = *credential;
}
