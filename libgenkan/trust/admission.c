#include <stdio.h>

#include "base/buf.h"
#include "trust/admission.h"

/* What a fresh machine has instead of a record. */
static const struct gk_trustrec fresh;

/* Reads and parses; the cache holds the outcome, whatever it is. */
static void
refresh(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_trust_cache *c)
{
	char why[GK_WHY_MAX];
	struct gk_buf bytes;
	int r;

	r = gk_store_load(ctx, store, GK_RECORD_TRUST, &bytes, &c->stamp, why,
	    sizeof(why));
	if (r == GENKAN_E_NOENT) {
		c->state = GK_TRUST_ABSENT;
		goto out;
	}
	c->state = GK_TRUST_UNREADABLE;
	if (r == 0)
		r = gk_trustrec_parse(ctx, bytes.ptr, bytes.len, &c->rec, why,
		    sizeof(why));
	if (r == 0)
		c->state = GK_TRUST_OK;
	else
		gk_store_unreadable(store, GK_RECORD_TRUST, why, c->why,
		    sizeof(c->why));
out:
	/* Only what was understood may be reused: an error can be passing. */
	if (c->state != GK_TRUST_OK)
		memset(&c->stamp, 0, sizeof(c->stamp));
	gk_buf_done(&bytes);
}

static bool
is_current(const struct gk_store *store, const struct gk_trust_cache *c)
{
	struct gk_stamp now;

	return c->rec != NULL && !gk_stamp_is_zero(&c->stamp) &&
	    store->stamp(store->user, GK_RECORD_TRUST, &now) == 0 &&
	    gk_stamp_equal(&now, &c->stamp);
}

void
gk_trust_look(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_trust_cache *c, struct gk_trust_view *ret)
{
	if (!is_current(store, c)) {
		gk_trust_cache_done(c);
		refresh(ctx, store, c);
	}
	ret->state = (enum gk_trust_state)c->state;
	ret->why = c->why;
	ret->rec = c->rec;
	if (ret->state == GK_TRUST_ABSENT)
		ret->rec = &fresh;
	if (ret->state == GK_TRUST_UNREADABLE)
		ret->kill = GK_KILL_UNREADABLE;
	else
		ret->kill = ret->rec->killed ? GK_KILL_ENGAGED : GK_KILL_CLEAR;
}

void
gk_trust_cache_done(struct gk_trust_cache *c)
{
	gk_trustrec_free(c->rec);
	c->rec = NULL;
	memset(&c->stamp, 0, sizeof(c->stamp));
	c->why[0] = '\0';	/* the rest of it may stay, it is long */
	c->state = GK_TRUST_UNREADABLE;
}

/* ------------------------------------------------------------- verdict */

static bool
matches(const struct gk_anchor *anchor, const struct gk_measure *m)
{
	switch (anchor->kind) {
	case GK_ANCHOR_HASH:
		return strcmp(anchor->value, m->hash) == 0;
	case GK_ANCHOR_SIGNER:
		return m->signer[0] != '\0' &&
		    strcmp(anchor->value, m->signer) == 0;
	}
	return false;
}

static void
refuse(struct gk_admission *ret, const char *reason)
{
	ret->verdict = GK_VERDICT_REFUSE;
	ret->reason = reason;
}

void
gk_admission_decide(const struct gk_trust_view *trust,
    const struct gk_measure *m, struct gk_admission *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	refuse(ret, "not on the allowlist");
	if (trust->state == GK_TRUST_UNREADABLE) {
		ret->unreadable = true;
		refuse(ret, "the trust record cannot be read");
		return;
	}
	if (!trust->rec->paired) {
		ret->verdict = GK_VERDICT_UNENROLLED;
		ret->reason = NULL;
		return;
	}
	if (m == NULL || !m->ok) {
		refuse(ret, "the program cannot be measured");
		return;
	}
	for (i = 0; i < trust->rec->nclients; i++) {
		if (!matches(&trust->rec->client[i].anchor, m))
			continue;
		ret->verdict = GK_VERDICT_TRUSTED;
		ret->client = &trust->rec->client[i];
		ret->reason = NULL;
		return;
	}
}

void
gk_admission_embedder(const struct gk_trust_view *trust,
    const struct gk_measure *m, struct gk_admission *ret)
{
	gk_admission_decide(trust, m, ret);
	if (ret->verdict == GK_VERDICT_UNENROLLED)
		refuse(ret, "no client was ever paired, so no embedder is "
		    "admitted");
}

bool
gk_admission_weakened(enum gk_verdict before, enum gk_verdict now)
{
	return before == GK_VERDICT_TRUSTED && now == GK_VERDICT_UNENROLLED;
}

const char *
gk_measure_text(const struct gk_measure *m, char *ret, size_t len)
{
	if (m == NULL || !m->ok)
		(void)snprintf(ret, len, "unmeasured");
	else if (m->hash[0] != '\0')
		(void)snprintf(ret, len, "hash:%s", m->hash);
	else
		(void)snprintf(ret, len, "signer:%s", m->signer);
	return ret;
}
