#include "local/policydesk.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "local/hostkey.h"
#include "trust/lang.h"

/* ----------------------------------------------------------------- planning */

/* The records as they are now; the caches are the caller's to end. */
struct eyes {
	struct gk_policy_cache	cache;
	struct gk_policy_view	policy;
	struct gk_trust_view	trust;
	struct gk_policy_now	now;
};

static void
look(struct gk_desk *d, struct eyes *e)
{
	memset(e, 0, sizeof(*e));
	gk_desk_look(d, &e->trust);
	gk_policy_look(d->ctx, &d->stores.store, &e->cache, &e->policy);
	e->now.trust = &e->trust;
	e->now.policy = &e->policy;
}

/* What grants something needs a key: asked for before anybody is. */
static enum gk_policy_error
check_key(struct gk_desk *d, char *why, size_t whylen)
{
	char key_id[GK_KEY_ID_HEX + 1], reason[GK_WHY_FULL];

	if (gk_hostkey_sign(d, NULL, 0, NULL, key_id, reason,
	    sizeof(reason)) == 0)
		return GK_POLICY_FINE;
	return gk_policy_fail(GK_POLICY_NO_SIGNING_KEY, why, whylen, "%s",
	    reason);
}

static struct gk_policy_plan *
checked(struct gk_desk *d, enum gk_policy_error e,
    struct gk_policy_plan *plan, char *why, size_t whylen)
{
	if (e == GK_POLICY_FINE && plan->lane == GK_LANE_GRANT)
		e = check_key(d, why, whylen);
	if (e == GK_POLICY_FINE)
		return plan;
	gk_desk_fail(d, "%s", why);
	gk_policy_plan_free(plan);
	return NULL;
}

typedef enum gk_policy_error plan_fn(struct genkan_ctx *,
    const struct gk_policy_now *, const struct gk_policyval *,
    struct gk_policy_plan **, char *, size_t);

static struct gk_policy_plan *
change(struct gk_desk *d, plan_fn *fn, const struct gk_policyval *values)
{
	struct gk_policy_plan *plan = NULL;
	char why[2 * GK_WHY_FULL];
	enum gk_policy_error e;
	struct eyes eyes;

	look(d, &eyes);
	e = fn(d->ctx, &eyes.now, values, &plan, why, sizeof(why));
	gk_policy_cache_done(&eyes.cache);
	return checked(d, e, plan, why, sizeof(why));
}

struct gk_policy_plan *
gk_policydesk_set(struct gk_desk *d, const struct gk_policyval *values)
{
	return change(d, gk_policy_plan_set, values);
}

struct gk_policy_plan *
gk_policydesk_restrict(struct gk_desk *d, const struct gk_policyval *values)
{
	return change(d, gk_policy_plan_restrict, values);
}

struct gk_policy_plan *
gk_policydesk_rollback(struct gk_desk *d, uint64_t revision,
    const char *entry)
{
	struct gk_policy_plan *plan = NULL;
	struct gk_historyrec *h = NULL;
	char why[2 * GK_WHY_FULL];
	enum gk_policy_error e;
	struct eyes eyes;

	look(d, &eyes);
	e = gk_policy_load_history(d->ctx, &d->stores.store, &h, why,
	    sizeof(why));
	if (e == GK_POLICY_FINE)
		e = gk_policy_plan_rollback(d->ctx, &eyes.now, h, revision,
		    entry != NULL ? gk_span_str(entry) : gk_span(NULL, 0),
		    &plan, why, sizeof(why));
	gk_historyrec_free(h);
	gk_policy_cache_done(&eyes.cache);
	return checked(d, e, plan, why, sizeof(why));
}

int
gk_policydesk_reason(const struct gk_policy_plan *plan, struct gk_buf *ret)
{
	struct gk_buf summary;
	int r;

	gk_buf_init(&summary, plan->ctx, 65536);
	r = gk_policy_plan_summary(plan, &summary);
	if (r == 0 && plan->target != 0)
		r = gk_buf_putf(ret, "roll policy back to revision %" PRIu64
		    ": ", plan->target);
	else if (r == 0)
		r = gk_buf_puts(ret, "set policy: ");
	if (r == 0)
		r = gk_str_escape(ret, (const char *)summary.ptr, summary.len,
		    summary.len);
	gk_buf_done(&summary);
	return r == 0 ? gk_buf_putc(ret, '\n') : r;
}

/* ------------------------------------------------------------------ writing */

static enum gk_policy_error
sign(struct gk_desk *d, struct gk_policy_plan *plan, char *why, size_t whylen)
{
	char key_id[GK_KEY_ID_HEX + 1], reason[GK_WHY_FULL];
	enum gk_policy_error e = GK_POLICY_FINE;
	uint8_t sig[GK_P256_SIG];
	struct gk_buf msg;

	gk_buf_init(&msg, d->ctx, gk_record_cap(GK_RECORD_POLICY));
	if (gk_policy_plan_message(plan, &msg) < 0)
		e = gk_policy_no_memory(why, whylen);
	else if (gk_hostkey_sign(d, msg.ptr, msg.len, sig, key_id, reason,
	    sizeof(reason)) < 0)
		e = gk_policy_fail(GK_POLICY_NO_SIGNING_KEY, why, whylen,
		    "%s", reason);
	else
		gk_policy_plan_sign(plan, sig, key_id);
	gk_buf_done(&msg);
	return e;
}

static enum gk_policy_error
write_plan(struct gk_desk *d, struct gk_policy_plan *plan,
    struct gk_presence *proof, struct gk_policy_done *done, char *why,
    size_t whylen)
{
	const struct gk_store *store = &d->stores.store;
	enum gk_policy_error e = GK_POLICY_FINE;
	struct gk_hold *hold = NULL;

	if (plan->lane == GK_LANE_GRANT)
		e = sign(d, plan, why, whylen);
	if (e != GK_POLICY_FINE)
		return e;
	if (gk_store_hold(store, &hold, why, whylen) < 0)
		return GK_POLICY_IO;
	e = gk_policy_commit(plan, store, hold, proof, done, why, whylen);
	store->drop(store->user, hold);
	return e;
}

static void
audit(struct gk_desk *d, const struct gk_policy_plan *plan,
    enum gk_policy_error e, const struct gk_presence *proof)
{
	struct gk_buf b;
	int r;

	gk_buf_init(&b, d->ctx, 1024);
	r = gk_policy_plan_detail(plan, proof != NULL ?
	    gk_presence_path(proof) : NULL, &b);
	gk_desk_audit(d, "policy_write", e == GK_POLICY_FINE ? "ok" : "error",
	    NULL, r == 0 ? (const char *)b.ptr : NULL);
	gk_buf_done(&b);
}

/* Names that no tool has are kept, for there may be one tomorrow; but whoever
 * mistyped one should hear of it. */
static void
warn_of_names(struct gk_desk *d, const struct gk_policy_plan *plan)
{
	const struct gk_toolset *set = &plan->next->effective.disabled;
	const char *first = NULL;
	size_t i, n = 0;

	if ((plan->fields & GK_POLICY_BIT(GK_POLICY_DISABLED_TOOLS)) == 0)
		return;
	for (i = 0; i < set->n; i++)
		if (gk_schema_tool_find(set->name[i],
		    strlen(set->name[i])) < 0 && n++ == 0)
			first = set->name[i];
	if (n == 1)
		gk_report_warn(d->report, "warning: this version has no tool "
		    "\"%s\"; it stays on the list of disabled tools", first);
	else if (n > 1)
		gk_report_warn(d->report, "warning: this version has no tool "
		    "\"%s\", and %zu more of the names disable nothing; they "
		    "stay on the list", first, n - 1);
}

static void
tell(struct gk_desk *d, const struct gk_policy_plan *plan,
    const struct gk_presence *proof)
{
	if (plan->lane != GK_LANE_NONE)
		warn_of_names(d, plan);
	if (plan->lane == GK_LANE_NONE)
		gk_report_line(d->report, "nothing to do: that is in force "
		    "already");
	else if (proof != NULL)
		gk_report_line(d->report, "written and signed; presence: %s",
		    gk_presence_path(proof));
	else
		gk_report_line(d->report, "written as a restriction");
	if (gk_policydesk_show(d) < 0)
		d->report->failed = 1;
}

void
gk_policydesk_run(struct gk_desk *d, struct gk_policy_plan *plan,
    struct gk_presence *proof)
{
	struct gk_policy_done done = { false, false };
	enum gk_policy_error e = GK_POLICY_FINE;
	char why[2 * GK_WHY_FULL] = "";

	if (plan->lane != GK_LANE_NONE)
		e = write_plan(d, plan, proof, &done, why, sizeof(why));
	if (done.history_lost)
		gk_report_warn(d->report, "genkan: the policy that was "
		    "replaced could not be put into the history");
	if (e == GK_POLICY_FINE)
		tell(d, plan, proof);
	else
		gk_desk_fail(d, "%s", why);
	if (plan->lane != GK_LANE_NONE)
		audit(d, plan, e, proof);
}

/* ----------------------------------------------------------------- language */

static void
tell_lang(struct gk_desk *d, const struct gk_langrec *lang)
{
	gk_report_line(d->report, "language: %s", lang->value);
	gk_report_line(d->report, "seq: %" PRIu64, lang->seq);
}

void
gk_langdesk_show(struct gk_desk *d)
{
	char why[GK_WHY_FULL];
	struct gk_langrec lang;

	if (gk_lang_look(d->ctx, &d->stores.store, &lang, why,
	    sizeof(why)) < 0)
		gk_desk_fail(d, "%s", why);
	else
		tell_lang(d, &lang);
}

void
gk_langdesk_set(struct gk_desk *d, const char *value)
{
	const struct gk_store *store = &d->stores.store;
	struct gk_hold *hold = NULL;
	char why[2 * GK_WHY_FULL];
	struct gk_langrec lang;
	int r;

	r = gk_store_hold(store, &hold, why, sizeof(why));
	if (r == 0) {
		r = gk_lang_set(d->ctx, store, hold, value, &lang, why,
		    sizeof(why));
		store->drop(store->user, hold);
	}
	if (r < 0)
		gk_desk_fail(d, "%s", why);
	else
		tell_lang(d, &lang);
}
