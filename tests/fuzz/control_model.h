/*
 * The other half: frames and their answers (control 2.2, 2.8, 6.5).  It judges
 * a frame by what it says, whoever made it.
 */
#ifndef GK_TESTS_CONTROL_MODEL_H
#define GK_TESTS_CONTROL_MODEL_H

#include "control_records.h"

#include "codec/b64.h"
#include "codec/jstr.h"
#include "crypto/digest.h"

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

/* May this credential answer, and will it be the one that did? */
static inline bool
model_may_tap(struct model *m, const uint8_t *id, size_t idlen,
    uint32_t count)
{
	const char *set = model_set(m, m->slot.by);
	const struct gk_enrollment *e;
	size_t i;

	MUST(idlen <= sizeof(m->slot.id));
	memcpy(m->slot.id, id, idlen);
	m->slot.idlen = idlen;
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
		model_stands(m, &m->approval);
		m->approved = m->approval;
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
