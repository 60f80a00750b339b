/*
 * What fuzz_control expects of a control plane, kept by a second reader of the
 * same frames and records: what is outstanding, what was paid for, and which
 * records there were.  It judges frames by what they say, whoever made them.
 */
#ifndef GK_TESTS_CONTROL_MODEL_H
#define GK_TESTS_CONTROL_MODEL_H

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "codec/b64.h"
#include "codec/jstr.h"
#include "crypto/digest.h"
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
		MUST(!m->first_use || m->trust->nenrollments == 0);
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

/* ------------------------------------------------------------------- frames */

/* The string member; "" if it is none or too long. */
static inline void
model_text(const struct model *m, const struct gk_scan *scan, const char *name,
    char *ret, size_t size)
{
	struct gk_member v;
	struct gk_buf b;

	gk_buf_init(&b, m->ctx, size - 1);
	ret[0] = '\0';
	if (gk_scan_find(scan, name, &v) && v.type == GK_J_STRING &&
	    gk_jstr_decode(&b, v.value) == 0 && b.len > 0 &&
	    memchr(b.ptr, '\0', b.len) == NULL) {
		memcpy(ret, b.ptr, b.len);
		ret[b.len] = '\0';
	}
	gk_buf_done(&b);
}

static inline bool
model_ok(const struct gk_scan *scan)
{
	struct gk_member v;

	return gk_scan_find(scan, "ok", &v) && v.type == GK_J_TRUE;
}

static inline bool
model_live(const struct model *m, const struct asked *a, int64_t ms)
{
	return a->open && m->now < a->at + ms;
}

static inline bool
model_may_tap(const struct model *m, const uint8_t *id, size_t idlen,
    uint32_t count)
{
	const char *set = model_set(m, m->slot.by);
	const struct gk_enrollment *e;
	size_t i;

	for (i = 0; m->trust != NULL && i < m->trust->nenrollments; i++) {
		e = &m->trust->enrollment[i];
		if (e->idlen == idlen && memcmp(e->id, id, idlen) == 0)
			return m->slot.open && count > e->sign_count &&
			    (set == NULL || strcmp(e->label, set) == 0);
	}
	return false;
}

static inline bool
model_may_click(const struct model *m, const struct gk_scan *scan)
{
	char nonce[64];

	model_text(m, scan, "nonce", nonce, sizeof(nonce));
	return m->slot.open && strcmp(nonce, m->slot.nonce) == 0 &&
	    *m->parent && m->trust != NULL &&
	    m->slot.by != GK_TAG_ENROLL_BEGIN &&
	    model_enrolled(m, m->label) == 0;
}

/* A frame that is about to be answered. */
static inline void
model_frame(struct model *m, const struct gk_control_frame *f,
    const struct gk_scan *scan)
{
	m->tag = f->tag;
	m->handled = f->verdict == GK_CONTROL_HANDLE;
	m->answers = 0;
	m->good = m->good_finish = false;
	if (!m->handled)
		return;
	switch (f->tag) {
	case GK_TAG_PRESENCE_ASSERT:
	case GK_TAG_PRESENCE_CONFIRM:
		m->good = model_live(m, &m->slot, REQUEST_MS) &&
		    (f->tag == GK_TAG_PRESENCE_ASSERT ? m->tap :
		    model_may_click(m, scan));
		m->answered = m->slot;
		m->slot.open = false;
		break;
	case GK_TAG_ENROLL_FINISH:
		m->good_finish = m->finish &&
		    model_live(m, &m->enroll, REQUEST_MS);
		m->enroll.open = false;
		break;
	case GK_TAG_KILL_ENGAGE:
	case GK_TAG_KILL_RELEASE:
	case GK_TAG_CLIENT_PAIR:
	case GK_TAG_POLICY_SET:
	case GK_TAG_POLICY_ROLLBACK:
		m->slot.open = false;
	}
}

/* 7.1, from its words. */
static inline void
model_challenge(const struct model *m, const struct asked *a)
{
	uint8_t hash[32];
	struct gk_buf b;

	gk_buf_init(&b, m->ctx, 4096);
	MUST(gk_buf_put(&b, "genkan-webauthn-presence-v1", 28) == 0 &&
	    gk_buf_put(&b, m->label, strlen(m->label) + 1) == 0 &&
	    gk_buf_put(&b, a->action, strlen(a->action) + 1) == 0 &&
	    gk_buf_puts(&b, a->nonce) == 0);
	MUST(gk_sha256(m->ctx, b.ptr, b.len, hash) == 0);
	gk_buf_drop(&b, b.len);
	MUST(gk_b64_put(&b, GK_B64_URL, hash, sizeof(hash)) == 0);
	MUST(gk_span_is(gk_buf_span(&b), a->challenge));
	gk_buf_done(&b);
}

static inline void
model_request(struct model *m, const struct gk_scan *scan)
{
	struct asked *a = &m->slot;

	if (a->nonce[0] != '\0')
		m->before = *a;
	memset(a, 0, sizeof(*a));
	a->open = true;
	a->by = m->tag;
	a->at = m->now;
	MUST(m->trust != NULL);
	a->kill_epoch = m->trust->kill_epoch;
	model_text(m, scan, "nonce", a->nonce, sizeof(a->nonce));
	model_text(m, scan, "challenge", a->challenge, sizeof(a->challenge));
	model_text(m, scan, "action", a->action, sizeof(a->action));
	MUST(strlen(a->nonce) == 43 && strcmp(a->nonce, m->before.nonce) != 0);
	MUST(m->tag != GK_TAG_KILL_RELEASE ||
	    strcmp(a->action, "release the kill switch") == 0);
	MUST(m->tag != GK_TAG_POLICY_SET ||
	    strncmp(a->action, "set policy: ", 12) == 0);
	model_challenge(m, a);
}

static inline void
model_options(struct model *m, const struct gk_scan *scan)
{
	MUST(m->tag == GK_TAG_ENROLL_BEGIN && m->trust != NULL);
	m->first_use = model_enrolled(m, NULL) == 0;
	if (m->first_use) {
		MUST(*m->parent);
	} else {
		MUST(model_live(m, &m->approval, APPROVAL_MS));
		MUST(m->approval.kill_epoch == m->trust->kill_epoch);
		m->approval.open = false;
	}
	m->enroll.open = true;
	m->enroll.at = m->now;
	model_text(m, scan, "challenge", m->enroll.challenge,
	    sizeof(m->enroll.challenge));
}

/* A frame that was sent. */
static inline void
model_sent(struct model *m, int tag, const struct gk_scan *scan)
{
	const struct gk_reply *r;
	size_t n, i;

	r = gk_schema_replies(&n);
	/* The one answer of two frames: the request comes with a refusal. */
	if (tag == GK_TAG_PRESENCE_REQUEST && m->tag == GK_TAG_ENROLL_BEGIN)
		n = 0;
	for (i = 0; i < n; i++)
		m->answers += m->handled && (int)r[i].frame == m->tag &&
		    (int)r[i].answer == tag;
	if (!m->handled && m->tag != GK_TAG_NONE)
		m->answers += gk_schema_frame(m->tag)->bad == tag;
	if (tag == GK_TAG_PRESENCE_REQUEST) {
		model_request(m, scan);
	} else if (tag == GK_TAG_ENROLL_OPTIONS) {
		model_options(m, scan);
	} else if (tag == GK_TAG_ENROLL_RESULT && model_ok(scan)) {
		MUST(m->tag == GK_TAG_ENROLL_FINISH);
	} else if (tag == GK_TAG_PRESENCE_RESULT && model_ok(scan)) {
		MUST(m->good);
		m->good = false;
		m->paid = m->answered;
		m->paid.open = true;
		if (m->paid.by == GK_TAG_ENROLL_BEGIN) {
			m->approval = m->paid;
			m->approval.at = m->now;
		}
	}
}

/* Its answer is complete. */
static inline void
model_answered(struct model *m)
{
	const struct gk_reply *r;
	size_t n, i;
	unsigned want = 0;

	r = gk_schema_replies(&n);
	for (i = 0; i < n; i++)
		want |= m->handled && (int)r[i].frame == m->tag;
	if (!m->handled)
		want = gk_schema_frame(m->tag)->bad != GK_TAG_NONE;
	MUST(m->answers == want);
	/* A right click needs no disk, so nothing keeps it from counting. */
	MUST(m->tag != GK_TAG_PRESENCE_CONFIRM || !m->good);
	m->paid.open = m->good = m->good_finish = false;
	m->tag = GK_TAG_NONE;
}

#endif
