/* A store with a policy in it, and plans over it. */
#ifndef GK_TESTS_POLICYWORLD_H
#define GK_TESTS_POLICYWORLD_H

#include "base/alloc.h"
#include "codec/b64.h"
#include "crypto/ossl.h"
#include "trust/policyact.h"
#include "../records/policydocs.h"
#include "../records/fakestore.h"
#include "util.h"

#define SIGNED(sig)	",\"sig_b64\":\"" sig "\",\"key_id\":\"" KEY_ID "\""
#define KEPT	"{\"version\":0,\"overlay\":{\"disabledTools\":[\"page_eval\"]}}"
#define TRUST(host_key) \
	"{\"version\":0,\"epoch\":5,\"killed\":false,\"kill_epoch\":0," \
	"\"host_key_epoch\":" host_key ",\"policy_epoch\":1,\"lang_epoch\":0," \
	"\"clients\":null,\"enrollments\":[]}\n"

static struct gk_test t;
static struct fakestore f;
static struct gk_policy_cache policies;
static struct gk_trust_cache trusts;
static struct gk_policy_view policy;
static struct gk_trust_view trust;
static struct gk_policy_now now = { &trust, &policy };
static struct gk_policy_plan *plan;
static char why[GK_WHY_FULL];

static inline void
world_init(void)
{
	gk_test_init(&t);
	fakestore_init(&f);
	memset(&policies, 0, sizeof(policies));
	memset(&trusts, 0, sizeof(trusts));
	plan = NULL;
}

static inline void
world_done(void)
{
	ck_assert_int_eq(f.held, 0);
	gk_policy_plan_free(plan);
	gk_policy_cache_done(&policies);
	gk_trust_cache_done(&trusts);
	fakestore_done(&f);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

/* {"baseline_b64":"<doc>"<rest>}, the first member before it if there is one;
 * on the heap of the store. */
static inline char *
world_record(const char *first, const char *doc, const char *rest)
{
	const size_t size = 2 * strlen(doc) + strlen(rest) + 200;
	char *ret = malloc(size);
	struct gk_buf b;

	ck_assert_ptr_nonnull(ret);
	gk_buf_init(&b, t.ctx, size);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, doc, strlen(doc)), 0);
	(void)snprintf(ret, size, "{%s\"baseline_b64\":\"%.*s\"%s}", first,
	    (int)b.len, (const char *)b.ptr, rest);
	gk_buf_done(&b);
	return ret;
}

static inline void
world_own(int record, char *text)
{
	free(f.own[record]);
	f.own[record] = text;
	fakestore_set(&f, record, text);
}

static inline void
world_policy(const char *doc, const char *rest)
{
	world_own(GK_RECORD_POLICY, world_record("\"version\":0,", doc,
	    rest));
}

/* A row of the history behind those that are there. */
static inline void
world_earlier(const char *doc, const char *rest)
{
	const char *old = f.text[GK_RECORD_HISTORY];
	char *row = world_record("", doc, rest), *text;
	size_t size;

	if (old == NULL)
		old = "{\"version\":0,\"entries\":[]}";
	size = strlen(old) + strlen(row) + 2;
	text = malloc(size);
	ck_assert_ptr_nonnull(text);
	(void)snprintf(text, size, "%.*s%s%s]}", (int)strlen(old) - 2, old,
	    old[strlen(old) - 3] == '[' ? "" : ",", row);
	free(row);
	world_own(GK_RECORD_HISTORY, text);
}

static inline void
world_look(void)
{
	gk_policy_look(t.ctx, &f.store, &policies, &policy);
	gk_trust_look(t.ctx, &f.store, &trusts, &trust);
	memset(why, 0, sizeof(why));
	gk_policy_plan_free(plan);
	plan = NULL;
}

typedef enum gk_policy_error plan_fn(struct genkan_ctx *,
    const struct gk_policy_now *, const struct gk_policyval *,
    struct gk_policy_plan **, char *, size_t);

static inline enum gk_policy_error
world_change(plan_fn *fn, const char *json)
{
	struct gk_policyval change;
	char reason[GK_WHY_MAX];
	enum gk_policy_error e;

	world_look();
	ck_assert_msg(gk_overlay_parse(t.ctx, gk_span_str(json), &change,
	    reason, sizeof(reason)) == 0, "%s: %s", json, reason);
	e = fn(t.ctx, &now, &change, &plan, why, sizeof(why));
	gk_policyval_done(&change);
	ck_assert((e == GK_POLICY_FINE) == (plan != NULL));
	ck_assert((e == GK_POLICY_FINE) == (why[0] == '\0'));
	return e;
}

static inline enum gk_policy_error
set(const char *json)
{
	return world_change(gk_policy_plan_set, json);
}

static inline enum gk_policy_error
restrict_to(const char *json)
{
	return world_change(gk_policy_plan_restrict, json);
}

static inline enum gk_policy_error
roll_back(uint64_t revision, const char *entry)
{
	struct gk_historyrec *h = NULL;
	enum gk_policy_error e;

	world_look();
	e = gk_policy_load_history(t.ctx, &f.store, &h, why, sizeof(why));
	if (e == GK_POLICY_FINE)
		e = gk_policy_plan_rollback(t.ctx, &now, h, revision,
		    entry != NULL ? gk_span_str(entry) : gk_span(NULL, 0),
		    &plan, why, sizeof(why));
	gk_historyrec_free(h);
	ck_assert((e == GK_POLICY_FINE) == (plan != NULL));
	return e;
}

static inline const char *
summary(void)
{
	static char ret[4096];
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, sizeof(ret) - 1);
	ck_assert_int_eq(gk_policy_plan_summary(plan, &b), 0);
	memcpy(ret, b.len > 0 ? b.ptr : (const uint8_t *)"", b.len);
	ret[b.len] = '\0';
	gk_buf_done(&b);
	return ret;
}

#endif
