/*
 * What fuzz_control expects of a control plane, kept by a second reader of the
 * same frames and records: what is outstanding, what was paid for, and which
 * records there were.  Here: the records, and what each change of them must
 * have been paid with.
 */
#ifndef GK_TESTS_CONTROL_RECORDS_H
#define GK_TESTS_CONTROL_RECORDS_H

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "engine/control.h"
#include "records/policyrec.h"
#include "records/trustrec.h"
#include "../unit/engine/memstore.h"

#define REQUEST_MS	120000
#define APPROVAL_MS	60000

/* What the page was asked for. */
struct asked {
	bool		 open;
	int		 by;		/* the frame */
	int64_t		 at;
	uint64_t	 kill_epoch;
	char		 nonce[64];
	char		 challenge[64];
	char		 action[GK_ACTION_TEXT_MAX + 1];
	/* The credential that answered; 0: a click. */
	uint8_t		 id[32];
	size_t		 idlen;
};

struct model {
	struct genkan_ctx	*ctx;
	struct memstore		*store;
	const char		*label;
	const bool		*parent;	/* qualifies */
	int64_t			 now;
	struct asked		 slot;		/* the newest request */
	struct asked		 before;	/* the one that it replaced */
	struct asked		 paid;		/* open: a proof is unused */
	struct asked		 approval;	/* of a further credential */
	struct asked		 enroll;
	bool			 first_use;
	bool			 tap;		/* the next frame is a right
						 * answer to the request */
	bool			 finish;	/* ... to the options */
	/* The frame under way. */
	int			 tag;
	bool			 handled;
	unsigned		 answers;
	bool			 good;		/* a proof */
	bool			 good_finish;
	struct asked		 answered;
	struct asked		 approved;	/* behind the enrollment */
	/* Records as they were last; NULL: absent or unreadable. */
	struct gk_trustrec	*trust;
	struct gk_policyrec	*policy;
	bool			 trust_broken, policy_broken;
};

/* ----------------------------------------------------------------- records */

static inline struct gk_trustrec *
model_trust(struct model *m, bool *broken)
{
	struct gk_trustrec *ret = NULL;
	const char *text = m->store->rec[GK_RECORD_TRUST];
	char why[GK_WHY_MAX];

	*broken = m->store->broken[GK_RECORD_TRUST];
	if (*broken)
		return NULL;
	if (text == NULL)
		MUST((ret = gk_trustrec_new(m->ctx)) != NULL);
	else if (gk_trustrec_parse(m->ctx, text, strlen(text), &ret, why,
	    sizeof(why)) < 0)
		*broken = true;
	return ret;
}

static inline struct gk_policyrec *
model_policy(struct model *m, bool *broken)
{
	struct gk_policyrec *ret = NULL;
	const char *text = m->store->rec[GK_RECORD_POLICY];
	char why[GK_WHY_MAX];

	*broken = m->store->broken[GK_RECORD_POLICY];
	if (text != NULL && !*broken && gk_policyrec_parse(m->ctx, text,
	    strlen(text), &ret, why, sizeof(why)) < 0)
		*broken = true;
	return ret;
}

/* Others have written: what is there now is where it starts. */
static inline void
model_others(struct model *m)
{
	gk_trustrec_free(m->trust);
	gk_policyrec_free(m->policy);
	m->trust = model_trust(m, &m->trust_broken);
	m->policy = model_policy(m, &m->policy_broken);
}

static inline void
model_init(struct model *m, struct genkan_ctx *ctx, struct memstore *store,
    const char *label, const bool *parent)
{
	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
	m->store = store;
	m->label = label;
	m->parent = parent;
	m->now = 1000;
	m->tag = GK_TAG_NONE;
	model_others(m);
}

static inline void
model_done(struct model *m)
{
	gk_trustrec_free(m->trust);
	gk_policyrec_free(m->policy);
}

static inline size_t
model_enrolled(const struct model *m, const char *label)
{
	size_t i, n = 0;

	for (i = 0; m->trust != NULL && i < m->trust->nenrollments; i++)
		n += label == NULL ||
		    strcmp(m->trust->enrollment[i].label, label) == 0;
	return n;
}

static inline const char *
model_set(const struct model *m, int by)
{
	return by == GK_TAG_ENROLL_BEGIN ? NULL : m->label;
}

/* ------------------------------------------------- what a change must be for */

static inline void
model_paid_for(struct model *m, int tag, int other)
{
	MUST(m->paid.open && (m->paid.by == tag || m->paid.by == other));
	m->paid.open = false;
}

static inline void
model_clients(struct model *m, const struct gk_trustrec *now)
{
	const struct gk_client *c, *old;
	char text[GK_ACTION_TEXT_MAX + 1];
	size_t i;

	MUST(now->paired || !m->trust->paired);
	for (i = 0; i < now->nclients; i++) {
		c = &now->client[i];
		old = gk_trustrec_client(m->trust, c->name);
		if (old != NULL && old->anchor.kind == c->anchor.kind &&
		    strcmp(old->anchor.value, c->anchor.value) == 0)
			continue;
		model_paid_for(m, GK_TAG_CLIENT_PAIR, 0);
		(void)snprintf(text, sizeof(text), "trust client %s (%s %s)",
		    c->name, gk_anchor_kind_name(c->anchor.kind),
		    c->anchor.value);
		MUST(strcmp(text, m->paid.action) == 0);
	}
}

/* Nothing was engaged since, and who answered is still enrolled. */
static inline void
model_stands(const struct model *m, const struct asked *a)
{
	const struct gk_enrollment *e;
	size_t i;

	MUST(a->kill_epoch == m->trust->kill_epoch);
	for (i = 0; i < m->trust->nenrollments; i++) {
		e = &m->trust->enrollment[i];
		if (e->idlen == a->idlen && memcmp(e->id, a->id, a->idlen) == 0)
			return;
	}
	MUST(!"the credential that approved is gone");
}

static inline void
model_enrollments(struct model *m, const struct gk_trustrec *now)
{
	const struct gk_enrollment *a, *b;
	size_t i, k;

	for (i = 0; i < now->nenrollments; i++) {
		a = &now->enrollment[i];
		for (k = 0; k < m->trust->nenrollments; k++) {
			b = &m->trust->enrollment[k];
			if (a->idlen == b->idlen &&
			    memcmp(a->id, b->id, a->idlen) == 0)
				break;
		}
		if (k < m->trust->nenrollments && strcmp(a->label,
		    b->label) == 0 && memcmp(a->public_key, b->public_key,
		    sizeof(a->public_key)) == 0 && (a->sign_count ==
		    b->sign_count || (m->tap &&
		    gk_sign_count_ok(b->sign_count, a->sign_count))))
			continue;
		MUST(m->good_finish && strcmp(a->label, m->label) == 0);
		if (m->first_use)
			MUST(m->trust->nenrollments == 0);
		else
			model_stands(m, &m->approved);
		m->good_finish = false;
	}
}

/* What the plane has written since, if it has. */
static inline void
model_records(struct model *m)
{
	bool trust_broken, policy_broken;
	struct gk_trustrec *trust = model_trust(m, &trust_broken);
	struct gk_policyrec *policy = model_policy(m, &policy_broken);

	/* What cannot be read is not touched. */
	MUST(trust_broken == m->trust_broken);
	MUST(policy_broken == m->policy_broken);
	if (trust != NULL) {
		MUST(trust->epoch >= m->trust->epoch);
		if (m->trust->killed && !trust->killed) {
			model_paid_for(m, GK_TAG_KILL_RELEASE, 0);
			MUST(m->trust->kill_epoch == m->paid.kill_epoch);
		}
		model_clients(m, trust);
		model_enrollments(m, trust);
	}
	MUST(policy != NULL || m->policy == NULL);
	if (policy != NULL && m->policy == NULL)
		model_paid_for(m, GK_TAG_POLICY_SET, 0);
	else if (policy != NULL && gk_policyval_looser(&m->policy->effective,
	    &policy->effective) != 0)
		model_paid_for(m, GK_TAG_POLICY_SET, GK_TAG_POLICY_ROLLBACK);
	gk_trustrec_free(m->trust);
	gk_policyrec_free(m->policy);
	m->trust = trust;
	m->policy = policy;
}

#endif
